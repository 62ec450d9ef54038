"""Shared by Simulations 1 and 2: every method, for increasing values of a parameter of the data."""

from pywbms.experiments import _findings, _grids
from pywbms.experiments._cells import cell
from pywbms.experiments._figures import curves
from pywbms.experiments._framework import Report
from pywbms.experiments._labels import FIGURE_ONLY, RELEASED_IN_RANGE
from pywbms.experiments._methods import PEERS
from pywbms.experiments._tables import Group, comparison, method_table, what_peers_know


def simulation_cells(name, parameter, settings, draws, form):
    """Return every method on every draw of a simulation.

    Parameters
    ----------
    name : str
        Its function in `pywbms.datasets`.
    parameter : str
        The parameter of that function that is varied.
    settings : sequence of int
        Its values.
    draws : int
        Number of data sets drawn for each value.
    form : {"full", "quick", "tiny"}
    """
    planned = []
    for setting in settings:
        for seed in range(draws):
            data = {"name": name, parameter: setting, "seed": seed}
            planned += [cell(data, peer, **_grids.peer_options(peer, form)) for peer in PEERS]
            planned += [
                cell(data, "wbms", **_grids.choice(form)),
                cell(data, "wbms_grid", **_grids.GRID[form]),
                cell(data, "wbms_released", **_grids.PAPER_RANGE[form]),
            ]
    return planned


def simulation_report(rows, name, parameter, notes=()):
    """Compare with the paper's description of a figure."""
    groups = groups_of(rows, name, parameter)
    return Report(
        {
            "Printed and measured": comparison(
                rows, groups, lambda *_: FIGURE_ONLY, released=RELEASED_IN_RANGE
            ),
            "All methods": method_table(rows, groups),
        },
        [*_findings.where_best(rows, groups), *_findings.how_close(rows, groups)],
        [
            *notes,
            f"Means over {rows['draw'].nunique()} draws of each data set.",
            _grids.IN_THE_RANGE,
            what_peers_know(),
        ],
    )


def simulation_figure(rows, name, parameter, xlabel):
    """Draw NMI, ARI and k̂ of every method against the parameter."""
    return curves(rows, groups_of(rows, name, parameter), xlabel)


def groups_of(rows, name, parameter):
    """Return one group per value of the parameter."""
    settings = sorted(rows["setting"].unique())
    return [Group(f"{parameter} = {setting:g}", name, setting) for setting in settings]
