"""Orders that depend on values alone: of rows, of clusters, and of the sums over them."""

import numpy as np

from pywbms._data.standardize import NUMBERS_AT_A_TIME


def row_order(X, mass=None):
    """Return an order of the rows that depends on their values alone, equal rows side by side.

    A fit then adds up the same numbers in the same order however the caller has sorted the rows.
    Equal rows are ordered by their masses, if they have any.
    """
    if mass is not None:
        by_mass = np.argsort(mass, kind="stable")
        return by_mass[row_order(X[by_mass])]
    rows = np.ascontiguousarray(X) + 0.0  # −0.0 becomes 0.0: equal rows are equal bytes
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.argsort(as_bytes.ravel(), kind="stable")


def largest_first(labels, mass=None):
    """Renumber clusters 0 … k − 1, the largest first, ties by their first row.

    With masses of the rows, the cluster with the largest sum of them is the largest.

    Examples
    --------
    >>> largest_first(np.array([7, 3, 3, 5])).tolist()
    [1, 0, 0, 2]
    """
    _, first, inverse, size = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    if mass is not None:
        order = np.lexsort((mass, inverse))  # sums do not depend on the order of the rows
        size = np.bincount(inverse[order], mass[order])
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(size))
    return rank[inverse]


def weighted_means(points, mass, group):
    """Return the mean of each group's points, weighted by their mass.

    The mean is taken relative to a point of the group, so that equal points have that point as
    their mean, to the bit.

    Examples
    --------
    >>> points, mass = np.array([[0.0], [3.0], [5.0]]), np.array([2.0, 1.0, 1.0])
    >>> weighted_means(points, mass, [0, 0, 1]).tolist()
    [[1.0], [5.0]]
    """
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    share = mass / np.bincount(group, weights=mass)[group]
    means = points[first]
    others = np.delete(np.arange(len(points)), first)
    for some in np.array_split(others, 1 + len(others) * points.shape[1] // NUMBERS_AT_A_TIME):
        away = share[some, None] * (points[some] - points[first[group[some]]])
        np.add.at(means, group[some], away)
    return means


def undo_order(values, order):
    """Return values of sorted rows in the caller's order; `order` is what sorted them.

    Examples
    --------
    >>> undo_order(np.array([10, 20, 30]), np.array([2, 0, 1])).tolist()
    [20, 30, 10]
    """
    restored = np.empty_like(values)
    restored[order] = values
    return restored


def uniform_weights(p):
    """Return p equal weights."""
    return np.full(p, 1 / max(p, 1))
