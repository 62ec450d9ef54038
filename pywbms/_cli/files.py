"""Tables and pictures in files, with messages that name the file."""

import importlib
import os
import warnings
from contextlib import contextmanager

import pandas as pd

from pywbms._data.wording import quoted

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
SEPARATORS |= {f"{suffix}.gz": separator for suffix, separator in SEPARATORS.items()}
PARQUET = (".parquet", ".pq")
PICTURES = (".png", ".pdf", ".svg")


def suffix_of(path):
    """Return a path's suffix in lower case, both of them if it is compressed.

    Examples
    --------
    >>> from pathlib import Path
    >>> suffix_of(Path("my.table.CSV.gz"))
    '.csv.gz'
    """
    compressed = path.suffix.lower() == ".gz"
    return "".join(path.suffixes[-2:] if compressed else path.suffixes[-1:]).lower()


def require_output(path):
    """Raise an OSError if a file cannot be written."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"cannot write {path}: permission denied")


def require_matplotlib():
    """Raise an ImportError that says what to install if matplotlib is missing."""
    require("matplotlib", "a picture", extra="plot")
    import matplotlib

    matplotlib.use("agg")  # a picture in a file needs no display


def require_pyarrow():
    """Raise an ImportError that says what to install if pyarrow is missing."""
    require("pyarrow", "Parquet", extra="parquet")


def require(module, what, extra):
    """Import a module of an extra, or raise an ImportError that says what to install."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'{what} needs {module}: pip install "pywbms[{extra}]"') from error


def load(path, index):
    """Read a table and number its rows, or name them after a column.

    Parameters
    ----------
    path : Path
    index : str or None
        The column that identifies the rows. By default it is the index of a DataFrame that was
        saved with one, which only Parquet knows of.

    Returns
    -------
    DataFrame
        All columns, also those that are its index.
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
        raise ValueError(f"there are no rows in {path}")
    if index is None:
        return table.reset_index(drop=True)
    require_columns(table, [index] if isinstance(index, str) else index)
    return table.set_index(index, drop=False)


def read_parquet(path):
    """Read a Parquet file, its column names as text."""
    require_pyarrow()
    # Opened here because pyarrow says little about files that are missing or unreadable.
    with naming("read", path), path.open("rb") as file:
        table = pd.read_parquet(file, engine="pyarrow")
    return table.rename(columns=str)


def read_text(path, index):
    """Read a CSV or TSV file, the index column as it is written."""
    with naming("read", path), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        require_distinct_header(path)
        try:
            return pd.read_csv(
                path,
                sep=SEPARATORS[suffix_of(path)],
                index_col=False,  # else a field too many makes each column the one before it
                low_memory=False,  # whole columns at once: one type each
                converters={index: str} if index is not None else None,  # "007" and "NA" stay
            )
        except pd.errors.ParserWarning as warning:
            raise ValueError("its rows have more fields than its header") from warning


def require_distinct_header(path):
    """Raise a ValueError if two columns have one name: pandas would rename the second."""
    separator = SEPARATORS[suffix_of(path)]
    header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str).iloc[0].dropna()
    repeated = header[header.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"duplicate column names: {quoted(repeated)}")
    if len(header) == 1 and separator == "," and ";" in header.iloc[0]:
        raise ValueError("its columns seem to be separated by semicolons, not by commas")


def write_table(table, path):
    """Write a table in the format of the path's suffix."""
    with naming("write", path):
        if suffix_of(path) in PARQUET:
            table.to_parquet(path, engine="pyarrow", index=False)
        else:
            table.to_csv(path, sep=SEPARATORS[suffix_of(path)], index=False)


def save_picture(figure, path):
    """Write a matplotlib figure, close it, and return the path."""
    import matplotlib.pyplot as plt

    with naming("write", path):
        figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


@contextmanager
def naming(verb, path):
    """Raise what goes wrong with a file as a ValueError that names it."""
    try:
        yield
    except Exception as error:  # pandas, pyarrow, gzip and zlib each raise their own
        raise ValueError(f"cannot {verb} {path}: {reason(error)}") from error


def require_columns(table, asked):
    """Raise a ValueError that names the columns that are not there."""
    missing = [name for name in asked if name not in table.columns]
    if missing:
        raise ValueError(
            f"columns that are not in the data: {quoted(missing)}; "
            f"the data have {quoted(table.columns)}"
        )


def reason(error):
    """Return what an exception says, without the error numbers of the system."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
