"""Values of all types that a result holds as plain data for a file, and back.

Numbers, texts, lists, tuples, dicts, arrays, pandas objects, and objects of the classes in
`CLASSES`, field by field. Whoever adds a fitted attribute of another class adds the class there.
Reading makes objects of these classes only, and calls none of their methods.
"""

from dataclasses import is_dataclass

import numpy as np
import pandas as pd

from pywbms._data.encoding import Encoding
from pywbms._data.squash import Bounds
from pywbms._data.standardize import Standardizer
from pywbms._engine.recorded_cloud import RecordedCloud
from pywbms._results.stored_index import (
    NUMBERS,
    decode_array,
    decode_index,
    encode_array,
    encode_index,
)
from pywbms._selection.choice import Selection
from pywbms._selection.evidence import Confidence
from pywbms._selection.landmarks import Landmarks

KNOWN = (Bounds, Confidence, Encoding, Landmarks, RecordedCloud, Selection, Standardizer)
CLASSES = {one.__name__: one for one in KNOWN}


def encode(value, where="the value"):
    """Return a value as plain data: None, booleans, numbers, texts, lists, dicts, number arrays.

    Parameters
    ----------
    value : object
    where : str
        What the value is called in messages.

    Raises
    ------
    TypeError
        If it has a type that a file cannot hold.

    Examples
    --------
    >>> decode(encode({"pairs": [(1, 2)], "sure": Confidence(0.6, "medium")}))
    {'pairs': [(1, 2)], 'sure': Confidence(expected=0.6, word='medium')}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if type(value).__name__ in CLASSES and type(value) is CLASSES[type(value).__name__]:
        return {"is": type(value).__name__, "fields": encode_fields(fields_of(value), where)}
    if isinstance(value, list):
        return [encode(item, where) for item in value]
    if type(value) is tuple:
        return {"is": "tuple", "items": [encode(item, where) for item in value]}
    if isinstance(value, dict):
        keys, values = list(value), list(value.values())
        return {"is": "dict", "keys": encode(keys, where), "values": encode(values, where)}
    if isinstance(value, np.ndarray):
        if value.dtype.kind in NUMBERS:
            return value
        items = encode_array(value.astype(object).ravel(), where)
        return {"is": "array", "dtype": value.dtype.str, "shape": list(value.shape), "items": items}
    return encode_pandas(value, where)


def encode_pandas(value, where):
    """Return a table, a column or an index as plain data."""
    if isinstance(value, pd.Index):
        return {"is": "index", "index": encode_index(value, where)}
    if isinstance(value, pd.Series):
        value, kind = value.to_frame(), "series"
    elif isinstance(value, pd.DataFrame):
        kind = "table"
    else:
        raise TypeError(f"{where} is a {type(value).__name__}, which cannot be saved")
    return {
        "is": kind,
        "index": encode_index(value.index, where),
        "columns": encode_index(value.columns, where),
        "values": [
            encode_array(value.iloc[:, j].array, f"column {name!r} of {where}")
            for j, name in enumerate(value.columns)
        ],
    }


def encode_fields(fields, where):
    """Return the fields of an object as plain data."""
    return {name: encode(value, f"{where}: {name}") for name, value in fields.items()}


def decode(stored):
    """Return the value that `encode` was given.

    Raises
    ------
    ValueError, LookupError, TypeError
        If the data make no sense.
    """
    if isinstance(stored, list):
        return [decode(item) for item in stored]
    if not isinstance(stored, dict):
        return stored
    kind = stored["is"]
    if kind == "tuple":
        return tuple(decode(item) for item in stored["items"])
    if kind == "dict":
        keys, values = (map(decode, stored[name]) for name in ("keys", "values"))
        return dict(zip(keys, values, strict=True))
    if kind == "array":
        return decode_array(stored["items"]).reshape(stored["shape"]).astype(stored["dtype"])
    if kind == "index":
        return decode_index(stored["index"])
    if kind in ("table", "series"):
        return decode_table(stored)
    return decode_object(CLASSES[kind], decode_fields(stored["fields"]))


def decode_table(stored):
    """Return a table, or its only column."""
    index, columns = decode_index(stored["index"]), decode_index(stored["columns"])
    values = {j: decode_array(column) for j, column in enumerate(stored["values"])}
    table = pd.DataFrame(values, index=index, columns=range(len(columns)))
    table.columns = columns
    return table.iloc[:, 0] if stored["is"] == "series" else table


def decode_fields(stored):
    """Return the fields of an object."""
    return {name: decode(value) for name, value in stored.items()}


def decode_object(cls, fields):
    """Return an object with these fields; nothing is computed."""
    if is_dataclass(cls) or hasattr(cls, "_fields"):
        return cls(**fields)
    made = cls.__new__(cls)
    vars(made).update(fields)
    return made


def fields_of(value):
    """Return the fields of an object by name, those of a named tuple included."""
    return value._asdict() if hasattr(value, "_asdict") else vars(value)
