"""Kernel densities of clusters in the learned distance: memberships, and how far out a row is."""

import numpy as np

from pywbms._core.cluster_sums import cluster_sums
from pywbms._core.tiles import TILE
from pywbms._data.moments import NUMBERS_AT_A_TIME
from pywbms._data.ordering import row_order
from pywbms._machine.threads import number_of_threads, worth

# Working coordinates are kept within this: no sum of squares overflows.
FARTHEST = 1e140


class ClusterDensity:
    """The kernel sums Σ_j m_j exp(−‖x − x_j‖²_w / h) over the rows of each cluster.

    No result depends on the order of the rows or on the number of threads.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In the caller's units.
    labels : ndarray of shape (n,)
        Cluster of each row, 0 … k − 1; rows with −1 do not count.
    weights : ndarray of shape (p,)
        Feature weights of the caller's columns.
    standardizer : Standardizer
        The working coordinates of the rows.
    h : float
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; by default one. Rows of mass 0 do not count.
    n_jobs : int, optional

    Examples
    --------
    >>> from pywbms._data.standardize import Standardizer
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> as_it_is = Standardizer.of(X, False)
    >>> density = ClusterDensity(X, np.array([0, 0, 1, 1]), np.ones(1), as_it_is, h=10.0)
    >>> density.membership().round(2).tolist()
    [[0.89, 0.11], [0.76, 0.24], [0.24, 0.76], [0.11, 0.89]]
    >>> density.membership(np.array([[3.0], [1e9]])).round(2).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """

    def __init__(self, rows, labels, weights, standardizer, h, mass=None, n_jobs=None):
        self.labels = labels
        self.n_clusters = int(labels.max()) + 1
        self._standardizer = standardizer
        weights = standardizer.active_weights(weights)
        self._heavy = weights > 0  # the others cannot tell rows apart
        self._weights = weights[self._heavy] if self._heavy.any() else np.zeros(1)
        self._inv_h = min(1 / h, 1e300)
        self._n_threads = number_of_threads(n_jobs)
        self._points = self._coordinates(rows)
        mass = np.ones(len(rows)) if mass is None else np.asarray(mass, dtype=np.float64)
        order, self._column = side_by_side(rows, labels, mass)
        self._own = np.full(len(rows), -1)
        self._own[order] = first_of_equal(rows[order], labels[order], mass[order])
        self._rows = self._points[order]
        self._mass = mass[order]
        cluster = labels[order]
        # A row that is alone in its cluster is not left out: without it there is no cluster.
        alone = np.bincount(cluster, self._mass, minlength=self.n_clusters)[cluster] <= 1
        self._lonely = order[alone]
        rank = np.argsort(self._column)
        self._cluster = rank[cluster]
        self._all = np.zeros(len(order), dtype=np.intp)

    def membership(self, queries=None):
        """Return the share of each cluster in the kernel sum of each query.

        Parameters
        ----------
        queries : ndarray of shape (m, p), optional
            In the caller's units. By default the rows, each left out of its own sums unless it is
            alone in its cluster.

        Returns
        -------
        ndarray of shape (m, k); each row sums to 1
        """
        return np.concatenate(list(self.membership_blocks(queries)))

    def membership_blocks(self, queries=None):
        """Yield the memberships of some queries at a time; see `membership`."""
        own = self._own
        if queries is None:
            own = self._own.copy()
            own[self._lonely] = -1
        for some, points in self._blocks(queries, self.n_clusters):
            sums, _ = self._sums(points, own[some] if queries is None else None, self._cluster)
            total = sums.sum(axis=1)
            nobody = total == 0  # a single row has no other
            if nobody.any():
                here = np.flatnonzero(nobody)
                label = self.labels[some][here] if queries is None else np.zeros(len(here), int)
                sums[here, np.argsort(self._column)[label]] = total[here] = 1
            sums /= total[:, None]
            shares = np.empty_like(sums)
            shares[:, self._column] = sums
            yield shares

    def log_density(self, queries=None):
        """Return log of the mean of m_j exp(−‖x − x_j‖²_w / h) over all rows, for each query.

        Parameters
        ----------
        queries : ndarray of shape (m, p), optional
            By default the rows, each left out of its own mean.

        Returns
        -------
        ndarray of shape (m,); 0 for a row that has no others
        """
        parts = []
        for some, points in self._blocks(queries, 1):
            own = self._own[some] if queries is None else None
            sums, closest = self._sums(points, own, self._all)
            others = np.full(len(points), self._mass.sum())
            if own is not None:
                inside = own >= 0
                others[inside] -= np.minimum(self._mass[own[inside]], 1)
            found = sums[:, 0] > 0
            value = np.zeros(len(points))
            with np.errstate(over="ignore"):
                away = np.minimum(closest[found] * self._inv_h, 1e300)
            value[found] = np.log(sums[found, 0] / others[found]) - away
            parts.append(value)
        return np.concatenate(parts)

    def _blocks(self, queries, k):
        """Yield slices of the queries and their coordinates, as many as make a block of sums."""
        n = len(self._points) if queries is None else len(queries)
        # At least a tile for each thread, however many clusters or columns there are.
        step = max(TILE * self._n_threads, NUMBERS_AT_A_TIME // max(k, len(self._weights)))
        for start in range(0, n, step):
            some = slice(start, min(start + step, n))
            yield some, self._points[some] if queries is None else self._coordinates(queries[some])

    def _sums(self, points, own, cluster):
        """Return the kernel sums of points, by cluster, and the squared distances they refer to."""
        n_columns = 1 if cluster is self._all else self.n_clusters
        sums, closest = np.empty((len(points), n_columns)), np.empty(len(points))
        own = np.full(len(points), -1) if own is None else np.ascontiguousarray(own)
        n_threads = worth(self._n_threads, len(points) * float(self._rows.size))
        cluster_sums(
            points, own, self._rows, self._mass, cluster, self._weights, self._inv_h, n_threads,
            sums, closest,
        )  # fmt: skip
        return sums, closest

    def _coordinates(self, rows):
        """Return the working coordinates that have weight, or one that is 0 if none has."""
        if not self._heavy.any():
            return np.zeros((len(rows), 1))
        points = self._standardizer.forward(rows)[:, self._heavy]
        return np.ascontiguousarray(np.clip(points, -FARTHEST, FARTHEST))


def side_by_side(rows, labels, mass):
    """Return an order in which the rows of each cluster follow each other, and the clusters' order.

    It depends on the values of the rows alone, not on how the clusters are numbered. Rows that do
    not count are left out.

    Returns
    -------
    order : ndarray of shape (at most n,)
    clusters : ndarray of shape (k,)
        The labels, in the order of their first rows.

    Examples
    --------
    >>> rows, labels = np.array([[3.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> [x.tolist() for x in side_by_side(rows, labels, np.ones(3))]
    [[2, 0, 1], [0, 1]]
    """
    order = row_order(np.column_stack([rows, mass]))
    order = order[(labels[order] >= 0) & (mass[order] > 0)]
    _, first = np.unique(labels[order], return_index=True)
    clusters = labels[order][np.sort(first)]
    missing = np.setdiff1d(np.arange(labels.max() + 1), clusters)  # clusters without any mass
    clusters = np.concatenate([clusters, missing])
    rank = np.argsort(clusters)
    return order[np.argsort(rank[labels[order]], kind="stable")], clusters


def first_of_equal(rows, labels, mass):
    """Return for each row the first of those before it that are equal: which of them is left out.

    So equal rows have equal sums, to the bit.

    Examples
    --------
    >>> first_of_equal(np.array([[1.0], [1.0], [2.0]]), np.zeros(3), np.ones(3)).tolist()
    [0, 0, 2]
    """
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    new[1:] |= (labels[1:] != labels[:-1]) | (mass[1:] != mass[:-1])
    return np.maximum.accumulate(np.where(new, np.arange(len(rows)), 0))
