"""The merge tree: which rows merge, in which iteration, during the fit and after it.

A fit stops when its groups have settled, but these go on to attract each other and merge one by
one, after numbers of iterations that grow exponentially with their distance. The merges at
log(1 + iterations) form a tree, in the form that scipy's hierarchical clustering uses: cut at the
end of the fit it gives the fit's clusters, above it coarser ones. How long a partition lives in
log-iterations tells how well separated its clusters are.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._engine.coalescence import blocks


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

    def begin(self, partition):
        """Start anew from the partition at iteration 0."""
        self._partitions = [(partition.astype(np.int32), 0)]
        self._iteration = 0

    def add(self, partition):
        """Note the partition after an iteration."""
        self._iteration += 1
        if np.array_equal(partition, self._partitions[-1][0]):
            self._partitions.pop()
        self._partitions.append((partition.astype(np.int32), self._iteration))

    def for_good(self, labels):
        """Return when rows merged that did not part again.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            The final partition.

        Returns
        -------
        list of (int, ndarray)
            Iteration and partition, from iteration 0 to the end, each coarser than the one before:
            rows that share a label have been together from that iteration on.
        """
        together = np.unique(labels, return_inverse=True)[1]
        found = []
        for partition, last in reversed(self._partitions):
            _, finer = np.unique(together * (partition.max() + 1) + partition, return_inverse=True)
            if finer.max() > together.max():
                found.append((last + 1, together))
                together = finer
        return [(0, together), *reversed(found)]


class Linkage:
    """Builds a linkage matrix merge by merge."""

    def __init__(self, n):
        self._n = n
        self._node = np.arange(n)  # of each row that represents a cluster
        self._size = np.ones(n, dtype=int)
        self._parent = np.arange(n)
        self._merges = []
        self._observed = []

    def join(self, rows, height, observed=True):
        """Merge the clusters that the given rows belong to."""
        rows = list(dict.fromkeys(self._root(row) for row in rows))
        # Pairwise, not one after the other: R and scipy cannot draw very deep trees.
        while len(rows) > 1:
            left = rows[-1:] if len(rows) % 2 else []
            rows = [
                self._pair(*rows[i : i + 2], height, observed) for i in range(0, len(rows) - 1, 2)
            ]
            rows += left

    def tree(self, order):
        """Return the tree; its leaves are the caller's rows, order[i] for row i."""
        merges = np.array(self._merges, dtype=float).reshape(-1, 4)
        nodes = merges[:, :2].astype(int)
        leaves = nodes < self._n
        nodes[leaves] = order[nodes[leaves]]
        merges[:, :2] = np.sort(nodes, axis=1)
        return MergeTree(merges, np.array(self._observed, dtype=bool))

    def _root(self, row):
        while self._parent[row] != row:
            self._parent[row] = self._parent[self._parent[row]]
            row = self._parent[row]
        return row

    def _pair(self, a, b, height, observed):
        self._parent[b] = a
        self._size[a] += self._size[b]
        self._merges.append((self._node[a], self._node[b], height, self._size[a]))
        self._observed.append(observed)
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
    for iteration, partition in partitions.for_good(labels):
        for block in blocks(partition[apart]):
            linkage.join(apart[block], np.log1p(iteration))
        apart = np.unique(partition, return_index=True)[1]
    if integrator is not None:
        for height, together in integrator.merges():
            for rows in together:
                linkage.join(rows, height)
        for height, a, b in sorted(integrator.predicted()):
            linkage.join([a, b], height, observed=False)
    return linkage.tree(order)
