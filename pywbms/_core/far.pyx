"""The step for rows so far from all others that every kernel value is next to nothing.

Their kernel values are taken relative to that of the nearest point, which is one, as in a softmax:
no sum is zero however far a point lies. It costs twice as much a row, and no distance is too far.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, exp
from libc.string cimport memcpy, memset

from pywbms._core.tiles cimport (
    ROW,
    TILE,
    feature_block,
    padded,
    tile_functions,
    tile_functions_here,
)

# Work between two looks at pending signals, in multiply-adds: well below a second.
cdef double WORK_BETWEEN_SIGNALS = 5e8

cdef const tile_functions* simd = tile_functions_here()


def aligned(rows, columns):
    """Return an uninitialised matrix whose rows begin at cache lines."""
    columns = -(-columns // 8) * 8
    flat = np.empty(rows * columns + 8)
    start = (-flat.ctypes.data // 8) % 8
    return flat[start:start + rows * columns].reshape(rows, columns)


def shift_far(
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] weights,     # IN   (p,) feature weights
    double h,
    bint exclude_self,
    const Py_ssize_t[::1] far,     # IN   (f,) the points to shift
    int n_threads,
    double[:, ::1] shifted,        # OUT  (g, p) where they go; other rows are left alone
    Py_ssize_t[::1] nearest,       # OUT  (g,) a single row's nearest other point, else −1
):
    """Write into `shifted` where the far points go in one step; a point that has nobody stays."""
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1], n_far = far.shape[0]
    cdef Py_ssize_t n_tiles = (n_far + TILE - 1) // TILE, tile, first, last
    cdef Py_ssize_t block = feature_block(p)
    cdef Py_ssize_t blocks = (p + block - 1) // block
    cdef Py_ssize_t width = padded(block + 1)
    cdef Py_ssize_t batch = max(
        n_threads, <Py_ssize_t> (WORK_BETWEEN_SIGNALS / (<double> TILE * g * (3 * p + 20)))
    )
    cdef double[:, ::1] scratch = aligned(
        n_threads,
        (TILE + padded(block)) * ROW + TILE * (padded(block) + (1 + blocks) * width),
    )
    cdef double[::1] root = np.sqrt(weights)
    cdef const Py_ssize_t[::1] every = np.arange(g)
    cdef double inv_h = min(1 / h, 1e300)
    for first in range(0, n_tiles, batch):
        last = min(first + batch, n_tiles)
        for tile in prange(first, last, nogil=True, num_threads=n_threads, schedule="static"):
            shift_tile(
                &points[0, 0], &mass[0], &root[0], inv_h, exclude_self, g, p,
                &far[tile * TILE], min(n_far - tile * TILE, <Py_ssize_t> TILE), &every[0],
                &scratch[threadid(), 0], &shifted[0, 0], &nearest[0],
            )
        PyErr_CheckSignals()


cdef void shift_tile(
    const double* points, const double* mass, const double* root, double inv_h,
    bint exclude_self, Py_ssize_t g, Py_ssize_t p, const Py_ssize_t* far, Py_ssize_t rows,
    const Py_ssize_t* every, double* scratch, double* shifted, Py_ssize_t* nearest,
) noexcept nogil:
    """Shift a tile of far points, one tile of the others at a time."""
    cdef Py_ssize_t block = feature_block(p), width = padded(block + 1)
    cdef Py_ssize_t blocks = (p + block - 1) // block
    cdef double* T = scratch                               # (far, others) distances, then kernel
    cdef double* columns = T + TILE * ROW                  # (features, others) scaled points
    cdef double* packed = columns + ROW * padded(block)    # (far, features) scaled points
    cdef double* masses = packed + TILE * padded(block)    # (others, features + 1) mass × points
    cdef double* sums = masses + TILE * width              # (blocks, far, features + 1)
    cdef double[TILE] closest                              # the distance that has kernel value one
    cdef Py_ssize_t r, l, b, f, tile, col, cols
    cdef double self_mass, total

    memset(sums, 0, blocks * TILE * width * sizeof(double))
    for r in range(rows):
        closest[r] = INFINITY
        nearest[far[r]] = -1
    for tile in range((g + TILE - 1) // TILE):
        col = tile * TILE
        cols = min(g - col, <Py_ssize_t> TILE)
        for b in range(blocks):
            f = min(block, p - b * block)
            simd.pack_columns(
                points + b * block, p, every + col, cols, f, root + b * block, ROW, columns
            )
            simd.pack_rows(points + b * block, p, far, rows, f, root + b * block, packed)
            simd.differences(T, ROW, columns, ROW, packed, 1, f, rows, padded(cols), f, b == 0)
        for r in range(rows):
            self_mass = mass[far[r]] - (1 if exclude_self else 0)
            kernel_row(
                T + r * ROW, cols, col, far[r] - col, self_mass / mass[far[r]], inv_h,
                &closest[r], &nearest[far[r]], sums + r * width, TILE * width, blocks, width,
            )
            if self_mass > 0:
                nearest[far[r]] = -1
        for b in range(blocks):
            f = min(block, p - b * block)
            simd.pack_masses(
                points + b * block, p, mass, every + col, cols, f, b == 0, width, masses
            )
            simd.products(
                sums + b * TILE * width, width, masses, width, T, 1, ROW, rows, width,
                cols, False,
            )
    for r in range(rows):
        # The last column of each block has the sum of the kernel.
        total = sums[r * width + min(block, p)]
        if total == 0:
            memcpy(shifted + far[r] * p, points + far[r] * p, p * sizeof(double))
            continue
        for b in range(blocks):
            for l in range(min(block, p - b * block)):
                shifted[far[r] * p + b * block + l] = sums[(b * TILE + r) * width + l] / total


cdef void kernel_row(
    double* row, Py_ssize_t cols, Py_ssize_t first_col, Py_ssize_t diagonal, double self_share,
    double inv_h, double* closest, Py_ssize_t* nearest, double* sums, Py_ssize_t stride,
    Py_ssize_t blocks, Py_ssize_t width,
) noexcept nogil:
    """Turn a row of squared distances into kernel values, and keep the row's sums in step.

    When a point nearer than all before turns up, what was summed so far is scaled down to its
    measure; `diagonal` is where the row meets itself (outside 0 … cols − 1: in another tile).
    """
    cdef double smallest = INFINITY, factor
    cdef Py_ssize_t c, l, b
    cdef bint meets_itself = 0 <= diagonal < cols
    if meets_itself:
        row[diagonal] = 0 if self_share > 0 else INFINITY
    for c in range(cols):
        smallest = min(smallest, row[c])
    if smallest < closest[0]:
        c = 0
        while row[c] != smallest:
            c += 1
        nearest[0] = first_col + c
        factor = exp((smallest - closest[0]) * inv_h)
        closest[0] = smallest
        for b in range(blocks):
            for l in range(width):
                sums[b * stride + l] *= factor
    if closest[0] == INFINITY:  # the row has met nobody yet
        row[diagonal] = 0
        return
    for c in range(cols):
        row[c] = (closest[0] - row[c]) * inv_h
    simd.exponential(row, row, cols)
    for c in range(cols):
        if row[c] < 1e-300:  # exp(−707) and less: beside the nearest point's one, nothing
            row[c] = 0
    if meets_itself and self_share > 0:
        row[diagonal] = self_share
