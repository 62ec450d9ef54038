"""The figures of the experiments; matplotlib is only imported when something is drawn."""

import numpy as np

from pywbms._viz.figure import pyplot
from pywbms._viz.style import COLOURS, DARK, GREY, MARKERS, scatter_rows
from pywbms.experiments._labels import COLUMNS
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import means

#: WBMS is black in every figure; its forms differ by line style.
WBMS_STYLES = {
    "wbms": {"color": "black", "marker": "o", "linestyle": "-", "linewidth": 2.2},
    "wbms_grid": {"color": "black", "marker": "^", "linestyle": "--", "linewidth": 1.2},
    "wbms_released": {"color": "black", "marker": "x", "linestyle": ":", "linewidth": 1.2},
}
LABELS = {
    "wbms": "WBMS, chosen without labels",
    "wbms_grid": "WBMS, best on a grid (labels used)",
    "wbms_released": "WBMS, released form",
}
IN_RANGE = "WBMS, released form, best in the paper's range (labels used)"
#: Without yellow, which is too faint for a line; with additional colours for eight peers.
PEER_COLOURS = (*COLOURS[:-1], "#882255", "#999933")
FACE = {"markersize": 4.5}


def style(method):
    """Return the line style of a method: black for WBMS, one colour per peer."""
    if method in WBMS_STYLES:
        return {**FACE, **WBMS_STYLES[method], "zorder": 3}
    place = PEERS.index(method)
    return {
        **FACE, "color": PEER_COLOURS[place], "marker": MARKERS[place], "linewidth": 1.2,
        "alpha": 0.85,
    }  # fmt: skip


def label(method):
    """Return the legend label of a method."""
    return LABELS.get(method, METHODS[method].title)


def curves(rows, groups, xlabel):
    """Draw NMI, ARI and k̂ of every method against k or p, as in the paper's figures.

    Parameters
    ----------
    rows : DataFrame
    groups : sequence of Group
        Each with a setting, its value on the x-axis.
    xlabel : str
    """
    if rows.empty:
        return None
    tables = [means(rows, group) for group in groups]
    x = np.array([group.setting for group in groups])
    figure, axes = pyplot().subplots(1, 3, figsize=(13, 4.9), layout="constrained")
    methods = [name for name in (*PEERS, *COLUMNS) if name in set(rows["method"])]
    for ax, measure, title in zip(axes, ("nmi", "ari", "k"), ("NMI", "ARI", "k̂"), strict=True):
        for method in methods:
            y = [t.loc[method, measure] if method in t.index else np.nan for t in tables]
            text = IN_RANGE if method == "wbms_released" else label(method)
            ax.plot(x, y, label=text, **style(method))
        if measure == "k":
            true = [t["k_true"].mean() for t in tables]
            ax.plot(x, true, color=GREY, linewidth=6, alpha=0.4, zorder=0, label="true k")
            ax.set_yscale("log")
            ticks = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
            ax.set_yticks(ticks, [str(k) for k in ticks])
            ax.minorticks_off()
            highest = max(float(t.loc[t.index.isin(methods), "k"].max()) for t in tables)
            ax.set_ylim(0.9, 1.25 * max(highest, *true))
        else:
            ax.set_ylim(-0.05, 1.05)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.set_xlabel(xlabel)
        ax.set_title(title)
        ax.spines[["top", "right"]].set_visible(False)
    handles, texts = axes[2].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    return figure


def partitions(points, panels, axis_names=None, columns=None):
    """Draw the same points coloured by several partitions, one panel each.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    panels : dict
        Title → labels.
    axis_names : pair of str, optional
        Names of the two axes; t-SNE has none.
    columns : int, optional
        Maximum number of panels per line.
    """
    columns = min(columns or len(panels), len(panels))
    lines = -(-len(panels) // columns)
    figure, axes = pyplot().subplots(
        lines, columns, figsize=(0.4 + 2.9 * columns, 0.3 + 2.9 * lines), squeeze=False,
        sharex=True, sharey=True, layout="constrained",
    )  # fmt: skip
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    for ax, (title, labels) in zip(axes.flat, panels.items(), strict=False):
        labels = np.asarray(labels)
        noise = labels < 0
        ax.scatter(*points[noise].T, s=9, color=GREY, marker=".")
        scatter_rows(ax, points[~noise], labels[~noise], size=12)
        ax.set_title(title, fontsize="small")
        if axis_names is None:
            ax.set_xticks([])
            ax.set_yticks([])
    if axis_names:
        figure.supxlabel(axis_names[0], fontsize="small")
        figure.supylabel(axis_names[1], fontsize="small")
    return figure


def weight_boxes(weights):
    """Draw box plots of the feature weights, one panel per method.

    Parameters
    ----------
    weights : dict
        Title → array of shape (replicates, features).
    """
    figure, axes = pyplot().subplots(
        1, len(weights), figsize=(1 + 3.1 * len(weights), 3.6), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax, (title, values) in zip(axes[0], weights.items(), strict=True):
        boxes = ax.boxplot(
            values, patch_artist=True, widths=0.65, medianprops={"color": "black"},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": DARK},
        )  # fmt: skip
        for feature, box in enumerate(boxes["boxes"]):
            box.set_facecolor(COLOURS[0] if feature < 2 else "#DDDDDD")
        ax.set_title(title, fontsize="small")
        ax.set_xlabel("feature (1 and 2 carry the clusters)", fontsize="small")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("weight")
    axes[0][0].set_ylim(-0.02, 1.02)
    return figure


def dots(values, xlabel, log=False, reference=None):
    """Draw one line of marks per data set: printed values hollow, measured values filled.

    Parameters
    ----------
    values : dict
        Data set → list of (label, value, style), from top to bottom. A mark without a label is not
        in the legend.
    xlabel : str
    log : bool
    reference : float, optional
        Position of a grey line.
    """
    figure, ax = pyplot().subplots(figsize=(9.5, 1.6 + 0.55 * len(values)), layout="constrained")
    known = {}
    for y, marks in enumerate(values.values()):
        ax.axhline(y, color="#EEEEEE", zorder=0)
        for text, x, look in marks:
            mark = ax.plot(x, y + look.pop("offset", 0), linestyle="none", **look)[0]
            if text is not None:
                known[text] = mark
    if reference is not None:
        ax.axvline(reference, color=GREY, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(values)), list(values))
    ax.set_ylim(len(values) - 0.4, -0.6)
    if log:
        ax.set_xscale("log")
    ax.set_xlabel(xlabel)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    figure.legend(
        known.values(), known.keys(), loc="outside lower center", ncols=4, frameon=False,
        fontsize=8.5,
    )  # fmt: skip
    return figure


def small_multiples(panels, xlabel, ylabel, ticks):
    """Draw curves in one panel per data set, with a common legend.

    Parameters
    ----------
    panels : dict
        Title → dict of label → (y values at `ticks`, style).
    xlabel, ylabel : str
    ticks : sequence of float
        The values of x, drawn evenly spaced.
    """
    columns = min(5, len(panels))
    lines = -(-len(panels) // columns)
    # The legend needs a minimum width, even with few panels.
    width = max(0.8 + 2.7 * columns, 7.5)
    figure, axes = pyplot().subplots(
        lines, columns, figsize=(width, 1.1 + 2.5 * lines), squeeze=False,
        sharex=True, sharey=True, layout="constrained",
    )  # fmt: skip
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    known = {}
    for ax, (title, drawn) in zip(axes.flat, panels.items(), strict=False):
        for text, (y, look) in drawn.items():
            known[text] = ax.plot(range(len(ticks)), y, **look)[0]
        ax.set_title(title, fontsize="small")
        ax.set_xticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
        ax.set_ylim(-0.08, 1.03)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel(xlabel)
    for line in axes:
        line[0].set_ylabel(ylabel)
    columns = 5 if width > 12 else 3 if width > 9 else 2
    figure.legend(
        known.values(), known.keys(), loc="outside lower center", ncols=columns, frameon=False,
        fontsize=8.5,
    )  # fmt: skip
    return figure


def heat_maps(panels, measure):
    """Draw a measure against h and lam, one panel per form of WBMS.

    Parameters
    ----------
    panels : dict
        Title → DataFrame with lam in its rows and h in its columns.
    measure : str
        Name of the measure, which is between 0 and 1.
    """
    figure, axes = pyplot().subplots(
        1, len(panels), figsize=(0.8 + 5.2 * len(panels), 4.6), squeeze=False, layout="constrained"
    )
    for ax, (title, table) in zip(axes[0], panels.items(), strict=True):
        image = ax.imshow(table, origin="lower", aspect="auto", vmin=0, vmax=1, cmap="viridis")
        every = max(1, -(-table.shape[1] // 9))
        places = range(0, table.shape[1], every)
        ax.set_xticks(places, [short(table.columns[place]) for place in places])
        ax.set_yticks(range(len(table)), [short(lam) for lam in table.index])
        ax.set_xlabel("h")
        ax.set_ylabel("lam")
        ax.set_title(title, fontsize="medium")
    figure.colorbar(image, ax=axes[0].tolist(), label=measure)
    return figure


def short(number):
    """Format a number with two significant digits, without an exponent.

    Examples
    --------
    >>> short(0.0316), short(2000.0)
    ('0.032', '2000')
    """
    return f"{float(f'{number:.2g}'):g}"
