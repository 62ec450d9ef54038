"""Conversion from Python values to new R vectors with names and dimnames.

| Python | R |
|---|---|
| None | NULL |
| bool, int, float, str | logical, integer, double, character of length one |
| ndarray of floats or integers | double or integer vector, matrix or array |
| list of str | character vector |
| Series | named vector |
| Named (matrix with column names) | matrix with dimnames |
| DataFrame | data.frame |
| dict | named list |
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import rpy2.rinterface as ri

LARGEST_INTEGER = 2**31 - 1  # the smallest 32-bit integer is R's NA


@dataclass(frozen=True)
class Named:
    """An array whose last dimension has names: a matrix with column names in R."""

    values: np.ndarray
    columns: list


def value(x):
    """Return a Python value as a new R object; raise TypeError if it has no counterpart."""
    if x is None:
        return ri.NULL
    if isinstance(x, ri.Sexp):
        return x
    if isinstance(x, bool | np.bool_):
        return ri.BoolSexpVector([bool(x)])
    if isinstance(x, str):
        return ri.StrSexpVector([x])
    if isinstance(x, dict):
        return named_list(x)
    if isinstance(x, Named):
        return with_columns(array(x.values), x.columns, np.ndim(x.values))
    if isinstance(x, pd.DataFrame):
        return data_frame(x)
    if isinstance(x, pd.Series):
        result = array(x.to_numpy())
        result.names = strings(x.index)
        return result
    if isinstance(x, list):
        return texts(x)
    if isinstance(x, np.ndarray | int | float | np.number):
        return array(np.asarray(x))
    raise no_counterpart(x)


def array(a):
    """Return an array of numbers, booleans or strings as an R vector, matrix or array."""
    flat = a.ravel(order="F")
    if a.dtype.kind == "f":
        result = ri.FloatSexpVector(np.ascontiguousarray(flat, dtype=np.float64))
    elif a.dtype.kind in "iu" and np.abs(flat, dtype=np.float64).max(initial=0) <= LARGEST_INTEGER:
        result = ri.IntSexpVector(np.ascontiguousarray(flat, dtype=np.int32))
    elif a.dtype.kind in "iu":
        result = ri.FloatSexpVector(np.ascontiguousarray(flat, dtype=np.float64))
    elif a.dtype.kind == "b":
        result = ri.BoolSexpVector(flat.tolist())
    else:
        result = texts(flat)
    if a.ndim > 1:
        result.do_slot_assign("dim", ri.IntSexpVector(a.shape))
    return result


def texts(x):
    """Return a sequence of strings as an R character vector; raise TypeError for other items."""
    for item in x:
        if not isinstance(item, str):
            raise no_counterpart(item)
    return strings(x)


def no_counterpart(x):
    """Return the exception for a value without a counterpart in R."""
    return TypeError(f"a {type(x).__name__} has no counterpart in R")


def strings(names):
    """Return names, which may be numbers, as an R character vector."""
    return ri.StrSexpVector([str(name) for name in names])


def named_list(items):
    """Return a dict as a named R list."""
    result = ri.ListSexpVector([value(item) for item in items.values()])
    result.names = strings(items)
    return result


def with_columns(matrix, columns, ndim):
    """Give an R matrix or array names for its last dimension."""
    names = [ri.NULL] * (ndim - 1) + [strings(columns)]
    matrix.do_slot_assign("dimnames", ri.ListSexpVector(names))
    return matrix


def data_frame(frame):
    """Return a DataFrame as an R data.frame with row names 1, 2, and so on."""
    result = named_list({name: column.to_numpy() for name, column in frame.items()})
    result.do_slot_assign("row.names", array(np.arange(1, len(frame) + 1)))
    result.rclass = "data.frame"  # setting the slot would not make it an object
    return result
