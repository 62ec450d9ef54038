"""Adapters to scikit-learn's clusterers, for comparison; they are not among the paper's eight."""

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, MeanShift, estimate_bandwidth

from pywbms._data.checks import require_integer, require_positive
from pywbms._data.table import as_frame
from pywbms.peers._kmeans import (
    few_columns,
    kmeans_from_seeds,
    near_one,
    quiet_kmeans,
    random_generator,
)
from pywbms.peers._table import clustered


def hdbscan(X, *, min_cluster_size=5, min_samples=None, standardize=True):
    """Cluster by HDBSCAN: groups that persist over many density levels; the rest is noise.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    min_cluster_size : int, default 5
        Smaller groups are noise; at least 2.
    min_samples : int or None, default None
        A point's density is measured by the distance to this neighbour, counting the point itself;
        None means min_cluster_size.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        Labels are −1 for noise. With fewer rows than min_cluster_size or min_samples, all are
        noise.

    References
    ----------
    R. J. G. B. Campello, D. Moulavi, J. Sander (2013). Density-based clustering based on
    hierarchical density estimates. PAKDD 2013, 160–172.

    Examples
    --------
    >>> X = np.concatenate([np.arange(10), np.arange(30, 40), [100]])[:, None]
    >>> hdbscan(X).labels.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1]
    """
    require_integer("min_cluster_size", min_cluster_size, 2)
    if min_samples is not None:
        require_integer("min_samples", min_samples, 1)
    params = {
        "min_cluster_size": min_cluster_size,
        "min_samples": min_samples,
        "standardize": standardize,
    }

    def cluster(Z):
        if len(Z) < max(min_cluster_size, min_samples or 0):
            return np.full(len(Z), -1), None, {}
        found = HDBSCAN(min_cluster_size=min_cluster_size, min_samples=min_samples, copy=True)
        return found.fit(few_columns(near_one(Z)[0])).labels_, None, {}

    return clustered("hdbscan", X, cluster, params, standardize=standardize)


def sklearn_mean_shift(X, *, bandwidth=None, standardize=True):
    """Cluster by scikit-learn's mean shift, which has a flat kernel.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    bandwidth : float or None, default None
        The kernel's radius; None uses scikit-learn's estimate, the mean distance to the neighbour
        at the 30 % quantile.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        Its params contain the ``bandwidth`` used. If the estimate is 0, equal rows form a cluster.

    References
    ----------
    D. Comaniciu, P. Meer (2002). Mean shift: a robust approach toward feature space analysis.
    IEEE Transactions on Pattern Analysis and Machine Intelligence 24, 603–619.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [50.0], [51.0], [52.0]])
    >>> sklearn_mean_shift(X, bandwidth=0.5).labels.tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    if bandwidth is not None:
        require_positive("bandwidth", bandwidth)
    params = {"bandwidth": bandwidth, "standardize": standardize}

    def cluster(Z):
        rows, unit = near_one(few_columns(Z))
        radius = estimate_bandwidth(rows) if bandwidth is None else bandwidth / unit
        if radius == 0:
            labels = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        else:
            labels = MeanShift(bandwidth=radius).fit(rows).labels_
        return labels, None, {"bandwidth": float(radius * unit)}

    return clustered("sklearn_mean_shift", X, cluster, params, standardize=standardize)


def ward(X, k, *, standardize=True):
    """Cluster by Ward's method: merge clusters at the least increase in the sum of squares.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    k : int
        Number of clusters; at most the number of rows.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult

    References
    ----------
    J. H. Ward (1963). Hierarchical grouping to optimize an objective function. Journal of the
    American Statistical Association 58, 236–244.

    Examples
    --------
    >>> ward(np.array([[1.0], [2.0], [8.0], [9.0], [10.0]]), k=2).labels.tolist()
    [1, 1, 0, 0, 0]
    """
    params = {"k": require_integer("k", k, 1), "standardize": standardize}

    require_at_most(k, X)

    def cluster(Z):
        return (
            AgglomerativeClustering(k, linkage="ward").fit(few_columns(near_one(Z)[0])).labels_,
            None,
            {},
        )

    return clustered("ward", X, cluster, params, standardize=standardize)


def kmeans(X, k, *, n_init=10, random_state=0, standardize=True):
    """Cluster by k-means into a given number of clusters.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    k : int
        Number of clusters; at most the number of rows. There are fewer if there are fewer distinct
        rows.
    n_init : int, default 10
        Number of k-means++ initialisations; the one with the smallest sum of squares is used.
    random_state : int, numpy.random.Generator or None, default 0
        The seed.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult

    References
    ----------
    S. P. Lloyd (1982). Least squares quantization in PCM. IEEE Transactions on Information
    Theory 28, 129–137.

    Examples
    --------
    >>> kmeans(np.array([[1.0], [2.0], [8.0], [9.0], [10.0]]), k=2).labels.tolist()
    [1, 1, 0, 0, 0]
    """
    params = {
        "k": require_integer("k", k, 1),
        "n_init": require_integer("n_init", n_init, 1),
        "random_state": random_state,
        "standardize": standardize,
    }
    rng = random_generator(random_state)

    require_at_most(k, X)

    def cluster(Z):
        with quiet_kmeans():
            return kmeans_from_seeds(few_columns(near_one(Z)[0]), k, n_init, rng).labels_, None, {}

    return clustered("kmeans", X, cluster, params, standardize=standardize)


def require_at_most(k, X):
    """Raise a ValueError if more clusters than rows are requested."""
    n = len(as_frame(X))
    if k > n:
        raise ValueError(f"k must be at most the number of rows, {n}, got {k}")
