"""Which columns set a cluster apart: effect sizes, spreads, overlaps and shares of the distance."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pywbms._core.weights import entropy_weights
from pywbms._data.moments import NUMBERS_AT_A_TIME
from pywbms._data.ordering import row_order

# Clusters may have no spread at all along a column: at least this share of its own is assumed.
LEAST_SPREAD = 1e-3
# The central part of a cluster lies between these quantiles.
CENTRAL = (0.05, 0.95)


class ClusterFeatures:
    """Means and spreads of clusters along each column, in working coordinates.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows, in the caller's units.
    labels : ndarray of shape (n,)
        Cluster of each row; rows with −1 do not count.
    weights : ndarray of shape (p,)
    standardizer : Standardizer
    mass : ndarray of shape (n,)
        How many rows each one stands for.

    Examples
    --------
    >>> from pywbms._data.standardize import Standardizer
    >>> X = np.array([[0.0, 1.0], [1.0, 2.0], [8.0, 2.0], [9.0, 1.0]])
    >>> standardizer = Standardizer.of(X, True)
    >>> labels = np.array([0, 0, 1, 1])
    >>> found = ClusterFeatures(X, labels, np.array([0.8, 0.2]), standardizer, np.ones(4))
    >>> found.describe(0, ["a", "b"])[["mean", "others", "effect", "share"]].round(2)
            mean  others  effect  share
    column
    a        0.5     8.5  -11.31    1.0
    b        1.5     1.5    0.00    0.0
    """

    def __init__(self, X, labels, weights, standardizer, mass):
        order = row_order(X, mass)
        order = order[(labels[order] >= 0) & (mass[order] > 0)]
        order = order[np.argsort(labels[order], kind="stable")]  # a cluster's rows side by side
        self._points = standardizer.forward(X[order])
        self._labels, self._mass = labels[order], mass[order]
        self._standardizer = standardizer
        self._weights = standardizer.active_weights(weights)
        self._all_weights = weights
        self.n_clusters = int(labels.max()) + 1
        self._size = np.bincount(self._labels, self._mass, minlength=self.n_clusters)
        self._first = np.searchsorted(self._labels, np.arange(self.n_clusters))
        self._mean = self._per_cluster(self._points)
        self._variance = self._per_cluster((self._points - self._mean[self._labels]) ** 2)
        total = self._size.sum()
        freedom = max(total - self.n_clusters, 1)
        center = self._size @ self._mean / total
        self._within = np.sqrt(self._size @ self._variance / freedom)
        self._spread = np.sqrt(self._size @ (self._variance + (self._mean - center) ** 2) / total)
        self._within = np.maximum(self._within, np.maximum(LEAST_SPREAD * self._spread, 1e-300))

    def describe(self, cluster, columns, number=None):
        """Return the columns that set a cluster apart from the other rows; see `WBMSResult`.

        Only the first `number` of them if that is given.
        """
        self._require_several()
        others = np.arange(self.n_clusters) != cluster
        means = self._mean[[cluster]], self._mean_of(others)[None]
        table = {
            "mean": self._in_units(means[0]),
            "others": self._in_units(means[1]),
            "effect": self._signed((means[0] - means[1])[0] / self._within),
            "spread": self._full(self._relative_spread(cluster)),
            "overlap": None,
            "share": self._full(self._shares(self._separation(cluster))),
        }
        order = self._order(table)[:number]
        table["overlap"] = self._full(self._overlap(cluster, others, self._active(order)), 1.0)
        return self._sorted(table, columns, order)

    def contrast(self, a, b, columns):
        """Return the columns that tell two clusters apart; see `WBMSResult`."""
        only_a, only_b = (np.arange(self.n_clusters) == one for one in (a, b))
        difference = self._mean[a] - self._mean[b]
        overlap = (self._overlap(a, only_b) + self._overlap(b, only_a)) / 2
        table = {
            f"mean_{a}": self._in_units(self._mean[[a]]),
            f"mean_{b}": self._in_units(self._mean[[b]]),
            "effect": self._signed(difference / self._within),
            f"spread_{a}": self._full(self._relative_spread(a)),
            f"spread_{b}": self._full(self._relative_spread(b)),
            "overlap": self._full(overlap, 1.0),
            "share": self._full(self._shares(difference**2)),
        }
        return self._sorted(table, columns)

    def profile(self):
        """Return the means of the clusters in standard deviations, and the order of the columns.

        Columns come first along which the clusters, each with its number of rows, are set apart
        most.

        Returns
        -------
        profile : ndarray of shape (k, p)
        order : ndarray of shape (p,)
        """
        spread = np.where(self._spread > 0, self._spread, 1.0)
        center = self._size @ self._mean / self._size.sum()
        profile = self._signed((self._mean - center) / spread)
        importance = np.zeros(len(self._weights))
        if self.n_clusters > 1:
            for cluster, size in enumerate(self._size):
                importance += size * self._shares(self._separation(cluster))
        return profile, np.lexsort((-self._all_weights, -self._full(importance)))

    def means(self):
        """Return the means of the clusters in the caller's units, far values replaced; k × p."""
        return self._standardizer.backward(self._mean)

    def top(self, number, columns):
        """Return the columns with the largest shares of each cluster, one after the other."""
        tables = []
        for cluster in range(self.n_clusters if self.n_clusters > 1 else 0):
            table = self.describe(cluster, columns, number)
            tables.append(table.reset_index().assign(cluster=cluster))
        names = ["cluster", "column", "mean", "others", "effect", "spread", "overlap", "share"]
        return (
            pd.concat(tables, ignore_index=True)[names] if tables else pd.DataFrame(columns=names)
        )

    def _per_cluster(self, values):
        """Return the means of values over the rows of each cluster."""
        sums = np.add.reduceat(values * self._mass[:, None], self._first, axis=0)
        return sums / self._size[:, None]

    def _mean_of(self, clusters):
        return self._size[clusters] @ self._mean[clusters] / self._size[clusters].sum()

    def _relative_spread(self, cluster):
        spread = np.where(self._spread > 0, self._spread, 1.0)
        return np.sqrt(self._variance[cluster]) / spread

    def _separation(self, cluster):
        """Return the mean squared distance of the other rows from a cluster, less its own."""
        others = np.arange(self.n_clusters) != cluster
        away = self._variance[others] + (self._mean[others] - self._mean[cluster]) ** 2
        away = self._size[others] @ away / self._size[others].sum()
        return np.maximum(away - self._variance[cluster], 0)

    def _shares(self, squares):
        """Return what each column contributes to a weighted squared distance."""
        squares = self._weights * squares
        total = squares.sum()
        return squares / total if total > 0 else np.zeros_like(squares)

    def _overlap(self, cluster, others, features=None):
        """Return the share of rows of others that lie in the central part of a cluster.

        Along some features, by default all; NaN for the rest.
        """
        inside, outside = (
            np.flatnonzero(self._labels == cluster),
            np.flatnonzero(others[self._labels]),
        )
        mass = self._mass[outside]
        overlap = np.full(self._points.shape[1], np.nan)
        features = np.arange(len(overlap)) if features is None else features
        step = max(1, NUMBERS_AT_A_TIME // len(self._points))
        for start in range(0, len(features), step):
            some = features[start : start + step]
            low, high = central_part(self._points[np.ix_(inside, some)], self._mass[inside])
            rows = self._points[np.ix_(outside, some)]
            overlap[some] = mass @ ((rows >= low) & (rows <= high)) / mass.sum()
        return overlap

    def _in_units(self, mean):
        return self._standardizer.backward(mean)[0]

    def _signed(self, values):
        """Return values that change their sign with the column, for all columns."""
        return self._standardizer.all_columns(values)

    def _full(self, values, otherwise=0.0):
        """Return values for all columns: those of repeated ones are equal."""
        standardizer = self._standardizer
        full = np.full(standardizer.n_columns, otherwise)
        full[standardizer.active] = values
        return full[standardizer.first]

    def _active(self, columns):
        """Return the features that some columns stand for; constant columns for none."""
        standardizer = self._standardizer
        first = standardizer.first[columns]
        place = np.cumsum(standardizer.active) - 1
        return np.unique(place[first[standardizer.active[first]]])

    def _order(self, table):
        """Return the columns, those with the largest share first."""
        return np.lexsort((-np.abs(table["effect"]), -table["share"]))

    def _sorted(self, table, columns, order=None):
        """Return a table with one row per column, those with the largest share first."""
        order = self._order(table) if order is None else order
        frame = pd.DataFrame({**table, "weight": self._all_weights}).iloc[order]
        names = pd.Index(columns, tupleize_cols=False)[order]
        frame.index = names.rename("column") if names.nlevels == 1 else names
        return frame

    def _require_several(self):
        if self.n_clusters == 1:
            raise ValueError("all rows are one cluster: there are no others to compare it with")


def central_part(rows, mass):
    """Return the 5 % and 95 % quantiles of columns.

    Examples
    --------
    >>> low, high = central_part(np.arange(100.0)[:, None], np.ones(100))
    >>> low.tolist(), high.tolist()
    ([4.0], [94.0])
    """
    order = np.argsort(rows, axis=0, kind="stable")
    cumulated = np.cumsum(mass[order], axis=0)
    ends = []
    for share in CENTRAL:
        below = cumulated < share * cumulated[-1] * (1 - 1e-12)
        place = np.minimum(below.sum(axis=0), len(rows) - 1)
        ends.append(rows[order[place, np.arange(rows.shape[1])], np.arange(rows.shape[1])])
    return ends


def cluster_weights(X, modes, labels, standardizer, lam, mass):
    """Return the weights that each cluster would give the columns: w_l ∝ exp(−D_l / lam).

    D_l is the mean over the rows of the cluster of their squared displacement along column l. The
    mean of D_l over all rows gives the weights of the fit.

    Parameters
    ----------
    X, modes : ndarray of shape (n, p)
        The rows and where they ended, in the caller's units.
    labels : ndarray of shape (n,)
        Cluster of each row; rows with −1 do not count.
    standardizer : Standardizer
    lam : float
        On the mean scale.
    mass : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (k, p); each row sums to 1
    """
    order = row_order(X, mass)
    moved = standardizer.working(X[order])
    moved -= standardizer.forward(modes[order])
    np.square(moved, out=moved)
    counts = np.where(labels >= 0, mass, 0.0)[order]
    weights = np.empty((int(labels.max()) + 1, standardizer.n_columns))
    for cluster in range(len(weights)):
        inside = (labels[order] == cluster) & (counts > 0)
        D = counts[inside] @ moved[inside] / counts[inside].sum()
        own = np.empty(len(D))
        if len(D):
            entropy_weights(D, lam, own)
            weights[cluster] = standardizer.all_weights(own)
        else:  # no column varies: as in the fit, all have the same weight
            weights[cluster] = 1 / standardizer.n_columns
    return weights
