"""Finished cells in a file, so that an interrupted run resumes where it stopped."""

import json
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
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # a line cut short when the process was killed
                continue
            if isinstance(entry, dict) and entry.get("code") == code():
                self._rows[entry["key"]] = entry["rows"]
        self._file = path.open("a", encoding="utf-8")
        if text and not text.endswith("\n"):
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
