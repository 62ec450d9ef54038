"""Labels of many rows in a file that is written block by block, in full or not at all."""

from pathlib import Path

import numpy as np
import pandas as pd

from pywbms._data.atomic import atomic_path
from pywbms._streams.sources import CSV, IPC, PARQUET, SUFFIXES, arrow


def write_labels(blocks, path):
    """Write the columns row and cluster.

    Parameters
    ----------
    blocks : iterable of ndarray
        The labels, in order.
    path : path
    """
    suffix = suffix_of(path)
    with atomic_path(path) as new:
        if suffix in CSV:
            write_text(blocks, new, CSV[suffix] or ",")
        else:
            write_arrow(blocks, new, suffix)


def suffix_of(path):
    """Return the suffix that tells the format of a label file, or raise a ValueError."""
    suffixes = [one.lower() for one in Path(path).suffixes if one.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in SUFFIXES:
        raise ValueError(f"cannot write {path}: the suffix must be one of {', '.join(SUFFIXES)}")
    return suffix


def tables(blocks):
    """Yield the labels as tables with the numbers of the rows, from 0."""
    start = 0
    for labels in blocks:
        rows = np.arange(start, start + len(labels))
        yield pd.DataFrame({"row": rows, "cluster": labels.astype(np.int64)})
        start += len(labels)


def write_text(blocks, path, separator):
    """Write labels as text, compressed if the name ends in .gz."""
    # As a handle: to append to a compressed file by its name would make many of it.
    compressed = path.suffix.lower() == ".gz"
    opener = __import__("gzip").open if compressed else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        for number, table in enumerate(tables(blocks)):
            table.to_csv(file, sep=separator, index=False, header=number == 0)


def write_arrow(blocks, path, suffix):
    """Write labels as a Parquet or an Arrow file."""
    lib = arrow("lib")
    schema = lib.schema([("row", lib.int64()), ("cluster", lib.int64())])
    if suffix in PARQUET:
        writer = arrow("parquet").ParquetWriter(path, schema)
    else:
        assert suffix in IPC
        writer = arrow("ipc").new_file(str(path), schema)
    with writer:
        for table in tables(blocks):
            writer.write_table(lib.Table.from_pandas(table, schema, preserve_index=False))
