"""Gaussian clusters shared by the tests of the k-means peers."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

SQUARE = 12.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])

LINE = 15.0 * np.array([[0], [1], [2], [3]])


# As far from each other as from their mean, on z-scores.
THREE_PLAIN = np.array([[0, 0, 0, 0], [9, 9, 9, 9], [9, -9, 9, -9]])


def blobs(seed, centers=SQUARE, size=25, spread=1.0):
    """Return Gaussian clusters with shuffled rows, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(centers)), size))
    return np.asarray(centers)[truth] + spread * rng.normal(
        size=(len(truth), len(centers[0]))
    ), truth


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0
