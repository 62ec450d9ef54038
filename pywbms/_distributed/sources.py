"""Where the rows come from: this process, or blocks on the workers that it never sees."""

import zlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pywbms._data.ordering import row_order
from pywbms._data.standardize import Standardizer
from pywbms._distributed.feature_points import ColumnCloud, Strip, strip_of_rows
from pywbms._distributed.row_points import Home, RowCloud, home_of, outline
from pywbms._engine.points import Cloud

# Features of a strip, at least: fewer are not worth a task.
LEAST_WIDTH = 8


class LocalSource:
    """Rows of this process.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Finite float64 data.
    standardize : bool

    Attributes
    ----------
    shape : (n, p)
    order : ndarray of shape (n,)
        The caller's row that each row of the cloud is.
    units : Standardizer
    checksums : ndarray of shape (p,)
        Of the columns, their rows in that order: a checkpoint of other data is not gone on with.
    """

    near = True  # the rows are in this process

    def __init__(self, X, standardize):
        self._X = X
        self.shape = X.shape
        self.order = row_order(X)
        rows = X[self.order]
        self.units = Standardizer(rows, standardize)
        self.checksums = checksums(rows)

    def rows(self):
        """Return the rows in the cloud's order and coordinates."""
        return self.units.forward(self._X[self.order])

    def at_home(self, merge, n_threads):
        """Return the cloud at the start, in this process."""
        return Cloud(self.rows(), merge, n_threads)

    def in_rows(self, pool, merge, eps, folded):
        """Return the cloud at the start, in the layout for many rows."""
        home = pool.submit("home", home_of, pool.scatter(self.rows()), merge)
        return RowCloud(pool, home, *pool.result(pool.submit("start", outline, home)), eps, folded)

    def in_columns(self, pool, merge, eps, folded):
        """Return the cloud at the start, in the layout for many features."""
        rows = self.rows()
        widths = strip_widths(rows.shape[1], pool.size)
        edges = np.concatenate([[0], np.cumsum(widths)])
        strips = [
            pool.submit(
                "strip",
                strip_of_rows,
                pool.scatter(np.ascontiguousarray(rows[:, first:last])),
                part=part,
            )
            for part, (first, last) in enumerate(pairwise(edges))
        ]
        cloud = ColumnCloud(pool, strips, widths, merge, len(rows), eps, folded)
        if merge:
            fold_equal(cloud, (rows[1:] != rows[:-1]).any(axis=1))
        return cloud


@dataclass(frozen=True)
class Prepared:
    """Rows on a worker: in which order they are, in which units, and the cloud they make."""

    order: np.ndarray
    units: Standardizer
    checksums: np.ndarray
    home: Home


class DaskSource:
    """Rows in the blocks of a Dask array; they never come here.

    Parameters
    ----------
    array : dask.array.Array of shape (n, p)
        Finite float64 data, its chunks known.
    pool : WorkerPool
    layout : {"rows", "columns"}
    standardize, merge : bool
    """

    near = False
    rows = None

    def __init__(self, array, pool, layout, standardize, merge):
        self._array = array
        self._standardize = standardize
        self._merge = merge
        self.shape = array.shape
        self._set_out(pool, layout)

    def _set_out(self, pool, layout):
        self._pool = pool
        if layout == "rows":
            blocks = block_futures(pool, self._array)
            prepared = pool.submit("prepare", prepare, blocks, self._standardize, self._merge)
            self._home = pool.submit("home", home_in, prepared)
            known = pool.result(pool.submit("units", what_is_known, prepared))
            self.order, self.units, self.checksums = known
            return
        widths = strip_widths(self.shape[1], pool.size)
        array = self._array.rechunk({0: -1, 1: tuple(widths)})
        (blocks,) = block_futures(pool, array)
        ranks = pool.results([pool.submit("rank", rank_of, block) for block in blocks])
        self.order = np.lexsort(ranks[::-1])
        found = [
            pool.submit("units", strip_units, block, self.order, self._standardize)
            for block in blocks
        ]
        units, sums = zip(*pool.results(found), strict=True)
        self.units = Standardizer.of_strips(units)
        self.checksums = np.concatenate(sums)
        self._strips = [
            (
                pool.submit("strip", strip_in, block, self.order, own, part=part),
                int(own.active.sum()),
            )
            for part, (block, own) in enumerate(zip(blocks, units, strict=True))
            if own.active.any()
        ]
        differ = [pool.submit("differ", differences, strip) for strip, _ in self._strips]
        self._differ = np.logical_or.reduce(pool.results(differ)) if differ else None

    def some_rows(self, index):
        """Return a future of some rows, in the caller's units."""
        blocks = block_futures(self._pool, self._array)
        return self._pool.submit("sample", rows_of, blocks, index)

    def in_rows(self, pool, merge, eps, folded):
        """Return the cloud at the start, in the layout for many rows."""
        if pool is not self._pool:
            self._set_out(pool, "rows")
        member, mass, p = pool.result(pool.submit("start", outline, self._home))
        return RowCloud(pool, self._home, member, mass, p, eps, folded)

    def in_columns(self, pool, merge, eps, folded):
        """Return the cloud at the start, in the layout for many features."""
        if pool is not self._pool:
            self._set_out(pool, "columns")
        strips, widths = map(list, zip(*self._strips, strict=True))
        cloud = ColumnCloud(pool, strips, widths, merge, self.shape[0], eps, folded)
        if merge:
            fold_equal(cloud, self._differ)
        return cloud


def rows_of(blocks, index):
    """Return some rows of blocks put together."""
    return np.block(blocks)[index]


def strip_widths(p, n_workers):
    """Return how many features each strip has, about as many strips as workers.

    Examples
    --------
    >>> strip_widths(100, 3)
    [33, 33, 34]
    """
    strips = max(1, min(n_workers, p // LEAST_WIDTH))
    return np.diff([p * strip // strips for strip in range(strips + 1)]).tolist()


def fold_equal(cloud, differs):
    """Fold rows of a cloud that are equal to the row before."""
    labels = np.concatenate([[0], np.cumsum(differs)]).astype(np.intp)
    if labels[-1] + 1 < len(labels):
        cloud.fold_into(labels)


def block_futures(pool, array):
    """Return the blocks of a Dask array as futures, a list of lists."""
    grid = array.to_delayed()
    futures = pool.adopt(pool.client.compute(grid.ravel().tolist()))
    return np.array(futures, dtype=object).reshape(grid.shape).tolist()


def prepare(blocks, standardize, merge):
    """Put blocks together and make a cloud of them, as a fit on one machine does."""
    X = np.block(blocks)
    order = row_order(X)
    rows = X[order]
    del X
    units = Standardizer(rows, standardize)
    sums = checksums(rows)
    return Prepared(order, units, sums, Home(units.forward(rows), merge, 1))


def home_in(prepared):
    """Return the cloud of what was prepared."""
    return prepared.home


def what_is_known(prepared):
    """Return what the client has to know of what was prepared."""
    return prepared.order, prepared.units, prepared.checksums


def checksums(rows):
    """Return a checksum of each column.

    Examples
    --------
    >>> sums = checksums(np.array([[0.0, -0.0, 1.0], [2.0, 2.0, 2.0]]))
    >>> bool(sums[0] == sums[1]), bool(sums[0] == sums[2])
    (True, False)
    """
    return np.array([zlib.crc32(column + 0.0) for column in rows.T], dtype=np.uint32)


def rank_of(block):
    """Return the rank of each row among these columns, as `row_order` sorts them."""
    order = row_order(block)
    rows = block[order] + 0.0
    rank = np.empty(len(block), dtype=np.intp)
    rank[order] = np.concatenate([[0], np.cumsum((rows[1:] != rows[:-1]).any(axis=1))])
    return rank


def strip_units(block, order, standardize):
    """Return the units of some columns, and their checksums."""
    rows = block[order]
    return Standardizer(rows, standardize), checksums(rows)


def strip_in(block, order, units):
    """Return the strip of some columns at the start."""
    rows = units.forward(block[order])
    return Strip(rows, rows, np.zeros(rows.shape[1]))


def differences(strip):
    """Tell of each row but the first whether it differs from the one before."""
    return (strip.points[1:] != strip.points[:-1]).any(axis=1)
