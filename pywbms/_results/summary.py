"""The summary of a result: a table that ends with a note."""

import html

import pandas as pd

from pywbms._terminal.wording import some


def copy_or_none(values):
    """Return a copy of a table or an array, if there is one."""
    return None if values is None else values.copy()


def imputed_lines(imputed):
    """Return a line that tells how many values were filled in, if there were any.

    Examples
    --------
    >>> imputed_lines(pd.Series({"a": 2, "b": 0, "c": 1}))
    ['imputed values: 3 (a 2, c 1)']
    """
    found = imputed[imputed > 0]
    if not len(found):
        return []
    return [f"imputed values: {found.sum()} ({some((f'{c} {n}' for c, n in found.items()), 6)})"]


class Summary(pd.DataFrame):
    """A DataFrame that prints a note at the end, if there is one."""

    _metadata = ["note"]  # noqa: RUF012 (pandas adds it to a list of its own)

    @classmethod
    def of(cls, table, note):
        """Return a table with a note."""
        summary = cls(table)
        summary.note = note
        return summary

    @property
    def _constructor(self):
        return pd.DataFrame  # what is computed from a summary is a plain table

    def __repr__(self) -> str:
        note = getattr(self, "note", "")
        return super().__repr__() + (f"\n\n{note}" if note else "")

    def _repr_html_(self) -> str:
        note = html.escape(getattr(self, "note", "")).replace("\n", "<br>")
        return (super()._repr_html_() or "") + (f"<p>{note}</p>" if note else "")  # type: ignore[misc]
