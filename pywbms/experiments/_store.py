"""Finished cells in a file, so that an interrupted run resumes where it stopped."""

import json
import warnings
import zlib
from functools import cache
from pathlib import Path

from pywbms import __version__
from pywbms.experiments._cells import key_of

PACKAGE = Path(__file__).resolve().parents[1]
#: Suffixes of the source files that a result may depend on.
SUFFIXES = (".py", ".pyx", ".pxd", ".c", ".h")
#: The modules of the experiments that compute cells. The others only report on them: a change to a
#: table or a figure does not invalidate stored cells.
COMPUTING = ("_cells.py", "_methods.py", "_views.py")


class Store:
    """The rows of finished cells, in a file with one line per cell.

    Results of other versions of the code are kept in the file but not used.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path):
        self._path = path
        self._rows = {}
        stored = path.read_bytes() if path.exists() else b""
        # Split at line feeds only: JSON may contain other characters that end a line in Unicode.
        for number, line in enumerate(stored.split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                found_by, key, rows = read_entry(line)
            except (ValueError, RecursionError) as error:  # such as a line cut short by a kill
                warnings.warn(
                    f"{path}: line {number} is skipped, its cell is computed again: {error}",
                    UserWarning,
                    stacklevel=2,
                )
                continue
            if found_by == code():
                self._rows[key] = rows
        self._file = path.open("a", encoding="utf-8")
        if stored and not stored.endswith(b"\n"):
            self._file.write("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __contains__(self, cell):
        return key_of(cell) in self._rows

    def add(self, cell, rows):
        """Store the rows of a cell; they are written to the file before this returns."""
        entry = {"code": code(), "key": key_of(cell), "rows": rows}
        self._file.write(json.dumps(entry, allow_nan=False) + "\n")
        self._file.flush()
        self._rows[entry["key"]] = rows

    def rows(self, cells):
        """Return the rows of the finished cells, in the order of the cells."""
        return [row for cell in cells for row in self._rows.get(key_of(cell), [])]


def read_entry(line):
    """Return the code, the key and the rows of a stored cell; raise a ValueError if it is none.

    Examples
    --------
    >>> read_entry(b'{"code": "0.1", "key": "k", "rows": [{"ari": 1.0}]}')
    ('0.1', 'k', [{'ari': 1.0}])
    """
    entry = json.loads(line.decode("utf-8"))
    if not isinstance(entry, dict) or not isinstance(entry.get("rows"), list):
        raise ValueError("it is not a finished cell")
    texts = (entry.get("code"), entry.get("key"))
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(row, dict) for row in entry["rows"]
    ):
        raise ValueError("it is not a finished cell")
    return *texts, entry["rows"]


@cache
def code():
    """Return the version of the package and a checksum of the code that computes."""
    checksum = 0
    for file in sources(PACKAGE):
        checksum = zlib.crc32(file.relative_to(PACKAGE).as_posix().encode(), checksum)
        checksum = zlib.crc32(file.read_bytes(), checksum)
    return f"{__version__} {checksum:08x}"


def sources(package):
    """Return the source files of a package that can change a number, sorted.

    C files generated from Cython are excluded: they may be absent, and follow from the .pyx file.
    """
    return sorted(
        file
        for file in package.rglob("*")
        if file.suffix in SUFFIXES
        and not (file.suffix == ".c" and file.with_suffix(".pyx").exists())
        and (file.parent != package / "experiments" or file.name in COMPUTING)
    )
