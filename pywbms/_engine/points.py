"""Weighted points: what the loop asks of them, wherever they are kept, and the rules they share."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pywbms._core.weights import entropy_weights
from pywbms._data.levels import shared_displacement

# Two rows have swapped places if each is now where the other was, to this share of their
# distance: room for the drift of such a pair towards the other points.
SWAP_TOLERANCE = 0.1

# Bytes of points above which memory is spared even where that costs a little time.
LARGE = 16_000_000


class WeightedPoints(ABC):
    """Points y_i that stand for m_i rows each: the cloud that Algorithm 1 moves.

    The loop knows its points by these methods only. `LocalPoints` keeps them in this process;
    `pywbms._distributed` keeps them on workers.

    Parameters
    ----------
    settings : Settings
    mass : ndarray of shape (g,)
    member : ndarray of shape (n,)

    Attributes
    ----------
    mass : ndarray of shape (g,)
        Number of rows that each point stands for; not a whole one if rows have weights.
    member : ndarray of shape (n,)
        The point that each row belongs to; points are numbered by their first row. Rows that only
        follow others (outliers) have no share in its mass.
    """

    def __init__(self, settings, mass, member):
        self.settings = settings
        self.mass = mass
        self.member = member
        self._steps = 0

    @property
    @abstractmethod
    def shape(self):
        """Number of points and of features."""

    @abstractmethod
    def copy(self):
        """Return points that start where these are."""

    @abstractmethod
    def merge(self, radius):
        """Merge points closer than radius, if the settings ask for merging at all.

        Return the points to go on with: few points may be worth keeping elsewhere.
        """

    @abstractmethod
    def shift(self, weights):
        """Step 1: move every point to its kernel-weighted mean; return the lengths of the moves."""

    @abstractmethod
    def points_before(self):
        """Return where the points were before the last step; only asked for if a tree is grown."""

    @abstractmethod
    def displacement(self):
        """Return D_l on the sum scale: Σ over rows of (x_il − y_il)²."""

    @abstractmethod
    def components(self, radius):
        """Return the connected component of each point at distance < radius."""

    @abstractmethod
    def diameter(self):
        """Return the largest Euclidean distance between two points."""

    @abstractmethod
    def swapped_pairs(self):
        """Return the pairs of single rows that swapped places in the last step."""

    @abstractmethod
    def put_at_midpoint(self, pairs):
        """Put both points of each pair at their midpoint."""

    @abstractmethod
    def means(self, group):
        """Return the mean of the points of each group, weighted by their masses."""

    def release(self):  # noqa: B027 (points on workers keep nothing here)
        """Free the memory that only further steps need."""

    @abstractmethod
    def save(self):
        """Return a dict from which the points can be restored to the bit."""

    def entropy_weights(self):
        """Step 2: return the feature weights w_l ∝ exp(−D_l / lam).

        The indicators of a category share one D_l, their sum.
        """
        D = shared_displacement(self.displacement(), self.settings.indicators)
        weights = np.empty_like(D)
        entropy_weights(D, self.lam_sum, weights)
        return weights

    def groups(self, radius, linked=()):
        """Return the group of each point: points closer than radius, and linked pairs, are one."""
        labels = self.components(radius)
        if not linked:
            return labels
        k = labels.max() + 1
        i, j = labels[np.asarray(linked)].T
        return connected_components(coo_matrix((np.ones(len(i)), (i, j)), (k, k)))[1][labels]

    @property
    def lam_sum(self):
        """The entropy parameter on the sum scale."""
        return self.settings.lam_sum(float(self.mass.sum()))

    @property
    def alone(self):
        """Which points stand for a single row."""
        return self.mass == 1

    @property
    def order_is_due(self):
        """Whether it is time to order the points anew: after 0, 1, 2, 4, 8, … steps.

        Clusters stay together as they move, so an order stays good; but it is the weights that
        tell clusters apart, and they change most in the first steps.
        """
        return self._steps & (self._steps - 1) == 0


def mutual_nearest(nearest):
    """Return the pairs of points that are each other's nearest, one pair per row.

    Examples
    --------
    >>> mutual_nearest(np.array([1, 0, -1, 4, 3])).tolist()
    [[0, 1], [3, 4]]
    """
    i = np.flatnonzero(nearest > np.arange(len(nearest)))
    i = i[nearest[nearest[i]] == i]
    return np.stack([i, nearest[i]], axis=1)


def have_swapped(apart, missed, eps):
    """Tell of pairs whether they have swapped places.

    Parameters
    ----------
    apart : ndarray
        Distance of the two before the step.
    missed : ndarray
        Larger distance of one's new place from the other's old one.
    eps : float
        Points closer than this have met: they do not swap.
    """
    return (missed <= SWAP_TOLERANCE * apart) & (apart >= eps)


def swapped_pairs(old, new, nearest, eps):
    """Return the pairs of points that swapped places in a step: nearest to each other before it.

    Parameters
    ----------
    old, new : ndarray of shape (g, p)
        Where the points were, and are.
    nearest : ndarray of shape (g,)
        A single row's nearest other point, else −1.
    eps : float
        See `have_swapped`.

    Examples
    --------
    >>> old = np.array([[0.0], [1.0], [9.0]])
    >>> swapped_pairs(old, old[[1, 0, 2]], np.array([1, 0, 1]), eps=0.1)
    [(0, 1)]
    """
    i, j = mutual_nearest(nearest).T
    apart = np.linalg.norm(old[i] - old[j], axis=1)
    missed = np.maximum(
        np.linalg.norm(new[i] - old[j], axis=1), np.linalg.norm(new[j] - old[i], axis=1)
    )
    swapped = have_swapped(apart, missed, eps)
    return list(zip(i[swapped].tolist(), j[swapped].tolist(), strict=True))


def worth_merging(shape, k):
    """Tell whether points of a given shape should be merged into k.

    Large arrays wait until there is room for the merged points beside the others.
    """
    g, p = shape
    return k < g and (8 * g * p <= LARGE or 2 * k <= g)
