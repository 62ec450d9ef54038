"""Tables in files, with messages that name the file."""

import importlib
import os
import warnings

import pandas as pd

from pywbms._terminal.errors import naming
from pywbms._terminal.wording import quoted

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
SEPARATORS |= {f"{suffix}.gz": separator for suffix, separator in SEPARATORS.items()}
PARQUET = (".parquet", ".pq")
PICTURES = (".png", ".pdf", ".svg")


def suffix_of(path):
    """Return a path's suffix in lower case, including the one before ".gz".

    Examples
    --------
    >>> from pathlib import Path
    >>> suffix_of(Path("my.table.CSV.gz"))
    '.csv.gz'
    """
    compressed = path.suffix.lower() == ".gz"
    return "".join(path.suffixes[-2:] if compressed else path.suffixes[-1:]).lower()


def require_output(path):
    """Raise an OSError if a file could not be written."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"cannot write {path}: permission denied")


def require_pyarrow():
    """Raise an ImportError that says what to install if pyarrow is missing."""
    try:
        importlib.import_module("pyarrow")  # pandas imports it by itself
    except ImportError as error:
        raise ImportError('Parquet needs pyarrow: pip install "pywbms[parquet]"') from error


def load(path, index):
    """Read a table; its index is a column that identifies the rows, or their numbers.

    Parameters
    ----------
    path : Path
    index : str or None
        The column that identifies the rows. By default the index of the DataFrame that was
        saved, which only Parquet files keep.

    Returns
    -------
    DataFrame
        All columns, including those of the index.
    """
    if suffix_of(path) in PARQUET:
        table = read_parquet(path)
        if table.index.name is not None or not isinstance(table.index, pd.RangeIndex):
            levels = table.index.nlevels
            table = table.reset_index()
            index = list(table.columns[:levels]) if index is None else index
    else:
        table = read_text(path, index)
    if not len(table):
        raise ValueError(f"{path} has no rows")
    if index is None:
        return table.reset_index(drop=True)
    require_columns(table, [index] if isinstance(index, str) else index)
    return table.set_index(index, drop=False)


def read_parquet(path):
    """Read a Parquet file; its column names become strings."""
    require_pyarrow()
    # Opened here because pyarrow's messages for missing or unreadable files say little.
    with naming("read", path), path.open("rb") as file:
        table = pd.read_parquet(file, engine="pyarrow")
    return table.rename(columns=str)


def read_text(path, index):
    """Read a CSV or TSV file, with the index column as text."""
    with naming("read", path), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        require_distinct_header(path)
        try:
            return pd.read_csv(
                path,
                sep=SEPARATORS[suffix_of(path)],
                index_col=False,  # otherwise an extra field per row shifts all columns
                low_memory=False,  # whole columns at once, so that each has one type
                converters={index: str} if index is not None else None,  # "007" and "NA" stay
            )
        except pd.errors.ParserWarning as warning:
            raise ValueError("some rows have more fields than the header") from warning


def require_distinct_header(path):
    """Raise a ValueError for duplicate column names, which pandas would rename."""
    separator = SEPARATORS[suffix_of(path)]
    header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str).iloc[0].dropna()
    repeated = header[header.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"duplicate column names: {quoted(repeated)}")
    if len(header) == 1 and separator == "," and ";" in header.iloc[0]:
        raise ValueError("columns seem to be separated by semicolons, not commas")


def write_table(table, path):
    """Write a table in the format of the path's suffix."""
    with naming("write", path):
        if suffix_of(path) in PARQUET:
            table.to_parquet(path, engine="pyarrow", index=False)
        else:
            table.to_csv(path, sep=SEPARATORS[suffix_of(path)], index=False)


def require_columns(table, asked):
    """Raise a ValueError that names the columns that are missing."""
    missing = [name for name in asked if name not in table.columns]
    if missing:
        raise ValueError(
            f"columns that are not in the data: {quoted(missing)}; "
            f"the data have {quoted(table.columns)}"
        )
