"""The change between the caller's units and the working coordinates of a fit."""

import warnings

import numpy as np

# Values that differ by less, relative to the largest in their column, are the same number, rounded
# differently.
ROUNDING = 4 * np.finfo(float).eps

# Data whose spread is below so many eps may collapse at once.
NARROW = 100

# Numbers converted at a time.
NUMBERS_AT_A_TIME = 2**20


class Standardizer:
    """The change to working coordinates: centred, divided by the standard deviation if asked for.

    Columns that hold one value carry no information: the working coordinates do not have them,
    and they come back as that value.

    Parameters
    ----------
    active : ndarray of shape (p,), bool
        Columns that are not constant.
    constant : ndarray of shape (p,)
        The value of a constant column.
    exponent, mean, sd : ndarray of shape (p,)
        A working coordinate is (x · 2^−exponent − mean) / sd.
    """

    def __init__(self, active, constant, exponent, mean, sd):
        self.active = active
        self._constant = constant
        self._exponent = exponent
        self._mean = mean
        self._sd = sd

    @classmethod
    def of(cls, rows, standardize):
        """Return the working coordinates of some data.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            Finite float64 data, in the caller's units.
        standardize : bool
            Divide each column by its standard deviation (ddof = 1).
        """
        # A power of two per column brings any magnitude near 1 without a rounding error, so that
        # no square can overflow or vanish.
        largest = np.abs(rows).max(axis=0)
        exponent = np.where(standardize, np.frexp(largest)[1], 0)
        active = varying_columns(rows)
        near_one = np.ldexp(rows, -exponent)
        mean = near_one.mean(axis=0)
        sd = np.ones(rows.shape[1])
        if standardize and len(rows) > 1:
            np.subtract(near_one, mean, out=near_one)
            np.square(near_one, out=near_one)
            sd = np.sqrt(near_one.sum(axis=0) / (len(rows) - 1))
            sd[~active] = 1.0
        return cls(active, rows[0].copy(), exponent, mean, sd)

    @classmethod
    def side_by_side(cls, parts):
        """Return the standardizer of columns side by side, given those of some columns each."""
        names = ("active", "_constant", "_exponent", "_mean", "_sd")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @property
    def n_columns(self):
        """Number of columns, constant ones included."""
        return len(self.active)

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

    def all_columns(self, values):
        """Return values of the active columns with zeros for the constant ones."""
        full = np.zeros((*values.shape[:-1], self.n_columns))
        full[..., self.active] = values
        return full

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
    """Tell of each column whether it holds more than one value, up to rounding.

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


def warn_if_narrow(X, eps, stacklevel):
    """Warn if data that are not standardised have next to no spread."""
    if np.sqrt(mean_variance(X)) < NARROW * eps:
        warnings.warn(
            f"the columns have a standard deviation below {NARROW}·eps (eps={eps:g}, in the units "
            "of the data as standardize=False): all rows may count as one point",
            UserWarning,
            stacklevel=stacklevel,
        )
