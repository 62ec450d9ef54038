"""The scan along h at one lam: where it starts, how far it goes, when it turns back."""

import numpy as np

# Where a scan begins, and the factor from one value to the next, on z-scores. From there h goes up
# until all rows are one cluster, and down until there are more clusters than could be judged.
H_START, H_STEP = 0.07, 1.8
LOWEST_STEPS, HIGHEST_STEPS = -16, 12
# It turns back where three in a row promise less than this share of the best so far on its line,
WORTH_GOING_ON, HOPELESS_IN_A_ROW = 0.6, 3
# or two in a row less than this share of the best so far on any line, or all of so many do.
FAR_BEHIND, FAR_IN_A_ROW, TRIED = 0.3, 2, 3
TYPICAL_UP, TYPICAL_DOWN = 3, 5  # values that are tried
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
    line : (str, float)
        Start and lam.
    up : bool
    most_clusters : int
        More could not be judged.

    Attributes
    ----------
    step : int
        The next value of h to try, see `h_at`.
    ended : bool
    tried : list of (int, Candidate)
        What was tried so far: step and candidate.
    """

    def __init__(self, line, up, most_clusters):
        self.line, self.up = line, up
        self.step = 0
        self.ended = False
        self.tried = []
        self._most_clusters = most_clusters
        self._hopeless = self._far = 0

    @property
    def typically_left(self):
        """About how many values there are still to try after the next one."""
        return max((TYPICAL_UP if self.up else TYPICAL_DOWN) - len(self.tried) - 1, 0)

    @property
    def promise(self):
        """The best promise so far."""
        return max((one.promise for _, one in self.tried), default=0.0)

    def advance(self, candidate, best):
        """Go on after a candidate was fitted, twice as far where nothing changes.

        Parameters
        ----------
        candidate : Candidate
        best : float
            The best promise so far, on any line.
        """
        last = self.tried[-1][1].labels if self.tried else None
        same = last is not None and np.array_equal(last, candidate.labels)
        self.tried.append((self.step, candidate))
        far = candidate.promise < FAR_BEHIND * best
        self._far = self._far + 1 if far else 0
        if self.up:
            self.ended = candidate.n_groups == 1 or (far and candidate.n_groups == 2)
        else:
            hopeless = candidate.k > 1 and candidate.promise <= WORTH_GOING_ON * self.promise
            self._hopeless = self._hopeless + 1 if hopeless else 0
            self.ended = (
                self._hopeless == HOPELESS_IN_A_ROW
                or (same and self.step <= LOW_ENOUGH)
                or candidate.n_groups > self._most_clusters
                or (hopeless and self._far == FAR_IN_A_ROW)
                or (len(self.tried) > TRIED and self.promise < FAR_BEHIND * best)
            )
        self.step += (1 if self.up else -1) * (2 if same and candidate.k > 1 else 1)
        self.ended |= not LOWEST_STEPS <= self.step <= HIGHEST_STEPS
