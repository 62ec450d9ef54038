"""The cloud of weighted points that travels through a fit."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pywbms._core.components import SortedProjection, components
from pywbms._core.merge import merge_points
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement, entropy_weights
from pywbms._engine.gram_step import Wide
from pywbms._engine.tile_order import compact_order
from pywbms._machine.threads import worth

# Bytes of points above which memory is spared even where that costs a little time.
LARGE = 16_000_000


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

    # Whether arrays may be written to once they are there: not if others hold them, too.
    _in_place = True

    def __init__(self, rows, merge, n_threads):
        self._merge = merge
        self._most_threads = n_threads
        self._origin = self.points = rows
        self._within = np.zeros(rows.shape[1])
        self.mass = np.ones(len(rows))
        self.member = np.arange(len(rows))
        if merge:
            first_of_its_kind = np.ones(len(rows), dtype=bool)
            first_of_its_kind[1:] = (rows[1:] != rows[:-1]).any(axis=1)
            self._fold_into(np.cumsum(first_of_its_kind) - 1)
            self.points = self._origin
        self._before = self._wide = self._line = self._displacement = None
        self._order = self._plain_order = None
        self._steps = 0

    @property
    def shape(self):
        """Number of points and of features."""
        return self.points.shape

    def restart(self):
        """Return a cloud that sets out from where this one is."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._within = self._within.copy()
        return copy

    def shift(self, weights, h, exclude_self, lam, lam_scale):
        """Move every point to the kernel-weighted mean of the others; return how far each went."""
        before = self.points
        # Two buffers take turns; the place the rows set out from is not one of them.
        spare = self._before is not None and self._before is not self._origin
        after = self._before[: len(before)] if spare else np.empty_like(before)
        lengths = np.empty(len(before))
        self._nearest = np.empty(len(before), dtype=np.intp)
        if Wide.suits(before):
            if self._wide is None or self._wide.n_points != len(before):
                self._wide = Wide(len(before))
            self._displacement = self._wide.step(
                before, self._origin, self.mass, self._within, weights, h, exclude_self,
                self._on_sum_scale(lam, lam_scale), self._n_threads, after, self._nearest, lengths,
            )  # fmt: skip
        else:
            self._displacement = None
            shift(
                before, self.mass, weights, h, exclude_self, self._n_threads, after,
                self._nearest, self._tile_order(weights),
            )  # fmt: skip
            moves(before, after, self._n_threads, lengths)
        self.points, self._before, self._line = after, before, None
        self._steps += 1
        return lengths

    def _tile_order(self, weights):
        """Return an order of the points that makes tiles compact, made anew now and then.

        Clusters stay together on their way, so an order stays good; but it is the weights that
        tell clusters apart, and they change most in the first steps.
        """
        if self._due or len(self._order) != len(self.points):
            self._order = compact_order(self.points, weights)
        return self._order

    @property
    def _due(self):
        return self._steps & (self._steps - 1) == 0  # after 0, 1, 2, 4, 8, … steps

    def weigh(self, lam, lam_scale):
        """Return the feature weights w_l ∝ exp(−D_l / lam) of how far the rows were carried."""
        D = self._displacement
        if D is None:
            D = np.empty(self.points.shape[1])
            displacement(self._origin, self.points, self.mass, self._within, self._n_threads, D)
        weights = np.empty_like(D)
        entropy_weights(D, self._on_sum_scale(lam, lam_scale), weights)
        if self._displacement is not None:
            self._wide.expect(self.points, weights)
        return weights

    def _on_sum_scale(self, lam, lam_scale):
        return lam * len(self.member) if lam_scale == "mean" else lam

    @property
    def _n_threads(self):
        g, p = self.points.shape
        return worth(self._most_threads, float(g) * g * p)

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        if self._plain_order is None or len(self._plain_order) != len(self.points) or self._due:
            even = np.ones(self.points.shape[1])
            self._plain_order = compact_order(self.points, even)
        return diameter(self.points, self._n_threads, self._plain_order)

    def groups(self, radius, linked=()):
        """Return the group of each point: points closer than radius, and linked pairs, are one."""
        labels = np.empty(len(self.points), dtype=np.intp)
        if self._line is None:
            self._line = SortedProjection(self.points)
        k = components(self.points, radius, labels, self._line)
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
        pairs = list(pairs)
        if pairs and not self._in_place:
            self.points = self.points.copy()
        for i, j in pairs:
            self.points[i] = self.points[j] = (self.points[i] + self.points[j]) / 2
            self._line = self._displacement = None

    def fold(self, radius):
        """Fold points closer than radius into one, if points are to be merged at all."""
        if self._merge:
            self._fold_into(self.groups(radius))

    def release(self):
        """Give back all memory but that of the points themselves."""
        self._before = self._origin = self._wide = self._line = None

    def _fold_into(self, labels):
        k = labels.max() + 1
        if not worth_folding(self.shape, k):
            return
        # The points themselves are folded in place, unless they are where the rows set out from.
        apart = self.points is self._origin or not self._in_place
        points = np.empty((k, self.points.shape[1])) if apart else self.points
        self._before = None
        origin, mass = np.empty((k, self.points.shape[1])), np.empty(k)
        merge_points(
            labels, self.points, self._origin, self.mass, points, origin, mass, self._within
        )
        self.points, self._origin, self.mass = points[:k], origin, mass
        self._line = self._displacement = None
        self.member = labels[self.member]


def worth_folding(shape, k):
    """Tell whether a cloud of that shape should be folded into k points.

    A large one waits until there is room for what is folded beside what it came from.
    """
    g, p = shape
    return k < g and (8 * g * p <= LARGE or 2 * k <= g)
