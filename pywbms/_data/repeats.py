"""Columns that repeat others: the same numbers, or the same in other units."""

import numpy as np

# A column of fewer different values may be equal to another one by chance.
LEAST_VALUES = 10
# Numbers sorted at a time.
NUMBERS_AT_A_TIME = 2**20
# Columns are told apart by their products with so many fixed random vectors.
N_PROBES = 3
# Columns repeat each other if these, divided by √n, differ by no more than this, up to sign.
SAME = 1e-9


def probe(scores, mass=None):
    """Return the products of random vectors with columns, near 1 for z-scores.

    NaN for columns that have too few different values: they are like no other. With masses, rows
    count in proportion to the roots of these, as z-scores are of size 1 in the weighted mean.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 50)
    >>> np.isnan(probe(np.stack([x, x > 0], axis=1))).any(axis=0).tolist()
    [False, True]
    """
    n = len(scores)
    vectors = np.random.default_rng(0).normal(size=(N_PROBES, n)) / np.sqrt(n)
    if mass is not None:
        vectors *= np.sqrt(mass * (n / mass.sum()))
    # BLAS would start threads for little work.
    probes = np.einsum("kn,np->kp", vectors, scores)
    step = max(1, NUMBERS_AT_A_TIME // n)
    for start in range(0, scores.shape[1], step):
        some = np.sort(scores[:, start : start + step].T, axis=1)
        few = (np.diff(some, axis=1) > 0).sum(axis=1) < LEAST_VALUES - 1
        probes[:, start : start + step][:, few] = np.nan
    return probes


def repeated_columns(probes):
    """Return for each column the first one that it repeats (itself if none), and the sign.

    The work grows with p log p: columns are compared only with those next to them in the order
    of their first probe.

    Parameters
    ----------
    probes : ndarray of shape (N_PROBES, p)
        See `probe`; of z-scores.

    Returns
    -------
    first : ndarray of shape (p,), int
    sign : ndarray of shape (p,)

    Examples
    --------
    >>> z = np.array([1.0, 2.0, 0.5])
    >>> first, sign = repeated_columns(np.stack([z, 2 * z, -z], axis=1))
    >>> first.tolist(), sign.tolist()
    ([0, 1, 0], [1.0, 1.0, -1.0])
    """
    p = probes.shape[1]
    first, sign = np.arange(p), np.ones(p)
    size = np.abs(probes[0])
    order = np.argsort(size, kind="stable")  # NaN last, and near to nothing
    near = np.diff(size[order]) <= SAME
    edges = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
    for start, end in edges.reshape(-1, 2).tolist():  # runs of columns that may be the same
        leaders = []
        for column in np.sort(order[start : end + 1]).tolist():
            for leader in leaders:
                direction = 1.0 if probes[0, column] * probes[0, leader] > 0 else -1.0
                if np.abs(probes[:, column] - direction * probes[:, leader]).max() <= SAME:
                    first[column], sign[column] = leader, direction
                    break
            else:
                leaders.append(column)
    return first, sign
