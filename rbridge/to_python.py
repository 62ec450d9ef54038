"""Conversion from R objects to Python values.

| R | Python |
|---|---|
| NULL | None |
| double, integer, logical or character of length one | float, int, bool, str |
| double or integer, longer or with dim | read-only ndarray view of R's memory |
| logical, longer | ndarray of bool |
| character, longer | list of str |
| named list | dict |
| function | unchanged, to be called through `rbridge.dispatch.Call` |

Missing values are not preserved: R checks for them before the call.
"""

import numpy as np
import rpy2.rinterface as ri
from rpy2.rinterface_lib import openrlib

DTYPES = {ri.FloatSexpVector: np.dtype(np.float64), ri.IntSexpVector: np.dtype(np.int32)}


def value(x):
    """Return an R object as a Python value; raise TypeError if it has no counterpart."""
    if x is ri.NULL or isinstance(x, type(ri.NULL)):
        return None
    if isinstance(x, ri.SexpClosure):
        return x
    if isinstance(x, ri.ListSexpVector):
        return dict(zip(strings(x.names), map(value, x), strict=True)) if len(x) else {}
    if isinstance(x, ri.StrSexpVector):
        return x[0] if len(x) == 1 else strings(x)
    if isinstance(x, ri.BoolSexpVector):
        return bool(x[0]) if len(x) == 1 else np.array(x, dtype=bool)
    if type(x) in DTYPES:
        return x[0] if len(x) == 1 and dim(x) is None else view(x)
    raise TypeError(f"R passed a {type(x).__name__}, which has no counterpart in Python")


def view(x):
    """Return a read-only view of the memory of a numeric R vector or matrix.

    Nothing is copied, and R may free the memory once the call is over: the array must not be kept.
    A matrix has R's column-major order. (Not ``x.memoryview()``: each call leaks a reference count
    of None, of which Python 3.11 has only a few thousand.)
    """
    dtype = DTYPES[type(x)]
    if len(x):
        memory = openrlib.ffi.buffer(x._R_GET_PTR(x.__sexp__._cdata), len(x) * dtype.itemsize)
        array = np.frombuffer(memory, dtype)
    else:
        array = np.empty(0, dtype)
    shape = dim(x)
    if shape is not None:
        array = array.reshape(shape, order="F")
    array.flags.writeable = False
    return array


def dim(x):
    """Return the dimensions of an R object as a tuple, or None if it has none."""
    return tuple(x.do_slot("dim")) if "dim" in x.list_attrs() else None


def strings(x):
    """Return an R character vector as a list."""
    return list(x)
