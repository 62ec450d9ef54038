"""Tables on disk, read a block of rows at a time: Parquet, Arrow IPC, CSV, Arrow datasets.

pyarrow is loaded only for what needs it; CSV is read by pandas.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pywbms._data.checks import not_finite
from pywbms._data.table import NA_ACTIONS, chosen_columns, numeric_columns, numeric_matrix

PARQUET, IPC = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")
CSV = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None}
SUFFIXES = (*PARQUET, *IPC, *CSV)

# Numbers of a block.
NUMBERS_PER_BLOCK = 2**21
LEAST_BLOCK = 4096


def is_stream(data: Any) -> bool:
    """Tell whether data are a path, or an Arrow dataset, rather than a table in memory."""
    if isinstance(data, os.PathLike):
        return True
    return isinstance(data, str) or is_dataset(data)


def is_dataset(data: Any) -> bool:
    """Tell whether data are an Arrow dataset; pyarrow is not loaded for that."""
    return any(cls.__module__.startswith("pyarrow._dataset") for cls in type(data).__mro__)


def arrow(module: str) -> Any:
    """Return a module of pyarrow, or raise an ImportError that says what to do."""
    try:
        return __import__(f"pyarrow.{module}", fromlist=[module])
    except ImportError as error:
        raise ImportError(
            "Parquet, Arrow files and datasets need pyarrow: pip install 'pywbms[parquet]'"
        ) from error


class Stream:
    """A table whose rows are read a block at a time, as often as need be.

    Parameters
    ----------
    data : path or pyarrow.dataset.Dataset
        A folder is taken as a dataset of Parquet files.
    columns : name or list of names, optional
        The columns to use; all of them by default.
    na_action : {"raise", "omit"}
    numeric_only : bool
        Leave out the columns that are not numeric.
    separator : str, optional
        Of a text file, if the suffix does not tell.

    Attributes
    ----------
    name : str
    columns : Index
    n_rows : int or None
        None if that is not known before the end of a text file is reached.
    """

    def __init__(
        self, data, columns=None, na_action="raise", numeric_only=False, separator=None
    ):  # fmt: skip
        if na_action not in NA_ACTIONS or na_action == "impute":
            raise ValueError(
                f"na_action must be 'raise' or 'omit' for a table that is not in memory, "
                f"got {na_action!r}"
            )
        self._omit = na_action == "omit"
        self._data, self._separator = data, separator
        self.name = "the dataset"
        self._suffix = None
        if not is_dataset(data):
            self._open_path(Path(data))
        elif not hasattr(data, "scanner"):
            raise TypeError(f"data must be a path or a dataset, got {type(data).__name__}")
        first = self._looked_into()
        if first is None:
            raise ValueError(f"{self.name} has no rows")
        chosen = chosen_columns(first, columns)
        chosen = numeric_columns(chosen) if numeric_only else chosen
        numeric_matrix(chosen)  # its messages name the columns
        self.columns = chosen.columns

    def _looked_into(self):
        """Count the rows, if that is quick; return some of them, None if there are none."""
        try:
            self.n_rows = self._count()
            return next(self._frames(1000, None), None)
        except (OSError, ValueError) as error:  # of pyarrow and pandas, which do not name the file
            raise ValueError(f"cannot read {self.name}: {error}") from error

    def _open_path(self, path):
        self._data, self.name = path, str(path)
        if path.is_dir():
            self._data = arrow("dataset").dataset(path, format="parquet")
            return
        if not path.exists():
            raise FileNotFoundError(f"there is no file {path}")
        suffixes = [one for one in path.suffixes if one.lower() != ".gz"]
        self._suffix = suffixes[-1].lower() if suffixes else ""
        if self._suffix not in SUFFIXES:
            raise ValueError(
                f"{path}: a table that is read in blocks must be one of {', '.join(SUFFIXES)}"
            )

    def _count(self):
        if self._suffix in PARQUET:
            with arrow("parquet").ParquetFile(self._data) as file:
                return file.metadata.num_rows
        if self._suffix in CSV:
            return None
        return self._dataset().count_rows()

    def _dataset(self):
        if self._suffix in IPC:
            return arrow("dataset").dataset(self._data, format="ipc")
        return self._data

    @property
    def block(self):
        """Number of rows of a block."""
        return max(LEAST_BLOCK, NUMBERS_PER_BLOCK // max(1, len(self.columns)))

    def blocks(self):
        """Yield matrices of float64, and of each row whether it is kept: it has no gaps.

        The matrices have the rows that are kept only.
        """
        start = 0
        for frame in self._frames(self.block, list(self.columns)):
            matrix = numeric_matrix(frame)
            kept = np.isfinite(matrix).all(axis=1)
            if not kept.all() and not self._omit:
                raise self._gaps(matrix, start)
            yield matrix if kept.all() else matrix[kept], kept
            start += len(matrix)

    def frame(self):
        """Return the whole table."""
        frames = list(self._frames(self.block, list(self.columns)))
        return pd.concat(frames, ignore_index=True)

    def _gaps(self, matrix, start):
        for what, bad in (("NaN", np.isnan(matrix)), ("infinite values", np.isinf(matrix))):
            if bad.any():
                rows = bad.any(axis=1)
                names = list(self.columns[bad.any(axis=0)])
                return not_finite(what, names, start + int(rows.argmax()), int(rows.sum()))
        raise AssertionError("there are no gaps")

    def _frames(self, rows, columns):
        """Yield tables of at most so many rows."""
        if self._suffix in PARQUET:
            with arrow("parquet").ParquetFile(self._data) as file:
                for batch in file.iter_batches(rows, columns=columns, use_threads=False):
                    if batch.num_rows:
                        yield batch.to_pandas()
        elif self._suffix in CSV:
            separator = self._separator or CSV[self._suffix] or ","
            with pd.read_csv(
                self._data, sep=separator, usecols=columns, chunksize=rows, skipinitialspace=True
            ) as reader:
                for frame in reader:
                    yield frame if columns is None else frame[columns]
        else:
            scanner = self._dataset().scanner(
                columns=columns, batch_size=rows, use_threads=False, batch_readahead=1,
                fragment_readahead=1,
            )  # fmt: skip
            for batch in scanner.to_batches():
                if batch.num_rows:
                    yield batch.to_pandas()
