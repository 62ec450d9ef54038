"""The paper's figures and tables, computed anew: one module each, `pywbms reproduce NAME`.

An experiment is a list of cells (a data set, a method, a seed) for a full, a quick and a tiny
form, a function that turns the rows of all cells into tables and sentences, and one that draws
them. Cells are computed side by side and kept as they finish.

Examples
--------
>>> from pywbms.experiments import EXPERIMENTS, reproduce
>>> EXPERIMENTS["simulation1"].title
'Simulation 1: the number of clusters grows'
>>> reproduce([EXPERIMENTS["simulation1"]], "reproduction", form="quick")  # doctest: +SKIP
"""

__all__ = ["EXPERIMENTS", "reproduce"]


def __getattr__(name):
    # On demand: the command line, which needs only some words of this package, starts faster.
    if name == "EXPERIMENTS":
        from pywbms.experiments._registry import EXPERIMENTS

        return EXPERIMENTS
    if name == "reproduce":
        from pywbms.experiments._run import reproduce

        return reproduce
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
