"""Clusters in the plane that are told apart by their form: moons, rings, spirals and others.

Each function takes a generator and a number of rows, and returns the rows and their truth. Curves
have no width of their own: `draw_manifold` adds noise of a standard deviation from `MANIFOLDS`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.selection.simulator import shapes

TURN = 2 * np.pi


def on_circle(angle):
    """Return the points of the unit circle at these angles."""
    return np.column_stack([np.cos(angle), np.sin(angle)])


def labels_of_sizes(rng, n, k):
    """Return the labels of k clusters of unequal size."""
    return np.repeat(np.arange(k), shapes.cluster_sizes(rng, n, k))


def moons(rng, n):
    """Draw two interleaved half circles."""
    truth = (np.arange(n) < n * rng.uniform(0.3, 0.7)).astype(int)
    X = on_circle(rng.uniform(0, TURN / 2, n))
    lower = truth == 1
    X[lower] = [1, rng.uniform(0, 0.5)] - X[lower]
    return X, truth


def rings(rng, n):
    """Draw two or three circles with the same centre."""
    truth = labels_of_sizes(rng, n, rng.integers(2, 4))
    return on_circle(rng.uniform(0, TURN, n)) * (truth + 0.3)[:, None], truth


def arcs(rng, n):
    """Draw arcs of several lengths and radii, anywhere in the plane."""
    k = rng.integers(2, 6)
    truth = labels_of_sizes(rng, n, k)
    length, start = rng.uniform(0.2, 0.65, k) * TURN, rng.uniform(0, TURN, k)
    arc = on_circle(rng.uniform(size=n) * length[truth] + start[truth])
    where = shapes.centres(rng, k, 2, rng.uniform(1.6, 3))
    return arc * rng.uniform(0.5, 1.2, k)[truth][:, None] + where[truth], truth


def spirals(rng, n):
    """Draw two or three arms that wind around each other."""
    k = rng.integers(2, 4)
    truth = rng.integers(0, k, n)
    angle = rng.uniform(0.3, 1, n) * rng.uniform(3, 7)
    return on_circle(angle + truth * TURN / k) * angle[:, None] / 3, truth


def bars(rng, n):
    """Draw bars of several lengths above each other, parallel or tilted."""
    k = rng.integers(2, 6)
    truth = rng.integers(0, k, n)
    along = rng.uniform(-1, 1, n) * rng.uniform(0.3, 1.5, k)[truth]
    across = rng.uniform(-0.2, 0.2, n)
    height = rng.uniform(0.7, 1.5)
    tilt = np.zeros(n)
    if rng.random() < 0.5:  # and far enough apart to seldom cross
        tilt, height = rng.uniform(0, TURN / 2, k)[truth], 2 * height
    x, y = on_circle(tilt).T
    return np.column_stack([along * x - across * y, along * y + across * x + truth * height]), truth


def blobs_in_ring(rng, n):
    """Draw one to three blobs inside a ring."""
    inside = n // 2
    k = int(rng.integers(1, 4))
    blobs, truth, _ = shapes.mixture(rng, inside, k, 2, separation=6)
    blobs -= blobs.mean(axis=0)
    radius = np.linalg.norm(blobs, axis=1).max() * rng.uniform(1.1, 1.6)
    ring = on_circle(rng.uniform(0, TURN, n - inside)) * radius
    X = np.vstack([blobs, ring * rng.normal(1, 0.05, size=(n - inside, 1))])
    return X / radius, np.append(truth, np.full(n - inside, k))


def dense_and_wide(rng, n):
    """Draw a dense blob at the edge of a wide one."""
    truth = (np.arange(n) >= n * rng.uniform(0.3, 0.7)).astype(int)
    width = rng.uniform(2, 6)
    X = rng.normal(size=(n, 2)) * np.where(truth, width, 1)[:, None]
    X += np.outer(truth, [1, 0.3]) * width * rng.uniform(1, 2.5)
    return X, truth


def touching(rng, n):
    """Draw squares or diamonds in a row, with a narrow gap or a slight overlap."""
    truth = rng.integers(0, rng.integers(2, 5), n)
    X = rng.uniform(-0.5, 0.5, size=(n, 2))
    if rng.random() < 0.5:
        X = np.column_stack([X.sum(axis=1), X[:, 0] - X[:, 1]]) / 2
    return X + np.outer(truth, [rng.uniform(0.95, 1.25), 0]), truth


class Manifold(NamedTuple):
    """How a form is drawn, and the standard deviations of the noise, one of which is taken."""

    draw: Callable
    thickness: tuple = (0.03, 0.07, 0.12)


MANIFOLDS = {
    "moons": Manifold(moons),
    "rings": Manifold(rings, (0.04, 0.09, 0.16)),
    "arcs": Manifold(arcs),
    "spirals": Manifold(spirals),
    "bars": Manifold(bars),
    "blobs in ring": Manifold(blobs_in_ring, (0.01, 0.03)),
    "dense and wide": Manifold(dense_and_wide, (0.1,)),
    "touching": Manifold(touching, (0.01,)),
}


def draw_manifold(rng, n, form):
    """Draw clusters of a given form; a seventh of the sets lie in a plane in three dimensions."""
    draw, thickness = MANIFOLDS[form]
    X, truth = draw(rng, n)
    width = rng.choice(thickness)
    X = X + width * rng.normal(size=X.shape)
    if rng.random() < 0.15:
        X = np.column_stack([X, width * rng.normal(size=n)])
        X = shapes.product(X, shapes.rotation(rng, 3))
    return X, truth
