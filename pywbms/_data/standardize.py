"""The change between the caller's units and the working coordinates of a fit."""

import copy
import warnings

import numpy as np

from pywbms._data.donors import (
    donor_distances,
    leaders,
    mostly_far,
    nearest_donors,
    take_from_donors,
)
from pywbms._data.levels import flat
from pywbms._data.masses import total_mass
from pywbms._data.moments import (
    NUMBERS_AT_A_TIME,
    Moments,
    blocks,
    far_bounds,
    far_cells,
    near_one,
    sums,
)
from pywbms._data.repeats import repeated_columns
from pywbms._data.squash import LEAST_ROWS, Bounds

ROBUST = "robust"

# Values that differ by less, relative to the largest in their column, are the same number, rounded
# differently.
ROUNDING = 4 * np.finfo(float).eps

# Data whose spread is below so many eps may collapse at once.
NARROW = 100


class Standardizer:
    """The change to working coordinates: centred, divided by the standard deviation if asked for.

    Columns that hold one value carry no information: the working coordinates do not have them,
    and they come back as that value. If the standardizer is robust, far values are squashed first
    (`pywbms._data.squash`), outlying rows do not count in means and standard deviations, and a
    column that repeats another one, up to its unit, is represented by the first of them.

    Parameters
    ----------
    active : ndarray of shape (p,), bool
        Columns that are not constant, and do not repeat others.
    constant : ndarray of shape (p,)
        The value of a constant column.
    exponent, mean, sd : ndarray of shape (p,)
        A working coordinate is (S(x · 2^−exponent) − mean) / sd, with S the squash.
    bounds : Bounds, optional
        Of the squash of each column; infinite where nothing is squashed.
    probes : ndarray of shape (N_PROBES, p), optional
        By which repeated columns are known.
    n_varying : int, optional
        Number of columns, indicators aside, that are not constant if outlying rows count.
    """

    def __init__(self, active, constant, exponent, mean, sd, bounds=None, probes=None, n_varying=0):
        self._varies = active
        self._constant = constant
        self._exponent = exponent
        self._mean = mean
        self._sd = sd
        self._bounds = bounds
        self._probes = probes
        self._n_varying = n_varying
        self.first, self._sign = np.arange(len(active)), np.ones(len(active))
        if probes is not None:
            self._set_repeats()

    def _set_repeats(self):
        columns = np.flatnonzero(self._varies)
        first, sign = repeated_columns(self._probes[:, columns])
        self.first[columns], self._sign[columns] = columns[first], sign

    @classmethod
    def of(cls, rows, standardize, outliers=None, mass=None, indicators=()):
        """Return the working coordinates of some data.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            Finite float64 data, in the caller's units.
        standardize : bool or "robust"
            Divide each column by its standard deviation (ddof = 1).
        outliers : ndarray of shape (n,), bool, optional
            If the standardizer is robust: rows that do not count; by default these columns tell.
        mass : ndarray of shape (n,), optional
            How many rows each one stands for; one by default.
        indicators : tuple of tuple of int
            Columns of zeros and ones that tell levels of categories apart, by category. Whatever
            `standardize`, they are divided by √2, and none of their values is far.
        """
        robust = is_robust(standardize) and total_mass(rows, mass) >= LEAST_ROWS
        robust = robust and len(rows) > 1  # one row may stand for many
        active, indicators = varying_columns(rows), flat(indicators)
        moments = Moments.of(rows, active, bool(standardize), robust, mass)
        moments.set_indicators(indicators, rows, mass)
        if not robust:
            return cls(active, rows[0].copy(), *moments[:3])
        measured = active.copy()
        measured[indicators] = False
        n_varying = int(measured.sum())
        bounds, exponent = far_bounds(rows, measured, moments, mass)
        squashed = bounds.squashing
        if outliers is None:
            outliers = mostly_far(far_cells(rows, exponent, bounds), n_varying)
        if outliers.any():
            rows, mass = rows[~outliers], None if mass is None else mass[~outliers]
            active = varying_columns(rows)
            moments = Moments.of(rows, active, True, True, mass)
            moments.set_indicators(indicators, rows, mass)
        moments.exponent[squashed] = exponent[squashed]
        for some in blocks(squashed & active, len(rows)):
            moments.set(some, near_one(rows[:, some], exponent[some]), bounds.only(some), mass)
        return cls(active, rows[0].copy(), *moments[:3], bounds, moments.probes, n_varying)

    @classmethod
    def side_by_side(cls, parts):
        """Return the standardizer of columns side by side, given those of some columns each."""
        names = ("_varies", "_constant", "_exponent", "_mean", "_sd")
        fields = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
        if any(part._bounds is None for part in parts):
            return cls(*fields)
        bounds = Bounds(*map(np.concatenate, zip(*(part._bounds for part in parts), strict=True)))
        probes = np.concatenate([part._probes for part in parts], axis=1)
        return cls(*fields, bounds, probes, sum(part._n_varying for part in parts))

    @property
    def n_columns(self):
        """Number of columns, constant ones included."""
        return len(self._varies)

    @property
    def active(self):
        """The columns that the working coordinates have."""
        return self._varies & ~self.repeats

    @property
    def repeats(self):
        """The columns that repeat an earlier one: `first` tells which."""
        return self.first != np.arange(self.n_columns)

    @property
    def scale(self):
        """What one working unit is in the caller's units; 1 for columns that hold one value."""
        return np.where(self._varies, np.ldexp(self._sd, self._exponent), 1.0)

    def forward(self, rows):
        """Return rows in working coordinates, active columns only, C-contiguous."""
        active = self.active
        values = np.ldexp(rows[:, active], -self._exponent[active])
        if self._bounds is not None:
            place = np.cumsum(active) - 1
            for some in blocks(self._bounds.squashing & active, len(rows)):
                unsquashed = near_one(rows[:, some], self._exponent[some])
                values[:, place[some]] = self._bounds.only(some).squash(unsquashed)
        values -= self._mean[active]
        values /= self._sd[active]
        return np.ascontiguousarray(values)

    def far_cells(self, rows, weights=None):
        """Return the number of far values in each row, or the weight of their columns."""
        if self._bounds is None:
            return np.zeros(len(rows))
        return far_cells(rows, self._exponent, self._bounds, weights)

    def outliers(self, rows, weights=None):
        """Tell of each row whether its values are far in most columns.

        With weights, also whether they are far in columns that have most of the weight.
        """
        found = mostly_far(self.far_cells(rows), self._n_varying)
        return found if weights is None else found | mostly_far(self.far_cells(rows, weights), 1)

    def working(self, rows, mass=None):
        """Return rows as a fit starts with them: in working coordinates, no value far."""
        return self.start(rows, mass)[0]

    def start(self, rows, mass=None):
        """Return the working coordinates with which a fit starts, and whom each row follows.

        Far values are replaced by those of the nearest row along the other columns. An outlier
        follows its nearest row: it is where that one is, and counts for nothing.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
        mass : ndarray of shape (n,), optional
            How many rows each one stands for; one by default.

        Returns
        -------
        points : ndarray of shape (n, q)
        leader : ndarray of shape (n,), int, or None
            The row that each one follows, itself unless it is an outlier; None if none is.
        """
        points, count = self.forward(rows), self.far_cells(rows)
        outliers = mostly_far(count, self._n_varying)
        some = np.flatnonzero(count)
        if some.size and not outliers.all():
            replaced = self.replaced(rows[some], outliers[some])
            donors = nearest_donors(
                donor_distances(points, some, replaced, outliers[some]), some, outliers, mass
            )
            take_from_donors(points, some, replaced, donors)
            if outliers.any():
                leader = leaders(some, donors, outliers)
                points[outliers] = points[leader[outliers]]
                return points, leader
        return points, None

    def replaced(self, rows, outliers):
        """Tell which working coordinates of rows are replaced: the far ones, of outliers all."""
        active = self.active
        far = self._bounds.only(active).far(near_one(rows[:, active], self._exponent[active]))
        return far | outliers[:, None]

    def split(self, widths):
        """Return the standardizers of consecutive columns; none has columns that repeat others'."""
        parts, end = [], 0
        for width in widths:
            some, end = slice(end, end + width), end + width
            part = copy.copy(self)
            for name in ("_constant", "_exponent", "_mean", "_sd"):
                setattr(part, name, getattr(self, name)[some])
            part._varies = self.active[some]
            part._bounds = None if self._bounds is None else self._bounds.only(some)
            part._probes = None
            part.first, part._sign = np.arange(width), np.ones(width)
            parts.append(part)
        return parts

    def all_columns(self, points):
        """Return points with all columns, given their active ones; zeros for constant columns."""
        full = np.zeros((*points.shape[:-1], self.n_columns))
        full[..., self.active] = points
        if self.repeats.any():
            full = full[..., self.first] * self._sign
        return full

    def all_weights(self, weights):
        """Return the weights of all columns: repeated ones share one, constant ones have none."""
        full = np.zeros(self.n_columns)
        full[self.active] = weights
        if self.repeats.any():
            full = (full / np.bincount(self.first, minlength=self.n_columns).clip(1))[self.first]
        return full

    def active_weights(self, weights):
        """Return the weights of the active columns: what the columns they stand for have in sum."""
        if self.repeats.any():
            weights = np.bincount(self.first, weights, minlength=self.n_columns)
        return np.asarray(weights)[self.active]

    def backward(self, points, index=None):
        """Return points in the caller's units, all columns; with an index, those points only."""
        n = len(points) if index is None else len(index)
        varies = self._varies
        rows = np.tile(self._constant, (n, *points.shape[1:-1], 1))
        # Some rows at a time: none of the intermediate results is as large as the data.
        step = max(1, NUMBERS_AT_A_TIME // max(1, points.shape[-1]))
        for start in range(0, n, step):
            some = slice(start, start + step)
            values = points[some if index is None else index[some]]
            if self.repeats.any():
                values = self.all_columns(values)[..., varies]
            values = values * self._sd[varies]
            values += self._mean[varies]
            if self._bounds is not None:
                squashed = self._bounds.squashing[varies]
                if squashed.any():
                    bounds = self._bounds.only(np.flatnonzero(varies)[squashed])
                    values[..., squashed] = bounds.stretch(values[..., squashed])
            rows[some, ..., varies] = np.ldexp(values, self._exponent[varies])
        return rows


def is_robust(standardize):
    """Tell whether a value of the parameter asks for robust standardizing."""
    return isinstance(standardize, str) and standardize == ROBUST


def varying_columns(rows):
    """Tell of each column whether it holds more than one value, up to rounding.

    Examples
    --------
    >>> varying_columns(np.array([[1.0, 0.3, 5.0], [2.0, 0.1 + 0.2, 5.0]])).tolist()
    [True, False, False]
    """
    exponent = np.frexp(np.abs(rows).max(axis=0))[1]
    return np.ptp(np.ldexp(rows, -exponent), axis=0) > ROUNDING


def working_columns(rows, standardize, mass=None, indicators=()):
    """Tell of each column whether it is among the working coordinates.

    Examples
    --------
    >>> x = np.arange(12.0)
    >>> rows = np.stack([x, 0 * x, x**2, 1.8 * x + 32], axis=1)
    >>> working_columns(rows, True).tolist(), working_columns(rows, "robust").tolist()
    ([True, False, True, True], [True, False, True, False])
    """
    if not is_robust(standardize):
        return varying_columns(rows)
    if not len(rows):
        return varying_columns(rows)
    return Standardizer.of(rows, standardize, mass=mass, indicators=indicators).active


def without_outliers(rows, standardize, indicators=()):
    """Return the rows that are no outliers; all of them unless standardizing is robust."""
    if not is_robust(standardize) or not rows.size:
        return rows
    outliers = Standardizer.of(rows, standardize, indicators=indicators).outliers(rows)
    return rows[~outliers] if outliers.any() else rows


def mean_variance(X, mass=None):
    """Return the mean variance of the columns that vary, or 1 if none does.

    It is the same to the bit for any order of the rows; with masses, if these are in an order that
    depends on the values of the rows alone.
    """
    varying = varying_columns(X)
    if mass is not None and varying.any():
        X, share = X[:, varying], mass / mass.sum()
        return float(sums((X - sums(X, share)) ** 2, share).mean())
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
