"""What an iteration costs in each layout, on paper: it decides which one is taken."""

from dataclasses import dataclass

from pywbms._distributed.feature_points import MOST_POINTS

LAYOUTS = ("rows", "columns")

# A thread of a present-day machine in the core's kernels, and a network between machines.
FLOP_A_SECOND = 2e10
BYTES_A_SECOND = 1e9
# Tasks are started, and the client hears of their end.
SECONDS_AN_ITERATION = 0.03


@dataclass(frozen=True)
class Cost:
    """An iteration of a cloud in which nobody has met, and no two rows are too far apart to matter.

    Attributes
    ----------
    layout : str
    flop : float
        Operations a worker.
    bytes_moved : float
        Between workers, all of them taken together.
    bytes_a_worker : float
        Memory of the worker that has most.
    seconds : float
        At 2·10¹⁰ operations a second and worker and 10⁹ bytes a second through the busiest one.
    """

    layout: str
    flop: float
    bytes_moved: float
    bytes_a_worker: float
    seconds: float


def cost(n, p, n_workers, layout):
    """Return what an iteration costs, on paper.

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
    >>> f"{estimate.flop:.2g} flop a worker, {estimate.bytes_moved / 1e9:.0f} GB moved"
    '6.6e+12 flop a worker, 51 GB moved'
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(map(repr, LAYOUTS))}, got {layout!r}")
    n, p, W = float(n), float(p), float(n_workers)
    cloud, square = 8 * n * p, 8 * n * n
    if layout == "rows":
        # Distances and means of n/W rows with all n; an exponential counts as 20. One worker
        # measures displacements and moves, and looks who has met.
        flop = (4 * n * n * p + 20 * n * n) / W + 20 * n * p
        # The cloud to all others, and what they moved back to the one that keeps the books.
        busiest = cloud * (W - 1) + cloud * (W - 1) / W
        moved = busiest
        # Rows at the start, where points came from, where they were, are, and go; and packed tiles.
        memory = 6 * cloud + 64e6
    else:
        # Means, weighted Gram matrix (half of it), and squared distances (half, three operations).
        flop = 4.5 * n * n * p / W + 20 * n * n
        busiest = 3 * square * (W - 1) / W * min(W, 8)
        moved = 3 * square * (W - 1)
        memory = 4 * cloud / W + 8 * square + 64e6
    seconds = SECONDS_AN_ITERATION + flop / FLOP_A_SECOND + busiest / BYTES_A_SECOND
    return Cost(layout, flop, moved, memory, seconds)


def cheaper_layout(n, p, n_workers):
    """Return the layout in which an iteration takes less time, on paper.

    Examples
    --------
    >>> cheaper_layout(1_000_000, 100, 64), cheaper_layout(300, 200_000, 4)
    ('rows', 'columns')
    """
    if n > MOST_POINTS:
        return "rows"
    return min(LAYOUTS, key=lambda layout: cost(n, p, n_workers, layout).seconds)
