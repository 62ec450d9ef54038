"""WBMSResult: a clustering of a table, in its index, its column names and its units."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from pywbms._data.table import Table, as_frame
from pywbms._selection.choice import Selection
from pywbms._selection.evidence import Confidence
from pywbms._terminal.wording import counted
from pywbms.estimator import WBMS
from pywbms.theory.refit import refit_with_path

# Candidates that `at` fits before it gives up.
MOST_TRIES = 5


class WBMSResult:
    """A clustering of a DataFrame, in its index, its column names and its units.

    Attributes
    ----------
    labels : Series
        Cluster of each row, 0 … k − 1 (0 is the largest); −1 for omitted rows.
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
    confidence : Confidence or None
        Expected agreement with the truth, as a number and as a word, if h or lam was chosen.
    alternatives : DataFrame or None
        Other partitions that are nearly as good, or, if all rows are one cluster, the best that
        there would be; see `at`.
    tree : ndarray of shape (rows − 1, 4) or None
        With ``tree=True``, the merge tree, which rows merge when, in the fit and after it: a
        linkage matrix for `scipy.cluster.hierarchy`, over the rows of `data`; heights are
        log(1 + iterations).
    tree_observed : ndarray of shape (rows − 1,) or None
        Whether each merge of the tree was followed to its end or only predicted.
    scale : Series
        What each column was divided by (its standard deviation) before clustering.
    path : ndarray of shape (n_iter + 1, rows, columns) or None
        Position of the rows after each iteration, with ``record_path=True``.
    estimator : WBMS
        The fitted estimator behind the result.
    """

    def __init__(
        self, estimator: WBMS, index: Any, columns: Any, kept: Any, na_action: str
    ) -> None:
        self.estimator = estimator
        self._index = index
        self._columns = columns
        self._kept = kept
        self._na_action = na_action

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
        """Return the best partition into k clusters among those that were tried, as a result.

        Raises
        ------
        ValueError
            If there is none, or if h and lam were given; the message says which k there are.

        Examples
        --------
        >>> from pywbms import datasets, wbms
        >>> df, truth = datasets.data1(random_state=0)
        >>> wbms(df).at(2).n_clusters
        2
        """
        if self.choice is None:
            raise ValueError("h and lam were given, not chosen: there are no other partitions")
        unit = self.estimator.settings().lam_unit(len(self.estimator.labels_))
        for params in self.choice.at(k)[:MOST_TRIES]:
            params["lam"] *= unit
            model = clone(self.estimator).set_params(**params).fit(self.data)
            if model.n_clusters_ == k:
                return WBMSResult(model, self._index, self._columns, self._kept, self._na_action)
        raise ValueError(f"the candidates with k = {k} clusters have others when fitted to the end")

    @property
    def scale(self) -> pd.Series:  # noqa: D102
        return pd.Series(self.estimator._standardizer.scale, index=self._columns, name="scale")

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
        again = refit_with_path(self.estimator)
        return WBMSResult(again, self._index, self._columns, self._kept, self._na_action)

    def predict(self, data: Any) -> pd.Series:
        """Return the cluster of new rows: that of the nearest clustered row.

        Parameters
        ----------
        data : DataFrame or array-like
            Must have the columns that were clustered; others are ignored. Rows with missing
            values are treated as they were in the fit (`na_action`).

        Returns
        -------
        Series
        """
        table = Table.of(data, self._columns, na_action=self._na_action, names=self._columns)
        return table.labels(self.estimator.predict_matrix(table.matrix))

    def augment(self, data: Any, name: Any = "cluster") -> pd.DataFrame:
        """Return a copy of the clustered DataFrame with the labels as a further column.

        Parameters
        ----------
        data : DataFrame
            The one that was clustered (same rows; it may have further columns).
        name : default "cluster"
            Name of the new column.
        """
        data = as_frame(data)
        if not data.index.equals(self._index):
            raise ValueError("data must have the rows that were clustered (its index differs)")
        if name in data.columns:
            raise ValueError(f"data already has a column {name!r}; give another name=")
        if data.columns.nlevels > 1 and not isinstance(name, tuple):
            name = (name, *[""] * (data.columns.nlevels - 1))
        return pd.concat([data, self.labels.rename(None).to_frame(name)], axis=1)

    def summary(self, top: int = 5) -> Summary:
        """Return a DataFrame with one row per cluster: its size, its share and its centre.

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
        size = np.bincount(self.estimator.labels_, minlength=self.n_clusters)
        table = self.centers.iloc[:, order]
        table.columns = table.columns.to_flat_index()
        table.insert(0, "size", size, allow_duplicates=True)
        table.insert(1, "share", size / size.sum(), allow_duplicates=True)
        return Summary.of(table, self.note)

    def plot(self, kind: str = "overview", **options: Any) -> Any:
        """Draw the result (needs matplotlib).

        Parameters
        ----------
        kind : {"overview", "clusters", "weights", "collapse", "tree", "selection"}
        **options
            Options of the function of that name in `pywbms.plot`.
        """
        from pywbms import plot

        return plot.draw(self, kind, **options)

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
        sizes = np.bincount(self.estimator.labels_)
        lines = [self._headline(), "", "cluster sizes: " + self._some(map(str, sizes), 12)]
        lines.append("heaviest columns: " + self._some(self._heaviest(), 6))
        omitted = int((~self._kept).sum())
        if omitted:
            lines.append(f"omitted rows (missing values): {omitted}")
        if self.note:
            lines += ["", self.note]
        lines += ["", "labels weights centers modes history summary() plot() predict() augment()"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.summary().to_html(float_format=lambda x: f"{x:.4g}", max_rows=20)
        heaviest = html.escape(self._some(self._heaviest(), 6))
        note = "".join(f"<br>{html.escape(line)}" for line in self.note.splitlines())
        return (
            f"<p><b>{html.escape(self._headline())}</b><br>heaviest columns: {heaviest}{note}</p>"
            f"{table}"
        )

    def _headline(self) -> str:
        model, k = self.estimator, self.n_clusters
        how = "converged" if self.converged else "not converged"
        return (
            f"WBMS: {counted(k, 'cluster')} in {counted(len(model.labels_), 'row')} × "
            f"{counted(len(self._columns), 'column')} (h = {self.h:.4g}, lam = {self.lam:.4g}; "
            f"{how} by the rule {model.stop!r} after {counted(self.n_iter, 'iteration')})"
        )

    @property
    def note(self) -> str:
        """What to bear in mind about the choice of h and lam; empty if there is nothing."""
        if self.choice is None:
            return ""
        if self.n_clusters == 1:
            return self.choice.explanation
        return self.choice.note

    def _heaviest(self):
        return (f"{name} {w:.2f}" for name, w in self.weights.sort_values(ascending=False).items())

    @staticmethod
    def _some(texts, limit):
        texts = list(texts)
        more = f", … {len(texts) - limit} more" if len(texts) > limit else ""
        return ", ".join(texts[:limit]) + more

    def _rows(self, matrix):
        return pd.DataFrame(matrix, index=self._index[self._kept], columns=self._columns, copy=True)


def copy_or_none(values):
    """Return a copy of a table or an array, if there is one."""
    return None if values is None else values.copy()


class Summary(pd.DataFrame):
    """A DataFrame that prints a note at the end, if there is one."""

    _metadata = ["note"]  # noqa: RUF012 (pandas adds it to a list of its own)

    @classmethod
    def of(cls, table, note):
        """Return a table with a note."""
        summary = cls(table)
        summary.note = note
        return summary

    @property
    def _constructor(self):
        return pd.DataFrame  # what is computed from a summary is a plain table

    def __repr__(self) -> str:
        note = getattr(self, "note", "")
        return super().__repr__() + (f"\n\n{note}" if note else "")

    def _repr_html_(self) -> str:
        note = html.escape(getattr(self, "note", "")).replace("\n", "<br>")
        return (super()._repr_html_() or "") + (f"<p>{note}</p>" if note else "")  # type: ignore[misc]
