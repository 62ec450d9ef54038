"""The coalescence tree."""

import numpy as np

from pywbms._terminal.wording import counted
from pywbms._viz.dendrogram import iteration_marks, lay_out, number_of_leaves
from pywbms._viz.figure import new_axes
from pywbms._viz.result import clustered_labels
from pywbms._viz.style import COLOURS, DARK, elided

MOST_CLUSTER_LEAVES = 60
MOST_ROW_LEAVES = 40
CLOSE = 0.12  # share of the axis within which two notes would overlap
UPRIGHT_NAMES = 6  # with more leaves their names are turned by 90°


def draw_tree(result, leaves, ax):
    """Draw `pywbms.plot.tree`."""
    linkage = result.tree
    if linkage is None:
        raise ValueError("the result has no tree: cluster with tree=True")
    labels = labels_in_tree(result)
    end = np.log1p(result.n_iter)
    n, k = len(labels), 1 + int((linkage[:, 2] > end).sum())
    layout = lay_out(linkage, checked_leaves(leaves, linkage, k), labels)
    names = elided(leaf_name(result, labels, rows) for rows in layout.leaves)
    if ax is None:
        wide = 1.8 + 0.2 * len(names) * (1 if len(names) > UPRIGHT_NAMES else 4)
        ax = new_axes(figsize=(min(max(5.6, wide), 14.0), 4.8))

    root = linkage[:, 2].max(initial=0.0)
    highest = max(1.1 * root, 1.5 * end, 1.0)
    for branch in layout.branches:
        ax.plot(branch.x, branch.y, **style(branch.cluster, result.tree_observed[branch.merge]))
    stem = root if layout.branches else 0.0
    ax.plot([layout.root] * 2, [stem, highest], **style(0 if result.n_clusters == 1 else -1))
    cut = np.inf
    if result.reached_by == "tree":
        around = slice(n - result.n_clusters - 1, n - result.n_clusters + 1)
        cut = np.append(linkage[:, 2], highest)[around].mean()
        mark(ax, cut, f"cut:\n{counted(result.n_clusters, 'cluster')}", "-.", "bottom")
    close = cut - end < CLOSE * highest
    mark(ax, end, f"the fit ends:\n{counted(k, 'cluster')}", "--", "top" if close else "center")
    name_axes(ax, names, highest)
    ax.set_xlabel("row" if len(names) == n else "cluster (number of rows)")
    predicted = "" if result.tree_observed.all() else "; dotted: predicted, not followed"
    ax.set_title(f"{counted(result.n_clusters, 'cluster')}, {counted(n, 'row')}{predicted}")
    return ax


def mark(ax, height, text, linestyle, va):
    """Draw a line across the tree, with a note beside it, above or below the line."""
    ax.axhline(height, color="black", linestyle=linestyle, linewidth=1)
    ax.annotate(
        text, (1, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va=va, fontsize="small",
    )  # fmt: skip


def name_axes(ax, names, highest):
    """Set the limits and ticks: leaves from left to right, iterations upwards."""
    ax.set_ylim(0, highest)
    ax.set_xlim(-0.7, len(names) - 0.3)
    ax.set_xticks(
        range(len(names)), names, rotation=90 if len(names) > UPRIGHT_NAMES else 0,
        parse_math=False, fontsize="small" if len(names) <= 30 else "x-small",
    )  # fmt: skip
    ax.set_yticks(*iteration_marks(highest))
    ax.set_ylabel("iterations until they meet (log scale)")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)


def checked_leaves(leaves, linkage, k):
    """Return how many leaves to draw."""
    n = len(linkage) + 1
    if leaves is None:
        if n <= MOST_ROW_LEAVES:
            most = n
        else:
            most = MOST_ROW_LEAVES if k == 1 else min(k, MOST_CLUSTER_LEAVES)
    elif isinstance(leaves, bool) or leaves != int(leaves) or leaves < 1:
        raise ValueError(f"leaves must be a whole number of at least 1, got {leaves!r}")
    else:
        most = int(leaves)
    return number_of_leaves(linkage, most)


def leaf_name(result, labels, rows):
    """Return the name of a row, a cluster, a part of a cluster, or several clusters."""
    if len(rows) == 1 and len(labels) <= MOST_ROW_LEAVES:
        return result.data.index[rows[0]]
    found = np.unique(labels[rows])
    size = f"({len(rows):,})"
    if len(found) > 1:
        return f"{len(found)} clusters {size}"
    return f"{found[0]} {size}" if (labels == found[0]).sum() == len(rows) else size


def style(cluster, observed=True):
    """Return the colour and line style of a branch; cluster −1 is a union of several."""
    return {
        "color": DARK if cluster < 0 else COLOURS[cluster % len(COLOURS)],
        "linestyle": "-" if observed else ":",
        "linewidth": 1.5,
        "solid_capstyle": "projecting",
    }


def labels_in_tree(result):
    """Return the cluster of each row, rows that are labelled as outliers included."""
    assigned = getattr(getattr(result, "estimator", None), "_assigned", None)
    return clustered_labels(result) if assigned is None else assigned
