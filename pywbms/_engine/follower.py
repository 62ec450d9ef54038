"""Rows that were not in a fit follow its recorded cloud: WBMS's own map at a new point.

    y ← Σ_j m_j K(y, y_j^(t)) y_j^(t) / Σ_j m_j K(y, y_j^(t))        for t = 0, 1, …

with the points y_j^(t), masses and weights of iteration t. A row belongs to the group whose mode it
reaches.
"""

import numpy as np

from pywbms._core.follow import follow
from pywbms._core.nearest import nearest
from pywbms._data.row_keys import row_keys
from pywbms._engine.tile_order import compact_order
from pywbms._machine.threads import one_blas_thread, worth

# A row whose kernel sum is that of points of one group, but for this share, belongs to it: what it
# moves to lies among these points, and so does where they take it.
DECIDED = 1e-6

# Numbers of a block of rows that follow together.
NUMBERS_PER_BLOCK = 2**21
LEAST_BLOCK = 1024

# Working coordinates are kept within this: no sum of squares overflows.
FARTHEST = 1e140


class Follower:
    """Takes rows along a recorded cloud. No result depends on the number of threads.

    Parameters
    ----------
    cloud : RecordedCloud
    n_threads : int
    decided : float
        See `DECIDED`; 0 takes every row to the end.
    """

    def __init__(self, cloud, n_threads=1, decided=DECIDED):
        self.cloud = cloud
        self._n_threads = n_threads
        self._decided = decided
        self._keys = cloud.keys
        self._order_of_keys = np.argsort(self._keys, kind="stable")
        self._keys = self._keys[self._order_of_keys]
        self._entries = {}

    def groups(self, rows):
        """Return the group of each row, and the log of its kernel sum at the start.

        Rows that were in the fit have the group that they have there.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
            Finite float64 numbers, in the caller's units.
        """
        groups, log_sums = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        step = max(LEAST_BLOCK, NUMBERS_PER_BLOCK // max(1, rows.shape[1]))
        with one_blas_thread():
            for start in range(0, len(rows), step):
                some = slice(start, start + step)
                groups[some], log_sums[some] = self._follow(self.start(rows[some]))
                known, place = self._known(rows[some])
                groups[some][known] = self.cloud.groups[place]
        return groups, log_sums

    def start(self, rows):
        """Return where rows start, in working coordinates: no value is far.

        Far values are replaced by those of the nearest point along the other columns; an outlier
        starts where its nearest point does.
        """
        standardizer, there = self.cloud.standardizer, self.cloud.points[0]
        points = np.clip(standardizer.forward(rows), -FARTHEST, FARTHEST)
        some = np.flatnonzero(standardizer.far_cells(rows))
        if not some.size or not points.shape[1]:
            return points
        outliers = standardizer.outliers(rows[some])
        replaced = standardizer.replaced(rows[some], outliers)
        patterns, which = np.unique(
            np.column_stack([replaced, outliers]), axis=0, return_inverse=True
        )
        for number, pattern in enumerate(patterns):
            here = some[which.ravel() == number]
            far, outlying = pattern[:-1], pattern[-1]
            along = np.flatnonzero(~far | outlying)
            winner = np.zeros(len(here), dtype=np.intp)
            if along.size:
                own, others = (np.ascontiguousarray(x[:, along]) for x in (points[here], there))
                every = np.arange(len(along))
                nearest(own, others, np.ones(len(along)), every, self._n_threads, winner)
            points[np.ix_(here, far)] = there[winner][:, far]
        return points

    def _follow(self, points):
        """Take rows in working coordinates to their groups; return also their first log sums."""
        cloud, n = self.cloud, len(points)
        groups, log_sums = np.zeros(n, dtype=np.intp), np.full(n, np.log(cloud.total_mass))
        if not points.shape[1]:
            return groups, log_sums
        waiting = np.arange(n)
        for t in range(cloud.n_iter):
            points, sums, group = self._step(points, t)
            if t == 0:
                log_sums = sums
            found = group >= 0
            groups[waiting[found]] = group[found]
            waiting, points = waiting[~found], np.ascontiguousarray(points[~found])
            if not waiting.size:
                return groups, log_sums
        if not cloud.n_iter:
            log_sums = self._step(points, 0)[1]
        groups[waiting] = self._nearest_at_end(points)
        return groups, log_sums

    def _step(self, rows, t):
        """Return where rows go in an iteration, their log sums, and the groups that are decided."""
        entry, order, numbers = self._entry(t)
        p, weights = rows.shape[1], self.cloud.weights[t]
        means, log_sums = np.empty((len(rows), p + 2)), np.empty(len(rows))
        follow(
            rows, entry, self.cloud.mass[t], weights, self.cloud.h,
            worth(self._n_threads, len(rows) * float(entry.size)), compact_order(rows, weights),
            order, means, log_sums,
        )  # fmt: skip
        # The mean of a number and of its square: if the points are of one group, the variance is 0.
        mean = means[:, p]
        variance = means[:, p + 1] - mean**2
        group = np.where(variance < self._decided, np.rint(mean).astype(np.intp), -1)
        return means[:, :p], log_sums, np.where(group >= 0, numbers[group], -1)

    def _entry(self, t):
        """Return the points of an iteration beside numbers of their groups, and their order."""
        if t not in self._entries:
            points = self.cloud.points[t]
            present, number = np.unique(self.cloud.group_of_points(t), return_inverse=True)
            entry = np.column_stack([points, number, number.astype(float) ** 2])
            order = compact_order(points, self.cloud.weights[t])
            self._entries[t] = entry, order, present
        return self._entries[t]

    def _nearest_at_end(self, points):
        """Return the group of the point that is nearest at the end."""
        cloud, winner = self.cloud, np.empty(len(points), dtype=np.intp)
        weights = cloud.weights[-1]
        by_weight = np.argsort(-weights, kind="stable")
        n_threads = worth(self._n_threads, len(points) * float(cloud.points[-1].size))
        nearest(points, cloud.points[-1], weights, by_weight, n_threads, winner)
        return cloud.group_of_points(cloud.n_iter)[winner]

    def _known(self, rows):
        """Tell which rows were in the fit, and of these which rows of it they are."""
        keys, order = row_keys(rows), self._order_of_keys
        place = np.searchsorted(self._keys, keys).clip(max=len(order) - 1)
        known = self._keys[place] == keys
        return known, order[place[known]]
