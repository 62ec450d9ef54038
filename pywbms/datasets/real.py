"""The paper's real data sets: their dimensions, and a loader."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from pywbms.datasets._files import LAYOUT, as_numbers, read_csv, read_matlab
from pywbms.datasets._pair import Pair, as_pair, feature_names


class Dimensions(NamedTuple):
    """The dimensions of a data set, from the paper's table.

    Attributes
    ----------
    n, p, k : int
        Numbers of observations, features and classes.
    n_printed : int or None
        Number of observations in the paper's table, if it differs from that of the public file.
    """

    n: int
    p: int
    k: int
    n_printed: int | None = None


#: The real data sets of the paper, by name.
REAL_DATA = {
    # The paper's table has 107 rows, KEEL's file 106: `load` accepts both.
    "appendicitis": Dimensions(106, 7, 2, n_printed=107),
    "zoo": Dimensions(101, 16, 7),
    "mammographic": Dimensions(830, 5, 2),
    "movement_libras": Dimensions(360, 90, 15),
    "nci9": Dimensions(60, 9712, 9),
    "glioma": Dimensions(50, 4434, 4),
    "yale": Dimensions(165, 1024, 15),
    "lymphoma": Dimensions(62, 4026, 3),
    "gcm": Dimensions(191, 16063, 15),
}

SOURCES = (
    "The data come from the UCI machine learning repository (https://archive.ics.uci.edu), KEEL "
    "(https://sci2s.ugr.es/keel/datasets.php), the ASU feature selection repository "
    "(https://featureselection.asu.edu) and the authors' repository "
    "(https://github.com/SaptarshiC98/WBMS)."
)


def load(name: str, folder: str | PathLike[str]) -> Pair:
    """Load one of the paper's real data sets from a folder of CSV or MATLAB files.

    Parameters
    ----------
    name : str
        A key of `REAL_DATA`, in upper or lower case, with spaces or underscores.
    folder : str or path-like
        The folder with ``NAME.csv``, ``NAME.csv.gz`` or ``NAME.mat``, in upper or lower case. In a
        CSV file rows are observations, the last column is the class, and there is no header. A
        MATLAB file has the features in ``X``, one row per observation, and the classes in ``Y``.

    Returns
    -------
    X : DataFrame
    truth : Series of int
        The classes, numbered from 0 in sorted order.

    Raises
    ------
    ValueError
        If the name is unknown, if the file does not have the numbers of rows, features and classes
        of `REAL_DATA`, or if an entry is missing or not a finite number.
    FileNotFoundError
        If the folder or the file is missing; the message says where the data come from.

    Examples
    --------
    >>> REAL_DATA["zoo"].n, REAL_DATA["zoo"].p, REAL_DATA["zoo"].k
    (101, 16, 7)
    >>> X, truth = load("Zoo", "my_data")  # doctest: +SKIP
    """
    key = str(name).lower().replace(" ", "_")
    if key not in REAL_DATA:
        raise ValueError(f"unknown data set {name!r}; the names are {', '.join(REAL_DATA)}")
    file = find_file(key, folder)
    table = read_matlab(file) if file.suffix.lower() == ".mat" else read_csv(file)
    expected = REAL_DATA[key]
    check_shape(table, expected, file)
    X, classes = table.iloc[:, :-1], table.iloc[:, -1]
    X.columns = feature_names(expected.p)
    numbers = as_numbers(X, file)
    if classes.isna().any():
        raise ValueError(f"{file}: the last column, the class, has missing entries")
    truth, found = pd.factorize(classes, sort=True)
    if len(found) != expected.k:
        raise ValueError(
            f"{file} has {len(found)} classes in its last column, expected {expected.k}"
        )
    return as_pair(numbers, truth)


def find_file(name: str, folder: str | PathLike[str]) -> Path:
    """Return the path of the file that `load` reads.

    Parameters
    ----------
    name : str
        A key of `REAL_DATA`.
    folder : str or path-like

    Raises
    ------
    FileNotFoundError
        If the folder or the file is missing; the message says where the data come from.
    """
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise FileNotFoundError(
            f"there is no folder {place}, where {name}.csv or {name}.csv.gz should be, or a "
            f"{name}.mat with X and Y. {SOURCES}"
        )
    # Sorted, so that the answer does not depend on the file system if names differ only in case.
    files = {plain(file.name): file for file in sorted(place.iterdir(), reverse=True)}
    for suffix in (".csv", ".csv.gz", ".mat"):
        file = files.get(name + suffix)
        if file is not None and file.is_file():
            return file
    raise FileNotFoundError(
        f"neither {name}.csv nor {name}.csv.gz is in {place}; save the data there: {LAYOUT}. "
        f"A {name}.mat with X and Y is accepted as well. {SOURCES}"
    )


def plain(name):
    """Return a file name in the spelling of `REAL_DATA`: "Movement Libras.csv" has many."""
    return name.lower().replace(" ", "_").replace("-", "_")


def check_shape(table, expected, file):
    """Raise a ValueError if a table does not have the expected dimensions."""
    n, p = len(table), table.shape[1] - 1
    if n not in (expected.n, expected.n_printed) or p != expected.p:
        rows = " or ".join(str(rows) for rows in (expected.n, expected.n_printed) if rows)
        raise ValueError(
            f"{file} has {n} rows × {p} features and a class column, "
            f"expected {rows} × {expected.p} ({LAYOUT})"
        )
