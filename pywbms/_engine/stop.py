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

    def save(self):
        """Return plain values from which `restore` goes on."""
        return [[*map(int, name), times] for name, times in self._streak.items()]

    def restore(self, saved):
        """Go on from what was saved; return this object."""
        self._streak = {(i, j): times for i, j, times in saved}
        return self


class StopRule:
    """One of the four stop rules, asked once per iteration.

    Parameters
    ----------
    settings : Settings
    first_partition : ndarray of shape (n,)
        The partition at the start.
    last_diameter : float
        The diameter after the last iteration, if that is the rule.
    partition : ndarray of shape (n,), optional
        The partition after it.
    same : int
        Iterations that have not changed it.
    """

    def __init__(self, settings, first_partition, last_diameter, partition=None, same=0):
        self._settings = settings
        self._first_partition = first_partition
        self._last_diameter = last_diameter
        self._partition = partition
        self._same = same

    @classmethod
    def at_start(cls, settings, points):
        """Return the rule for a phase that starts from the given points."""
        partition = points.groups(settings.coarse_radius)[points.member]
        diameter = points.diameter() if settings.stop == "diameter" else 0.0
        return cls(settings, partition, diameter)

    def save(self):
        """Return the parameters, but for the settings, from which it can be made again."""
        return {
            "first_partition": self._first_partition,
            "last_diameter": float(self._last_diameter),
            "partition": self._partition,
            "same": self._same,
        }

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
        alone = state.points.alone & (np.bincount(coarse)[coarse] == 1)
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
