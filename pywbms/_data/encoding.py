"""How the columns of a table become numbers: categories as indicators, gaps filled in.

What the rows of a fit tell (levels, medians) is applied to new rows as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.checks import is_numeric, not_numeric
from pywbms._terminal.wording import quoted

# A category with more levels is no category but a text.
MOST_LEVELS = 1000
# Sums of weights that differ by less, as a share, are equal: their order must not matter.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Encoding:
    """The columns of a table and what stands for their values.

    Attributes
    ----------
    columns : Index
        Of the table, in its order.
    levels : dict
        The levels of each column of categories, in an order of their own: neither that of the
        rows nor that of the categories has a say.
    fills : dict or None
        What a missing value is replaced by: the median of a column of numbers, the most frequent
        level of one of categories. None if missing values stay missing.
    """

    columns: pd.Index
    levels: dict = field(default_factory=dict)
    fills: dict | None = None

    @classmethod
    def of(cls, frame, matrix_of, categories, impute, weights=None):
        """Return the encoding that the rows of a DataFrame ask for.

        Parameters
        ----------
        frame : DataFrame
        matrix_of : callable
            Returns columns of numbers as a float64 matrix.
        categories : bool
            Whether columns of texts and categories become indicators.
        impute : bool
        weights : ndarray of shape (n,), optional
            How many rows each one stands for; one by default.
        """
        names = category_columns(frame) if categories else []
        levels = {name: levels_of(frame[name]) for name in names}
        require_few_levels(levels)
        empty = [name for name, found in levels.items() if not found]
        fills = None
        if impute:
            fills = {name: most_frequent(frame[name], levels[name], weights) for name in names}
            numbers = [name for name in frame.columns if name not in levels]
            if numbers:
                matrix = matrix_of(frame[numbers])
                fills |= {
                    name: median(x, weights) for name, x in zip(numbers, matrix.T, strict=True)
                }
            empty = [name for name in frame.columns if fills[name] is None]
        if empty:
            raise ValueError(f"column {quoted(empty)} has no value at all: leave it out")
        return cls(frame.columns, levels, fills)

    @property
    def encoded_columns(self):
        """The columns of the matrix: indicators are called ``column=level``."""
        if not self.levels:
            return self.columns
        names = []
        for name in self.columns:
            if name in self.levels:
                names += [indicator_name(name, level) for level in self.levels[name]]
            else:
                names.append(name)
        if self.columns.nlevels > 1:
            return pd.MultiIndex.from_tuples(names, names=self.columns.names)
        return pd.Index(names, name=self.columns.name)

    @property
    def indicators(self):
        """The positions of the indicators among the columns of the matrix, by category."""
        place, found = 0, []
        for name in self.columns:
            width = len(self.levels[name]) if name in self.levels else 1
            if name in self.levels:
                found.append(tuple(range(place, place + width)))
            place += width
        return tuple(found)

    def matrix(self, frame, matrix_of):
        """Return rows as a float64 matrix, and how many values were filled in, by column.

        A missing category is NaN in all its indicators, unless it is filled in.

        Raises
        ------
        ValueError
            For a level that the fit has not seen.
        """
        numbers = [name for name in self.columns if name not in self.levels]
        measured = iter(matrix_of(frame[numbers]).T) if numbers else iter(())
        blocks, imputed = [], {}
        for name in self.columns:
            if name in self.levels:
                block, gaps = self._indicators(frame[name])
            else:
                block = next(measured)[:, None]
                gaps = ~np.isfinite(block[:, 0])
                if self.fills is not None:
                    block[gaps] = self.fills[name]
            imputed[name] = int(gaps.sum()) if self.fills is not None else 0
            blocks.append(block)
        counts = pd.Series(list(imputed.values()), index=self.columns, name="imputed", dtype=int)
        return np.ascontiguousarray(np.concatenate(blocks, axis=1)), counts

    def _indicators(self, column):
        """Return the indicators of a column of categories, and where it has no value."""
        levels = self.levels[column.name]
        gaps = column.isna().to_numpy()
        code = pd.Index(levels, dtype=object).get_indexer(column.astype(object))
        unknown = column[(code < 0) & ~gaps].unique()
        if len(unknown):
            raise ValueError(
                f"column {column.name!r} has levels that the fit has not seen: {quoted(unknown)}; "
                f"it knows {quoted(levels)}"
            )
        block = (code[:, None] == np.arange(len(levels))).astype(float)
        block[gaps] = np.nan
        if self.fills is not None:
            block[gaps] = np.asarray(levels, dtype=object) == self.fills[column.name]
        return block, gaps


def require_few_levels(levels):
    """Raise a ValueError that names a category with so many levels that it tells rows apart."""
    for name, found in levels.items():
        if len(found) > MOST_LEVELS:
            raise ValueError(
                f"column {name!r} has {len(found):,} levels, each of which would become a column "
                f"(at most {MOST_LEVELS:,}): leave it out, or join some of its levels"
            )


def category_columns(frame):
    """Return the names of the columns of texts and categories; the others must be numeric."""
    names, unusable = [], []
    for name, column in frame.items():
        if is_category(column):
            names.append(name)
        elif not is_numeric(column):
            unusable.append(name)
    if unusable:
        raise not_numeric(frame, unusable)
    return names


def is_category(column):
    """Tell whether a Series holds texts or pandas' categories."""
    if isinstance(column.dtype, pd.CategoricalDtype | pd.StringDtype):
        return True
    return column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "string"


def levels_of(column):
    """Return the values that occur in a column, sorted: numbers by size, all else as text.

    Examples
    --------
    >>> levels_of(pd.Series(["b", "a", None, "b"]))
    ('a', 'b')
    """
    found = list(column.dropna().astype(object).unique())
    numbers = all(isinstance(level, int | float | np.number) for level in found)
    return tuple(sorted(found, key=None if numbers else str))


def most_frequent(column, levels, weights=None):
    """Return the level of most rows, the first of several; None if no row has one.

    Examples
    --------
    >>> column = pd.Series(["a", "b", "b", None])
    >>> most_frequent(column, ("a", "b")), most_frequent(column, ("a", "b"), np.array([3, 1, 1, 9]))
    ('b', 'a')
    """
    weights = np.ones(len(column)) if weights is None else weights
    code = pd.Index(levels, dtype=object).get_indexer(column.astype(object))
    total = np.bincount(code[code >= 0], weights[code >= 0], minlength=len(levels))
    if not total.any():
        return None
    return levels[int(np.argmax(total >= total.max() * (1 - ROUNDING)))]


def median(values, weights=None):
    """Return the median of the finite values, or None; half of each of the two in the middle.

    Examples
    --------
    >>> median(np.array([4.0, np.inf, 1.0, np.nan, 2.0, 3.0]))
    2.5
    >>> median(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 1.5]))
    3.0
    """
    counts = np.isfinite(values) if weights is None else np.isfinite(values) & (weights > 0)
    if not counts.any():
        return None
    values = values[counts]
    if weights is None:
        values, n = np.sort(values), len(values)
        low, high = values[(n - 1) // 2], values[n // 2]
    else:
        weights = weights[counts]
        order = np.lexsort((weights, values))
        values, ends = values[order], np.cumsum(weights[order])
        half = ends[-1] / 2
        low = values[np.searchsorted(ends, half * (1 - ROUNDING))]
        high = values[np.searchsorted(ends, half * (1 + ROUNDING), side="right")]
    return float(low if low == high else low / 2 + high / 2)


def indicator_name(name, level):
    """Return the name of an indicator; of a column with several levels the last one is changed.

    Examples
    --------
    >>> indicator_name("Species", "setosa"), indicator_name(("iris", "Species"), "setosa")
    ('Species=setosa', ('iris', 'Species=setosa'))
    """
    if isinstance(name, tuple):
        return (*name[:-1], f"{name[-1]}={level}")
    return f"{name}={level}"
