"""Simulation 2: an increasing number of features, 5 % of which carry four clusters."""

from pywbms.experiments import _printed
from pywbms.experiments._framework import Experiment
from pywbms.experiments._grids import SPREAD_OF_CLUSTERS
from pywbms.experiments._simulation import simulation_cells, simulation_figure, simulation_report

PS = {"full": tuple(range(20, 201, 20)), "quick": (20, 100, 200), "tiny": (20,)}
DRAWS = {"full": 20, "quick": 2, "tiny": 1}


def cells(form, stamps):
    """Return every method on every draw of every p."""
    return simulation_cells("simulation2", "p", PS[form], DRAWS[form], form)


def report(rows):
    """Compare with the paper's description of the figure."""
    return simulation_report(rows, "simulation2", "p", [SPREAD_OF_CLUSTERS])


def draw(rows):
    """Draw NMI, ARI and k̂ against p."""
    return simulation_figure(rows, "simulation2", "p", "number of features p")


EXPERIMENT = Experiment(
    "simulation2", "Simulation 2: the number of features grows", _printed.CLAIMS["simulation2"],
    cells, report, draw,
)  # fmt: skip
