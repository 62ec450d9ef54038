"""How far the points moved, and how far apart the farthest two are."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport sqrt
from scipy.linalg.cython_blas cimport dgemm

cdef enum:
    TILE = 128  # rows and columns of a tile of distances, as in shift.pyx for the L2 cache


def moves(
    const double[:, ::1] old,      # IN   (g, p)
    const double[:, ::1] new,      # IN   (g, p)
    int n_threads,
    double[::1] out,               # OUT  (g,) ‖new − old‖
):
    """Write into `out` the Euclidean length of each point's move."""
    cdef Py_ssize_t i
    for i in prange(old.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
        out[i] = sqrt(squared_distance(&old[i, 0], &new[i, 0], old.shape[1]))


def diameter(const double[:, ::1] points, int n_threads):
    """Return the largest Euclidean distance between two of the points.

    The points are taken from the rim inwards: a tile of points whose distances from the centre,
    added up, stay below a distance already found cannot hold a larger one.
    """
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1]
    cloud = np.asarray(points)
    cdef double[::1] center = cloud.mean(axis=0)
    cdef double[::1] from_center = np.empty(g)
    cdef Py_ssize_t i
    for i in prange(g, nogil=True, num_threads=n_threads, schedule="static"):
        from_center[i] = squared_distance(&points[i, 0], &center[0], p)
    rim = np.argsort(-np.asarray(from_center), kind="stable")
    cdef const Py_ssize_t[::1] order = rim
    cdef const double[::1] radius = np.sqrt(np.asarray(from_center)[rim])
    # A good first guess: from the point farthest from the centre to the one farthest from it.
    hop = points[order[0]]
    cdef double guess = sqrt(max(squared_distance(&points[i, 0], &hop[0], p) for i in range(g)))
    cdef Py_ssize_t n_tiles = (g + TILE - 1) // TILE, tile
    cdef double[:, ::1] scratch = np.empty((n_threads, 2 * TILE * p + TILE * TILE))
    cdef double[::1] largest = np.full(n_tiles, guess)
    for tile in prange(n_tiles, nogil=True, num_threads=n_threads, schedule="static"):
        largest[tile] = largest_in_rows(
            points, center, order, radius, tile * TILE, guess, &scratch[threadid(), 0]
        )
    PyErr_CheckSignals()
    return np.asarray(largest).max()


cdef double squared_distance(const double* a, const double* b, Py_ssize_t p) noexcept nogil:
    cdef double total = 0, difference
    cdef Py_ssize_t l
    for l in range(p):
        difference = a[l] - b[l]
        total += difference * difference
    return total


cdef double largest_in_rows(
    const double[:, ::1] points, const double[::1] center, const Py_ssize_t[::1] order,
    const double[::1] radius, Py_ssize_t start, double guess, double* scratch,
) noexcept nogil:
    """The largest distance between a tile of points and those further in, at least `guess`."""
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1], r, c, tile, col, rows, cols
    cdef double* a = scratch
    cdef double* b = scratch + TILE * p
    cdef double* product = scratch + 2 * TILE * p
    cdef double best = guess, squared
    cdef int m, n, k = <int> p, ld = TILE
    cdef double one = 1, zero = 0
    rows = gather(points, center, order, start, a)
    for tile in range(start // TILE, (g + TILE - 1) // TILE):
        col = tile * TILE
        if (radius[start] + radius[col]) * (1 + 1e-12) <= best:
            break
        cols = gather(points, center, order, col, b)
        m, n = <int> cols, <int> rows
        dgemm("T", "N", &m, &n, &k, &one, b, &k, a, &k, &zero, product, &ld)
        for r in range(rows):
            for c in range(cols):
                # Relative to the centre no point is farther than the diameter, so the expanded
                # square keeps the diameter's digits; the pair itself is then measured exactly.
                squared = (
                    radius[start + r] * radius[start + r] + radius[col + c] * radius[col + c]
                    - 2 * product[r * TILE + c]
                )
                if squared > best * best * (1 - 1e-12):
                    squared = squared_distance(
                        &points[order[start + r], 0], &points[order[col + c], 0], p
                    )
                    best = max(best, sqrt(squared))
    return best


cdef Py_ssize_t gather(
    const double[:, ::1] points, const double[::1] center, const Py_ssize_t[::1] order,
    Py_ssize_t start, double* out,
) noexcept nogil:
    """Copy a tile of points, taken relative to the centre; return how many there are."""
    cdef Py_ssize_t rows = min(points.shape[0] - start, <Py_ssize_t> TILE), r, l
    for r in range(rows):
        for l in range(points.shape[1]):
            out[r * points.shape[1] + l] = points[order[start + r], l] - center[l]
    return rows
