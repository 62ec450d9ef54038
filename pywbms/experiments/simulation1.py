"""Simulation 1: an increasing number of clusters in 5 of 20 features."""

from pywbms.experiments import _printed
from pywbms.experiments._framework import Experiment
from pywbms.experiments._simulation import simulation_cells, simulation_figure, simulation_report

KS = {"full": (2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50), "quick": (2, 10, 20), "tiny": (2, 3)}
DRAWS = {"full": 10, "quick": 1, "tiny": 1}


def cells(form, stamps):
    """Return every method on every draw of every k."""
    return simulation_cells("simulation1", "k", KS[form], DRAWS[form], form)


def report(rows):
    """Compare with the paper's description of the figure."""
    return simulation_report(rows, "simulation1", "k")


def draw(rows):
    """Draw NMI, ARI and k̂ against k."""
    return simulation_figure(rows, "simulation1", "k", "true number of clusters k")


EXPERIMENT = Experiment(
    "simulation1", "Simulation 1: the number of clusters grows", _printed.CLAIMS["simulation1"],
    cells, report, draw,
)  # fmt: skip
