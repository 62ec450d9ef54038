"""Fits of R as results of pywbms, and back: what `wbms_save` and `wbms_load` exchange with a file.

A fit of R holds its numbers as R vectors. What else a result of pywbms consists of is kept with it
as plain data, a text and arrays, so that a fit can be saved at any time, by any later session.
"""

import json

import numpy as np
import pandas as pd

from pywbms import WBMSResult
from pywbms._data import container
from pywbms._data.encoding import Encoding, indicator_name
from pywbms._report.page import write_report
from pywbms._results.saving import stored_model
from pywbms._results.stored_values import decode_fields
from pywbms.storage import restored_model
from rbridge.to_r import Named

# Attributes of the estimator, as large as the data, that a fit of R has as matrices.
HELD_BY_R = {"_X": "data", "modes_": "modes"}
NA_ACTIONS = {"fail": "raise"}


def state_for_r(model):
    """Return what a fit of R must keep to be saved: a text and a list of arrays."""
    arrays = []
    content = container.pack(stored_model(model, tuple(HELD_BY_R)), arrays)
    about = [{"dtype": array.dtype.str, "shape": array.shape} for array in arrays]
    return {
        "json": json.dumps({"content": content, "arrays": about}),
        "arrays": {str(number): array for number, array in enumerate(arrays)},
    }


def model_from_r(state, held):
    """Return the estimator of which `state_for_r` was made, given what R holds itself."""
    stored = json.loads(state["json"])
    given = state["arrays"].values()
    arrays = [restored_array(*pair) for pair in zip(given, stored["arrays"], strict=True)]
    content = container.unpack(stored["content"], arrays)
    own = {name: np.array(held[key], order="C") for name, key in HELD_BY_R.items()}
    return restored_model(content["params"], {**decode_fields(content["fitted"]), **own})


def restored_array(values, about):
    """Return an array from R with the type and the shape that it had in Python."""
    values = np.asarray(values).reshape(about["shape"], order="F")
    return np.array(values, dtype=about["dtype"], order="C")


def save(path, fit):
    """Write a fit of R to a file."""
    result = result_from_r(fit)
    result._r_fields = fit["fields"]
    result.save(path)


def report(path, fit, title):
    """Write a fit of R as an HTML page, in which clusters and rows count from 1."""
    result = result_from_r(fit)
    if fit["rows"] is None:
        result._index = pd.RangeIndex(1, len(result._index) + 1)
    write_report(result, path, title, first=1)


def result_from_r(fit):
    """Return a fit of R as a result."""
    columns, rows, kept = fit["columns"], fit["rows"], np.atleast_1d(fit["kept"])
    columns = pd.Index([columns] if isinstance(columns, str) else columns)
    rows = [rows] if isinstance(rows, str) else rows
    index = pd.RangeIndex(len(kept)) if rows is None else pd.Index(rows)
    na_action = NA_ACTIONS.get(fit["na_action"], fit["na_action"])
    encoding, imputed = encoding_from_r(fit["encoding"], columns), fit["imputed"]
    if encoding is None and na_action == "impute":
        na_action = "raise"  # of a formula: in Python there are only its columns, without gaps
    if encoding is not None and imputed is not None:
        counts = np.atleast_1d(imputed).astype(int)
        imputed = pd.Series(counts, index=encoding.columns, name="imputed")
    model = model_from_r(fit["state"], fit)
    return WBMSResult(
        model, index, columns, kept, na_action, encoding, None if encoding is None else imputed
    )


def for_r(result):
    """Return what a fit of R has of a result beside the numbers of its estimator."""
    columns = [str(name) for name in result._columns]
    to_r = {python: r for r, python in NA_ACTIONS.items()}
    return {
        "data": Named(result.estimator._X, columns),
        "kept": result._kept,
        "rows": row_names(result._index),
        "na_action": to_r.get(result._na_action, result._na_action),
        "fields": getattr(result, "_r_fields", None),
        "encoding": encoding_for_r(result._encoding),
        "imputed": None if result._encoding is None else result.imputed.rename(index=str),
    }


def encoding_from_r(encoding, columns):
    """Return how a fit of R made numbers of its columns, or None if they were numbers.

    Parameters
    ----------
    encoding : dict or None
        Levels and fills, by column of the data; R sends a single level as a text.
    columns : Index
        Of the matrix, indicators included.
    """
    if encoding is None:
        return None
    levels = {
        name: (found,) if isinstance(found, str) else tuple(found)
        for name, found in dict(encoding["levels"] or {}).items()
    }
    category = {indicator_name(name, one): name for name, found in levels.items() for one in found}
    names = dict.fromkeys(category.get(name, name) for name in columns)
    fills = encoding["fills"]
    return Encoding(pd.Index(list(names)), levels, None if fills is None else dict(fills))


def encoding_for_r(encoding):
    """Return levels and fills as R has them: levels are texts."""
    if encoding is None:
        return None
    levels = {str(name): list(map(str, found)) for name, found in encoding.levels.items()}
    fills = encoding.fills
    if fills is not None:
        fills = {
            str(name): str(fill) if name in encoding.levels else fill
            for name, fill in fills.items()
        }
    return {"levels": levels, "fills": fills}


def row_names(index):
    """Return the names of rows as R has them, texts; None if the rows are only numbered."""
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return None
    if isinstance(index, pd.MultiIndex):
        return [".".join(map(str, name)) for name in index]
    return index.astype(str).tolist()
