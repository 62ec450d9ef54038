"""Labels, memberships and outlier scores of a fitted clusterer, for its own rows and new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pywbms._data.masses import masses_of_rows
from pywbms._engine.cluster_cloud import chosen_method, cloud_of_clusters
from pywbms._engine.cluster_density import ClusterDensity
from pywbms._engine.follower import Follower
from pywbms._engine.nearest import fitted_rows, nearest_rows
from pywbms._engine.outlier_score import LEVEL, Tails, far_outside, warn_if_far, without_outliers
from pywbms._machine.threads import number_of_threads


class SoftClusteringMixin:
    """What a clusterer with rows, labels, weights and h can tell of single rows."""

    # Of the clusterer:
    outliers: str
    n_clusters: int | None
    n_jobs: int | None
    h_: float
    n_clusters_: int
    labels_: np.ndarray
    outliers_: np.ndarray
    feature_weights_: np.ndarray
    cluster_centers_: np.ndarray
    sample_weight_: np.ndarray | None
    landmarks_: Any = None
    _landmark_mass: np.ndarray | None = None
    _cloud: Any = None
    _X: np.ndarray
    _standardizer: Any
    _matrix: Any
    # The cluster of each row, outliers included, if these are labelled; what was computed before.
    _assigned: np.ndarray | None = None
    _derived: dict[str, np.ndarray]

    @property
    def membership_(self) -> np.ndarray:
        """Memberships of the rows of the fit, each left out of its own; see `predict_proba`.

        They are computed when asked for, in the time of one iteration.
        """
        return self._cluster_density().membership()

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the memberships of rows in the clusters.

        The membership of a row x in cluster k is the share of that cluster's rows in the kernel
        density at x, p_k ∝ Σ_{j in k} exp(−‖x − x_j‖²_w / h), with the h and the weights of the
        fit. The largest one need not be that of the label which `predict` gives: that is the
        nearest row's.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)

        Returns
        -------
        ndarray of shape (m, k); each row sums to 1

        Examples
        --------
        >>> from pywbms import WBMS
        >>> X = [[0.0], [0.2], [0.4], [0.8], [1.0], [1.2]]
        >>> model = WBMS(h=0.2, lam=1, init="uniform").fit(X)
        >>> model.predict_proba([[0.1], [0.6]]).round(2).tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        """
        check_is_fitted(self)
        return self.predict_proba_matrix(self._matrix(X, reset=False))

    def predict_proba_matrix(self, X: np.ndarray) -> np.ndarray:
        """Return the memberships of a checked float64 matrix; see `predict_proba`."""
        return self._cluster_density().membership(X)

    @property
    def outlier_score_(self) -> np.ndarray:
        """Outlier scores of the rows of the fit, each left out; see `outlier_score`."""
        check_is_fitted(self)
        return self._tails().score(self._log_density(), self._cluster_of_row)

    def outlier_score(self, X: Any) -> np.ndarray:
        """Return how far out rows are in the distribution of their cluster, 0 to 1.

        With s = −log of the kernel density at a row, and m and q the median and the 90 % quantile
        of s over the rows of its cluster (each left out of its own density), the score is
        1 − ½ exp(−(s − m) / b) for s ≥ m and ½ exp((s − m) / b) below, b = (q − m) / log 5. So
        1 − score is the share of the cluster's rows that can be expected farther out. Of clusters
        with fewer than 10 rows, m and q are those of all rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)

        Returns
        -------
        ndarray of shape (m,); with ``outliers="label"``, rows above 0.999 get the label −1

        Examples
        --------
        >>> from pywbms import WBMS
        >>> X = [[0.0], [0.2], [0.4], [0.8], [1.0], [1.2]]
        >>> model = WBMS(h=0.2, lam=1, init="uniform").fit(X)
        >>> model.outlier_score([[0.2], [100.0]]).round(2).tolist()
        [0.0, 1.0]
        """
        check_is_fitted(self)
        return self.outlier_score_matrix(self._matrix(X, reset=False))

    def outlier_score_matrix(self, X: np.ndarray) -> np.ndarray:
        """Return the outlier scores of a checked float64 matrix; see `outlier_score`."""
        return self._score_near(X, self._nearest(X))

    @property
    def row_confidence_(self) -> np.ndarray:
        """The largest membership of each row of the fit."""
        check_is_fitted(self)
        return self._once("confidence", self._row_confidence).copy()

    def predict(self, X: Any, method: str | None = None) -> np.ndarray:
        """Return the labels of rows.

        A row of the fit gets its own label. With ``outliers="label"``, rows whose `outlier_score`
        is above 0.999 get −1.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)
        method : {"nearest", "follow"}, optional
            "nearest": the label of the nearest row of the fit in the learned weighted distance.
            "follow": the row moves as the points of the fit did, from iteration to iteration to
            the kernel-weighted mean of these points, and gets the label of the mode it reaches.
            By default "nearest", and "follow" if the fit had landmarks, as this is how its other
            rows got their labels. Rows of weight 0, or that are no landmarks, count for neither.

        Examples
        --------
        >>> from pywbms import WBMS
        >>> X = [[0.0], [0.2], [0.4], [0.8], [1.0], [1.2]]
        >>> model = WBMS(h=0.2, lam=1, init="uniform").fit(X)
        >>> model.predict([[0.1], [1.1]], method="follow").tolist()
        [0, 1]
        """
        check_is_fitted(self)
        return self.predict_matrix(self._matrix(X, reset=False), method=method)

    def predict_matrix(
        self, X: np.ndarray, stacklevel: int = 3, method: str | None = None
    ) -> np.ndarray:
        """Return the labels of a checked float64 matrix; see `predict`."""
        method = chosen_method(method, self.landmarks_ is not None)
        rows, places = self._fitted_rows()
        near = self._nearest_of(rows, X)
        if self.outliers != "label":
            far = far_outside(X, rows, self.feature_weights_, self._standardizer, near)
            warn_if_far(far, stacklevel + 1)
            return self.labels_[places[near]] if method == "nearest" else self._follow(X)
        near = places[near]
        inside = self._cluster_of_row[near] if method == "nearest" else self._follow(X)
        marked = self._standardizer.outliers(X, self.feature_weights_)
        outlying = (self._score_near(X, near) > LEVEL) | marked | (inside >= self.n_clusters_)
        is_row = (X == self._X[near]).all(axis=1)  # a row of the fit keeps its label
        return np.where(is_row, self.labels_[near], np.where(outlying, -1, inside))

    def _label_outliers(self):
        """Give outliers the label −1; see `without_outliers`.

        Rows of weight 0 are labelled like new ones. If the number of clusters is given, clusters
        of which nothing would be left stay as they are.
        """
        weights = self.sample_weight_
        counts = np.ones(len(self.labels_), dtype=bool) if weights is None else weights > 0
        outlying = (self.outlier_score_ > LEVEL) | self.outliers_
        if self.n_clusters is not None:
            left = np.bincount(self.labels_[counts & ~outlying], minlength=self.n_clusters_)
            outlying &= left[self.labels_] > 0
        labels, self.cluster_centers_, self._assigned = without_outliers(
            self.labels_, self.cluster_centers_, outlying | ~counts, weights
        )
        self.labels_, self.n_clusters_ = labels.copy(), len(self.cluster_centers_)
        if not counts.all():
            self.labels_[~counts] = self.predict_matrix(self._X[~counts], method="nearest")

    def _follow(self, X):
        """Return the cluster of the mode that each row reaches, outliers included."""
        require_rows_here(self._X)
        cloud = self._once("cloud", lambda: cloud_of_clusters(self))
        return Follower(cloud, number_of_threads(self.n_jobs)).groups(X)[0]

    @property
    def _cluster_of_row(self):
        """The cluster of each row, outliers included."""
        return self.labels_ if self._assigned is None else self._assigned

    def _nearest(self, X):
        rows, places = self._fitted_rows()
        return places[self._nearest_of(rows, X)]

    def _nearest_of(self, rows, X):
        n_threads = number_of_threads(self.n_jobs)
        return nearest_rows(X, rows, self.feature_weights_, self._standardizer, n_threads)

    def _fitted_rows(self):
        """Return the rows that count, and their places among all."""
        counts = self.sample_weight_ if self._landmark_mass is None else self._landmark_mass
        return fitted_rows(self._X, np.arange(len(self._X)), counts)

    def _score_near(self, X, near):
        log_density = self._cluster_density(by_cluster=False).log_density(X)
        return self._tails().score(log_density, self._cluster_of_row[near])

    def _row_confidence(self):
        blocks = self._cluster_density().membership_blocks()
        return np.concatenate([block.max(axis=1) for block in blocks])

    def _log_density(self):
        density = self._cluster_density(by_cluster=False)
        return self._once("log_density", density.log_density)

    def _tails(self):
        clusters = self._cluster_of_row
        return Tails.of(self._log_density(), clusters, self._mass(clusters))

    def _cluster_density(self, by_cluster=True):
        """Return the kernel sums of the clusters, or of all rows together."""
        check_is_fitted(self)
        require_rows_here(self._X)
        labels = self.labels_ if by_cluster else np.zeros_like(self.labels_)
        return ClusterDensity(
            self._X, labels, self.feature_weights_, self._standardizer, self.h_,
            self._mass(self._cluster_of_row), self.n_jobs,
        )  # fmt: skip

    def _mass(self, clusters):
        """Return how many rows each one counts for: outliers for none, unless all are outliers.

        If landmarks were fitted, the rows that followed them count for none.
        """
        mass = self._landmark_mass
        if mass is None:
            mass = masses_of_rows(self.sample_weight_)
        return mass_without(self.outliers_, clusters, mass)

    def _once(self, name, compute):
        """Return a result that is computed at most once per fit."""
        if name not in self._derived:
            self._derived[name] = compute()
        return self._derived[name]


def mass_without(outliers, clusters, mass=None):
    """Return the masses of rows, 0 for outliers of clusters that have other rows.

    Examples
    --------
    >>> mass_without(np.array([True, False, True]), np.array([0, 0, 1])).tolist()
    [0.0, 1.0, 1.0]
    """
    mass = np.ones(len(clusters)) if mass is None else np.asarray(mass, dtype=np.float64)
    others = np.bincount(clusters, mass * ~outliers)
    return np.where(outliers & (others[clusters] > 0), 0.0, mass)


def require_rows_here(X):
    """Raise a ValueError if the rows of a fit are on a Dask cluster."""
    if not isinstance(X, np.ndarray):
        raise ValueError(
            "memberships and outlier scores need the rows in this process, and those of a Dask "
            "collection are on workers: fit data.compute() instead"
        )


def require_labelling(engine, settings):
    """Raise a ValueError if outliers are to be labelled among rows that are on a Dask cluster."""
    if settings.outliers == "label" and not engine.rows_are_here:
        raise ValueError(
            "outliers='label' needs the rows in this process, and those of a Dask collection are "
            "on workers: fit data.compute() instead, or use outliers='keep'"
        )
