"""Text that a spreadsheet would take for a formula when it opens a CSV file."""

from typing import NamedTuple

import pandas as pd

STARTS_OF_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


class SafeTable(NamedTuple):
    """A table without formulas, and how many there were."""

    table: pd.DataFrame
    n_quoted: int


def without_formulas(table):
    """Return a table whose texts, names of columns included, no spreadsheet takes for formulas.

    A quotation mark, ', goes before them, which is how spreadsheets mark text.

    Examples
    --------
    >>> safe = without_formulas(pd.DataFrame({"a": ["=1+1", "b", "-5"], "n": [-1, -2, -3]}))
    >>> safe.table["a"].tolist(), safe.n_quoted
    (["'=1+1", 'b', '-5'], 1)
    """
    formulas = {
        position: [is_formula(value) for value in column]
        for position, (_, column) in enumerate(table.items())
        if not pd.api.types.is_numeric_dtype(column)
    }
    names = [is_formula(name) for name in table.columns]
    n_quoted = sum(names) + sum(map(sum, formulas.values()))
    if not n_quoted:
        return SafeTable(table, 0)
    safe = table.copy()
    for position, found in formulas.items():
        if any(found):
            values = zip(table.iloc[:, position], found, strict=True)
            texts = [f"'{value}" if formula else value for value, formula in values]
            safe.isetitem(position, pd.Series(texts, index=table.index, dtype=object))
    pairs = zip(table.columns, names, strict=True)
    safe.columns = pd.Index([f"'{name}" if formula else name for name, formula in pairs])
    return SafeTable(safe, n_quoted)


def is_formula(value):
    """Tell whether a value is a text that may be a formula: "+49 30" may, the number "-5" not."""
    return isinstance(value, str) and value.startswith(STARTS_OF_FORMULAS) and not is_number(value)


def is_number(text):
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
