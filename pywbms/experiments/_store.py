"""Finished cells in a file, so that an interrupted run goes on where it stopped."""

import json

from pywbms import __version__
from pywbms.experiments._cells import key_of


class Store:
    """The rows of finished cells, in a file with a line a cell.

    Results of another version of the package are left in the file and not used.

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
            if entry["version"] == __version__:
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
        entry = {"version": __version__, "key": key_of(cell), "rows": rows}
        self._file.write(json.dumps(entry, allow_nan=False) + "\n")
        self._file.flush()
        self._rows[entry["key"]] = rows

    def rows(self, cells):
        """Return the rows of cells that are finished, in the order of the cells."""
        return [row for cell in cells for row in self._rows.get(key_of(cell), [])]
