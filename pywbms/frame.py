"""What pandas users touch: wbms(df) and the df.wbms accessor."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from pywbms._data.checks import require_indicators
from pywbms._data.identifiers import warn_of_identifiers
from pywbms._data.kinds import read
from pywbms._data.row_weights import weighted_table, weights_of_table
from pywbms._data.standardize import warn_if_narrow
from pywbms._data.table import is_dask, require_plain
from pywbms._engine.parameters import require_known
from pywbms._engine.settings import Settings
from pywbms._engine.weighted_engine import local_engine
from pywbms._results.native import NativeResult
from pywbms._selection.similarity import warn_if_similar
from pywbms._streams.fit import fit_stream, landmarks_of_stream
from pywbms._streams.sources import Stream, is_stream
from pywbms.estimator import WBMS, warn_if_not_converged
from pywbms.result import WBMSResult

__all__ = ["WBMSAccessor", "WBMSResult", "wbms"]

NEEDS_MEMORY = (
    "weights=, categories= and indicators= need a table in memory, not a path or a dataset: "
    "read it first, as with pandas.read_parquet"
)


def wbms(
    data: Any,
    columns: Any = None,
    *,
    h: float | str = Settings.h,
    lam: float | str = Settings.lam,
    na_action: str = "raise",
    categories: str = "error",
    numeric_only: bool = False,
    obsm: str | None = None,
    weights: Any = None,
    **params: Any,
) -> WBMSResult:
    """Cluster the rows of a table.

    Parameters
    ----------
    data : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype. It is not written to. Frames of pandas, polars, pyarrow, modin
        and cuDF, dicts of columns, lists of dicts, structured arrays and xarray objects are taken,
        and the tables of the result are of the same kind; of an AnnData object, X is clustered. A
        sparse matrix becomes a dense one. A Dask array or DataFrame is clustered on its Dask
        cluster, see `pywbms.distributed.fit`. A path (Parquet, Arrow IPC, CSV, or a folder of
        Parquet files) or an Arrow dataset is read a block of rows at a time: see Returns.
    columns : name or list of names, optional
        The columns to use; all of them by default.
    h, lam : float or "auto"
        Bandwidth and entropy parameter; "auto" chooses them from the data.
    na_action : {"raise", "omit", "impute"}, default "raise"
        What to do with missing and infinite values: raise an error that names the columns, omit
        their rows and give these the label −1, or fill them in with the median of their column
        (of categories, the most frequent level); `imputed` of the result counts them.
    categories : {"error", "indicators"}, default "error"
        What to do with columns of texts or categories: raise an error that names them, or make
        each level a column of zeros and ones, ``column=level``, scaled so that two different
        levels are one unit apart.
    numeric_only : bool, default False
        Leave out the columns that are not numeric.
    obsm : str, optional
        Of an AnnData object: cluster this entry of `obsm` instead of X.
    weights : name of a column, Series or array-like of shape (n,), optional
        How many rows each one stands for, at least 0; one by default. A column named here is not a
        feature. Rows of weight 0 are labelled, but do not count. A missing weight is like a missing
        value, but never filled in. See `WBMS.fit`.
    **params
        Any other parameter of `WBMS`, such as ``n_clusters``: exactly so many clusters.

    Returns
    -------
    WBMSResult
        Where the data are neither of pandas nor an array, its tables are of the kind of the data.
        Of a path or a dataset with so many rows that landmarks are used, a `StreamResult`, which
        holds these in memory and the labels of all rows on disk.

    Examples
    --------
    >>> from pywbms import datasets, wbms
    >>> df, truth = datasets.data1(random_state=0)
    >>> result = wbms(df, h=0.1, lam=0.05)
    >>> result.n_clusters
    2
    >>> result.weights.nlargest(2).round(2).to_dict()
    {'x1': 0.52, 'x2': 0.48}
    """
    if is_dask(data):
        from pywbms._distributed.fit import fit  # whoever has such data has dask

        require_plain(na_action, categories, numeric_only)
        return fit(data, h, lam, columns=columns, na_action=na_action, weights=weights, **params)
    require_known(params, list(WBMS().get_params(deep=False)), "wbms")
    model = WBMS(h, lam, **params)
    settings = model.settings()
    if is_stream(data):
        require_no_preparation(weights, categories, settings)
        stream = Stream(data, columns, na_action, numeric_only)
        if (number := landmarks_of_stream(stream, settings)) is not None:
            return cast(WBMSResult, fit_stream(stream, model, number))
        data, columns = stream.frame(), None
    frame, kind = read(data, obsm)
    weights, columns = weights_of_table(weights, frame, columns)
    table, weights = weighted_table(
        frame, columns, weights, na_action=na_action, standardize=settings.standardize,
        categories=categories, numeric_only=numeric_only,
    )  # fmt: skip
    settings = with_indicators(model, settings, table)
    warn_of_identifiers(table.matrix, table.columns, settings.indicators)
    if not settings.standardize:
        warn_if_narrow(table.matrix, settings.eps, stacklevel=3)
    engine = local_engine(table.matrix, True, weights, settings)
    model.fit_with(engine, settings)
    warn_if_not_converged(model, stacklevel=3)
    warn_if_similar(model.similar_columns_, table.columns, stacklevel=3)
    result = WBMSResult(
        model, table.index, table.columns, table.kept, na_action, table.encoding, table.imputed
    )
    return result if kind is None else cast(WBMSResult, NativeResult(result, kind))


def with_indicators(model, settings, table):
    """Return the settings with the indicators of a table, which the model gets, too."""
    if table.indicators:
        if settings.indicators:
            raise ValueError("give indicators= or categories='indicators', not both")
        model.set_params(indicators=table.indicators)
        settings = model.settings()
    require_indicators(settings.indicators, table.matrix)
    return settings


def require_no_preparation(weights, categories, settings):
    """Raise a ValueError if something is asked for that needs a table in memory."""
    if weights is not None or categories != "error" or settings.indicators:
        raise ValueError(NEEDS_MEMORY)


@pd.api.extensions.register_dataframe_accessor("wbms")
class WBMSAccessor:
    """Clustering as a method of every DataFrame: ``df.wbms.cluster()``.

    Examples
    --------
    >>> import pandas as pd, pywbms
    >>> df = pd.DataFrame({"a": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "b": [1.0, 2, 1, 2, 1, 2]})
    >>> df.wbms.cluster("a", h=0.1, lam=1.0).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def cluster(self, columns: Any = None, **params: Any) -> WBMSResult:
        """Cluster the rows; the arguments are those of `wbms`.

        Returns
        -------
        WBMSResult
        """
        return wbms(self._frame, columns, **params)
