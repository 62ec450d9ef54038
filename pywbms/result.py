"""WBMSResult: a clustering of a table, in its index, its column names and its units."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pywbms._data.kinds import read
from pywbms._data.table import Table
from pywbms._report.reported import ReportedResult
from pywbms._results.augment import augmented
from pywbms._results.details import ResultDetails
from pywbms._results.layer_table import Layers
from pywbms._results.other_partitions import Found, fit_at, layers_of
from pywbms._results.row_weights import cluster_shares
from pywbms._results.saving import save
from pywbms._results.summary import Summary, copy_or_none
from pywbms._results.words import as_text, remarks
from pywbms._selection.choice import Selection
from pywbms._selection.evidence import Confidence
from pywbms._selection.landmarks import Landmarks
from pywbms.estimator import WBMS
from pywbms.theory.refit import refit_with_path


class WBMSResult(ReportedResult, ResultDetails):
    """A clustering of a DataFrame, in its index, its column names and its units.

    Attributes
    ----------
    labels : Series
        Cluster of each row, 0 … k − 1 (0 is the largest); −1 for omitted rows, and for outliers
        with ``outliers="label"``.
    weights : Series
        Weight of each column, at least 0, sum 1.
    centers : DataFrame
        Position where the rows of each cluster coincide, k × columns.
    modes : DataFrame
        Final position of each row; omitted rows are not in it.
    data : DataFrame
        The rows that were clustered, as float64.
    history : DataFrame
        One row per iteration: phase, iteration, diameter, movement, groups, entropy, n_points.
    n_clusters, n_iter : int
    h, lam : float
    converged : bool
    selection : DataFrame or None
        The pairs (h, lam) that were tried, with their scores, if h or lam was chosen.
    choice : Selection or None
        How h and lam were chosen, in words (``print(result.choice)``), and the alternatives.
    landmarks : Landmarks or None
        How many there are, and the expected agreement with the exact fit; None if it is exact.
    confidence : Confidence or None
        Expected agreement with the truth, as a number and as a word, if h or lam was chosen.
    alternatives : DataFrame or None
        Other partitions that are nearly as good, or, if all rows are one cluster, the best that
        there would be; see `at`.
    layers : DataFrame
        The partitions that live long, from coarse to fine: k, lifetime, h, lam, stability, source,
        own. See the user guide; each can be taken with `at`. Computed when first asked for.
    reached_by : {"fit", "join", "tree", "stop"}
        How the clusters follow from the groups of the fit: see `WBMS.reached_by_`.
    tree : ndarray of shape (rows − 1, 4) or None
        With ``tree=True``, the merge tree, which rows merge when, in the fit and after it: a
        linkage matrix for `scipy.cluster.hierarchy`, over the rows of `data`; heights are
        log(1 + iterations).
    tree_observed : ndarray of shape (rows − 1,) or None
        Whether each merge of the tree was followed to its end or only predicted.
    outliers : Series of bool
        Rows far outside, in most columns or in those with most of the weight; they have the
        label of their nearest row. False for omitted rows.
    outlier_score : Series
        How far out each row is in its cluster, 0 to 1; see `WBMS.outlier_score`.
    membership : DataFrame of rows × clusters
        Share of each cluster in the density at each row, left out; see `WBMS.predict_proba`.
        Omitted rows are not in it, nor in `outlier_score` and `row_confidence`.
    row_confidence, cluster_confidence : Series
        Largest membership of each row, and its mean over the rows of each cluster.
    cluster_weights : DataFrame of clusters × columns
        The weights that each cluster would give the columns, from its own displacements.
    similar_columns : list of tuple
        Groups of columns that are nearly equal (``|r| > 0.99``); equal ones share one weight.
    scale : Series
        What each column was divided by (its standard deviation) before clustering.
    row_weights : Series or None
        The weights of the rows of `data`, if any were given.
    imputed : Series
        Number of values that ``na_action="impute"`` filled in, by column.
    pandas : WBMSResult
        The same result with tables of pandas, whatever kind of table was clustered.
    path : ndarray of shape (n_iter + 1, rows, columns) or None
        Position of the rows after each iteration, with ``record_path=True``.
    estimator : WBMS
        The fitted estimator behind the result.
    """

    def __init__(
        self, estimator: WBMS, index: Any, columns: Any, kept: Any, na_action: str,
        encoding: Any = None, imputed: Any = None,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self._index = index
        self._columns = columns
        self._kept = kept
        self._na_action = na_action
        self._encoding = encoding
        self._imputed = imputed

    def _with(self, estimator: WBMS) -> WBMSResult:
        """Return the result of another fit of the same rows."""
        rows = self._index, self._columns, self._kept, self._na_action
        return WBMSResult(estimator, *rows, self._encoding, self._imputed)

    @property
    def pandas(self) -> WBMSResult:
        """The same result with tables of pandas, whatever kind of table was clustered."""
        return self

    @property
    def imputed(self) -> pd.Series:  # noqa: D102
        if self._imputed is not None:
            return self._imputed.copy()
        return pd.Series(0, index=self._columns, name="imputed")

    @property
    def labels(self) -> pd.Series:  # noqa: D102 (the class documents its attributes)
        labels = np.full(len(self._index), -1)
        labels[self._kept] = self.estimator.labels_
        return pd.Series(labels, index=self._index, name="cluster")

    @property
    def weights(self) -> pd.Series:  # noqa: D102
        return pd.Series(
            self.estimator.feature_weights_, index=self._columns, name="weight", copy=True
        )

    @property
    def centers(self) -> pd.DataFrame:  # noqa: D102
        index = pd.RangeIndex(self.n_clusters, name="cluster")
        return pd.DataFrame(
            self.estimator.cluster_centers_, index=index, columns=self._columns, copy=True
        )

    @property
    def modes(self) -> pd.DataFrame:  # noqa: D102
        return self._rows(self.estimator.modes_)

    @property
    def data(self) -> pd.DataFrame:  # noqa: D102
        return self._rows(self.estimator._X)

    @property
    def history(self) -> pd.DataFrame:  # noqa: D102
        return self.estimator.history_.copy()

    @property
    def n_clusters(self) -> int:  # noqa: D102
        return self.estimator.n_clusters_

    @property
    def n_iter(self) -> int:  # noqa: D102
        return self.estimator.n_iter_

    @property
    def h(self) -> float:  # noqa: D102
        return float(self.estimator.h_)

    @property
    def lam(self) -> float:  # noqa: D102
        return float(self.estimator.lam_)

    @property
    def converged(self) -> bool:  # noqa: D102
        return self.estimator.converged_

    @property
    def selection(self) -> pd.DataFrame | None:  # noqa: D102
        return copy_or_none(self.estimator.selection_)

    @property
    def tree(self) -> np.ndarray | None:  # noqa: D102
        return copy_or_none(self.estimator.tree_)

    @property
    def tree_observed(self) -> np.ndarray | None:  # noqa: D102
        return copy_or_none(self.estimator.tree_observed_)

    @property
    def choice(self) -> Selection | None:  # noqa: D102
        return self.estimator.choice_

    @property
    def confidence(self) -> Confidence | None:  # noqa: D102
        return None if self.choice is None else self.choice.confidence

    @property
    def alternatives(self) -> pd.DataFrame | None:  # noqa: D102
        return None if self.choice is None else self.choice.alternatives.copy()

    def at(self, k: int) -> WBMSResult:
        """Return a partition into k clusters, as a result.

        The best of those that were tried when h and lam were chosen; if there is none, or if h and
        lam were given, a level of the merge tree. ``n_clusters=k`` looks for the best anew.

        Raises
        ------
        ValueError
            If there is none; the message says which k there are.

        Examples
        --------
        >>> from pywbms import datasets, wbms
        >>> df, truth = datasets.simulation1(5, random_state=0)
        >>> wbms(df, h=0.05, lam=0.1).at(3).n_clusters
        3
        """
        return self._with(fit_at(Found.of(self.estimator, self.data), k))

    @property
    def layers(self) -> pd.DataFrame:  # noqa: D102
        return Layers(self._layers.copy())

    @cached_property
    def _layers(self):
        return layers_of(Found.of(self.estimator, self.data))

    @property
    def reached_by(self) -> str:  # noqa: D102
        return self.estimator.reached_by_

    @property
    def outliers(self) -> pd.Series:  # noqa: D102
        marks = np.zeros(len(self._index), dtype=bool)
        marks[self._kept] = self.estimator.outliers_
        return pd.Series(marks, index=self._index, name="outlier")

    @property
    def similar_columns(self) -> list[tuple]:  # noqa: D102
        groups = self.estimator.similar_columns_
        return [tuple(self._columns[column] for column in group) for group in groups]

    @property
    def scale(self) -> pd.Series:  # noqa: D102
        return pd.Series(self.estimator._standardizer.scale, index=self._columns, name="scale")

    @property
    def row_weights(self) -> pd.Series | None:  # noqa: D102
        weights = self.estimator.sample_weight_
        if weights is None:
            return None
        return pd.Series(weights, self._index[self._kept], name="row_weight", copy=True)

    @property
    def path(self) -> np.ndarray | None:  # noqa: D102
        if not self.estimator.record_path:
            return None
        standardizer = self.estimator._standardizer
        return standardizer.backward(self.estimator.path_[..., standardizer.active])

    def with_path(self) -> WBMSResult:
        """Return the same result with its path recorded, fitting again if need be."""
        if self.estimator.record_path:
            return self
        return self._with(refit_with_path(self.estimator))

    @property
    def landmarks(self) -> Landmarks | None:  # noqa: D102
        return self.estimator.landmarks_

    def predict(self, data: Any, method: str | None = None) -> pd.Series:
        """Return the cluster of new rows; see `WBMS.predict`.

        Parameters
        ----------
        data : table of any kind, or array-like
            Must have the columns that were clustered; others are ignored. Missing values and
            categories are treated as they were in the fit.
        method : {"nearest", "follow"}, optional
            By default "nearest", and "follow" if the fit had landmarks.

        Returns
        -------
        Series, or a column of the kind that `data` has
        """
        frame, kind = read(data)
        table = self._table(frame)
        labels = table.labels(self.estimator.predict_matrix(table.matrix, method=method))
        return labels if kind is None else kind.column(labels)

    def _table(self, data):
        """Return new rows as a `Table`, in the columns of the fit."""
        how = self._na_action
        if self._encoding is None:
            return Table.of(data, self._columns, na_action=how, names=self._columns)
        return Table.encoded(data, self._encoding, how, names=self._encoding.columns)

    def augment(self, data: Any = None, name: Any = "cluster") -> Any:
        """Return a copy of the clustered table with the labels as a further column.

        Parameters
        ----------
        data : table of any kind, optional
            The one that was clustered. It may have further columns, and its rows may be in another
            order if their index tells which is which. By default the rows in `data`. Of an AnnData
            object a copy is returned, with the labels in `obs`, the weights in `var` and how they
            were found in ``uns["wbms"]``.
        name : default "cluster"
            Name of the new column.
        """
        return augmented(self, data, name)

    def summary(self, top: int = 5) -> Summary:
        """Return a DataFrame with one row per cluster: its size, its share and its centre.

        The size is the number of rows. The share is that of all rows, or of their weights if there
        are any.

        Parameters
        ----------
        top : int, default 5
            Number of columns to show, those with the largest weights.

        Returns
        -------
        Summary
            A DataFrame; if the choice of h and lam is uncertain, it prints a note at the end.
        """
        order = np.argsort(-self.estimator.feature_weights_, kind="stable")[:top]
        size = self._sizes()
        table = self.centers.iloc[:, order]
        table.columns = table.columns.to_flat_index()
        table.insert(0, "size", size, allow_duplicates=True)
        table.insert(1, "share", cluster_shares(self.estimator), allow_duplicates=True)
        return Summary.of(table, "\n".join([*filter(None, [self.note]), *remarks(self)]))

    def plot(self, kind: str = "overview", **options: Any) -> Any:
        """Draw the result (needs matplotlib).

        Parameters
        ----------
        kind : str, default "overview"
            Or "clusters", "embedding", "weights", "profile", "collapse", "tree", "selection".
        **options
            Options of the function of that name in `pywbms.plot`.
        """
        from pywbms import plot

        return plot.draw(self, kind, **options)

    def save(self, path: str | os.PathLike) -> None:
        """Write the result to one portable file that `pywbms.load` and R's ``wbms_load`` read.

        The file holds data only, with checksums over all of it; a callback is not saved. Row names
        of a type that a file cannot hold (periods, intervals, categories) are stored as text, with
        a warning. An existing file is replaced as a whole, or stays as it is.

        Parameters
        ----------
        path : path
            Such as "model.wbms".
        """
        save(self, path)

    def check_theory(self, **options: Any) -> pd.DataFrame:
        """Check the paper's theorems on this result; see `pywbms.theory.check_all`.

        Returns
        -------
        DataFrame
            One row per check: theorem, checked, deviation, tolerance, holds.
        """
        from pywbms.theory import check_all

        return check_all(self, **options)

    def __repr__(self) -> str:
        return as_text(self)

    @property
    def note(self) -> str:
        """What to bear in mind about the choice of h and lam; empty if there is nothing."""
        if self.choice is None:
            return ""
        if self.n_clusters == 1:
            return self.choice.explanation
        return self.choice.note

    def _sizes(self):
        labels = self.estimator.labels_
        return np.bincount(labels[labels >= 0], minlength=self.n_clusters)

    def _rows(self, matrix):
        return pd.DataFrame(matrix, index=self._index[self._kept], columns=self._columns, copy=True)
