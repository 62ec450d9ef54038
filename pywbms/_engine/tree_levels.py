"""Levels of a merge tree: the partitions that a fit went through, and those that come after it."""

import numpy as np

from pywbms._data.ordering import largest_first
from pywbms._engine.merge_tree import levels

# Heights up to this are those of the start, before the first iteration.
AT_START = 1e-6


class NoSuchPartition(ValueError):
    """There is no partition with exactly so many clusters.

    Parameters
    ----------
    k : int
    there : iterable of int
        The numbers of clusters that there are.

    Examples
    --------
    >>> print(NoSuchPartition(4, [1, 2, 3, 7, 9]))
    n_clusters = 4: no partition that was tried has exactly 4 clusters; the nearest have 3 and 7
    """

    def __init__(self, k, there):
        self.k, self.there = k, sorted({int(number) for number in there})
        super().__init__(k, self.there)

    def __str__(self):
        return (
            f"n_clusters = {self.k}: no partition that was tried has exactly {self.k} "
            f"clusters; the nearest have {nearest_numbers(self.k, self.there)}"
        )


def nearest_numbers(k, there):
    """Return in words the numbers on either side of k.

    Examples
    --------
    >>> nearest_numbers(4, [1, 2])
    '2'
    """
    below, above = [x for x in there if x < k], [x for x in there if x > k]
    return " and ".join(map(str, [*below[-1:], *above[:1]]))


def cut_tree(linkage, k):
    """Return the labels of k clusters, the largest first; ties by first row.

    Parameters
    ----------
    linkage : ndarray of shape (n − 1, 4)
        As in scipy; the first n − k merges are done.
    k : int

    Examples
    --------
    >>> cut_tree(np.array([[1, 2, 0.5, 2], [0, 3, 1.5, 3.0]]), 2).tolist()
    [1, 0, 0]
    """
    n = len(linkage) + 1
    root = np.arange(2 * n - 1)
    for merge in range(n - k - 1, -1, -1):  # from the top, so that roots are known
        root[linkage[merge, :2].astype(int)] = root[n + merge]
    return largest_first(root[:n])


def first_iteration(linkage, k):
    """Return the iteration after which there are k clusters, as a real number."""
    numbers, begins, _ = levels(linkage[:, 2])
    return float(np.expm1(min(begins[numbers == k][0], 700.0)))


def lifetime(linkage, k):
    """Return for how long there are k clusters, in log-iterations; infinite for one."""
    numbers, begins, ends = levels(linkage[:, 2])
    return float((ends - begins)[numbers == k][0])


def numbers_of_clusters(linkage):
    """Return the numbers of clusters that a fit has after its first iteration, or later."""
    numbers, begins, _ = levels(linkage[:, 2])
    return numbers[(begins > AT_START) | (numbers == 1)].tolist()
