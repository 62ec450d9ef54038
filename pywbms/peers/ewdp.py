"""Entropy-weighted DP-means: DP-means that learns a weight for each feature."""

import numpy as np

from pywbms._check import require_positive
from pywbms.fit import even
from pywbms.peers._table import clustered
from pywbms.peers.dpmeans import assign, farthest_first, feature_scatter, means, require_one_of
from pywbms.theory import entropy_objective, entropy_weights


def ewdp(X, k=None, *, lam_k=None, lam_w=None, standardize=True):
    """Cluster a table with entropy-weighted DP-means (Paul and Das, 2020).

    It minimises Σ_l w_l D_l + lam_w Σ_l w_l log w_l + lam_k · (number of clusters) over partitions
    and weights w on the simplex, where D_l is the sum of (x_il − θ_{z_i l})² over the rows, θ the
    means of the clusters. It starts with one cluster at the mean and equal weights. Each round is a
    pass of DP-means in the weighted distance Σ_l w_l (x_l − y_l)², where a row farther than lam_k
    from all centres opens a cluster; then come the means, then the weights
    w_l ∝ exp(−D_l / lam_w). None of these raises the objective; the rounds end when it stops
    falling. (The released code runs a fixed number of rounds instead.)

    The rows are visited in the order in which they stand: another order may give other clusters.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    k : int, optional
        A guess of the number of clusters, from which lam_k is found by the farthest-first rule of
        `dpmeans`, in the distance with equal weights 1/p. The result may have more or fewer
        clusters than k.
    lam_k : float, optional
        What a cluster costs, in weighted squared distance in working coordinates. Give either k or
        lam_k.
    lam_w : float, optional
        How evenly the features are weighed: near 0 one feature takes it all, large values make all
        weights alike. The default is the number of rows, as D is a sum over them.
    standardize : bool, default True
        Work on z-scores.

    Returns
    -------
    PeerResult
        With weights; its `params` hold the lam_k and lam_w that were used.

    References
    ----------
    D. Paul and S. Das (2020). A Bayesian non-parametric approach for automatic clustering with
    feature weighting. Stat 9(1), e306.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.1, -0.3], [0.2, 0.2], [9.0, -0.1], [9.1, 0.3]]
    >>> result = ewdp(X, k=2, lam_w=1.0)
    >>> result.labels.tolist()
    [0, 0, 0, 1, 1]
    >>> result.weights.round(2).tolist()
    [0.98, 0.02]
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

    The weights are those of the clusters returned, to the bit.

    Examples
    --------
    >>> labels, weights, objectives = descend(np.array([[0.0], [1.0], [8.0]]), 2.0, 1.0)
    >>> labels.tolist(), weights.tolist(), objectives
    ([0, 0, 1], [1.0], [40.0, 4.5])
    """
    labels = np.zeros(len(X), dtype=np.intp)
    centers = X.mean(axis=0)[None]
    weights = even(X.shape[1])
    D = feature_scatter(X, centers, labels)
    objectives = [float(entropy_objective(weights, D, lam_w) + lam_k)]
    while True:
        root = np.sqrt(weights)
        assigned = assign(X * root, centers * root, lam_k)
        moved = means(X, assigned)
        D_assigned = feature_scatter(X, moved, assigned)
        learned = entropy_weights(D_assigned, lam_w)
        objective = entropy_objective(learned, D_assigned, lam_w) + lam_k * len(moved)
        if not objective < objectives[-1]:
            return labels, entropy_weights(D, lam_w), objectives
        labels, centers, D, weights = assigned, moved, D_assigned, learned
        objectives.append(float(objective))
