"""All theorems at once, on a fit or on a recorded path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from pywbms._core.spread import diameter
from pywbms._data.levels import shared_displacement
from pywbms._data.masses import degrees_of_freedom, masses, rows_stood_for
from pywbms.estimator import WBMS
from pywbms.theory.gaussian import convergence_order, gaussian_recursion
from pywbms.theory.paths import (
    TOLERANCE,
    check_finite_convergence,
    check_shrinking_hull,
    cloud_path,
    hull_volume,
)
from pywbms.theory.refit import refit_with_path
from pywbms.theory.weights import check_weights

# Longest recursion (iterations × features) that is followed: about a second's work.
LONGEST_RECURSION = 3e6

#: Theorem, what is checked, the worst deviation, the tolerance.
Check = tuple[str, str, float, float]


def check_all(fit: Any, *, delta: float = 1e-2, progress: bool = False) -> pd.DataFrame:
    """Run every check that applies and return one table.

    Parameters
    ----------
    fit : WBMSResult, fitted WBMS, or array-like of shape (T + 1, n, p)
        A fit without a recorded path is repeated to record it. A path alone allows only the
        checks of Theorems 2 and 3.
    delta : float, default 1e-2
        The bound of Theorem 3, relative to the diameter at the start.
    progress : bool, default False
        Show progress on a terminal.

    Returns
    -------
    DataFrame
        One row per check: theorem, checked, deviation (the worst one found), tolerance, holds.

    Examples
    --------
    >>> from pywbms import datasets, wbms
    >>> X, _ = datasets.simulation3(random_state=0)
    >>> bool(check_all(wbms(X, h=0.1, lam=0.1)).holds.all())
    True
    """
    model = fitted_model(fit)
    if model is None:
        return as_table(path_checks(cloud_path(fit), delta, progress))
    active = model._standardizer.active
    if not active.any():
        return as_table([])
    path, w = (
        cloud_path(model.path_[..., active]),
        model._standardizer.active_weights(model.feature_weights_),
    )
    return as_table(
        [
            *weight_checks(model, path, w),
            *path_checks(path, delta, progress),
            *gaussian_checks(model, path),
        ]
    )


def fitted_model(fit: Any) -> WBMS | None:
    """Return the fitted WBMS of a fit with its path recorded, or None if there is only a path."""
    if hasattr(fit, "with_path"):  # a WBMSResult
        return fit.with_path().estimator
    if not isinstance(fit, WBMS):
        return None
    if not hasattr(fit, "labels_"):
        raise ValueError("the WBMS is not fitted: call fit first")
    return fit if fit.record_path else refit_with_path(fit)


def weight_checks(model: WBMS, path: np.ndarray, w: np.ndarray) -> Iterator[Check]:
    """Theorem 1 on the final weights of a fit."""
    squares, weights = (path[0] - path[-1]) ** 2, model.sample_weight_
    if weights is None:
        D = squares.mean(axis=0) if model.lam_scale == "mean" else squares.sum(axis=0)
    else:
        D = np.average(squares, axis=0, weights=weights)
        D *= rows_stood_for(weights, len(weights)) if model.lam_scale == "sum" else 1
    active = model.settings().in_columns(model._standardizer.active)
    D = shared_displacement(D, active.indicators)
    found = check_weights(w, D, model.lam_)
    yield "1", "weights satisfy the KKT conditions", found["kkt"], TOLERANCE
    yield "1", "objective equals its minimum", found["gap"], TOLERANCE


def path_checks(path: np.ndarray, delta: float, progress: bool) -> Iterator[Check]:
    """Theorems 2 and 3 along a path."""
    steps = check_shrinking_hull(path, progress=progress)
    start = diameter(path[0], 1)
    unit = start or 1.0
    yield "2", "no point leaves the previous hull", steps.outside.max() / unit, TOLERANCE
    growth = np.diff(np.r_[start, steps.diameter]).max() / unit
    yield "2, corollary", "diameter never grows", max(growth, 0.0), TOLERANCE
    if "volume" in steps:
        volumes = np.r_[hull_volume(path[0]), steps.volume]
        growth = np.diff(volumes).max() / (volumes[0] or 1.0)
        yield "2, corollary", "volume never grows", max(growth, 0.0), TOLERANCE
    last = check_finite_convergence(path, delta * unit).changes.iloc[-1] / unit
    yield "3", f"diameter settles (last change below {delta:g} of it)", last, delta


def gaussian_checks(model: WBMS, path: np.ndarray) -> Iterator[Check]:
    """Theorem 5 for a Gaussian cloud with the fit's spread, h and lam, if it collapses in time."""
    weights = model.sample_weight_
    n = rows_stood_for(weights, path.shape[1])
    if weights is None:
        sigma = path[0].std(axis=0, ddof=1)
    else:
        squares = (path[0] - np.average(path[0], axis=0, weights=weights)) ** 2
        mass = masses(weights[weights > 0])
        variance = np.average(squares, axis=0, weights=weights) * n / degrees_of_freedom(mass)
        sigma = np.sqrt(variance)
    lam = model.lam_ / (n if model.lam_scale == "sum" else 1)
    recursion = collapsed_recursion(sigma, model.h_, lam)
    if recursion is None:
        return
    order = convergence_order(recursion)
    yield "5", "order of convergence is 3", np.abs(order["order"] - 3).max(), 1e-3
    # The limit of the rate shows only if the weights reach their limit while log s still has
    # enough digits: not if some features collapse long before others.
    row = order["iteration"] * len(sigma) + np.arange(len(sigma))
    log_w = recursion["log_w"].to_numpy()
    if np.abs(log_w[row] - log_w[-len(sigma) :]).max() > 1e-6:
        return
    rounding = 16 * np.finfo(float).eps * np.abs(recursion["log_s"].to_numpy()[row]).max()
    off = np.abs(order["log_constant"] - np.log(2 / model.h_) - log_w[row]).max()
    yield "5", "asymptotic rate is 2w/h (its logarithm)", off, 1e-3 + rounding


def collapsed_recursion(sigma: np.ndarray, h: float, lam: float) -> pd.DataFrame | None:
    """Return the Gaussian recursion until every s is tiny, or None if that takes too long.

    It is also None if some s is 0 before there are enough terms to estimate an order.
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


def as_table(checks: Iterable[Check]) -> pd.DataFrame:
    """Return checks as a DataFrame, with a column that says which of them hold."""
    table = pd.DataFrame(checks, columns=["theorem", "checked", "deviation", "tolerance"])
    table["deviation"] = table["deviation"].astype(float)
    table["holds"] = table["deviation"] <= table["tolerance"]
    return table
