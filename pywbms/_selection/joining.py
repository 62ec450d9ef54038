"""Joins the groups of a fit between which the density does not dip."""

from dataclasses import replace

import numpy as np

from pywbms._data.ordering import largest_first, row_order
from pywbms._data.standardize import Standardizer
from pywbms._selection.separation import joined_groups, separations


def join_fit(fitted, rows, labels, standardize):
    """Return a fit whose clusters are its groups, joined where the density does not dip.

    Parameters
    ----------
    fitted : FitResult
    rows : ndarray of shape (m, p)
        All rows, or a sample of them, in the caller's units.
    labels : ndarray of shape (m,)
        Their groups.
    standardize : bool
    """
    k = int(fitted.labels.max()) + 1
    order = row_order(rows)
    standardizer = Standardizer.of(rows[order], standardize)
    present, number = np.unique(labels[order], return_inverse=True)
    if len(present) < 2:
        return fitted
    weights = fitted.weights[standardizer.active]
    found = separations(standardizer.forward(rows[order]), number, weights / weights.sum())
    cluster = np.arange(k) + len(present)  # groups without a row in the sample stay alone
    cluster[present] = joined_groups(len(present), found)
    joined = largest_first(cluster[fitted.labels])
    size = np.bincount(fitted.labels, minlength=k)
    to = np.empty(k, dtype=int)
    to[fitted.labels] = joined
    centers = np.zeros((joined.max() + 1, fitted.centers.shape[1]))
    np.add.at(centers, to, fitted.centers * size[:, None])
    centers /= np.bincount(to, size)[:, None]
    return replace(fitted, labels=joined, centers=centers)
