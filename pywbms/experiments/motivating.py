"""The motivating example: BMS and WBMS on two clusters in 2 of 32 features."""

import numpy as np

from pywbms._viz.figure import pyplot
from pywbms._viz.style import DARK, scatter_rows
from pywbms.experiments import _findings, _grids, _printed
from pywbms.experiments._cells import MEASURES, cell
from pywbms.experiments._findings import verdict
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import COLUMNS, FIGURE_ONLY
from pywbms.experiments._tables import Group, comparison, means, method_table

ITERATIONS = (0, 1, 2, 5, 30)
LAM = 10.0
#: With more clusters than this, colours are not used.
MOST_COLOURS = 20
GROUP = Group("data1", "data1")


def cells(form, stamps):
    """Return the three ways of WBMS and BMS at the paper's h, and the paths to draw."""
    at_h = {"h": [_printed.MOTIVATING_H], "lam": [LAM]}
    planned = [
        cell({"name": "data1", "seed": 0}, "paths", h=_printed.MOTIVATING_H, lam=LAM,
             iterations=ITERATIONS)
    ]  # fmt: skip
    for seed in range(_grids.DRAWS[form]):
        data = {"name": "data1", "seed": seed}
        planned += [
            cell(data, "wbms", **_grids.choice(form)),
            cell(data, "wbms_grid", **_grids.GRID[form]),
            cell(data, "wbms_released", **at_h),
            cell(data, "bms", h=[_printed.MOTIVATING_H]),
        ]
    return planned


def report(rows):
    """Compare with the figure's caption."""
    measured = rows[rows["ari"].notna()]
    table = means(measured, GROUP)
    printed = {"informative": FIGURE_ONLY, "k": "2 centroids found (figure)"}
    compared = comparison(
        measured, [GROUP], lambda group, measure: printed.get(measure, FIGURE_ONLY),
        ("informative", *MEASURES),
    )  # fmt: skip
    compared["measure"] = compared["measure"].replace("informative", "weight on x1 and x2")
    findings = _findings.how_close(measured, [GROUP])
    findings += [
        f"WBMS, {short}: weight of the two relevant features "
        f"{table.loc[method, 'informative']:z.3f}."
        for method, (_, short) in COLUMNS.items()
        if method in table.index
    ]
    if "bms" in table.index:
        bms = table.loc["bms"]
        findings.append(
            f"Claim that BMS fails at h = 0.1: {verdict(int(bms['ari'] < 0.5), 1)}, mean ARI "
            f"{bms['ari']:z.3f}, mean k̂ {bms['k']:.3g}."
        )
        findings += [
            "Claim that BMS's “data cloud gradually converges to the origin”: "
            f"{verdict(k == 1, 1)} at h = {h:g}, with k̂ = {k} after {max(ITERATIONS)} iterations "
            "(first draw)."
            for h, k in blurred(rows).items()
        ]
    return Report(
        {"Printed and measured": compared, "All methods": method_table(measured, [GROUP])},
        findings,
        [
            f"Means over {measured['draw'].nunique()} draws; the figure shows the first.",
            "The text gives h = 0.1 and no λ; λ = 10 is taken from the example released by the "
            "authors. Kernel exp(−d²/h), λ on the sum scale, as in the released code.",
            "BMS uses the kernel exp(−d²/(p·h)), so that h has the same meaning as in WBMS with "
            "equal weights; here it is given h = 0.1 as in the text, not the best of a grid.",
        ],
    )


def blurred(rows):
    """Return h → the number of clusters of BMS for the paths that are drawn."""
    last = rows[(rows["iteration"] == max(ITERATIONS)) & (rows["method"] == "bms")]
    return {line.h: len(set(line.labels)) for line in last.itertuples()}


def draw(rows):
    """Draw the collapsing points of BMS and of WBMS in the first two features."""
    paths = rows[rows["points"].notna()]
    figure, axes = pyplot().subplots(
        3, len(ITERATIONS), figsize=(1 + 2.3 * len(ITERATIONS), 7.4), sharex=True, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for line, ((method, h), mine) in zip(axes, paths.groupby(["method", "h"]), strict=True):
        mine = mine.sort_values("iteration")
        start = np.array(mine["points"].iloc[0])
        k = len(set(mine["labels"].iloc[0]))
        for ax, snapshot in zip(line, mine.itertuples(), strict=True):
            # The weights of the 30 other features do not matter in these two dimensions.
            contour(ax, start, np.array(snapshot.weights), h)
            points = np.array(snapshot.points)
            if k <= MOST_COLOURS:
                scatter_rows(ax, points, np.array(snapshot.labels), size=12)
            else:
                ax.scatter(*points.T, s=8, color=DARK)
            ax.set_title(f"t = {int(snapshot.iteration)}", fontsize="small")
        name = "BMS" if method == "bms" else "WBMS (released form)"
        line[0].set_ylabel(f"{name}\nh = {h:g}, k̂ = {k}\nx2")
    for ax in axes[-1]:
        ax.set_xlabel("x1")
    return figure


def contour(ax, points, weights, h):
    """Draw the kernel density f(x) ∝ Σ exp(−‖x − x_i‖²_w / h) of the data behind the points."""
    low, high = points.min(axis=0) - 0.3, points.max(axis=0) + 0.3
    grids = [np.linspace(a, b, 70) for a, b in zip(low, high, strict=True)]
    kernels = [
        np.exp(-w * (grid[:, None] - column) ** 2 / h)
        for grid, column, w in zip(grids, points.T, weights, strict=True)
    ]
    density = kernels[1] @ kernels[0].T
    levels = np.linspace(0, density.max(), 9)
    ax.contourf(*grids, density, levels=levels, cmap="Greys", vmax=1.8 * density.max())


EXPERIMENT = Experiment(
    "motivating", "The motivating example: BMS and WBMS", _printed.CLAIMS["motivating"],
    cells, report, draw,
)  # fmt: skip
