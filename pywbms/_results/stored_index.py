"""Indexes and columns of tables as plain data for a file, and back.

Numbers, texts, times, mixtures of plain values, and levels of these keep their type. The names of
rows that are of any other type (periods, intervals, categories, …) are stored as text.
"""

import warnings

import numpy as np
import pandas as pd

# Kinds of NumPy's dtypes: booleans, integers, floats.
NUMBERS = "biuf"
PLAIN = (bool, int, float, str)


def encode_index(index, where):
    """Return an Index as plain data.

    Parameters
    ----------
    index : Index
    where : str
        What it is called in messages.

    Raises
    ------
    TypeError
        If it has another type than those that a file can hold.

    Examples
    --------
    >>> encode_index(pd.RangeIndex(3), "index")
    {'is': 'range', 'range': [0, 3, 1], 'name': None}
    """
    if isinstance(index, pd.MultiIndex):
        levels = [encode_index(level, where) for level in index.levels]
        codes = [np.asarray(code) for code in index.codes]
        return {"is": "levels", "levels": levels, "codes": codes}
    name = encode_scalar(index.name, f"the name of {where}")
    if isinstance(index, pd.RangeIndex):
        return {"is": "range", "range": [index.start, index.stop, index.step], "name": name}
    values = encode_array(index.array, where)
    return {"is": "index", "values": values, "name": name, "freq": getattr(index, "freqstr", None)}


def decode_index(stored):
    """Return the Index that `encode_index` was given."""
    if stored["is"] == "levels":
        levels = [decode_index(level) for level in stored["levels"]]
        names = [level.name for level in levels]
        return pd.MultiIndex(levels, stored["codes"], names=names)
    name = decode_scalar(stored["name"])
    if stored["is"] == "range":
        return pd.RangeIndex(*stored["range"], name=name)
    values, freq = decode_array(stored["values"]), stored["freq"]
    if freq is None:
        return pd.Index(values, name=name, tupleize_cols=False)
    times = pd.TimedeltaIndex if values.dtype.kind == "m" else pd.DatetimeIndex
    return times(values, name=name, freq=freq)


def encode_row_names(index):
    """Return the names of rows as plain data: as text, with a warning, if need be."""
    try:
        stored = encode_index(index, "the index")
        if decode_index(stored).equals(index):
            return stored
    except (TypeError, ValueError, KeyError):
        pass
    warnings.warn(
        f"the names of the rows are stored as text: a file cannot hold {kind_of(index)}",
        UserWarning,
        stacklevel=5,  # whoever calls `save`
    )
    texts = [str(name) for name in index]
    return encode_index(pd.Index(texts, name=str(index.name) if index.name else None), "the index")


def kind_of(index):
    """Return the type of an index in words."""
    return f"a {type(index).__name__} of dtype {getattr(index, 'dtype', object)}"


# Arrays: what a column or an index holds


def encode_array(values, where):
    """Return the values of a column or an index as plain data."""
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        values = values.to_numpy()
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in NUMBERS:
        return {"is": "numbers", "values": np.asarray(values)}
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        return {"is": "times", "dtype": str(dtype), "values": np.asarray(values).view(np.int64)}
    if isinstance(dtype, pd.DatetimeTZDtype):
        numbers = values.tz_convert("UTC").tz_localize(None).to_numpy().view(np.int64)
        return {"is": "times", "dtype": f"datetime64[{dtype.unit}]", "values": numbers,
                "zone": str(dtype.tz)}  # fmt: skip
    if isinstance(dtype, pd.StringDtype) or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        items = [encode_scalar(item, where) for item in values]
        return {"is": "items", "dtype": str(dtype), "values": items}
    raise TypeError(f"{where} of dtype {dtype} cannot be saved")


def decode_array(stored):
    """Return the array that `encode_array` was given."""
    if stored["is"] == "numbers":
        return stored["values"]
    if stored["is"] == "times":
        times = pd.array(stored["values"].view(stored["dtype"]))
        zone = stored.get("zone")
        return times if zone is None else times.tz_localize("UTC").tz_convert(zone)
    items = [decode_scalar(item) for item in stored["values"]]
    if stored["dtype"] != "object":
        return pd.array(items, dtype=stored["dtype"])
    values = np.empty(len(items), dtype=object)
    values[:] = items  # item by item, even if all are tuples of one length
    return values


def encode_scalar(value, where):
    """Return a plain value, or a tuple of them, as plain data."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, tuple):
        return {"tuple": [encode_scalar(item, where) for item in value]}
    raise TypeError(f"{where} has a {type(value).__name__}, which cannot be saved")


def decode_scalar(stored):
    """Return the value that `encode_scalar` was given."""
    if isinstance(stored, dict):
        return tuple(decode_scalar(item) for item in stored["tuple"])
    return stored
