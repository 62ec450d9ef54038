"""Any kind of table in, the same kind out.

`read` turns a table of any library into a pandas DataFrame, in which all work is done, and returns
how to turn tables back. No other library than narwhals is imported for that: who has a polars
frame has loaded polars.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from pywbms._data.frames import NarwhalsKind, PandasLikeKind, frame_of_native, native_frame
from pywbms._data.labelled import AnnDataKind, XarrayKind, is_anndata, is_xarray
from pywbms._data.plain import DictKind, RecordsKind, StructuredKind
from pywbms._data.sparse import densified


def read(data, obsm=None):
    """Return a table as a DataFrame, or as it is if it is an array, and its kind.

    Parameters
    ----------
    data : object
    obsm : str, optional
        Of an AnnData object: the key of `obsm` to read instead of X.

    Returns
    -------
    table : DataFrame or object
        Arrays and nested sequences, which have no names, are returned unchanged.
    kind : kind of table, or None
        None for DataFrames of pandas, and where the result is to be pandas.

    Examples
    --------
    >>> frame, kind = read({"a": [1, 2], "b": [3, 4]})
    >>> frame.columns.tolist(), kind.table(frame)
    (['a', 'b'], {'a': [1, 2], 'b': [3, 4]})
    """
    is_pandas = isinstance(data, pd.DataFrame | pd.Series)
    if not is_pandas and is_anndata(data):
        return AnnDataKind.read(data, obsm)
    if obsm is not None:
        raise ValueError(f"obsm is for AnnData objects, got {type(data).__name__}")
    if is_pandas:
        return data, None
    if issparse(data):
        return densified(data), None
    if is_xarray(data):
        return XarrayKind.read(data)
    if isinstance(data, Mapping):
        return DictKind.read(data)
    if isinstance(data, np.ndarray):
        return StructuredKind.read(data) if data.dtype.names else (data, None)
    if isinstance(data, list | tuple):
        records = bool(data) and all(isinstance(row, Mapping) for row in data)
        return RecordsKind.read(data) if records else (data, None)
    native = native_frame(data)
    if native is None:
        return data, None
    kind = PandasLikeKind if native.implementation.is_pandas_like() else NarwhalsKind
    return frame_of_native(native), kind.of(native)
