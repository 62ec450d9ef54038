"""G-means: split what does not look Gaussian."""

import numpy as np
from scipy.special import log_ndtr

from pywbms._check import require_integer, require_positive
from pywbms.peers._kmeans import kmeans_from_centers, quiet_kmeans, scores
from pywbms.peers._table import clustered

# The test's level is 1e-4 at this value of the corrected Anderson–Darling statistic.
CRITICAL = 1.8692

# Clusters with fewer rows are not tested: the correction for their size is not made for them.
FEWEST = 8


def gmeans(X, *, critical=CRITICAL, k_max=None, standardize=True):
    """Cluster by k-means, with a cluster split in two as long as it does not look Gaussian.

    From one cluster on, each cluster is split by 2-means, started at c ± s·√(2λ/π) with c its
    mean, s its first principal direction and λ the variance along it. Its rows are projected on
    the line through the two centres; if an Anderson–Darling test rejects normality there, both
    centres stay. After each round of splits k-means runs on all rows. No random number is drawn.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    critical : float, default 1.8692
        A cluster is split where A²·(1 + 4/n − 25/n²) is larger; the default is for the level
        0.0001. Clusters of fewer than eight rows are not split.
    k_max : int or None, default None
        No more clusters than this; those furthest from normal are split first. None is no limit.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        Its params say ``k``, the number of ``rounds``, and with ``k_max_reached`` whether splits
        were left undone.

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
        "standardize": standardize,
    }

    def cluster(Z):
        with quiet_kmeans():
            return by_splits(scores(Z), critical, len(Z) if k_max is None else k_max)

    return clustered("gmeans", X, cluster, params, standardize=standardize)


def by_splits(X, critical, k_max):
    """Cluster rows; return labels, None (no weights) and what was chosen."""
    centers = X.mean(axis=0, keepdims=True)
    labels = np.zeros(len(X), int)
    rounds = 0
    while True:
        splits = [split(X[labels == cluster]) for cluster in range(len(centers))]
        wanted, accepted = worst_first([found[1] for found in splits], critical, k_max)
        if not accepted:
            break
        rounds += 1
        halves = [
            splits[cluster][0] if cluster in accepted else centers[cluster : cluster + 1]
            for cluster in range(len(centers))
        ]
        fitted = kmeans_from_centers(X, np.concatenate(halves))
        centers, labels = fitted.cluster_centers_, fitted.labels_
    chosen = {"k": len(centers), "rounds": rounds, "k_max_reached": bool(wanted)}
    return labels, None, chosen


def worst_first(statistics, critical, k_max):
    """Return the clusters whose statistic is too large, and those of them there is room to split.

    Examples
    --------
    >>> worst_first([0.5, 2.0, 7.0], critical=1.0, k_max=4)
    ([2, 1], {2})
    """
    order = sorted(range(len(statistics)), key=lambda cluster: -statistics[cluster])
    wanted = [cluster for cluster in order if statistics[cluster] > critical]
    return wanted, set(wanted[: max(0, k_max - len(statistics))])


def split(rows):
    """Split the rows of one cluster; return two centres and how far from normal the rows are.

    A cluster that cannot or need not be split has no centres and the statistic 0.
    """
    if len(rows) < FEWEST or (rows == rows[0]).all():
        return None, 0.0
    centers = kmeans_from_centers(rows, principal_pair(rows)).cluster_centers_
    direction = centers[0] - centers[1]
    return centers, anderson_darling(rows @ direction)


def principal_pair(rows):
    """Return c ± s·√(2λ/π): where the halves of a Gaussian cluster have their means.

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
    if p > n:  # the small matrix of inner products has the same first eigenvalue
        direction = np.linalg.eigh(centred @ centred.T)[1][:, -1] @ centred
    else:
        direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    direction /= np.linalg.norm(direction)
    variance = np.square(centred @ direction).sum() / (n - 1)
    step = direction * np.sqrt(2 * variance / np.pi)
    return np.stack([c + step, c - step])


def anderson_darling(values):
    """Return the Anderson–Darling statistic for a normal law with mean and variance unknown.

    It is A²·(1 + 4/n − 25/n²), the form that goes with the critical value 1.8692.

    Examples
    --------
    >>> round(anderson_darling(np.arange(10.0)), 3)
    0.157
    """
    n = len(values)
    spread = values.std(ddof=1)
    z = np.sort((values - values.mean()) / spread)
    odd = 2 * np.arange(1, n + 1) - 1
    # log(1 − Φ(z)) = log Φ(−z), which is exact far out where 1 − Φ(z) is not
    a2 = -n - np.sum(odd * (log_ndtr(z) + log_ndtr(-z[::-1]))) / n
    return float(a2 * (1 + 4 / n - 25 / n**2))
