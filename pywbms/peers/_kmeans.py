"""Shared by the k-means family: deterministic k-means of scikit-learn, scores, random numbers."""

import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from pywbms._data.checks import generator

# Singular values below this, relative to the largest, are zero up to rounding.
NEGLIGIBLE = 1e-12


def random_generator(random_state):
    """Return a NumPy generator, or raise a ValueError that names random_state."""
    if isinstance(random_state, np.random.RandomState):  # its stream cannot be divided
        random_state = int(random_state.randint(2**31))
    return generator(random_state)


@contextmanager
def quiet_kmeans():
    """Run scikit-learn's k-means on one thread, and without its warning about duplicate points.

    With several threads the order of summation of the means varies; the last bits, and so the
    breaking of ties, would depend on it.
    """
    with threadpool_limits(limits=1, user_api="openmp"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def kmeans_from_seeds(X, k, n_init, rng):
    """Return the best of n_init k-means fits initialised by k-means++, a fitted KMeans."""
    seed = int(rng.integers(2**31 - 1))
    return KMeans(k, n_init=n_init, random_state=seed).fit(X)


def kmeans_from_centers(X, centers):
    """Return k-means started at given centres and run until no row changes its cluster."""
    return KMeans(len(centers), init=centers, n_init=1, tol=0.0).fit(X)


def near_one(X):
    """Return X in a unit that keeps squares from overflow and underflow, and that unit.

    It is a power of two, so that nothing is rounded.

    Examples
    --------
    >>> near_one(np.array([[0.5], [3.0]]))
    (array([[0.125], [0.75 ]]), 4.0)
    """
    exponent = np.frexp(np.abs(X).max())[1]
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))


def few_columns(X):
    """Return X, or its scores if it has more columns than rows: distances are preserved."""
    return principal_scores(X) if X.shape[1] > len(X) else X


def principal_scores(X):
    """Return the principal component scores of the rows: at most min(n − 1, p) columns.

    Distances between rows are preserved, so methods that only use distances give the same result
    with fewer columns if p > n. The sign of each column is fixed by its largest entry, and equal
    rows remain bit-identical.

    Examples
    --------
    >>> Z = principal_scores(np.array([[0.0, 0.0, 3.0], [0.0, 4.0, 0.0]]))
    >>> Z.shape, float(np.round(abs(Z[0] - Z[1]).item(), 12))
    ((2, 1), 5.0)
    """
    centred, unit = near_one(X)
    centred -= centred.mean(axis=0)
    n, p = X.shape
    if p > 2 * n:  # eigenvectors of the small Gram matrix, several times faster
        eigenvalues, left = np.linalg.eigh(centred @ centred.T)
        singular, left = np.sqrt(np.maximum(eigenvalues[::-1], 0.0)), left[:, ::-1]
        negligible = np.sqrt(n * np.finfo(float).eps)
    else:
        left, singular, _ = np.linalg.svd(centred, full_matrices=False)
        negligible = NEGLIGIBLE
    kept = singular > negligible * singular[0]
    Z = left[:, kept] * singular[kept]
    largest = np.abs(Z).argmax(axis=0)
    Z *= np.sign(Z[largest, np.arange(Z.shape[1])])
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return (Z * unit)[first[inverse.ravel()]]


def cluster_means(X, labels):
    """Return the mean of each cluster, in the order of their labels.

    Examples
    --------
    >>> cluster_means(np.array([[0.0], [2.0], [7.0]]), np.array([4, 4, 9])).ravel().tolist()
    [1.0, 7.0]
    """
    order = np.argsort(labels, kind="stable")
    _, starts, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    return np.add.reduceat(X[order], starts) / sizes[:, None]


def squares_within(X, labels):
    """Return each feature's sum of squared distances to the means of the rows' clusters.

    Examples
    --------
    >>> squares_within(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1])).tolist()
    [2.0]
    """
    _, position = np.unique(labels, return_inverse=True)
    return np.square(X - cluster_means(X, labels)[position]).sum(axis=0)
