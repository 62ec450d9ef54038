"""Random halves of the rows, between which nothing is known beforehand."""

import numpy as np

# Fewer different rows cannot be halved: their columns have few levels, which both halves must know.
LEAST_DIFFERENT = 20


def random_half(rows, rng):
    """Return a mask with half of the rows; equal rows, next to each other, are in the same half.

    What is learned from one half would know the other one otherwise. Where there are few different
    rows, any rows are halved.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In an order that puts equal rows next to each other, such as `row_order`.
    rng : numpy.random.Generator

    Examples
    --------
    >>> rows = np.repeat(np.arange(30.0), 2)[:, None]
    >>> half = random_half(rows, np.random.default_rng(0))
    >>> bool((half[::2] == half[1::2]).all()), int(half.sum())
    (True, 30)
    """
    n = len(rows)
    new = (rows[1:] != rows[:-1]).any(axis=1)
    if new.sum() + 1 < LEAST_DIFFERENT:
        return rng.permutation(n) < n // 2
    number = np.concatenate([[0], np.cumsum(new)])
    different = int(number[-1]) + 1
    return (rng.permutation(different) < different // 2)[number]
