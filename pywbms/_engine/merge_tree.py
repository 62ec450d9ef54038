"""The merge tree: which rows merge, in which iteration, during the fit and after it.

A fit stops when its groups have settled, but these go on to attract each other and merge one by
one, after numbers of iterations that grow exponentially with their distance. The merges at
log(1 + iterations) form a tree, in the form that scipy's hierarchical clustering uses: cut at the
end of the fit it gives the fit's clusters, above it coarser ones. How long a partition lives in
log-iterations tells how well separated its clusters are.

Rows that meet in the same iteration are tied: no partition of the fit separates some of them.
Within a tie, merges are ordered by distance (`meetings`), and their heights differ by parts in
10¹⁵, so that scipy and R, asked for a number of clusters in between, both separate what was
farthest apart.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._engine.meetings import blocks, connected, no_links, ordered, pieces

# Merges within a tie differ by this share of their height, or by this much at height 0.
NUDGE = 2.0**-50
# Heights that differ by less than this share are tied.
TIED = 1e-9


@dataclass(frozen=True)
class MergeTree:
    """Which rows merge, and when.

    Attributes
    ----------
    linkage : ndarray of shape (n − 1, 4)
        As in scipy, one row per merge: the two clusters (rows 0 … n − 1 of the data, then n for
        the first merge, and so on), the height, log(1 + iterations), and the number of rows.
    observed : ndarray of shape (n − 1,), bool
        Whether the merge was followed to its end, or predicted when the budget was spent.
    """

    linkage: np.ndarray
    observed: np.ndarray


class PartitionHistory:
    """The partitions that a fit goes through, iteration by iteration.

    Two rows that swap places are together in them, as in the history of the fit.
    """

    def __init__(self):
        self._partitions = []
        self._links = []  # of each partition: what had met when it began

    def begin(self, partition, links=None):
        """Start anew from the partition at iteration 0.

        Parameters
        ----------
        partition : ndarray of shape (n,)
        links : ndarray of shape (m, 3), optional
            See `meetings.start_links`; without them, all distances count as equal.
        """
        self._partitions = [(partition.astype(np.int32), 0)]
        self._links = [no_links() if links is None else links]
        self._iteration = 0

    def add(self, partition, links_from=None):
        """Note the partition after an iteration.

        Parameters
        ----------
        partition : ndarray of shape (n,)
        links_from : callable, optional
            Given the partition before, returns the links; see `meetings.links_before`.
        """
        self._iteration += 1
        before = self._partitions[-1][0]
        if np.array_equal(partition, before):
            self._partitions.pop()
        else:
            self._links.append(no_links() if links_from is None else links_from(before))
        self._partitions.append((partition.astype(np.int32), self._iteration))

    def save(self):
        """Return plain values and arrays from which `restore` goes on."""
        partitions, last = zip(*self._partitions, strict=True)
        return {
            "partitions": partitions,
            "last": last,
            "iteration": self._iteration,
            "links": list(self._links),
        }

    def restore(self, saved):
        """Go on from what was saved; return this object."""
        self._partitions = list(zip(saved["partitions"], saved["last"], strict=True))
        self._iteration = saved["iteration"]
        self._links = list(saved["links"])
        return self

    def for_good(self, labels):
        """Return when rows merged that did not part again.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            The final partition.

        Returns
        -------
        list of (int, ndarray, ndarray, ndarray)
            Iteration and partition, from iteration 0 to the end, each coarser than the one before:
            rows that share a label have been together from that iteration on. The piece of each
            row that was together before, and the links between pieces that met then.
        """
        together = np.unique(labels, return_inverse=True)[1]
        found = []
        following, links = labels, no_links()  # what came next, if anything
        steps = zip(reversed(self._partitions), reversed(self._links), strict=True)
        for (partition, last), links_then in steps:
            finer = pieces(together, partition)
            if finer.max() > together.max():
                found.append((last + 1, together, pieces(partition, following), links))
                together = finer
            following, links = partition, links_then
        return [(0, together, np.arange(len(labels)), links), *reversed(found)]


class Linkage:
    """Builds a linkage matrix merge by merge."""

    def __init__(self, n):
        self._n = n
        self._node = np.arange(n)  # of each row that represents a cluster
        self._size = np.ones(n, dtype=int)
        self._parent = np.arange(n)
        self._merges = []
        self._distance = []
        self._observed = []

    def meet(self, apart, together, piece, links, height):
        """Merge what has met in one iteration, the nearest first.

        Parameters
        ----------
        apart : ndarray
            One row of each cluster so far.
        together : ndarray of shape (n,)
            The partition after the iteration.
        piece : ndarray of shape (n,)
            What each row was part of before.
        links : ndarray of shape (m, 3)
            Distances of pieces, named by one row of each; without them, all count as equal.
        height : float
        """
        # Of each set of linked pieces, one row of each cluster that is to be merged.
        sets = {}
        for row, part, cluster in zip(apart, piece[apart], together[apart], strict=True):
            sets.setdefault(int(part), {})[int(cluster)] = int(row)
        to = {}

        def root(part):
            while part in to:
                to[part] = to.get(to[part], to[part])  # halves the path
                part = to[part]
            return part

        for distance, pairs in ordered(links):
            met = []
            for a, b in piece[pairs].tolist():
                a, b = root(a), root(b)
                if a != b:
                    if len(sets.get(a, ())) < len(sets.get(b, ())):
                        a, b = b, a
                    to[b] = a
                    into = sets.setdefault(a, {})
                    for cluster, row in sets.pop(b, {}).items():
                        if into.setdefault(cluster, row) != row:
                            met.append((into[cluster], row))
            for rows in connected(met):
                self.join(rows, height, distance=distance)
        farthest = float(links[:, 2].max(initial=0.0))
        for block in blocks(together[apart]):  # what no link has brought together
            self.join(apart[block], height, distance=farthest)

    def join(self, rows, height, observed=True, distance=0.0):
        """Merge the clusters that the given rows belong to, which are at the same distance."""
        rows = list(dict.fromkeys(self._root(row) for row in rows))
        # Pairwise, not one after the other: R and scipy cannot draw very deep trees.
        while len(rows) > 1:
            left = rows[-1:] if len(rows) % 2 else []
            rows = [
                self._pair(*rows[i : i + 2], height, observed, distance)
                for i in range(0, len(rows) - 1, 2)
            ]
            rows += left

    def tree(self, order):
        """Return the tree; its leaves are the caller's rows, order[i] for row i."""
        merges = np.array(self._merges, dtype=float).reshape(-1, 4)
        nodes = merges[:, :2].astype(int)
        leaves = nodes < self._n
        nodes[leaves] = order[nodes[leaves]]
        merges[:, :2] = np.sort(nodes, axis=1)
        merges[:, 2] = told_apart(merges[:, 2], np.array(self._distance, dtype=float))
        return MergeTree(merges, np.array(self._observed, dtype=bool))

    def _root(self, row):
        while self._parent[row] != row:
            self._parent[row] = self._parent[self._parent[row]]
            row = self._parent[row]
        return row

    def _pair(self, a, b, height, observed, distance):
        self._parent[b] = a
        self._size[a] += self._size[b]
        self._merges.append((self._node[a], self._node[b], height, self._size[a]))
        self._observed.append(observed)
        self._distance.append(distance)
        self._node[a] = self._n + len(self._merges) - 1
        return a


def grow_tree(partitions, labels, order, integrator=None):
    """Return the merge tree of a fit.

    Parameters
    ----------
    partitions : PartitionHistory
        What merged during the fit.
    labels : ndarray of shape (n,)
        The final partition, of rows in the fit's own order.
    order : ndarray of shape (n,)
        The caller's row that each of them is.
    integrator : CoalescenceIntegrator, optional
        Follows the clusters after the fit; not needed if there is only one.
    """
    linkage = Linkage(len(labels))
    apart = np.arange(len(labels))  # one row of each block so far
    for iteration, partition, piece, links in partitions.for_good(labels):
        linkage.meet(apart, partition, piece, links, np.log1p(iteration))
        apart = np.unique(partition, return_index=True)[1]
    if integrator is not None:
        for height, links in integrator.merges():
            for distance, pairs in ordered(links):
                for rows in pairs:
                    linkage.join(rows, height, distance=distance)
        for height, distance, a, b in sorted(integrator.predicted()):
            linkage.join([a, b], height, observed=False, distance=distance)
    return linkage.tree(order)


def told_apart(height, distance):
    """Return heights in which merges of one height, but at different distances, differ a little.

    Parameters
    ----------
    height : ndarray
        Increasing; where it is constant, the distance increases.
    distance : ndarray

    Examples
    --------
    >>> height = told_apart(np.array([1.0, 1.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.2, 0.0]))
    >>> height[0] < height[1], bool(height[1] == height[2] == 1.0), bool(height[0] > 1 - 1e-12)
    (np.True_, True, True)
    """
    if not len(height):
        return height
    new_height = np.diff(height, prepend=-1.0) != 0
    new_level = new_height | (np.diff(distance, prepend=-1.0) != 0)
    level = np.cumsum(new_level)
    run = np.cumsum(new_height) - 1
    first, last = level[new_height], level[np.append(np.flatnonzero(new_height)[1:] - 1, -1)]
    below = height * (1 - NUDGE * (last[run] - level))
    # Nothing lies below 0: there the levels go up from those at distance 0, that of equal rows.
    equal = height[0] == 0 and distance[0] == 0
    above = NUDGE * (level - first[run] + (0 if equal else 1))
    return np.maximum.accumulate(np.where(height == 0, above, below))


def levels(height):
    """Return the numbers of clusters that a tree has between ties, and where they begin and end.

    Parameters
    ----------
    height : ndarray of shape (n − 1,)
        The heights of a linkage matrix.

    Returns
    -------
    k : ndarray of int
        From n down to 1, without those that would separate rows that are equal.
    begins, ends : ndarray
        Heights from which, and up to which, there are so many clusters; the last has no end.

    Examples
    --------
    >>> [x.tolist() for x in levels(np.array([0.0, 1.0, 1.0, 3.0]))]
    [[4, 2, 1], [0.0, 1.0, 3.0], [1.0, 3.0, inf]]
    """
    n = len(height) + 1
    first = np.flatnonzero(new_heights(height))
    ends = np.append(height[first], np.inf)
    begins = np.append(0.0, height[np.append(first[1:] - 1, n - 2)] if n > 1 else [])
    lasting = ends > TIED
    return (n - np.append(first, n - 1))[lasting], begins[lasting], ends[lasting]


def new_heights(height):
    """Return which merges are not tied with the one before."""
    return np.diff(height, prepend=-np.inf) > TIED * np.maximum(height, 1.0)
