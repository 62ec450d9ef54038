"""The clustered rows and the centres of the clusters."""

import numpy as np

from pywbms._terminal.wording import counted
from pywbms._viz.features import axis_label, shown_columns
from pywbms._viz.figure import new_axes
from pywbms._viz.result import clustered_labels
from pywbms._viz.style import CENTRE_STYLE, cluster_style, jitter, scatter_rows

LEGEND_ENTRIES = 10


def draw_clusters(result, features, ax):
    """Draw `pywbms.plot.clusters`."""
    shown = shown_columns(result, features)
    labels = clustered_labels(result)
    points = result.data.iloc[:, shown].to_numpy(dtype=float)
    centres = result.centers.iloc[:, shown].to_numpy(dtype=float)
    if ax is None:
        ax = new_axes(figsize=(7.6, 4.8))

    if len(shown) == 1:
        points = np.column_stack([points, labels + 0.6 * jitter(len(points))])
        centres = np.column_stack([centres, np.arange(len(centres))])
        ax.set_ylim(len(centres) - 0.5, -0.5)
        ax.locator_params(axis="y", integer=True)
        ax.set_ylabel("cluster")
    else:
        ax.set_ylabel(axis_label(result, shown[1]), parse_math=False)
    ax.set_xlabel(axis_label(result, shown[0]), parse_math=False)
    ax.set_title(f"{counted(len(centres), 'cluster')}, {counted(len(points), 'row')}")

    scatter_rows(ax, points, labels, size=np.clip(30000 / len(points), 2, 28))
    ax.scatter(
        *centres.T,
        s=np.clip(3000 / len(centres), 6, 60),
        edgecolors="white",
        linewidths=0.6,
        **CENTRE_STYLE,
    )
    ax.legend(
        handles=legend_handles(labels),
        title="cluster",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
    )
    return ax


def legend_handles(labels):
    """Return the legend's entries: the largest clusters, the number of others, the centres."""
    from matplotlib.lines import Line2D

    sizes = np.bincount(labels)
    handles = [
        Line2D([], [], ls="none", **cluster_style(c), label=f"{c} ({counted(sizes[c], 'row')})")
        for c in range(min(len(sizes), LEGEND_ENTRIES))
    ]
    if len(sizes) > LEGEND_ENTRIES:
        handles.append(Line2D([], [], ls="none", label=f"… {len(sizes) - LEGEND_ENTRIES:,} more"))
    return [*handles, Line2D([], [], ls="none", **CENTRE_STYLE, label="centre")]
