"""The panels of `pywbms.plot.selection_map`."""

import numpy as np

MARK = "#D55E00"
NOT_JUDGED = "#DDDDDD"
# Half the width of a cell that has no neighbour near by, as a factor of h.
WIDEST = 1.8**0.5
MOST_NUMBERS = 150


def heat(ax, table, values, title, *, texts, cmap, label, blank=None, norm=None):
    """Draw a rectangle a pair: h on a logarithmic axis, a row a lam, the chosen pair framed.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : DataFrame
        The pairs: h, lam, chosen.
    values : ndarray
        What the colours show, a value a pair.
    title : str
    texts : sequence of str
        What is written into each rectangle, if there are not too many of them.
    cmap : str
    label : str
        What the colour bar measures.
    blank : ndarray of bool, optional
        Pairs that have no value.
    norm : matplotlib.colors.Normalize, optional
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    lams = np.unique(table["lam"])
    row = np.searchsorted(lams, table["lam"])
    left, right = edges(table["h"].to_numpy(), row)
    cells = [Rectangle((a, r - 0.5), b - a, 1.0) for a, b, r in zip(left, right, row, strict=True)]
    known = np.ones(len(table), dtype=bool) if blank is None else ~blank
    ax.add_collection(
        PatchCollection(
            [cell for cell, shown in zip(cells, known, strict=True) if not shown],
            facecolor=NOT_JUDGED, edgecolor="white", linewidth=0.5,
        )
    )  # fmt: skip
    coloured = PatchCollection(
        [cell for cell, shown in zip(cells, known, strict=True) if shown],
        cmap=cmap, norm=norm, edgecolor="white", linewidth=0.5,
    )  # fmt: skip
    coloured.set_array(np.asarray(values, dtype=float)[known])
    ax.add_collection(coloured)
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
        frame = Rectangle((a, r - 0.5), b - a, 1.0, fill=False, edgecolor=MARK, linewidth=2.5)
        ax.add_patch(frame)


def plateau(ax, table):
    """Draw the number of clusters over h, a line a lam, that of the chosen pair in colour."""
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
    """Return where the cells of each row begin and end: halfway to the next, but not too wide.

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
