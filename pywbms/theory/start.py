"""The first step of WBMS from given weights: what it tells about the features.

A feature of weight w is blurred with the bandwidth h/w. In an infinite sample, a feature that is
independent of the others moves as if it were alone: the others cancel from the kernel mean. From
equal weights the bandwidth is h·p, and it grows with the number of features; in the marginal start
(`init="marginal"`) each feature is blurred alone, and it does not.

In a finite sample the others do not cancel: the kernel mean is over few neighbours. How few, for
features that are standard normal noise, is `effective_neighbours`.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from pywbms._data.checks import require_integer

# Nodes, in standard deviations, and weights of a trapezoidal rule for means over N(0, 1). For
# integrands that are analytic near the real line its error decreases exponentially in 1/step.
NODES = np.linspace(-9.0, 9.0, 361)
NODE_WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()


@overload
def first_step_displacement(
    centers: ArrayLike, sigma: float, bandwidth: float, shares: ArrayLike | None = None
) -> float: ...
@overload
def first_step_displacement(
    centers: ArrayLike, sigma: float, bandwidth: ArrayLike, shares: ArrayLike | None = None
) -> np.ndarray | float: ...
def first_step_displacement(centers, sigma, bandwidth, shares=None):
    """Return the mean squared displacement of a feature with Gaussian clusters in the first step.

    The feature is an infinite sample from Σ_c π_c N(μ_c, sigma²), independent of all others. With
    b = bandwidth/2, a step takes x to

    T(x) = Σ_c π_c(x) (sigma² x + b μ_c) / (sigma² + b)
    π_c(x) ∝ π_c exp(−(x − μ_c)² / (2 (sigma² + b)))

    the mean over clusters, given x, of what Theorem 4 gives for each. The displacement is
    D = E(x − T(x))².

    Parameters
    ----------
    centers : array-like of shape (k,)
        The means μ_c of the clusters along the feature; one center is a feature without clusters.
    sigma : float
        Standard deviation within clusters, at least 0.
    bandwidth : float or array-like
        The bandwidth h/w of the feature: h times the number of features for equal weights, h for
        a feature alone.
    shares : array-like of shape (k,), optional
        The shares π_c of the clusters, positive; equal by default. They are divided by their sum.

    Returns
    -------
    float or ndarray
        In the shape of `bandwidth`. The relative error is about 1e-12.

    See Also
    --------
    effective_neighbours : How far a finite sample can be from this.

    Examples
    --------
    Two clusters, and noise, both of variance 1. Of these three bandwidths only the middle one
    shows the clusters: the first is too narrow for a single step, the last too wide.

    >>> first_step_displacement([-0.98, 0.98], 0.2, [0.3, 3.0, 30.0]).round(3)
    array([0.025, 0.199, 0.872])
    >>> first_step_displacement([0.0], 1.0, [0.3, 3.0, 30.0]).round(3)
    array([0.017, 0.36 , 0.879])
    """
    centers = _sequence("centers", centers)
    shares = np.ones_like(centers) if shares is None else _sequence("shares", shares)
    if len(shares) != len(centers):
        raise ValueError(
            f"shares must hold one number per center: got {len(shares)} for {len(centers)} centers"
        )
    if not (shares > 0).all():
        raise ValueError("shares must be positive")
    if not 0 <= sigma < np.inf:
        raise ValueError(f"sigma must be finite and at least 0, got {sigma!r}")
    bandwidth = _bandwidths(bandwidth)
    found = [_displacement(centers, sigma, b / 2, shares / shares.sum()) for b in bandwidth.flat]
    return np.array(found).reshape(bandwidth.shape)[()]


@overload
def effective_neighbours(n: int, n_noise: int, bandwidth: float) -> float: ...
@overload
def effective_neighbours(n: int, n_noise: int, bandwidth: ArrayLike) -> np.ndarray | float: ...
def effective_neighbours(n, n_noise, bandwidth):
    """Return the effective number of neighbours of a row among standard normal noise features.

    For a row x the n − 1 kernel values K_j count as much as (n − 1) E(K | x)² / E(K² | x) equal
    ones. The harmonic mean of this over x is, with b = bandwidth/2,

    N = (n − 1) (b² (b + 3) / (1 + b)³)^(n_noise / 2)

    A kernel mean has about 1/N times the variance of a single row. With N below 1 it is dominated
    by the nearest neighbour. Further features can only make N smaller.

    Parameters
    ----------
    n : int
        Number of rows, at least 2.
    n_noise : int
        Number of features that are independent standard normal noise, at least 0.
    bandwidth : float or array-like
        The bandwidth h/w of each of them: h times the number of features for equal weights.

    Returns
    -------
    float or ndarray
        In the shape of `bandwidth`.

    Examples
    --------
    At the same bandwidth per feature, neighbours vanish as noise features are added.

    >>> [f"{effective_neighbours(1000, m, 3.0):.3g}" for m in (2, 10, 20, 40)]
    ['647', '114', '13', '0.17']
    """
    n = require_integer("n", n, least=2)
    n_noise = require_integer("n_noise", n_noise, least=0)
    b = _bandwidths(bandwidth) / 2
    # log of b² (b + 3)/(1 + b)³ = 1 − (3 − 2/(1 + b))/(1 + b)²: the first form keeps its digits
    # where b is small, the second where it is large.
    inverse = 1 / (1 + b)
    log_share = np.where(
        b < 1,
        2 * np.log(b) + np.log(b + 3) - 3 * np.log1p(b),
        np.log1p(-np.where(b < 1, 0.0, (3 - 2 * inverse) * inverse**2)),
    )
    return ((n - 1) * np.exp(n_noise / 2 * log_share))[()]


def _displacement(centers, sigma, b, shares):
    """E(x − T(x))² by quadrature in each cluster."""
    variance = sigma**2 + b
    x = centers[:, None] + sigma * NODES
    exponent = np.log(shares) - (x[..., None] - centers) ** 2 / (2 * variance)
    posterior = softmax(exponent, axis=-1)
    # x − T(x) without the cancellation of a direct difference
    squares = (b / variance * (x - posterior @ centers)) ** 2
    return shares @ (squares @ NODE_WEIGHTS)


def _sequence(name, values):
    """Return a non-empty sequence of finite numbers as an array."""
    array = np.array(values, dtype=float)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a non-empty sequence of finite numbers")
    return array


def _bandwidths(bandwidth):
    """Return bandwidths as an array; raise a ValueError unless they are positive and finite."""
    array = np.array(bandwidth, dtype=float)
    if not ((array > 0) & (array < np.inf)).all():
        raise ValueError("bandwidth must be positive and finite")
    return array
