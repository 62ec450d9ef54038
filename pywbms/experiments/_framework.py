"""The definitions of an experiment and its report."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

#: Columns of every table of rows; some may be empty.
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
    """The results of an experiment, in words and numbers.

    Attributes
    ----------
    tables : dict
        Title → DataFrame of strings; the first compares printed and measured values.
    findings : list of str
        Sentences that compare the paper's claim with the measurements.
    notes : list of str
        Explanations of the numbers.
    """

    tables: dict[str, pd.DataFrame]
    findings: list[str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper to recompute.

    Attributes
    ----------
    name, title : str
    claim : str
        What the paper says about it.
    cells : callable
        Takes a form ("full", "quick" or "tiny") and the stamps of the available real data;
        returns the cells to compute.
    report : callable
        Takes the rows of all cells; returns a `Report`.
    draw : callable
        Takes the rows; returns a matplotlib figure, or None if there is nothing to draw.
    needs : tuple of str
        The real data sets it uses, if available.
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
    # Grouping by an empty column would drop all rows.
    return rows.fillna({"setting": 0.0})
