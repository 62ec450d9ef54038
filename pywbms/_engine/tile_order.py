"""An order of points in which those near each other follow each other."""

import numpy as np

from pywbms._core.order import halve
from pywbms._core.tiles import TILE

# Smaller clouds are not worth ordering.
LEAST_POINTS = 8 * TILE

# Features looked at: those along which the weighted spread is largest tell clusters apart.
MOST_FEATURES = 32


def compact_order(points, weights):
    """Return an order of the points whose runs of 128 are compact in the weighted distance.

    Parameters
    ----------
    points : ndarray of shape (g, p)
    weights : ndarray of shape (p,)

    Returns
    -------
    ndarray of shape (g,)

    Examples
    --------
    >>> points = np.random.default_rng(0).permutation(2048)[:, None] * 1.0
    >>> order = compact_order(points, np.ones(1))
    >>> int(np.ptp(points[order[:128]]))
    127
    """
    order = np.arange(len(points))
    if len(points) < LEAST_POINTS:
        return order
    # Without a copy of the points; they are centred, so no digits that matter are lost.
    spread = np.einsum("ij,ij->j", points, points) / len(points) - points.mean(axis=0) ** 2
    spread *= weights
    features = np.sort(np.argsort(-spread, kind="stable")[:MOST_FEATURES])
    scaled = np.ascontiguousarray(points[:, features])
    scaled *= np.sqrt(weights[features])
    halve(scaled, order)
    return order
