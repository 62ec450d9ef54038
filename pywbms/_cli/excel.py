"""Tables in the first sheet of an Excel workbook."""

import importlib

import pandas as pd

from pywbms._cli.reading import numbered
from pywbms._terminal.errors import naming

EXCEL = (".xlsx", ".xlsm")


def require_openpyxl():
    """Raise an ImportError that says what to install if openpyxl is missing."""
    try:
        importlib.import_module("openpyxl")  # pandas imports it by itself
    except ImportError as error:
        raise ImportError('Excel files need openpyxl: pip install "pywbms[excel]"') from error


def read_excel(path, index, header):
    """Read the first sheet of a workbook, with the index column as text.

    Parameters
    ----------
    path : Path
    index : str or None
        The column that identifies the rows.
    header : bool
        Whether the first row has the names of the columns.

    Returns
    -------
    DataFrame
        Two columns may have the same name.
    """
    require_openpyxl()
    with naming("read", path), path.open("rb") as file:
        # Cells keep their type, and pandas renames no columns.
        cells = pd.read_excel(file, header=None, dtype=object, engine="openpyxl")
    if header and len(cells):
        names = [f"Unnamed: {j}" if pd.isna(x) else str(x) for j, x in enumerate(cells.iloc[0])]
        cells = cells.iloc[1:]
    else:
        names = numbered(cells.shape[1])
    table = cells.set_axis(names, axis=1).reset_index(drop=True).infer_objects()
    if index in names:
        table = table.assign(**{index: table[index].astype(str)})
    return table
