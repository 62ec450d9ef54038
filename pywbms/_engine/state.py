"""Where a fit is between two iterations."""

from dataclasses import dataclass, field

import numpy as np

from pywbms._engine.points import WeightedPoints
from pywbms._engine.stop import StopRule, TwoCycles

# What is saved of a state as it is.
SAVED = ("weights", "phase", "n_iter", "moves", "swapping", "groups", "diameter")


@dataclass
class FitState:
    """All that is needed to go on with a fit, or to end it.

    Attributes
    ----------
    points : WeightedPoints
    weights : ndarray of shape (p,)
        Feature weights.
    phase : str
        Name of the phase; empty before the first.
    n_iter : int
        Iterations of this phase so far.
    moves : ndarray or None
        How far each point went in the last iteration.
    swapping : list of (int, int)
        Pairs of points that swapped places in it.
    groups : ndarray or None
        Groups of the points closer than eps, swapping pairs counted as one.
    diameter : float
        Largest distance between two points, if the recorder or the stop rule needs it.
    two_cycles : TwoCycles or None
    stop_rule : StopRule or None
        None in a phase that may not stop.
    converged, interrupted : bool
        Whether the stop rule, or a callback, has ended the phase.
    """

    points: WeightedPoints
    weights: np.ndarray
    phase: str = ""
    n_iter: int = 0
    moves: np.ndarray | None = None
    swapping: list = field(default_factory=list)
    groups: np.ndarray | None = None
    diameter: float = 0.0
    two_cycles: TwoCycles | None = None
    stop_rule: StopRule | None = None
    converged: bool = False
    interrupted: bool = False

    @classmethod
    def at_start(cls, points, weights):
        """Return the state before the first iteration."""
        return cls(points, weights)

    def begin(self, phase, points, settings):
        """Start a phase from the given points; of what came before, only the weights count."""
        self.points, self.phase, self.n_iter = points, phase.name, 0
        self.two_cycles, self.swapping = TwoCycles(settings.patience), []
        self.stop_rule = StopRule.at_start(settings, points) if phase.may_stop else None
        self.converged = self.interrupted = False

    def save(self):
        """Return plain values and arrays from which, with the points, `restore` goes on."""
        return {
            **{name: getattr(self, name) for name in SAVED},
            "two_cycles": self.two_cycles.save(),
            "stop_rule": None if self.stop_rule is None else self.stop_rule.save(),
        }

    @classmethod
    def restore(cls, saved, points, settings):
        """Return the state that `save` has described."""
        rule = saved["stop_rule"]
        return cls(
            points=points,
            two_cycles=TwoCycles(settings.patience).restore(saved["two_cycles"]),
            stop_rule=None if rule is None else StopRule(settings, **rule),
            **{name: saved[name] for name in SAVED},
        )

    @property
    def finished(self):
        """Whether no further iteration of this phase is wanted."""
        return self.converged or self.interrupted
