"""What a result tells of single rows and single clusters: memberships, outliers, features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pywbms._data.checks import require_integer
from pywbms._data.masses import rows_stood_for
from pywbms._engine.nearest import center_distances
from pywbms._engine.soft_clustering import require_rows_here
from pywbms._results.cluster_features import ClusterFeatures, cluster_weights


class ResultDetails:
    """Memberships and outlier scores of rows, and the columns that set clusters apart."""

    # Of the result:
    estimator: Any
    n_clusters: Any
    _index: Any
    _columns: Any
    _kept: Any
    _table: Any

    @property
    def membership(self) -> pd.DataFrame:
        """Memberships of the rows in the clusters, each row left out of its own."""
        return self._memberships(self.estimator.membership_, self._row_index)

    @property
    def row_confidence(self) -> pd.Series:
        """The largest membership of each row."""
        return self._per_row(self.estimator.row_confidence_, "confidence")

    @property
    def cluster_confidence(self) -> pd.Series:
        """The mean over the rows of each cluster of their largest memberships."""
        model = self.estimator
        weights = model.sample_weight_
        weights = np.ones(len(model.labels_)) if weights is None else weights
        labels, inside = model.labels_, model.labels_ >= 0
        sums = np.bincount(labels[inside], (weights * model.row_confidence_)[inside])
        means = sums / np.bincount(labels[inside], weights[inside])
        return pd.Series(means, self._clusters, name="confidence")

    @property
    def outlier_score(self) -> pd.Series:
        """How far out each row is in its cluster, 0 to 1; see `WBMS.outlier_score`."""
        return self._per_row(self.estimator.outlier_score_, "outlier_score")

    def predict_proba(self, data: Any) -> pd.DataFrame:
        """Return the memberships of new rows in the clusters; see `WBMS.predict_proba`.

        Parameters
        ----------
        data : DataFrame or array-like
            Must have the columns that were clustered; others are ignored. Rows with missing
            values are treated as in the fit; those that are omitted have no row in the result.

        Returns
        -------
        DataFrame of rows × clusters; each row sums to 1
        """
        table = self._table(data)
        return self._memberships(
            self.estimator.predict_proba_matrix(table.matrix), table.index[table.kept]
        )

    def outlier_score_of(self, data: Any) -> pd.Series:
        """Return the outlier scores of new rows; see `WBMS.outlier_score`.

        Parameters
        ----------
        data : DataFrame or array-like
            As in `predict_proba`.

        Returns
        -------
        Series
        """
        table = self._table(data)
        scores = self.estimator.outlier_score_matrix(table.matrix)
        return pd.Series(scores, table.index[table.kept], name="outlier_score")

    def transform(self, data: Any) -> pd.DataFrame:
        """Return the weighted distance of rows to the centre of each cluster, rows × clusters.

        Distances are in working coordinates (z-scores). The arguments are those of `predict`;
        omitted rows are not in the result.
        """
        table, model = self._table(data), self.estimator
        distances = center_distances(
            table.matrix, model.cluster_centers_, model.feature_weights_, model._standardizer
        )
        return pd.DataFrame(distances, index=table.index[table.kept], columns=self._clusters)

    @property
    def cluster_weights(self) -> pd.DataFrame:
        """The weights w_l ∝ exp(−D_l / lam) with D_l from the rows of each cluster alone."""
        model = self.estimator
        require_rows_here(model._X)
        n_rows = rows_stood_for(model.sample_weight_, len(model.labels_))
        lam = model.lam_ / model.settings().lam_unit(n_rows)
        mass = self._mass()
        # Rows that followed landmarks have no mass: there may be very many.
        some = slice(None) if model._landmark_mass is None else model._landmark_mass > 0
        found = cluster_weights(
            model._X[some], model.modes_[some], model.labels_[some], model._standardizer, lam,
            mass[some],
        )  # fmt: skip
        return pd.DataFrame(found, index=self._clusters, columns=self._columns)

    def describe(self, cluster: int, top: int | None = None) -> pd.DataFrame:
        """Return the columns that set a cluster apart from the other rows.

        Parameters
        ----------
        cluster : int
        top : int, optional
            Number of columns; all of them by default.

        Returns
        -------
        DataFrame
            One row per column, those with the largest share first. ``mean`` and ``others``: of
            the rows of the cluster, and of the others. ``effect``: their difference, in standard
            deviations within clusters. ``spread``: standard deviation in the cluster, that of all
            rows being 1. ``overlap``: share of the other rows that lie in the central 90 % of
            the cluster. ``share``: what the column contributes to the weighted squared distance
            between the cluster and the other rows, beyond the spread of the cluster itself; the
            shares sum to 1. ``weight``: of the column in the fit.

        Examples
        --------
        >>> from pywbms import datasets, wbms
        >>> df, truth = datasets.data1(random_state=0)
        >>> wbms(df, h=0.1, lam=0.05).describe(0, top=2)["share"].round(2).to_dict()
        {'x1': 0.52, 'x2': 0.48}
        """
        self._require_cluster("cluster", cluster)
        if top is not None:
            require_integer("top", top, 1)
        return self._features().describe(int(cluster), self._columns).iloc[:top]

    def contrast(self, a: int, b: int, top: int | None = None) -> pd.DataFrame:
        """Return the columns that tell two clusters apart.

        Parameters
        ----------
        a, b : int
            Two clusters.
        top : int, optional
            Number of columns; all of them by default.

        Returns
        -------
        DataFrame
            As `describe` does, with means and spreads of both clusters. ``effect`` is positive
            where a has the larger values; ``overlap`` is the mean share of rows of one that lie
            in the central 90 % of the other; ``share`` is that of the weighted squared distance
            between the two means.

        Examples
        --------
        >>> from pywbms import datasets, wbms
        >>> df, truth = datasets.data1(random_state=0)
        >>> wbms(df, h=0.1, lam=0.05).contrast(0, 1, top=2).index.tolist()
        ['x1', 'x2']
        """
        for name, cluster in (("a", a), ("b", b)):
            self._require_cluster(name, cluster)
        if a == b:
            raise ValueError(f"a and b must be different clusters, got {a!r} twice")
        if top is not None:
            require_integer("top", top, 1)
        return self._features().contrast(int(a), int(b), self._columns).iloc[:top]

    def profile(self, top: int | None = None) -> pd.DataFrame:
        """Return the mean of each cluster along the columns, in standard deviations of the column.

        Parameters
        ----------
        top : int, optional
            Number of columns; all of them by default.

        Returns
        -------
        DataFrame of clusters × columns
            Relative to the mean of all rows. The columns that set the clusters apart come first.
        """
        if top is not None:
            require_integer("top", top, 1)
        profile, order = self._features().profile()
        table = pd.DataFrame(profile, index=self._clusters, columns=self._columns)
        return table.iloc[:, order[:top]]

    @property
    def _clusters(self):
        return pd.RangeIndex(self.n_clusters, name="cluster")

    @property
    def _row_index(self):
        return self._index[self._kept]

    def _memberships(self, values, index):
        return pd.DataFrame(values, index=index, columns=self._clusters)

    def _per_row(self, values, name):
        return pd.Series(values, index=self._row_index, name=name)

    def _mass(self):
        model = self.estimator
        return model._mass(model._cluster_of_row)

    def _features(self):
        model = self.estimator
        require_rows_here(model._X)
        return ClusterFeatures(
            model._X, model.labels_, model.feature_weights_, model._standardizer, self._mass()
        )

    def _require_cluster(self, name, cluster):
        require_integer(name, cluster, 0)
        if cluster >= self.n_clusters:
            raise ValueError(
                f"{name} must be one of the clusters 0 … {self.n_clusters - 1}, got {cluster!r}"
            )
