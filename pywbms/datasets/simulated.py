"""The paper's simulations."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from pywbms._data.checks import positive, require_integer, require_positive
from pywbms.datasets._pair import Pair, as_pair

RandomState = int | np.random.Generator | None

# Four uniform means in the unit square are 6 · 0.03 apart in about every second draw. A thousand
# draws take a few milliseconds; they only fail where that distance is hardly possible at all.
MAX_DRAWS = 1000


def data1(random_state: RandomState = 0) -> Pair:
    """Draw the motivating example: two clusters in 2 of 32 features.

    Two clusters of 100 rows lie around (−1, −1) and (1, 1) in ``x1`` and ``x2``, with a standard
    deviation of 0.35; ``x3 … x32`` are N(0, 1). The paper only gives the shape; centres and
    standard deviation are those of the authors' released example.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.

    Returns
    -------
    X : DataFrame, 200 × 32
    truth : Series of int

    Examples
    --------
    >>> X, truth = data1(0)
    >>> X.shape
    (200, 32)
    >>> X[["x1", "x2"]].groupby(truth).mean().round(1)
            x1   x2
    truth
    0     -1.0 -1.0
    1      1.0  1.0
    """
    rng = np.random.default_rng(random_state)
    truth = balanced_labels(200, k=2)
    theta = np.array([[-1.0, -1.0], [1.0, 1.0]])
    return draw(theta[truth], 0.35, 30, truth, rng)


def simulation1(k: int = 5, random_state: RandomState = 0) -> Pair:
    """Draw Simulation 1: a growing number of clusters in 5 of 20 features.

    The clusters of the n = 20k rows are drawn uniformly, so they differ in size and, rarely, a
    cluster is empty. The cluster means are Unif(0, 1) in ``x1 … x5``, with a standard deviation of
    0.02; ``x6 … x20`` are N(0, 1).

    Parameters
    ----------
    k : int, default 5
        Number of clusters; the paper goes from 2 to 50.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.

    Returns
    -------
    X : DataFrame, 20k × 20
    truth : Series of int

    Examples
    --------
    >>> X, truth = simulation1(k=10)
    >>> X.shape, truth.nunique()
    ((200, 20), 10)
    """
    k = require_integer("k", k, least=1)
    rng = np.random.default_rng(random_state)
    theta = rng.uniform(size=(k, 5))
    truth = rng.integers(k, size=20 * k)
    return draw(theta[truth], 0.02, 15, truth, rng)


def simulation2(p: int = 20, random_state: RandomState = 0, *, sd: float = 0.03) -> Pair:
    """Draw Simulation 2: four clusters in 5 % of a growing number of features.

    The n = 100 rows form four clusters of 25. Their means are Unif(0, 1) in the first 5 % of the
    features, at least two; the other features are N(0, 1).

    Parameters
    ----------
    p : int, default 20
        Number of features, at least 2; the paper goes from 20 to 200.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.
    sd : float, default 0.03
        Standard deviation of the clusters. The paper states a variance of 0.3, which is
        ``sd=np.sqrt(0.3)``, and clusters "without any overlaps". Both cannot be true: with the
        printed variance the clusters overlap completely. The default keeps them apart.

    Returns
    -------
    X : DataFrame, 100 × p
    truth : Series of int

    Notes
    -----
    The means are redrawn until every two are at least 6 `sd` apart. If a thousand draws do not
    suffice, as with the printed variance and the paper's p, the first draw is kept.

    Examples
    --------
    >>> X, truth = simulation2(p=40)
    >>> X.shape
    (100, 40)
    >>> int((X.groupby(truth).std().max() < 0.1).sum())  # features that carry the clusters
    2
    """
    p = require_integer("p", p, least=2)
    return four_clusters(p, max(2, round(p / 20)), sd, random_state)


def simulation3(random_state: RandomState = 0, *, sd: float = 0.03) -> Pair:
    """Draw Simulation 3: four clusters in the first two of ten features.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.
    sd : float, default 0.03
        Standard deviation of the clusters, as in `simulation2`.

    Returns
    -------
    X : DataFrame, 100 × 10
    truth : Series of int

    See Also
    --------
    simulation2 : The same clusters in a growing number of features.

    Examples
    --------
    >>> X, truth = simulation3()
    >>> X.shape
    (100, 10)
    """
    return four_clusters(10, 2, sd, random_state)


def two_moons(
    n: int = 200,
    random_state: RandomState = 0,
    *,
    noise: float = 0.05,
    n_noise_features: int = 30,
) -> Pair:
    """Draw two interleaved half circles, followed by N(0, 1) features.

    Parameters
    ----------
    n : int, default 200
        Number of rows, at least 2; half of them, rounded up, form the upper moon.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.
    noise : float, default 0.05
        Standard deviation of the points around the half circles, which have radius 1.
    n_noise_features : int, default 30
        Number of N(0, 1) features after the two that carry the moons.

    Returns
    -------
    X : DataFrame, n × (2 + n_noise_features)
    truth : Series of int

    Examples
    --------
    >>> X, truth = two_moons()
    >>> X.shape
    (200, 32)
    """
    n = require_integer("n", n, least=2)
    if not (positive(noise) or noise == 0):
        raise ValueError(f"noise must be 0 or a positive finite number, got {noise!r}")
    n_noise_features = require_integer("n_noise_features", n_noise_features, least=0)
    rng = np.random.default_rng(random_state)
    truth = balanced_labels(n, k=2)
    upper, lower = (np.linspace(0, np.pi, size) for size in np.bincount(truth))
    moons = np.vstack(
        [
            np.column_stack([np.cos(upper), np.sin(upper)]),
            np.column_stack([1 - np.cos(lower), 0.5 - np.sin(lower)]),
        ]
    )
    return draw(moons, noise, n_noise_features, truth, rng)


def varied_densities(
    n: int = 300, random_state: RandomState = 0, *, n_noise_features: int = 30
) -> Pair:
    """Draw three round clusters of very different spread, followed by N(0, 1) features.

    The clusters have equal numbers of rows, up to one, and standard deviations of 1, 2.5 and 0.5.
    They are too far apart to overlap.

    Parameters
    ----------
    n : int, default 300
        Number of rows, at least 3.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; with None the data differ each time.
    n_noise_features : int, default 30
        Number of N(0, 1) features after the two that carry the clusters.

    Returns
    -------
    X : DataFrame, n × (2 + n_noise_features)
    truth : Series of int

    Examples
    --------
    >>> X, truth = varied_densities()
    >>> X.shape
    (300, 32)
    >>> X["x1"].groupby(truth).std().round(1).tolist()
    [0.9, 2.4, 0.5]
    """
    n = require_integer("n", n, least=3)
    n_noise_features = require_integer("n_noise_features", n_noise_features, least=0)
    rng = np.random.default_rng(random_state)
    truth = balanced_labels(n, k=3)
    # Every two centres are at least 4.5 times the sum of their standard deviations apart.
    theta = np.array([[-8.0, -4.0], [8.0, 0.0], [-4.0, 8.0]])
    sd = np.array([[1.0], [2.5], [0.5]])
    return draw(theta[truth], sd[truth], n_noise_features, truth, rng)


def four_clusters(p, n_informative, sd, random_state):
    """Draw the data of Simulations 2 and 3."""
    require_positive("sd", sd)
    rng = np.random.default_rng(random_state)
    theta = separated_means(4, n_informative, 6 * sd, rng)
    truth = balanced_labels(100, k=4)
    return draw(theta[truth], sd, p - n_informative, truth, rng)


def separated_means(k, n_features, distance, rng):
    """Draw k means from Unif(0, 1) until every two are at least `distance` apart."""
    first = theta = rng.uniform(size=(k, n_features))
    for _ in range(MAX_DRAWS):
        if pdist(theta).min() >= distance:
            return theta
        theta = rng.uniform(size=(k, n_features))
    return first


def balanced_labels(n, k):
    """Return labels 0, …, k − 1 in blocks whose sizes differ by at most one."""
    return np.arange(n) * k // n


def draw(means, sd, n_noise_features, truth, rng):
    """Draw a normal row around each row of `means`, followed by N(0, 1) features."""
    n, n_informative = means.shape
    X = rng.standard_normal((n, n_informative + n_noise_features))
    X[:, :n_informative] = means + sd * X[:, :n_informative]
    return as_pair(X, truth)
