"""A result whose tables are of the kind that was clustered: of polars, pyarrow, …."""

import pandas as pd

from pywbms._results.summary import Summary


class NativeResult:
    """A result with the tables of another library than pandas.

    It has all that a `WBMSResult` has: attributes and methods are those of the result in
    `pandas`, and each Series or DataFrame that these return is turned into the kind of table that
    was clustered. Where that kind has no index, an index other than row numbers becomes the first
    column, called "column", "cluster" or "row".

    Parameters
    ----------
    result : WBMSResult
    kind : kind of table
        From `pywbms._data.kinds.read`.

    Attributes
    ----------
    pandas : WBMSResult
        The same result with the tables of pandas.
    """

    # They decide by what they are given.
    _AS_THEY_ARE = frozenset({"predict"})

    def __init__(self, result, kind):
        self.pandas = result
        self._kind = kind

    def __getattr__(self, name):
        if name.startswith("_") or name == "pandas":  # not there yet while it is unpickled
            raise AttributeError(name)
        value = getattr(self.pandas, name)
        if name in self._AS_THEY_ARE:
            return value
        if callable(value):
            return self._converting(value)
        return self._converted(value)

    def augment(self, data=None, name="cluster"):
        """Return the clustered table with its labels; see `WBMSResult.augment`."""
        found = self.pandas.augment(data, name)
        return self._converted(found) if data is None else found

    def _converting(self, method):
        def call(*args, **kwargs):
            return self._converted(method(*args, **kwargs))

        call.__doc__, call.__name__ = method.__doc__, getattr(method, "__name__", "call")
        return call

    def _converted(self, value):
        """Return a table of pandas as one of this kind, and anything else as it is."""
        if isinstance(value, type(self.pandas)):
            return NativeResult(value, self._kind)
        if isinstance(value, Summary) or not isinstance(value, pd.Series | pd.DataFrame):
            return value
        if not self._kind.has_index and not counts_rows(value.index):
            value = value.rename_axis(index=value.index.name or name_of(value.index))
            value = value.reset_index()
        is_table = isinstance(value, pd.DataFrame)
        return self._kind.table(value) if is_table else self._kind.column(value)

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(self.pandas)})

    def __repr__(self):
        return repr(self.pandas)

    def _repr_html_(self):
        return self.pandas._repr_html_()


def counts_rows(index):
    """Tell whether an index has nothing to say but the number of each row."""
    return index.name is None and index.equals(pd.RangeIndex(len(index)))


def name_of(index):
    """Return what a column is called that holds an index without a name."""
    return "row" if pd.api.types.is_integer_dtype(index) else "column"
