"""Colours, markers and texts that all pictures share."""

import numpy as np

from pywbms._terminal.names import shortened
from pywbms._terminal.wording import LEAST_WEIGHT

# Okabe and Ito's palette, which colour-blind readers can tell apart. Black is reserved for the
# centres; yellow, faint on white, comes last.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
GREY = "#999999"
DARK = "#444444"
# Nine markers and seven colours have no common divisor, so that the first 63 clusters all differ,
# and neighbours differ in both.
MARKERS = "os^DvP<>*"
N_STYLES = len(COLOURS) * len(MARKERS)
CENTRE_STYLE = {"color": "black", "marker": "X"}
OUTLIER_STYLE = {"color": GREY, "marker": "x"}

RASTERIZE_FROM = 5000
NAME_LENGTH = 25
MOST_LARGE = 25  # numbers at centres; more of them are smaller
GOLDEN_RATIO = (1 + 5**0.5) / 2


def cluster_style(cluster):
    """Return the colour and marker of a cluster."""
    return {"color": COLOURS[cluster % len(COLOURS)], "marker": MARKERS[cluster % len(MARKERS)]}


def scatter_rows(ax, points, labels, size):
    """Draw points in the colours and markers of their clusters."""
    # One scatter per style, not per cluster: before any points merge, every row is a cluster.
    styles = np.where(labels < 0, -1, labels % N_STYLES)
    for style in np.unique(styles):
        ax.scatter(
            *points[styles == style].T,
            s=size,
            alpha=0.8,
            # Without an outline the smallest markers vanish between pixels.
            linewidths=0.3 if style >= 0 else 1.0,
            rasterized=len(points) >= RASTERIZE_FROM,
            **(cluster_style(style) if style >= 0 else OUTLIER_STYLE),
        )


def jitter(n):
    """Return n numbers spread evenly, but in no visible order, over -0.5 to 0.5."""
    return np.arange(n) * GOLDEN_RATIO % 1 - 0.5


def elided(names):
    """Return names on one line each, long ones without what they share; see `shortened`."""
    return shortened(names, NAME_LENGTH)


def weight_text(weight):
    """Return a weight with three significant digits, none smaller than the least that is told."""
    return f"{weight:.3g}" if weight == 0 or weight >= LEAST_WEIGHT else f"< {LEAST_WEIGHT}"


def write_centres(ax, centres, labels):
    """Write the number of each cluster just above its centre; largest clusters on top."""
    from matplotlib.patheffects import withStroke

    outline = [withStroke(linewidth=2.5, foreground="white")]
    size = "small" if len(labels) <= MOST_LARGE else "x-small"
    for number in labels[::-1]:
        ax.annotate(
            str(number), centres[number], xytext=(0, 2), textcoords="offset points", ha="center",
            va="bottom", fontsize=size, fontweight="bold", path_effects=outline, zorder=5,
        )  # fmt: skip
