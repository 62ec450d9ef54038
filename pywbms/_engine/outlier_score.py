"""How far out rows are: the density where they lie, compared with that of their cluster's rows.

With s = −log of the (leave-one-out) density of a row, m and q the median and the 90 % quantile of s
over the rows of its cluster, and b = max((q − m) / log 5, 0.1), the score is the distribution
function of a Laplace distribution,

    1 − ½ exp(−(s − m) / b)   for s ≥ m,        ½ exp((s − m) / b)   for s < m.

For s above the median, 1 − score is the tail probability of s in the cluster, extrapolated beyond
the rows that there are: exact for a Gaussian cluster in two columns of equal weight.
"""

import warnings
from typing import NamedTuple

import numpy as np

from pywbms._data.ordering import largest_first
from pywbms._engine.nearest import nearest_rows

# Rows with a larger score are labelled as outliers: one of 1,000 rows that belong to their cluster.
LEVEL = 0.999
# A smaller cluster has no distribution of its own: that of all rows is taken.
LEAST_ROWS = 10
# Differences in log density far below this are no sign of anything.
LEAST_SCALE = 0.1
MIDDLE, UPPER = 0.5, 0.9
# Values far outside are worth a warning in columns that have more than this weight together.
FAR_WEIGHT = 0.1


class Tails(NamedTuple):
    """The distribution of −log density in each cluster.

    Attributes
    ----------
    location, scale : ndarray of shape (k,)
    """

    location: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, log_density, labels, mass=None):
        """Return the distributions in the clusters of some rows.

        Parameters
        ----------
        log_density : ndarray of shape (n,)
            Each row left out of its own.
        labels : ndarray of shape (n,)
        mass : ndarray of shape (n,), optional
            How many rows each one stands for; rows of mass 0 do not count.

        Examples
        --------
        >>> tails = Tails.of(-np.arange(11.0), np.zeros(11, dtype=int))
        >>> tails.location.tolist(), tails.scale.round(2).tolist()
        ([5.0], [2.49])
        """
        mass = np.ones(len(labels)) if mass is None else mass
        k = int(labels.max()) + 1
        large = np.bincount(labels, mass, minlength=k) >= LEAST_ROWS
        counted_rows = mass > 0
        common = counted_rows & large[labels]
        rows = common if common.any() else counted_rows
        location = np.empty(k)
        scale = np.empty(k)
        location[:], scale[:] = location_and_scale(-log_density[rows], mass[rows])
        for cluster in np.flatnonzero(large):
            rows = counted_rows & (labels == cluster)
            location[cluster], scale[cluster] = location_and_scale(-log_density[rows], mass[rows])
        return cls(location, scale)

    def score(self, log_density, labels):
        """Return the score of rows in their clusters, between 0 and 1, the outermost.

        Examples
        --------
        >>> tails = Tails(np.array([2.0]), np.array([0.5]))
        >>> tails.score(-np.array([1.0, 2.0, 4.0, 1e9]), np.zeros(4, dtype=int)).round(3).tolist()
        [0.068, 0.5, 0.991, 1.0]
        """
        away = (-log_density - self.location[labels]) / self.scale[labels]
        tail = 0.5 * np.exp(-np.abs(away))
        return np.where(away < 0, tail, 1 - tail)


def location_and_scale(s, mass):
    """Return the median, and what it takes from there to the upper quantile divided by log 5."""
    middle, upper = weighted_quantiles(s, mass, (MIDDLE, UPPER))
    scale = (upper - middle) / np.log((1 - MIDDLE) / (1 - UPPER))
    return middle, max(scale, LEAST_SCALE)


def weighted_quantiles(values, mass, shares):
    """Return the smallest values at which the cumulated mass reaches given shares of its total.

    Examples
    --------
    >>> values, mass = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])
    >>> weighted_quantiles(values, mass, (0.25, 0.5)).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values, kind="stable")
    cumulated = np.cumsum(mass[order])
    place = np.searchsorted(cumulated, np.asarray(shares) * cumulated[-1] * (1 - 1e-12))
    return values[order][np.minimum(place, len(values) - 1)]


def without_outliers(labels, centers, outlying, mass=None):
    """Return labels that are −1 for outlying rows, the centres that are left, and all labels.

    Clusters are numbered anew, the largest first; those of which nothing is left come last in the
    labels of all rows, and have no centre.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    centers : ndarray of shape (k, p)
    outlying : ndarray of shape (n,), bool
    mass : ndarray of shape (n,), optional
        Weights of the rows; the largest cluster is the one with the largest sum of them.

    Examples
    --------
    >>> labels, centers = np.array([0, 0, 0, 1, 1, 2]), np.array([[5.0], [6.0], [7.0]])
    >>> outlying = np.array([True, True, False, False, False, True])
    >>> [x.tolist() for x in without_outliers(labels, centers, outlying)]
    [[-1, -1, 1, 0, 0, -1], [[6.0], [5.0]], [1, 1, 1, 0, 0, 2]]
    """
    if outlying.all():
        return labels, centers, labels
    kept = ~outlying
    number = np.full(len(centers), -1)
    number[labels[kept]] = largest_first(labels[kept], None if mass is None else mass[kept])
    left = np.flatnonzero(number >= 0)
    gone = np.flatnonzero(number < 0)
    number[gone] = len(left) + np.arange(len(gone))
    order = left[np.argsort(number[left])]
    return np.where(outlying, -1, number[labels]), centers[order], number[labels]


def far_outside(queries, rows, weights, standardizer, nearest=None):
    """Tell of each query whether it is far outside all rows.

    That is, whether its weighted distance from the nearest row is larger than the diagonal of the
    box around all rows; or whether it has values that are squashed, being far outside, in most
    columns or in columns with a tenth of the weight, and is none of the rows.

    Parameters
    ----------
    queries, rows : ndarray of shape (m, p), (n, p)
        In the caller's units.
    weights : ndarray of shape (p,)
    standardizer : Standardizer
    nearest : ndarray of shape (m,), optional
        The nearest row of each query.
    """
    if not standardizer.active.any():
        return np.zeros(len(queries), dtype=bool)
    if nearest is None:
        nearest = nearest_rows(queries, rows, weights, standardizer)
    active = standardizer.active_weights(weights)
    low, high = standardizer.forward(np.stack([rows.min(axis=0), rows.max(axis=0)]))
    with np.errstate(over="ignore"):
        away = (standardizer.forward(queries) - standardizer.forward(rows[nearest])) ** 2 @ active
    far = away > (high - low) ** 2 @ active
    squashed = standardizer.far_cells(queries, weights) > FAR_WEIGHT
    return far | ((squashed | standardizer.outliers(queries)) & (away > 0))


def warn_if_far(far, stacklevel):
    """Warn of new rows that are far outside everything seen."""
    number = int(far.sum())
    if number:
        warnings.warn(
            f"new rows far outside everything that was clustered: {number:,} of {len(far):,}; "
            "they get the label of the nearest cluster (outliers='label' labels them as outliers)",
            UserWarning,
            stacklevel=stacklevel,
        )
