"""When a fit stops, and which rows would keep it from stopping."""

import numpy as np


class TwoCycles:
    """Pairs of single rows that swap places for ever, brought to rest at their midpoint.

    With a row left out of its own mean, two rows that have only each other change places in
    every step: a cycle of period two.

    Parameters
    ----------
    patience : int
        Times in a row that a pair has to swap before it is brought to rest. A pair that swaps
        while other points are still approaching must not be: they decide what becomes of it.
    """

    def __init__(self, patience):
        self._patience = patience
        self._streak = {}

    def settle(self, points):
        """Put lasting pairs at their midpoint; return all pairs that swapped in this step."""
        pairs = points.swapped_pairs()
        row_of = np.empty(points.shape[0], dtype=np.intp)
        row_of[points.member] = np.arange(len(points.member))
        # Points are renumbered when others are merged; the rows of a pair are not.
        names = [(row_of[i], row_of[j]) for i, j in pairs]
        self._streak = {name: self._streak.get(name, 0) + 1 for name in names}
        points.put_at_midpoint(
            [
                pair
                for pair, name in zip(pairs, names, strict=True)
                if self._streak[name] >= self._patience
            ]
        )
        return pairs


class StopRule:
    """One of the four stop rules, asked once per iteration.

    Parameters
    ----------
    settings : Settings
    points : WeightedPoints
        The points at the start.
    """

    def __init__(self, settings, points):
        self._settings = settings
        self._last_diameter = points.diameter()
        self._first_partition = points.groups(settings.coarse_radius)[points.member]
        self._partition = None
        self._same = 0

    def __call__(self, state):
        """Tell whether the fit has converged with the iteration that led to this state."""
        return bool(getattr(self, f"_{self._settings.stop}")(state))

    def _settled(self, state):
        points = state.points
        coarse = points.groups(self._settings.coarse_radius, state.swapping)
        partition = coarse[points.member]
        self._same = self._same + 1 if np.array_equal(partition, self._partition) else 0
        self._partition = partition
        return (
            self._same >= self._settings.patience
            and np.array_equal(coarse, state.groups)
            and not self._still_approaching(state, coarse)
        )

    def _still_approaching(self, state, coarse):
        """Tell whether points that have yet to meet others are still moving.

        Left out of its own mean, a lone row that moves is approaching another. Kept in, it may
        stay alone for good; but if points move and none have met since the start, the fit has
        only begun.
        """
        moving = state.moves >= self._settings.coarse_radius
        alone = np.bincount(coarse, weights=state.points.mass)[coarse] == 1
        return (self._settings.exclude_self and (moving & alone).any()) or (
            moving.any() and np.array_equal(self._partition, self._first_partition)
        )

    def _movement(self, state):
        return state.moves.max() < self._settings.tol

    def _diameter(self, state):
        change = abs(state.diameter - self._last_diameter)
        self._last_diameter = state.diameter
        return change < self._settings.tol

    def _fixed(self, state):
        return False
