"""Where the rows come from: this process, or blocks on the workers that never come here."""

import zlib
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pywbms._data.donors import (
    donor_distances,
    leaders,
    mostly_far,
    nearest_donors,
    take_from_donors,
)
from pywbms._data.ordering import row_order
from pywbms._data.standardize import Standardizer, is_robust, varying_columns
from pywbms._distributed.feature_blocks import FeatureBlock, start_block
from pywbms._distributed.feature_points import FeaturePoints
from pywbms._distributed.host_points import HostPoints, start_host
from pywbms._distributed.row_points import RowPoints
from pywbms._engine.local_points import followers, group_equal

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
        return self.standardizer.working(self.X[self.order])

    def training_rows(self):
        """Return the rows that `predict` needs."""
        return self.X

    def start_rows(self, settings):
        """Return the arguments of `LocalPoints.at_start`."""
        points, leader = self.standardizer.start(self.X[self.order])
        return points, settings, leader

    def start(self, pool, layout, settings):
        """Return the points at the start, on the workers."""
        rows, _, leader = self.start_rows(settings)
        if layout == "rows":
            host = pool.submit("host", start_host, pool.scatter(rows), on_host(settings), leader)
            return RowPoints(pool, settings, host)
        counted, member = followers(leader, len(rows))
        rows = rows[counted]
        widths = block_widths(rows.shape[1], pool.size)
        blocks = [
            pool.submit(
                "block", start_block, pool.scatter(np.ascontiguousarray(rows[:, first:last])),
                part=part,
            )
            for part, (first, last) in enumerate(pairwise(np.concatenate([[0], np.cumsum(widths)])))
        ]  # fmt: skip
        points = FeaturePoints(pool, settings, blocks, widths, member)
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
        self._collection.hold(pool)
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
        count, outliers = self._far(pool, blocks, settings.standardize)
        found = [
            pool.submit(
                "units", standardize_block, block, self.order, settings.standardize, outliers
            )
            for block in blocks
        ]
        parts, sums = zip(*pool.results(found), strict=True)
        self.standardizer = Standardizer.side_by_side(parts)
        self.checksums = np.concatenate(sums)
        parts = self.standardizer.split(widths)
        donors, leader = self._donors(pool, blocks, parts, count, outliers)
        counted, self._member = followers(leader, self.shape[0])
        self._blocks = [
            (
                pool.submit("block", block_in, block, self.order, own, donors, counted, part=part),
                int(own.active.sum()),
            )
            for part, (block, own) in enumerate(zip(blocks, parts, strict=True))
            if own.active.any()
        ]
        differ = [pool.submit("differ", differences, block) for block, _ in self._blocks]
        self._differ = np.logical_or.reduce(pool.results(differ)) if differ else None

    def _far(self, pool, blocks, standardize):
        """Return the number of far values in each row of the fit, and which are outliers."""
        if not is_robust(standardize):
            return np.zeros(self.shape[0]), np.zeros(self.shape[0], dtype=bool)
        found = [pool.submit("far", far_in, block, self.order, standardize) for block in blocks]
        counts, varying = zip(*pool.results(found), strict=True)
        count = np.sum(counts, axis=0)
        return count, mostly_far(count, sum(varying))

    def _donors(self, pool, blocks, parts, count, outliers):
        """Return rows with far values, whether they are outliers, and their donors; and leaders.

        None twice if there is nothing to replace.
        """
        some = np.flatnonzero(count)
        if not some.size or outliers.all():
            return None, None
        found = [
            pool.submit("near", distances_in, block, self.order, own, some, outliers[some])
            for block, own in zip(blocks, parts, strict=True)
        ]
        donors = nearest_donors(np.sum(pool.results(found), axis=0), some, outliers)
        leader = leaders(some, donors, outliers) if outliers.any() else None
        return (some, outliers[some], donors), leader

    def start(self, pool, layout, settings):
        """Return the points at the start, on the workers."""
        if layout == "rows":
            return RowPoints(pool, settings, self._host)
        blocks, widths = map(list, zip(*self._blocks, strict=True))
        points = FeaturePoints(pool, settings, blocks, widths, self._member)
        merge_equal(points, self._differ)
        return points

    def training_rows(self):
        """Return the rows that `predict` needs, as a Dask array."""
        return self._collection.array

    def outliers(self, pool, standardizer, weights):
        """Tell of each row whether it is an outlier."""
        blocks = [block for (block,) in block_futures(pool, self._collection.held.rechunk({1: -1}))]
        found = [
            pool.submit("outliers", outliers_in, block, standardizer, weights) for block in blocks
        ]
        return np.concatenate(pool.results(found))

    def some_rows(self, pool, index):
        """Return some rows, in the caller's units."""
        self._collection.hold(pool)
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
    points, leader = standardizer.start(rows)
    return Prepared(order, standardizer, sums, start_host(points, settings, leader))


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


def far_in(block, order, standardize):
    """Return how many values of each row are far among some columns, and how many of them vary."""
    rows = block[order]
    return Standardizer.of(rows, standardize).far_cells(rows), int(varying_columns(rows).sum())


def standardize_block(block, order, standardize, outliers):
    """Return the standardizer of some columns, and their checksums."""
    rows = block[order]
    return Standardizer.of(rows, standardize, outliers), checksums(rows)


def outliers_in(block, standardizer, weights):
    """Tell of each row of a block whether it is an outlier."""
    return standardizer.outliers(block, weights)


def distances_in(block, order, standardizer, some, outliers):
    """Return squared distances of some rows from all, along columns in which they are not far."""
    rows = block[order]
    replaced = standardizer.replaced(rows[some], outliers)
    return donor_distances(standardizer.forward(rows), some, replaced, outliers)


def block_in(block, order, standardizer, donors, counted):
    """Return the feature block of some columns at the start."""
    rows = block[order]
    points = standardizer.forward(rows)
    if donors is not None:
        some, outliers, donors = donors
        take_from_donors(points, some, standardizer.replaced(rows[some], outliers), donors)
    return start_block(points if counted.all() else points[counted])


def differences(block: FeatureBlock):
    """Tell of each row but the first whether it differs from the one before."""
    return (block.points[1:] != block.points[:-1]).any(axis=1)
