"""The rows that a search looks at where rows have masses: drawn by mass, each counts once."""

import numpy as np

from pywbms._data.masses import drawn_by_mass, whole_masses
from pywbms._data.ordering import row_order
from pywbms._data.standardize import Standardizer, is_robust


def drawn_rows(rows, settings, mass, most, rng):
    """Return at most so many rows without outliers, in an order of their own, each of mass one.

    They are drawn in proportion to the masses: whole masses give repeated rows, and a random sample
    of these if there are more than `most`.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
    settings : Settings
        Of these columns.
    mass : ndarray of shape (n,)
    most : int
    rng : numpy.random.Generator
    """
    rows, mass = counted_rows(rows, settings, mass)
    return rows[drawn_by_mass(mass, most, rng)] if rows.size else rows


def rows_of_whole_mass(rows, settings, mass):
    """Return the rows without outliers, in an order of their own, and whole masses of them."""
    rows, mass = counted_rows(rows, settings, mass)
    mass = whole_masses(mass)
    return rows[mass > 0], mass[mass > 0]


def counted_rows(rows, settings, mass):
    """Return the rows that are no outliers, in an order of their own, and their masses."""
    if is_robust(settings.standardize) and rows.size:
        standardizer = Standardizer.of(
            rows, settings.standardize, mass=mass, indicators=settings.indicators
        )
        inside = ~standardizer.outliers(rows)
        rows, mass = rows[inside], mass[inside]
    order = row_order(rows, mass) if rows.size else np.arange(len(rows))
    return rows[order], mass[order]
