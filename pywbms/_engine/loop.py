"""The loop: standardise, warm up, shift and weigh until settled, label.

Nothing else in the package knows this order. The loop stays in Python, which is what makes
Ctrl-C, callbacks and progress work; each of its steps is one call into the core.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.ordering import even, largest_first, row_order, weighted_means
from pywbms._data.standardize import Standardizer
from pywbms._engine.merge_tree import Groups, PartitionHistory, Tree, grow
from pywbms._engine.points import Cloud
from pywbms._engine.recorder import Trace
from pywbms._engine.stop import Pairs, StopRule
from pywbms._machine.threads import one_blas_thread

# Points closer than this share of eps travel on as one: so close that neither modes nor weights
# tell the difference in their first nine digits.
FOLDED = 1e-6


def fit(
    X, h, lam, *, lam_scale, exclude_self, warmup, stop, patience, tol, max_iter, eps,
    standardize, merge, n_threads, record_path, callback, tree=False,
):  # fmt: skip
    """Run WBMS on a finite float64 matrix and return a `Fit`.

    The parameters are those of `WBMS`, which has checked them.
    """
    order = row_order(X)
    rows = X[order]
    units = Standardizer(rows, standardize)
    start = Cloud(units.forward(rows), merge, n_threads)
    del rows  # from here on there are no more than three copies of the data
    end = travel(
        start, Trace(order, units.active, record_path), h, lam, lam_scale=lam_scale,
        exclude_self=exclude_self, warmup=warmup, stop=stop, patience=patience, tol=tol,
        max_iter=max_iter, eps=eps, callback=callback,
        rows=(lambda: units.forward(X[order])) if tree else None,
    )  # fmt: skip
    return Fit.of(end, units)


@dataclass
class FitState:
    """Where a fit is between two iterations: all it takes to go on from there, and to end.

    Attributes
    ----------
    trace : Trace
    cloud : Cloud
    weights : ndarray
        Weights of the cloud's features.
    meetings : PartitionHistory
        Kept up to date only if a tree is asked for.
    phase : str
    pairs : Pairs
    swapping : list
        Pairs of points that changed places in the last iteration.
    ended : StopRule
    converged, interrupted : bool
    labels : ndarray
        Groups of the rows, once the journey has ended.
    tree : Tree or None
    """

    trace: Trace
    cloud: Cloud
    weights: np.ndarray
    meetings: PartitionHistory
    phase: str = ""
    pairs: Pairs | None = None
    swapping: list = field(default_factory=list)
    ended: StopRule | None = None
    converged: bool = False
    interrupted: bool = False
    labels: np.ndarray | None = None
    tree: Tree | None = None


def travel(
    start, trace, h, lam, *, lam_scale, exclude_self, warmup, stop, patience, tol, max_iter, eps,
    callback, rows=None, now=None, keep=None,
):  # fmt: skip
    """Take a cloud from its start to its end and return the `FitState`.

    Parameters
    ----------
    start : Cloud
        Or what has its methods.
    trace : Trace
        Is added to.
    rows : callable, optional
        Returns the rows in the cloud's order and coordinates; if given, a tree is grown.
    now : FitState, optional
        Where to go on from: what `keep` was given in an earlier run.
    keep : callable, optional
        Called with the journey after each iteration that did not end it.
    """
    settle_pairs = exclude_self and stop != "fixed"
    order = trace.order
    if now is None:
        now = FitState(trace, start, even(start.shape[1]), PartitionHistory())
    if not start.shape[1]:  # every column is constant: all rows are one point
        trace.begin("main", start, now.weights)
        now.labels = np.zeros(len(order), int)
        now.meetings.begin(now.labels)
        now.converged = True
        now.tree = grow(now.meetings, now.labels, order) if rows else None
        return now

    with one_blas_thread():
        for phase, limit in (("warmup", warmup), ("main", max_iter)):
            if phase == "warmup" and now.phase == "main":
                continue
            if phase != now.phase:
                now.phase = phase
                now.cloud = cloud = start.restart() if phase == "warmup" else start
                now.pairs, now.swapping = Pairs(patience, eps), []
                now.ended = StopRule(stop, patience, tol, eps, exclude_self, cloud)
                now.trace.begin(phase, cloud, now.weights)
                if rows:
                    now.meetings.begin(cloud.groups(eps)[cloud.member])
                now.converged = now.interrupted = False
            cloud = now.cloud
            for _ in range(now.trace.n_iter, limit):
                cloud.fold(FOLDED * eps)
                moves = cloud.shift(now.weights, h, exclude_self, lam, lam_scale)
                now.swapping = now.pairs.settle(cloud) if settle_pairs else []
                now.weights = cloud.weigh(lam, lam_scale)
                fine = cloud.groups(eps, now.swapping)
                state = now.trace.add(cloud, now.weights, moves, fine)
                if rows:
                    now.meetings.add(fine[cloud.member])
                now.converged = phase == "main" and now.ended(
                    cloud, moves, now.swapping, fine, state.diameter
                )
                now.interrupted = callback is not None and says_stop(callback(state))
                if now.converged or now.interrupted:
                    break
                if keep is not None:
                    keep(now)
            if now.interrupted:
                break

    if now.converged and now.swapping:  # the rest has settled, so these would swap for ever
        cloud.put_together(now.swapping)
        now.weights = cloud.weigh(lam, lam_scale)
        now.trace.amend(cloud, now.weights)
    now.labels = cloud.groups(eps)[cloud.member]
    now.converged = bool(now.converged) or (stop == "fixed" and not now.interrupted)
    if rows:
        modes = cloud.points[cloud.member]
        groups = Groups(rows(), modes, now.labels, h, lam, lam_scale, exclude_self)
        with one_blas_thread():
            now.tree = grow(
                now.meetings, now.labels, order, groups, n_iter=now.trace.n_iter, eps=eps,
                patience=patience, follow=not now.interrupted,
            )  # fmt: skip
    return now


@dataclass(frozen=True)
class Fit:
    """What a fit knows in the end, in the caller's rows, columns and units (but for the path)."""

    units: Standardizer
    labels: np.ndarray
    modes: np.ndarray
    centers: np.ndarray
    weights: np.ndarray
    history: pd.DataFrame
    n_iter: int
    converged: bool
    interrupted: bool
    path: np.ndarray | None
    weights_path: np.ndarray | None
    tree: Tree | None

    @classmethod
    def of(cls, end, units, met=None, modes=None):
        """Gather the end of a fit, its rows back in the caller's order.

        Parameters
        ----------
        end : FitState
        units : Standardizer
        met : ndarray, optional
            Where each group met, in working coordinates, if it is known already.
        modes : optional
            What stands for the modes, if they are elsewhere.
        """
        trace, cloud, weights, labels = end.trace, end.cloud, end.weights, end.labels
        path, weights_path = trace.path()
        if path is not None and not weights.size:
            weights_path = even(len(units.active))[None]
        cloud.release()
        if met is None:
            met = weighted_means(cloud.points, cloud.mass, groups_of_points(cloud, labels))
        ordered = trace.in_order(labels)
        final = largest_first(ordered)
        group_of = np.empty(len(met), dtype=np.intp)
        group_of[final] = ordered
        centers = units.backward(met, group_of)
        del met  # as large as the data, if every row is its own cluster
        if modes is None:
            modes = units.backward(cloud.points, trace.in_order(cloud.member))
        return cls(
            units=units,
            labels=final,
            modes=modes,
            centers=centers,
            weights=trace.all_columns(weights) if weights.size else even(len(units.active)),
            history=trace.history(),
            n_iter=trace.n_iter,
            converged=end.converged,
            interrupted=end.interrupted,
            path=path,
            weights_path=weights_path,
            tree=end.tree,
        )


def groups_of_points(cloud, labels):
    """Return the groups of a cloud's points, given those of its rows.

    Averages are taken in the cloud's own order of points, which is not the caller's.
    """
    group = np.empty(len(cloud.mass), dtype=np.intp)
    group[cloud.member] = labels
    return group


def says_stop(answer):
    """Tell whether a callback has returned True (and not just something that is not None)."""
    return isinstance(answer, bool | np.bool_) and bool(answer)
