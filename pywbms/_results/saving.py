"""A result as one file, and as plain data that R can keep.

The file is a container (`pywbms._data.container`) of kind "result". It holds the parameters and
the fitted attributes of the estimator, whatever their names, and the index, the column names and
the row mask of the result. Functions, such as a callback, and random generators are left out.
"""

import os
from pathlib import Path

import numpy as np

from pywbms._data import container
from pywbms._results.stored_index import encode_index, encode_row_names
from pywbms._results.stored_values import encode_fields

KIND, VERSION = "result", 1
# Not saved: functions, what scikit-learn keeps for itself, and what can be computed again.
LEFT_OUT = ("callback", "_metadata_request", "_derived")


def save(result, path):
    """Write a result to a file; see `WBMSResult.save`."""
    path = Path(os.path.realpath(path))  # a symbolic link stays one
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise ValueError(f"cannot write {path}: it is not a regular file")
    container.write(path, KIND, VERSION, stored_result(result))


def stored_result(result):
    """Return a result as plain data."""
    fields = {name: value for name, value in vars(result).items() if name != "estimator"}
    index, columns = fields.pop("_index"), fields.pop("_columns")
    return {
        "index": encode_row_names(index),
        "columns": encode_index(columns, "the index of the columns"),
        "result": encode_fields(fields, "the result"),
        **stored_model(result.estimator),
    }


def stored_model(model, without=()):
    """Return parameters and fitted attributes of an estimator as plain data.

    Parameters
    ----------
    model : WBMS
    without : sequence of str
        Attributes to leave out.
    """
    names = model.get_params(deep=False)
    params = {name: value for name, value in names.items() if name not in LEFT_OUT}
    if isinstance(model.random_state, np.random.Generator):
        del params["random_state"]
    left_out = (*names, *LEFT_OUT, *without)
    fitted = {name: value for name, value in vars(model).items() if name not in left_out}
    return {
        "params": encode_fields(params, "the parameters"),
        "fitted": encode_fields(fitted, "the estimator"),
    }


def read(path):
    """Return the plain data of a result in a file, in memory of their own."""
    return in_memory(container.read(path, KIND, VERSION))


def in_memory(value):
    """Return nested data without arrays that stay in their file, which may change."""
    if isinstance(value, dict):
        return {name: in_memory(item) for name, item in value.items()}
    if isinstance(value, list):
        return [in_memory(item) for item in value]
    return np.array(value) if isinstance(value, np.memmap) else value
