"""The paper's theorems as checks on a fit, or on a path that was recorded.

Theorem 1: the weights minimise the entropy-regularised displacement. Theorem 2: the convex hull of
the cloud shrinks. Theorem 3: the diameter's change falls below any bound for good. Theorems 4 and
5: a Gaussian cloud stays Gaussian, and collapses with cubic order (see `pywbms.gaussian`, which
also says what is misprinted).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import ConvexHull, QhullError
from scipy.special import logsumexp, xlogy

from pywbms._core.spread import diameter
from pywbms._core.weights import entropy_weights as core_entropy_weights
from pywbms._data.checks import require_positive
from pywbms._terminal.line import Line
from pywbms.estimator import WBMS, refit_with_path
from pywbms.frame import WBMSResult
from pywbms.theory.gaussian import convergence_order, gaussian_recursion, limit_weights
from pywbms.theory.hull import hull_distance

__all__ = [
    "check_all",
    "check_finite_convergence",
    "check_shrinking_hull",
    "check_weights",
    "convergence_order",
    "entropy_objective",
    "entropy_weights",
    "gaussian_recursion",
    "hull_distance",
    "limit_weights",
]

# Of the cloud's scale: what rounding may add to a distance.
TOLERANCE = 1e-8

# Numbers (iterations × features) that a recursion may take: a second's work.
LONGEST_RECURSION = 3e6


# Theorem 1


def entropy_weights(D, lam):
    """Return the weights w_l ∝ exp(−D_l / lam) of Theorem 1.

    Parameters
    ----------
    D : array-like or Series of shape (p,)
        Displacement of each feature.
    lam : float

    Returns
    -------
    ndarray, or a Series if D is one

    Examples
    --------
    >>> entropy_weights([0.0, 0.0, 1.0], lam=0.5).round(3).tolist()
    [0.468, 0.468, 0.063]
    """
    values = displacements(D)
    require_positive("lam", lam)
    w = np.empty_like(values)
    core_entropy_weights(values, lam, w)
    return pd.Series(w, index=D.index, name="weight") if isinstance(D, pd.Series) else w


def entropy_objective(w, D, lam):
    """Return Σ_l w_l D_l + lam Σ_l w_l log w_l, which the weights of Theorem 1 minimise.

    Parameters
    ----------
    w : array-like of shape (p,)
        Weights on the simplex.
    D : array-like of shape (p,)
    lam : float

    Examples
    --------
    >>> entropy_objective([0.5, 0.5], [1.0, 3.0], lam=1.0).round(3).item()
    1.307
    """
    w, D = on_simplex(w), displacements(D)
    require_positive("lam", lam)
    if len(w) != len(D):
        raise ValueError(f"w and D must have the same length, got {len(w)} and {len(D)}")
    return (w * D).sum() + lam * xlogy(w, w).sum()


def check_weights(w, D, lam):
    """Tell how far weights are from the minimiser of the entropy objective.

    Parameters
    ----------
    w, D : array-like of shape (p,)
    lam : float

    Returns
    -------
    dict
        ``kkt``: the largest difference, over features with weight, between lam (1 + log w_l) + D_l
        and their weighted mean, in units of lam (all of them are equal at the minimum).
        ``gap``: the objective less its smallest value −lam log Σ_l exp(−D_l / lam), in units of
        lam. Both are 0 at the minimum and nowhere else.

    Examples
    --------
    >>> D = np.array([0.2, 0.7, 3.0])
    >>> check_weights(entropy_weights(D, 0.5), D, 0.5)["kkt"] < 1e-12
    True
    >>> check_weights([0.4, 0.3, 0.3], D, 0.5)["gap"] > 0.1
    True
    """
    objective = entropy_objective(w, D, lam)
    w, D = on_simplex(w), displacements(D)
    # Weights that are not normal numbers have lost digits, and a weight of 0 has no logarithm.
    seen = w >= np.finfo(float).tiny
    gradient = D[seen] / lam + 1 + np.log(w[seen])
    middle = (w[seen] * gradient).sum() / w[seen].sum()
    size = 1 + np.abs(D[seen]).max() / lam
    smallest = -lam * logsumexp(-D / lam)
    return {
        "kkt": float(np.abs(gradient - middle).max() / size),
        "gap": float(abs(objective - smallest) / (lam * size)),
    }


# Theorems 2 and 3


def check_shrinking_hull(path, *, tol=TOLERANCE, progress=False):
    """Check Theorem 2 along a path: no point ever leaves the hull of the points before it.

    Parameters
    ----------
    path : array-like of shape (T + 1, n, p)
        A cloud after 0 … T iterations, as `WBMS.path_` has it.
    tol : float, default 1e-8
        How far outside, relative to the cloud's diameter at the start, rounding may put a point.
    progress : bool, default False
        Show on a terminal how far the check is.

    Returns
    -------
    DataFrame
        A row a step: iteration, outside (the largest distance of a point to the hull before),
        diameter, volume (length, area or volume; only for p ≤ 3) and holds.

    Examples
    --------
    >>> from pywbms import WBMS, datasets
    >>> X, _ = datasets.simulation3(random_state=0)
    >>> model = WBMS(h=0.1, lam=0.1, record_path=True).fit(X[["x1", "x2"]])
    >>> bool(check_shrinking_hull(model.path_).holds.all())
    True
    """
    path = cloud_path(path)
    start = diameter(path[0], 1)
    rows = []
    with Line(progress) as line:
        for t in range(1, len(path)):
            line.show(f"hull {t} of {len(path) - 1}")
            before, now = np.unique(path[t - 1], axis=0), np.unique(path[t], axis=0)
            row = {
                "iteration": t,
                "outside": hull_distance(now, before).max(),
                "diameter": diameter(path[t], 1),
            }
            if path.shape[2] <= 3:
                row["volume"] = hull_volume(now)
            rows.append({**row, "holds": bool(row["outside"] <= tol * start)})
    return pd.DataFrame(rows)


def hull_volume(points):
    """Return the length, area or volume of the convex hull of points in 1, 2 or 3 dimensions."""
    if points.shape[1] == 1:
        return float(np.ptp(points))
    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # the points lie in a plane, on a line or in one place
        return 0.0


@dataclass(frozen=True)
class FiniteConvergence:
    """The T of Theorem 3 for a path.

    Attributes
    ----------
    delta : float
    T : int or None
        From this iteration on every change is below delta; None if the last one is not.
    changes : Series
        |a_{t+1} − a_t| for t = 0, 1, …, with a_t the diameter after t iterations.
    """

    delta: float
    T: int | None
    changes: pd.Series


def check_finite_convergence(path, delta):
    """Find the T of Theorem 3: for all t ≥ T the diameter changes by less than delta.

    The theorem says that the paper's stop rule fires, not that the points have come to rest: two
    far outliers fix the diameter while everything between them still moves.

    Parameters
    ----------
    path : array-like of shape (T + 1, n, p)
    delta : float

    Returns
    -------
    FiniteConvergence

    Examples
    --------
    >>> path = np.array([[[0.0], [4.0]], [[1.0], [3.0]], [[1.9], [2.1]], [[2.0], [2.0]]])
    >>> check_finite_convergence(path, delta=1.9).T
    1
    """
    require_positive("delta", delta)
    diameters = np.array([diameter(points, 1) for points in cloud_path(path)])
    changes = pd.Series(np.abs(np.diff(diameters)), name="change")
    changes.index.name = "iteration"
    late = np.flatnonzero(changes >= delta)
    T = int(late[-1]) + 1 if len(late) else 0
    return FiniteConvergence(delta, T if T < len(changes) else None, changes)


# All of them


def check_all(fit, *, delta=1e-2, progress=False):
    """Run every check that applies and return one table.

    Parameters
    ----------
    fit : WBMSResult, fitted WBMS, or array-like of shape (T + 1, n, p)
        A fit without a recorded path is fitted once more with it. A path alone shows only what
        concerns the hull.
    delta : float, default 1e-2
        The bound of Theorem 3, relative to the diameter at the start.
    progress : bool, default False

    Returns
    -------
    DataFrame
        A row a check: theorem, checked, deviation (the worst one found), tolerance, holds.

    Examples
    --------
    >>> from pywbms import datasets, wbms
    >>> X, _ = datasets.simulation3(random_state=0)
    >>> bool(check_all(wbms(X, h=0.1, lam=0.1)).holds.all())
    True
    """
    if not isinstance(fit, WBMSResult | WBMS):
        return as_table(path_checks(cloud_path(fit), delta, progress))
    model = with_path(fit)
    active = model._standardizer.active
    if not active.any():
        return as_table([])
    path, w = cloud_path(model.path_[..., active]), model.feature_weights_[active]
    return as_table(
        [
            *weight_checks(model, path, w),
            *path_checks(path, delta, progress),
            *gaussian_checks(model, path),
        ]
    )


def weight_checks(model, path, w):
    """Theorem 1 on the weights that a fit ended with."""
    squares = (path[0] - path[-1]) ** 2
    D = squares.mean(axis=0) if model.lam_scale == "mean" else squares.sum(axis=0)
    found = check_weights(w, D, model.lam_)
    yield "1", "weights satisfy the KKT conditions", found["kkt"], TOLERANCE
    yield "1", "objective equals its minimum", found["gap"], TOLERANCE


def path_checks(path, delta, progress):
    """Theorems 2 and 3 along a path."""
    steps = check_shrinking_hull(path, progress=progress)
    start = diameter(path[0], 1)
    unit = start or 1.0
    yield "2", "no point leaves the hull before it", steps.outside.max() / unit, TOLERANCE
    growth = np.diff(np.r_[start, steps.diameter]).max() / unit
    yield "2, corollary", "diameter never grows", max(growth, 0.0), TOLERANCE
    if "volume" in steps:
        volumes = np.r_[hull_volume(path[0]), steps.volume]
        growth = np.diff(volumes).max() / (volumes[0] or 1.0)
        yield "2, corollary", "volume never grows", max(growth, 0.0), TOLERANCE
    last = check_finite_convergence(path, delta * unit).changes.iloc[-1] / unit
    yield "3", f"diameter's change falls below {delta:g} of it", last, delta


def gaussian_checks(model, path):
    """Theorem 5 for a Gaussian cloud of the fit's spread, h and lam, if its end can be seen."""
    sigma = path[0].std(axis=0, ddof=1)
    lam = model.lam_ / (path.shape[1] if model.lam_scale == "sum" else 1)
    recursion = collapsed_recursion(sigma, model.h_, lam)
    if recursion is None:
        return
    order = convergence_order(recursion)
    yield "5", "order of convergence is 3", np.abs(order["order"] - 3).max(), 1e-3
    # The limit of the rate can be seen only where the weights have come to theirs while log s still
    # has digits to show it: not if some features collapse long before others.
    row = order["iteration"] * len(sigma) + np.arange(len(sigma))
    log_w = recursion["log_w"].to_numpy()
    if np.abs(log_w[row] - log_w[-len(sigma) :]).max() > 1e-6:
        return
    rounding = 16 * np.finfo(float).eps * np.abs(recursion["log_s"].to_numpy()[row]).max()
    off = np.abs(order["log_constant"] - np.log(2 / model.h_) - log_w[row]).max()
    yield "5", "asymptotic rate is 2w/h (its logarithm)", off, 1e-3 + rounding


def collapsed_recursion(sigma, h, lam):
    """Return the Gaussian recursion followed until every s is tiny, or None if that takes too long.

    None too if an s is 0 before there are three terms to see an order in.
    """
    for n_iter in (100, 1000, 10_000, 100_000):
        if n_iter * len(sigma) > LONGEST_RECURSION:
            return None
        recursion = gaussian_recursion(sigma, h, lam, n_iter)
        last = recursion["log_s"].to_numpy()[-len(sigma) :]
        if (last < -1000).all():
            early = recursion["log_s"].to_numpy()[: 5 * len(sigma)]
            return recursion if np.isfinite(early).all() else None
    return None


def as_table(checks):
    """Return (theorem, checked, deviation, tolerance) rows as a DataFrame with the verdicts."""
    table = pd.DataFrame(checks, columns=["theorem", "checked", "deviation", "tolerance"])
    table["deviation"] = table["deviation"].astype(float)
    table["holds"] = table["deviation"] <= table["tolerance"]
    return table


def with_path(fit):
    """Return a fitted WBMS that has its path."""
    if isinstance(fit, WBMSResult):
        return fit.with_path().estimator
    if not hasattr(fit, "labels_"):
        raise ValueError("the WBMS is not fitted: call fit first")
    return fit if fit.record_path else refit_with_path(fit)


# Checks of arguments


def displacements(D):
    """Return D as an array, or raise a ValueError that names it."""
    D = np.array(D, dtype=np.float64)
    if D.ndim != 1 or not len(D) or not np.isfinite(D).all() or (D < 0).any():
        raise ValueError("D must be a sequence of finite numbers of at least 0")
    return D


def on_simplex(w):
    """Return w as an array, or raise a ValueError that names it."""
    w = np.array(w, dtype=np.float64)
    if w.ndim != 1 or not len(w) or not (w >= 0).all() or abs(w.sum() - 1) > 1e-6:
        raise ValueError("w must be a sequence of numbers of at least 0 that sum to 1")
    return w


def cloud_path(path):
    """Return a path as an array, or raise a ValueError that names it."""
    path = np.ascontiguousarray(path, dtype=np.float64)
    if path.ndim != 3 or min(path.shape) < 1 or len(path) < 2:
        raise ValueError(
            "path must have shape (iterations + 1, rows, columns) with at least one iteration, "
            f"got {path.shape}"
        )
    if not np.isfinite(path).all():
        raise ValueError("path must hold finite numbers only")
    return path
