"""Results from files: `load`, the counterpart of `WBMSResult.save`."""

from __future__ import annotations

import os
from typing import Any

from pywbms._results.saving import read
from pywbms._results.soundness import require_sound
from pywbms._results.stored_index import decode_index
from pywbms._results.stored_values import decode_fields
from pywbms.estimator import WBMS
from pywbms.result import WBMSResult

__all__ = ["load"]


def load(path: str | os.PathLike) -> WBMSResult:
    """Return a result that was saved with `WBMSResult.save`, or in R with ``wbms_save``.

    Reading a file executes nothing that is in it, and every byte is checked first.

    Parameters
    ----------
    path : path

    Returns
    -------
    WBMSResult
        Equal to the one that was saved, to the bit. Its estimator has no callback.

    Raises
    ------
    ValueError
        If the file is no result, is truncated or damaged, or comes from a newer version.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pywbms import datasets, load, wbms
    >>> df, truth = datasets.data1(random_state=0)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.wbms")
    >>> wbms(df, h=0.1, lam=0.05).save(path)
    >>> load(path).predict(df.head()).tolist()
    [0, 0, 0, 0, 0]
    """
    stored = read(path)
    try:
        result = restored_result(stored)
        require_sound(result)
    except Exception as error:  # of the right form, but without sense: anything may be raised
        raise ValueError(
            f"{path} does not hold a result that this version of pywbms understands: {error}"
        ) from error
    return result


def restored_result(stored: dict) -> WBMSResult:
    """Return the result of which `pywbms._results.saving` has made plain data."""
    model = restored_model(stored["params"], decode_fields(stored["fitted"]))
    fields = decode_fields(stored["result"])
    index, columns = decode_index(stored["index"]), decode_index(stored["columns"])
    result = WBMSResult(model, index, columns, fields.pop("_kept"), fields.pop("_na_action"))
    for name, value in fields.items():
        setattr(result, name, value)
    return result


def restored_model(params: dict[str, Any], fitted: dict[str, Any]) -> WBMS:
    """Return an estimator with these (stored) parameters and fitted attributes."""
    model = WBMS(**decode_fields(params))
    model._derived = {}
    for name, value in fitted.items():
        setattr(model, name, value)
    return model
