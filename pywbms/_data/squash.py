"""Bounds beyond which the values of a column are squashed: one bad cell must not rule a column.

A mean of squares gives a single cell 1,000 standard deviations away all the weight there is. A
value is *far* if it lies beyond the bulk of its column by more than the width of that bulk, across
a gap, and too few other values are near it to be a cluster. Far values are squashed, by a
logarithm: their order stays, and the squash can be undone.
"""

from typing import NamedTuple

import numpy as np

from pywbms._data.order_statistics import OrderStatistics, WeightedOrderStatistics

# Fewer rows do not tell what is far.
LEAST_ROWS = 10
# Columns in which no z-score is larger are left as they are.
USUAL = 5.0
# The bulk of a column lies between these quantiles, 3.29 standard deviations apart if it is normal.
TAIL, BULK = 0.05, 3.29
# So many values, or this share of all, are a cluster if they lie within so many (robust) standard
# deviations, or within this share of their distance from the bulk.
LEAST_IN_CLUSTER, LEAST_SHARE, WIDTH, WIDTH_AWAY = 2, 0.015, 2.0, 0.1
# Beyond its bounds a column is squashed at the scale of this share of its standard deviation.
TAU = 0.25
# No value is farther away than this, in units of the bounds: nothing overflows.
FARTHEST = 1e300


class Bounds(NamedTuple):
    """Where the squash of some columns begins, and its scale.

    Attributes
    ----------
    low, high, tau : ndarray of shape (q,)
    """

    low: np.ndarray
    high: np.ndarray
    tau: np.ndarray

    @property
    def squashing(self):
        """Which columns have a value that is squashed."""
        return np.isfinite(self.low)

    def only(self, columns):
        """Return the bounds of some of the columns."""
        return Bounds(*(values[columns] for values in self))

    def far(self, x):
        """Tell of each value whether it lies beyond the bounds."""
        return (x < self.low) | (x > self.high)

    def squash(self, x):
        """Return high + tau · log(1 + (x − high) / tau) beyond high, likewise below low, else x.

        Examples
        --------
        >>> bounds = Bounds(*np.array([[-2.0], [2.0], [0.25]]))
        >>> bounds.squash(np.array([[1.0], [3.0], [1000.0]])).round(2).ravel().tolist()
        [1.0, 2.4, 4.07]
        """
        inside = np.clip(x, self.low, self.high)
        away = (x - inside) / self.tau
        return inside + self.tau * np.sign(away) * np.log1p(np.abs(away))

    def stretch(self, y):
        """Undo `squash`.

        Examples
        --------
        >>> bounds = Bounds(*np.array([[-2.0], [2.0], [0.25]]))
        >>> bounds.stretch(bounds.squash(np.array([[-50.0, 0.0, 1e9]]))).round(3).tolist()
        [[-50.0, 0.0, 1000000000.0]]
        """
        inside = np.clip(y, self.low, self.high)
        away = (y - inside) / self.tau
        with np.errstate(over="ignore"):  # further away than any row was
            stretched = np.minimum(np.expm1(np.abs(away)), FARTHEST)
        return inside + self.tau * np.sign(away) * stretched


def bounds_of(x, mass=None):
    """Return the bounds of columns, infinite for those in which no value is far, and their s.

    With s the distance between the 5 % and the 95 % quantile, divided by 3.29, the bounds are
    these quantiles minus or plus 3.29·s. They are moved outwards to include tails, values without
    a gap above 2·s between them and the bulk, and clusters: max(2, 1.5 % of n) consecutive
    values within 2·s, or within a tenth of their distance from the quantiles. Where nine tenths
    of the values are equal, s is the median distance from them of the others.

    Parameters
    ----------
    x : ndarray of shape (n, q)
        None of the columns is constant.
    mass : ndarray of shape (n,), optional
        How many values each one stands for; one by default.

    Examples
    --------
    >>> x = np.arange(100.0)
    >>> bounds, _ = bounds_of(np.stack([x, np.where(x == 7, 1e6, x)], axis=1))
    >>> bounds.high.round(1).tolist(), bounds.tau.round(1).tolist()
    ([inf, 185.1], [1.0, 6.8])
    """
    values = OrderStatistics(x) if mass is None else WeightedOrderStatistics(x, mass)
    x = values.x
    low, high = values.quantiles([TAIL, 1 - TAIL])
    s = (high - low) / BULK
    alike = s == 0
    s[alike] = values.median_away(alike, low)
    tail = tails(x, low, high, WIDTH * s)
    first, last = values.windows(max(LEAST_IN_CLUSTER, int(np.ceil(LEAST_SHARE * values.total))))
    away = np.maximum(first - high[:, None], low[:, None] - last)
    cluster = last - first <= np.maximum(WIDTH * s[:, None], WIDTH_AWAY * away)
    low, high = np.minimum(low - BULK * s, tail[0]), np.maximum(high + BULK * s, tail[1])
    np.minimum(low, np.where(cluster, first, np.inf).min(axis=1), out=low)
    np.maximum(high, np.where(cluster, last, -np.inf).max(axis=1), out=high)
    far = (x[:, 0] < low) | (x[:, -1] > high)
    bounds = Bounds(
        np.where(far, low, -np.inf), np.where(far, high, np.inf), np.where(far, TAU * s, 1.0)
    )
    return bounds, s


def tails(x, low, high, widest):
    """Return the outermost values of each row before a wide gap, below low and above high.

    Parameters
    ----------
    x : ndarray of shape (q, n)
        Sorted rows.
    low, high, widest : ndarray of shape (q,)

    Examples
    --------
    >>> x = np.array([[-9.0, -2, 0, 1, 2, 3, 9, 10]])
    >>> [end.tolist() for end in tails(x, np.array([-2.0]), np.array([2.0]), np.array([2.0]))]
    [[-2.0], [3.0]]
    """
    wide = np.diff(x, axis=1) > widest[:, None]
    above = np.where(wide & (x[:, :-1] >= high[:, None]), x[:, :-1], np.inf).min(axis=1)
    below = np.where(wide & (x[:, 1:] <= low[:, None]), x[:, 1:], -np.inf).max(axis=1)
    return np.maximum(below, x[:, 0]), np.minimum(above, x[:, -1])
