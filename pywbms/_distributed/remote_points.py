"""A cloud whose points are elsewhere: what its two layouts have in common."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pywbms._core.weights import entropy_weights


@dataclass(frozen=True)
class Look:
    """What the client knows of a cloud: a few numbers a point, none of its coordinates.

    Attributes
    ----------
    folds : ndarray or None
        The point into which each one is folded before the next step; None if that is not worth it.
    partitions : dict
        Groups of the points by radius.
    D : ndarray of shape (p,)
        Squared displacement of all rows along each feature.
    lengths : ndarray or None
        How far each point went in the last step.
    swapping : list of (int, int)
        Single rows that changed places in it.
    diameter : float or None
        None if it is found in parts.
    """

    folds: np.ndarray | None
    partitions: dict
    D: np.ndarray
    lengths: np.ndarray | None
    swapping: list
    diameter: float | None


class RemoteCloud:
    """The methods of `Cloud` for points that live on workers, from one `Look` an iteration.

    Parameters
    ----------
    pool : WorkerPool
    member, mass, p
        Of the cloud at the start; see `Cloud`.
    eps, folded : float
        Distances below which points have met, and travel on as one.
    """

    def __init__(self, pool, member, mass, p, eps, folded):
        self._pool = pool
        self.member = member
        self.mass = mass
        self._p = p
        self._eps = eps
        self._folded = folded
        self._look = self._look_future = None
        self._folds = []
        self._steps = 0

    @property
    def shape(self):
        """Number of points and of features."""
        return len(self.mass), self._p

    @property
    def points(self):
        """The points, brought here."""
        return np.concatenate(list(self.slices(max(1, self.shape[0]))))

    def restart(self):
        """Return a cloud that sets out from where this one is."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._folds = list(self._folds)
        return copy

    @property
    def _due(self):
        return self._steps & (self._steps - 1) == 0  # as in Cloud

    def _look_again(self):
        """Look at the cloud where it is now."""
        self._look_future, across = self._submit_look()
        self._look, *across = self._pool.results([self._look_future, *across])
        self._diameter = max(across) if across else self._look.diameter
        return self._look

    @property
    def look(self):
        """What is known of the cloud where it is now."""
        return self._look_again() if self._look is None else self._look

    def weigh(self, lam, lam_scale):
        """Return the feature weights w_l ∝ exp(−D_l / lam) of how far the rows were carried."""
        weights = np.empty(self._p)
        entropy_weights(self.look.D, self._on_sum_scale(lam, lam_scale), weights)
        return weights

    def _on_sum_scale(self, lam, lam_scale):
        return lam * len(self.member) if lam_scale == "mean" else lam

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        return self._diameter if self.look else 0.0

    def groups(self, radius, linked=()):
        """Return the group of each point: points closer than radius, and linked pairs, are one."""
        labels = self.look.partitions[radius]
        if linked:
            k = labels.max() + 1
            i, j = labels[np.asarray(linked)].T
            labels = connected_components(coo_matrix((np.ones(len(i)), (i, j)), (k, k)))[1][labels]
        return labels

    def swapping_pairs(self, eps):
        """Return the pairs of single rows that changed places in the last step."""
        return self.look.swapping

    def fold(self, radius):
        """Fold points closer than radius into one; the workers do so when they next move them."""
        labels = self.look.folds
        if labels is not None:
            self._folds.append(labels)
            self.mass = np.bincount(labels, weights=self.mass)
            self.member = labels[self.member]

    def release(self):
        """Give back what the fit no longer needs."""

    def kept(self):
        """Return what of this proxy is kept beside the points."""
        names = ("layout", "member", "mass")
        return {
            **{name: getattr(self, name) for name in names},
            "folds": self._folds,
            "steps": self._steps,
        }

    def replay(self, kept, points, rows):
        """Return a copy of this cloud, the start, with what was kept of a later one.

        Parameters
        ----------
        kept : dict
        points : ndarray
            May be on disk.
        rows : int
            How many of them are sent at a time.
        """
        copy = self.restart()
        copy.member, copy.mass = kept["member"], kept["mass"]
        copy._folds, copy._steps = list(kept["folds"]), kept["steps"]
        copy._look = copy._look_future = None
        return copy


class TravellingCloud:
    """A cloud that is on the workers as long as that is worth it, and then comes home.

    Parameters
    ----------
    inner : RemoteCloud or Cloud
    worth_sending : float
        Multiply-adds of a step below which it is done here.
    """

    def __init__(self, inner, worth_sending):
        self._inner = inner
        self._worth_sending = worth_sending

    def __getattr__(self, name):
        if name.startswith("__") or "_inner" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._inner, name)

    @property
    def inner(self):
        """The cloud itself, wherever it is."""
        return self._inner

    def restart(self):
        """Return a cloud that sets out from where this one is."""
        return TravellingCloud(self._inner.restart(), self._worth_sending)

    def fold(self, radius):
        """Fold points closer than radius into one; come home if few are left."""
        self._inner.fold(radius)
        g, p = self._inner.shape
        if isinstance(self._inner, RemoteCloud) and float(g) * g * p < self._worth_sending:
            self._inner = self._inner.bring()
