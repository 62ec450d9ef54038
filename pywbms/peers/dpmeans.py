"""DP-means: k-means that opens a new cluster for a point too far from all centres."""

import numpy as np
from scipy.spatial.distance import cdist

from pywbms._data.checks import require_integer, require_positive
from pywbms._data.ordering import weighted_means
from pywbms.peers._table import clustered

# lam is set from a distance, so a row that is equally far up to rounding must not count as farther.
FARTHER = 1 + 1e-12

# Number of distances held in memory at a time, rather than n².
BLOCK = 2**20


def dpmeans(X, k=None, *, lam=None, standardize=True):
    """Cluster a table with DP-means (Kulis and Jordan, 2012).

    DP-means minimises Σ_i ‖x_i − θ_{z_i}‖² + lam · (number of clusters) over partitions, where θ
    are the means of the clusters. It starts with one cluster at the mean of all rows. Each round
    passes over the rows: a row whose nearest centre is farther than lam (in squared distance) opens
    a new cluster, any other row joins its nearest centre. Empty clusters are dropped, the other
    centres are updated to the means of their rows, and so on until the objective stops decreasing.

    The rows are visited in their given order: another order may give other clusters.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    k : int, optional
        A guess of the number of clusters, from which lam is derived by the farthest-first rule of
        the paper: starting with the set that contains only the mean, the row farthest from the set
        is added k times; lam is the squared distance of the last. The result may have more or fewer
        clusters than k. If k exceeds the number of distinct rows, each of these becomes a cluster.
    lam : float, optional
        Penalty per cluster, in squared distance in working coordinates. Give either k or lam.
    standardize : bool, default True
        Work on z-scores.

    Returns
    -------
    PeerResult
        Its `params` contain the lam that was used.

    References
    ----------
    B. Kulis and M. I. Jordan (2012). Revisiting k-means: new algorithms via Bayesian
    nonparametrics. Proceedings of the 29th International Conference on Machine Learning.

    Examples
    --------
    >>> result = dpmeans([[0.0], [0.1], [0.2], [9.0], [9.1]], k=2)
    >>> result.labels.tolist()
    [0, 0, 0, 1, 1]
    >>> dpmeans([[0.0], [0.1], [0.2], [9.0], [9.1]], lam=100.0).n_clusters
    1
    """
    require_one_of("k", k, "lam", lam)

    def cluster(Z):
        price = farthest_first(Z, k) if lam is None else lam
        labels, _ = descend(Z, price)
        return labels, None, {"lam": price}

    return clustered("dpmeans", X, cluster, {"k": k, "lam": lam}, standardize=standardize)


def require_one_of(k_name, k, lam_name, lam):
    """Raise a ValueError that names both, unless exactly one of them is given and valid."""
    if (k is None) == (lam is None):
        raise ValueError(
            f"give either {k_name}, a guess of the number of clusters, or {lam_name}, the penalty "
            f"per cluster; got {k_name}={k!r} and {lam_name}={lam!r}"
        )
    if k is None:
        require_positive(lam_name, lam)
    else:
        require_integer(k_name, k, least=1)


def farthest_first(X, k):
    """Return the squared distance at which the k-th row joins a set that starts with the mean.

    Examples
    --------
    >>> farthest_first(np.array([[0.0], [0.0], [3.0]]), 1)  # the mean is 1
    4.0
    >>> farthest_first(np.array([[0.0], [0.0], [3.0]]), 2)
    1.0
    """
    nearest = cdist(X, X.mean(axis=0)[None], "sqeuclidean")[:, 0]
    for _ in range(min(k, len(X) + 1) - 1):
        new = cdist(X, X[None, nearest.argmax()], "sqeuclidean")[:, 0]
        np.minimum(nearest, new, out=nearest)
    return float(nearest.max())


def descend(X, lam):
    """Run DP-means; return the labels 0 … k − 1 and the objective after each round.

    Examples
    --------
    >>> labels, objectives = descend(np.array([[0.0], [1.0], [8.0]]), lam=2.0)
    >>> labels.tolist(), objectives
    ([0, 0, 1], [40.0, 4.5])
    """
    labels = np.zeros(len(X), dtype=np.intp)
    centers = X.mean(axis=0)[None]
    objectives = [scatter(X, centers, labels) + lam]
    while True:
        assigned = assign(X, centers, lam)
        moved = means(X, assigned)
        objective = scatter(X, moved, assigned) + lam * len(moved)
        if not objective < objectives[-1]:
            return labels, objectives
        labels, centers = assigned, moved
        objectives.append(objective)


def assign(X, centers, lam):
    """Pass over the rows in their order; return the cluster of each, 0 … k − 1, none empty.

    A row whose nearest centre is farther than lam opens a cluster that later rows may join.
    """
    labels, nearest = nearest_center(X, centers)
    k, row = len(centers), 0
    while True:
        # Rows before the one that opens a cluster have already been visited and cannot join it.
        far = np.flatnonzero(nearest[row:] > FARTHER * lam)
        if not len(far):
            return np.unique(labels, return_inverse=True)[1]
        row += far[0]
        to_new = cdist(X[row:], X[None, row], "sqeuclidean")[:, 0]
        closer = to_new < nearest[row:]
        labels[row:][closer] = k
        nearest[row:][closer] = to_new[closer]
        k += 1


def nearest_center(X, centers):
    """Return the index of each row's nearest centre, and the squared distance to it.

    Examples
    --------
    >>> nearest_center(np.array([[0.0], [4.0]]), np.array([[1.0], [3.0], [9.0]]))
    (array([0, 1]), array([1., 1.]))
    """
    labels, squares = np.empty(len(X), dtype=np.intp), np.empty(len(X))
    rows_at_a_time = max(1, BLOCK // len(centers))
    for first in range(0, len(X), rows_at_a_time):
        some = slice(first, first + rows_at_a_time)
        to_centers = cdist(X[some], centers, "sqeuclidean")
        labels[some] = to_centers.argmin(axis=1)
        squares[some] = to_centers.min(axis=1)
    return labels, squares


def means(X, labels):
    """Return the mean of each cluster; the mean of equal rows is exactly that row."""
    return weighted_means(X, np.ones(len(X)), labels)


def scatter(X, centers, labels):
    """Return the sum of the squared distances of the rows to the centres of their clusters.

    Examples
    --------
    >>> scatter(np.array([[0.0], [2.0], [5.0]]), np.array([[1.0], [5.0]]), np.array([0, 0, 1]))
    2.0
    """
    return float(feature_scatter(X, centers, labels).sum())


def feature_scatter(X, centers, labels):
    """Return, for each feature, the sum of squared distances of the rows to their centres."""
    return ((X - centers[labels]) ** 2).sum(axis=0)
