"""Numbers to R and back, and whether they are the same to the last bit."""

from pathlib import Path

import numpy as np


class Exchange:
    """A folder through which numbers go to R and come back, as bytes."""

    # In R: take a matrix, put any value; a list becomes one file an element.
    IN_R = """
        take <- function(name, columns) {
          path <- file.path(name)
          numbers <- readBin(path, "double", file.size(path) / 8, endian = "little")
          matrix(numbers, ncol = columns)
        }
        put <- function(value, name) {
          if (is.list(value)) {
            for (key in names(value)) put(value[[key]], paste(name, key, sep = "-"))
          } else if (is.character(value)) {
            writeLines(enc2utf8(value), paste0(name, ".character"), useBytes = TRUE)
          } else if (is.language(value)) {
            NULL # a call: no numbers
          } else if (!is.null(value)) {
            writeBin(as.vector(value), paste0(name, ".", typeof(value)), endian = "little")
          } else {
            file.create(paste0(name, ".NULL"))
          }
        }
    """
    DTYPES = {"double": "<f8", "integer": "<i4", "logical": "<i4"}  # noqa: RUF012

    def __init__(self, folder):
        self.folder = Path(folder)

    def put(self, X, name):
        """Store a matrix; return the R code that takes it."""
        (self.folder / name).write_bytes(np.asarray(X, dtype="<f8").tobytes(order="F"))
        return f'take("{name}", {X.shape[1]})'

    def __getitem__(self, name):
        """Return a value that R put: an array, a list of texts, or None."""
        (path,) = self.folder.glob(f"{name}.*")
        kind = path.suffix[1:]
        if kind == "NULL":
            return None
        if kind == "character":
            return path.read_text(encoding="utf-8").splitlines()
        return np.fromfile(path, self.DTYPES[kind])

    def names(self, prefix):
        """Return the names of the elements of a list that R put."""
        return {path.stem.removeprefix(prefix) for path in self.folder.glob(f"{prefix}*.*")}


def same_bits(found, expected):
    """Assert that numbers from R are those of Python: type, order by columns, every bit."""
    expected = np.asarray(expected)
    kind = {"f": "<f8", "i": "<i4", "b": "<i4"}[expected.dtype.kind]
    expected = expected.astype(kind).ravel(order="F")
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert found.tobytes() == expected.tobytes()
