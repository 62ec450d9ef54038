"""The one way in: any table becomes a checked float matrix with names, index and row mask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from pywbms._data.checks import (
    is_numeric,
    not_numeric,
    require_finite,
    require_one_of,
    require_squarable,
)
from pywbms._data.standardize import NUMBERS_AT_A_TIME
from pywbms._terminal.wording import quoted

NA_ACTIONS = ("raise", "omit")


@dataclass(frozen=True)
class Table:
    """A checked table.

    Attributes
    ----------
    matrix : ndarray of shape (m, p)
        The rows to use, C-contiguous float64, finite. No other array shares its memory.
    columns : Index of length p
    index : Index of length n
        Of all rows.
    kept : ndarray of shape (n,), bool
        The rows to use.
    """

    matrix: np.ndarray
    columns: pd.Index
    index: pd.Index
    kept: np.ndarray

    @classmethod
    def of(cls, data, columns=None, *, na_action="raise", standardize=True, names=None) -> Table:
        """Check a table and copy it once.

        Parameters
        ----------
        data : DataFrame or array-like of shape (n, p)
            It is not written to.
        columns : name or list of names, optional
            The columns to use; all of them by default.
        na_action : {"raise", "omit"}, default "raise"
            Whether rows with missing values are refused or left out.
        standardize : bool, default True
            If False, values whose squares overflow are refused, too.
        names : sequence, optional
            Names of the columns of an array.

        Raises
        ------
        ValueError
            That names the columns which cannot be used.

        Examples
        --------
        >>> df = pd.DataFrame({"a": [1.0, None, 3.0], "b": [1, 2, 3]})
        >>> table = Table.of(df, na_action="omit")
        >>> table.matrix.tolist(), table.kept.tolist()
        ([[1.0, 1.0], [3.0, 3.0]], [True, False, True])
        """
        require_one_of("na_action", na_action, NA_ACTIONS)
        frame = chosen_columns(as_frame(data, names), columns)
        matrix = numeric_matrix(frame)
        kept = np.ones(len(matrix), dtype=bool)
        if na_action == "omit":
            kept = ~np.isnan(matrix).any(axis=1)
            if not kept.any():
                raise ValueError(
                    "no rows are left: every row has a missing value (na_action='omit')"
                )
        require_finite(matrix, frame.columns, kept)
        matrix = compacted(matrix, kept)
        if not standardize:
            require_squarable(matrix, frame.columns)
        return cls(matrix, frame.columns, frame.index, kept)

    def labels(self, values) -> pd.Series:
        """Return labels of the rows that were used as a Series over all rows, −1 for the others."""
        every = np.full(len(self.index), -1)
        every[self.kept] = values
        return pd.Series(every, index=self.index, name="cluster")


def as_frame(data, names=None):
    """Return data as a DataFrame; an array gets the given column names, or its column numbers."""
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        raise ValueError("data must have columns: use series.to_frame()")
    if issparse(data):
        raise ValueError("data must not be sparse: use data.toarray()")
    array = np.asarray(data)
    if array.ndim != 2:
        raise ValueError(
            "data must be a DataFrame or a two-dimensional array, "
            f"got {type(data).__name__} of {array.ndim} dimension(s)"
        )
    if names is not None and array.shape[1] != len(names):
        raise ValueError(f"data must have {len(names)} columns, got {array.shape[1]}")
    return pd.DataFrame(array, columns=names)


def chosen_columns(frame, columns):
    """Return the named columns of a DataFrame, or all of them."""
    if columns is None:
        return frame
    one = isinstance(columns, str) or not np.iterable(columns)
    if isinstance(columns, tuple):  # the name of a column with several levels
        one = frame.columns.nlevels > 1 and columns in frame.columns
    columns = [columns] if one else list(columns)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"columns that are not in the data: {quoted(missing)}")
    return frame[columns]


def numeric_matrix(frame):
    """Return a float64 copy of a DataFrame as a C-contiguous array; missing values become NaN.

    Raises
    ------
    ValueError
        If there are no rows or columns, if two columns share a name, or if a column is not
        numeric.

    Examples
    --------
    >>> numeric_matrix(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})).tolist()
    [[1.0], [nan]]
    """
    if frame.shape[1] == 0:
        raise ValueError("the data have no columns (0 feature(s))")
    if len(frame) == 0:
        raise ValueError("the data have no rows (0 sample(s))")
    require_distinct(frame.columns)
    matrix = np.empty(frame.shape)
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        # All columns of a type at once: thousands one by one take longer than many a fit.
        for kind in frame.dtypes.unique():
            of_kind = (frame.dtypes == kind).to_numpy()
            if of_kind.all():
                matrix[:] = frame.to_numpy()
            else:
                matrix[:, of_kind] = frame.loc[:, of_kind].to_numpy()
        return matrix
    unusable = [name for name, column in frame.items() if not is_numeric(column)]
    if unusable:
        raise not_numeric(frame, unusable)
    for position, (name, column) in enumerate(frame.items()):
        try:
            matrix[:, position] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError as error:
            raise ValueError(f"column {name!r} has numbers beyond the range of floats") from error
    return matrix


def require_distinct(names):
    """Raise a ValueError that names the columns which share a name."""
    repeated = names[names.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"duplicate column names: {quoted(repeated)}")


def compacted(matrix, kept):
    """Return the kept rows of a matrix, moved up in place.

    Examples
    --------
    >>> compacted(np.array([[1.0], [2.0], [3.0]]), np.array([True, False, True])).tolist()
    [[1.0], [3.0]]
    """
    rows = np.flatnonzero(kept)
    if len(rows) == len(matrix):
        return matrix
    step = max(1, NUMBERS_AT_A_TIME // matrix.shape[1])
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        matrix[start : start + len(some)] = matrix[some]
    return matrix[: len(rows)]


def is_dask(data):
    """Tell whether data come from Dask, without loading it."""
    return type(data).__module__.partition(".")[0] == "dask"
