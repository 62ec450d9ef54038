"""The cloud of weighted points that travels through a fit."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pywbms._core.components import components
from pywbms._core.fold import fold
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement, entropy_weights
from pywbms._threads import worth


class Cloud:
    """Weighted points, where their rows came from, and which row travels in which point.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The data in working coordinates, equal rows next to each other.
    merge : bool
        Fold equal rows into weighted points now, and points that have met when asked to.
    n_threads : int
        Largest number of threads of the core; no result depends on it.

    Attributes
    ----------
    points : ndarray of shape (g, p)
        Where the points are.
    mass : ndarray of shape (g,)
        How many rows each point stands for.
    member : ndarray of shape (n,)
        The point in which each row travels. Points are numbered by their first row.
    """

    def __init__(self, rows, merge, n_threads):
        self._merge = merge
        self._most_threads = n_threads
        self._origin = self.points = self._before = rows
        self._within = np.zeros(rows.shape[1])
        self.mass = np.ones(len(rows))
        self.member = np.arange(len(rows))
        if merge:
            first_of_its_kind = np.ones(len(rows), dtype=bool)
            first_of_its_kind[1:] = (rows[1:] != rows[:-1]).any(axis=1)
            self._fold_into(np.cumsum(first_of_its_kind) - 1)
            self.points = self._origin

    def restart(self):
        """Return a cloud that sets out from where this one is."""
        copy = object.__new__(Cloud)
        copy.__dict__.update(self.__dict__)
        copy._within = self._within.copy()
        return copy

    def shift(self, weights, h, exclude_self):
        """Move every point to the kernel-weighted mean of the others; return how far each went."""
        before = self.points
        # Two buffers take turns; the place the rows set out from is not one of them.
        after = np.empty_like(before) if self._before is self._origin else self._before
        self._nearest = np.empty(len(before), dtype=np.intp)
        shift(before, self.mass, weights, h, exclude_self, self._n_threads, after, self._nearest)
        self.points, self._before = after, before
        lengths = np.empty(len(after))
        moves(before, after, self._n_threads, lengths)
        return lengths

    def weigh(self, lam, lam_scale):
        """Return the feature weights w_l ∝ exp(−D_l / lam) of how far the rows were carried."""
        D = np.empty(self.points.shape[1])
        displacement(self._origin, self.points, self.mass, self._within, self._n_threads, D)
        if lam_scale == "mean":
            D /= len(self.member)
        weights = np.empty_like(D)
        entropy_weights(D, lam, weights)
        return weights

    @property
    def _n_threads(self):
        g, p = self.points.shape
        return worth(self._most_threads, float(g) * g * p)

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        return diameter(self.points, self._n_threads)

    def groups(self, radius, linked=()):
        """Return the group of each point: points closer than radius, and linked pairs, are one."""
        labels = np.empty(len(self.points), dtype=np.intp)
        k = components(self.points, radius, labels)
        if linked:
            i, j = labels[np.asarray(linked)].T
            labels = connected_components(coo_matrix((np.ones(len(i)), (i, j)), (k, k)))[1][labels]
        return labels

    def swapping_pairs(self, eps):
        """Return the pairs of single rows that changed places in the last step.

        They are nearest to each other, at least eps apart, and each is now where the other was,
        to a tenth of their distance: room for the drift of such a pair towards the rest.
        """
        i = np.flatnonzero(self._nearest > np.arange(len(self._nearest)))
        i = i[self._nearest[self._nearest[i]] == i]
        j = self._nearest[i]
        old, new = self._before, self.points
        apart = np.linalg.norm(old[i] - old[j], axis=1)
        missed = np.maximum(
            np.linalg.norm(new[i] - old[j], axis=1), np.linalg.norm(new[j] - old[i], axis=1)
        )
        swapped = (missed <= 0.1 * apart) & (apart >= eps)
        return list(zip(i[swapped].tolist(), j[swapped].tolist(), strict=True))

    def put_together(self, pairs):
        """Put each pair at its midpoint."""
        for i, j in pairs:
            self.points[i] = self.points[j] = (self.points[i] + self.points[j]) / 2

    def fold(self, radius):
        """Fold points closer than radius into one, if points are to be merged at all."""
        if self._merge:
            self._fold_into(self.groups(radius))

    def _fold_into(self, labels):
        k = labels.max() + 1
        if k == len(self.points):
            return
        p = self.points.shape[1]
        points, origin, mass = np.empty((k, p)), np.empty((k, p)), np.empty(k)
        fold(labels, self.points, self._origin, self.mass, points, origin, mass, self._within)
        self.points, self._origin, self.mass = points, origin, mass
        self._before = np.empty_like(points)
        self.member = labels[self.member]
