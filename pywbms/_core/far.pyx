"""The step for points so far from all others that every kernel value underflows.

Their kernel values are taken relative to that of the nearest point, which is one, as in a softmax:
no sum is zero, however far away a point is. It takes about twice as long per point.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp
from libc.string cimport memcpy, memset

from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport ROW, TILE, aligned, feature_block, padded, rows_of, simd, tiles_of


def left_out(g, exclude_self):
    """Return what each of g points leaves out of its own mean: one row if it is excluded."""
    return np.ones(g) if exclude_self else np.zeros(g)


def shift_far(
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] weights,     # IN   (p,) feature weights
    double h,
    bint exclude_self,
    const Py_ssize_t[::1] far,     # IN   (f,) the points to shift
    int n_threads,
    double[:, ::1] shifted,        # OUT  (g, p) where they go; other rows are not touched
    Py_ssize_t[::1] nearest,       # OUT  (g,) a single row's nearest other point, else −1
    const double[::1] left=None,   # IN   (g,) what a row leaves out of its own mean; one by default
):
    """Write into `shifted` where the far points go; one without any other point stays."""
    left = left_out(points.shape[0], exclude_self) if left is None or not exclude_self else left
    cdef FarStep step = FarStep(
        points, mass, np.sqrt(weights), min(1 / h, 1e300), left, far, shifted, nearest, n_threads
    )
    cdef double work = <double> TILE * points.shape[0] * (3 * points.shape[1] + 20)
    cdef Py_ssize_t batch = n_threads * tasks_between_signals(work)
    cdef Py_ssize_t tiles = tiles_of(far.shape[0]), first
    for first in range(0, tiles, batch):
        step.share(first, min(first + batch, tiles), n_threads)
        PyErr_CheckSignals()


@cython.final
cdef class FarStep(Tasks):
    """What every tile of far points needs; the parameters are the attributes of the same name."""
    cdef const double[:, ::1] points
    cdef const double[::1] mass
    cdef const double[::1] root         # (p,) √w
    cdef double inv_h
    cdef const double[::1] left
    cdef const Py_ssize_t[::1] far
    cdef double[:, ::1] shifted
    cdef Py_ssize_t[::1] nearest
    cdef Py_ssize_t g, p, block, blocks, width
    cdef const Py_ssize_t[::1] every    # (g,) 0, 1, 2, …
    cdef double[:, ::1] T               # (threads, TILE × ROW) (far, others) distances, then kernel
    cdef double[:, ::1] columns         # (threads, block × ROW) the scaled others, transposed
    cdef double[:, ::1] packed          # (threads, TILE × block) the scaled far points
    cdef double[:, ::1] masses          # (threads, TILE × width) mass × others, and the mass
    cdef double[:, ::1] sums            # (threads, blocks × TILE × width) of the far points

    def __init__(self, points, mass, root, inv_h, left, far, shifted, nearest, n_threads):
        self.points, self.mass, self.root, self.inv_h = points, mass, root, inv_h
        self.left, self.far = left, far
        self.shifted, self.nearest = shifted, nearest
        self.g, self.p = points.shape[:2]
        self.block = feature_block(self.p)
        self.blocks = (self.p + self.block - 1) // self.block
        self.width = padded(self.block + 1)
        self.every = np.arange(self.g)
        self.T = aligned(n_threads, TILE * ROW)
        self.columns = aligned(n_threads, padded(self.block) * ROW)
        self.packed = aligned(n_threads, TILE * padded(self.block))
        self.masses = aligned(n_threads, TILE * self.width)
        self.sums = aligned(n_threads, self.blocks * TILE * self.width)

    cdef void run(self, Py_ssize_t tile, Py_ssize_t thread) noexcept nogil:
        """Shift a tile of far points, adding up one tile of the others at a time."""
        cdef const Py_ssize_t* far = &self.far[tile * TILE]
        cdef Py_ssize_t rows = rows_of(self.far.shape[0], tile), r, other
        cdef double* T = &self.T[thread, 0]
        cdef double* sums = &self.sums[thread, 0]
        cdef double[TILE] closest  # the squared distance that has kernel value one
        memset(sums, 0, self.blocks * TILE * self.width * sizeof(double))
        for r in range(rows):
            closest[r] = INFINITY
            self.nearest[far[r]] = -1
        for other in range(tiles_of(self.g)):
            self.distances(far, rows, other, thread)
            for r in range(rows):
                self.kernel_row(far[r], other, T + r * ROW, &closest[r], sums + r * self.width)
            self.add(rows, other, thread)
        self.divide(far, rows, sums)

    cdef void distances(
        self, const Py_ssize_t* far, Py_ssize_t rows, Py_ssize_t other, Py_ssize_t thread
    ) noexcept nogil:
        """T ← squared distances between far points and those of another tile."""
        cdef Py_ssize_t cols = rows_of(self.g, other), b, first, features
        cdef double* columns = &self.columns[thread, 0]
        cdef double* packed = &self.packed[thread, 0]
        for b in range(self.blocks):
            first, features = b * self.block, min(self.block, self.p - b * self.block)
            simd.pack_columns(
                &self.points[0, first], self.p, &self.every[other * TILE], cols, features,
                &self.root[first], ROW, columns,
            )
            simd.pack_rows(
                &self.points[0, first], self.p, far, rows, features, &self.root[first], packed
            )
            simd.differences(
                &self.T[thread, 0], ROW, columns, ROW, packed, 1, features, rows, padded(cols),
                features, b == 0,
            )

    cdef void kernel_row(
        self, Py_ssize_t point, Py_ssize_t other, double* row, double* closest, double* sums
    ) noexcept nogil:
        """Turn a row of squared distances into kernel values, and rescale the point's sums.

        When a point nearer than all before is found, what was summed so far is scaled down to be
        relative to it.
        """
        cdef Py_ssize_t cols = rows_of(self.g, other), diagonal = point - other * TILE, c, b, l
        cdef bint meets_itself = 0 <= diagonal < cols
        cdef double self_mass = self.mass[point] - self.left[point]
        cdef double smallest = INFINITY, factor
        if meets_itself:
            row[diagonal] = 0 if self_mass > 0 else INFINITY
        for c in range(cols):
            smallest = min(smallest, row[c])
        if smallest < closest[0]:
            if self_mass <= 0:
                c = 0
                while c < cols - 1 and row[c] != smallest:
                    c += 1
                self.nearest[point] = other * TILE + c
            factor = exp((smallest - closest[0]) * self.inv_h)
            closest[0] = smallest
            for b in range(self.blocks):
                for l in range(self.width):
                    sums[b * TILE * self.width + l] *= factor
        if closest[0] == INFINITY:  # no other point so far, or none at a finite distance
            memset(row, 0, cols * sizeof(double))
            return
        for c in range(cols):
            row[c] = (closest[0] - row[c]) * self.inv_h
        simd.exponential(row, row, cols)
        for c in range(cols):
            if row[c] < 1e-300:  # exp(−707) and less: nothing beside the nearest point's one
                row[c] = 0
        if meets_itself and self_mass > 0:
            row[diagonal] = self_mass / self.mass[point]

    cdef void add(self, Py_ssize_t rows, Py_ssize_t other, Py_ssize_t thread) noexcept nogil:
        """Add the points of a tile, times their kernel values, to the sums of the far points."""
        cdef Py_ssize_t cols = rows_of(self.g, other), b, first
        cdef double* masses = &self.masses[thread, 0]
        for b in range(self.blocks):
            first = b * self.block
            simd.pack_masses(
                &self.points[0, first], self.p, &self.mass[0], &self.every[other * TILE], cols,
                min(self.block, self.p - first), b == 0, self.width, masses,
            )
            simd.products(
                &self.sums[thread, b * TILE * self.width], self.width, masses, self.width,
                &self.T[thread, 0], 1, ROW, rows, self.width, cols, False,
            )

    cdef void divide(
        self, const Py_ssize_t* far, Py_ssize_t rows, const double* sums
    ) noexcept nogil:
        """Write where the far points go: their sums divided by the sums of the kernel."""
        cdef Py_ssize_t r, b, l, first
        cdef double total
        for r in range(rows):
            total = sums[r * self.width + self.block]  # beside the features of the first block
            if total == 0:
                memcpy(&self.shifted[far[r], 0], &self.points[far[r], 0], self.p * sizeof(double))
                continue
            for b in range(self.blocks):
                first = b * self.block
                for l in range(min(self.block, self.p - first)):
                    self.shifted[far[r], first + l] = (
                        sums[(b * TILE + r) * self.width + l] / total
                    )
