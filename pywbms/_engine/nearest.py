"""The nearest training row in the learned distance: how new rows get their labels."""

import numpy as np

from pywbms._core.nearest import nearest
from pywbms._machine.threads import number_of_threads, worth


def nearest_labels(queries, rows, labels, weights, standardizer, n_jobs=None):
    """Return for each query the label of the nearest row in the weighted distance.

    Parameters
    ----------
    queries, rows : ndarray of shape (m, p), (n, p)
        In the caller's units.
    labels : ndarray of shape (n,)
    weights : ndarray of shape (p,)
    standardizer : Standardizer
        The working coordinates of the rows.
    n_jobs : int, optional
    """
    return labels[nearest_rows(queries, rows, weights, standardizer, number_of_threads(n_jobs))]


def fitted_rows(rows, labels, weights):
    """Return the rows, and their labels, that have a positive weight; all without weights."""
    if weights is None or weights.all():
        return rows, labels
    return rows[weights > 0], labels[weights > 0]


def nearest_rows(queries, rows, weights, standardizer, n_threads=1):
    """Return for each query the nearest row in the weighted distance; see `nearest_labels`."""
    winner = np.zeros(len(queries), dtype=np.intp)
    if standardizer.active.any():
        queries, rows = standardizer.forward(queries), standardizer.forward(rows)
        weights = standardizer.active_weights(weights)
        by_weight = np.argsort(-weights, kind="stable")
        n_threads = worth(n_threads, len(queries) * float(rows.size))
        nearest(queries, rows, weights, by_weight, n_threads, winner)
    return winner


def center_distances(queries, centers, weights, standardizer):
    """Return the weighted distance of each query to each centre.

    Parameters
    ----------
    queries, centers : ndarray of shape (m, p), (k, p)
        In the caller's units.
    weights : ndarray of shape (p,)
    standardizer : Standardizer

    Returns
    -------
    ndarray of shape (m, k), in working coordinates
    """
    rows, centers = standardizer.forward(queries), standardizer.forward(np.asarray(centers))
    weights = standardizer.active_weights(weights)
    return np.sqrt(np.stack([((rows - center) ** 2) @ weights for center in centers], axis=1))
