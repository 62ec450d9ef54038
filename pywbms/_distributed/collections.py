"""Dask arrays and DataFrames: checked where they are, block by block."""

from dataclasses import dataclass

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import futures_of

from pywbms._data.checks import (
    LARGEST_UNSCALED,
    is_numeric,
    not_finite,
    not_numeric,
    require_squarable,
)
from pywbms._data.table import chosen_columns, numeric_matrix, require_distinct
from pywbms._distributed.sources import block_futures
from pywbms._terminal.wording import quoted


@dataclass(frozen=True)
class Flaws:
    """Where a block has values that cannot be clustered: rows and columns."""

    nan: tuple
    infinite: tuple
    huge: np.ndarray


class Collection:
    """A Dask array or DataFrame as a matrix of float64 on the workers.

    Parameters
    ----------
    data : dask.array.Array or dask.dataframe.DataFrame
    columns : name or list of names, optional
    na_action : {"raise", "omit"}
    pool : WorkerPool

    Attributes
    ----------
    names : Index
        Names of the columns.
    kept : ndarray of bool
        Which rows are to be clustered.
    array, held : dask.array.Array
        These rows, to be computed, and in the workers' memory once they are checked.
    """

    def __init__(self, data, columns, na_action, pool):
        self._data = data
        self._is_array = isinstance(data, da.Array)
        if self._is_array:
            self._take_array(data, columns)
        else:
            self._take_frame(data, columns, pool)
        if self.array.shape[1] == 0:
            raise ValueError("the data have no columns (0 feature(s))")
        if self.array.shape[0] == 0:
            raise ValueError("the data have no rows (0 sample(s))")
        self.kept = np.ones(self.array.shape[0], dtype=bool)
        if na_action == "omit":
            self._omit(pool)
        self.held = None

    def _take_array(self, array, columns):
        if array.ndim != 2:
            raise ValueError(
                "data must be a DataFrame or a two-dimensional array, "
                f"got a Dask array of {array.ndim} dimension(s)"
            )
        if np.dtype(array.dtype).kind not in "buif":
            raise ValueError(f"data must be numbers, got a Dask array of dtype {array.dtype}")
        if np.isnan(array.shape).any():
            array = array.compute_chunk_sizes()
        self.names = pd.RangeIndex(array.shape[1])
        if columns is not None:
            self.names = pd.Index([columns] if np.isscalar(columns) else list(columns))
            missing = [name for name in self.names if name not in range(array.shape[1])]
            if missing:
                raise ValueError(f"columns that are not in the data: {quoted(missing)}")
            array = array[:, self.names.to_numpy()]
        self.array = array.astype(np.float64)
        self._lengths = list(array.chunks[0])

    def _take_frame(self, frame, columns, pool):
        self.names = chosen_columns(frame._meta, columns).columns
        require_distinct(self.names)
        names = list(self.names)
        if not names:
            raise ValueError("the data have no columns (0 feature(s))")
        # Only the workers can tell what an object column holds.
        known = [name for name in names if frame._meta[name].dtype != object]
        unusable = [name for name in known if not is_numeric(frame._meta[name])]
        if unusable:
            raise not_numeric(frame._meta, unusable)
        blocks = [dask.delayed(matrix_of, pure=True)(part, names) for part in frame.to_delayed()]
        counts = pool.adopt(pool.client.compute([dask.delayed(len)(block) for block in blocks]))
        self._lengths = pool.results(counts)
        blocks = [
            da.from_delayed(block, (length, len(names)), dtype=np.float64)
            for block, length in zip(blocks, self._lengths, strict=True)
            if length
        ]
        self.array = da.concatenate(blocks) if blocks else da.zeros((0, len(names)))

    def _omit(self, pool):
        """Omit rows with missing values."""
        array = self.array.rechunk({1: -1})
        blocks = [block for (block,) in block_futures(pool, array)]
        found = pool.results([pool.submit("complete", complete, block) for block in blocks])
        self.kept = np.concatenate(found)
        if not self.kept.any():
            raise ValueError(
                "no rows are left: every row has a missing or infinite value (na_action='omit')"
            )
        if not self.kept.all():
            self.array = array[np.flatnonzero(self.kept)]

    def check(self, pool, standardize):
        """Load the rows; raise a ValueError that names columns which cannot be used."""
        self.hold(pool)
        blocks = [block for line in block_futures(pool, self.held) for block in line]
        found = iter(pool.results([pool.submit("check", flaws, block) for block in blocks]))
        rows = {"NaN": set(), "infinite values": set()}
        columns = {"NaN": set(), "infinite values": set()}
        huge = set()
        for row in starts(self.array.chunks[0]):
            for column in starts(self.array.chunks[1]):
                flaw = next(found)
                for what, where in (("NaN", flaw.nan), ("infinite values", flaw.infinite)):
                    rows[what].update((where[0] + row).tolist())
                    columns[what].update((where[1] + column).tolist())
                huge.update((flaw.huge + column).tolist())
        position = np.flatnonzero(self.kept)
        for what, bad in columns.items():
            if bad:
                names = [self.names[column] for column in sorted(bad)]
                raise not_finite(what, names, position[min(rows[what])], len(rows[what]))
        if not standardize and huge:
            too_large = np.zeros((1, len(self.names)))
            too_large[0, sorted(huge)] = np.finfo(float).max
            require_squarable(too_large, self.names)

    def hold(self, pool):
        """Load the rows into the workers' memory, unless they are there.

        Dask loads what a lost worker held again; but a restart of the cluster cancels it.
        """
        if self.held is None or any(
            future.status in ("cancelled", "lost") for future in futures_of(self.held)
        ):
            self.held = pool.client.persist(self.array)

    def release(self):
        """Free the memory of the workers."""
        self.held = None

    def series(self, labels, name="cluster", omitted=-1):
        """Return labels of the rows as a Dask Series like the data; −1 for omitted rows."""
        every = np.full(len(self.kept), omitted)
        every[self.kept] = labels
        pieces = np.split(every, np.cumsum(self._lengths)[:-1])
        meta = pd.Series(every[:0], name=name)
        if self._is_array:
            first = starts(self._lengths)
            parts = [
                dask.delayed(numbered)(piece, start, name)
                for piece, start in zip(pieces, first, strict=True)
            ]
            divisions = (*first, len(every) - 1)
        else:
            meta.index = self._data._meta.index
            parts = [
                dask.delayed(labelled)(part, piece, name)
                for part, piece in zip(self._data.to_delayed(), pieces, strict=True)
            ]
            divisions = self._data.divisions if self._data.known_divisions else None
        return dd.from_delayed(parts, meta=meta, divisions=divisions)

    def frame(self, array):
        """Return rows that were clustered as a Dask DataFrame."""
        return dd.from_dask_array(array.rechunk({1: -1}), columns=list(self.names))


def is_collection(data):
    """Tell whether data is a Dask array or DataFrame."""
    return isinstance(data, da.Array | dd.DataFrame)


def starts(lengths):
    """Return where pieces of these lengths begin.

    Examples
    --------
    >>> starts([3, 2, 4])
    [0, 3, 5]
    """
    return np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(int).tolist()


def matrix_of(partition, names):
    """Return some columns of a DataFrame as float64."""
    if not len(partition):
        return np.empty((0, len(names)))
    return numeric_matrix(partition[names])


def complete(block):
    """Tell of each row whether no value is missing or infinite."""
    return np.isfinite(block).all(axis=1)


def flaws(block):
    """Return where a block has values that cannot be clustered."""
    nan, infinite = np.isnan(block), np.isinf(block)
    return Flaws(
        (np.flatnonzero(nan.any(axis=1)), np.flatnonzero(nan.any(axis=0))),
        (np.flatnonzero(infinite.any(axis=1)), np.flatnonzero(infinite.any(axis=0))),
        np.flatnonzero((np.abs(block) > LARGEST_UNSCALED).any(axis=0)),
    )


def numbered(labels, start, name):
    """Return labels as a Series that counts its rows from a start."""
    return pd.Series(labels, index=pd.RangeIndex(start, start + len(labels)), name=name)


def labelled(partition, labels, name):
    """Return labels as a Series with the index of a partition."""
    return pd.Series(labels, index=partition.index, name=name)
