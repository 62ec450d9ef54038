"""How far apart groups were before they met: what orders the merges of one iteration.

Many rows may meet in the same iteration. In which order they are merged in the tree is then told by
their distances in the iteration before, when they were still apart: the nearest first, as in
single linkage. A cut between two such merges so separates the groups that were farthest apart.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from pywbms._data.ordering import weighted_means


def no_links():
    """Return links of nothing."""
    return np.empty((0, 3))


def start_links(points, partition):
    """Return the links between rows that are together from the start.

    Parameters
    ----------
    points : WeightedPoints
    partition : ndarray of shape (n,)
        Groups of the rows at the start.

    Returns
    -------
    ndarray of shape (m, 3)
        Two rows and their distance, 0 for equal rows: minimum spanning trees of the groups.
    """
    first, member = first_rows(points), points.member
    others = np.flatnonzero(first[member] != np.arange(len(member)))
    equal = np.column_stack([first[member[others]], others, np.zeros(len(others))])
    if len(np.unique(partition)) == len(first):
        return equal
    return np.concatenate([equal, spanning_links(points.points, first, partition[first])])


def links_before(points, before, after):
    """Return the links between groups that meet in the last step, with their distances before it.

    Parameters
    ----------
    points : WeightedPoints
    before, after : ndarray of shape (n,)
        Groups of the rows before and after the step.

    Returns
    -------
    ndarray of shape (m, 3)
        Two rows, each standing for what it was together with before and after, and the distance of
        their groups before the step.
    """
    first = first_rows(points)
    piece = pieces(before[first], after[first])
    _, one = np.unique(piece, return_index=True)
    met = after[first[one]]
    if len(np.unique(met)) == len(met):
        return no_links()
    places = weighted_means(points.points_before(), points.mass, piece)
    return spanning_links(places, first[one], met)


def first_rows(points):
    """Return the first row of each point."""
    return np.unique(points.member, return_index=True)[1]


def pieces(before, after):
    """Return the pieces of two partitions: rows that are together in both.

    Examples
    --------
    >>> pieces(np.array([0, 0, 1]), np.array([0, 1, 1])).tolist()
    [0, 1, 2]
    """
    both = before.astype(np.int64) * (int(after.max()) + 1) + after
    return np.unique(both, return_inverse=True)[1]


def spanning_links(places, rows, group):
    """Return minimum spanning trees of the points of each group: two rows and their distance.

    Parameters
    ----------
    places : ndarray of shape (g, p)
    rows : ndarray of shape (g,)
        The row that stands for each point.
    group : ndarray of shape (g,)

    Examples
    --------
    >>> places = np.array([[0.0], [3.0], [1.0]])
    >>> spanning_links(places, np.array([5, 6, 7]), np.zeros(3, dtype=int)).tolist()
    [[5.0, 7.0, 1.0], [7.0, 6.0, 2.0]]
    """
    found = [no_links()]
    order = np.argsort(group, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if len(some) > 1:
            a, b, distance = spanning_tree(places[some])
            found.append(np.column_stack([rows[some[a]], rows[some[b]], distance]))
    return np.concatenate(found)


def spanning_tree(places):
    """Return the edges of a minimum spanning tree, by Prim's algorithm: ends and lengths.

    Only one row of distances is kept at a time.
    """
    g = len(places)
    outside = np.arange(1, g)
    there = places[1:]
    best, via = np.full(g - 1, np.inf), np.zeros(g - 1, dtype=np.intp)
    inside = np.zeros(g - 1, dtype=bool)
    ends, last = [], 0
    for _ in range(g - 1):
        distance = cdist(places[last : last + 1], there)[0]
        closer = (distance < best) & ~inside
        best[closer], via[closer] = distance[closer], last
        nearest = int(np.where(inside, np.inf, best).argmin())
        last = int(outside[nearest])
        ends.append((int(via[nearest]), last, best[nearest]))
        inside[nearest] = True
        if 2 * inside.sum() > len(inside):  # do not look at those again
            left = ~inside
            outside, there, best, via = outside[left], there[left], best[left], via[left]
            inside = inside[left]
    a, b, distance = zip(*ends, strict=True)
    return np.array(a), np.array(b), np.array(distance)


def ordered(links):
    """Yield distances, the smallest first, and the pairs of rows at that distance."""
    links = links[np.argsort(links[:, 2], kind="stable")]
    starts = np.flatnonzero(np.diff(links[:, 2])) + 1
    for some in np.split(links, starts) if len(links) else []:
        yield float(some[0, 2]), some[:, :2].astype(np.intp)


def connected(pairs):
    """Return the rows that pairs connect, one list for each connected set.

    Examples
    --------
    >>> connected([(3, 5), (8, 9), (5, 7)])
    [[3, 5, 7], [8, 9]]
    """
    if len(pairs) < 2:
        return [list(pair) for pair in pairs]
    rows, ends = np.unique(np.array(pairs), return_inverse=True)
    a, b = ends.reshape(-1, 2).T
    graph = coo_matrix((np.ones(len(a)), (a, b)), (len(rows), len(rows)))
    found = connected_components(graph, directed=False)[1]
    return [rows[block].tolist() for block in blocks(found)]


def blocks(partition):
    """Return the rows of each block of a partition that has more than one.

    Examples
    --------
    >>> [rows.tolist() for rows in blocks(np.array([0, 1, 0, 2]))]
    [[0, 2]]
    """
    size = np.bincount(partition)
    rows = np.flatnonzero(size[partition] > 1)
    rows = rows[np.argsort(partition[rows], kind="stable")]
    return np.split(rows, np.cumsum(size[size > 1])[:-1]) if len(rows) else []
