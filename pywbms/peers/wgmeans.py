"""WG-means: G-means in a distance with learned feature weights."""

import dataclasses

import numpy as np
import pandas as pd

from pywbms._data.checks import positive, require_integer, require_positive
from pywbms._data.ordering import uniform_weights
from pywbms._data.table import as_frame
from pywbms.peers._kmeans import cluster_means, near_one, quiet_kmeans, squares_within
from pywbms.peers._table import clustered
from pywbms.peers.gmeans import CRITICAL, FEWEST, NO_SPLIT, by_splits, halves, principal_pair

# A feature's sum of squares below this, relative to that of one cluster, is zero up to rounding.
ROUNDING = 1e-24


def wgmeans(X, *, beta=2.0, critical=CRITICAL, k_max=None, max_iter=30, standardize=True):
    """Cluster and weight features, splitting clusters in two while they do not look Gaussian.

    This is G-means in the distance Σ_l w_l^β (x_l − y_l)². Each cluster is split along its
    (unweighted) first principal direction, by 2-means in that distance; an Anderson–Darling test
    is applied to the projection onto the line through the two centres, in the weighted inner
    product. After each round of splits all rows are reassigned, the means are updated, and

        w_l = D_l^(−1/(β − 1)) / Σ_m D_m^(−1/(β − 1)),

    where D_l is the within-cluster sum of squares in feature l. The method stops when no cluster
    needs a split, or when one has fewer than eight rows. No random numbers are drawn.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    beta : float, default 2.0
        The exponent β > 1 of the weights; larger values make them more even.
    critical : float, default 1.8692
        A cluster is split if A²·(1 + 4/n − 25/n²) is larger; the default corresponds to the level
        0.0001.
    k_max : int or None, default None
        Maximum number of clusters; those farthest from normal are split first. None means no limit.
    max_iter : int, default 30
        Maximum number of updates of assignment, means and weights after a round of splits.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        With weights. Its params contain ``k``, the number of ``rounds`` of splits, and
        ``k_max_reached``, whether k_max prevented further splits. Features that are constant within
        every cluster share all the weight.

    References
    ----------
    S. Chakraborty, S. Das (2018). Simultaneous variable weighting and determining the number of
    clusters: a weighted Gaussian means algorithm. Statistics & Probability Letters 137, 148–156.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0, 0], [15, 0, 0], [30, 0, 0]], 40, axis=0) + rng.normal(size=(120, 3))
    >>> found = wgmeans(X)
    >>> found.n_clusters, found.weights.round(2).tolist()
    (3, [0.98, 0.01, 0.01])
    """
    if not positive(beta) or beta <= 1:
        raise ValueError(f"beta must be a finite number above 1, got {beta!r}")
    params = {
        "beta": float(beta),
        "critical": require_positive("critical", critical),
        "k_max": k_max if k_max is None else require_integer("k_max", k_max, 1),
        "max_iter": require_integer("max_iter", max_iter, 1),
        "standardize": standardize,
        **NO_SPLIT,
    }

    def cluster(Z):
        with quiet_kmeans():
            return by_weighted_splits(near_one(Z)[0], beta, critical, k_max, max_iter)

    result = clustered("wgmeans", X, cluster, params, standardize=standardize)
    if result.weights is None:  # all rows are the same point
        columns = as_frame(X).columns
        weights = pd.Series(uniform_weights(len(columns)), index=columns, name="weight")
        result = dataclasses.replace(result, weights=weights)
    return result


def by_weighted_splits(X, beta, critical, k_max, max_iter):
    """Cluster rows; return labels, weights and the chosen parameters."""
    total = np.square(X).sum(axis=0)
    weights = uniform_weights(X.shape[1])

    def split(members):
        scale = weights ** (beta / 2)
        return halves(X[members] * scale, principal_pair(X[members]) * scale, 0, None)

    def settle(labels):
        nonlocal weights
        for _ in range(max_iter):
            before, weights_before = labels, weights
            assigned = nearest(X, cluster_means(X, labels), weights**beta)
            labels = np.unique(assigned, return_inverse=True)[1]
            weights = feature_weights(squares_within(X, labels), total, beta)
            if np.array_equal(labels, before) and np.array_equal(weights, weights_before):
                break
        return labels

    labels, chosen = by_splits(len(X), split, settle, critical, k_max, fewest=FEWEST)
    return labels, weights, chosen


def nearest(X, centers, importance):
    """Return, for each row, the nearest centre in the distance Σ_l importance_l (x_l − y_l)²."""
    heavy = centers * importance
    return (np.sum(heavy * centers, axis=1) - 2 * X @ heavy.T).argmin(axis=1)


def feature_weights(D, total, beta):
    """Return weights proportional to D^(−1/(β − 1)), with sum 1.

    Features with D = 0 share all the weight.

    Parameters
    ----------
    D, total : ndarray of shape (p,)
        Each feature's within-cluster sum of squares, and that of a single cluster.
    beta : float
        The exponent of the weights, above 1.

    Examples
    --------
    >>> feature_weights(np.array([1.0, 3.0]), np.array([4.0, 4.0]), 2.0).tolist()
    [0.75, 0.25]
    >>> feature_weights(np.array([0.0, 3.0, 0.0]), np.array([4.0, 4.0, 4.0]), 2.0).tolist()
    [0.5, 0.0, 0.5]
    """
    perfect = D <= ROUNDING * total
    if perfect.any():
        return perfect / perfect.sum()
    # in logarithms, so that no power of a small D overflows
    logarithm = -np.log(D) / (beta - 1)
    weights = np.exp(logarithm - logarithm.max())
    return weights / weights.sum()
