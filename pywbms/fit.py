"""The loop: standardise, warm up, shift and weigh until settled, label.

Nothing else in the package knows this order. The loop stays in Python, which is what makes
Ctrl-C, callbacks and progress work; each of its steps is one call into the core.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pywbms._cloud import Cloud
from pywbms._stop import Pairs, StopRule
from pywbms._threads import one_blas_thread
from pywbms._trace import Trace
from pywbms._units import NUMBERS_AT_A_TIME, Units
from pywbms.tree import Groups, Meetings, Tree, grow

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
    units = Units(rows, standardize)
    start = Cloud(units.forward(rows), merge, n_threads)
    del rows  # from here on there are no more than three copies of the data
    trace = Trace(order, units.active, record_path)
    meetings = Meetings()
    settle_pairs = exclude_self and stop != "fixed"
    weights = even(start.points.shape[1])
    if not units.active.any():  # every column is constant: all rows are one point
        trace.begin("main", start, weights)
        labels = np.zeros(len(X), int)
        meetings.begin(labels)
        grown = grow(meetings, labels, order) if tree else None
        return Fit.of(trace, units, start, weights, labels, True, False, grown)

    with one_blas_thread():
        for phase, limit in (("warmup", warmup), ("main", max_iter)):
            cloud = start.restart() if phase == "warmup" else start
            pairs, swapping = Pairs(patience, eps), []
            ended = StopRule(stop, patience, tol, eps, exclude_self, cloud)
            trace.begin(phase, cloud, weights)
            if tree:
                meetings.begin(cloud.groups(eps)[cloud.member])
            converged = interrupted = False
            for _ in range(limit):
                cloud.fold(FOLDED * eps)
                moves = cloud.shift(weights, h, exclude_self, lam, lam_scale)
                swapping = pairs.settle(cloud) if settle_pairs else []
                weights = cloud.weigh(lam, lam_scale)
                fine = cloud.groups(eps, swapping)
                state = trace.add(cloud, weights, moves, fine)
                if tree:
                    meetings.add(fine[cloud.member])
                converged = phase == "main" and ended(cloud, moves, swapping, fine, state.diameter)
                interrupted = callback is not None and says_stop(callback(state))
                if converged or interrupted:
                    break
            if interrupted:
                break

    if converged and swapping:  # the rest has settled, so these would swap for ever
        cloud.put_together(swapping)
        weights = cloud.weigh(lam, lam_scale)
        trace.amend(cloud, weights)
    labels = cloud.groups(eps)[cloud.member]
    converged = bool(converged) or (stop == "fixed" and not interrupted)
    grown = None
    if tree:
        modes = cloud.points[cloud.member]
        groups = Groups(units.forward(X[order]), modes, labels, h, lam, lam_scale, exclude_self)
        with one_blas_thread():
            grown = grow(
                meetings, labels, order, groups,
                n_iter=trace.n_iter, eps=eps, patience=patience, follow=not interrupted,
            )  # fmt: skip
    return Fit.of(trace, units, cloud, weights, labels, converged, interrupted, grown)


@dataclass(frozen=True)
class Fit:
    """What a fit knows in the end, in the caller's rows, columns and units (but for the path)."""

    units: Units
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
    def of(cls, trace, units, cloud, weights, labels, converged, interrupted, tree=None):
        """Gather the end of a fit, its rows back in the caller's order."""
        path, weights_path = trace.path()
        if path is not None and not weights.size:
            weights_path = even(len(units.active))[None]
        cloud.release()
        # Averaged in the cloud's own order of points, which is not the caller's.
        group = np.empty(len(cloud.points), dtype=np.intp)
        group[cloud.member] = labels
        met = weighted_means(cloud.points, cloud.mass, group)
        ordered = trace.in_order(labels)
        final = largest_first(ordered)
        group_of = np.empty(len(met), dtype=np.intp)
        group_of[final] = ordered
        centers = units.backward(met, group_of)
        del met  # as large as the data, if every row is its own cluster
        return cls(
            units=units,
            labels=final,
            modes=units.backward(cloud.points, trace.in_order(cloud.member)),
            centers=centers,
            weights=trace.all_columns(weights) if weights.size else even(len(units.active)),
            history=trace.history(),
            n_iter=trace.n_iter,
            converged=converged,
            interrupted=interrupted,
            path=path,
            weights_path=weights_path,
            tree=tree,
        )


def weighted_means(points, mass, group):
    """Return the mean of each group's points, weighted by their mass.

    The mean is taken relative to a point of the group, so that equal points have that point as
    their mean, to the bit.

    Examples
    --------
    >>> points, mass = np.array([[0.0], [3.0], [5.0]]), np.array([2.0, 1.0, 1.0])
    >>> weighted_means(points, mass, [0, 0, 1]).tolist()
    [[1.0], [5.0]]
    """
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    share = mass / np.bincount(group, weights=mass)[group]
    means = points[first]
    others = np.delete(np.arange(len(points)), first)
    for some in np.array_split(others, 1 + len(others) * points.shape[1] // NUMBERS_AT_A_TIME):
        away = share[some, None] * (points[some] - points[first[group[some]]])
        np.add.at(means, group[some], away)
    return means


def row_order(X):
    """Return an order of the rows that depends on their values alone, equal rows side by side.

    The fit then does the same sums in the same order however the caller has sorted the rows.
    """
    rows = np.ascontiguousarray(X) + 0.0  # −0.0 becomes 0.0: equal rows are equal bytes
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.argsort(as_bytes.ravel(), kind="stable")


def largest_first(labels):
    """Renumber clusters 0 … k − 1, the largest first, ties by their first row.

    Examples
    --------
    >>> largest_first(np.array([7, 3, 3, 5])).tolist()
    [1, 0, 0, 2]
    """
    _, first, inverse, size = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(size))
    return rank[inverse]


def even(p):
    """Return p equal weights."""
    return np.full(p, 1 / max(p, 1))


def says_stop(answer):
    """Tell whether a callback has returned True (and not just something that is not None)."""
    return isinstance(answer, bool | np.bool_) and bool(answer)
