"""Weighted points in the memory of this process."""

import copy
from typing import NamedTuple

import numpy as np

from pywbms._core.components import SortedProjection, components
from pywbms._core.merge import merge_points
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement
from pywbms._data.ordering import weighted_means
from pywbms._engine.gram_step import GramStep
from pywbms._engine.points import WeightedPoints, swapped_pairs, worth_merging
from pywbms._engine.tile_order import compact_order
from pywbms._machine.threads import worth


class Step(NamedTuple):
    """Buffers that one step writes."""

    points: np.ndarray  # (g, p) where the points go
    nearest: np.ndarray  # (g,) a single row's nearest other point, else −1
    moves: np.ndarray  # (g,) how far each point goes


class LocalPoints(WeightedPoints):
    """Weighted points, where their rows started, and which row belongs to which point.

    Parameters
    ----------
    settings : Settings
        No result depends on its number of threads.
    points : ndarray of shape (g, p)
        Where the points are, in working coordinates.
    origin : ndarray of shape (g, p)
        Mean of the rows, at the start, that each point stands for.
    within : ndarray of shape (p,)
        Σ over rows of (row − origin of its point)².
    mass, member
        See `WeightedPoints`.
    left : ndarray of shape (g,), optional
        How much of its own mass a row of each point leaves out of its mean, with `exclude_self`:
        one row, or all of it if it is lighter than that. The mean over the point's rows; one by
        default.
    """

    # Whether arrays may be overwritten once they are there: not if others hold them, too.
    _in_place = True

    def __init__(self, settings, points, origin, within, mass, member, left=None):
        super().__init__(settings, mass, member)
        self.points = points
        self.origin = origin
        self.within = within
        self.left = left
        self._most_threads = settings.n_threads
        self._before = self._nearest = None
        self._gram_step = self._projection = self._displacement = None
        self._order = self._plain_order = None

    @classmethod
    def at_start(cls, rows, settings, leader=None, mass=None):
        """Return the points at the start: one per row, equal rows merged.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            The data in working coordinates, equal rows next to each other.
        settings : Settings
        leader : ndarray of shape (n,), optional
            The row that each one follows; by default itself. Rows that follow others have no mass.
        mass : ndarray of shape (n,), optional
            How many rows each one stands for; one by default.
        """
        counted, member = followers(leader, len(rows))
        rows = rows if leader is None else rows[counted]
        mass = np.ones(len(rows)) if mass is None else mass[counted]
        left = np.minimum(mass, 1.0) if mass.min(initial=1.0) < 1 else None
        start = cls(settings, rows, rows, np.zeros(rows.shape[1]), mass, member, left)
        if settings.merge:
            start.merge_into(group_equal((rows[1:] != rows[:-1]).any(axis=1)))
            start.points = start.origin
        return start

    @property
    def shape(self):
        """Number of points and of features."""
        return self.points.shape

    def copy(self):
        """Return points that start where these are; arrays are shared until they change."""
        other = copy.copy(self)
        other.within = self.within.copy()
        return other

    def merge(self, radius):
        """Merge points closer than radius, if the settings ask for merging at all."""
        if self.settings.merge:
            self.merge_into(self.components(radius))
        return self

    def merge_into(self, labels):
        """Merge the points that share a label, if that is worth it."""
        k = labels.max() + 1
        if not worth_merging(self.shape, k):
            return
        # The points are merged in place, unless they are where the rows started.
        apart = self.points is self.origin or not self._in_place
        points = np.empty((k, self.shape[1])) if apart else self.points
        self._before = None
        if self.left is not None:
            self.left = weighted_means(self.left[:, None], self.mass, labels)[:, 0]
        origin, mass = np.empty((k, self.shape[1])), np.empty(k)
        merge_points(labels, self.points, self.origin, self.mass, points, origin, mass, self.within)
        self.points, self.origin, self.mass = points[:k], origin, mass
        self._projection = self._displacement = None
        self.member = labels[self.member]

    def shift(self, weights):
        """Step 1: move every point to its kernel-weighted mean; return the lengths of the moves."""
        before, g = self.points, len(self.points)
        # Two buffers take turns; the array where the rows started is not one of them.
        spare = self._before is not None and self._before is not self.origin
        step = Step(
            points=self._before[:g] if spare else np.empty_like(before),
            nearest=np.empty(g, dtype=np.intp),
            moves=np.empty(g),
        )
        if GramStep.suits(self.shape):
            if self._gram_step is None or self._gram_step.n_points != g:
                self._gram_step = GramStep(g)
            self._displacement = self._gram_step.take(self, weights, step)
        else:
            self._displacement = None
            shift(
                before, self.mass, weights, self.settings.h, self.settings.exclude_self,
                self.n_threads, step.points, step.nearest, self._tile_order(weights),
                left=self.left,
            )  # fmt: skip
            moves(before, step.points, self.n_threads, step.moves)
        self._before, self.points, self._nearest = before, step.points, step.nearest
        self._projection = None
        self._steps += 1
        return step.moves

    def points_before(self):
        """Return where the points were before the last step."""
        return self._before

    def displacement(self):
        """Return D_l on the sum scale: Σ over rows of (x_il − y_il)²."""
        if self._displacement is not None:
            return self._displacement
        D = np.empty(self.shape[1])
        displacement(self.origin, self.points, self.mass, self.within, self.n_threads, D)
        return D

    def entropy_weights(self):
        """Step 2: return the feature weights w_l ∝ exp(−D_l / lam)."""
        weights = super().entropy_weights()
        # The Gram matrix at hand is that of weights of which none are shared.
        if self._displacement is not None and not self.settings.indicators:
            self._gram_step.expect(self.points, weights)
        return weights

    def components(self, radius):
        """Return the connected component of each point at distance < radius."""
        labels = np.empty(len(self.points), dtype=np.intp)
        if self._projection is None:
            self._projection = SortedProjection(self.points)
        components(self.points, radius, labels, self._projection)
        return labels

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        known = self._plain_order is not None and len(self._plain_order) == len(self.points)
        if not known or self.order_is_due:
            self._plain_order = compact_order(self.points, np.ones(self.shape[1]))
        return diameter(self.points, self.n_threads, self._plain_order)

    def swapped_pairs(self):
        """Return the pairs of single rows that swapped places in the last step."""
        return swapped_pairs(self._before, self.points, self._nearest, self.settings.eps)

    def put_at_midpoint(self, pairs):
        """Put both points of each pair at their midpoint, nearer to the heavier one."""
        if pairs and not self._in_place:
            self.points = self.points.copy()
        for i, j in pairs:
            a, b = self.mass[i], self.mass[j]
            self.points[i] = self.points[j] = (a * self.points[i] + b * self.points[j]) / (a + b)
            self._projection = self._displacement = None

    def means(self, group):
        """Return the mean of the points of each group, weighted by their masses."""
        return weighted_means(self.points, self.mass, group)

    def release(self):
        """Free all memory but that of the points themselves."""
        self._before = self.origin = self._gram_step = self._projection = None

    def save(self):
        """Return a dict from which the points can be restored to the bit."""
        names = ("points", "origin", "within", "mass", "member")
        gram = None if self._displacement is None else self._gram_step.known_for(self.points)
        return {
            **{name: getattr(self, name) for name in names},
            "order": self._order,
            "steps": self._steps,
            "gram": gram,
        }

    @classmethod
    def restore(cls, saved, settings):
        """Return the points that `save` has described."""
        saved = dict(saved)
        order, steps, gram = (saved.pop(name) for name in ("order", "steps", "gram"))
        restored = cls(settings, **saved)
        restored._order, restored._steps = order, steps
        if gram is not None:
            restored._gram_step = GramStep(restored.shape[0], gram, restored.points)
        return restored

    @property
    def alone(self):
        """Which points have nothing but themselves in their own mass, and leave that out."""
        return super().alone if self.left is None else self.mass <= self.left

    @property
    def n_threads(self):
        """Number of threads that pay for the work of one step."""
        g, p = self.shape
        return worth(self._most_threads, float(g) * g * p)

    def _tile_order(self, weights):
        """Return an order of the points that makes tiles compact, renewed now and then."""
        if self.order_is_due or self._order is None or len(self._order) != len(self.points):
            self._order = compact_order(self.points, weights)
        return self._order


def followers(leader, n):
    """Return which of n rows are points of their own, and the point that each row belongs to.

    Examples
    --------
    >>> counted, member = followers(np.array([0, 3, 2, 3]), 4)
    >>> counted.tolist(), member.tolist()
    ([True, False, True, True], [0, 2, 1, 2])
    """
    own = np.arange(n)
    leader = own if leader is None else leader
    return leader == own, (np.cumsum(leader == own) - 1)[leader]


def group_equal(differs):
    """Return the groups of equal rows, given of each row but the first whether it differs.

    Examples
    --------
    >>> group_equal(np.array([False, True, False])).tolist()
    [0, 0, 1, 1]
    """
    return np.concatenate([[0], np.cumsum(differs)]).astype(np.intp)
