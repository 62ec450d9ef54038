"""Checks of what users hand in. Every message names the column or the argument."""

from numbers import Integral, Real

import numpy as np
import pandas as pd

from pywbms._data.wording import quoted

STOP_RULES = ("settled", "movement", "diameter", "fixed")
LAM_SCALES = ("mean", "sum")

# Squares of larger values, summed over the features, leave the range of double precision.
LARGEST_UNSCALED = 1e150
SMALLEST_SQUARABLE = 1e-150


def numeric_frame(frame):
    """Return a float64 copy of a DataFrame; missing values become NaN.

    Raises
    ------
    ValueError
        If there are no rows or columns, if two columns share a name, or if a column is not
        numeric.

    Examples
    --------
    >>> numeric_frame(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}))["a"].tolist()
    [1.0, nan]
    """
    if frame.shape[1] == 0:
        raise ValueError("the data have no columns (0 feature(s))")
    if len(frame) == 0:
        raise ValueError("the data have no rows (0 sample(s))")
    repeated = frame.columns[frame.columns.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"duplicate column names: {quoted(repeated)}")
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        # In one piece: thousands of columns one by one take longer than many a fit.
        matrix = np.array(frame.to_numpy(dtype=np.float64), order="C")
        return pd.DataFrame(matrix, index=frame.index, columns=frame.columns, copy=False)
    unusable = [name for name, column in frame.items() if not is_numeric(column)]
    if unusable:
        raise not_numeric(frame, unusable)
    matrix = np.empty(frame.shape)
    for position, (name, column) in enumerate(frame.items()):
        try:
            matrix[:, position] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError as error:
            raise ValueError(f"column {name!r} has numbers beyond the range of floats") from error
    return pd.DataFrame(matrix, index=frame.index, columns=frame.columns, copy=False)


def not_numeric(frame, unusable):
    """Return the error for columns that are not numeric."""
    kinds = quoted(dict.fromkeys(str(frame[name].dtype) for name in unusable))
    return ValueError(
        f"columns that are not numeric: {quoted(unusable)} (dtype {kinds}); "
        "encode them or choose other columns"
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


def require_finite(matrix, names):
    """Raise a ValueError that names the columns with NaN or infinite values, if there are any."""
    if np.isfinite(matrix).all():
        return
    for what, bad in (("NaN", np.isnan(matrix)), ("infinite values", np.isinf(matrix))):
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
        "leave these rows out or fill them in"
    )


def require_squarable(matrix, names):
    """Raise a ValueError that names the columns whose squares overflow when not standardised."""
    columns = np.flatnonzero(np.abs(matrix).max(axis=0) > LARGEST_UNSCALED)
    if len(columns):
        raise ValueError(
            f"column {quoted(names[c] for c in columns)} has values beyond {LARGEST_UNSCALED:g}, "
            "too large to be squared; use standardize=True"
        )


def check_parameters(model):
    """Raise a ValueError that names the first parameter of a WBMS that makes no sense."""
    for name in ("h", "lam"):
        value = getattr(model, name)
        if not (isinstance(value, str) and value == "auto") and not positive(value):
            raise ValueError(f"{name} must be a positive finite number or 'auto', got {value!r}")
    for name in ("tol", "eps"):
        value = getattr(model, name)
        if not positive(value) or value < SMALLEST_SQUARABLE:
            raise ValueError(
                f"{name} must be a finite number of at least {SMALLEST_SQUARABLE}, got {value!r}"
            )
    for name, least in (("warmup", 0), ("patience", 1), ("max_iter", 1)):
        require_integer(name, getattr(model, name), least)
    for name, choices in (("stop", STOP_RULES), ("lam_scale", LAM_SCALES)):
        value = getattr(model, name)
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"{name} must be one of {quoted(choices)}, got {value!r}")
    for name in ("exclude_self", "standardize", "merge", "record_path", "tree"):
        value = getattr(model, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, got {value!r}")
    if model.callback is not None and not callable(model.callback):
        raise ValueError(f"callback must be a function or None, got {model.callback!r}")


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
