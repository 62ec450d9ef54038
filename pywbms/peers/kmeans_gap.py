"""k-means with the number of clusters chosen by the Gap statistic."""

import numpy as np

from pywbms._data.checks import require_integer
from pywbms._terminal.wording import quoted
from pywbms.peers._kmeans import (
    few_columns,
    kmeans_from_seeds,
    near_one,
    principal_scores,
    quiet_kmeans,
    random_generator,
    squares_within,
)
from pywbms.peers._table import clustered

REFERENCES = ("pca", "box")

# A pooled sum of squares below this, relative to that of one cluster, is zero up to rounding: the
# rows of every cluster are equal.
ROUNDING = 1e-24


def kmeans_gap(
    X, *, k_max=50, n_refs=20, reference="pca", n_init=10, random_state=0, standardize=True
):
    """Cluster by k-means, with the number of clusters chosen by the Gap statistic.

    With W_k the pooled within-cluster sum of squares of a k-means clustering into k,

        Gap(k) = mean_b log W*_kb − log W_k,

    where W*_kb belongs to the b-th of n_refs samples without clusters, uniform on a box around
    the data. The number of clusters is the smallest k with Gap(k) ≥ Gap(k + 1) − s(k + 1), where
    s(k) = sd_b(log W*_kb)·√(1 + 1/n_refs). Larger k are not computed, as they cannot change this.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns.
    k_max : int, default 50
        Largest number of clusters considered; at most n − 1 and the number of distinct rows.
    n_refs : int, default 20
        Number of reference samples.
    reference : {"pca", "box"}, default "pca"
        Whether the sides of the box are parallel to the principal axes or to the features.
    n_init : int, default 10
        Number of k-means++ initialisations on the data. Each reference sample gets n_init / k of
        them, rounded up: a poor initialisation matters when there are few clusters, and its effect
        at a larger k is much the same at k + 1.
    random_state : int, numpy.random.Generator or None, default 0
        The seed.
    standardize : bool, default True
        Work on z-scores (ddof = 1).

    Returns
    -------
    PeerResult
        Its params contain ``k``; ``rule_met``, which is False if no k below k_max met the rule
        (then k is the largest number considered, and more may be better); and ``gap``, ``s`` and
        ``log_w``, lists for 1, 2, … clusters. A gap is infinite if every cluster is a single
        point.

    Notes
    -----
    The rule may stop early: with three clusters at equal distances, two are often no better than
    one, and k = 3 is never considered.

    References
    ----------
    R. Tibshirani, G. Walther, T. Hastie (2001). Estimating the number of clusters in a data set
    via the gap statistic. Journal of the Royal Statistical Society B 63, 411–423.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> corners = [[0, 0], [9, 0], [0, 9], [9, 9]]
    >>> X = np.repeat(corners, 20, axis=0) + rng.normal(size=(80, 2))
    >>> found = kmeans_gap(X)
    >>> found.n_clusters, found.params["rule_met"], len(found.params["gap"])
    (4, True, 5)
    """
    params = {
        "k_max": require_integer("k_max", k_max, 1),
        "n_refs": require_integer("n_refs", n_refs, 1),
        "reference": reference,
        "n_init": require_integer("n_init", n_init, 1),
        "random_state": random_state,
        "standardize": standardize,
        # the result if all rows are the same point
        **{"k": 1, "rule_met": True, "gap": [np.inf], "s": [0.0], "log_w": [-np.inf]},
    }
    if not isinstance(reference, str) or reference not in REFERENCES:
        raise ValueError(f"reference must be one of {quoted(REFERENCES)}, got {reference!r}")
    rng = random_generator(random_state)

    def cluster(Z):
        with quiet_kmeans():
            return by_gap(Z, k_max, n_refs, reference, n_init, rng)

    return clustered("kmeans_gap", X, cluster, params, standardize=standardize)


def by_gap(X, k_max, n_refs, reference, n_init, rng):
    """Cluster rows; return labels, None (no weights) and the chosen parameters."""
    data_rng, *reference_rngs = rng.spawn(1 + n_refs)
    X, unit = near_one(X)
    rows = principal_scores(X)
    samples = [uniform_like(rows if reference == "pca" else X, stream) for stream in reference_rngs]
    k_max = min(k_max, len(X) - 1, len(np.unique(X, axis=0)))

    labels, gap, s, log_w = [], [], [], []
    rule_met = False
    for k in range(1, k_max + 1):
        labels.append(kmeans_labels(rows, k, n_init, data_rng))
        expected = [
            np.log(squares_within(sample, kmeans_labels(sample, k, -(-n_init // k), stream)).sum())
            for sample, stream in zip(samples, reference_rngs, strict=True)
        ]
        within = squares_within(rows, labels[-1]).sum()
        single_points = within <= ROUNDING * np.square(rows).sum()
        log_w.append(-np.inf if single_points else np.log(within))
        gap.append(np.mean(expected) - log_w[-1])
        s.append(np.std(expected) * np.sqrt(1 + 1 / n_refs))
        # No later gap can exceed an infinite one.
        rule_met = bool(np.isinf(gap[-1]) or (k > 1 and gap[-2] >= gap[-1] - s[-1]))
        if rule_met:
            break
    k = len(gap) - bool(rule_met and np.isfinite(gap[-1]))
    log_w = np.array(log_w) + 2 * np.log(unit)
    table = {"gap": gap, "s": s, "log_w": log_w}
    table = {name: [float(value) for value in column] for name, column in table.items()}
    return labels[k - 1], None, {"k": k, "rule_met": rule_met, **table}


def kmeans_labels(X, k, n_init, rng):
    """Return the labels of the best of n_init runs of k-means."""
    return np.zeros(len(X), int) if k == 1 else kmeans_from_seeds(X, k, n_init, rng).labels_


def uniform_like(X, rng):
    """Draw as many rows as X has, uniformly from the bounding box of its columns.

    If there are more columns than rows, scores with the same distances are returned.

    Examples
    --------
    >>> X = np.array([[0.0, 10.0], [1.0, 30.0], [2.0, 30.0]])
    >>> sample = uniform_like(X, np.random.default_rng(0))
    >>> sample.shape, bool((sample >= [0, 10]).all()), bool((sample <= [2, 30]).all())
    ((3, 2), True, True)
    """
    lowest, highest = X.min(axis=0), X.max(axis=0)
    sample = lowest + (highest - lowest) * rng.random(X.shape)
    return few_columns(sample)
