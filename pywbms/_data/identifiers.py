"""Columns that number the rows instead of measuring something."""

import re

import numpy as np

from pywbms._data.notes import note
from pywbms._terminal.wording import quoted

# In fewer rows, numbers may be all different by chance.
LEAST_ROWS = 20
# Different whole numbers that fill this share of their range have no gaps to speak of.
FILLED = 0.8
# What identifiers are called.
CALLED = re.compile(r"(^|[^a-z])(id|ids|idx|index|key|nr|uid|uuid|unnamed: 0)$", re.IGNORECASE)
CAMEL_CASE = re.compile(r"[a-z](Id|ID)$")


def identifier_columns(matrix, names, indicators=()):
    """Return the names of columns that look like identifiers.

    These are whole numbers, all different, that are sorted with the rows, or have hardly any gaps
    (row numbers in any order), or are in a column that is called id, index, key, …; and categories
    with as many levels as there are rows. Floats are never identifiers, nor are measurements that
    are sorted but have ties.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
    names : sequence of length p
    indicators : tuple of tuple of int
        Columns that indicate the levels of categories, by category.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> columns = rng.permutation(50), rng.normal(size=50), rng.integers(9, size=50)
    >>> identifier_columns(np.stack(columns, axis=1), ["number", "x", "count"])
    ['number']
    """
    n, p = matrix.shape
    if n < LEAST_ROWS or p < 2:
        return []
    # Most columns are ruled out by their first rows.
    some = matrix[:LEAST_ROWS]
    candidates = np.flatnonzero((some == np.floor(some)).all(axis=0))
    found = [names[c] for c in candidates if numbers_rows(matrix[:, c], names[c])]
    return found + [category_of(names[group[0]]) for group in indicators if len(group) == n]


def numbers_rows(values, name):
    """Tell whether a column looks like an identifier; see `identifier_columns`."""
    if not (values == np.floor(values)).all():
        return False
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():
        return True
    ordered = np.sort(values)
    if (np.diff(ordered) == 0).any():
        return False
    text = str(name)
    if CALLED.search(text) or CAMEL_CASE.search(text):
        return True
    return len(values) >= FILLED * (ordered[-1] - ordered[0] + 1)


def category_of(name):
    """Return the name of a category, given that of an indicator.

    Examples
    --------
    >>> category_of("name=Ann"), category_of(("a", "name=Ann"))
    ('name', ('a', 'name'))
    """
    if isinstance(name, tuple):
        return (*name[:-1], category_of(name[-1]))
    return str(name).partition("=")[0]


def warn_of_identifiers(matrix, names, indicators=()):
    """Warn of columns that look like identifiers, by name."""
    found = identifier_columns(matrix, names, indicators)
    if found:
        note(
            f"column {quoted(found)} looks like an identifier (all values differ), but is used as "
            "a feature; if it tells the rows apart and nothing else, leave it out"
        )
