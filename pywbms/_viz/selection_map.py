"""How h and lam were chosen: stability and number of clusters over both."""

import numpy as np

from pywbms._viz.figure import pyplot

MARK = "#D55E00"
NOT_JUDGED = "#DDDDDD"
# Half the width of a cell without close neighbours, as a factor of h.
WIDEST = 1.8**0.5
MOST_NUMBERS = 150


def draw_selection_map(result):
    """Draw `pywbms.plot.selection_map`."""
    table = result.selection if hasattr(result, "selection") else result.table
    if table is None:
        raise ValueError("there is no selection to draw: h and lam were given, not chosen")
    # The pairs that were tried from the start of the chosen one: one cell per pair.
    table = table[table["start"].isin(table["start"][table["chosen"]])]
    figure, axes = pyplot().subplots(1, 3, figsize=(16, 4.8), layout="constrained")
    from matplotlib.colors import LogNorm, Normalize

    judged = table["judged"].to_numpy()
    heat(
        axes[0], table, table["stability"].to_numpy(), "stability", cmap="viridis",
        texts=[f"{s:.2f}" if j else "" for s, j in zip(table["stability"], judged, strict=True)],
        label="mean ARI with subsets", blank=~judged, norm=Normalize(0, 1),
    )  # fmt: skip
    heat(
        axes[1], table, table["k"].to_numpy(), "number of clusters", cmap="cividis",
        texts=[str(k) for k in table["k"]], label="k", norm=LogNorm(1, max(2, table["k"].max())),
    )  # fmt: skip
    if not judged.all():
        key_of_grey(axes[0])
    plateau(axes[2], table)
    return figure


def heat(ax, table, values, title, *, texts, cmap, label, blank=None, norm=None):
    """Draw one cell per pair: h on a logarithmic axis, one row per lam, the chosen pair framed.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : DataFrame
        The pairs: h, lam, chosen.
    values : ndarray
        What the colours show, one value per pair.
    title : str
    texts : sequence of str
        Text of each cell, shown unless there are too many cells.
    cmap : str
    label : str
        What the colour bar measures.
    blank : ndarray of bool, optional
        Pairs without a value.
    norm : matplotlib.colors.Normalize, optional
    """
    lams = np.unique(table["lam"])
    row = np.searchsorted(lams, table["lam"])
    left, right = edges(table["h"].to_numpy(), row)
    known = np.ones(len(table), dtype=bool) if blank is None else ~blank
    draw_cells(ax, left[~known], right[~known], row[~known], facecolor=NOT_JUDGED)
    coloured = draw_cells(ax, left[known], right[known], row[known], cmap=cmap, norm=norm)
    coloured.set_array(np.asarray(values, dtype=float)[known])
    ax.set_xscale("log")
    ax.set_xlim(left.min(), right.max())
    ax.set_ylim(-0.5, len(lams) - 0.5)
    ax.set_yticks(range(len(lams)), [f"{lam:.3g}" for lam in lams])
    ax.set_xlabel("h")
    ax.set_ylabel("lam")
    ax.set_title(title)
    ax.figure.colorbar(coloured, ax=ax, label=label)
    if len(table) <= MOST_NUMBERS:
        dark = np.zeros(len(table), dtype=bool)
        dark[known] = coloured.norm(coloured.get_array()) < 0.55
        for x, y, text, light in zip(np.sqrt(left * right), row, texts, dark, strict=True):
            colour = "white" if light else "black"
            ax.text(x, y, text, ha="center", va="center", fontsize="x-small", color=colour)
    for a, b, r in zip(*(side[table["chosen"]] for side in (left, right, row)), strict=True):
        ax.add_patch(cell(a, b, r, fill=False, edgecolor=MARK, linewidth=2.5))


def key_of_grey(ax):
    """Say below a map what its grey cells are."""
    from matplotlib.patches import Patch

    ax.legend(
        handles=[Patch(facecolor=NOT_JUDGED, label="grey: not promising enough to be judged")],
        loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, fontsize="small",
    )  # fmt: skip


def draw_cells(ax, left, right, row, **style):
    """Draw cells with white edges and return their collection."""
    from matplotlib.collections import PatchCollection

    cells = [cell(*place) for place in zip(left, right, row, strict=True)]
    return ax.add_collection(PatchCollection(cells, edgecolor="white", linewidth=0.5, **style))


def cell(left, right, row, **style):
    """Return the rectangle of a pair."""
    from matplotlib.patches import Rectangle

    return Rectangle((left, row - 0.5), right - left, 1.0, **style)


def plateau(ax, table):
    """Draw the number of clusters over h, one line per lam, that of the chosen pair in black."""
    chosen = table[table["chosen"]]
    for lam, pairs in table.sort_values("h").groupby("lam"):
        own = bool((chosen["lam"] == lam).any())
        style = {"color": "black", "linewidth": 2, "zorder": 3} if own else {"color": "#BBBBBB"}
        ax.plot(pairs["h"], pairs["k"], marker=".", label=f"lam = {lam:.3g}" * own, **style)
    ax.plot(
        chosen["h"], chosen["k"], "o", markersize=10, markerfacecolor="none", color=MARK,
        markeredgewidth=2.5, zorder=4, label="chosen",
    )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ticks = [k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500) if k <= 1.3 * table["k"].max()]
    ax.set_yticks(ticks, [str(k) for k in ticks])
    ax.minorticks_off()
    ax.set_xlabel("h")
    ax.set_ylabel("k")
    ax.set_title("number of clusters over h")
    handles, labels = ax.get_legend_handles_labels()
    named = [(handle, label) for handle, label in zip(handles, labels, strict=True) if label]
    ax.legend(*zip(*named, strict=True), frameon=False)
    ax.spines[["top", "right"]].set_visible(False)


def edges(h, row):
    """Return the left and right edges of the cells: halfway to the neighbours, but not too wide.

    Examples
    --------
    >>> left, right = edges(np.array([1.0, 1.21, 100.0]), np.zeros(3, dtype=int))
    >>> right.round(2).tolist()
    [1.1, 1.62, 134.16]
    """
    left, right = h / WIDEST, h * WIDEST
    for r in np.unique(row):
        here = np.flatnonzero(row == r)
        here = here[np.argsort(h[here])]
        between = np.sqrt(h[here][1:] * h[here][:-1])
        right[here[:-1]] = np.minimum(right[here[:-1]], between)
        left[here[1:]] = np.maximum(left[here[1:]], between)
    return left, right
