"""The result for a Dask collection: labels, modes and data are Dask collections, too."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from pywbms._data.table import Table
from pywbms._distributed.collections import starts
from pywbms._distributed.remote_points import RemotePoints
from pywbms._engine.cluster_cloud import chosen_method
from pywbms._engine.nearest import nearest_rows
from pywbms.result import WBMSResult

# Size of a block of the modes, in numbers.
NUMBERS_PER_BLOCK = 4_000_000
# Number of rows in a picture.
MOST_DRAWN = 5000


class DaskResult(WBMSResult):
    """A clustering of a Dask array or DataFrame.

    `labels` and `outliers` are Dask Series, `modes` and `data` are Dask DataFrames; everything
    else is as in `WBMSResult`. Points that never came to the client stay on the workers, and so do
    the modes; if the cluster was started for the fit, the merged points are here.
    """

    def __init__(self, estimator, collection, na_action):
        super().__init__(estimator, None, collection.names, collection.kept, na_action)
        self._collection = collection

    @property
    def labels(self):
        return self._collection.series(self.estimator.labels_)

    @property
    def outliers(self):
        return self._collection.series(self.estimator.outliers_, "outlier", omitted=False)

    @property
    def modes(self):
        return self._collection.frame(self.estimator.modes_)

    @property
    def data(self):
        return self._collection.frame(self.estimator._X)

    def augment(self, data, name="cluster"):
        """Return the Dask DataFrame that was clustered with the labels as a further column."""
        if not isinstance(data, dd.DataFrame):
            raise ValueError(f"data must be a Dask DataFrame, got {type(data).__name__}")
        if name in data.columns:
            raise ValueError(f"data already has a column {name!r}; give another name=")
        labels = self.labels
        if data.npartitions != labels.npartitions:
            raise ValueError("data must be the Dask DataFrame that was clustered")
        parts = [
            dask.delayed(joined)(part, of_part, name)
            for part, of_part in zip(data.to_delayed(), labels.to_delayed(), strict=True)
        ]
        meta = data._meta.assign(**{name: np.empty(0, dtype=np.int64)})
        divisions = data.divisions if data.known_divisions else None
        return dd.from_delayed(parts, meta=meta, divisions=divisions)

    def plot(self, kind="overview", **options):
        """Draw the result as `WBMSResult.plot` does; of many rows, a sample is fetched."""
        from pywbms import plot

        of_rows = kind in ("overview", "clusters", "embedding")
        return plot.draw(Drawn(self) if of_rows else self, kind, **options)

    def predict(self, data, method=None):
        """Return the cluster of new rows: that of the nearest clustered row.

        Parameters
        ----------
        data : DataFrame or array-like
            In this process.
        method : {"nearest", "follow"}, optional
            "follow" needs a fit of rows of this process, or one with landmarks.

        Returns
        -------
        Series
        """
        if isinstance(data, da.Array | dd.DataFrame):
            raise ValueError("predict takes rows of this process: use data.compute()")
        if chosen_method(method, has_landmarks=False) == "follow":
            raise ValueError("the path of a Dask collection is not recorded; fit with landmarks=")
        table = Table.of(data, self._columns, na_action=self._na_action, names=self._columns)
        model, queries = self.estimator, table.matrix
        array = model._X.rechunk({1: -1})
        blocks = [
            dask.delayed(nearest_in)(block, queries, model.feature_weights_, model._standardizer)
            for block in array.to_delayed().ravel()
        ]
        found = dask.compute(*blocks)
        distance = np.stack([block[0] for block in found])
        edges = starts(array.chunks[0])
        row = np.stack([block[1] + start for block, start in zip(found, edges, strict=True)])
        winner = row[distance.argmin(axis=0), np.arange(len(queries))]
        return table.labels(model.labels_[winner])

    def at(self, k):
        """Raise a ValueError: other partitions need the rows in memory."""
        raise ValueError("other partitions of a Dask collection are not kept; fit it in memory")

    @property
    def layers(self):
        return self.at(None)

    def save(self, path):
        """Raise a ValueError: the rows of a Dask collection are on its workers."""
        raise ValueError(
            "a result of a Dask collection cannot be saved, as its rows are on the workers; fit "
            "them in memory (data.compute()), or write result.labels"
        )

    def with_path(self):
        """Raise a ValueError: the path of rows on the workers is not recorded."""
        raise ValueError("the path of a Dask collection is not recorded; fit it in memory")


class Drawn(WBMSResult):
    """Some rows of a result, drawn at random and fetched, for pictures."""

    def __init__(self, result):
        super().__init__(result.estimator, None, result._columns, None, None)
        n = len(self.estimator.labels_)
        some = np.sort(np.random.default_rng(0).permutation(n)[:MOST_DRAWN])
        rows = self.estimator._X[some].compute()
        self._data = pd.DataFrame(rows, columns=self._columns)
        self._labels = pd.Series(self.estimator.labels_[some], name="cluster")

    @property
    def labels(self):
        return self._labels

    @property
    def data(self):
        return self._data


def joined(part, labels, name):
    """Return a partition with its labels as a further column."""
    if not part.index.equals(labels.index):
        raise ValueError("data must be the Dask DataFrame that was clustered (its index differs)")
    return part.assign(**{name: labels})


def nearest_in(block, queries, weights, standardizer):
    """Return for each query the weighted squared distance of the nearest row, and which it is."""
    winner = nearest_rows(queries, block, weights, standardizer)
    rows, queries = standardizer.forward(block[winner]), standardizer.forward(queries)
    return ((queries - rows) ** 2) @ standardizer.active_weights(weights), winner


def modes_on_workers(workers_stay):
    """Return a function that makes the modes of a Dask collection a Dask array.

    They are made block by block when asked for, from the merged points: where these are on workers
    that are about to go, they come here, and not the modes of all rows.

    Parameters
    ----------
    workers_stay : bool
        Whether the workers outlive the fit.
    """

    def modes_of(points, member, standardizer):
        there = workers_stay and isinstance(points, RemotePoints)
        places = points.futures() if there else [dask.delayed(points.points)]
        step = max(1, NUMBERS_PER_BLOCK // standardizer.n_columns)
        pieces = [member[start : start + step] for start in range(0, len(member), step)]
        return da.concatenate(
            [
                da.from_delayed(
                    dask.delayed(mode_rows)(places, standardizer, piece),
                    (len(piece), standardizer.n_columns),
                    dtype=np.float64,
                )
                for piece in pieces
            ]
        )

    return modes_of


def mode_rows(places, standardizer, member):
    """Return some rows of the modes."""
    return standardizer.backward(np.concatenate([place[member] for place in places], axis=1))
