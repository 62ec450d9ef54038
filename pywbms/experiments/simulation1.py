"""Simulation 1: the number of clusters grows, in 5 of 20 features."""

from pywbms.experiments import _findings, _grids, _printed
from pywbms.experiments._cells import cell
from pywbms.experiments._figures import curves
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import FIGURE_ONLY
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import Group, comparison, method_table

KS = {"full": (2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50), "quick": (2, 10, 20), "tiny": (2, 3)}
DRAWS = {"full": 10, "quick": 1, "tiny": 1}


def cells(form, stamps):
    """Return every method on every draw of every k."""
    return simulation_cells("simulation1", "k", KS[form], DRAWS[form], form)


def simulation_cells(name, parameter, settings, draws, form):
    """Return every method on every draw of a simulation, a parameter of which grows."""
    planned = []
    for setting in settings:
        for seed in range(draws):
            data = {"name": name, parameter: setting, "seed": seed}
            planned += [cell(data, peer, **_grids.peer_options(peer, form)) for peer in PEERS]
            planned += [
                cell(data, "wbms"),
                cell(data, "wbms_grid", **_grids.GRID[form]),
                cell(data, "wbms_released", **_grids.PAPER_RANGE[form]),
            ]
    return planned


def groups(rows, name, parameter):
    """Return a group for each value of the parameter."""
    settings = sorted(rows["setting"].unique())
    return [Group(f"{parameter} = {setting:g}", name, setting) for setting in settings]


def report(rows):
    """Compare with the figure's caption."""
    return simulation_report(rows, groups(rows, "simulation1", "k"))


def simulation_report(rows, found):
    """Return the tables of a simulation, a parameter of which grows."""
    draws = rows["draw"].nunique()
    return Report(
        {
            "Printed and measured": comparison(rows, found, lambda *_: FIGURE_ONLY),
            "All methods": method_table(rows, found),
        },
        [*_findings.where_best(rows, found), *_findings.how_close(rows, found)],
        [
            f"Means over {draws} draws of each data set.",
            _grids.IN_THE_RANGE,
            told(),
        ],
    )


def told():
    """Say what the peers were told."""
    texts = [f"{METHODS[peer].title}: {METHODS[peer].told}" for peer in PEERS]
    return "What the peers were told beyond the data: " + "; ".join(texts) + "."


def draw(rows):
    """Draw NMI, ARI and k̂ over k."""
    return curves(rows, groups(rows, "simulation1", "k"), "true number of clusters k")


EXPERIMENT = Experiment(
    "simulation1", "Simulation 1: the number of clusters grows", _printed.CLAIMS["simulation1"],
    cells, report, draw,
)  # fmt: skip
