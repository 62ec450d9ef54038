"""An order of points in which those near each other follow each other."""

import numpy as np

# Points of a tile of the core; smaller clouds are not worth ordering.
TILE = 128
LEAST_POINTS = 8 * TILE

# Features looked at: those along which the weighted spread is largest tell clusters apart.
MOST_FEATURES = 32


def compact_order(points, weights):
    """Return an order of the points whose runs of 128 are compact in the weighted distance.

    The points are halved along the feature with the largest weighted variance, then each half
    again, until what is left fits a tile.

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
    scaled = points[:, features] * np.sqrt(weights[features])
    parts = [(0, len(points))]
    while parts:
        start, stop = parts.pop()
        if stop - start <= TILE:
            continue
        part = scaled[order[start:stop]]
        along = part[:, part.var(axis=0).argmax()]
        tiles = -(-(stop - start) // TILE)
        half = TILE * (tiles // 2)
        order[start:stop] = order[start:stop][np.argpartition(along, half)]
        parts += [(start, start + half), (start + half, stop)]
    return order
