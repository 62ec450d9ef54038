"""Entropy-weighted DP-means: DP-means that learns a weight for each feature."""

import numpy as np

from pywbms._data.checks import require_positive
from pywbms._data.ordering import uniform_weights
from pywbms.peers._table import clustered
from pywbms.peers.dpmeans import (
    FARTHER,
    farthest_first,
    feature_scatter,
    means,
    nearest_center,
    require_one_of,
)
from pywbms.theory import entropy_objective, entropy_weights

# As in the released code: k-means rounds after a cluster is opened; passes between new weights.
K_MEANS_ROUNDS = 5
PASSES = 2


def ewdp(X, k=None, *, lam_k=None, lam_w=None, standardize=True):
    """Cluster a table with entropy-weighted DP-means (Paul and Das, 2020).

    EWDP minimises Σ_l w_l D_l + lam_w Σ_l w_l log w_l + lam_k · (number of clusters) over
    partitions and weights w on the simplex, where D_l is the sum of (x_il − θ_{z_i l})² over the
    rows and θ are the means of the clusters. It starts with one cluster at the mean and equal
    weights.

    Each round passes twice over the rows, in the distance Σ_l w_l (x_l − y_l)²: a row farther than
    lam_k from all centres opens a cluster, followed by five rounds of k-means on all rows. Then the
    weights are updated, w_l ∝ exp(−D_l / lam_w). None of these steps increases the objective; the
    rounds end when it stops decreasing. The steps are those of the authors' released code, which
    runs a fixed number of rounds and keeps counting clusters that have become empty.

    The rows are visited in their given order: another order may give other clusters.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    k : int, optional
        A guess of the number of clusters, from which lam_k is derived by the farthest-first rule of
        `dpmeans`, in the distance with equal weights 1/p. The result may have more or fewer
        clusters than k.
    lam_k : float, optional
        Penalty per cluster, in weighted squared distance in working coordinates. Give either k or
        lam_k.
    lam_w : float, optional
        How even the weights are: near 0 one feature gets all the weight, large values make the
        weights nearly equal. The default is the number of rows, as D is a sum over them.
    standardize : bool, default True
        Work on z-scores.

    Returns
    -------
    PeerResult
        With weights; its `params` contain the lam_k and lam_w that were used.

    Notes
    -----
    A guess of k may give too large a lam_k. The rule measures how far rows are from the mean of all
    rows as well as from each other; if clusters are about as far from each other as from the mean,
    as three plain clusters are, the k-th value is still a distance from the mean. But when a second
    cluster has been opened, k-means moves the first centre from the mean to the middle of the two
    remaining clusters, and no row is as far as lam_k from it: ``k=3`` gives two clusters (ARI 0.57)
    where ``k=4`` or any lam_k from 0.3 to 1 gives the three. This is the method: a plain loop over
    the rows gives the same clusters and weights. `dpmeans` opens all clusters in one pass,
    before its centres move, and finds the three with ``k=3``.

    References
    ----------
    D. Paul and S. Das (2020). A Bayesian non-parametric approach for automatic clustering with
    feature weighting. Stat 9(1).

    Examples
    --------
    >>> from pywbms.datasets import data1
    >>> X, truth = data1()
    >>> result = ewdp(X[["x1", "x2", "x3", "x4"]], k=2)
    >>> result.labels.equals(truth.rename("cluster"))
    True
    >>> result.weights.round(2).to_dict()
    {'x1': 0.36, 'x2': 0.35, 'x3': 0.14, 'x4': 0.14}
    """
    require_one_of("k", k, "lam_k", lam_k)
    if lam_w is not None:
        require_positive("lam_w", lam_w)

    def cluster(Z):
        n, p = Z.shape
        chosen = {
            "lam_k": farthest_first(Z, k) / p if lam_k is None else lam_k,
            "lam_w": float(n) if lam_w is None else lam_w,
        }
        labels, weights, _ = descend(Z, **chosen)
        return labels, weights, chosen

    params = {"k": k, "lam_k": lam_k, "lam_w": lam_w}
    return clustered("ewdp", X, cluster, params, standardize=standardize, weighs=True)


def descend(X, lam_k, lam_w):
    """Run the rounds; return labels 0 … k − 1, weights, and the objective after each round.

    The weights are exactly those of the returned clusters.

    Examples
    --------
    >>> labels, weights, objectives = descend(np.array([[0.0], [1.0], [8.0]]), 2.0, 1.0)
    >>> labels.tolist(), weights.tolist(), objectives
    ([1, 1, 0], [1.0], [40.0, 4.5])
    """
    centers = X.mean(axis=0)[None]
    labels = np.zeros(len(X), dtype=np.intp)
    weights = uniform_weights(X.shape[1])
    D = feature_scatter(X, centers, labels)
    objectives = [float(entropy_objective(weights, D, lam_w) + lam_k)]
    while True:
        assigned, moved = labels, centers
        for _ in range(PASSES):
            assigned, moved = visit(X, moved, np.sqrt(weights), lam_k)
        D_assigned = feature_scatter(X, moved, assigned)
        learned = entropy_weights(D_assigned, lam_w)
        objective = entropy_objective(learned, D_assigned, lam_w) + lam_k * len(moved)
        if not objective < objectives[-1]:
            return labels, entropy_weights(D, lam_w), objectives
        labels, centers, D, weights = assigned, moved, D_assigned, learned
        objectives.append(float(objective))


def visit(X, centers, root, lam_k):
    """Pass over the rows once; return the cluster of each, and the means of the clusters.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    centers : ndarray of shape (k, p)
    root : ndarray of shape (p,)
        Square roots of the weights.
    lam_k : float

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0]])
    >>> labels, centers = visit(X, np.array([[3.0]]), np.ones(1), lam_k=5.0)
    >>> labels.tolist(), centers.tolist()
    ([1, 1, 0], [[8.0], [0.5]])
    """
    scaled = X * root
    visited = 0
    while True:
        nearest, squares = nearest_center(scaled, centers * root)
        far = np.flatnonzero(squares[visited:] > FARTHER * lam_k)
        if not len(far):
            labels = np.unique(nearest, return_inverse=True)[1]
            return labels, means(X, labels)
        row = visited + far[0]
        centers = k_means(X, np.concatenate([centers, X[None, row]]), root)
        visited = row + 1


def k_means(X, centers, root):
    """Return the centres of the nonempty clusters after a few rounds of k-means."""
    scaled, before = X * root, None
    for _ in range(K_MEANS_ROUNDS):
        nearest, _ = nearest_center(scaled, centers * root)
        labels = np.unique(nearest, return_inverse=True)[1]
        if np.array_equal(labels, before):
            break
        centers, before = means(X, labels), labels
    return centers
