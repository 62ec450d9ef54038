"""Kernel sums over the rows of each cluster: what memberships and densities are made of.

As in far.pyx, kernel values are taken relative to that of the nearest row, which is one: no total
is zero, however far away a query is.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp

from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport ROW, TILE, aligned, feature_block, padded, rows_of, simd, tiles_of

# Partial sums of a run of kernel values, which do not wait for each other.
cdef enum:
    LANES = 8


def cluster_sums(
    const double[:, ::1] queries,       # IN   (m, p)
    const Py_ssize_t[::1] own,          # IN   (m,) the row that a query is, −1 if it is none
    const double[:, ::1] rows,          # IN   (n, p) the rows of a cluster side by side
    const double[::1] mass,             # IN   (n,) how many rows each one stands for, above 0
    const Py_ssize_t[::1] cluster,      # IN   (n,) 0 … k − 1
    const double[::1] weights,          # IN   (p,) feature weights
    double inv_h,
    int n_threads,
    double[:, ::1] sums,                # OUT  (m, k) kernel sums, relative to the nearest row
    double[::1] closest,                # OUT  (m,) its squared distance; infinite if there is none
):
    """Write Σ_{j in k} m_j exp((closest_i − ‖x_i − x_j‖²_w) / h) into `sums`.

    A query that is one of the rows leaves a mass of one of it out.
    """
    cdef ClusterSums tasks = ClusterSums(
        queries, own, rows, mass, cluster, np.sqrt(weights), inv_h, sums, closest, n_threads
    )
    cdef double work = <double> TILE * rows.shape[0] * (rows.shape[1] + 20)
    cdef Py_ssize_t batch = n_threads * tasks_between_signals(work)
    cdef Py_ssize_t tiles = tiles_of(queries.shape[0]), first
    for first in range(0, tiles, batch):
        tasks.share(first, min(first + batch, tiles), n_threads)
        PyErr_CheckSignals()


@cython.final
cdef class ClusterSums(Tasks):
    """What every tile of queries needs; a task is a tile."""
    cdef const double[:, ::1] queries, rows
    cdef const Py_ssize_t[::1] own, cluster
    cdef const double[::1] mass, root   # root: (p,) √w
    cdef double inv_h
    cdef double[:, ::1] sums
    cdef double[::1] closest
    cdef Py_ssize_t n, p, k, block, blocks
    cdef const Py_ssize_t[::1] every    # 0, 1, 2, …
    cdef double[:, ::1] T               # (threads, TILE × ROW) (queries, rows) distances, kernel
    cdef double[:, ::1] columns         # (threads, block × ROW) the scaled rows, transposed
    cdef double[:, ::1] packed          # (threads, TILE × block) the scaled queries

    def __init__(
        self, queries, own, rows, mass, cluster, root, inv_h, sums, closest, n_threads
    ):
        self.queries, self.own, self.rows = queries, own, rows
        self.mass, self.cluster, self.root, self.inv_h = mass, cluster, root, inv_h
        self.sums, self.closest = sums, closest
        self.n, self.p = rows.shape[:2]
        self.k = sums.shape[1]
        self.block = feature_block(self.p)
        self.blocks = (self.p + self.block - 1) // self.block
        self.every = np.arange(max(self.n, queries.shape[0]))
        self.T = aligned(n_threads, TILE * ROW)
        self.columns = aligned(n_threads, padded(self.block) * ROW)
        self.packed = aligned(n_threads, TILE * padded(self.block))

    cdef void run(self, Py_ssize_t tile, Py_ssize_t thread) noexcept nogil:
        """Add up the kernel values of a tile of queries, one tile of rows at a time."""
        cdef Py_ssize_t first = tile * TILE, size = rows_of(self.queries.shape[0], tile)
        cdef Py_ssize_t r, l, other
        cdef double* T = &self.T[thread, 0]
        for r in range(first, first + size):
            self.closest[r] = INFINITY
            for l in range(self.k):
                self.sums[r, l] = 0
        for other in range(tiles_of(self.n)):
            self.distances(first, size, other, thread)
            for r in range(size):
                self.kernel_row(first + r, other, T + r * ROW)

    cdef void distances(
        self, Py_ssize_t query, Py_ssize_t size, Py_ssize_t other, Py_ssize_t thread
    ) noexcept nogil:
        """T ← squared distances between queries and a tile of rows."""
        cdef Py_ssize_t cols = rows_of(self.n, other), b, first, features
        cdef double* columns = &self.columns[thread, 0]
        cdef double* packed = &self.packed[thread, 0]
        for b in range(self.blocks):
            first, features = b * self.block, min(self.block, self.p - b * self.block)
            simd.pack_columns(
                &self.rows[0, first], self.p, &self.every[other * TILE], cols, features,
                &self.root[first], ROW, columns,
            )
            simd.pack_rows(
                &self.queries[0, first], self.p, &self.every[query], size, features,
                &self.root[first], packed,
            )
            simd.differences(
                &self.T[thread, 0], ROW, columns, ROW, packed, 1, features, size, padded(cols),
                features, b == 0,
            )

    cdef void kernel_row(self, Py_ssize_t query, Py_ssize_t other, double* row) noexcept nogil:
        """Turn squared distances into kernel values and add them to the query's sums."""
        cdef Py_ssize_t first = other * TILE, cols = rows_of(self.n, other), c, l
        cdef Py_ssize_t diagonal = self.own[query] - first
        cdef bint meets_itself = self.own[query] >= 0 and 0 <= diagonal < cols
        cdef double smallest = INFINITY, factor, left = 1
        if meets_itself:
            left = (self.mass[first + diagonal] - 1) / self.mass[first + diagonal]
            row[diagonal] = 0 if left > 0 else INFINITY
        for c in range(cols):
            smallest = min(smallest, row[c])
        if smallest < self.closest[query]:  # what was summed so far is relative to a farther row
            factor = exp((smallest - self.closest[query]) * self.inv_h)
            self.closest[query] = smallest
            for l in range(self.k):
                self.sums[query, l] *= factor
        if self.closest[query] == INFINITY:
            return
        for c in range(cols):
            row[c] = (self.closest[query] - row[c]) * self.inv_h
        simd.exponential(row, row, cols)
        for c in range(cols):
            # exp(−707) and less: nothing beside the nearest row's one
            row[c] = self.mass[first + c] * row[c] if row[c] >= 1e-300 else 0
        if meets_itself:
            row[diagonal] *= max(left, 0.0)
        self.add_runs(query, first, cols, row)

    cdef void add_runs(
        self, Py_ssize_t query, Py_ssize_t first, Py_ssize_t cols, const double* row
    ) noexcept nogil:
        """Add the kernel values of a tile of rows, those of one cluster at a time."""
        cdef Py_ssize_t start = 0, end
        while start < cols:
            end = start + 1
            while end < cols and self.cluster[first + end] == self.cluster[first + start]:
                end += 1
            self.sums[query, self.cluster[first + start]] += sum_of(row + start, end - start)
            start = end


cdef double sum_of(const double* x, Py_ssize_t n) noexcept nogil:
    """Σ x, in a few partial sums."""
    cdef double[LANES] partial
    cdef Py_ssize_t i, l
    for l in range(LANES):
        partial[l] = 0
    for i in range(n // LANES):
        for l in range(LANES):
            partial[l] += x[i * LANES + l]
    for i in range(n // LANES * LANES, n):
        partial[i % LANES] += x[i]
    return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + (
        (partial[4] + partial[5]) + (partial[6] + partial[7])
    )
