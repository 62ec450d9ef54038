"""WBMS on a Gaussian cloud: Theorems 4 (corrected) and 5 of the paper.

In an infinite sample from N(0, diag(σ²)), one step of WBMS takes each x to E(y | x), where y has
the standard deviations s and x − y the kernel's variances h/(2w). The cloud stays Gaussian, and

    s' = s · (2w/h) / (2w/h + 1/s²)        the line that the proof derives

Dividing both sides of the fraction by 2w/h gives

    s' = s / (1 + h/(2w s²)) = s³ / (s² + h/(2w))        corrected: `gaussian_recursion`
    s' = s / (1 + h s²/(2w))                             as printed (6): `printed_recursion`

The printed formula has s² in place of 1/s². It matters: the corrected s converges to 0 with cubic
order, s'/s³ → 2w/h, as Theorem 5 states and its proof uses; the printed one only as √(w/(h t)).
The units show the misprint as well: h has the units of s², so h s² cannot be added to 1.

Since x_t = (s/σ) x_0, the displacement of feature l is E(x_0 − x_t)² = (σ_l − s_l)² and its weight
w_l ∝ exp(−(σ_l − s_l)²/lam), with the limit ∝ exp(−σ_l²/lam): `limit_weights`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pywbms._core.gaussian import log_weights, recursion
from pywbms._data.checks import require_integer, require_positive
from pywbms._terminal.wording import quoted
from pywbms.estimator import WBMS

# exp of any larger number is normal: it keeps all its digits.
LOWEST_EXPONENT = -700.0

# Differences of larger logarithms could overflow when multiplied by the order.
LARGEST_LOG = 1e300

# Share of a difference of logarithms that rounding may make up.
ROUNDING = 1e-6

# An order this close to an integer is rounded to it when the constant is computed.
NEARLY_AN_INTEGER = 0.01


def gaussian_recursion(sigma: ArrayLike, h: float, lam: float, n_iter: int) -> pd.DataFrame:
    """Follow the standard deviations and weights of a Gaussian cloud: Theorem 4, corrected.

    From s = sigma and w = 1/p, each iteration sets s ← s³/(s² + h/(2w)) and then
    w_l ∝ exp(−(sigma_l − s_l)²/lam).

    Parameters
    ----------
    sigma : float, array-like of shape (p,) or Series
        Standard deviations of the features at the start, positive. The index of a Series names
        the features; otherwise they are 0, …, p − 1.
    h : float
        Bandwidth of the kernel exp(−‖a − b‖²_w / h).
    lam : float
        Strength of the entropy term, on the mean scale.
    n_iter : int
        Number of iterations, at least 0.

    Returns
    -------
    DataFrame
        One row per iteration and feature: iteration (0 is the start), feature, s, w, log_s, log_w.
        The logarithms remain exact where s or w underflows to 0; where they leave the range of
        doubles themselves (log s triples in each iteration) they are −∞.

    See Also
    --------
    convergence_order : The order and rate with which s converges to 0.
    pywbms.gaussian.printed_recursion : The theorem as printed, which is wrong.

    Examples
    --------
    >>> gaussian_recursion(pd.Series({"a": 1.0, "b": 2.0}), h=1, lam=1, n_iter=1).round(3)
       iteration feature    s      w  log_s  log_w
    0          0       a  1.0  0.500  0.000 -0.693
    1          0       b  2.0  0.500  0.693 -0.693
    2          1       a  0.5  0.478 -0.693 -0.739
    3          1       b  1.6  0.522  0.470 -0.649

    After ten iterations s underflows to 0, but its logarithm is known.

    >>> gaussian_recursion(1.0, h=1, lam=1, n_iter=10)[["s", "log_s"]].iloc[-1].round().tolist()
    [0.0, -5729.0]
    """
    return _follow(sigma, h, lam, n_iter, power=-2.0)


def printed_recursion(sigma: ArrayLike, h: float, lam: float, n_iter: int) -> pd.DataFrame:
    """Follow equation (6) as printed, s ← s/(1 + h s²/(2w)): an erratum, for comparison only.

    No cloud behaves like this; `gaussian_recursion` is the corrected form. The module's docstring
    derives both.

    Parameters
    ----------
    sigma, h, lam, n_iter
        As in `gaussian_recursion`.

    Returns
    -------
    DataFrame
        As from `gaussian_recursion`.

    Examples
    --------
    >>> printed_recursion(1.0, h=1, lam=1, n_iter=10)["s"].tail(2).round(2).tolist()
    [0.31, 0.29]
    """
    return _follow(sigma, h, lam, n_iter, power=2.0)


def limit_weights(sigma: ArrayLike, lam: float) -> pd.Series:
    """Return the limit of the weights of a Gaussian cloud, ∝ exp(−sigma²/lam).

    Parameters
    ----------
    sigma : float, array-like of shape (p,) or Series
        Standard deviations of the features at the start, positive.
    lam : float
        Strength of the entropy term, on the mean scale.

    Returns
    -------
    Series
        At least 0, sum 1, indexed by feature.

    Examples
    --------
    >>> limit_weights(pd.Series({"signal": 0.1, "noise": 1.0}), lam=0.2).round(3).to_dict()
    {'signal': 0.993, 'noise': 0.007}
    """
    sigma, features = _deviations(sigma)
    lam = require_positive("lam", lam)
    log_w = np.empty_like(sigma)
    log_weights(sigma, lam, log_w)
    return pd.Series(np.exp(log_w), index=features, name="w")


@dataclass(frozen=True)
class ConvergenceOrder:
    """How a sequence s_t converges to 0: eventually s_{t+1} ≈ constant · s_t^order.

    Attributes
    ----------
    order : float
        3 is cubic, 2 quadratic, 1 linear (constant < 1) or sublinear (constant 1).
    constant : float
        The asymptotic rate, lim s_{t+1} / s_t^order.
    log_constant : float
        Its logarithm, finite even if the constant leaves the range of doubles.
    iteration : int
        The term from which on the constant holds, up to rounding.
    """

    order: float
    constant: float
    log_constant: float
    iteration: int


@overload
def convergence_order(s: pd.DataFrame) -> pd.DataFrame: ...
@overload
def convergence_order(s: ArrayLike) -> ConvergenceOrder: ...
def convergence_order(s):
    """Estimate the order m and the constant r = lim s_{t+1}/s_t^m with which s converges to 0.

    In logarithms this is the line log s_{t+1} = log r + m log s_t. Its slope is estimated at the
    end of the sequence. The constant is then estimated from the earliest terms that agree with all
    later ones up to rounding, because ``log r`` loses digits as ``|log s|`` grows. If the slope is
    within 0.01 of an integer, that integer is used as m to compute the constant.

    Parameters
    ----------
    s : array-like of shape (T,) or DataFrame
        At least three positive numbers that decrease towards 0; zeros at the end, where s has
        underflowed, are ignored. Or the result of `gaussian_recursion`, of which `log_s` is used.

    Returns
    -------
    ConvergenceOrder or DataFrame
        For a DataFrame, one row per feature: feature, order, constant, log_constant, iteration.

    Raises
    ------
    ValueError
        If fewer than three terms are positive, or if s is not strictly decreasing.

    Notes
    -----
    An order clearly below 1 means that s converges to a limit above 0. After about 25 cubic
    iterations log s has no digits left for the constant: if other features of a Gaussian cloud
    take much longer than that to collapse, a feature's constant is 2w/h for its weight w at
    `iteration`, before the weights have reached their limit.

    Examples
    --------
    >>> cloud = gaussian_recursion([0.5, 1.0], h=2, lam=1, n_iter=20)
    >>> convergence_order(cloud)[["feature", "order", "constant"]].round(4)
       feature  order  constant
    0        0    3.0    0.6792
    1        1    3.0    0.3208
    >>> round(convergence_order(0.3 ** np.arange(9)).constant, 6)
    0.3
    """
    if not isinstance(s, pd.DataFrame):
        return _order(_logarithms(s), "s")
    missing = [name for name in ("iteration", "feature", "log_s") if name not in s.columns]
    if missing:
        raise ValueError(f"s lacks the columns {quoted(missing)} of gaussian_recursion")
    if len(s) == 0:
        raise ValueError("s has no rows")
    found = [
        (feature, *vars(_order(log_s.to_numpy(dtype=float), f"s of feature {feature!r}")).values())
        for feature, log_s in s.sort_values("iteration").groupby("feature", sort=False)["log_s"]
    ]
    return pd.DataFrame(found, columns=["feature", *ConvergenceOrder.__dataclass_fields__])


def follow_sample(
    n: int,
    sigma: ArrayLike,
    h: float,
    lam: float,
    n_iter: int,
    random_state: int | np.random.Generator | None = 0,
) -> pd.DataFrame:
    """Run WBMS on n rows of N(0, diag(sigma²)) and compare it with both recursions.

    As in the theorem, every row is part of its own mean, there is no warm-up, and nothing is
    standardised. A finite sample departs from the theory after a few iterations: distant rows have
    no neighbours and stay behind when the others have merged.

    Parameters
    ----------
    n : int
        Number of rows, at least 2.
    sigma, h, lam, n_iter
        As in `gaussian_recursion`.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.

    Returns
    -------
    DataFrame
        One row per iteration and feature: iteration, feature; s_sample, the standard deviation of
        the rows (ddof = 1); s of the corrected and s_printed of the printed recursion; error and
        error_printed, the relative excess of s_sample over each (∞ where it is 0); w_sample and
        w, the weights of the sample and of the corrected recursion.

    Examples
    --------
    >>> found = follow_sample(1000, [2.0, 2.5], h=2, lam=20, n_iter=2)
    >>> found[["iteration", "s_sample", "s", "s_printed"]].round(2).tail(4)
       iteration  s_sample     s  s_printed
    2          1      1.40  1.33       0.22
    3          1      1.86  1.89       0.19
    4          2      0.70  0.63       0.20
    5          2      1.18  1.22       0.17
    """
    n = require_integer("n", n, least=2)
    corrected = gaussian_recursion(sigma, h, lam, n_iter)
    printed = printed_recursion(sigma, h, lam, n_iter)
    start, _ = _deviations(sigma)
    rows = start * np.random.default_rng(random_state).standard_normal((n, len(start)))
    model = WBMS(
        h, lam, exclude_self=False, warmup=0, stop="fixed", max_iter=max(n_iter, 1),
        standardize=False, merge=False, record_path=True, eps=max(1e-9 * rows.std(), 1e-150),
    ).fit(rows)  # fmt: skip
    s_sample = model.path_[: n_iter + 1].std(axis=1, ddof=1).ravel()
    return corrected[["iteration", "feature"]].assign(
        s_sample=s_sample,
        s=corrected["s"],
        s_printed=printed["s"],
        error=_excess(s_sample, corrected["s"].to_numpy()),
        error_printed=_excess(s_sample, printed["s"].to_numpy()),
        w_sample=model.weights_path_[: n_iter + 1].ravel(),
        w=corrected["w"],
    )


def _follow(sigma, h, lam, n_iter, power):
    sigma, features = _deviations(sigma)
    h, lam = require_positive("h", h), require_positive("lam", lam)
    n_iter = require_integer("n_iter", n_iter, least=0)
    shrink, log_w = np.empty((2, n_iter + 1, len(sigma)))
    recursion(sigma, h, lam, power, shrink, log_w)
    log_s = np.log(sigma) + shrink
    # The product is exact at the start, and more accurate than exp(log_s) wherever it is defined.
    s = np.where(
        shrink > LOWEST_EXPONENT,
        sigma * np.exp(np.maximum(shrink, LOWEST_EXPONENT)),
        np.exp(log_s),
    )
    return pd.DataFrame(
        {
            "iteration": np.repeat(np.arange(n_iter + 1), len(sigma)),
            "feature": features[np.tile(np.arange(len(sigma)), n_iter + 1)],
            "s": s.ravel(),
            "w": np.exp(log_w).ravel(),
            "log_s": log_s.ravel(),
            "log_w": log_w.ravel(),
        }
    )


def _order(x, name):
    """Estimate order and constant from x = log s; trailing −∞ are ignored."""
    if np.isnan(x).any() or (x == np.inf).any():
        raise ValueError(f"{name} must be finite and at least 0")
    usable = x > -LARGEST_LOG
    kept = int(usable.sum())
    if usable[kept:].any() or (x[1:kept] >= x[: max(kept - 1, 0)]).any():
        raise ValueError(f"{name} must decrease from each term to the next")
    if kept < 3:
        raise ValueError(f"{name} needs at least 3 positive terms, got {kept}")
    x = x[:kept]
    rounding = np.finfo(float).eps * np.maximum(1.0, np.abs(x))

    # The slope over the shortest stretch at the end that is long compared with rounding.
    stretch = x[:-2] - x[-2]
    long = np.flatnonzero(4 * rounding.max() <= ROUNDING * stretch)
    k = long[-1] if len(long) else 0
    order = (x[k + 1] - x[-1]) / (x[k] - x[-2])

    m = round(order) if abs(order - round(order)) < NEARLY_AN_INTEGER else order
    log_r = x[1:] - m * x[:-1]
    slack = 4 * (rounding[1:] + m * rounding[:-1])
    low = np.maximum.accumulate((log_r - slack)[::-1])
    high = np.minimum.accumulate((log_r + slack)[::-1])
    agree = np.flatnonzero(low <= high)[-1]
    log_constant = (low[agree] + high[agree]) / 2
    with np.errstate(over="ignore"):
        constant = np.exp(log_constant)
    iteration = len(log_r) - 1 - agree
    return ConvergenceOrder(float(order), float(constant), float(log_constant), int(iteration))


def _logarithms(s):
    s = _numbers("s", s)
    if not (s >= 0).all():  # NaN as well
        raise ValueError("s must be finite and at least 0")
    logarithms = np.full(len(s), -np.inf)
    return np.log(s, out=logarithms, where=s > 0)


def _excess(found, expected):
    """Return found/expected − 1, where 0/0 counts as 1 and a division by 0 as ∞."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(found == expected, 0.0, found / expected - 1)


def _deviations(sigma):
    """Return sigma as an array and the features' names as an Index."""
    features = sigma.index if isinstance(sigma, pd.Series) else None
    sigma = _numbers("sigma", sigma)
    if features is None:
        features = pd.RangeIndex(len(sigma))
    if len(sigma) == 0:
        raise ValueError("sigma must have at least one value")
    if not ((sigma > 0) & (sigma < np.inf)).all():
        raise ValueError("sigma must be positive and finite")
    if features.has_duplicates:
        repeated = features[features.duplicated()].unique()
        raise ValueError(f"sigma has duplicate feature names: {quoted(repeated)}")
    return sigma, features


def _numbers(name, values):
    """Return a number or sequence of numbers as a contiguous array of one dimension."""
    try:
        if isinstance(values, pd.Series):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        array = np.ascontiguousarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a sequence of numbers: {error}") from error
    if np.ndim(values) > 1:
        raise ValueError(f"{name} must have one dimension, got {np.ndim(values)}")
    return array
