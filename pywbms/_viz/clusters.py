"""The clustered rows and the centres of the clusters."""

import numpy as np

from pywbms._terminal.wording import counted
from pywbms._viz.features import axis_labels, shown_columns
from pywbms._viz.figure import new_axes
from pywbms._viz.result import clustered_labels
from pywbms._viz.style import (
    CENTRE_STYLE,
    OUTLIER_STYLE,
    cluster_style,
    jitter,
    scatter_rows,
    write_centres,
)

LEGEND_ENTRIES = 10
# Beyond so many clusters colours are hard to tell apart: their numbers are written at the centres,
# those of the largest if there are too many to be read.
MOST_BY_COLOUR, MOST_NUMBERED = 8, 60


def draw_clusters(result, features, ax):
    """Draw `pywbms.plot.clusters`."""
    shown = shown_columns(result, features)
    labels = clustered_labels(result)
    points = result.data.iloc[:, shown].to_numpy(dtype=float)
    centres = result.centers.iloc[:, shown].to_numpy(dtype=float)
    return draw_points(points, centres, labels, axis_labels(result, shown), ax)


def draw_points(points, centres, labels, names, ax):
    """Draw rows and centres in two coordinates, or in one with a lane for each cluster.

    Parameters
    ----------
    points, centres : ndarray of shape (n, d), (k, d)
        d is 1 or 2.
    labels : ndarray of shape (n,)
    names : sequence of str
        Labels of the axes.
    ax : matplotlib.axes.Axes or None
    """
    if ax is None:
        ax = new_axes(figsize=(7.6, 4.8))
    lanes = points.shape[1] == 1
    if lanes:
        points = np.column_stack([points, labels + 0.6 * jitter(len(points))])
        centres = np.column_stack([centres, np.arange(len(centres))])
        ax.set_ylim(len(centres) - 0.5, min(labels.min(), 0) - 0.5)
        ax.locator_params(axis="y", integer=True)
        ax.set_ylabel("cluster")
    else:
        ax.set_ylabel(names[1], parse_math=False)
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_title(title_of(len(centres), labels))

    scatter_rows(ax, points, labels, size=np.clip(30000 / len(points), 2, 28))
    numbered = not lanes and len(centres) > MOST_BY_COLOUR
    first = min(len(centres), MOST_NUMBERED) if numbered else 0
    ax.scatter(
        *centres[first:].T,
        s=np.clip(3000 / len(centres), 6, 60),
        edgecolors="white",
        linewidths=0.6,
        **CENTRE_STYLE,
    )
    write_centres(ax, centres, range(first))
    ax.legend(
        handles=legend_handles(labels, first),
        title="cluster",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
    )
    return ax


def title_of(k, labels):
    """Return the title: how many clusters and rows; where there is only one, that it is all."""
    if k == 1 and labels.min() >= 0:
        return f"one cluster: all {counted(len(labels), 'row')}"
    return f"{counted(k, 'cluster')}, {counted(len(labels), 'row')}"


def legend_handles(labels, n_numbered=0):
    """Return the legend's entries: the largest clusters, the number of others, the centres.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    n_numbered : int
        Number of clusters, the largest, whose centres are numbers instead of crosses.
    """
    from matplotlib.lines import Line2D

    sizes = np.bincount(labels[labels >= 0])
    handles = [
        Line2D([], [], ls="none", **cluster_style(c), label=f"{c} ({counted(sizes[c], 'row')})")
        for c in range(min(len(sizes), LEGEND_ENTRIES))
    ]
    if len(sizes) > LEGEND_ENTRIES:
        handles.append(Line2D([], [], ls="none", label=f"… {len(sizes) - LEGEND_ENTRIES:,} more"))
    outliers = int((labels < 0).sum())
    if outliers:
        text = f"-1: {counted(outliers, 'outlier')}"
        handles.append(Line2D([], [], ls="none", **OUTLIER_STYLE, label=text))
    if n_numbered:
        style = {"marker": "$0$", "color": "black"}
        handles.append(Line2D([], [], ls="none", **style, label="centre, by number"))
    if n_numbered == len(sizes):
        return handles
    return [*handles, Line2D([], [], ls="none", **CENTRE_STYLE, label="centre")]
