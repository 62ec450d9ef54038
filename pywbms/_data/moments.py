"""Means and standard deviations of columns of any magnitude, and which of their values are far."""

from typing import NamedTuple

import numpy as np

from pywbms._data.masses import degrees_of_freedom, total_mass
from pywbms._data.repeats import probe
from pywbms._data.squash import FARTHEST, USUAL, Bounds, bounds_of

# Numbers converted at a time.
NUMBERS_AT_A_TIME = 2**20


class Moments(NamedTuple):
    """Unit, mean and standard deviation of columns, their largest z-scores, and their probes."""

    exponent: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    largest: np.ndarray | None = None
    probes: np.ndarray | None = None

    @classmethod
    def of(cls, rows, active, standardize, probed=False, mass=None):
        """Return the moments of some rows; without standardizing, the unit and sd are 1."""
        # A power of two per column brings any magnitude near 1 without a rounding error, so that
        # no square can overflow or vanish.
        exponent = np.where(standardize, np.frexp(np.abs(rows).max(axis=0))[1], 0)
        values = np.ldexp(rows, -exponent)
        mean = values.mean(axis=0) if mass is None else sums(values, mass) / mass.sum()
        sd = np.ones(rows.shape[1])
        if not standardize or len(rows) == 1:
            return cls(exponent, mean, sd)
        np.subtract(values, mean, out=values)
        largest = probes = None
        if probed:
            largest = np.maximum(values.max(axis=0), -values.min(axis=0))
            probes = probe(values, mass)
        np.square(values, out=values)
        total = values.sum(axis=0) if mass is None else sums(values, mass)
        sd = np.sqrt(total / (len(rows) - 1 if mass is None else degrees_of_freedom(mass)))
        sd[~active] = 1.0
        if probed:
            largest, probes = largest / sd, probes / sd
        return cls(exponent, mean, sd, largest, probes)

    def set_indicators(self, columns, rows, mass=None):
        """Set the moments of columns that indicate levels: no unit of their own, and sd √2.

        Two rows of different levels differ by 1/√2 in two of them, and so by 1 in all.
        """
        values = rows[:, columns]
        self.exponent[columns] = 0
        mean = values.mean(axis=0) if mass is None else sums(values, mass) / mass.sum()
        self.mean[columns] = mean
        self.sd[columns] = np.sqrt(2.0)

    def set(self, columns, values, bounds, mass=None):
        """Replace the moments of some columns by those of the values within their bounds."""
        near = ~bounds.far(values)
        inside = np.clip(values, bounds.low, bounds.high)  # no square may overflow
        if mass is None:
            self.mean[columns] = inside.mean(axis=0, where=near)
            self.sd[columns] = inside.std(axis=0, ddof=1, where=near)
        else:
            near_mass = np.where(near, mass[:, None], 0.0)
            total = near_mass.sum(axis=0)
            mean = (near_mass * inside).sum(axis=0) / total
            variance = (near_mass * (inside - mean) ** 2).sum(axis=0) / (total - 1)
            self.mean[columns], self.sd[columns] = mean, np.sqrt(variance)
        scores = (bounds.squash(values) - self.mean[columns]) / self.sd[columns]
        self.probes[:, columns] = probe(scores, mass)


def sums(values, mass):
    """Return the sum of each column, its values times their masses."""
    return np.einsum("n,np->p", mass, values)


def near_one(rows, exponent):
    """Return rows · 2^−exponent, kept from overflowing."""
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(rows, -exponent), -FARTHEST, FARTHEST)


def far_bounds(rows, active, moments, mass=None):
    """Return the bounds of each column, infinite where no value is far, and the units they have."""
    n, p = total_mass(rows, mass), rows.shape[1]
    bounds = Bounds(np.full(p, -np.inf), np.full(p, np.inf), np.ones(p))
    exponent = moments.exponent.copy()
    # With few rows no z-score can be large.
    usual = min(USUAL, 0.9 * (n - 1) / np.sqrt(n))
    for some in blocks(active & (moments.largest > usual), len(rows)):
        found, s = bounds_of(np.ldexp(rows[:, some], -exponent[some]), mass)
        # The new unit is near s: a far value does not make the others vanish.
        unit = np.where(found.squashing, np.frexp(s)[1], 0)
        exponent[some] += unit
        for values, new in zip(bounds, found, strict=True):
            values[some] = np.ldexp(new, -unit)
    return bounds, exponent


def far_cells(rows, exponent, bounds, weights=None):
    """Return the number of far values in each row, or the weight of their columns."""
    weights = np.ones(len(exponent)) if weights is None else weights
    total = np.zeros(len(rows))
    for some in blocks(bounds.squashing, len(rows)):
        far = bounds.only(some).far(near_one(rows[:, some], exponent[some]))
        total += (far * weights[some]).sum(axis=1)
    return total


def blocks(columns, n):
    """Yield the chosen columns, as many at a time as may be converted at once."""
    chosen = np.flatnonzero(columns)
    step = max(1, NUMBERS_AT_A_TIME // n)
    for start in range(0, len(chosen), step):
        yield chosen[start : start + step]
