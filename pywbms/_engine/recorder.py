"""What is kept of a fit while it runs."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.ordering import undo_order
from pywbms._engine.meetings import links_before, start_links
from pywbms._engine.merge_tree import PartitionHistory
from pywbms._engine.settings import says_stop

# Share of eps that no point of a warm-up at rest moves by; and iterations in which all points meet
# if h is so large that they would with any weights.
AT_REST, AT_ONCE = 0.1, 5


@dataclass(frozen=True)
class IterationInfo:
    """What a callback sees after each iteration.

    Attributes
    ----------
    phase : {"select", "warmup", "main"}
        Whether h and lam are being chosen, the weights learned, or the points clustered.
    iteration : int
        Counted from 1 in each phase; while h and lam are chosen, the number of fits so far.
    diameter : float
        Largest distance between two points, in working coordinates (z-scores by default).
    movement : float
        Largest move of any point in this iteration.
    groups : int
        Groups of points closer than eps; a pair that swaps places counts as one.
    entropy : float
        Entropy of the feature weights, from 0 (one feature) to log p (all alike).
    n_points : int
        Weighted points that were shifted: fewer than rows once points have merged.
    weights : ndarray
        Weights of the columns that are not constant, read-only.
    fits_left : int
        While h and lam are chosen: about how many fits are still to come.
    """

    phase: str
    iteration: int
    diameter: float
    movement: float
    groups: int
    entropy: float
    n_points: int
    weights: np.ndarray = field(repr=False)
    fits_left: int = field(default=0, repr=False)

    @classmethod
    def of(cls, state):
        """Return what there is to say of a `FitState`."""
        positive = state.weights[state.weights > 0]
        return cls(
            phase=state.phase,
            iteration=state.n_iter,
            diameter=float(state.diameter),
            movement=float(state.moves.max()),
            groups=int(state.groups.max()) + 1,
            entropy=max(0.0, float(-(positive * np.log(positive)).sum())),
            n_points=state.points.shape[0],
            weights=read_only(state.weights),
        )

    @classmethod
    def of_candidate(cls, n_fits, groups, n_points, fits_left=0):
        """Return what there is to say after a candidate fit of the search for h and lam.

        Examples
        --------
        >>> print(IterationInfo.of_candidate(3, 2, 100))
        choosing h and lam, fit 3: 100 points in 2 groups
        """
        nothing = read_only(np.zeros(0))
        return cls("select", n_fits, 0.0, 0.0, groups, 0.0, n_points, nothing, fits_left)

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


COLUMNS = {
    name: kind
    for name, kind in IterationInfo.__annotations__.items()
    if name not in ("weights", "fits_left")
}


class Recorder:
    """Keeps the history of a fit and, if the settings ask for it, its path and partitions.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The caller's row that each row of the fit is.
    standardizer : Standardizer
    settings : Settings
    callback : callable, optional
        Called with an `IterationInfo` after each iteration; returning True ends the fit.
    checkpoint : callable, optional
        Called with the state and this recorder after each iteration that did not end the fit.
    keeps_history : bool, default True
        Whether `history` tells of each iteration; a callback needs that, too.
    cloud : CloudRecorder, optional
        Records the points, so that other rows can follow them.

    Attributes
    ----------
    keeps_history : bool
    partitions : PartitionHistory or None
        Only if the settings ask for a tree.
    """

    def __init__(
        self, order, standardizer, settings, callback=None, checkpoint=None, keeps_history=True,
        cloud=None,
    ):  # fmt: skip
        self.keeps_history = keeps_history or callback is not None
        self.order = order
        self.standardizer = standardizer
        self.cloud = cloud
        self.partitions = PartitionHistory() if settings.tree else None
        self._eps = settings.eps
        self._record_path = settings.record_path
        self._callback = callback
        self._checkpoint = checkpoint
        self._infos = []
        self._path = []

    def begin(self, state):
        """Note that a phase begins."""
        self._path = []
        self._record_place(state)
        if self.cloud is not None:
            self.cloud.begin(state)
        if self.partitions is not None:
            points = state.points
            partition = points.groups(self._eps)[points.member]
            self.partitions.begin(partition, start_links(points, partition))

    def record(self, state):
        """Note an iteration; return whether the callback asks to stop."""
        self._record_place(state)
        if self.cloud is not None:
            self.cloud.record(state)
        if self.keeps_history:
            self._infos.append(IterationInfo.of(state))
        if self.partitions is not None:
            points = state.points
            partition = state.groups[points.member]
            self.partitions.add(partition, lambda last: links_before(points, last, partition))
        stop = self._callback is not None and says_stop(self._callback(self._infos[-1]))
        if self._checkpoint is not None and not (stop or state.converged):
            self._checkpoint(state, self)
        return stop

    def is_at_rest(self, state):
        """Tell whether the rest of this phase would change nothing that is wanted."""
        return False

    def amend(self, state):
        """Note that the last iteration ended elsewhere than where its step had led."""
        if self._path:
            self._path.pop()
        self._record_place(state)
        if self.cloud is not None:
            self.cloud.amend(state)

    def history(self):
        """Return a DataFrame with one row per iteration."""
        rows = [[getattr(info, name) for name in COLUMNS] for info in self._infos]
        # A table without rows has types, too.
        numbers = {name: kind for name, kind in COLUMNS.items() if kind is not str}
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(numbers)

    def path(self):
        """Return points (T + 1, n, p) and weights (T + 1, p) of the main phase, or None twice."""
        if not self._record_path:
            return None, None
        points, weights = zip(*self._path, strict=True)
        return np.stack(points), np.stack(weights)

    def save(self):
        """Return what has been recorded, as plain values and arrays that `restore` takes."""
        return {
            "history": [[getattr(info, name) for name in COLUMNS] for info in self._infos],
            "weights": np.array([info.weights for info in self._infos]),
            "path": list(self._path),
            "partitions": None if self.partitions is None else self.partitions.save(),
        }

    def restore(self, saved):
        """Go on from what an earlier recorder has saved."""
        self._infos = [
            IterationInfo(*row, read_only(weights))
            for row, weights in zip(saved["history"], saved["weights"], strict=True)
        ]
        self._path = [tuple(place) for place in saved["path"]]
        if self.partitions is not None:
            self.partitions.restore(saved["partitions"])

    def _record_place(self, state):
        if self._record_path:
            points, standardizer = state.points, self.standardizer
            rows = undo_order(points.points[points.member], self.order)
            self._path.append(
                (standardizer.all_columns(rows), standardizer.all_weights(state.weights))
            )


class ShortRecorder(Recorder):
    """Of a short fit whose labels are all that is wanted: it keeps nothing.

    A warm-up in which all rows have soon become one point ends the fit: that is its answer. One
    whose points are at rest is over, as the weights would not change any more.

    Parameters
    ----------
    order, standardizer, settings
        See `Recorder`.
    """

    def __init__(self, order, standardizer, settings):
        super().__init__(order, standardizer, settings, keeps_history=False)

    def record(self, state):
        """Return whether the fit may end."""
        soon = state.phase == "warmup" and state.n_iter <= AT_ONCE
        return soon and not state.groups.any()

    def is_at_rest(self, state):
        """Tell whether the weights have been learned."""
        return state.phase == "warmup" and state.moves.max() < AT_REST * self._eps


def read_only(values):
    """Return a copy that cannot be written to."""
    values = values.copy()
    values.flags.writeable = False
    return values
