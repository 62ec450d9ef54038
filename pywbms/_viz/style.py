"""Colours, markers and texts that all pictures share."""

import numpy as np

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

RASTERIZE_FROM = 5000
NAME_LENGTH = 25
GOLDEN_RATIO = (1 + 5**0.5) / 2


def cluster_style(cluster):
    """Return the colour and marker of a cluster."""
    return {"color": COLOURS[cluster % len(COLOURS)], "marker": MARKERS[cluster % len(MARKERS)]}


def scatter_rows(ax, points, labels, size):
    """Draw points in the colours and markers of their clusters."""
    # One scatter per style, not per cluster: before any points merge, every row is a cluster.
    styles = labels % N_STYLES
    for style in np.unique(styles):
        ax.scatter(
            *points[styles == style].T,
            s=size,
            alpha=0.8,
            linewidths=0.3,  # without an outline the smallest markers vanish between pixels
            rasterized=len(points) >= RASTERIZE_FROM,
            **cluster_style(style),
        )


def jitter(n):
    """Return n numbers spread evenly, but in no visible order, over -0.5 to 0.5."""
    return np.arange(n) * GOLDEN_RATIO % 1 - 0.5


def elided(name):
    """Return a name on one line, a long one without its middle, because names differ at the end."""
    text = " ".join(str(name).split())
    if len(text) <= NAME_LENGTH:
        return text
    half = NAME_LENGTH // 2
    return f"{text[:half]}…{text[-half:]}"


def weight_text(weight):
    """Return a weight with three significant digits."""
    return f"{weight:.3g}"
