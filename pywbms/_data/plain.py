"""Tables made of what Python and NumPy have: dicts, records, structured arrays."""

import numpy as np
import pandas as pd


class DictKind:
    """A dict with one sequence of values per column."""

    has_index = False

    @classmethod
    def read(cls, data):
        """Return such a table as a DataFrame, and its kind."""
        try:
            return pd.DataFrame({name: as_column(values) for name, values in data.items()}), cls()
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"data as a dict must have one sequence of values per column, all equally long "
                f"({error})"
            ) from error

    def table(self, frame):
        """Return a DataFrame as a dict of lists."""
        return {name: frame.iloc[:, i].tolist() for i, name in enumerate(frame.columns)}

    def column(self, series):
        """Return a Series as a list."""
        return series.tolist()

    def with_column(self, data, series):
        """Return the table with a further column."""
        return {**data, series.name: series.tolist()}


class RecordsKind:
    """A sequence of dicts, one per row; a key that a row lacks is a missing value."""

    has_index = False

    @classmethod
    def read(cls, data):
        """Return such a table as a DataFrame, and its kind."""
        return pd.DataFrame(list(map(dict, data))), cls()

    def table(self, frame):
        """Return a DataFrame as a list of dicts."""
        return frame.to_dict(orient="records")

    def column(self, series):
        """Return a Series as a list."""
        return series.tolist()

    def with_column(self, data, series):
        """Return the table with a further column."""
        pairs = zip(data, series.tolist(), strict=True)
        return [{**row, series.name: value} for row, value in pairs]


class StructuredKind:
    """A NumPy array with named fields."""

    has_index = False

    @classmethod
    def read(cls, data):
        """Return such a table as a DataFrame, and its kind."""
        if data.ndim != 1 or any(data.dtype[name].shape for name in data.dtype.names):
            raise ValueError(
                "data as a structured array must have one dimension and one value per field"
            )
        masked = np.ma.isMaskedArray(data)
        fields = {name: data[name] for name in data.dtype.names}
        if masked:
            fields = {name: pd.Series(values.tolist()) for name, values in fields.items()}
        return pd.DataFrame(fields), cls()

    def table(self, frame):
        """Return a DataFrame as a structured array."""
        columns = [frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])]
        names = map(str, frame.columns)
        array = np.empty(
            len(frame), [(name, c.dtype) for name, c in zip(names, columns, strict=True)]
        )
        for name, values in zip(array.dtype.names, columns, strict=True):
            array[name] = values
        return array

    def column(self, series):
        """Return a Series as an array."""
        return series.to_numpy()

    def with_column(self, data, series):
        """Return the table with a further field."""
        array = np.empty(data.shape, [*data.dtype.descr, (str(series.name), series.dtype)])
        for name in data.dtype.names:
            array[name] = data[name]
        array[str(series.name)] = series.to_numpy()
        return array


def as_column(values):
    """Return one column of a dict as an array, which no index can align."""
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise ValueError(f"a column is {values!r}")
    return values if isinstance(values, np.ndarray) else pd.Series(list(values)).array
