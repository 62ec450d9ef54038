"""Weighted points that are kept on workers: what the two layouts have in common."""

import copy
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from pywbms._engine.points import WeightedPoints


@dataclass(frozen=True)
class StepSummary:
    """What the client knows of points on workers: a few numbers per point, no coordinates.

    Attributes
    ----------
    merges : ndarray or None
        The point that each one is merged into before the next step; None if that is not worth it.
    partitions : dict
        Groups of the points by radius.
    D : ndarray of shape (p,)
        Squared displacement of all rows along each feature.
    moves : ndarray or None
        How far each point went in the last step.
    swapped : list of (int, int)
        Single rows that swapped places in it.
    diameter : float or None
        None if it is found in parts.
    """

    merges: np.ndarray | None
    partitions: dict
    D: np.ndarray
    moves: np.ndarray | None
    swapped: list
    diameter: float | None


class RemotePoints(WeightedPoints):
    """`WeightedPoints` on workers; the client sees one `StepSummary` per step.

    Parameters
    ----------
    pool : WorkerPool
    settings : Settings
    mass, member
        See `WeightedPoints`.
    n_features : int
    """

    layout = ""

    def __init__(self, pool, settings, mass, member, n_features):
        super().__init__(settings, mass, member)
        self._pool = pool
        self._n_features = n_features
        self._merges = []
        self._known = None  # the summary, if it is up to date

    @property
    def shape(self):
        """Number of points and of features."""
        return len(self.mass), self._n_features

    @property
    def points(self):
        """The points, brought here."""
        return np.concatenate(list(self.slices(max(1, self.shape[0]))))

    @property
    def summary(self):
        """What is known of the points where they are now."""
        if self._known is None:
            self._known = self.summarize()
        return self._known

    @abstractmethod
    def summarize(self):
        """Ask the workers for a `StepSummary`."""

    @abstractmethod
    def slices(self, rows):
        """Yield the points, so many rows at a time."""

    @abstractmethod
    def futures(self):
        """Return futures of the points, blocks of features side by side."""

    @abstractmethod
    def to_local(self):
        """Return the points as `LocalPoints`."""

    def copy(self):
        """Return points that start where these are."""
        other = copy.copy(self)
        other._merges = list(self._merges)
        return other

    def merge(self, radius):
        """Merge points closer than radius; bring them here if few are left.

        The radius is that of the settings, which the workers know.
        """
        if self.summary.merges is not None:
            self.merge_into(self.summary.merges)
        g, p = self.shape
        return self.to_local() if float(g) * g * p < self._pool.worth_sending else self

    def merge_into(self, labels):
        """Merge the points that share a label."""
        self._merges.append(labels)
        self.mass = np.bincount(labels, weights=self.mass)
        self.member = labels[self.member]

    def displacement(self):
        """Return D_l on the sum scale: Σ over rows of (x_il − y_il)²."""
        return self.summary.D

    def components(self, radius):
        """Return the connected component of each point at distance < radius."""
        return self.summary.partitions[radius]

    def diameter(self):
        """Return the largest Euclidean distance between two points."""
        return self.summary.diameter

    def swapped_pairs(self):
        """Return the pairs of single rows that swapped places in the last step."""
        return self.summary.swapped

    def save(self):
        """Return a dict that, with the coordinates of the points, `restore` takes."""
        return {
            "mass": self.mass,
            "member": self.member,
            "merges": self._merges,
            "steps": self._steps,
        }

    def restore(self, saved, points, rows):
        """Return what was saved, set up anew from these points, its start.

        Parameters
        ----------
        saved : dict
        points : ndarray
            The coordinates; may be on disk.
        rows : int
            Number of rows to send at a time.
        """
        done = len(self._merges)  # those of the start
        merges, g = saved["merges"], len(self.mass)
        sound = len(merges) >= done and all(map(np.array_equal, merges, self._merges))
        following = [len(labels) for labels in merges[done:]]
        if not sound or g != [*following, len(saved["mass"])][0]:
            raise ValueError("resume: the merges of the checkpoint are not those of these data")
        other = self.copy()
        other.mass, other.member = saved["mass"], saved["member"]
        other._merges, other._steps = list(saved["merges"]), saved["steps"]
        other._known = None
        return other
