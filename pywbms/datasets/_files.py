"""CSV and MATLAB files of real data."""

import gzip
import zlib

import numpy as np
import pandas as pd

LAYOUT = "rows are observations, the last column is the class, there is no header"


def read_csv(file):
    """Return the table of a CSV file."""
    try:
        # With low_memory=False each column has one type, and pandas does not warn of mixed ones.
        return pd.read_csv(file, header=None, skipinitialspace=True, low_memory=False)
    except (
        pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, gzip.BadGzipFile,
        EOFError, zlib.error,
    ) as error:  # fmt: skip
        raise ValueError(f"{file} cannot be read as a table ({LAYOUT}): {error}") from error


def read_matlab(file):
    """Return the table of a MATLAB file: the columns of X, then Y."""
    from scipy.io import loadmat  # here, because few need it and it takes long to import
    from scipy.sparse import issparse

    try:
        found = loadmat(file)
    # Truncated files, files of version 7.3 and other files each raise a different exception.
    except Exception as error:
        raise ValueError(f"{file} cannot be read as a MATLAB file: {error}") from error
    variables = {name.upper(): value for name, value in found.items() if name[:2] != "__"}
    lacking = [name for name in "XY" if name not in variables]
    if lacking:
        raise ValueError(
            f"{file} has no variable {' and no '.join(lacking)}; "
            f"it has {', '.join(sorted(variables)) or 'none'}"
        )
    X, Y = variables["X"], variables["Y"]
    X = X.toarray() if issparse(X) else X
    # MATLAB stores texts of different lengths in cells: object arrays with one text each.
    classes = [entry.item() if isinstance(entry, np.ndarray) else entry for entry in Y.ravel()]
    if np.iscomplexobj(X) or np.iscomplexobj(Y):
        name = "X" if np.iscomplexobj(X) else "Y"
        raise ValueError(f"{file}: {name} has complex numbers, expected real ones")
    if X.ndim != 2 or len(classes) != len(X):
        shapes = " and ".join(" × ".join(map(str, values.shape)) for values in (X, Y))
        raise ValueError(f"{file}: X and Y must have the same rows, but are {shapes}")
    return pd.concat([pd.DataFrame(X), pd.Series(classes, name="class")], axis=1)


def as_numbers(X, file):
    """Return features as a float array; raise a ValueError that names the first invalid entry."""
    text = X.columns[~X.dtypes.map(pd.api.types.is_numeric_dtype)]
    numbers = X.assign(**{column: pd.to_numeric(X[column], errors="coerce") for column in text})
    numbers = numbers.to_numpy(dtype=float)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        column = wrong.any(axis=0).argmax()
        row = wrong[:, column].argmax()
        entry = X.iloc[row, column]
        what = "is missing" if pd.isna(entry) else f"is '{entry}', not a finite number"
        raise ValueError(f"{file}: the entry of column {X.columns[column]} in row {row + 1} {what}")
    return numbers
