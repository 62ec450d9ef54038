"""Checks of what users hand in. Every message names the column or the argument."""

from numbers import Integral, Real

import numpy as np
import pandas as pd

from pywbms._data.levels import flat
from pywbms._terminal.wording import quoted

# Squares of larger values, summed over the features, leave the range of double precision.
LARGEST_UNSCALED = 1e150
SMALLEST_SQUARABLE = 1e-150


def not_numeric(frame, unusable):
    """Return the error for columns that are not numeric."""
    kinds = quoted(dict.fromkeys(str(frame[name].dtype) for name in unusable))
    return ValueError(
        f"columns that are not numeric: {quoted(unusable)} (dtype {kinds}); "
        "convert them to numbers, or let wbms() make indicators of texts and categories "
        "(categories='indicators') or leave such columns out (numeric_only=True)"
    )


def is_numeric(column):
    """Tell whether a Series holds real numbers (integers, floats, booleans, of any backend)."""
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return not pd.api.types.is_complex_dtype(column) and not isinstance(
            column.dtype, pd.CategoricalDtype
        )
    if column.dtype != object:
        return False
    kind = pd.api.types.infer_dtype(column, skipna=True)
    return kind in {"integer", "floating", "mixed-integer-float", "boolean", "decimal"}


def require_finite(matrix, names, kept=None):
    """Raise a ValueError that names the columns with NaN or infinite values, if there are any.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
    names : sequence of length p
    kept : ndarray of shape (n,), bool, optional
        The rows that matter; all by default.
    """
    finite = np.isfinite(matrix).all(axis=1)
    if finite.all() or (kept is not None and finite[kept].all()):
        return
    for what, bad in (("NaN", np.isnan(matrix)), ("infinite values", np.isinf(matrix))):
        if kept is not None:
            bad[~kept] = False
        columns = np.flatnonzero(bad.any(axis=0))
        if len(columns):
            rows = np.flatnonzero(bad.any(axis=1))
            raise not_finite(what, [names[c] for c in columns], rows[0], len(rows))


def not_finite(what, names, first_row, n_rows):
    """Return the ValueError for columns with NaN or infinite values.

    Examples
    --------
    >>> not_finite("NaN", ["a"], 3, 2).args[0][:63]
    "NaN in column 'a' (first in row 3, 2 rows in all, counted from "
    """
    return ValueError(
        f"{what} in column {quoted(names)} "
        f"(first in row {first_row}, {n_rows} row{'s' * (n_rows > 1)} in all, counted from 0); "
        "leave these rows out or fill them in (na_action='omit' or 'impute' in wbms())"
    )


def require_squarable(matrix, names):
    """Raise a ValueError that names the columns whose squares would overflow."""
    columns = np.flatnonzero(np.abs(matrix).max(axis=0) > LARGEST_UNSCALED)
    if len(columns):
        raise ValueError(
            f"column {quoted(names[c] for c in columns)} has values beyond {LARGEST_UNSCALED:g}, "
            "too large to be squared; use standardize=True"
        )


def require_indicators(groups, matrix):
    """Raise a ValueError for indicators that are not columns of zeros and ones."""
    positions = sorted(flat(groups))
    if positions and positions[-1] >= matrix.shape[1]:
        raise ValueError(
            f"indicators has column {positions[-1]}, counted from 0, "
            f"but the data have {matrix.shape[1]} columns"
        )
    wrong = [c for c in positions if not np.isin(matrix[:, c], (0.0, 1.0)).all()]
    if wrong:
        raise ValueError(
            f"indicators has columns with values other than 0 and 1: {quoted(wrong)}, "
            "counted from 0"
        )


def require_one_of(name, value, choices):
    """Raise a ValueError that names an argument which is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {quoted(choices)}, got {value!r}")


def require_boolean(name, value):
    """Raise a ValueError that names an argument which is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def require_callable(name, value):
    """Raise a ValueError that names an argument which is neither a function nor None."""
    if value is not None and not callable(value):
        raise ValueError(f"{name} must be a function or None, got {value!r}")


def require_positive(name, value):
    """Return a positive, finite number as a float, or raise a ValueError that names it."""
    if not positive(value):
        raise ValueError(f"{name} must be a positive finite number, got {value!r}")
    return float(value)


def require_integer(name, value, least):
    """Return an integer of at least `least`, or raise a ValueError that names it."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def generator(random_state):
    """Return a source of random numbers, or raise a ValueError that names the argument."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "random_state must be an integer of at least 0, a Generator or None, "
            f"got {random_state!r}"
        ) from error


def positive(value):
    """Tell whether a value is a positive, finite real number."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < value < np.inf
