"""Weights of rows as they are handed in: their checks, and where they are found."""

from dataclasses import replace

import numpy as np
import pandas as pd

from pywbms._data.checks import is_numeric
from pywbms._data.table import Table, as_array, as_frame

# Larger ones are no number of rows, and their sums would not be exact.
LARGEST = 1e15


def checked_weights(weights, n, name="sample_weight"):
    """Return the weights of n rows as an array of its own; None stays None.

    Raises
    ------
    ValueError
        If there are not n finite numbers of at least 0, at least one of them positive; the message
        names the argument.

    Examples
    --------
    >>> checked_weights([1, 0, 2.5], 3).tolist()
    [1.0, 0.0, 2.5]
    >>> checked_weights([1, -1], 2, "weights")
    Traceback (most recent call last):
    ValueError: weights must be finite numbers >= 0, but row 1 has -1 (counted from 0)
    """
    if weights is None:
        return None
    values = as_numbers(weights, n, name)
    require_weights(values, name)
    return values


def as_numbers(weights, n, name):
    """Return the weights of n rows as an array of its own; missing ones become NaN."""
    if not isinstance(weights, pd.Series):
        weights = as_array(weights)
    if weights.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {weights.ndim} dimensions")
    column = pd.Series(weights)
    if len(column) != n:
        raise ValueError(f"{name} must hold one number per row: got {len(column)} for {n} rows")
    if not is_numeric(column):
        raise ValueError(f"{name} must be numeric, got dtype {column.dtype}")
    return np.array(column.to_numpy(dtype=float, na_value=np.nan))


def require_weights(values, name):
    """Raise a ValueError that names the argument unless numbers can be weights."""
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        shown = "NaN" if np.isnan(values[bad[0]]) else f"{values[bad[0]]:g}"
        raise ValueError(
            f"{name} must be finite numbers >= 0, but row {bad[0]} has {shown} (counted from 0)"
        )
    if not values.any():
        raise ValueError(f"{name} must not be zero for all rows")
    if values.max() > LARGEST:
        raise ValueError(f"{name} must be at most {LARGEST:g}, got {values.max():g}")


def require_no_weights(name, weights):
    """Raise a ValueError that names an argument for weights where there can be none."""
    if weights is not None:
        raise ValueError(
            f"{name}: rows cannot have weights on Dask, nor in its checkpoints; use wbms or WBMS "
            "on data of this process (data.compute()), or repeat rows if the weights are whole"
        )


def weights_of_table(weights, data, columns=None):
    """Return the weights of the rows of a table, and the columns that are features.

    Parameters
    ----------
    weights : name of a column, Series or array-like of shape (n,), or None
        A Series must have the index of the data.
    data : DataFrame or array-like of shape (n, p)
    columns : name or list of names, optional
        The features; by default all columns but the one that holds the weights.

    Returns
    -------
    weights : Series, array-like or None
    columns : name, list of names or None

    Examples
    --------
    >>> df = pd.DataFrame({"a": [1.0, 2.0], "count": [3, 4]})
    >>> weights, columns = weights_of_table("count", df)
    >>> weights.tolist(), columns
    ([3, 4], ['a'])
    """
    is_frame = isinstance(data, pd.DataFrame)
    is_name = isinstance(weights, str | tuple) and is_frame and weights in data.columns
    if isinstance(weights, str) and not is_name:
        raise ValueError(f"weights: there is no column {weights!r} in the data")
    if is_name:
        if columns is None:
            columns = [name for name in data.columns if name != weights]
        named = data[weights]
        if isinstance(named, pd.DataFrame):
            raise ValueError(f"weights: there are several columns {weights!r} in the data")
        return named, columns
    if isinstance(weights, pd.Series) and is_frame and not weights.index.equals(data.index):
        raise ValueError(
            "weights must have the index of the data; use weights.to_numpy() if they are in the "
            "same order"
        )
    return weights, columns


def weighted_table(data, columns, weights, argument="weights", *, na_action="raise", **how):
    """Return a checked table and the checked weights of the rows that it keeps.

    Parameters
    ----------
    data, columns
        See `Table.of`.
    weights : Series, array-like or None
        Of all rows.
    argument : str
        What the caller calls them.
    na_action : {"raise", "omit", "impute"}
        With "omit", rows whose weight is missing are left out as well; it is never filled in.
    **how
        Further arguments of `Table.of`.

    Examples
    --------
    >>> df = pd.DataFrame({"a": [1.0, None, 5.0, 6.0]})
    >>> table, weights = weighted_table(df, None, [1, 1, 2, 2], na_action="impute")
    >>> table.matrix.ravel().tolist(), weights.tolist()
    ([1.0, 5.0, 5.0, 6.0], [1.0, 1.0, 2.0, 2.0])
    """
    if weights is None:
        return Table.of(data, columns, na_action=na_action, **how), None
    frame = as_frame(data)
    named = isinstance(weights, pd.Series) and weights.name is not None
    name = f"{argument} (column {weights.name!r})" if named else argument
    values = as_numbers(weights, len(frame), name)
    if na_action != "omit":
        require_weights(values, name)
        return Table.of(frame, columns, na_action=na_action, weights=values, **how), values
    known = ~np.isnan(values)
    if not known.any():
        raise ValueError(f"{name}: no row has a weight")
    table = Table.of(frame[known], columns, na_action=na_action, **how)
    kept = known.copy()
    kept[known] = table.kept
    values[~kept] = 0.0  # whatever it is, it does not matter
    require_weights(values, name)
    return replace(table, index=frame.index, kept=kept), values[kept]
