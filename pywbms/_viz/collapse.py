"""The cloud at several iterations, over its kernel density at the start."""

import numpy as np

from pywbms._viz.features import axis_labels, shown_columns
from pywbms._viz.figure import pyplot
from pywbms._viz.result import clustered_labels
from pywbms._viz.style import GREY, jitter, scatter_rows

GRID_SIZE = 80
DENSITY_ROWS = 2000


def draw_collapse(result, iterations, features):
    """Draw `pywbms.plot.collapse`."""
    shown = shown_columns(result, features)
    labels = clustered_labels(result)
    path = result.path if result.path is not None else result.with_path().path
    iterations = checked_iterations(iterations, len(path) - 1)
    grids, density = kernel_density(result, shown)
    names = axis_labels(result, shown)

    figure, axes = pyplot().subplots(
        1,
        len(iterations),
        figsize=(max(5.0, 1.0 + 2.4 * len(iterations)), 3.6),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, t in zip(axes[0], iterations, strict=True):
        points = path[t][:, shown]
        if len(shown) == 1:
            ax.fill_between(grids[0], density, color=GREY, alpha=0.5, linewidth=0)
            points = np.column_stack([points, -0.15 + 0.2 * jitter(len(points))])
        else:
            # With vmax above 1 the peaks stay light enough for the points to be seen.
            ax.contourf(*grids, density, levels=np.linspace(0, 1, 9), cmap="Greys", vmax=1.8)
        # Not smaller for many points: in the end they all lie in a few places.
        scatter_rows(ax, points, labels, size=16)
        ax.set_title("start" if t == 0 else f"iteration {t}")

    # The panels share their axes, so the limits of one are those of all.
    ax.locator_params(nbins=4)
    ax.set_xlim(grids[0][0], grids[0][-1])
    figure.supxlabel(names[0], fontsize="small", parse_math=False)
    if len(shown) == 1:
        ax.set_ylim(-0.3, 1.05)
        ax.set_yticks([0, 1], ["0", "max"])
        figure.supylabel("density", fontsize="small")
    else:
        ax.set_ylim(grids[1][0], grids[1][-1])
        figure.supylabel(names[1], fontsize="small", parse_math=False)
    return figure


def checked_iterations(iterations, n_iter):
    """Return the iterations to draw, by default 0 and four growing geometrically to the last."""
    if iterations is None:
        spread = np.geomspace(1, max(n_iter, 1), 4).round().astype(int)
        return np.unique(np.minimum([0, *spread], n_iter))
    asked = np.ravel(iterations)
    if asked.size == 0 or not np.isin(asked, np.arange(n_iter + 1)).all():
        raise ValueError(f"iterations must be whole numbers from 0 to {n_iter}, got {iterations!r}")
    return asked.astype(int)


def kernel_density(result, shown):
    """Evaluate the kernel density of the data on a grid over the columns shown.

    Parameters
    ----------
    result : WBMSResult
    shown : sequence of int
        The positions of one or two columns.

    Returns
    -------
    grids : list of ndarray
        The grid of each column, from a little below its data to a little above.
    density : ndarray
        The density relative to its maximum, with the last column's grid along the first axis.
    """
    n = len(result.data)
    rows = np.linspace(0, n - 1, min(n, DENSITY_ROWS)).astype(int)
    grids, kernels = [], []
    for column in shown:
        values = result.data.iloc[:, column].to_numpy(dtype=float)
        low, high = padded_limits(values)
        grid = np.linspace(0, 1, GRID_SIZE)
        # In units of the grid's span. A kernel narrower than a grid step could fall between two
        # grid points, so the precision is bounded.
        span = (high - low) / positive_scale(result, column)
        precision = min(result.weights.iloc[column] * span**2 / result.h, (GRID_SIZE - 1) ** 2)
        distance = grid[:, None] - (values[rows] - low) / (high - low)
        grids.append(low + grid * (high - low))
        kernels.append(np.exp(-precision * distance**2))
    # The kernel in two features is the product of the kernels in each.
    density = kernels[0].sum(axis=1) if len(shown) == 1 else kernels[1] @ kernels[0].T
    return grids, density / density.max()


def positive_scale(result, column):
    """Return what a column was divided by, or 1 for a constant column."""
    scale = result.scale.iloc[column]
    return scale if scale > 0 else 1.0


def padded_limits(values):
    """Return the range of the values, slightly widened and never empty."""
    low, high = values.min(), values.max()
    pad = 0.05 * (high - low) or max(1.0, 0.05 * abs(high))
    return low - pad, high + pad
