"""G-means: split clusters that do not look Gaussian."""

import numpy as np
from scipy.special import log_ndtr

from pywbms._data.checks import require_integer, require_positive
from pywbms.peers._kmeans import (
    cluster_means,
    kmeans_from_centers,
    kmeans_from_seeds,
    near_one,
    principal_scores,
    quiet_kmeans,
    random_generator,
)
from pywbms.peers._table import clustered

# Critical value of the corrected Anderson–Darling statistic at the level 1e-4.
CRITICAL = 1.8692

# Clusters with fewer rows are not tested: the small-sample correction does not apply to them.
FEWEST = 8

# The result if all rows are the same point.
NO_SPLIT = {"k": 1, "rounds": 0, "k_max_reached": False}

# Values that differ by less, relative to the largest, are equal up to rounding.
ROUNDING = 1e-12


def gmeans(X, *, critical=CRITICAL, k_max=None, n_init=0, random_state=0, standardize=True):
    """Cluster by k-means, splitting clusters in two while they do not look Gaussian.

    Starting with one cluster, each cluster is split by 2-means, started at c ± s·√(2λ/π) with c its
    mean, s its first principal direction and λ the variance along it. Its rows are projected onto
    the line through the two centres; if an Anderson–Darling test rejects normality there, the split
    is accepted. After each round of splits k-means is run on all rows.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    critical : float, default 1.8692
        A cluster is split if A²·(1 + 4/n − 25/n²) is larger; the default corresponds to the level
        0.0001. Clusters of fewer than eight rows are not split.
    k_max : int or None, default None
        Maximum number of clusters; those farthest from normal are split first. None means no limit.
    n_init : int, default 0
        Additional k-means++ initialisations of each 2-means; the one with the smallest sum of
        squares is used. With many features the principal start often leads to a worse split along
        which the rows look normal, and G-means stops early. With 0 no random numbers are drawn.
    random_state : int, numpy.random.Generator or None, default 0
        The seed, for n_init > 0.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        Its params contain ``k``, the number of ``rounds``, and ``k_max_reached``, whether k_max
        prevented further splits.

    References
    ----------
    G. Hamerly, C. Elkan (2003). Learning the k in k-means. Advances in Neural Information
    Processing Systems 16, 281–288.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0) + rng.normal(size=(120, 2))
    >>> gmeans(X).labels.value_counts().tolist()
    [40, 40, 40]
    """
    params = {
        "critical": require_positive("critical", critical),
        "k_max": k_max if k_max is None else require_integer("k_max", k_max, 1),
        "n_init": require_integer("n_init", n_init, 0),
        "random_state": random_state,
        "standardize": standardize,
        **NO_SPLIT,
    }
    rng = random_generator(random_state)

    def cluster(Z):
        rows = principal_scores(near_one(Z)[0])

        def split(members):
            return halves(rows[members], principal_pair(rows[members]), n_init, rng)

        def settle(labels):
            return kmeans_from_centers(rows, cluster_means(rows, labels)).labels_

        with quiet_kmeans():
            labels, chosen = by_splits(len(rows), split, settle, critical, k_max)
        return labels, None, chosen

    return clustered("gmeans", X, cluster, params, standardize=standardize)


def by_splits(n, split, settle, critical, k_max, fewest=1):
    """Split clusters of n rows until no split is needed, or one has fewer rows than `fewest`.

    Parameters
    ----------
    n : int
        Number of rows.
    split : callable
        Takes the positions of a cluster's rows; returns which of them form the second half, and the
        test statistic of the split.
    settle : callable
        Takes labels after a round of splits; returns the labels of the clustering that follows.
    critical : float
        Splits with a larger statistic are accepted.
    k_max : int or None
        Maximum number of clusters.
    fewest : int, default 1
        Minimum number of rows of every cluster for another round.

    Returns
    -------
    labels : ndarray of shape (n,)
    chosen : dict
        ``k``, ``rounds`` and ``k_max_reached``.
    """
    labels, rounds = np.zeros(n, int), 0
    while True:
        clusters = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        wanted = []
        if min(map(len, clusters)) >= fewest:
            found = [split(rows) if len(rows) >= FEWEST else (None, 0.0) for rows in clusters]
            wanted = worst_first([statistic for _, statistic in found], critical)
        accepted = wanted if k_max is None else wanted[: max(0, k_max - len(clusters))]
        if not accepted:
            break
        for label, rows in enumerate(clusters):
            labels[rows] = label
        for new, label in enumerate(accepted, start=len(clusters)):
            labels[clusters[label][found[label][0]]] = new
        labels = settle(labels)
        rounds += 1
    return labels, {"k": len(clusters), "rounds": rounds, "k_max_reached": bool(wanted)}


def worst_first(statistics, critical):
    """Return the positions of the statistics above a critical value, the largest first.

    Examples
    --------
    >>> worst_first([0.5, 2.0, 7.0], critical=1.0)
    [2, 1]
    """
    order = sorted(range(len(statistics)), key=lambda cluster: -statistics[cluster])
    return [cluster for cluster in order if statistics[cluster] > critical]


def halves(rows, start, n_init, rng):
    """Split the rows of a cluster by 2-means; return the second half and the test statistic.

    The statistic is 0 if the rows cannot be split.

    Examples
    --------
    >>> rows = np.repeat([[0.0], [1.0]], 8, axis=0)
    >>> second, statistic = halves(rows, np.array([[0.2], [0.9]]), 0, None)
    >>> second.sum(), statistic > 1.8692
    (np.int64(8), True)
    """
    if (rows == rows[0]).all():
        return None, 0.0
    best = kmeans_from_centers(rows, start)
    if n_init:
        best = min(best, kmeans_from_seeds(rows, 2, n_init, rng), key=lambda fit: fit.inertia_)
    direction = best.cluster_centers_[0] - best.cluster_centers_[1]
    second = best.labels_ == 1
    if second.all() or not second.any():
        return None, 0.0
    return second, anderson_darling(rows @ direction)


def principal_pair(rows):
    """Return c ± s·√(2λ/π), the means of the two halves of a Gaussian cluster.

    c is the mean, s the first principal direction and λ the variance along it.

    Examples
    --------
    >>> rows = np.array([[-1.0, 5.0], [0.0, 5.0], [1.0, 5.0]])
    >>> np.abs(principal_pair(rows)).round(3).tolist()
    [[0.798, 5.0], [0.798, 5.0]]
    """
    c = rows.mean(axis=0)
    centred = rows - c
    n, p = rows.shape
    if p > n:  # the small Gram matrix has the same first eigenvalue
        direction = np.linalg.eigh(centred @ centred.T)[1][:, -1] @ centred
    else:
        direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    direction /= np.linalg.norm(direction) or 1.0
    variance = np.square(centred @ direction).sum() / (n - 1)
    step = direction * np.sqrt(2 * variance / np.pi)
    return np.stack([c + step, c - step])


def anderson_darling(values):
    """Return the Anderson–Darling statistic for normality with unknown mean and variance.

    It is A²·(1 + 4/n − 25/n²), the form that belongs to the critical value 1.8692; 0 if all values
    are equal.

    Examples
    --------
    >>> round(anderson_darling(np.arange(10.0)), 3)
    0.162
    """
    n = len(values)
    spread = values.std(ddof=1)
    if spread <= ROUNDING * np.abs(values).max():
        return 0.0
    z = np.sort((values - values.mean()) / spread)
    odd = 2 * np.arange(1, n + 1) - 1
    # log(1 − Φ(z)) = log Φ(−z), which is accurate in the tail where 1 − Φ(z) is not
    a2 = -n - np.sum(odd * (log_ndtr(z) + log_ndtr(-z[::-1]))) / n
    return float(a2 * (1 + 4 / n - 25 / n**2))
