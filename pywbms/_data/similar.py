"""Columns that say nearly the same as others."""

import numpy as np
from scipy.spatial import cKDTree

# Correlation, up to its sign, from which on two columns are nearly equal.
NEARLY_EQUAL = 0.99
# Fewer different rows, beyond one per cluster, may agree by chance.
LEAST_ROWS = 10
# Candidates are pairs whose products with so many random vectors are close: a pair at the limit
# exceeds this distance about once in a thousand.
N_PROBES, CHI_SQUARE = 8, 26.0


def similar_columns(rows, labels):
    """Return groups of columns that are nearly equal, within clusters, too.

    Columns that tell the same clusters apart are correlated by that alone; they are not nearly
    equal unless they are within clusters as well. Columns are compared only if random projections
    of them are close.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In working coordinates.
    labels : ndarray of shape (n,)

    Returns
    -------
    list of tuple
        Indices of the columns of each group, in increasing order.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y, noise = rng.normal(size=(3, 100))
    >>> rows = np.stack([x, y, -x + 0.01 * noise, y], axis=1)
    >>> similar_columns(rows, np.zeros(100, dtype=int))
    [(0, 2), (1, 3)]
    """
    n, p = rows.shape
    k = labels.max() + 1
    rng = np.random.default_rng(0)
    if p < 2 or n_different(rows, rng.normal(size=p)) - k < LEAST_ROWS:
        return []
    columns = unit_columns(rows - rows.mean(axis=0))
    within = None  # as large as the rows, and seldom needed
    places = np.einsum("pn,nk->pk", columns, rng.normal(size=(n, N_PROBES)))
    tree, radius = cKDTree(places), np.sqrt(2 * (1 - NEARLY_EQUAL) * CHI_SQUARE)
    free, groups = np.ones(p, dtype=bool), []
    for first, place in enumerate(places):
        if not free[first]:
            continue
        near = np.unique(np.concatenate(tree.query_ball_point([place, -place], radius)).astype(int))
        near = near[free[near] & (near > first)]
        near = near[nearly_equal(columns, first, near)]
        if near.size and within is None:
            within = unit_columns(rows - cluster_means(rows, labels)[labels])
        near = near[nearly_equal(within, first, near)] if near.size else near
        free[near] = False
        if near.size:
            groups.append((first, *near.tolist()))
    return groups


def n_different(rows, vector):
    """Return how many rows are different, by their products with a random vector."""
    return len(np.unique(np.einsum("np,p->n", rows, vector)))


def nearly_equal(columns, first, others):
    """Tell of columns of length 1 whether they are nearly equal to the first; two zeros are."""
    if not columns[first].any():
        return ~columns[others].any(axis=1)
    return np.abs(np.einsum("pn,n->p", columns[others], columns[first])) > NEARLY_EQUAL


def unit_columns(values):
    """Return columns as rows of length 1, those that are nearly 0 as 0; values are overwritten."""
    size = np.sqrt(np.einsum("np,np->p", values, values))
    usable = size > 1e-9 * np.sqrt(len(values))
    values *= usable / np.where(usable, size, 1.0)
    return np.ascontiguousarray(values.T)


def cluster_means(rows, labels):
    """Return the mean of the rows of each cluster."""
    total = np.zeros((labels.max() + 1, rows.shape[1]))
    np.add.at(total, labels, rows)
    return total / np.bincount(labels)[:, None].clip(1)
