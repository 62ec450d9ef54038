"""Theorems 2 and 3: the hull of the cloud shrinks, and its diameter settles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull, QhullError

from pywbms._core.spread import diameter
from pywbms._data.checks import require_positive
from pywbms._terminal.line import Line
from pywbms.theory.hull import hull_distance

# What rounding may add to a distance, relative to the diameter at the start.
TOLERANCE = 1e-8


def check_shrinking_hull(
    path: ArrayLike, *, tol: float = TOLERANCE, progress: bool = False
) -> pd.DataFrame:
    """Check Theorem 2 along a path: each iteration stays inside the previous convex hull.

    Parameters
    ----------
    path : array-like of shape (T + 1, n, p)
        A cloud after 0, …, T iterations, such as `WBMS.path_`.
    tol : float, default 1e-8
        How far outside rounding may put a point, relative to the diameter at the start.
    progress : bool, default False
        Show progress on a terminal.

    Returns
    -------
    DataFrame
        One row per iteration: iteration, outside (the largest distance of a point to the previous
        hull), diameter, volume (length, area or volume; only for p ≤ 3) and holds.

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


def hull_volume(points: np.ndarray) -> float:
    """Return the length, area or volume of the convex hull of points in 1, 2 or 3 dimensions."""
    if points.shape[1] == 1:
        return float(np.ptp(points))
    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # the hull is flat
        return 0.0


@dataclass(frozen=True)
class FiniteConvergence:
    """The T of Theorem 3 for a path.

    Attributes
    ----------
    delta : float
    T : int or None
        First iteration from which on every change is below delta; None if the last one is not.
    changes : Series
        |a_{t+1} − a_t| for t = 0, 1, …, with a_t the diameter after t iterations.
    """

    delta: float
    T: int | None
    changes: pd.Series


def check_finite_convergence(path: ArrayLike, delta: float) -> FiniteConvergence:
    """Find the T of Theorem 3: for all t ≥ T the diameter changes by less than delta.

    The theorem says that the paper's stop rule is met, not that the points no longer move: two
    distant outliers fix the diameter while everything between them still moves.

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


def cloud_path(path: ArrayLike) -> np.ndarray:
    """Return a path as an array; raise a ValueError if it is not one."""
    path = np.ascontiguousarray(path, dtype=np.float64)
    if path.ndim != 3 or min(path.shape) < 1 or len(path) < 2:
        raise ValueError(
            "path must have shape (iterations + 1, rows, columns) with at least one iteration, "
            f"got {path.shape}"
        )
    if not np.isfinite(path).all():
        raise ValueError("path must contain only finite numbers")
    return path
