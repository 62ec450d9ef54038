"""Sparse matrices become dense ones, as long as these are small."""

from pywbms._data.notes import note
from pywbms._machine.memory import in_words

# Larger dense arrays, in bytes, are not made without being asked for.
LARGEST_DENSE = 1_000_000_000


def densified(matrix):
    """Return a scipy sparse matrix as a dense array, with a warning.

    Distances in standardized columns have no zeros to save: a fit works on dense rows.

    Raises
    ------
    ValueError
        If the dense array would be large; the message says what to do.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> densified(csr_array((10**6, 10**6)))
    Traceback (most recent call last):
    ValueError: data are sparse, and 1,000,000 rows × 1,000,000 columns take 8,000 GB ...
    """
    rows, columns = matrix.shape
    needed = 8 * rows * columns
    if needed > LARGEST_DENSE:
        raise ValueError(
            f"data are sparse, and {rows:,} rows × {columns:,} columns take {in_words(needed)} as "
            f"a dense array (at most {in_words(LARGEST_DENSE)} is converted): reduce the columns, "
            "as with sklearn.decomposition.TruncatedSVD, choose some of them, or give "
            "data.toarray() if there is enough memory"
        )
    note(f"data are sparse: they are clustered as a dense array of {in_words(needed)}")
    return matrix.toarray()
