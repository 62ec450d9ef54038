"""The scan along h at one lam: where it starts, how far it goes, when it turns back."""

import numpy as np

# Where a scan begins, and the factor from one value to the next, on z-scores. From there h goes up
# until all rows are one cluster, and down until there are more clusters than could be judged.
H_START, H_STEP = 0.07, 1.8
LOWEST_STEPS, HIGHEST_STEPS = -16, 12
# It turns back where three in a row promise less than this share of the best so far.
WORTH_GOING_ON, HOPELESS_IN_A_ROW = 0.6, 3
LOW_ENOUGH = -4  # steps; a partition that stays the same down to here is the only one


def h_at(step, unit):
    """Return the bandwidth a number of steps from the start.

    Examples
    --------
    >>> h_at(0, 1.0), round(h_at(1, 2.0), 3)
    (0.07, 0.252)
    """
    return H_START * H_STEP**step * unit


class BandwidthScan:
    """One direction of the scan along h at one lam: up to one cluster, or down to too many.

    Parameters
    ----------
    lam : float
    up : bool

    Attributes
    ----------
    step : int
        The next value of h to try, see `h_at`.
    ended : bool
    """

    def __init__(self, lam, up):
        self.lam = lam
        self.step = 0
        self.ended = False
        self._sign = 1 if up else -1
        self._last = None
        self._best = 0.0
        self._hopeless = 0

    def advance(self, candidate):
        """Go on after a candidate was fitted, twice as far where nothing changes."""
        same = self._last is not None and np.array_equal(self._last, candidate.labels)
        self._last = candidate.labels
        if self._sign > 0:
            self.ended = candidate.k == 1
        else:
            self._best = max(self._best, candidate.promise)
            hopeless = candidate.k > 1 and candidate.promise <= WORTH_GOING_ON * self._best
            self._hopeless = self._hopeless + 1 if hopeless else 0
            self.ended = self._hopeless == HOPELESS_IN_A_ROW or (same and self.step <= LOW_ENOUGH)
        self.step += self._sign * (2 if same and candidate.k > 1 else 1)
        self.ended |= not LOWEST_STEPS <= self.step <= HIGHEST_STEPS
