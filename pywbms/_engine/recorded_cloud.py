"""The path of the points of a fit, kept so that other rows can follow it."""

from dataclasses import dataclass, replace

import numpy as np

from pywbms._data.ordering import weighted_means
from pywbms._data.row_keys import halves_of, joined_keys, row_keys
from pywbms._data.standardize import Standardizer

# Points closer than this share of √h, in the distance of the iteration, are kept as one. That they
# are replaced by their mean changes what others see by about the square of it.
MERGED_SHARE = 1e-3


@dataclass(frozen=True)
class RecordedCloud:
    """Where the points of a fit were before each of its iterations, and at its end.

    With T iterations there are T + 1 entries in each list. Points that had nearly met are one.

    Attributes
    ----------
    standardizer : Standardizer
        The working coordinates of the points.
    h : float
    points : list of ndarray of shape (g_t, p)
    mass : list of ndarray of shape (g_t,)
        How many rows each point stands for.
    first : list of ndarray of shape (g_t,)
        One row of each point, as the caller counts them.
    weights : list of ndarray of shape (p,)
        Feature weights with which the points move on.
    groups : ndarray of shape (m,)
        Where each row of the fit ended: its group.
    key_halves : ndarray of shape (m, 2)
        By which these rows are known, see `row_keys`.
    """

    standardizer: Standardizer
    h: float
    points: list
    mass: list
    first: list
    weights: list
    groups: np.ndarray
    key_halves: np.ndarray

    @property
    def n_iter(self):
        """Number of iterations."""
        return len(self.points) - 1

    @property
    def keys(self):
        """The keys of the rows of the fit."""
        return joined_keys(self.key_halves)

    @property
    def total_mass(self):
        """How many rows the cloud stands for."""
        return float(self.mass[0].sum())

    def group_of_points(self, t):
        """Return the group of each point of an entry."""
        return self.groups[self.first[t]]


class CloudRecorder:
    """Records the points of a fit while it runs.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The caller's row that each row of the fit is.
    standardizer : Standardizer
    h : float
    """

    def __init__(self, order, standardizer, h):
        self._order = order
        self._cloud = RecordedCloud(standardizer, h, [], [], [], [], None, None)

    def begin(self, state):
        """Start anew: a phase begins."""
        for entries in (self._cloud.points, self._cloud.mass, self._cloud.first):
            entries.clear()
        self._cloud.weights.clear()
        self.record(state)

    def record(self, state):
        """Note where the points are, and the weights with which they move on."""
        points, cloud = state.points, self._cloud
        first_row = np.unique(points.member, return_index=True)[1]
        cells = cells_of(points.points, state.weights, cloud.h)
        _, first = np.unique(cells, return_index=True)
        cloud.points.append(weighted_means(points.points, points.mass, cells))
        cloud.mass.append(np.bincount(cells, points.mass))
        cloud.first.append(self._order[first_row[first]])
        cloud.weights.append(state.weights.copy())

    def amend(self, state):
        """Replace what was noted last."""
        cloud = self._cloud
        for entries in (cloud.points, cloud.mass, cloud.first, cloud.weights):
            entries.pop()
        self.record(state)

    def cloud(self, groups, rows):
        """Return the recorded cloud.

        Parameters
        ----------
        groups : ndarray of shape (n,)
            Group of each of the caller's rows.
        rows : ndarray of shape (n, p)
            These rows.
        """
        return replace(self._cloud, groups=groups, key_halves=halves_of(row_keys(rows)))


def cells_of(points, weights, h):
    """Return a number for each point, equal for those in one small cell of a grid.

    Examples
    --------
    >>> points = np.array([[0.1], [0.5], [0.10001]])
    >>> cells_of(points, np.ones(1), h=1.0).tolist()
    [0, 1, 0]
    """
    if not points.shape[1]:
        return np.zeros(len(points), dtype=np.intp)
    side = MERGED_SHARE / np.sqrt(points.shape[1])
    with np.errstate(over="ignore"):
        scale = np.minimum(np.sqrt(weights * min(1 / h, 1e300)) / side, 1e150)
        corners = np.rint(points * scale) + 0.0  # −0.0 becomes 0.0: equal numbers are equal bytes
    _, first, number = np.unique(row_keys(corners), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)  # cells are numbered by their first point
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]
