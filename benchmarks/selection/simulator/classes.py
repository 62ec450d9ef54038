"""Classes more complex than clouds: hierarchies, categories, gene expression, warped and rough.

Each function takes a generator and the numbers of rows and columns, and returns the rows, their
truth and the name of the form.
"""

import numpy as np

from benchmarks.selection.simulator import shapes


def hierarchy(rng, n, d):
    """Draw groups that consist of one to four clusters; the truth is either of the two levels."""
    k = int(rng.integers(2, 6))
    groups = np.repeat(np.arange(k), shapes.cluster_sizes(rng, n, k))
    X, clusters, found = np.empty((n, d)), np.empty(n, dtype=int), 0
    for group in range(k):
        rows = np.flatnonzero(groups == group)
        parts = max(1, min(int(rng.integers(1, 5)), len(rows) // 9))
        X[rows], inner, _ = shapes.mixture(rng, len(rows), parts, d, rng.uniform(3, 6))
        clusters[rows] = inner + found
        found += parts
    X = shapes.move_apart(rng, X, groups, shapes.loguniform(rng, 4, 10))
    return (X, clusters, "fine") if rng.random() < 0.65 else (X, groups, "coarse")


def categorical(rng, n, d):
    """Draw columns of two to five levels, whose frequencies depend on the class."""
    k = shapes.cluster_count(rng, min(10, n // 10))
    truth = np.repeat(np.arange(k), shapes.cluster_sizes(rng, n, k))
    levels = 2 if rng.random() < 0.6 else int(rng.integers(3, 6))
    evenness = rng.choice([0.15, 0.4, 0.8])  # small: a class nearly always has the same level
    reached = rng.dirichlet(np.full(levels, evenness), size=(k, d)).cumsum(axis=2)[:, :, :-1]
    X = (rng.random((n, d, 1)) > reached[truth]).sum(axis=2).astype(float)
    return X, truth, "binary" if levels == 2 else "levels"


def genes(rng, n, p):
    """Draw columns that share a few factors; each class shifts a part of them."""
    k = min(int(rng.choice([2, 2, 3, 4, 5, 7, 10])), n // 8)
    truth = np.repeat(np.arange(k), shapes.cluster_sizes(rng, n, k))
    factors = int(rng.integers(1, 8))
    loadings = rng.normal(size=(factors, p)) * (rng.random((factors, p)) < rng.uniform(0.1, 0.8))
    X = rng.normal(size=(n, p))
    X += rng.uniform(0.2, 1.2) * shapes.product(rng.normal(size=(n, factors)), loadings)
    shifted = rng.random((k, p)) < rng.uniform(0.03, 0.5)
    X += (rng.normal(size=(k, p)) * shifted * rng.uniform(0.7, 3))[truth]
    if rng.random() < 0.3:
        return np.exp(0.6 * X), truth, "intensities"
    return X, truth, "log intensities"


ACTIVATIONS = (
    np.tanh,
    np.sin,
    lambda values: np.maximum(values, 0),
    lambda values: np.logaddexp(0, values),
    lambda values: values * np.sqrt(np.abs(values)),
)


def warped(rng, n, d):
    """Draw a mixture pushed through a random network of two layers: curved, skewed classes."""
    latent, hidden = int(rng.integers(2, 9)), int(rng.integers(8, 40))
    k = shapes.cluster_count(rng, min(12, n // 10))
    X, truth, form = shapes.mixture(rng, n, k, latent, shapes.loguniform(rng, 2.5, 8))
    X = (X - X.mean(axis=0)) / X.std(axis=0).mean()
    slopes = rng.normal(size=(latent, hidden)) * rng.uniform(0.6, 2.4) / np.sqrt(latent)
    inner, outer = (ACTIVATIONS[i] for i in rng.integers(len(ACTIVATIONS), size=2))
    X = inner(shapes.product(X, slopes) + rng.normal(size=hidden))
    X = shapes.product(X, rng.normal(size=(hidden, d)))
    if rng.random() < 0.4:
        X = outer(X / X.std() * rng.uniform(0.7, 2))
    noise = rng.choice([0.05, 0.2, 0.5, 1]) * rng.uniform(0.3, 1, d)
    return shapes.standardized(X) + noise * rng.normal(size=(n, d)), truth, form


def rough(rng, n, d):
    """Draw classes that are chains or bunches of close blobs."""
    k = min(int(rng.choice([2, 2, 3, 3, 4, 5, 7, 10])), n // 15)
    truth = np.repeat(np.arange(k), shapes.cluster_sizes(rng, n, k))
    chain, step = rng.random() < 0.5, rng.uniform(1.2, 3.5) / np.sqrt(d)
    clouds = dict.fromkeys([shapes.normal, shapes.skew, shapes.box, shapes.multivariate_t], 1)
    X = np.empty((n, d))
    for group in range(k):
        rows = np.flatnonzero(truth == group)
        parts = max(1, min(int(rng.integers(2, 9)), len(rows) // 6))
        steps = step * rng.normal(size=(parts, d))
        where = steps.cumsum(axis=0) if chain else 1.2 * steps
        blob = shapes.pick(rng, clouds)(rng, len(rows), d) * np.exp(0.3 * rng.normal())
        X[rows] = where[rng.integers(0, parts, len(rows))] + blob
    X = shapes.move_apart(rng, X, truth, shapes.loguniform(rng, 2.2, 8))
    return X, truth, "chain" if chain else "bunch"
