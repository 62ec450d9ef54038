"""The one way in: any table becomes a checked float matrix with names, index and row mask."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.checks import (
    is_numeric,
    not_finite,
    not_numeric,
    require_boolean,
    require_finite,
    require_one_of,
    require_squarable,
)
from pywbms._data.encoding import Encoding
from pywbms._data.kinds import read
from pywbms._data.standardize import NUMBERS_AT_A_TIME
from pywbms._terminal.wording import quoted

NA_ACTIONS = ("raise", "omit", "impute")
CATEGORIES = ("error", "indicators")
# Kinds of NumPy's types for texts: bytes, fixed and variable length.
TEXT = ("S", "U", "T")


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
    encoding : Encoding or None
        How categories and missing values became numbers, if there is more to it than float64.
    imputed : Series or None
        With an encoding: number of values filled in, by column of the data.
    """

    matrix: np.ndarray
    columns: pd.Index
    index: pd.Index
    kept: np.ndarray
    encoding: Encoding | None = None
    imputed: pd.Series | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, data, columns=None, *, na_action="raise", standardize=True, names=None,
        categories="error", numeric_only=False, weights=None,
    ) -> Table:  # fmt: skip
        """Check a table and copy it once.

        Parameters
        ----------
        data : DataFrame or array-like of shape (n, p)
            It is not written to.
        columns : name or list of names, optional
            The columns to use; all of them by default.
        na_action : {"raise", "omit", "impute"}, default "raise"
            Whether rows with missing or infinite values are refused, left out or filled in.
        standardize : bool, default True
            If False, values whose squares overflow are refused, too.
        names : sequence, optional
            Names of the columns of an array.
        categories : {"error", "indicators"}, default "error"
            Whether texts and categories are refused or become indicators.
        numeric_only : bool, default False
            Leave out the columns that are not numeric.
        weights : ndarray of shape (n,), optional
            How many rows each one stands for where missing values are filled in; one by default.

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
        require_preparation(na_action, categories, numeric_only)
        frame = chosen_columns(as_frame(data, names), columns)
        if numeric_only:
            frame = numeric_columns(frame)
        if na_action != "impute" and categories == "error":
            return cls._of_numbers(frame, na_action, standardize)
        require_shape(frame)
        # Levels of rows that are left out do not count.
        used = frame[usable_rows(frame)] if na_action == "omit" else frame
        encoding = Encoding.of(
            used, numeric_matrix, categories == "indicators", na_action == "impute", weights
        )
        return cls.encoded(frame, encoding, na_action, standardize)

    @classmethod
    def encoded(cls, data, encoding, na_action, standardize=True, names=None) -> Table:
        """Check a table and make numbers of it by a given encoding; see `of`."""
        frame = chosen_columns(as_frame(data, names), list(encoding.columns))
        require_shape(frame)
        columns = encoding.encoded_columns
        require_distinct(columns)
        kept = np.ones(len(frame), dtype=bool)
        if na_action == "omit":
            kept = usable_rows(frame)
        elif na_action == "raise":
            require_levels(frame[list(encoding.levels)])
        matrix, imputed = encoding.matrix(frame[kept], numeric_matrix)
        require_finite(matrix, columns)
        if not standardize:
            require_squarable(matrix, columns)
        return cls(matrix, columns, frame.index, kept, encoding, imputed)

    @classmethod
    def _of_numbers(cls, frame, na_action, standardize) -> Table:
        """Return the table of a DataFrame of numbers, taken as they are."""
        matrix = numeric_matrix(frame)
        kept = np.ones(len(matrix), dtype=bool)
        if na_action == "omit":
            kept = np.isfinite(matrix).all(axis=1)
            require_some(kept)
        require_finite(matrix, frame.columns, kept)
        matrix = compacted(matrix, kept)
        if not standardize:
            require_squarable(matrix, frame.columns)
        return cls(matrix, frame.columns, frame.index, kept)

    @property
    def indicators(self) -> tuple[tuple[int, ...], ...]:
        """The positions of the columns that are indicators, by category."""
        return () if self.encoding is None else self.encoding.indicators

    def labels(self, values) -> pd.Series:
        """Return labels of the rows that were used as a Series over all rows, −1 for the others."""
        every = np.full(len(self.index), -1)
        every[self.kept] = values
        return pd.Series(every, index=self.index, name="cluster")


def as_frame(data, names=None):
    """Return data as a DataFrame; an array gets the given column names, or its column numbers."""
    data, _ = read(data)
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        raise ValueError("data must have columns: use series.to_frame()")
    array = as_array(data)
    if array.ndim != 2:
        raise ValueError(
            "data must be a DataFrame or a two-dimensional array, "
            f"got {type(data).__name__} of {array.ndim} dimension(s)"
        )
    if names is not None and array.shape[1] != len(names):
        raise ValueError(f"data must have {len(names)} columns, got {array.shape[1]}")
    return pd.DataFrame(array, columns=names)


def as_array(data):
    """Return array-like data as an array; masked values become NaN.

    Examples
    --------
    >>> as_array(np.ma.array([[1, 2]], mask=[[False, True]])).tolist()
    [[1.0, nan]]
    """
    data = masked_as_nan(data)
    array = np.asarray(data)
    if array.dtype.kind in TEXT and not isinstance(data, np.ndarray):
        return np.asarray(data, dtype=object)  # NumPy has turned numbers beside texts into texts
    return array


def masked_as_nan(data):
    """Return data with masked values, if any, replaced by NaN: they are missing."""
    if isinstance(data, list | tuple) and any(map(np.ma.isMaskedArray, data)):
        data = np.ma.array(data)
    if not np.ma.isMaskedArray(data):
        return data
    return data.astype(float if data.dtype.kind in "biuf" else object).filled(np.nan)


def require_no_text(data):
    """Raise a ValueError that names the columns of an array-like in which numbers are texts."""
    array = as_array(data)
    if array.ndim != 2 or array.dtype.kind not in (*TEXT, "O"):
        return
    text = [
        c for c in range(array.shape[1]) if any(isinstance(v, str | bytes) for v in array[:, c])
    ]
    if text:
        raise not_numeric(pd.DataFrame(array), text)


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
    require_shape(frame)
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


def numeric_columns(frame):
    """Return the numeric columns of a DataFrame.

    Examples
    --------
    >>> list(numeric_columns(pd.DataFrame({"a": [1], "b": ["x"], "c": [True]})))
    ['a', 'c']
    """
    require_distinct(frame.columns)
    chosen = [is_numeric(column) for _, column in frame.items()]
    if not any(chosen):
        raise ValueError("no column is numeric, so that numeric_only=True leaves none")
    return frame.loc[:, chosen]


def usable_rows(frame):
    """Tell of each row whether it has no missing and no infinite value; there must be one."""
    usable = frame.notna().all(axis=1).to_numpy()
    numbers = [name for name, column in frame.items() if is_numeric(column)]
    if numbers:
        usable = usable & np.isfinite(numeric_matrix(frame[numbers])).all(axis=1)
    require_some(usable)
    return usable


def require_levels(frame):
    """Raise a ValueError that names the columns of categories with missing values."""
    gaps = frame.isna().to_numpy()
    if gaps.any():
        rows = np.flatnonzero(gaps.any(axis=1))
        raise not_finite("missing values", frame.columns[gaps.any(axis=0)], rows[0], len(rows))


def require_preparation(na_action, categories, numeric_only):
    """Raise a ValueError that names an argument which does not say how to prepare a table."""
    require_one_of("na_action", na_action, NA_ACTIONS)
    require_one_of("categories", categories, CATEGORIES)
    require_boolean("numeric_only", numeric_only)
    if numeric_only and categories == "indicators":
        raise ValueError(
            "numeric_only=True leaves out what categories='indicators' makes indicators of: give "
            "one of them"
        )


def require_plain(na_action, categories, numeric_only):
    """Raise a ValueError if a Dask collection is to be prepared in ways that need its rows here."""
    require_preparation(na_action, categories, numeric_only)
    for name, value, asked in (
        ("na_action", na_action, na_action == "impute"),
        ("categories", categories, categories == "indicators"),
        ("numeric_only", numeric_only, numeric_only),
    ):
        if asked:
            raise ValueError(
                f"{name}={value!r} needs data of this process, not a Dask collection: prepare it "
                "with Dask first"
            )


def require_some(kept):
    """Raise a ValueError if no row is left."""
    if not kept.any():
        raise ValueError(
            "no rows are left: every row has a missing or infinite value (na_action='omit')"
        )


def require_shape(frame):
    """Raise a ValueError if there are no rows or columns, or if two columns share a name."""
    if frame.shape[1] == 0:
        raise ValueError("the data have no columns (0 feature(s))")
    if len(frame) == 0:
        raise ValueError("the data have no rows (0 sample(s))")
    require_distinct(frame.columns)


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
