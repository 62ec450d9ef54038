"""What pandas users touch: wbms(df), the df.wbms accessor and WBMSResult."""

import html

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from pywbms._data.checks import numeric_frame, require_finite, require_squarable
from pywbms._data.wording import counted, quoted
from pywbms.estimator import WBMS, refit_with_path

NA_ACTIONS = ("raise", "omit")


def wbms(data, columns=None, *, h="auto", lam="auto", na_action="raise", **params):
    """Cluster the rows of a DataFrame.

    Parameters
    ----------
    data : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype. It is not written to. A Dask array or DataFrame is clustered
        on its cluster, see `pywbms.distributed.fit`.
    columns : name or list of names, optional
        The columns to use; all of them by default.
    h, lam : float or "auto"
        Bandwidth and entropy parameter; "auto" chooses them from the data.
    na_action : {"raise", "omit"}, default "raise"
        What to do with rows that have missing values: raise an error that names the columns, or
        leave them out and give them the label −1.
    **params
        Any other parameter of `WBMS`.

    Returns
    -------
    WBMSResult

    Examples
    --------
    >>> from pywbms import datasets, wbms
    >>> df, truth = datasets.data1(random_state=0)
    >>> result = wbms(df, h=0.1, lam=0.05)
    >>> result.n_clusters
    2
    >>> result.weights.nlargest(2).round(2).to_dict()
    {'x1': 0.52, 'x2': 0.48}
    """
    if na_action not in NA_ACTIONS:
        raise ValueError(f"na_action must be one of {quoted(NA_ACTIONS)}, got {na_action!r}")
    if type(data).__module__.partition(".")[0] == "dask":
        from pywbms.distributed import fit  # which loads dask: whoever has such data has it

        return fit(data, h, lam, columns=columns, na_action=na_action, **params)
    frame = numeric_frame(chosen_columns(as_frame(data), columns))
    kept = complete_rows(frame, na_action)
    matrix = frame.to_numpy()
    require_finite_where(kept, matrix, frame.columns)
    if not params.get("standardize", True):
        require_squarable(matrix[kept], frame.columns)
    estimator = WBMS(h, lam, **params).fit(matrix[kept])
    return WBMSResult(estimator, frame.index, frame.columns, kept, na_action)


@pd.api.extensions.register_dataframe_accessor("wbms")
class WBMSAccessor:
    """Clustering as a method of every DataFrame: ``df.wbms.cluster()``.

    Examples
    --------
    >>> import pandas as pd, pywbms
    >>> df = pd.DataFrame({"a": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "b": [1.0, 2, 1, 2, 1, 2]})
    >>> df.wbms.cluster("a", h=0.1, lam=1.0).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(self, frame):
        self._frame = frame

    def cluster(self, columns=None, **params):
        """Cluster the rows; the arguments are those of `wbms`.

        Returns
        -------
        WBMSResult
        """
        return wbms(self._frame, columns, **params)


class WBMSResult:
    """A clustering of a DataFrame, in its index, its column names and its units.

    Attributes
    ----------
    labels : Series
        Cluster of each row, 0 … k − 1 (0 is the largest); −1 for rows left out.
    weights : Series
        Weight of each column, at least 0, sum 1.
    centers : DataFrame
        Where the rows of each cluster met, k × columns.
    modes : DataFrame
        Where each row ended; rows left out are not in it.
    data : DataFrame
        The rows that were clustered, as float64.
    history : DataFrame
        A row an iteration: phase, iteration, diameter, movement, groups, entropy, n_points.
    n_clusters, n_iter : int
    h, lam : float
    converged : bool
    selection : DataFrame or None
        The pairs (h, lam) that were tried, with their scores, if h or lam was chosen.
    choice : Selection or None
        How h and lam were chosen, in words (``print(result.choice)``), and the alternatives.
    tree : ndarray of shape (rows − 1, 4) or None
        With ``tree=True``, which rows meet when, in the fit and after it: a linkage matrix for
        `scipy.cluster.hierarchy`, over the rows of `data`; heights are log(1 + iterations).
    tree_observed : ndarray of shape (rows − 1,) or None
        Whether each merge of the tree was followed to its end, or predicted.
    scale : Series
        What each column was divided by (its standard deviation) before clustering.
    path : ndarray of shape (n_iter + 1, rows, columns) or None
        Where the rows were after each iteration, with ``record_path=True``.
    estimator : WBMS
        The fitted estimator behind the result.
    """

    def __init__(self, estimator, index, columns, kept, na_action):
        self.estimator = estimator
        self._index = index
        self._columns = columns
        self._kept = kept
        self._na_action = na_action

    @property
    def labels(self):  # noqa: D102 (the class documents its attributes)
        labels = np.full(len(self._index), -1)
        labels[self._kept] = self.estimator.labels_
        return pd.Series(labels, index=self._index, name="cluster")

    @property
    def weights(self):  # noqa: D102
        return pd.Series(
            self.estimator.feature_weights_, index=self._columns, name="weight", copy=True
        )

    @property
    def centers(self):  # noqa: D102
        index = pd.RangeIndex(self.n_clusters, name="cluster")
        return pd.DataFrame(
            self.estimator.cluster_centers_, index=index, columns=self._columns, copy=True
        )

    @property
    def modes(self):  # noqa: D102
        return self._rows(self.estimator.modes_)

    @property
    def data(self):  # noqa: D102
        return self._rows(self.estimator._X)

    @property
    def history(self):  # noqa: D102
        return self.estimator.history_.copy()

    @property
    def n_clusters(self):  # noqa: D102
        return self.estimator.n_clusters_

    @property
    def n_iter(self):  # noqa: D102
        return self.estimator.n_iter_

    @property
    def h(self):  # noqa: D102
        return self.estimator.h_

    @property
    def lam(self):  # noqa: D102
        return self.estimator.lam_

    @property
    def converged(self):  # noqa: D102
        return self.estimator.converged_

    @property
    def selection(self):  # noqa: D102
        return copy_or_none(self.estimator.selection_)

    @property
    def tree(self):  # noqa: D102
        return copy_or_none(self.estimator.tree_)

    @property
    def tree_observed(self):  # noqa: D102
        return copy_or_none(self.estimator.tree_observed_)

    @property
    def choice(self):  # noqa: D102
        return self.estimator.choice_

    @property
    def scale(self):  # noqa: D102
        return pd.Series(self.estimator._standardizer.scale, index=self._columns, name="scale")

    @property
    def path(self):  # noqa: D102
        if not self.estimator.record_path:
            return None
        units = self.estimator._standardizer
        return units.backward(self.estimator.path_[..., units.active])

    def with_path(self):
        """Return the same result with its path recorded, fitting once more if need be."""
        if self.estimator.record_path:
            return self
        again = refit_with_path(self.estimator)
        return WBMSResult(again, self._index, self._columns, self._kept, self._na_action)

    def predict(self, data):
        """Return the cluster of new rows: that of the nearest clustered row.

        Parameters
        ----------
        data : DataFrame or array-like
            Has the columns that were clustered; others are ignored. Rows with missing values
            are treated as they were in the fit (`na_action`).

        Returns
        -------
        Series
        """
        frame = numeric_frame(chosen_columns(as_frame(data, self._columns), self._columns))
        kept = complete_rows(frame, self._na_action)
        matrix = frame.to_numpy()
        require_finite_where(kept, matrix, frame.columns)
        labels = np.full(len(frame), -1)
        labels[kept] = self.estimator.predict(matrix[kept])
        return pd.Series(labels, index=frame.index, name="cluster")

    def augment(self, data, name="cluster"):
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

    def summary(self, top=5):
        """Return a DataFrame, a row a cluster: its size, its share, and where it met.

        Parameters
        ----------
        top : int, default 5
            How many of the heaviest columns to show.

        Returns
        -------
        Summary
            A DataFrame; where the choice of h and lam is uncertain its print ends with a note.
        """
        order = np.argsort(-self.estimator.feature_weights_, kind="stable")[:top]
        size = np.bincount(self.estimator.labels_, minlength=self.n_clusters)
        table = self.centers.iloc[:, order]
        table.columns = table.columns.to_flat_index()
        table.insert(0, "size", size, allow_duplicates=True)
        table.insert(1, "share", size / size.sum(), allow_duplicates=True)
        return Summary.of(table, self.note)

    def plot(self, kind="overview", **options):
        """Draw the result (needs matplotlib).

        Parameters
        ----------
        kind : {"overview", "clusters", "weights", "collapse", "tree", "selection"}
        **options
            Options of the function of that name in `pywbms.plot`.
        """
        from pywbms import plot

        return plot.draw(self, kind, **options)

    def check_theory(self, **options):
        """Check the paper's theorems on this result; see `pywbms.theory.check_all`.

        Returns
        -------
        DataFrame
            A row a check: theorem, checked, deviation, tolerance, holds.
        """
        from pywbms.theory import check_all

        return check_all(self, **options)

    def __repr__(self):
        sizes = np.bincount(self.estimator.labels_)
        lines = [self._headline(), "", "cluster sizes: " + self._some(map(str, sizes), 12)]
        lines.append("heaviest columns: " + self._some(self._heaviest(), 6))
        omitted = int((~self._kept).sum())
        if omitted:
            lines.append(f"rows left out (missing values): {omitted}")
        if self.note:
            lines += ["", self.note]
        lines += ["", "labels weights centers modes history summary() plot() predict() augment()"]
        return "\n".join(lines)

    def _repr_html_(self):
        table = self.summary().to_html(float_format=lambda x: f"{x:.4g}", max_rows=20)
        heaviest = html.escape(self._some(self._heaviest(), 6))
        note = "".join(f"<br>{html.escape(line)}" for line in self.note.splitlines())
        return (
            f"<p><b>{html.escape(self._headline())}</b><br>heaviest columns: {heaviest}{note}</p>"
            f"{table}"
        )

    def _headline(self):
        model, k = self.estimator, self.n_clusters
        how = "ended" if self.converged else "not ended"
        return (
            f"WBMS: {counted(k, 'cluster')} in {counted(len(model.labels_), 'row')} × "
            f"{counted(len(self._columns), 'column')} (h = {self.h:.4g}, lam = {self.lam:.4g}; "
            f"{how} by the rule {model.stop!r} after {counted(self.n_iter, 'iteration')})"
        )

    @property
    def note(self):
        """What to bear in mind about the choice of h and lam; an empty text if there is nothing."""
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
    """A DataFrame whose print ends with a note, if there is one."""

    _metadata = ["note"]  # noqa: RUF012 (pandas adds it to a list of its own)

    @classmethod
    def of(cls, table, note):
        """Return a table with a note."""
        summary = cls(table)
        summary.note = note
        return summary

    @property
    def _constructor(self):
        return pd.DataFrame  # what is computed from a summary is none any more

    def __repr__(self):
        note = getattr(self, "note", "")
        return super().__repr__() + (f"\n\n{note}" if note else "")

    def _repr_html_(self):
        note = html.escape(getattr(self, "note", "")).replace("\n", "<br>")
        return (super()._repr_html_() or "") + (f"<p>{note}</p>" if note else "")


def as_frame(data, columns=None):
    """Return data as a DataFrame; an array gets the given column names, or its column numbers."""
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        raise ValueError("data must have columns: use series.to_frame()")
    if issparse(data):
        raise ValueError("data must not be sparse: use data.toarray()")
    array = np.asarray(data)
    if array.ndim != 2:
        raise ValueError(
            "data must be a DataFrame or a two-dimensional array, "
            f"got {type(data).__name__} of {array.ndim} dimension(s)"
        )
    if columns is not None and array.shape[1] != len(columns):
        raise ValueError(f"data must have {len(columns)} columns, got {array.shape[1]}")
    return pd.DataFrame(array, columns=columns)


def chosen_columns(frame, columns):
    """Return the named columns of a DataFrame, or all of them."""
    if columns is None:
        return frame
    one = isinstance(columns, str) or not np.iterable(columns)
    if isinstance(columns, tuple):  # the name of a column with several levels
        one = frame.columns.nlevels > 1 and columns in frame.columns
    columns = [columns] if one else list(columns)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"columns that are not in the data: {quoted(missing)}")
    return frame[columns]


def require_finite_where(kept, matrix, names):
    """Raise a ValueError that names the columns with NaN or infinite values in rows to be used."""
    require_finite(np.where(kept[:, None], matrix, 0.0), names)


def complete_rows(frame, na_action):
    """Return which rows to use: those without missing values if the others may be left out."""
    if na_action == "raise":
        return np.ones(len(frame), dtype=bool)
    kept = frame.notna().all(axis=1).to_numpy()
    if not kept.any():
        raise ValueError("no rows are left: every row has a missing value (na_action='omit')")
    return kept
