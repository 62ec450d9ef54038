"""Where the rows come from: this process, or blocks on the workers that never come here."""

import zlib
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pywbms._data.ordering import row_order
from pywbms._data.standardize import Standardizer
from pywbms._distributed.feature_blocks import FeatureBlock, start_block
from pywbms._distributed.feature_points import FeaturePoints
from pywbms._distributed.host_points import HostPoints, start_host
from pywbms._distributed.row_points import RowPoints
from pywbms._engine.local_points import group_equal

# Least number of features in a block: fewer are not worth a task.
LEAST_WIDTH = 8


class LocalRows:
    """Rows of this process.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Finite float64 data.

    Attributes
    ----------
    shape : (n, p)
    order : ndarray of shape (n,)
        The caller's row that each row of the fit is.
    standardizer : Standardizer
    checksums : ndarray of shape (p,)
        Of the columns, their rows in that order: by them a checkpoint knows its data.
    """

    local = True

    def __init__(self, X):
        self.X = X
        self.shape = X.shape
        self.order = None

    def prepare(self, pool, layout, settings):
        """Order and standardise the rows, unless that is done."""
        if self.order is None:
            self.order = row_order(self.X)
            rows = self.X[self.order]
            self.standardizer = Standardizer.of(rows, settings.standardize)
            self.checksums = checksums(rows)

    def working_rows(self):
        """Return the rows in the fit's order, in working coordinates."""
        return self.standardizer.forward(self.X[self.order])

    def training_rows(self):
        """Return the rows that `predict` needs."""
        return self.X

    def start(self, pool, layout, settings):
        """Return the points at the start, on the workers."""
        rows = self.working_rows()
        if layout == "rows":
            host = pool.submit("host", start_host, pool.scatter(rows), on_host(settings))
            return RowPoints(pool, settings, host)
        widths = block_widths(rows.shape[1], pool.size)
        blocks = [
            pool.submit(
                "block", start_block, pool.scatter(np.ascontiguousarray(rows[:, first:last])),
                part=part,
            )
            for part, (first, last) in enumerate(pairwise(np.concatenate([[0], np.cumsum(widths)])))
        ]  # fmt: skip
        points = FeaturePoints(pool, settings, blocks, widths, len(rows))
        merge_equal(points, (rows[1:] != rows[:-1]).any(axis=1))
        return points


@dataclass(frozen=True)
class Prepared:
    """Rows on a worker: their order, their coordinates, and the points they make."""

    order: np.ndarray
    standardizer: Standardizer
    checksums: np.ndarray
    host: HostPoints


class CollectionRows:
    """Rows in the blocks of a Dask array; they never come here.

    Parameters
    ----------
    collection : Collection
        Its rows are in the workers' memory.
    """

    local = False
    working_rows = None

    def __init__(self, collection):
        self._collection = collection
        self.shape = collection.array.shape

    def prepare(self, pool, layout, settings):
        """Order and standardise the rows, on the workers of a pool."""
        prepare = self._prepare_rows if layout == "rows" else self._prepare_columns
        prepare(pool, self._collection.held, settings)

    def _prepare_rows(self, pool, array, settings):
        blocks = block_futures(pool, array)
        prepared = pool.submit("prepare", prepare_host, blocks, on_host(settings))
        self._host = pool.submit("host", host_in, prepared)
        known = pool.run("units", what_is_known, prepared)
        self.order, self.standardizer, self.checksums = known

    def _prepare_columns(self, pool, array, settings):
        widths = block_widths(self.shape[1], pool.size)
        (blocks,) = block_futures(pool, array.rechunk({0: -1, 1: tuple(widths)}))
        ranks = pool.results([pool.submit("rank", rank_of, block) for block in blocks])
        self.order = np.lexsort(ranks[::-1])
        found = [
            pool.submit("units", standardize_block, block, self.order, settings.standardize)
            for block in blocks
        ]
        parts, sums = zip(*pool.results(found), strict=True)
        self.standardizer = Standardizer.side_by_side(parts)
        self.checksums = np.concatenate(sums)
        self._blocks = [
            (
                pool.submit("block", block_in, block, self.order, own, part=part),
                int(own.active.sum()),
            )
            for part, (block, own) in enumerate(zip(blocks, parts, strict=True))
            if own.active.any()
        ]
        differ = [pool.submit("differ", differences, block) for block, _ in self._blocks]
        self._differ = np.logical_or.reduce(pool.results(differ)) if differ else None

    def start(self, pool, layout, settings):
        """Return the points at the start, on the workers."""
        if layout == "rows":
            return RowPoints(pool, settings, self._host)
        blocks, widths = map(list, zip(*self._blocks, strict=True))
        points = FeaturePoints(pool, settings, blocks, widths, self.shape[0])
        merge_equal(points, self._differ)
        return points

    def training_rows(self):
        """Return the rows that `predict` needs, as a Dask array."""
        return self._collection.array

    def some_rows(self, pool, index):
        """Return some rows, in the caller's units."""
        return pool.run("sample", rows_of, block_futures(pool, self._collection.held), index)


def on_host(settings):
    """Return the settings of points on their host, which uses one thread."""
    return replace(settings, n_jobs=1)


def block_widths(p, n_workers):
    """Return the number of features in each block, about as many blocks as workers.

    Examples
    --------
    >>> block_widths(100, 3)
    [33, 33, 34]
    """
    blocks = max(1, min(n_workers, p // LEAST_WIDTH))
    return np.diff([p * block // blocks for block in range(blocks + 1)]).tolist()


def merge_equal(points, differs):
    """Merge rows that are equal to the row before, if merging is asked for."""
    labels = group_equal(differs)
    if points.settings.merge and labels[-1] + 1 < len(labels):
        points.merge_into(labels)


def block_futures(pool, array):
    """Return the blocks of a Dask array as futures, a list of lists."""
    grid = array.to_delayed()
    futures = pool.adopt(pool.client.compute(grid.ravel().tolist()))
    return np.array(futures, dtype=object).reshape(grid.shape).tolist()


def checksums(rows):
    """Return a checksum of each column.

    Examples
    --------
    >>> sums = checksums(np.array([[0.0, -0.0, 1.0], [2.0, 2.0, 2.0]]))
    >>> bool(sums[0] == sums[1]), bool(sums[0] == sums[2])
    (True, False)
    """
    return np.array([zlib.crc32(column + 0.0) for column in rows.T], dtype=np.uint32)


# Tasks


def rows_of(blocks, index):
    """Return some rows of blocks put together."""
    return np.block(blocks)[index]


def prepare_host(blocks, settings):
    """Put blocks together and make points of them, as a fit on one machine does."""
    X = np.block(blocks)
    order = row_order(X)
    rows = X[order]
    del X
    standardizer = Standardizer.of(rows, settings.standardize)
    sums = checksums(rows)
    return Prepared(order, standardizer, sums, start_host(standardizer.forward(rows), settings))


def host_in(prepared):
    """Return the points of what was prepared."""
    return prepared.host


def what_is_known(prepared):
    """Return what the client has to know of what was prepared."""
    return prepared.order, prepared.standardizer, prepared.checksums


def rank_of(block):
    """Return the rank of each row among these columns, as `row_order` sorts them."""
    order = row_order(block)
    rows = block[order] + 0.0
    rank = np.empty(len(block), dtype=np.intp)
    rank[order] = group_equal((rows[1:] != rows[:-1]).any(axis=1))
    return rank


def standardize_block(block, order, standardize):
    """Return the standardizer of some columns, and their checksums."""
    rows = block[order]
    return Standardizer.of(rows, standardize), checksums(rows)


def block_in(block, order, standardizer):
    """Return the feature block of some columns at the start."""
    return start_block(standardizer.forward(block[order]))


def differences(block: FeatureBlock):
    """Tell of each row but the first whether it differs from the one before."""
    return (block.points[1:] != block.points[:-1]).any(axis=1)
