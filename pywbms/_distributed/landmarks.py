"""Landmarks of a Dask collection: drawn and followed on the workers, fitted on the client.

Every task depends on the data and on what the client has sent, and always gives the same. So Dask
can do again what a lost worker had done, and no labels change.
"""

from dataclasses import replace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from pywbms._data.ordering import largest_first
from pywbms._distributed.collections import labelled, matrix_of, numbered, starts
from pywbms._distributed.worker_pool import losses, retrying
from pywbms._engine.follower import Follower
from pywbms._engine.landmark_draw import LandmarkDraw
from pywbms._engine.landmark_engine import LandmarkEngine, one_of_each
from pywbms._engine.unreached import Unreached
from pywbms._streams.result import StreamResult
from pywbms.result import WBMSResult

# Results of so many partitions are put together in one task.
MERGED_AT_ONCE = 8


class DaskLandmarkEngine(LandmarkEngine):
    """Fits landmarks of a Dask collection.

    Parameters
    ----------
    client : distributed.Client
    collection : Collection
        Checked.
    settings : Settings
    number : int
        Of landmarks.
    wait : float
        Seconds to wait for a worker when all are gone.
    """

    def __init__(self, client, collection, settings, number, wait):
        self.collection, self._client, self._wait = collection, client, wait
        self._every = np.empty((0, len(collection.names)))
        self._mass_of_rows = self.weights = None
        self._settings = settings.seeded()
        self._n_threads, self._seed = settings.n_threads, self._settings.random_state
        self._private = True
        self._parts = [dask.delayed(kept_rows)(part) for part in matrices(collection)]
        self._draw(number)
        self._followed = self._followed_in = self.sizes = None

    def _draw(self, number):
        p = self._every.shape[1]
        draws = [dask.delayed(draw_of)(part, number, p, self._seed) for part in self._parts]
        draw = self._gathered(merged(draws))
        counts, keys = None, draw.candidates.keys
        if len(keys):
            counted = [dask.delayed(counts_in)(part, keys, self._seed) for part in self._parts]
            counts = self._gathered(dask.delayed(sum)(counted))
        self._X, self.mass = draw.landmarks(counts)
        self.total, self.n_added, self.n_unreached = draw.total, 0, 0.0

    def _gathered(self, wanted):
        """Compute something on the workers, and fetch it."""

        def fetch(pool):
            with losses():
                return pool.client.compute(wanted).result()

        return retrying(self._client, fetch, self._wait)

    @property
    def shape(self):
        """Number of rows and columns, landmarks or not."""
        return int(self.total), self._every.shape[1]

    def _follow(self, cloud, found=None):
        """Have the partitions follow a cloud, which is sent to all workers once."""
        shared = self._client.scatter(cloud, broadcast=True, hash=False)
        threshold = -np.inf if found is None else found.threshold
        most = 1 if found is None else found.most
        followed = [
            dask.delayed(follow_part)(part, shared, threshold, most, self._seed)
            for part in self._parts
        ]
        # The groups stay where they are; only their sizes, and rows out of reach, come here.
        self._kept = self._client.persist(followed)
        told = [dask.delayed(told_of)(one) for one in self._kept]
        sizes, unreached = self._gathered(dask.delayed(together)(told))
        if found is not None:
            found.merge(unreached)
        self._followed = [dask.delayed(groups_of)(one) for one in self._kept]
        self._followed_in, self._sizes, self._shared = cloud, sizes, shared

    def for_caller(self, fitted, groups):
        """Return the fit of the landmarks; the largest cluster of all rows is the first."""
        self._require_followed(fitted.cloud)
        of_group = fitted.labels[one_of_each(fitted.cloud.groups)]
        sizes = np.bincount(of_group, self._sizes, minlength=int(fitted.labels.max()) + 1)
        order = np.argsort(-sizes, kind="stable")
        rank = np.empty(len(order), dtype=fitted.labels.dtype)
        rank[order] = np.arange(len(order))
        self.sizes, self.label_of_group = sizes[order].astype(np.int64), rank[of_group]
        fitted = replace(fitted, labels=rank[fitted.labels], centers=fitted.centers[order])
        return fitted, largest_first(groups, self.mass)

    def label_parts(self):
        """Return the labels of each partition, as delayed arrays; −1 for omitted rows."""
        labels = np.append(self.label_of_group, -1)
        return [dask.delayed(np.take)(labels, groups) for groups in self._followed]

    def label_blocks(self):
        """Yield the labels of all rows, one partition at a time."""
        for part in self.label_parts():
            yield self._gathered(part)

    def outliers(self, fitted):
        """Tell of each landmark whether it is an outlier."""
        return fitted.standardizer.outliers(self._X, fitted.weights)

    def training_rows(self):
        """Return the landmarks."""
        return self._X

    @property
    def landmark_mass(self):
        """The masses of the landmarks."""
        return np.ones(self.n_landmarks) if self.mass is None else self.mass


class DaskLandmarkResult(StreamResult):
    """A clustering of a Dask collection by landmarks; `labels` is a Dask Series on the workers."""

    def __init__(self, engine, sample):
        engine.n_rows = len(engine.collection.kept)
        engine.n_omitted = int((~engine.collection.kept).sum())
        super().__init__(engine, sample, "a Dask collection")

    @property
    def labels(self):
        collection = self._engine.collection
        parts, data = self._engine.label_parts(), collection._data
        if isinstance(data, da.Array):
            lengths = collection._lengths
            first = starts(lengths)
            series = [
                dask.delayed(numbered)(part, start, "cluster")
                for part, start in zip(parts, first, strict=True)
            ]
            divisions = (*first, sum(lengths) - 1)
            return dd.from_delayed(series, meta=meta(pd.RangeIndex(0)), divisions=divisions)
        series = [
            dask.delayed(labelled)(rows, part, "cluster")
            for rows, part in zip(data.to_delayed(), parts, strict=True)
        ]
        divisions = data.divisions if data.known_divisions else None
        return dd.from_delayed(series, meta=meta(data._meta.index), divisions=divisions)


def fit_landmarks(model, client, collection, number, wait):
    """Fit landmarks of a Dask collection; return a `DaskLandmarkResult`."""
    engine = DaskLandmarkEngine(client, collection, model.settings(), number, wait)
    model.fit_with(engine, model.settings())
    kept = np.ones(engine.n_landmarks, dtype=bool)
    index = pd.RangeIndex(engine.n_landmarks)
    sample = WBMSResult(model, index, collection.names, kept, "raise")
    return DaskLandmarkResult(engine, sample)


def matrices(collection):
    """Return the partitions of a collection as delayed matrices, gaps included."""
    data = collection._data
    if isinstance(data, da.Array):
        array = data if len(collection.names) == data.shape[1] else collection.array
        return list(array.astype(np.float64).rechunk({1: -1}).to_delayed().ravel())
    names = list(collection.names)
    return [dask.delayed(matrix_of)(part, names) for part in data.to_delayed()]


def meta(index):
    """Return an empty Series of labels."""
    return pd.Series(np.empty(0, dtype=np.int64), index=index[:0], name="cluster")


def merged(draws):
    """Return a delayed draw from all rows, given those from some each."""
    while len(draws) > 1:
        draws = [
            dask.delayed(merge_draws)(draws[start : start + MERGED_AT_ONCE])
            for start in range(0, len(draws), MERGED_AT_ONCE)
        ]
    return draws[0]


def kept_rows(matrix):
    """Return the rows without gaps, and of each row whether it is one."""
    kept = np.isfinite(matrix).all(axis=1)
    return np.ascontiguousarray(matrix[kept]), kept


def draw_of(part, number, p, seed):
    """Return the draw from a partition."""
    draw = LandmarkDraw(number, p, seed)
    draw.add(part[0])
    return draw


def merge_draws(draws):
    """Return one draw in place of several, which stay as they are."""
    whole = LandmarkDraw(draws[0].number, draws[0].n_columns, draws[0].seed)
    for draw in draws:
        whole.merge(draw)
    return whole


def counts_in(part, keys, seed):
    """Return how many rows of a partition have each of some keys."""
    return LandmarkDraw(1, part[0].shape[1], seed).count(keys, part[0])


def follow_part(part, cloud, threshold, most, seed):
    """Return the groups of a partition's rows, their sizes, and the rows that are not reached."""
    rows, kept = part
    groups = np.full(len(kept), -1, dtype=np.int32)
    found = Unreached(threshold, rows.shape[1], most, seed)
    if len(rows):
        groups[kept], log_sums = Follower(cloud).groups(rows)
        found.add(rows, log_sums)
    sizes = np.bincount(groups[kept], minlength=int(cloud.groups.max()) + 1)
    return groups, sizes, found


def groups_of(followed):
    """Return the groups of a partition's rows."""
    return followed[0]


def told_of(followed):
    """Return what the client has to know of a partition."""
    return followed[1:]


def together(told):
    """Return what the client has to know of all partitions."""
    first = told[0][1]
    found = Unreached(first.threshold, first.n_columns, first.most, first.seed)
    for _, one in told:
        found.merge(one)
    return sum(sizes for sizes, _ in told), found
