"""What an experiment is, and what it reports."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

#: Columns that every table of rows has, filled or not.
ROW = (
    "data", "setting", "draw", "method", "run", "h", "lam", "k_true", "ari", "nmi", "ami", "k",
    "singletons", "informative", "seconds", "settings", "labels", "weights", "points", "iteration",
)  # fmt: skip
NUMBERS = (
    "setting", "h", "lam", "k_true", "ari", "nmi", "ami", "k", "singletons", "informative",
    "seconds",
)  # fmt: skip
FORMS = ("full", "quick", "tiny")


@dataclass(frozen=True)
class Report:
    """What came out of an experiment, in words and numbers.

    Attributes
    ----------
    tables : dict
        Title → DataFrame of texts; the first is the comparison of printed and measured.
    findings : list of str
        Sentences that hold the paper's claim against what was measured.
    notes : list of str
        What a reader needs to know about the numbers.
    """

    tables: dict[str, pd.DataFrame]
    findings: list[str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper, computed anew.

    Attributes
    ----------
    name, title : str
    claim : str
        What the paper says of it.
    cells : callable
        Takes a form ("full", "quick" or "tiny") and the stamps of the real data that are there;
        returns the cells to compute.
    report : callable
        Takes the rows of all cells; returns a `Report`.
    draw : callable
        Takes the rows; returns a matplotlib figure, or None if there is nothing to draw.
    needs : tuple of str
        The real data sets it would use.
    """

    name: str
    title: str
    claim: str
    cells: Callable
    report: Callable
    draw: Callable
    needs: tuple[str, ...] = ()


def as_rows(found):
    """Return rows as a DataFrame with the columns of `ROW`."""
    rows = pd.DataFrame(found, columns=list(ROW))
    rows = rows.astype(dict.fromkeys(NUMBERS, float))
    # Grouping by a column that is nowhere filled would lose all rows.
    return rows.fillna({"setting": 0.0})
