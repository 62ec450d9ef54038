"""Shared by all peers: a table in, labels (and weights) out."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.checks import require_boolean
from pywbms._data.ordering import largest_first, row_order, undo_order, uniform_weights
from pywbms._data.standardize import Standardizer
from pywbms._data.table import Table
from pywbms._machine.threads import one_blas_thread


@dataclass(frozen=True)
class PeerResult:
    """A clustering by one of the peers, with the index and the columns of its data.

    Attributes
    ----------
    method : str
        Name of the method, a key of `PEERS` or `ADAPTERS`.
    labels : Series
        Cluster of each row, 0 … k − 1 (0 is the largest, ties by the first row); −1 for rows that
        the method labels as noise.
    n_clusters : int
        Number of clusters.
    weights : Series or None
        Weight of each column, nonnegative with sum 1, if the method weights features.
    params : dict
        The parameters used, including those that the method chose itself.
    """

    method: str
    labels: pd.Series = field(repr=False)
    n_clusters: int
    weights: pd.Series | None = field(repr=False)
    params: dict


def clustered(method, X, cluster, params, *, standardize=True, weighs=False):
    """Cluster a table: check it, transform it to working coordinates, label its rows.

    Parameters
    ----------
    method : str
        The name of the method.
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype. It is not modified.
    cluster : callable
        Takes a finite C-contiguous array of the non-constant columns, in working coordinates, and
        returns labels (any integers; −1 is noise), weights of these columns or None, and a dict of
        the parameters it chose itself.
    params : dict
        The parameters as given by the caller.
    standardize : bool, default True
        Work on z-scores (ddof = 1), as WBMS does.
    weighs : bool, default False
        Whether the method weights features; if no column varies, all have the same weight.

    Returns
    -------
    PeerResult

    Examples
    --------
    >>> halves = lambda Z: ((Z[:, 0] > 0).astype(int), None, {"cut": 0.0})
    >>> clustered("halves", [[1.0], [2.0], [9.0]], halves, {})
    PeerResult(method='halves', n_clusters=2, params={'standardize': True, 'cut': 0.0})
    """
    require_boolean("standardize", standardize)
    table = Table.of(X, standardize=standardize)
    matrix = table.matrix
    # Means and deviations are bit-identical for any order of the rows.
    standardizer = Standardizer.of(matrix[row_order(matrix)], standardize)
    if standardizer.active.any():
        with one_blas_thread():  # so that no sum depends on the number of cores
            labels, weights, chosen = cluster(standardizer.forward(matrix))
    else:  # all rows are the same point
        labels, weights, chosen = np.zeros(len(matrix), int), None, {}
    labels = numbered(np.asarray(labels))
    if weights is not None:
        weights = standardizer.all_columns(weights)
    elif weighs:
        weights = uniform_weights(standardizer.n_columns)
    if weights is not None:
        weights = pd.Series(weights, index=table.columns, name="weight")
    return PeerResult(
        method,
        table.labels(labels),
        int(labels.max()) + 1,
        weights,
        {**params, "standardize": bool(standardize), **chosen},
    )


def numbered(labels):
    """Renumber clusters 0 … k − 1, the largest first, ties by the first row; noise stays −1.

    Examples
    --------
    >>> numbered(np.array([4, -1, 2, 2])).tolist()
    [1, -1, 0, 0]
    """
    final = np.full(len(labels), -1)
    kept = labels >= 0
    if kept.any():
        final[kept] = largest_first(labels[kept])
    return final


def in_row_order(cluster):
    """Make a clustering of an array independent of the row order, including ties and rounding.

    It receives the rows in an order that only depends on their values.

    Examples
    --------
    >>> first = in_row_order(lambda X: (np.arange(len(X)), None, {}))
    >>> first(np.array([[4.0], [2.0]]))[0], first(np.array([[2.0], [4.0]]))[0]
    (array([1, 0]), array([0, 1]))
    """

    def in_any_order(X):
        order = row_order(X)
        labels, weights, chosen = cluster(X[order])
        return undo_order(np.asarray(labels), order), weights, chosen

    return in_any_order
