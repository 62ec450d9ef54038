"""Tables in files, with messages that name the file."""

import importlib
import os
import warnings
from pathlib import Path

import pandas as pd

from pywbms._cli.excel import EXCEL, read_excel
from pywbms._cli.reading import (
    STDIN,
    called,
    header_of_numbers,
    numbered,
    source,
)
from pywbms._cli.spreadsheet import is_number, without_formulas
from pywbms._data.atomic import atomic_path
from pywbms._terminal.errors import naming
from pywbms._terminal.wording import quoted

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
SEPARATORS |= {f"{suffix}.gz": separator for suffix, separator in SEPARATORS.items()}
PARQUET = (".parquet", ".pq")
PICTURES = (".png", ".pdf", ".svg")
PAGES = (".html", ".htm")


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
    # The new file is written beside the old one first, so both must be writable.
    folder = Path(os.path.realpath(path)).parent
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(f"cannot write {path}: permission denied")
    if path.is_file() and not os.access(folder, os.W_OK):
        raise PermissionError(f"cannot write {path}: the folder {folder} is not writable")


def require_pyarrow():
    """Raise an ImportError that says what to install if pyarrow is missing."""
    try:
        importlib.import_module("pyarrow")  # pandas imports it by itself
    except ImportError as error:
        raise ImportError('Parquet needs pyarrow: pip install "pywbms[parquet]"') from error


def default_separator(path):
    """Return what separates the columns of a text file by default, None for other formats."""
    return SEPARATORS.get(".csv" if path == STDIN else suffix_of(path))


def load(path, index, reading):
    """Read a table; its index is a column that identifies the rows, or their numbers.

    Parameters
    ----------
    path : Path
    index : str or None
        The column that identifies the rows. By default the index of the DataFrame that was
        saved, which only Parquet files keep.
    reading : Reading
        How to read text.

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
    elif suffix_of(path) in EXCEL:
        table = read_excel(path, index, reading.header)
        require_distinct(table.columns)
    else:
        table = read_text(path, index, reading)
    if not len(table):
        raise ValueError(f"{called(path)} has no rows")
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


def read_text(path, index, reading):
    """Read a CSV or TSV file, or standard input, with the index column as text."""
    data = source(path)
    options = {
        "sep": reading.sep or default_separator(path),
        "decimal": reading.decimal or ".",
        "encoding": reading.encoding or "utf-8",
    }
    with naming("read", called(path)), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            first = first_line(data, options)
            names = None if reading.header else numbered(len(first))
            if reading.header:
                require_header(first.dropna(), options["sep"])
            options |= {"header": 0 if reading.header else None, "names": names}
            # Otherwise an extra field per row shifts all columns, and a column may have two types.
            table = pd.read_csv(data, **options, index_col=False, low_memory=False)
            if index in table.columns:  # "007" and "NA" stay
                table[index] = read_as_text(data, index, options)
            return table
        except pd.errors.ParserWarning as warning:
            raise ValueError("some rows have more fields than the header") from warning
        except UnicodeDecodeError as error:
            raise ValueError(
                f"it is not encoded in {options['encoding']}; use --encoding, such as latin-1"
            ) from error


def first_line(data, options):
    """Return the fields of the first line as texts."""
    first = pd.read_csv(data, **options, header=None, nrows=1, dtype=str).iloc[0]
    if not isinstance(data, Path):
        data.seek(0)
    return first


def read_as_text(data, column, options):
    """Return the texts of one column."""
    if not isinstance(data, Path):
        data.seek(0)
    read = {"usecols": [column], "dtype": str, "keep_default_na": False}
    return pd.read_csv(data, **options, **read)[column].to_numpy()


def require_header(header, separator):
    """Raise a ValueError for names that cannot be those of columns."""
    require_distinct(header)
    pieces = ";".join(header).split(";")
    # Decimal commas cut a line of numbers between semicolons.
    in_numbers = any(";" in name for name in header) and all(map(is_number, pieces))
    if separator == "," and (in_numbers or (len(header) == 1 and len(pieces) > 1)):
        raise ValueError('columns seem to be separated by semicolons, not commas: use --sep ";"')


def require_distinct(names):
    """Raise a ValueError for duplicate column names, which pandas would rename."""
    names = pd.Series(names)
    repeated = names[names.duplicated()].unique()
    if len(repeated):
        hint = "; if the file has no header, use --no-header" if header_of_numbers(names) else ""
        raise ValueError(f"duplicate column names: {quoted(repeated)}{hint}")


def write_table(table, path, safe=True):
    """Write a table in the format of the path's suffix; return how many formulas were quoted.

    Parameters
    ----------
    table : DataFrame
    path : Path
    safe : bool
        Quote texts that a spreadsheet would take for formulas; Parquet files keep them as they are.
    """
    if suffix_of(path) in PARQUET:
        with naming("write", path), atomic_path(path) as new:
            table.to_parquet(new, engine="pyarrow", index=False)
        return 0
    table, n_quoted = without_formulas(table) if safe else (table, 0)
    with naming("write", path), atomic_path(path) as new:
        table.to_csv(new, sep=SEPARATORS[suffix_of(path)], index=False)
    return n_quoted


def require_columns(table, asked):
    """Raise a ValueError that names the columns that are missing."""
    missing = [name for name in asked if name not in table.columns]
    if missing:
        raise ValueError(
            f"columns that are not in the data: {quoted(missing)}; "
            f"the data have {quoted(table.columns)}"
        )
