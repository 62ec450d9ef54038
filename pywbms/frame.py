"""What pandas users touch: wbms(df) and the df.wbms accessor."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pywbms._data.standardize import warn_if_narrow
from pywbms._data.table import Table, is_dask
from pywbms._engine.fit import LocalEngine
from pywbms._engine.settings import Settings
from pywbms.estimator import WBMS, warn_if_not_converged
from pywbms.result import WBMSResult

__all__ = ["WBMSAccessor", "WBMSResult", "wbms"]


def wbms(
    data: Any,
    columns: Any = None,
    *,
    h: float | str = Settings.h,
    lam: float | str = Settings.lam,
    na_action: str = "raise",
    **params: Any,
) -> WBMSResult:
    """Cluster the rows of a DataFrame.

    Parameters
    ----------
    data : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype. It is not written to. A Dask array or DataFrame is clustered
        on its Dask cluster, see `pywbms.distributed.fit`.
    columns : name or list of names, optional
        The columns to use; all of them by default.
    h, lam : float or "auto"
        Bandwidth and entropy parameter; "auto" chooses them from the data.
    na_action : {"raise", "omit"}, default "raise"
        What to do with rows that have missing values: raise an error that names the columns, or
        omit them and give them the label −1.
    **params
        Any other parameter of `WBMS`.

    Returns
    -------
    WBMSResult

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

        return fit(data, h, lam, columns=columns, na_action=na_action, **params)
    model = WBMS(h, lam, **params)
    settings = model.settings()
    table = Table.of(data, columns, na_action=na_action, standardize=settings.standardize)
    if not settings.standardize:
        warn_if_narrow(table.matrix, settings.eps, stacklevel=3)
    model.fit_with(LocalEngine(table.matrix, private=True), settings)
    warn_if_not_converged(model, stacklevel=3)
    return WBMSResult(model, table.index, table.columns, table.kept, na_action)


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
