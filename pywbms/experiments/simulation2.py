"""Simulation 2: the number of features grows, 5 % of them carry four clusters."""

from dataclasses import replace

from pywbms.experiments import _printed
from pywbms.experiments._figures import curves
from pywbms.experiments._framework import Experiment
from pywbms.experiments.simulation1 import groups, simulation_cells, simulation_report

PS = {"full": tuple(range(20, 201, 20)), "quick": (20, 100, 200), "tiny": (20,)}
DRAWS = {"full": 20, "quick": 2, "tiny": 1}
SPREAD = (
    "The text prints a variance of 0.3 and “without any overlaps”, which do not go together: with "
    "that variance the clusters lie on top of one another. As in `pywbms.datasets.simulation2`, "
    "the standard deviation here is 0.03, which keeps the words."
)


def cells(form, stamps):
    """Return every method on every draw of every p."""
    return simulation_cells("simulation2", "p", PS[form], DRAWS[form], form)


def report(rows):
    """Compare with the figure's caption."""
    found = simulation_report(rows, groups(rows, "simulation2", "p"))
    return replace(found, notes=[SPREAD, *found.notes])


def draw(rows):
    """Draw NMI, ARI and k̂ over p."""
    return curves(rows, groups(rows, "simulation2", "p"), "number of features p")


EXPERIMENT = Experiment(
    "simulation2", "Simulation 2: the number of features grows", _printed.CLAIMS["simulation2"],
    cells, report, draw,
)  # fmt: skip
