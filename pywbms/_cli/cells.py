"""The cells that keep a column of a table from being numeric, in words."""

import re

import pandas as pd

from pywbms._cli.spreadsheet import is_number

DECIMAL_COMMA = re.compile(r"\s*[-+]?\d[\d.]*,\d+\s*")


def first_text(table, columns):
    """Return the first cell that is no number, by row, column and value, as text.

    Columns that have numbers, too, come first: a column without any may be a text on purpose.

    Parameters
    ----------
    table : DataFrame
    columns : list of str
        Columns that are not numeric.

    Examples
    --------
    >>> first_text(pd.DataFrame({"name": ["u", "v"], "b": ["1", "x"]}), ["name", "b"])
    "row 2 of column 'b' has 'x'"
    """
    found = [bad_cell(table[name]) for name in columns]
    mixed, cell, name = max(
        ((mixed, cell, name) for (mixed, cell), name in zip(found, columns, strict=True)),
        key=lambda one: one[0],
    )
    if cell is None:
        return ""
    value = table[name].iloc[cell]
    text = f"row {row_called(table, cell)} of column {name!r} has {value!r}"
    if mixed and isinstance(value, str) and DECIMAL_COMMA.fullmatch(value):
        text += "; for decimal commas use --decimal ,"
    return text


def bad_cell(column):
    """Return whether a column has numbers, and the place of its first cell that is none."""
    present = column.notna().to_numpy()
    numeric = [not there or is_cell_number(x) for x, there in zip(column, present, strict=True)]
    bad = [place for place, good in enumerate(numeric) if not good]
    mixed = any(good and there for good, there in zip(numeric, present, strict=True))
    commas = bad and isinstance(column.iloc[bad[0]], str)
    commas = commas and DECIMAL_COMMA.fullmatch(column.iloc[bad[0]]) is not None
    return bool(mixed or commas), bad[0] if bad else None


def is_cell_number(value):
    """Tell whether a cell, or its text, is a number."""
    return is_number(value) if isinstance(value, str) else pd.api.types.is_number(value)


def row_called(table, place):
    """Return the name of a row, or its number, counted from 1 below the header."""
    if isinstance(table.index, pd.RangeIndex):
        return place + 1
    return repr(table.index[place])
