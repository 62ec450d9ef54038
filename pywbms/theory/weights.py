"""Theorem 1: the feature weights minimise the entropy-regularised displacement."""

from __future__ import annotations

from typing import TypedDict, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import logsumexp, xlogy

from pywbms._core.weights import entropy_weights as core_entropy_weights
from pywbms._data.checks import require_positive


class WeightCheck(TypedDict):
    """How far weights are from the minimiser, 0 at the minimum; see `check_weights`."""

    kkt: float
    gap: float


@overload
def entropy_weights(D: pd.Series, lam: float) -> pd.Series: ...
@overload
def entropy_weights(D: ArrayLike, lam: float) -> np.ndarray: ...
def entropy_weights(D, lam):
    """Return the weights w_l ∝ exp(−D_l / lam) of Theorem 1.

    Parameters
    ----------
    D : array-like or Series of shape (p,)
        Displacement of each feature.
    lam : float

    Returns
    -------
    ndarray or Series
        A Series if D is one.

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


def entropy_objective(w: ArrayLike, D: ArrayLike, lam: float) -> float:
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


def check_weights(w: ArrayLike, D: ArrayLike, lam: float) -> WeightCheck:
    """Measure how far weights are from the minimiser of the entropy objective.

    Parameters
    ----------
    w, D : array-like of shape (p,)
    lam : float

    Returns
    -------
    dict
        ``kkt``: the KKT conditions say that lam (1 + log w_l) + D_l is the same for all features
        with positive weight; this is the largest deviation from their weighted mean.
        ``gap``: the objective minus its minimum −lam log Σ_l exp(−D_l / lam). Both are in units of
        lam, relative to 1 + max D_l / lam, and are 0 at the minimum only.

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
    # Subnormal weights have lost digits, and a weight of 0 has no logarithm.
    seen = w >= np.finfo(float).tiny
    gradient = D[seen] / lam + 1 + np.log(w[seen])
    middle = (w[seen] * gradient).sum() / w[seen].sum()
    size = 1 + np.abs(D[seen]).max() / lam
    smallest = -lam * logsumexp(-D / lam)
    return {
        "kkt": float(np.abs(gradient - middle).max() / size),
        "gap": float(abs(objective - smallest) / (lam * size)),
    }


def displacements(D: ArrayLike) -> np.ndarray:
    """Return displacements as an array; raise a ValueError if they are invalid."""
    D = np.array(D, dtype=np.float64)
    if D.ndim != 1 or not len(D) or not np.isfinite(D).all() or (D < 0).any():
        raise ValueError("D must be a non-empty sequence of finite numbers ≥ 0")
    return D


def on_simplex(w: ArrayLike) -> np.ndarray:
    """Return weights as an array; raise a ValueError if they are not on the simplex."""
    w = np.array(w, dtype=np.float64)
    if w.ndim != 1 or not len(w) or not (w >= 0).all() or abs(w.sum() - 1) > 1e-6:
        raise ValueError("w must be a non-empty sequence of numbers ≥ 0 that sum to 1")
    return w
