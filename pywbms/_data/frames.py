"""Data frames of other libraries (polars, pyarrow, modin, cuDF), by way of narwhals."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd


def native_frame(data):
    """Return a data frame as one of narwhals, or None if it is no data frame.

    Raises
    ------
    ValueError
        For a lazy frame, whose rows are not there yet.
    """
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(
            f"data must be computed first: a {type(data).__name__} has no rows yet (collect it)"
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def frame_of_native(frame):
    """Return a data frame of narwhals as a pandas DataFrame: numbers as floats, texts as they are.

    Missing values become NaN in numbers, None elsewhere.
    """
    if frame.implementation.is_pandas_like():
        return frame.to_pandas()  # with its index
    columns = [column_of_native(frame[:, position]) for position in range(len(frame.columns))]
    table = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(len(frame)))
    return table.set_axis(list(frame.columns), axis=1)


def column_of_native(column):
    """Return a column of narwhals as a pandas Series."""
    import narwhals as nw

    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        try:
            return pd.Series(column.cast(nw.Float64).to_numpy())
        except Exception:  # each library has errors of its own, say for integers beyond 2^53
            values = [np.nan if value is None else float(value) for value in column.to_list()]
            return pd.Series(values, dtype=float)
    if column.dtype in (nw.String, nw.Categorical) or isinstance(column.dtype, nw.Enum):
        return pd.Series(column.to_list(), dtype=object).astype("category")
    return pd.Series(column.to_list(), dtype=object)


@dataclass(frozen=True)
class NarwhalsKind:
    """Frames without an index, such as those of polars and pyarrow."""

    backend: str
    has_index = False

    @classmethod
    def of(cls, frame):
        """Return the kind of a data frame of narwhals."""
        return cls(frame.implementation.value)

    def table(self, frame):
        """Return a pandas DataFrame as a frame of this kind."""
        import narwhals as nw

        columns = {str(name): frame.iloc[:, place] for place, name in enumerate(frame.columns)}
        values = {name: plain_values(column) for name, column in columns.items()}
        return nw.DataFrame.from_dict(values, backend=self.backend).to_native()

    def column(self, series):
        """Return a pandas Series as a column of this kind."""
        return self._series(series).to_native()

    def with_column(self, data, series):
        """Return a frame with a further column."""
        import narwhals as nw

        return nw.from_native(data, eager_only=True).with_columns(self._series(series)).to_native()

    def _series(self, series):
        import narwhals as nw

        name = "" if series.name is None else str(series.name)
        return nw.new_series(name, plain_values(series), backend=self.backend)


@dataclass(frozen=True)
class PandasLikeKind:
    """Frames with an index, such as those of modin and cuDF, made from those of pandas."""

    module: str
    has_index = True

    @classmethod
    def of(cls, frame):
        """Return the kind of a data frame of narwhals."""
        return cls(frame.implementation.to_native_namespace().__name__)

    def table(self, frame):
        """Return a pandas DataFrame as a frame of this kind."""
        return import_module(self.module).DataFrame(frame)

    def column(self, series):
        """Return a pandas Series as a Series of this kind."""
        return import_module(self.module).Series(series)

    def with_column(self, data, series):
        """Return a frame with a further column; the index of the Series is that of the frame."""
        return data.assign(**{series.name: series.to_numpy()})


def plain_values(column):
    """Return the values of a Series as an array of numbers, or as a list of objects."""
    return column.to_numpy() if column.dtype.kind in "biuf" else column.tolist()
