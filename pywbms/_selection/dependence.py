"""A start of the weights from how much each column depends on another one.

Clusters in two or more columns make these columns depend on each other, even where each of them
alone looks like noise; noise columns depend on none. The dependence of two columns is Pearson's
chi-square on bins of their ranks, so any shape of it counts, and outliers or scales do not.
"""

import numpy as np
from scipy.stats import chi2, rankdata

# Enough rows for so many in a cell of two columns, on average, or chi-square is not chi-square.
ROWS_PER_CELL, MOST_BINS = 5, 8
# Probability that any pair of independent columns exceeds the bound.
LEVEL = 0.05
# Columns without dependence keep this share of the largest weight: they may matter after all.
FLOOR = 1e-3
# n · p² beyond which it would take longer than the fits that follow.
MOST_WORK = 2e9
# Cells that are looked at at a time.
BLOCK = 500_000


def dependent_start(X, indicators=()):
    """Return the start as a value of `Settings.init`, or None if no columns depend on each other.

    A column weighs as much as its largest chi-square exceeds what chance explains in any pair.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Without constant columns.
    indicators : sequence of sequences of int
        Columns that are indicators of one category, for each category: they depend on each other
        whatever the data, so that says nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> dependent_start(X) is None
    True
    >>> X[:, :2] += 4 * rng.integers(3, size=(200, 1))
    >>> np.round(dependent_start(X), 2).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """
    n, p = X.shape
    n_bins = min(int(np.sqrt(n / ROWS_PER_CELL)), MOST_BINS)
    if p < 3 or n_bins < 2 or n * p**2 > MOST_WORK:
        return None
    excess = np.maximum(largest_excess(bins_of_ranks(X, n_bins), n_bins, indicators), 0)
    if not excess.any():
        return None
    weights = excess / excess.max() + FLOOR
    return tuple((weights / weights.sum()).tolist())


def bins_of_ranks(X, n_bins):
    """Return the bin of each value among the equally filled bins of its column; ties share one."""
    shares = (rankdata(X, axis=0) - 0.5) / len(X)
    return np.minimum((shares * n_bins).astype(np.intp), n_bins - 1)


def largest_excess(bins, n_bins, indicators=()):
    """Return how far the largest chi-square of each column with another one exceeds its bound.

    Parameters
    ----------
    bins : ndarray of int, of shape (n, p)
    n_bins : int
    indicators : sequence of sequences of int
        See `dependent_start`.
    """
    n, p = bins.shape
    # Counts of at most 2,000 rows are exact in single precision.
    member = (bins[:, :, None] == np.arange(n_bins)).astype(np.float32)
    share = member.mean(axis=0, dtype=float)
    n_used = (share > 0).sum(axis=1)
    category = np.arange(p)
    for group in indicators:
        category[list(group)] = group[0]
    bound = bounds_of_chi_square(p, n_bins)
    largest = np.full(p, -np.inf)
    flat = member.reshape(n, p * n_bins)
    per_share = np.divide(1, share, out=np.zeros_like(share), where=share > 0)
    width = max(1, BLOCK // (p * n_bins**2))
    for first in range(0, p, width):
        block = slice(first, min(first + width, p))
        counts = flat[:, first * n_bins : block.stop * n_bins].T @ flat
        cells = np.square(counts, dtype=float).reshape(-1, n_bins, p, n_bins)
        # The sum of (observed − expected)² / expected is that of observed² / expected, less n.
        squares = np.einsum("aibj,ai,bj->ab", cells, per_share[block], per_share, optimize=False)
        excess = squares / n - n - bound[n_used[block, None], n_used]
        excess[category[block, None] == category] = -np.inf
        largest[block] = excess.max(axis=1)
    return largest


def bounds_of_chi_square(p, n_bins):
    """Return what chi-square exceeds in any of all pairs with probability `LEVEL`.

    By the numbers of bins that the two columns use.
    """
    freedom = np.maximum(np.outer(*2 * [np.arange(n_bins + 1) - 1]), 1)
    return chi2.isf(LEVEL / (p * (p - 1) / 2), freedom)
