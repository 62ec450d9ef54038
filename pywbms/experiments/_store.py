"""Finished cells in a file, so that an interrupted run goes on where it stopped."""

import json
import zlib
from functools import cache
from pathlib import Path

from pywbms import __version__
from pywbms.experiments._cells import key_of

PACKAGE = Path(__file__).resolve().parents[1]
#: What a result depends on; a change of a table or a picture makes no cell out of date.
SOURCES = (
    "*.py", "_core/*.pyx", "peers/*.py", "experiments/_cells.py", "experiments/_methods.py",
    "experiments/_views.py",
)  # fmt: skip


class Store:
    """The rows of finished cells, in a file with a line a cell.

    Results of another version of the package's code are left in the file and not used.

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
            except ValueError:  # the line that was being written when the power went off
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
        """Keep the rows of a cell, on disk before this returns."""
        entry = {"code": code(), "key": key_of(cell), "rows": rows}
        self._file.write(json.dumps(entry, allow_nan=False) + "\n")
        self._file.flush()
        self._rows[entry["key"]] = rows

    def rows(self, cells):
        """Return the rows of cells that are finished, in the order of the cells."""
        return [row for cell in cells for row in self._rows.get(key_of(cell), [])]


@cache
def code():
    """Return the version of the package and a checksum of the code that computes."""
    files = sorted(file for pattern in SOURCES for file in PACKAGE.glob(pattern))
    checksum = 0
    for file in files:
        checksum = zlib.crc32(file.read_bytes(), checksum)
    return f"{__version__} {checksum:08x}"
