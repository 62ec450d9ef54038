"""Few points with many features, as long as hardly any have merged: mixtures of rows."""

import copy

import numpy as np

import pywbms._core.mixtures as mixtures
import pywbms._core.wide as wide
from pywbms._core.components import SortedProjection, components
from pywbms._core.spread import diameter, moves
from pywbms._data.ordering import weighted_means
from pywbms._engine.fixed_rows import FixedRows, blocks, times_triangle
from pywbms._engine.gram_step import LEAST_FEATURES, MOST_POINTS
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.points import LARGE, WeightedPoints, swapped_pairs
from pywbms._machine.threads import worth

# With fewer points, or fewer features than so many per point, `LocalPoints` are faster: a step here
# saves a third of n²·p operations, but needs some five products of n × n matrices. The diameter,
# which takes `LocalPoints` another n²·p, is nearly free here. Measured.
LEAST_POINTS = 8
LEAST_WORK = 1e7  # n²·p: below it, the many small operations here cost more than they save
FEATURES_PER_POINT = 12
FEATURES_PER_POINT_WITH_DIAMETER = 5
# Share of the rows from which on there are so few points that moving them all costs less; and where
# memory is to be spared: then there may be three arrays of so many points beside the rows.
FEW, FEW_OF_LARGE = 0.8, 0.5
# Largest Σ m x² / lam at which rounding does not show in D / lam: see EXPANDABLE in the core.
LARGEST_MOMENT = 1e4
# What is added to an exponent and changes no kernel value.
NEGLIGIBLE = 2.0**-53


class MixturePoints(WeightedPoints):
    """Points y_i = Σ_j A_ij x_j: a step reads the rows x_j and writes n × n matrices only.

    Distances, moves and groups are those of A times the rows' coordinates in their own span.

    Parameters
    ----------
    settings : Settings
    rows : FixedRows
    within : ndarray of shape (p,)
        Σ over the caller's rows of (their value − that of the row they are merged in)².
    mass, member, left
        See `LocalPoints`.
    """

    def __init__(self, settings, rows, within, mass, member, left):
        super().__init__(settings, mass, member)
        n, _ = rows.shape
        self.left = left
        self._rows, self._within = rows, within
        self._shares = np.eye(n)
        self._point_of = np.arange(n)  # the point that each of the rows belongs to
        self._places, self._before = rows.places, None
        self._points = self._displacement = self._projection = self._nearest = None
        self._gram = self._gram_weights = self._work = None
        self._needs_differences = False

    @classmethod
    def start(cls, local, rows=None, diameter=True):
        """Return the points at the start as mixtures if that pays, else as they are.

        Parameters
        ----------
        local : LocalPoints
            The points at the start.
        rows : FixedRows, optional
            What `rows_of` has made of them before.
        diameter : bool, default True
            Whether the diameter of the cloud will be asked for in each iteration.
        """
        rows = cls.rows_of(local, diameter) if rows is None else rows
        if rows is None or not rows.moment <= LARGEST_MOMENT * local.lam_sum:
            return local
        return cls(local.settings, rows, local.within, local.mass, local.member, local.left)

    @staticmethod
    def rows_of(local, diameter=True):
        """Return the `FixedRows` of points at the start, or None if mixtures do not pay or suit."""
        g, p = local.shape
        ratio = FEATURES_PER_POINT_WITH_DIAMETER if diameter else FEATURES_PER_POINT
        if not LEAST_POINTS <= g <= MOST_POINTS or p < max(LEAST_FEATURES, ratio * g):
            return None
        if float(g) * g * p < LEAST_WORK:
            return None
        return FixedRows.of(local.points, local.mass)

    @property
    def shape(self):
        """Number of points and of features."""
        return len(self._shares), len(self._within)

    @property
    def points(self):
        """Where the points are: computed when somebody asks."""
        if self._points is None:
            self._points = self._rows.mixed(self._shares)
        return self._points

    def points_before(self):
        """Return where the points were before the last step."""
        return self._rows.mixed(self._before[0])

    def copy(self):
        """Return points that start where these are."""
        other = copy.copy(self)
        other._gram = other._gram_weights = other._work = None
        return other

    def merge(self, radius):
        """Merge points closer than radius; go on as `LocalPoints` when few are left."""
        if self.settings.merge:
            labels = self.components(radius)
            if labels.max() + 1 < len(labels):
                self._merge_into(labels)
        n, p = self._rows.shape
        few = FEW if 8 * n * p <= LARGE else FEW_OF_LARGE
        if self._needs_differences or len(self._shares) < few * n:
            local = self._as_local()
            self._rows = None  # from here on nobody needs these points
            return local
        return self

    def _merge_into(self, labels):
        if self.left is not None:
            self.left = weighted_means(self.left[:, None], self.mass, labels)[:, 0]
        self._shares = weighted_means(self._shares, self.mass, labels)
        self.mass = np.bincount(labels, self.mass)
        self._point_of, self.member = labels[self._point_of], labels[self.member]
        self._before = None
        self._moved()

    def _moved(self):
        """Forget what was known of where the points were."""
        self._places = self._rows.places_of(self._shares)
        self._points = self._projection = self._displacement = None

    def _as_local(self):
        """Return these points as `LocalPoints`."""
        rows, points = self._rows, self.points
        n, _ = rows.shape
        sizes = np.zeros((len(points), n))
        sizes[self._point_of, np.arange(n)] = rows.mass / self.mass[self._point_of]
        origin, within = rows.mixed(sizes), self._within.copy()
        for features, some in blocks(rows.values):
            away = some - origin[self._point_of, features].T
            within[features] += away**2 @ rows.mass
        local = LocalPoints(
            self.settings, points, origin, within, self.mass, self.member, self.left
        )
        local._steps = self._steps
        return local

    def shift(self, weights):
        """Step 1: move every point to its kernel-weighted mean; return the lengths of the moves."""
        g, settings = len(self._shares), self.settings
        kernel, nearest, lengths = np.empty((g, g)), np.empty(g, dtype=np.intp), np.empty(g)
        gram = self._gram_of(weights)
        exact = not wide.expandable(gram, settings.h)
        if exact:
            self._needs_differences = True
            products = wide.square(g)
            wide.gram(self.points, weights, True, self.n_threads, wide.workspace(g), products)
        else:
            # A G Aᵀ = A T Aᵀ + (A T Aᵀ)ᵀ for the lower triangle T of G with half of its diagonal.
            lower = np.tril(gram[:, : len(gram)])
            lower[range(len(gram)), range(len(gram))] /= 2
            products = times_triangle(self._shares, lower) @ self._shares.T
            products += products.T.copy()
        wide.kernel(
            products, exact, self.mass, settings.h, settings.exclude_self, self.n_threads,
            kernel, nearest, self.left,
        )  # fmt: skip
        self._before, self._nearest = (self._shares, self._places), nearest
        self._shares = kernel @ self._shares
        self._moved()
        self._steps += 1
        moves(self._before[1], self._places, 1, lengths)
        return lengths

    def _gram_of(self, weights):
        """Return the weighted Gram matrix of the rows; only its lower triangle counts."""
        if self._gram is None or not np.array_equal(self._gram_weights, weights):
            return self._rows.gram(weights)
        return self._gram

    def displacement(self):
        """Return D_l on the sum scale: Σ over rows of (x_il − y_il)²."""
        if self._displacement is None:
            rows = self._rows
            n, p = rows.shape
            if self._work is None:
                self._work, self._gram = mixtures.workspace(n), wide.square(n)
            away = -self._shares[self._point_of]
            away[range(n), range(n)] += 1
            away *= np.sqrt(rows.mass)[:, None]
            with np.errstate(divide="ignore"):  # a feature without a spread is of no weight
                slight = NEGLIGIBLE / p * self.settings.h / rows.spread
            D = np.empty(p)
            mixtures.summarize(
                rows.columns, mixtures.triangle(away.T @ away), self._within, slight,
                self.lam_sum, self.n_threads, self._work, D, self._gram,
            )  # fmt: skip
            self._displacement, self._gram_weights = D, None
        return self._displacement

    def entropy_weights(self):
        """Step 2: return the feature weights w_l ∝ exp(−D_l / lam)."""
        weights = super().entropy_weights()
        # The Gram matrix at hand is that of weights of which none are shared.
        if not self.settings.indicators:
            self._gram_weights = weights
        return weights

    def components(self, radius):
        """Return the connected component of each point at distance < radius."""
        labels = np.empty(len(self._shares), dtype=np.intp)
        if self._projection is None:
            self._projection = SortedProjection(self._places)
        components(self._places, radius, labels, self._projection)
        return labels

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        return diameter(self._places, 1)

    def swapped_pairs(self):
        """Return the pairs of single rows that swapped places in the last step."""
        return swapped_pairs(self._before[1], self._places, self._nearest, self.settings.eps)

    def put_at_midpoint(self, pairs):
        """Put both points of each pair at their midpoint, nearer to the heavier one."""
        if not pairs:
            return
        shares = self._shares.copy()
        for i, j in pairs:
            a, b = self.mass[i], self.mass[j]
            shares[i] = shares[j] = (a * shares[i] + b * shares[j]) / (a + b)
        self._shares = shares
        self._moved()

    def means(self, group):
        """Return the mean of the points of each group, weighted by their masses."""
        return weighted_means(self.points, self.mass, group)

    def release(self):
        """Free all memory but that of the points themselves."""
        self._points = self.points  # instead of the rows
        self._rows = self._work = self._gram = self._before = self._projection = None

    def save(self):
        """Return a dict from which the points can be restored to the bit."""
        n, _ = self._rows.shape
        known = self._gram_weights is not None
        return {
            "rows": np.ascontiguousarray(self._rows.values.T),
            "row_mass": self._rows.mass,
            "within": self._within,
            "shares": self._shares,
            "point_of": self._point_of,
            "mass": self.mass,
            "member": self.member,
            "steps": self._steps,
            "needs_differences": self._needs_differences,
            "gram": np.tril(self._gram[:, :n]) if known else None,
            "gram_weights": self._gram_weights,
        }

    @classmethod
    def restore(cls, saved, settings):
        """Return the points that `save` has described, of these or of `LocalPoints`.

        Raises
        ------
        ValueError
            If there can be no such points.
        """
        if "shares" not in saved:
            return LocalPoints.restore(saved, settings)
        rows = FixedRows.of(saved["rows"], saved["row_mass"])
        if rows is None:
            raise ValueError("the saved rows are not in general position")
        points = cls(settings, rows, saved["within"], saved["mass"], saved["member"], None)
        points._shares, points._point_of = saved["shares"], saved["point_of"]
        points._steps, points._needs_differences = saved["steps"], saved["needs_differences"]
        points._moved()
        if saved["gram"] is not None:
            n, _ = rows.shape
            points._work, points._gram = mixtures.workspace(n), wide.square(n)
            points._gram[:, :n], points._gram_weights = saved["gram"], saved["gram_weights"]
        return points

    @property
    def alone(self):
        """Which points have nothing but themselves in their own mass, and leave that out."""
        return super().alone if self.left is None else self.mass <= self.left

    @property
    def n_threads(self):
        """Number of threads that pay for the work of one step."""
        n, p = self._rows.shape
        return worth(self.settings.n_threads, float(n) * n * p)
