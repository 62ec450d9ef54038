"""One blurring step: every point moves to the kernel-weighted mean of the (other) points."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, exp
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemm

# Rows and columns of a tile of the kernel matrix. 64 × 256 doubles are 128 KiB: with the rows of
# the points that feed it, a tile stays in the L2 cache of any machine of the last ten years.
cdef enum:
    TILE_ROWS = 64
    TILE_COLS = 256

# Below this many features a difference costs no more than a matrix product, and is exact.
cdef enum:
    FEW_FEATURES = 8

# The expanded square q_i + q_j − 2 y_i·y_j is off by some 2⁻⁵² (q_i + q_j), and the exponent by
# that over h. Up to this ratio the kernel keeps 11 digits; beyond it the tile takes differences.
cdef double EXPANDABLE = 1e4

# Work between two looks at pending signals, in multiply-adds: well below a second.
cdef double WORK_BETWEEN_SIGNALS = 5e8


def shift(
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] weights,     # IN   (p,) feature weights
    double h,
    bint exclude_self,
    int n_threads,
    double[:, ::1] shifted,        # OUT  (g, p) where the points go
    Py_ssize_t[::1] nearest,       # OUT  (g,) a single row's nearest other point, else −1
):
    """Write into `shifted` where each point goes in one step.

    y_i ← Σ_j m_ij exp(−‖y_i − y_j‖²_w / h) y_j / Σ_j m_ij exp(−‖y_i − y_j‖²_w / h)

    where m_ij is the mass of j; for j = i it is the mass of the point's other rows if a row is
    left out of its own mean (`exclude_self`). A point that has nobody stays where it is.

    The nearest admissible point always has a kernel value of one (the row's smallest distance
    is taken off all of them, as in a softmax), so no sum is zero however far a point lies.
    Which one that is, is known for the points that are left out of their own mean altogether.
    """
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1]
    cdef Py_ssize_t n_tiles = (g + TILE_ROWS - 1) // TILE_ROWS
    cdef Py_ssize_t scratch_size = TILE_ROWS * p + TILE_ROWS * TILE_COLS
    cdef double work_of_tile = <double> TILE_ROWS * g * (2 * p + 10)
    cdef Py_ssize_t batch = max(n_threads, <Py_ssize_t> (WORK_BETWEEN_SIGNALS / work_of_tile))
    cdef double[:, ::1] scratch = np.empty((n_threads, scratch_size))
    cdef double[::1] norm = np.empty(g)
    cdef double inv_h = min(1 / h, 1e300)
    cdef Py_ssize_t tile, first, last, i

    for i in prange(g, nogil=True, num_threads=n_threads, schedule="static"):
        norm[i] = weighted_norm(&points[i, 0], &weights[0], p)
    for first in range(0, n_tiles, batch):
        last = min(first + batch, n_tiles)
        for tile in prange(first, last, nogil=True, num_threads=n_threads, schedule="static"):
            shift_rows(
                &points[0, 0], &norm[0], &mass[0], &weights[0], inv_h, exclude_self, g, p,
                tile * TILE_ROWS, min(g, (tile + 1) * TILE_ROWS),
                &scratch[threadid(), 0], &shifted[0, 0], &nearest[0],
            )
        PyErr_CheckSignals()


cdef double weighted_norm(const double* y, const double* w, Py_ssize_t p) noexcept nogil:
    """‖y‖²_w."""
    cdef double total = 0
    cdef Py_ssize_t l
    for l in range(p):
        total += w[l] * y[l] * y[l]
    return total


cdef void shift_rows(
    const double* points, const double* norm, const double* mass, const double* weights,
    double inv_h, bint exclude_self, Py_ssize_t g, Py_ssize_t p,
    Py_ssize_t start, Py_ssize_t stop, double* scratch, double* shifted, Py_ssize_t* nearest,
) noexcept nogil:
    """Shift the points start … stop − 1, a tile of columns at a time."""
    cdef double* scaled = scratch                    # (rows, p) −2 w ⊙ y, for the product
    cdef double* kernel = scratch + TILE_ROWS * p    # (rows, cols)
    cdef double* out = shifted + start * p
    cdef double[TILE_ROWS] total                     # Σ_j of the kernel so far
    cdef double[TILE_ROWS] closest                   # the distance that has kernel value one
    cdef double[TILE_ROWS] self_mass
    cdef Py_ssize_t rows = stop - start, r, l, tile, col, cols
    cdef double largest = 0
    cdef int m, n, k, ld = TILE_COLS
    cdef double one = 1

    memset(out, 0, rows * p * sizeof(double))
    for r in range(rows):
        total[r] = 0
        self_mass[r] = mass[start + r] - (1 if exclude_self else 0)
        closest[r] = 0 if self_mass[r] > 0 else INFINITY
        nearest[start + r] = -1
        largest = max(largest, norm[start + r])
        for l in range(p):
            scaled[r * p + l] = -2 * weights[l] * points[(start + r) * p + l]

    for tile in range((g + TILE_COLS - 1) // TILE_COLS):
        col = tile * TILE_COLS
        cols = min(g - col, <Py_ssize_t> TILE_COLS)
        if p > FEW_FEATURES and (largest + largest_of(norm + col, cols)) * inv_h <= EXPANDABLE:
            distances_expanded(
                scaled, norm + start, points + col * p, norm + col, rows, cols, p, kernel
            )
        else:
            distances_exact(
                points + start * p, points + col * p, weights, rows, cols, p, kernel
            )
        for r in range(rows):
            kernel_row(
                kernel + r * TILE_COLS, mass + col, cols, col, start + r - col, self_mass[r],
                inv_h, &closest[r], &nearest[start + r], &total[r], out + r * p, p,
            )
        # out += kernel · points[col : col + cols], seen by BLAS as transposed.
        m, n, k = <int> p, <int> rows, <int> cols
        dgemm(
            "N", "N", &m, &n, &k, &one, <double*> points + col * p, &m, kernel, &ld, &one, out, &m
        )

    for r in range(rows):
        if total[r] > 0:
            for l in range(p):
                out[r * p + l] /= total[r]
        else:
            memcpy(out + r * p, points + (start + r) * p, p * sizeof(double))


cdef double largest_of(const double* values, Py_ssize_t n) noexcept nogil:
    cdef double largest = 0
    cdef Py_ssize_t i
    for i in range(n):
        largest = max(largest, values[i])
    return largest


cdef void distances_expanded(
    const double* scaled, const double* row_norm, const double* points, const double* col_norm,
    Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t p, double* tile,
) noexcept nogil:
    """‖y_r − y_c‖²_w = ‖y_r‖²_w + ‖y_c‖²_w − 2 Σ_l w_l y_rl y_cl, never below zero."""
    cdef int m = <int> cols, n = <int> rows, k = <int> p, ld = TILE_COLS
    cdef double one = 1, zero = 0
    cdef Py_ssize_t r, c
    cdef double* row
    dgemm("T", "N", &m, &n, &k, &one, <double*> points, &k, <double*> scaled, &k, &zero, tile, &ld)
    for r in range(rows):
        row = tile + r * TILE_COLS
        for c in range(cols):
            row[c] = max(row[c] + row_norm[r] + col_norm[c], 0.0)


cdef void distances_exact(
    const double* row_points, const double* col_points, const double* weights,
    Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t p, double* tile,
) noexcept nogil:
    """‖y_r − y_c‖²_w from the differences themselves."""
    cdef Py_ssize_t r, c, l
    cdef const double* a
    cdef const double* b
    cdef double difference, total
    for r in range(rows):
        a = row_points + r * p
        for c in range(cols):
            b = col_points + c * p
            total = 0
            for l in range(p):
                difference = a[l] - b[l]
                total = total + weights[l] * difference * difference
            tile[r * TILE_COLS + c] = total


cdef void kernel_row(
    double* row, const double* mass, Py_ssize_t cols, Py_ssize_t first_col, Py_ssize_t diagonal,
    double self_mass, double inv_h, double* closest, Py_ssize_t* nearest, double* total,
    double* out, Py_ssize_t p,
) noexcept nogil:
    """Turn a row of squared distances into mass × kernel, and keep the row's sums in step.

    When a point nearer than all before turns up, what was summed so far is scaled down to its
    measure; `diagonal` is where the row meets itself (outside 0 … cols − 1: in another tile).
    """
    cdef double smallest = INFINITY, factor
    cdef Py_ssize_t c, l
    cdef bint meets_itself = 0 <= diagonal < cols
    if meets_itself:
        row[diagonal] = 0 if self_mass > 0 else INFINITY
    for c in range(cols):
        smallest = min(smallest, row[c])
    if smallest < closest[0]:
        c = 0
        while row[c] != smallest:
            c += 1
        nearest[0] = first_col + c
        factor = exp((smallest - closest[0]) * inv_h)
        closest[0] = smallest
        total[0] *= factor
        for l in range(p):
            out[l] *= factor
    if closest[0] == INFINITY:  # the row has met nobody yet
        row[diagonal] = 0
        return
    for c in range(cols):
        row[c] = mass[c] * exp((closest[0] - row[c]) * inv_h)
    if meets_itself and self_mass > 0:
        row[diagonal] = self_mass
    for c in range(cols):
        total[0] += row[c]
