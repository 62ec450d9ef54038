"""Joins the groups of a fit between which the density does not dip."""

from dataclasses import replace

import numpy as np

from pywbms._data.ordering import largest_first, row_order
from pywbms._data.standardize import Standardizer
from pywbms._machine.threads import one_blas_thread
from pywbms._selection.separation import joined_groups, separations


@one_blas_thread()
def join_fit(fitted, rows, labels, settings, mass=None, n_clusters=None):
    """Return a fit whose clusters are its groups, joined where the density does not dip.

    Parameters
    ----------
    fitted : FitResult
    rows : ndarray of shape (m, p)
        All rows, or a sample of them, in the caller's units.
    labels : ndarray of shape (m,)
        Their groups.
    settings : Settings
    mass : ndarray of shape (n,), optional
        How many rows each row of the fit stands for; one by default.
    n_clusters : int, optional
        Join the groups with the shallowest dips until so many clusters are left.
    """
    k = int(fitted.labels.max()) + 1
    order = row_order(rows)
    standardizer = Standardizer.of(
        rows[order], settings.standardize, indicators=settings.indicators
    )
    present, number = np.unique(labels[order], return_inverse=True)
    if len(present) < 2:
        return fitted
    weights = standardizer.active_weights(fitted.weights)
    found = separations(standardizer.working(rows[order]), number, weights / weights.sum())
    cluster = np.arange(k) + len(present)  # groups without a row in the sample stay alone
    cluster[present] = joined_groups(len(present), found, n_clusters)
    return merge_groups(fitted, largest_first(cluster[fitted.labels], mass), mass)


def merge_groups(fitted, joined, mass=None):
    """Return a fit whose clusters are unions of its groups; their centres are means of modes.

    Parameters
    ----------
    fitted : FitResult
    joined : ndarray of shape (n,)
        Cluster of each row, largest first; rows of a group have the same.
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.
    """
    k = int(fitted.labels.max()) + 1
    size = np.bincount(fitted.labels, mass, minlength=k)
    to = np.empty(k, dtype=int)
    to[fitted.labels] = joined
    centers = np.zeros((joined.max() + 1, fitted.centers.shape[1]))
    np.add.at(centers, to, fitted.centers * size[:, None])
    centers /= np.bincount(to, size)[:, None]
    return replace(fitted, labels=joined, centers=centers)
