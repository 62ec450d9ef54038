"""Clouds of one cluster, and mixtures of them.

A cloud is drawn by a function of a generator, a number of rows and a number of columns. Its columns
have a standard deviation of about one.
"""

import numpy as np

# ---------------------------------------------------------------------------------- draws


def pick(rng, weights):
    """Return one key of a dict from keys to weights."""
    share = np.array(list(weights.values()), dtype=float)
    return list(weights)[rng.choice(len(share), p=share / share.sum())]


def loguniform(rng, low, high):
    """Return a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def cluster_count(rng, most):
    """Return a number of clusters from 2 to `most`; small numbers are more frequent."""
    return int(loguniform(rng, 2, most + 0.99))


def cluster_sizes(rng, n, k):
    """Return k sizes with sum n, from nearly equal to very unequal, none below 4 or 1 % of n."""
    least = max(4, n // 100)
    concentration = rng.choice([0.6, 1, 3, 100], p=[0.15, 0.25, 0.3, 0.3])
    sizes = least + np.floor(rng.dirichlet(np.full(k, concentration)) * (n - least * k)).astype(int)
    sizes[np.argmax(sizes)] += n - sizes.sum()
    return sizes


def rotation(rng, d):
    """Return a random orthogonal matrix, by Gram–Schmidt."""
    rows = rng.normal(size=(d, d))
    for i, row in enumerate(rows):
        row /= np.sqrt(np.sum(row**2))
        rows[i + 1 :] -= np.outer(np.einsum("ij,j->i", rows[i + 1 :], row), row)
    return rows


def product(A, B):
    """Return A @ B without BLAS, whose last digits depend on the number of threads."""
    return np.einsum("ij,jk->ik", A, B)


def standardized(X):
    """Return X with columns of mean 0 and standard deviation 1; constant columns become 0."""
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)


# --------------------------------------------------------------------------------- clouds


def normal(rng, m, d):
    """Draw independent normal columns."""
    return rng.normal(size=(m, d))


def t(rng, m, d):
    """Draw independent heavy-tailed columns."""
    return rng.standard_t(rng.choice([3, 5]), size=(m, d)) / 1.4


def multivariate_t(rng, m, d):
    """Draw rows that are far from the centre in all columns at once."""
    return rng.normal(size=(m, d)) * np.sqrt(4 / rng.chisquare(4, size=(m, 1))) / 1.2


def box(rng, m, d):
    """Draw uniformly from a cube."""
    return rng.uniform(-1.7, 1.7, size=(m, d))


def ball(rng, m, d):
    """Draw uniformly from a ball."""
    rows = rng.normal(size=(m, d))
    radius = rng.uniform(size=(m, 1)) ** (1 / d) * np.sqrt(d + 2)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * radius


def skew(rng, m, d):
    """Draw gamma columns, each with its long tail on a random side."""
    return (rng.gamma(1.5, size=(m, d)) - 1.5) / 1.22 * rng.choice([-1, 1], size=d)


def lognormal(rng, m, d):
    """Draw lognormal columns, each with its long tail on a random side."""
    return (np.exp(0.8 * rng.normal(size=(m, d))) - 1.38) / 1.3 * rng.choice([-1, 1], size=d)


def banana(rng, m, d):
    """Draw a normal cloud that is bent in its first two columns."""
    rows = rng.normal(size=(m, d))
    if d > 1:
        rows[:, 1] += rng.uniform(0.4, 1) * (rows[:, 0] ** 2 - 1)
    return rows


CLOUDS = {  # form: how often it is the form of all clusters of a mixture
    normal: 0.40,
    t: 0.07,
    multivariate_t: 0.08,
    box: 0.10,
    ball: 0.10,
    skew: 0.10,
    lognormal: 0.07,
    banana: 0.08,
}
COMPACT = {normal: 0.5, box: 0.2, ball: 0.2, multivariate_t: 0.1}

# ------------------------------------------------------------------------------- mixtures


def mixture(rng, n, k, d, separation=None, clouds=CLOUDS):
    """Draw k clouds of unequal size, spread, elongation and orientation.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the draws.
    n, k, d : int
        Numbers of rows, clusters and columns.
    separation : float, optional
        Distance of neighbouring centres in standard deviations of a cluster; by default between
        2.2 (clusters that overlap) and 10.
    clouds : dict
        Functions that draw a cloud, with their weights.

    Returns
    -------
    X : ndarray of shape (n, d)
    truth : ndarray of shape (n,)
    form : str
        The form of the clusters, or "mixed".
    """
    if separation is None:
        separation = loguniform(rng, 2.2, 10)
    truth = np.repeat(np.arange(k), cluster_sizes(rng, n, k))
    common_cloud = pick(rng, clouds) if rng.random() < 0.6 else None
    elongation = rng.choice([0, 0.4, 0.9], p=[0.4, 0.35, 0.25])
    common_axes = axes(rng, d, elongation) if rng.random() < 0.5 else None
    spreads = np.exp(rng.choice([0, 0.25, 0.6], p=[0.4, 0.35, 0.25]) * rng.normal(size=k))
    X = centres(rng, k, d, separation)[truth]
    for cluster in range(k):
        rows = truth == cluster
        cloud = common_cloud or pick(rng, dict.fromkeys(clouds, 1))
        turned = axes(rng, d, elongation) if common_axes is None else common_axes
        X[rows] += spreads[cluster] * product(cloud(rng, rows.sum(), d), turned)
    return X, truth, common_cloud.__name__ if common_cloud else "mixed"


def axes(rng, d, elongation):
    """Return a matrix that stretches and rotates a cloud and keeps its mean variance."""
    lengths = np.exp(elongation * rng.normal(size=d))
    lengths /= np.sqrt(np.mean(lengths**2))
    return lengths[:, None] * rotation(rng, d)


def centres(rng, k, d, separation):
    """Return k points: normal, uniform, or uniform and well spread.

    They are scaled to give `separation` to the distance between nearest neighbours: to its minimum,
    lower quartile or median over the points.
    """
    how = rng.choice(["normal", "uniform", "spread"])
    tries = 20 if how == "spread" else 1
    drawn = (
        rng.normal(size=(tries, k, d))
        if how == "normal"
        else rng.uniform(-1, 1, size=(tries, k, d))
    )
    best = max(drawn, key=lambda points: nearest(points).min())
    return best * separation / np.quantile(nearest(best), rng.choice([0, 0.25, 0.5]))


def nearest(points):
    """Return the distance of each point to its nearest neighbour; 1 for a single point."""
    if len(points) == 1:
        return np.ones(1)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart.min(axis=1)


def move_apart(rng, X, truth, separation):
    """Return classes moved to random centres, `separation` of their standard deviations apart."""
    k, d = truth.max() + 1, X.shape[1]
    X = X.copy()
    for group in range(k):
        X[truth == group] -= X[truth == group].mean(axis=0)
    return X + centres(rng, k, d, separation * X.std())[truth]
