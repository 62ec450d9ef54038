"""Masses: what weights of rows are to a fit, and rows drawn in proportion to them.

A weight is a number of rows. Whole weights of a modest total *are* repeated rows: these are made,
so that nothing differs from a table that holds them, to the bit. All other weights go through
formulas with masses, which agree with repeated rows to rounding.
"""

from dataclasses import dataclass

import numpy as np

# Positive weights are at least this share of the largest: less has no effect in double precision.
SMALLEST_SHARE = 1e-15
# Whole weights become repeated rows if these hold at most so many numbers (64 MB); where equal rows
# are not merged, which costs the square of their number, at most so many rows.
MOST_REPEATED, MOST_UNMERGED = 2**23, 2**12
# Of more rows a random sample is drawn without listing them all.
MOST_LISTED = 2**24


def masses(weights):
    """Return the masses of rows with positive weights: how many rows each one stands for.

    Weights w with Σw² < Σw are not numbers of rows, but shares: they are divided by Σw² / Σw, so
    that they sum up to Kish's effective number of rows, (Σw)² / Σw².

    Examples
    --------
    >>> masses(np.array([1.0, 2.0, 0.5])).tolist()
    [1.0, 2.0, 0.5]
    >>> masses(np.array([0.25, 0.75])).round(2).tolist()
    [0.4, 1.2]
    """
    heaviest = weights.max()
    if weights.min() == heaviest <= 1:
        return np.ones(len(weights))
    shares = weights / heaviest
    ordered = np.sort(shares)  # sums are the same for any order of the rows
    mean = (ordered**2).sum() / ordered.sum()
    mass = shares / mean if mean * heaviest < 1 else weights
    return np.maximum(mass, SMALLEST_SHARE * mass.max())


def masses_of_rows(weights):
    """Return the masses of rows, 0 for rows of weight 0; None if there are no weights.

    Examples
    --------
    >>> masses_of_rows(np.array([2.0, 0.0, 1.5])).tolist()
    [2.0, 0.0, 1.5]
    """
    if weights is None:
        return None
    mass = np.zeros(len(weights))
    mass[weights > 0] = masses(weights[weights > 0])
    return mass


def rows_stood_for(weights, n):
    """Return how many rows n rows stand for, given their weights or None.

    Examples
    --------
    >>> rows_stood_for(np.array([2.0, 1.5, 0.0]), 3), rows_stood_for(None, 3)
    (3.5, 3)
    """
    return n if weights is None else float(masses(weights[weights > 0]).sum())


def are_whole(mass):
    """Tell whether all masses are whole numbers."""
    return bool((mass == np.floor(mass)).all())


@dataclass(frozen=True)
class WeightedRows:
    """The rows to fit, of rows that have weights.

    Attributes
    ----------
    rows : ndarray of shape (m, p)
        Rows of positive weight; whole weights of a modest total are repeated rows here.
    mass : ndarray of shape (m,) or None
        How many rows each one stands for; None: one.
    row_of : ndarray of shape (m,)
        The caller's row that each one is.
    n : int
        Number of the caller's rows.
    """

    rows: np.ndarray
    mass: np.ndarray | None
    row_of: np.ndarray
    n: int

    @classmethod
    def of(cls, X, weights, merge=True):
        """Return the rows to fit.

        Parameters
        ----------
        X : ndarray of shape (n, p)
        weights : ndarray of shape (n,)
            At least 0, not all 0.
        merge : bool
            Whether a fit merges equal rows.

        Examples
        --------
        >>> X, whole, real = np.array([[1.0], [2.0]]), np.array([2.0, 1.0]), np.array([2.5, 1.0])
        >>> WeightedRows.of(X, whole).rows.ravel().tolist()
        [1.0, 1.0, 2.0]
        >>> WeightedRows.of(X, real).mass.tolist()
        [2.5, 1.0]
        """
        row_of = np.flatnonzero(weights > 0)
        mass = masses(weights[row_of])
        total, p = mass.sum(), X.shape[1]
        modest = total * p <= MOST_REPEATED and (merge or total <= MOST_UNMERGED)
        if are_whole(mass) and (modest or mass.max() == 1):
            row_of, mass = np.repeat(row_of, mass.astype(np.intp)), None
        every = len(row_of) == len(X) and (row_of == np.arange(len(X))).all()
        return cls(X if every else X[row_of], mass, row_of, len(X))

    @property
    def are_all(self):
        """Whether each of the caller's rows is fitted, once."""
        return len(self.row_of) == self.n and self.rows_are_distinct

    @property
    def rows_are_distinct(self):
        """Whether no row is repeated."""
        return self.mass is not None or bool((np.diff(self.row_of) > 0).all())

    @property
    def places(self):
        """Where each of the caller's rows is among those to fit, −1 for rows of weight 0."""
        places = np.full(self.n, -1)
        backwards = np.arange(len(self.row_of))[::-1]
        places[self.row_of[backwards]] = backwards  # the first of repeated rows is written last
        return places


def total_mass(rows, mass):
    """Return how many rows some rows stand for: as many as there are unless they have masses."""
    return len(rows) if mass is None else float(mass.sum())


def degrees_of_freedom(mass):
    """Return how many rows some masses stand for, less one; positive where one has all the mass.

    Examples
    --------
    >>> degrees_of_freedom(np.array([2.0, 3.0])), degrees_of_freedom(np.array([1.0])) > 0
    (4.0, True)
    """
    total = float(mass.sum())
    return max(total - 1, SMALLEST_SHARE * total)


def drawn_by_mass(mass, most, rng):
    """Return the indices of rows, in order, drawn in proportion to their masses.

    As many as the masses sum up to, at most `most`. Rows of whole masses are first repeated so many
    times; a mass of 2.5 makes two or three, such that the total of the rows up to it is right.

    Parameters
    ----------
    mass : ndarray of shape (n,)
        In an order of the rows that depends on their values alone.
    most : int
    rng : numpy.random.Generator

    Examples
    --------
    >>> drawn_by_mass(np.array([2.0, 0.5, 0.5]), 10, np.random.default_rng(0)).tolist()
    [0, 0, 1]
    """
    ends = np.cumsum(mass)
    if ends[-1] > 2.0**53:
        ends *= 2.0**53 / ends[-1]
    ends = np.floor(ends + 0.5).astype(np.int64)
    total = int(ends[-1])
    if total <= most:
        return np.repeat(np.arange(len(mass)), np.diff(ends, prepend=0))
    if total <= MOST_LISTED:
        drawn = rng.permutation(total)[:most]  # as of so many rows without weights
    else:
        drawn = rng.choice(total, most, replace=False)
    return np.searchsorted(ends, np.sort(drawn), side="right")


def whole_masses(mass):
    """Return whole numbers near masses whose running totals are right to one half.

    Examples
    --------
    >>> whole_masses(np.array([2.5, 2.5, 0.2, 3.0])).tolist()
    [3.0, 2.0, 0.0, 3.0]
    """
    return np.diff(np.floor(np.cumsum(mass) + 0.5), prepend=0.0)
