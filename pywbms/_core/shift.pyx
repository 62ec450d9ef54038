"""One blurring step: every point moves to the kernel-weighted mean of the (other) points.

The kernel matrix is symmetric, so each of its tiles is computed once and used for both of the tiles
of points that it belongs to. It is computed in the cache and never stored:

    distances (a small matrix product) → exp → sums for the rows → sums for the columns

The pairs of tiles are shared out to the threads as in a round-robin tournament (round_robin.pyx),
so that the sums are the same to the bit for any number of threads.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, log
from libc.string cimport memcpy

from pywbms._core.far import left_out, shift_far

from pywbms._core.packed cimport PackedTiles, new_packed_tiles
from pywbms._core.pool cimport Tasks
from pywbms._core.round_robin cimport RoundRobin
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport EXPANDABLE, ROW, TILE, aligned, padded, simd, tile_product

# Up to this many features a difference costs no more than a product, and is exact.
cdef enum:
    FEW_FEATURES = 8

# exp(−707) stands for every smaller kernel value. Points whose sum is not far above that are
# computed again, relative to their nearest point.
cdef double SMALLEST_SUM = 1e-280

# A tile all of whose kernel values, times the total mass, are below this share of every row sum
# cannot change any of them.
cdef double NEGLIGIBLE = 2.0**-53

# From this many tiles on, test whether a pair of tiles is negligible.
cdef enum:
    MANY_TILES = 8

# What a task does: the phases of a step, one after the other.
cdef enum Phase:
    BEGIN     # survey a tile, and begin its sums with its own points
    PLAY      # take pairs of tiles in turn
    PLAY_ALONE   # add to the sums of one tile what the others contribute
    DIVIDE    # write where the points of a tile go


def shift(
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] weights,     # IN   (p,) feature weights
    double h,
    bint exclude_self,
    int n_threads,
    double[:, ::1] shifted,        # OUT  (g, p) where the points go
    Py_ssize_t[::1] nearest,       # OUT  (g,) a single row's nearest other point, else −1
    const Py_ssize_t[::1] order=None,   # IN   (g,) an order in which near points are close together
    part=None,                     # IN   (start, stop) the tiles to move; None for all
    const double[::1] left=None,   # IN   (g,) what a row leaves out of its own mean; one by default
):
    """Write into `shifted` where each point goes in one step; return the share of tiles skipped.

    y_i ← Σ_j m_ij exp(−‖y_i − y_j‖²_w / h) y_j / Σ_j m_ij exp(−‖y_i − y_j‖²_w / h)

    where m_ij is the mass of j; for j = i it is the mass of the point's other rows if a row is
    excluded from its own mean (`exclude_self`): its mass less one, or less what is `left` out. A
    point without any other point stays where it is.

    Points so far from all others that every kernel value underflows are summed relative to their
    nearest point, so no sum is zero. The nearest point is reported for points all of whose mass is
    excluded from their own mean.

    With a `part`, only the points of these tiles (runs of 128 in the order) are moved; what is
    written for the others is meaningless. The sums are added in the same order as in a whole step,
    so the parts together are the whole; but a pair of tiles in different parts is computed twice.
    """
    cdef const double[::1] root = np.sqrt(np.asarray(weights) * min(1 / h, 1e300))
    order = np.arange(points.shape[0]) if order is None else order
    left = left_out(points.shape[0], exclude_self) if left is None or not exclude_self else left
    cdef Step step = new_step(
        new_packed_tiles(points, mass, root, order, shifted), left, n_threads, nearest
    )
    cdef Py_ssize_t tiles = step.packed.tiles
    cdef Py_ssize_t start = 0 if part is None else part[0]
    cdef Py_ssize_t stop = tiles if part is None else part[1]
    step.begin(start, stop)
    if part is None:
        step.add_all_pairs()
    else:
        step.add_pairs_of(start, stop)
    far = step.finish(start, stop)
    if len(far):
        shift_far(points, mass, weights, h, exclude_self, far, n_threads, shifted, nearest, left)
    return np.asarray(step.skipped).sum() / max(1, tiles * (tiles - 1) // 2)


cdef Step new_step(
    PackedTiles packed, const double[::1] left, int n_threads, Py_ssize_t[::1] nearest
):
    """Return a step whose sums are empty."""
    cdef Step step = Step.__new__(Step)
    cdef Py_ssize_t g = packed.g, tiles = packed.tiles
    cdef double[::1] per_point = np.zeros(3 * g)
    cdef double[::1] per_tile = np.zeros(2 * tiles)
    step.packed, step.nearest = packed, nearest
    step.left, step.n_threads = left, n_threads
    step.may_skip = tiles >= MANY_TILES
    step.log_mass = log(np.asarray(packed.mass).sum())
    step.norm, step.total, step.best = per_point[:g], per_point[g:2 * g], per_point[2 * g:]
    step.largest_norm, step.smallest_total = per_tile[:tiles], per_tile[tiles:]
    if step.may_skip:
        step.low, step.high = np.empty((2, tiles, packed.p))
    step.scratch = aligned(n_threads, TILE * ROW + packed.slots_size)
    step.skipped = np.zeros(n_threads, dtype=np.intp)
    return step


@cython.final
cdef class Step(Tasks):
    """The sums of a step, and what is known of the points and tiles on the way.

    Points are numbered in the order of the tiles, except in `packed` and `nearest`.
    """
    cdef PackedTiles packed
    cdef Py_ssize_t[::1] nearest
    cdef const double[::1] left     # (g,) of its own mass, what counts for nothing in its mean
    cdef bint may_skip
    cdef int n_threads
    cdef double log_mass            # of all points together
    cdef double[::1] norm           # (g,) ‖·‖² of the scaled points
    cdef double[::1] total          # (g,) Σ_j of the kernel so far
    cdef double[::1] best           # (g,) largest kernel value so far
    cdef double[::1] largest_norm   # (tiles,)
    cdef double[::1] smallest_total   # (tiles,)
    cdef double[:, ::1] low, high   # (tiles, p) box around the scaled points of a tile
    cdef double[:, ::1] scratch     # (threads, …) a tile of the kernel, and room to pack others
    cdef Py_ssize_t[::1] skipped    # (threads,) pairs of tiles found negligible
    cdef Phase phase
    cdef Py_ssize_t start, stop     # the tiles whose points are moved
    cdef RoundRobin schedule
    cdef bint near                  # whether near or far pairs are played

    cdef void run(self, Py_ssize_t task, Py_ssize_t thread) noexcept nogil:
        if self.phase == BEGIN:
            self.survey(task)
            if self.start <= task < self.stop:
                self.add_pair(task, task, False, True, thread)
        elif self.phase == PLAY:
            self.play(thread)
        elif self.phase == PLAY_ALONE:
            self.play_alone(task, thread)
        else:
            self.packed.divide(task, &self.total[task * TILE])

    cdef int begin(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Survey all tiles; begin the sums of tiles start … stop − 1 with their own points."""
        self.phase, self.start, self.stop = BEGIN, start, stop
        self.share(0, self.packed.tiles, self.n_threads)
        PyErr_CheckSignals()
        return 0

    cdef int add_all_pairs(self) except -1:
        """Add to the sums of all tiles what the other tiles contribute."""
        cdef double work = <double> TILE * TILE * (3 * self.packed.p + 10)
        cdef Py_ssize_t batch = self.n_threads * tasks_between_signals(work), near
        self.phase, self.schedule = PLAY, RoundRobin(self.packed.tiles)
        # Near tiles first: once the row sums of a tile are known from those around it, it is clear
        # which far ones cannot change them.
        for near in range(self.may_skip, -1, -1):
            self.near = near
            self.schedule.restart()
            while self.schedule.next_batch(batch):
                self.share(0, self.n_threads, self.n_threads)
                PyErr_CheckSignals()
        return 0

    cdef void play(self, Py_ssize_t thread) noexcept nogil:
        """Take pairs of tiles in turn until the batch is done."""
        cdef Py_ssize_t I = 0, J = 0
        while self.schedule.take(&I, &J):
            if J < self.packed.tiles and self.is_due(
                I, J, self.near, min(self.smallest_total[I], self.smallest_total[J]), thread
            ):
                self.add_pair(I, J, True, True, thread)
            self.schedule.finish(I, J)

    cdef int add_pairs_of(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Add to the sums of tiles start … stop − 1 what the other tiles contribute."""
        cdef Py_ssize_t first
        self.phase, self.schedule = PLAY_ALONE, RoundRobin(self.packed.tiles)
        for first in range(start, stop, self.n_threads):
            self.share(first, min(first + self.n_threads, stop), self.n_threads)
            PyErr_CheckSignals()
        return 0

    cdef void play_alone(self, Py_ssize_t own, Py_ssize_t thread) noexcept nogil:
        """Add to the sums of one tile, in the order in which the schedule would."""
        cdef Py_ssize_t round, other, near
        for near in range(self.may_skip, -1, -1):
            for round in range(self.schedule.players):
                other = self.schedule.opponent(own, round)
                if other == own or other >= self.packed.tiles:
                    continue
                if self.is_due(own, other, near, self.smallest_total[own], thread):
                    self.add_pair(
                        min(own, other), max(own, other), own < other, own > other, thread
                    )

    cdef bint is_due(
        self, Py_ssize_t I, Py_ssize_t J, bint near, double smallest_sum, Py_ssize_t thread
    ) noexcept nogil:
        """Whether a pair of tiles is near (or far), as asked, and not negligible."""
        cdef double apart
        if not self.may_skip:
            return True
        apart = self.squared_gap(I, J)
        if (apart < 1) != near:
            return False
        if smallest_sum > 0 and apart > self.log_mass - log(smallest_sum * NEGLIGIBLE):
            self.skipped[thread] += 1
            return False
        return True

    cdef double squared_gap(self, Py_ssize_t I, Py_ssize_t J) noexcept nogil:
        """The smallest squared distance that scaled points of two tiles can have."""
        cdef const double* low_i = &self.low[I, 0]
        cdef const double* low_j = &self.low[J, 0]
        cdef const double* high_i = &self.high[I, 0]
        cdef const double* high_j = &self.high[J, 0]
        cdef double total = 0, gap
        cdef Py_ssize_t l
        for l in range(self.packed.p):
            gap = max(0.0, max(low_i[l] - high_j[l], low_j[l] - high_i[l]))
            total += gap * gap
        return total

    cdef void survey(self, Py_ssize_t tile) noexcept nogil:
        """Clear the sums of a tile; compute the norms of its points and the box around them."""
        cdef Py_ssize_t start = tile * TILE, p = self.packed.p, r, l
        cdef double* low = &self.low[tile, 0] if self.may_skip else NULL
        cdef double* high = &self.high[tile, 0] if self.may_skip else NULL
        cdef const double* root = &self.packed.root[0]
        cdef const double* y
        cdef double z, norm
        self.packed.clear(tile)
        for r in range(self.packed.rows(tile)):
            self.nearest[self.packed.order[start + r]] = -1
            y = &self.packed.points[self.packed.order[start + r], 0]
            norm = 0
            for l in range(p):
                z = root[l] * y[l]
                norm = norm + z * z
                if low is not NULL:
                    low[l] = z if r == 0 else min(low[l], z)
                    high[l] = z if r == 0 else max(high[l], z)
            self.norm[start + r] = norm
            self.largest_norm[tile] = max(self.largest_norm[tile], norm)

    cdef void add_pair(
        self, Py_ssize_t I, Py_ssize_t J, bint into_i, bint into_j, Py_ssize_t thread
    ) noexcept nogil:
        """Add to the sums of tile I what the points of tile J contribute, and vice versa."""
        cdef Py_ssize_t rows_i = self.packed.rows(I), rows_j = self.packed.rows(J), b
        cdef bint expand = (
            self.packed.p > FEW_FEATURES
            and self.largest_norm[I] + self.largest_norm[J] <= EXPANDABLE
        )
        cdef tile_product distances = simd.products if expand else simd.differences
        cdef double* T = &self.scratch[thread, 0]   # (J, I) distances, then kernel
        cdef double* slots = T + TILE * ROW
        cdef const double* columns_i
        cdef const double* columns_j
        for b in range(self.packed.blocks):
            columns_i = self.packed.columns(I, b, slots)
            columns_j = self.packed.columns(J, b, slots + self.packed.columns_size)
            distances(
                T, ROW, columns_i, ROW, columns_j, ROW, 1, rows_j, padded(rows_i),
                self.packed.features(b), b == 0,
            )
        self.kernel(I, J, into_i, into_j, expand, T)
        slots += 2 * self.packed.columns_size
        if into_j:
            self.add(J, I, T, 1, ROW, slots)
        if into_i:
            self.add(I, J, T, ROW, 1, slots)

    cdef void add(
        self, Py_ssize_t tile, Py_ssize_t other, const double* T, Py_ssize_t stride_other,
        Py_ssize_t stride, double* slots,
    ) noexcept nogil:
        """Add to the sums of a tile the points of another, times their kernel values."""
        cdef Py_ssize_t rows = self.packed.rows(tile), width = self.packed.width
        cdef Py_ssize_t b, r, features
        cdef double* total = &self.total[tile * TILE]
        cdef const double* masses
        cdef double* sums
        cdef double smallest = INFINITY
        for b in range(self.packed.blocks):
            features = self.packed.features(b)
            masses = self.packed.masses(other, b, slots)
            sums = self.packed.sums(tile, b, slots + self.packed.sums_size)
            simd.products(
                sums, width, masses, width, T, stride_other, stride, rows,
                padded(features + (1 if b == 0 else 0)), self.packed.rows(other),
                not self.packed.kept,
            )
            self.packed.add(tile, b, sums)
            if b == 0:  # which has the sums of the kernel in a column of its own
                for r in range(rows):
                    total[r] = (0 if self.packed.kept else total[r]) + sums[r * width + features]
                    smallest = min(smallest, total[r])
        self.smallest_total[tile] = smallest

    cdef void kernel(
        self, Py_ssize_t I, Py_ssize_t J, bint into_i, bint into_j, bint expand, double* T
    ) noexcept nogil:
        """Turn distances (or products, if they are to be expanded) into kernel values."""
        cdef Py_ssize_t rows_i = self.packed.rows(I), rows_j = self.packed.rows(J), r, c
        cdef double[TILE] norm_i
        cdef double[TILE] norm_j
        cdef double[TILE] largest_i
        cdef double[TILE] largest_j
        cdef double factor = 2 if expand else -1
        cdef Py_ssize_t point
        for c in range(TILE):
            largest_i[c] = 0
            norm_i[c] = 0 if c < rows_i else 1e300  # kernel value zero beyond the last point
            norm_j[c] = 0
        if expand:
            memcpy(norm_i, &self.norm[I * TILE], rows_i * sizeof(double))
            memcpy(norm_j, &self.norm[J * TILE], rows_j * sizeof(double))
        if I == J:
            for r in range(rows_j):  # no point is its own nearest
                T[r * ROW + r] = -1e300 * factor
        simd.kernel(T, ROW, factor, norm_j, norm_i, rows_j, padded(rows_i), largest_j, largest_i)
        if into_j:
            for r in range(rows_j):
                self.update_nearest(J * TILE + r, largest_j[r], T + r * ROW, 1, I)
        if into_i:
            for c in range(rows_i):
                self.update_nearest(I * TILE + c, largest_i[c], T + c, ROW, J)
        if I == J:
            for r in range(rows_j):  # times its mass: the point's other rows, or all of them
                point = self.packed.order[J * TILE + r]
                T[r * ROW + r] = 1 - self.left[point] / self.packed.mass[point]

    cdef void update_nearest(
        self, Py_ssize_t i, double largest, const double* values, Py_ssize_t stride,
        Py_ssize_t tile,
    ) noexcept nogil:
        """Note which point of a tile is nearest to point i, if it is nearer than all before."""
        cdef Py_ssize_t point = self.packed.order[i], last = self.packed.rows(tile) - 1, r = 0
        if largest > self.best[i] and self.packed.mass[point] <= self.left[point]:
            self.best[i] = largest
            while r < last and values[r * stride] != largest:
                r += 1
            self.nearest[point] = self.packed.order[tile * TILE + r]

    cdef finish(self, Py_ssize_t start, Py_ssize_t stop):
        """Divide the sums of tiles start … stop − 1; return the points too far from all others."""
        self.phase = DIVIDE
        self.share(start, stop, self.n_threads)
        moved = slice(start * TILE, stop * TILE)
        far = np.asarray(self.total)[moved] < SMALLEST_SUM
        return np.sort(np.asarray(self.packed.order)[moved][far])
