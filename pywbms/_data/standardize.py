"""The change between the caller's units and the working coordinates of a fit."""

import numpy as np

# Values that differ by less, relative to the largest in their column, are the same number written
# down after different sums.
ROUNDING = 4 * np.finfo(float).eps

# Numbers that are converted at a time.
NUMBERS_AT_A_TIME = 2**20


class Standardizer:
    """Working coordinates: centred, divided by the standard deviation if asked for.

    Columns that hold one value tell nothing: they are left out of the working coordinates and
    come back as that value.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        Finite float64 data, in the caller's units.
    standardize : bool
        Divide each column by its standard deviation (ddof = 1).

    Attributes
    ----------
    active : ndarray of shape (p,), bool
        Columns that are not constant.
    """

    def __init__(self, rows, standardize):
        self._constant = rows[0].copy()
        # A power of two a column brings any magnitude near 1 without a rounding error, so that
        # no square can overflow or vanish.
        largest = np.abs(rows).max(axis=0)
        self._exponent = np.where(standardize, np.frexp(largest)[1], 0)
        self.active = varying_columns(rows)
        near_one = np.ldexp(rows, -self._exponent)
        self._mean = near_one.mean(axis=0)
        self._sd = np.ones(rows.shape[1])
        if standardize and len(rows) > 1:
            np.subtract(near_one, self._mean, out=near_one)
            np.square(near_one, out=near_one)
            self._sd = np.sqrt(near_one.sum(axis=0) / (len(rows) - 1))
            self._sd[~self.active] = 1.0

    @classmethod
    def of_strips(cls, strips):
        """Return the units of columns side by side, given those of some columns each."""
        units = object.__new__(cls)
        for name in ("_constant", "_exponent", "active", "_mean", "_sd"):
            setattr(units, name, np.concatenate([getattr(strip, name) for strip in strips]))
        return units

    @property
    def scale(self):
        """What one working unit is in the caller's units; 1 for columns that hold one value."""
        return np.where(self.active, np.ldexp(self._sd, self._exponent), 1.0)

    def forward(self, rows):
        """Return rows in working coordinates, active columns only, C-contiguous."""
        near_one = np.ldexp(rows[:, self.active], -self._exponent[self.active])
        near_one -= self._mean[self.active]
        near_one /= self._sd[self.active]
        return np.ascontiguousarray(near_one)

    def backward(self, points, index=None):
        """Return points in the caller's units, all columns; with an index, those points only."""
        n = len(points) if index is None else len(index)
        rows = np.tile(self._constant, (n, *points.shape[1:-1], 1))
        # Some rows at a time: none of the intermediate results is as large as the data.
        step = max(1, NUMBERS_AT_A_TIME // max(1, points.shape[-1]))
        for start in range(0, n, step):
            some = slice(start, start + step)
            near_one = points[some if index is None else index[some]] * self._sd[self.active]
            near_one += self._mean[self.active]
            rows[some, ..., self.active] = np.ldexp(near_one, self._exponent[self.active])
        return rows


def varying_columns(rows):
    """Tell of each column whether it holds more than one value, rounding apart.

    Examples
    --------
    >>> varying_columns(np.array([[1.0, 0.3, 5.0], [2.0, 0.1 + 0.2, 5.0]])).tolist()
    [True, False, False]
    """
    exponent = np.frexp(np.abs(rows).max(axis=0))[1]
    return np.ptp(np.ldexp(rows, -exponent), axis=0) > ROUNDING


def mean_variance(X):
    """Return the mean variance of the columns that vary, or 1 if none does.

    It is the same to the bit for any order of the rows.
    """
    varying = varying_columns(X)
    return float(np.sort(X[:, varying], axis=0).var(axis=0).mean()) if varying.any() else 1.0
