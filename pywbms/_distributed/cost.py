"""The estimated cost of an iteration in each layout, which decides between them."""

from dataclasses import dataclass

import numpy as np

from pywbms._distributed.feature_points import MOST_POINTS

LAYOUTS = ("rows", "columns")

# One thread of a present-day machine in the core's kernels, and a network between machines.
FLOP_PER_SECOND = 2e10
BYTES_PER_SECOND = 1e9
# Starting tasks, and telling the client of their end.
SECONDS_PER_ITERATION = 0.03


@dataclass(frozen=True)
class Cost:
    """Cost of an iteration before any points have merged, if no pair of tiles is negligible.

    Attributes
    ----------
    layout : str
    flop : float
        Operations per worker.
    bytes_moved : float
        Between workers, all of them taken together.
    bytes_a_worker : float
        Memory of the worker that needs most.
    seconds : float
        At 2·10¹⁰ operations per second and worker, and 10⁹ bytes per second through the busiest
        one.
    """

    layout: str
    flop: float
    bytes_moved: float
    bytes_a_worker: float
    seconds: float


def cost(n, p, n_workers, layout):
    """Return the estimated cost of an iteration.

    Parameters
    ----------
    n, p : int
        Points and features.
    n_workers : int
    layout : {"rows", "columns"}

    Returns
    -------
    Cost

    Examples
    --------
    >>> from pywbms.distributed import cost
    >>> estimate = cost(1_000_000, 100, 64, "rows")
    >>> f"{estimate.flop:.2g} flop per worker, {estimate.bytes_moved / 1e9:.0f} GB moved"
    '6.6e+12 flop per worker, 51 GB moved'
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(map(repr, LAYOUTS))}, got {layout!r}")
    n, p, W = float(n), float(p), float(n_workers)
    cloud, square = 8 * n * p, 8 * n * n
    if layout == "rows":
        # Distances and means of n/W rows with all n; an exponential counts as 20. The host measures
        # displacements and moves, and finds the points that have merged.
        flop = (4 * n * n * p + 20 * n * n) / W + 20 * n * p
        # All points to all workers, and the moved ones back to the host.
        busiest = cloud * (W - 1) + cloud * (W - 1) / W
        moved = busiest
        # Rows at the start; origins; points before, now and next; and packed tiles.
        memory = 6 * cloud + 64e6
    else:
        # Means, weighted Gram matrix (half of it), and squared distances (half, three operations).
        flop = 4.5 * n * n * p / W + 20 * n * n
        busiest = 3 * square * (W - 1) / W * min(W, 8)
        moved = 3 * square * (W - 1)
        memory = 4 * cloud / W + 8 * square + 64e6
    seconds = SECONDS_PER_ITERATION + flop / FLOP_PER_SECOND + busiest / BYTES_PER_SECOND
    return Cost(layout, flop, moved, memory, seconds)


def cheaper_layout(n, p, n_workers):
    """Return the layout in which an iteration is estimated to take less time.

    Examples
    --------
    >>> cheaper_layout(1_000_000, 100, 64), cheaper_layout(300, 200_000, 4)
    ('rows', 'columns')
    """
    if n > MOST_POINTS:
        return "rows"
    return min(LAYOUTS, key=lambda layout: cost(n, p, n_workers, layout).seconds)


def layout_for(layout, shape, client):
    """Return the layout to use for data of a given shape, or raise a MemoryError."""
    if layout == "columns" and shape[0] > MOST_POINTS:
        raise ValueError(f"layout='columns' takes at most {MOST_POINTS:,} rows, got {shape[0]:,}")
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    layout = cheaper_layout(*shape, max(1, len(workers))) if layout == "auto" else layout
    needed = cost(*shape, max(1, len(workers)), layout).bytes_a_worker
    least = min((worker["memory_limit"] or np.inf for worker in workers), default=np.inf)
    if needed > least:
        raise MemoryError(
            f"{shape[0]:,} rows × {shape[1]:,} columns need {needed / 1e9:,.1f} GB on a worker "
            f"(layout {layout!r}), but a worker may have only {least / 1e9:,.1f} GB"
        )
    return layout
