"""One step of rows that follow a cloud: each moves to the kernel-weighted mean of its points.

As in a blurring step (shift.pyx), tiles of the kernel matrix are computed in the cache and never
stored. But the rows have no mass and do not see each other, so the matrix is rectangular, and its
tiles have one use. A task is a tile of rows; it takes the tiles of the cloud from near to far and
stops where the rest cannot change any of its sums.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, log
from libc.string cimport memcpy, memset

from pywbms._core.packed cimport PackedTiles, new_packed_tiles
from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport (
    EXPANDABLE, ROW, TILE, aligned, padded, rows_of, simd, tile_product, tiles_of,
)

# Up to this many features a difference costs no more than a product, and is exact.
cdef enum:
    FEW_FEATURES = 8

# exp(−707) stands for every smaller kernel value. Rows whose sum is not far above that are
# computed again, relative to their nearest point.
cdef double SMALLEST_SUM = 1e-280

# What all further tiles together can add to a sum is left out if it is below this share of it.
cdef double NEGLIGIBLE = 1e-13


def follow(
    const double[:, ::1] rows,     # IN   (n, p) where the rows are
    const double[:, ::1] cloud,    # IN   (g, q) the points: p coordinates, and what else to average
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] weights,     # IN   (p,) feature weights
    double h,
    int n_threads,
    const Py_ssize_t[::1] row_order,     # IN   (n,) an order in which near rows are close together
    const Py_ssize_t[::1] cloud_order,   # IN   (g,) the same for the points
    double[:, ::1] means,          # OUT  (n, q) mean of the points, as each row sees them
    double[::1] log_sums,          # OUT  (n,) log of the kernel sum
):
    """Write into `means` where each row goes; return the share of pairs of tiles left out.

    x_i ← Σ_j m_j exp(−‖x_i − y_j‖²_w / h) y_j / Σ_j m_j exp(−‖x_i − y_j‖²_w / h)

    The features of the cloud beyond those of the rows are averaged, but are no part of distances.
    Rows so far away that every kernel value underflows are summed relative to their nearest point.
    """
    cdef double[::1] root = np.zeros(cloud.shape[1])
    np.asarray(root)[:rows.shape[1]] = np.sqrt(np.asarray(weights) * min(1 / h, 1e300))
    cdef Following step = Following.__new__(Following)
    step.rows, step.means, step.log_sums, step.row_order = rows, means, log_sums, row_order
    step.packed = new_packed_tiles(cloud, mass, root, cloud_order, np.empty((0, cloud.shape[1])))
    step.p = rows.shape[1]
    step.prepare(n_threads)
    cdef double work = <double> TILE * cloud.shape[0] * (3 * cloud.shape[1] + 10)
    cdef Py_ssize_t batch = n_threads * tasks_between_signals(work)
    cdef Py_ssize_t tiles = tiles_of(rows.shape[0]), first
    for first in range(0, tiles, batch):
        step.share(first, min(first + batch, tiles), n_threads)
        PyErr_CheckSignals()
    return np.asarray(step.skipped).sum() / max(1, tiles * step.packed.tiles)


@cython.final
cdef class Following(Tasks):
    """What every tile of rows needs; see `follow`."""
    cdef const double[:, ::1] rows
    cdef double[:, ::1] means
    cdef double[::1] log_sums
    cdef const Py_ssize_t[::1] row_order
    cdef PackedTiles packed         # the cloud
    cdef Py_ssize_t p               # features of the rows
    cdef double log_mass            # of the whole cloud
    cdef double[::1] norm           # (g,) ‖·‖² of the scaled points, in the order of the tiles
    cdef double[::1] largest_norm   # (tiles,)
    cdef double[:, ::1] low, high   # (tiles, p) box around the scaled points of a tile
    cdef double[:, ::1] scratch     # (threads, …) see `run`
    cdef double[:, ::1] gaps        # (threads, tiles) smallest squared distance of each tile
    cdef Py_ssize_t[:, ::1] nearest_first   # (threads, tiles)
    cdef Py_ssize_t[::1] skipped    # (threads,)

    cdef prepare(self, int n_threads):
        """Pack the cloud; find the norms of its points and the boxes around its tiles."""
        cdef PackedTiles packed = self.packed
        cdef Py_ssize_t tiles = packed.tiles, tile, own
        self.log_mass = log(np.asarray(packed.mass).sum())
        self.norm, self.largest_norm = np.zeros(packed.g), np.zeros(tiles)
        self.low, self.high = np.empty((2, tiles, self.p))
        own = packed.blocks * (packed.columns_size + packed.sums_size) + 2 * self.p
        self.scratch = aligned(n_threads, TILE * ROW + packed.slots_size + own)
        self.gaps = np.empty((n_threads, tiles))
        self.nearest_first = np.empty((n_threads, tiles), dtype=np.intp)
        self.skipped = np.zeros(n_threads, dtype=np.intp)
        for tile in range(tiles):
            if packed.kept:
                packed.clear(tile)
            self.largest_norm[tile] = self.survey(
                &packed.points[0, 0], packed.p, &packed.order[tile * TILE], packed.rows(tile),
                &self.norm[tile * TILE], &self.low[tile, 0], &self.high[tile, 0],
            )

    cdef double survey(
        self, const double* points, Py_ssize_t width, const Py_ssize_t* index, Py_ssize_t n,
        double* norm, double* low, double* high,
    ) noexcept nogil:
        """Find the norms of some scaled points, and the box around them; return the largest."""
        cdef Py_ssize_t r, l
        cdef double z, largest = 0
        cdef const double* y
        for r in range(n):
            y = points + index[r] * width
            norm[r] = 0
            for l in range(self.p):
                z = self.packed.root[l] * y[l]
                norm[r] += z * z
                low[l] = z if r == 0 else min(low[l], z)
                high[l] = z if r == 0 else max(high[l], z)
            largest = max(largest, norm[r])
        return largest

    cdef void run(self, Py_ssize_t task, Py_ssize_t thread) noexcept nogil:
        """Move a tile of rows."""
        cdef const Py_ssize_t* index = &self.row_order[task * TILE]
        cdef Py_ssize_t n = rows_of(self.rows.shape[0], task), b, k, tile
        cdef double* T = &self.scratch[thread, 0]   # (rows, points) distances, then kernel
        cdef double* slots = T + TILE * ROW
        cdef double* columns = slots + self.packed.slots_size
        cdef double* sums = columns + self.packed.blocks * self.packed.columns_size
        cdef double* low = sums + self.packed.blocks * self.packed.sums_size
        cdef double[TILE] norm
        cdef double[TILE] total
        cdef double largest, smallest = 0
        largest = self.survey(&self.rows[0, 0], self.p, index, n, norm, low, low + self.p)
        memset(sums, 0, self.packed.blocks * self.packed.sums_size * sizeof(double))
        memset(total, 0, sizeof(total))
        for b in range(self.packed.blocks):
            if self.distance_features(b):
                simd.pack_columns(
                    &self.rows[0, b * self.packed.block], self.p, index, n,
                    self.distance_features(b), &self.packed.root[b * self.packed.block], ROW,
                    columns + b * self.packed.columns_size,
                )
        self.sort_by_gap(low, low + self.p, thread)
        for k in range(self.packed.tiles):
            tile = self.nearest_first[thread, k]
            if smallest > 0 and (
                self.gaps[thread, tile] > self.log_mass - log(smallest * NEGLIGIBLE)
            ):
                self.skipped[thread] += self.packed.tiles - k
                break
            self.kernel(tile, columns, n, norm, largest, T, slots)
            smallest = self.add(tile, n, T, slots, sums, total)
        for k in range(n):
            if total[k] < SMALLEST_SUM:
                self.follow_far(index[k])
            else:
                self.divide(index[k], sums + k * self.packed.width, total[k])

    cdef Py_ssize_t distance_features(self, Py_ssize_t b) noexcept nogil:
        """How many features of a block are coordinates."""
        return max(0, min(self.packed.block, self.p - b * self.packed.block))

    cdef void sort_by_gap(
        self, const double* low, const double* high, Py_ssize_t thread
    ) noexcept nogil:
        """Sort the tiles of the cloud by the distance of their boxes from that of some rows."""
        cdef double* gaps = &self.gaps[thread, 0]
        cdef Py_ssize_t* order = &self.nearest_first[thread, 0]
        cdef Py_ssize_t tile, l, place
        cdef double gap
        for tile in range(self.packed.tiles):
            gaps[tile] = 0
            for l in range(self.p):
                gap = max(0.0, max(low[l] - self.high[tile, l], self.low[tile, l] - high[l]))
                gaps[tile] += gap * gap
            place = tile
            while place > 0 and gaps[order[place - 1]] > gaps[tile]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = tile

    cdef void kernel(
        self, Py_ssize_t tile, const double* columns, Py_ssize_t n, const double* norm,
        double largest, double* T, double* slots,
    ) noexcept nogil:
        """T ← kernel values between a tile of rows and one of the cloud."""
        cdef Py_ssize_t points = self.packed.rows(tile), b, c
        cdef bint expand = self.p > FEW_FEATURES and largest + self.largest_norm[tile] <= EXPANDABLE
        cdef tile_product distances = simd.products if expand else simd.differences
        cdef double[TILE] row_norm
        cdef double[TILE] col_norm
        cdef double[TILE] row_max
        cdef double[TILE] col_max
        for b in range(self.packed.blocks):
            if self.distance_features(b):
                distances(
                    T, ROW, self.packed.columns(tile, b, slots), ROW,
                    columns + b * self.packed.columns_size,
                    ROW, 1, n, padded(points), self.distance_features(b), b == 0,
                )
        memset(row_norm, 0, sizeof(row_norm))
        memset(col_norm, 0, sizeof(col_norm))
        memset(col_max, 0, sizeof(col_max))
        if expand:
            memcpy(row_norm, norm, n * sizeof(double))
            memcpy(col_norm, &self.norm[tile * TILE], points * sizeof(double))
        for c in range(points, TILE):
            col_norm[c] = 1e300
        simd.kernel(
            T, ROW, 2 if expand else -1, row_norm, col_norm, n, padded(points), row_max,
            col_max,
        )

    cdef double add(
        self, Py_ssize_t tile, Py_ssize_t n, const double* T, double* slots, double* sums,
        double* total,
    ) noexcept nogil:
        """Add the points of a tile, times their kernel values; return the smallest sum of these."""
        cdef Py_ssize_t b, r, extra
        cdef double smallest = INFINITY
        for b in range(self.packed.blocks):
            extra = 1 if b == 0 else 0   # the first block has the masses in a further column
            simd.products(
                sums + b * self.packed.sums_size, self.packed.width,
                self.packed.masses(tile, b, slots + self.packed.columns_size), self.packed.width,
                T, 1, ROW, n,
                padded(self.packed.features(b) + extra), self.packed.rows(tile), False,
            )
        for r in range(n):
            total[r] = sums[r * self.packed.width + self.packed.features(0)]
            smallest = min(smallest, total[r])
        return smallest

    cdef void divide(self, Py_ssize_t row, const double* sums, double total) noexcept nogil:
        """Write where a row goes: its sums divided by the sum of the kernel."""
        cdef Py_ssize_t b, l
        cdef double* out
        for b in range(self.packed.blocks):
            out = &self.means[row, b * self.packed.block]
            for l in range(self.packed.features(b)):
                out[l] = sums[b * self.packed.sums_size + l] / total
        self.log_sums[row] = log(total)

    cdef void follow_far(self, Py_ssize_t row) noexcept nogil:
        """Move a row whose kernel values underflow; they are taken relative to the nearest."""
        cdef double nearest = INFINITY, total = 0, value
        cdef Py_ssize_t j, l
        for j in range(self.packed.g):
            nearest = min(nearest, self.squared_distance(row, j))
        memset(&self.means[row, 0], 0, self.packed.p * sizeof(double))
        for j in range(self.packed.g):
            value = nearest - self.squared_distance(row, j)
            if value > -700:
                value = self.packed.mass[j] * exp(value)
                total += value
                for l in range(self.packed.p):
                    self.means[row, l] += value * self.packed.points[j, l]
        for l in range(self.packed.p):
            self.means[row, l] /= total
        self.log_sums[row] = log(total) - nearest

    cdef double squared_distance(self, Py_ssize_t row, Py_ssize_t point) noexcept nogil:
        """The scaled squared distance of a row and a point; finite, however far they are apart."""
        cdef double total = 0, z
        cdef Py_ssize_t l
        for l in range(self.p):
            z = self.packed.root[l] * (self.rows[row, l] - self.packed.points[point, l])
            total += z * z
        return min(total, 1e300)
