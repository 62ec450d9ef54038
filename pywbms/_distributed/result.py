"""The result for data that came as a Dask collection: what has a row each is one, too."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from pywbms._core.nearest import nearest
from pywbms._data.checks import numeric_frame
from pywbms._distributed.remote_points import RemoteCloud
from pywbms.frame import (
    WBMSResult,
    as_frame,
    chosen_columns,
    complete_rows,
    require_finite_where,
)

# Rows of a block of the modes, in numbers.
NUMBERS_A_BLOCK = 4_000_000
# Rows of a picture.
MOST_DRAWN = 5000


class DaskResult(WBMSResult):
    """A clustering of a Dask array or DataFrame.

    `labels` is a Dask Series, `modes` and `data` are Dask DataFrames; everything else is as it is
    in `WBMSResult`. The modes of a cloud that has not collapsed are on the workers, and gone when
    the cluster is; if the cluster was started for the fit, the merged points are here.
    """

    def __init__(self, estimator, collection, na_action):
        super().__init__(estimator, None, collection.names, collection.kept, na_action)
        self._collection = collection

    @property
    def labels(self):
        return self._collection.series(self.estimator.labels_)

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
        """Draw the result, as `WBMSResult.plot` does; of many rows, some are brought here."""
        from pywbms import plot

        return plot.draw(Drawn(self) if kind in ("overview", "clusters") else self, kind, **options)

    def predict(self, data):
        """Return the cluster of new rows: that of the nearest clustered row.

        Parameters
        ----------
        data : DataFrame or array-like
            In this process.

        Returns
        -------
        Series
        """
        if isinstance(data, da.Array | dd.DataFrame):
            raise ValueError("predict takes rows of this process: data.compute()")
        frame = numeric_frame(chosen_columns(as_frame(data, self._columns), self._columns))
        kept = complete_rows(frame, self._na_action)
        queries = frame.to_numpy()
        require_finite_where(kept, queries, frame.columns)
        queries = queries[kept]
        model = self.estimator
        array = model._X.rechunk({1: -1})
        blocks = [
            dask.delayed(nearest_in)(block, queries, model.feature_weights_, model._standardizer)
            for block in array.to_delayed().ravel()
        ]
        found = dask.compute(*blocks)
        distance = np.stack([block[0] for block in found])
        edges = np.concatenate([[0], np.cumsum(array.chunks[0])])
        row = np.stack([block[1] + start for block, start in zip(found, edges[:-1], strict=True)])
        winner = row[distance.argmin(axis=0), np.arange(len(queries))]
        labels = np.full(len(frame), -1)
        labels[kept] = model.labels_[winner]
        return pd.Series(labels, index=frame.index, name="cluster")

    def with_path(self):
        """Raise a ValueError: the path of rows on the workers is not recorded."""
        raise ValueError("the path of a Dask collection is not recorded; fit it in memory")


class Drawn(WBMSResult):
    """Some rows of a result, drawn at random and brought here, for pictures."""

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


def nearest_in(block, queries, weights, units):
    """Return for each query the weighted squared distance of the nearest row, and which it is."""
    if not units.active.any():
        return np.zeros(len(queries)), np.zeros(len(queries), dtype=np.intp)
    weights = weights[units.active]
    rows, queries = units.forward(block), units.forward(queries)
    winner = np.empty(len(queries), dtype=np.intp)
    nearest(queries, rows, weights, np.argsort(-weights, kind="stable"), 1, winner)
    return ((queries - rows[winner]) ** 2) @ weights, winner


def modes_of(end, units, workers_stay):
    """Return where each row ended, as a Dask array in the caller's units.

    Made block by block when asked for, of the merged points: where these are on workers that are
    about to go, they, and not the modes of all rows, come here.
    """
    cloud = end.cloud.inner
    member = end.trace.in_order(cloud.member)
    there = workers_stay and isinstance(cloud, RemoteCloud)
    places = cloud.places() if there else [dask.delayed(cloud.points)]
    step = max(1, NUMBERS_A_BLOCK // len(units.active))
    blocks = [
        da.from_delayed(
            dask.delayed(mode_rows)(places, units, member[start : start + step]),
            (len(member[start : start + step]), len(units.active)),
            dtype=np.float64,
        )
        for start in range(0, len(member), step)
    ]
    return da.concatenate(blocks)


def mode_rows(places, units, member):
    """Return some rows of the modes."""
    points = np.concatenate([place[member] for place in places], axis=1)
    return units.backward(points)
