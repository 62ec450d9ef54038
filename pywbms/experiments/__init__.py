"""The paper's figures and tables, recomputed: one module each, `pywbms reproduce NAME`.

An experiment consists of a list of cells (a data set, a method, a seed) for a full, a quick and a
tiny form, a function that turns the rows of all cells into tables and sentences, and one that draws
them. Cells are computed in parallel and stored as they finish.

Examples
--------
>>> from pywbms.experiments import EXPERIMENTS, reproduce
>>> EXPERIMENTS["simulation1"].title
'Simulation 1: the number of clusters grows'
>>> outcomes = reproduce([EXPERIMENTS["simulation1"]], "out", form="quick")  # doctest: +SKIP
"""

from importlib import import_module

__all__ = ["EXPERIMENTS", "reproduce"]

_HOMES = {"EXPERIMENTS": "_registry", "reproduce": "_run"}


def __getattr__(name):
    # Loaded lazily, so that the command line starts faster.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
