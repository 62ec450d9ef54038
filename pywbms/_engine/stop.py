"""When a fit ends, and which pairs of points hold it up."""

import numpy as np

# The partition at COARSE · eps is watched: by the time it has stood still for a few iterations,
# what is inside a group has long come closer than eps.
COARSE = 100


class Pairs:
    """Pairs of single rows that change places for ever, brought to rest at their midpoint.

    Parameters
    ----------
    patience : int
        Times in a row that a pair has to swap before it is put to rest. A pair that swaps while
        others are still coming in must not be: they decide what becomes of it.
    eps : float
        Distance below which points have met.
    """

    def __init__(self, patience, eps):
        self._patience = patience
        self._eps = eps
        self._streak = {}

    def settle(self, cloud):
        """Put lasting pairs of the cloud at their midpoint; return all that swapped just now."""
        pairs = cloud.swapping_pairs(self._eps)
        row_of = np.empty(cloud.shape[0], dtype=np.intp)
        row_of[cloud.member] = np.arange(len(cloud.member))
        # Points are renumbered when others are folded; the rows of a pair are not.
        names = [(row_of[i], row_of[j]) for i, j in pairs]
        self._streak = {name: self._streak.get(name, 0) + 1 for name in names}
        cloud.put_together(
            pair
            for pair, name in zip(pairs, names, strict=True)
            if self._streak[name] >= self._patience
        )
        return pairs


class StopRule:
    """One of the four stop rules, asked once an iteration.

    Parameters
    ----------
    stop : {"settled", "movement", "diameter", "fixed"}
    patience : int
        Iterations in a row that the partition has to stay the same ("settled").
    tol : float
        Bound of the largest move ("movement") or of the diameter's change ("diameter").
    eps : float
        Distance below which points have met.
    exclude_self : bool
        Whether a row is left out of its own mean.
    cloud : Cloud
        The cloud at the start.
    """

    def __init__(self, stop, patience, tol, eps, exclude_self, cloud):
        self._rule = stop
        self._patience = patience
        self._tol = tol
        self._eps = eps
        self._exclude_self = exclude_self
        self._last_diameter = cloud.diameter()
        self._first_partition = cloud.groups(COARSE * eps)[cloud.member]
        self._partition = None
        self._same = 0

    def __call__(self, cloud, moves, swapping, fine, diameter):
        """Tell whether the fit has ended with the step that gave these moves and groups."""
        return getattr(self, f"_{self._rule}")(cloud, moves, swapping, fine, diameter)

    def _settled(self, cloud, moves, swapping, fine, diameter):
        coarse = cloud.groups(COARSE * self._eps, swapping)
        partition = coarse[cloud.member]
        self._same = self._same + 1 if np.array_equal(partition, self._partition) else 0
        self._partition = partition
        return (
            self._same >= self._patience
            and np.array_equal(coarse, fine)
            and not self._on_the_way(cloud, moves, coarse)
        )

    def _on_the_way(self, cloud, moves, coarse):
        """Tell whether points that have yet to meet are still travelling.

        Left out of its own mean, a lone row that moves is on its way to somebody. Kept in, it
        may stay alone for good; but a cloud that moves and in which nobody has met anybody
        since the start has only begun.
        """
        restless = moves >= COARSE * self._eps
        alone = np.bincount(coarse, weights=cloud.mass)[coarse] == 1
        return (self._exclude_self and (restless & alone).any()) or (
            restless.any() and np.array_equal(self._partition, self._first_partition)
        )

    def _movement(self, cloud, moves, swapping, fine, diameter):
        return moves.max() < self._tol

    def _diameter(self, cloud, moves, swapping, fine, diameter):
        change, self._last_diameter = abs(diameter - self._last_diameter), diameter
        return change < self._tol

    def _fixed(self, cloud, moves, swapping, fine, diameter):
        return False
