"""The means of clusters along the columns that set them apart, as a heat map."""

import numpy as np

from pywbms._data.checks import require_integer
from pywbms._terminal.wording import counted
from pywbms._viz.figure import new_axes
from pywbms._viz.result import clustered_labels
from pywbms._viz.style import DARK, elided

# Colours end at so many standard deviations: farther is far enough.
FARTHEST = 2.0
# Numbers are written into so many cells at most; beyond, they would be too small to read.
MOST_NUMBERS = 150
# Of more clusters only the largest are drawn.
MOST_CLUSTERS = 80
CELL_WIDTH, CELL_HEIGHT, LEAST_HEIGHT = 0.42, 0.17, 1.2


def draw_profile(result, top, ax):
    """Draw `pywbms.plot.profile`."""
    require_integer("top", top, 1)
    table = result.profile(top)
    sizes = np.bincount(labels := labels_at_least_0(result), minlength=len(table))
    shown = table.iloc[:MOST_CLUSTERS]
    k, p = shown.shape
    if ax is None:
        height = max(LEAST_HEIGHT, CELL_HEIGHT * k * (2 if k * p <= MOST_NUMBERS else 1) + 0.4)
        ax = new_axes(figsize=(max(5.0, 2.4 + CELL_WIDTH * p), height + 1.6))
    image = ax.imshow(shown.to_numpy(), cmap="RdBu_r", vmin=-FARTHEST, vmax=FARTHEST, aspect="auto")
    names = elided(shown.columns)
    ax.set_xticks(
        range(p), names, rotation=60, ha="right", rotation_mode="anchor", parse_math=False
    )
    rows = [f"{cluster} ({counted(size, 'row')})" for cluster, size in enumerate(sizes[:k])]
    ax.set_yticks(range(k), rows, fontsize="small" if k <= 30 else "x-small")
    ax.set_ylabel("cluster")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, extend="both", shrink=0.8, aspect=25)
    bar.set_label("mean, in standard deviations\nfrom the mean of all rows", fontsize="small")
    bar.outline.set_visible(False)
    if k * p <= MOST_NUMBERS:
        write_numbers(ax, shown.to_numpy())
    ax.set_title(
        title_of(table, shown, len(result.weights), len(labels)), loc="left", fontsize="medium"
    )
    return ax


def labels_at_least_0(result):
    """Return the labels of the rows that are in a cluster."""
    labels = clustered_labels(result)
    return labels[labels >= 0]


def title_of(table, shown, n_columns, n_rows):
    """Return the title, which says what is not drawn."""
    if len(table) == 1:
        return f"all {counted(n_rows, 'row')} are one cluster"
    lines = ["cluster profiles"]
    if shown.shape[1] < n_columns:
        lines.append(f"the {shown.shape[1]} of {n_columns:,} columns that set them apart most")
    if len(shown) < len(table):
        lines.append(f"the {len(shown)} largest of {len(table):,} clusters")
    return "\n".join(lines)


def write_numbers(ax, values):
    """Write the value into each cell, white on dark colours."""
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            colour = "white" if abs(value) > 0.65 * FARTHEST else DARK
            text = f"{value:.1f}".replace("-0.0", "0.0")
            ax.text(column, row, text, ha="center", va="center", fontsize="small", color=colour)
