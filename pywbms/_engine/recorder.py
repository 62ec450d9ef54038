"""What is kept of a fit while it runs."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class State:
    """What a callback sees after each iteration.

    Attributes
    ----------
    phase : {"select", "warmup", "main"}
        Whether h and lam are being chosen, the weights learned, or the cloud is on its final way.
    iteration : int
        Counted from 1 in each phase; while h and lam are chosen, the number of fits so far.
    diameter : float
        Largest distance between two points, in working coordinates (z-scores by default).
    movement : float
        Largest move of any point in this iteration.
    groups : int
        Groups of points closer than eps, a pair that swaps places counted as one.
    entropy : float
        Entropy of the feature weights, 0 (one feature) to log p (all alike).
    n_points : int
        Weighted points that were shifted: fewer than rows once points have met.
    weights : ndarray
        Weights of the columns that are not constant, read-only.
    """

    phase: str
    iteration: int
    diameter: float
    movement: float
    groups: int
    entropy: float
    n_points: int
    weights: np.ndarray = field(repr=False)

    @classmethod
    def of_trial(cls, n_fits, groups, n_points):
        """Return the state after a trial fit of the search for h and lam: no cloud is on its way.

        Examples
        --------
        >>> print(State.of_trial(3, 2, 100))
        choosing h and lam, fit 3: 100 points in 2 groups
        """
        none = np.zeros(0)
        none.flags.writeable = False
        return cls("select", n_fits, 0.0, 0.0, groups, 0.0, n_points, none)

    def __str__(self):
        if self.phase == "select":
            return (
                f"choosing h and lam, fit {self.iteration}: {self.n_points} points in "
                f"{self.groups} groups"
            )
        return (
            f"{self.phase} {self.iteration}: {self.n_points} points in {self.groups} groups, "
            f"largest move {self.movement:.3g}"
        )


COLUMNS = {name: kind for name, kind in State.__annotations__.items() if name != "weights"}


class Trace:
    """The history of a fit and, if asked for, the path of the rows through its main phase.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The caller's row that each row of the cloud is.
    active : ndarray of shape (p,), bool
        The caller's columns that the cloud has.
    record_path : bool
        Keep where every row is after each iteration.
    """

    def __init__(self, order, active, record_path):
        self.order = order
        self._active = active
        self._record_path = record_path
        self._states = []
        self._path = []
        self._phase = None

    def begin(self, phase, cloud, weights):
        """Start a phase, from where the cloud is."""
        self._phase = phase
        self._path = []
        self._iteration = 0
        self._record(cloud, weights)

    def add(self, cloud, weights, moves, groups):
        """Note an iteration; return its state."""
        self._iteration += 1
        self._record(cloud, weights)
        frozen = weights.copy()
        frozen.flags.writeable = False
        positive = weights[weights > 0]
        state = State(
            phase=self._phase,
            iteration=self._iteration,
            diameter=float(cloud.diameter()),
            movement=float(moves.max()),
            groups=int(groups.max()) + 1,
            entropy=max(0.0, float(-(positive * np.log(positive)).sum())),
            n_points=cloud.shape[0],
            weights=frozen,
        )
        self._states.append(state)
        return state

    def amend(self, cloud, weights):
        """Note that the last iteration ended elsewhere than where the step had led."""
        if self._path:
            self._path.pop()
        self._record(cloud, weights)

    @property
    def n_iter(self):
        """Iterations of the phase that is under way."""
        return self._iteration

    def history(self):
        """Return a DataFrame, a row an iteration."""
        rows = [[getattr(state, name) for name in COLUMNS] for state in self._states]
        # A table without rows has types, too.
        numbers = {name: kind for name, kind in COLUMNS.items() if kind is not str}
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(numbers)

    def path(self):
        """Return points (T + 1, n, p) and weights (T + 1, p) of the main phase, or None twice."""
        if not self._record_path:
            return None, None
        points, weights = zip(*self._path, strict=True)
        return np.stack(points), np.stack(weights)

    def in_order(self, values):
        """Return values of the cloud's rows in the caller's order."""
        ordered = np.empty_like(values)
        ordered[self.order] = values
        return ordered

    def all_columns(self, values):
        """Return values of the cloud's columns with zeros for the columns it does not have."""
        full = np.zeros((*values.shape[:-1], len(self._active)))
        full[..., self._active] = values
        return full

    def _record(self, cloud, weights):
        if self._record_path:
            rows = self.in_order(cloud.points[cloud.member])
            self._path.append((self.all_columns(rows), self.all_columns(weights)))
