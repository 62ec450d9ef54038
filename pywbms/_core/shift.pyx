"""One blurring step: every point moves to the kernel-weighted mean of the (other) points.

The kernel matrix is symmetric, so each of its tiles is made once and used for both of the blocks of
points that it joins. It is made in the cache and never stored:

    distances (a small matrix product) → exp → sums for the rows → sums for the columns

Work is shared out as in a tournament: in each round every tile of points meets at most one other,
and a tile meets the others in a fixed order. So threads never write to the same place, and the sums
come together in the same way whatever their number.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, log
from libc.string cimport memcpy, memset

from pywbms._core.far import aligned, shift_far

from pywbms._core.tiles cimport (
    ROW,
    TILE,
    feature_block,
    padded,
    tile_functions,
    tile_functions_here,
    tile_product,
)

cdef extern from "simd/turns.h" nogil:
    Py_ssize_t take_turn(Py_ssize_t* next)
    void wait_until_done(const Py_ssize_t* done, Py_ssize_t tasks)
    void one_more_done(Py_ssize_t* done)

# Up to this many features a difference costs no more than a product, and is exact.
cdef enum:
    FEW_FEATURES = 8

# The expanded square q_i + q_j − 2 y_i·y_j is off by some 2⁻⁵² (q_i + q_j), and the exponent by
# that over h. Up to this ratio the kernel keeps 11 digits; beyond it the tile takes differences.
cdef double EXPANDABLE = 1e4

# exp(−707) stands for every smaller kernel value. Rows whose sum is not far above that are summed
# again, relative to their nearest point.
cdef double SMALLEST_SUM = 1e-280

# A tile all of whose kernel values, times all the mass there is, lie below this share of every row
# sum cannot change one.
cdef double NEGLIGIBLE = 2.0**-53

# Work between two looks at pending signals, in multiply-adds: well below a second.
cdef double WORK_BETWEEN_SIGNALS = 2e9

# Tiles are packed once a step if that takes no more memory than this (in numbers: 48 MB), and anew
# whenever two of them meet otherwise.
cdef Py_ssize_t ROOM_TO_KEEP = 6_000_000

# From this many tiles on it is worth to look which pairs are too far apart to matter.
cdef enum:
    MANY_TILES = 8

cdef const tile_functions* simd = tile_functions_here()


def instruction_set():
    """Return the name of the instruction set in use: "avx512", "avx2" or "any"."""
    return simd.name.decode()


def exponential(const double[::1] x, double[::1] out):
    """Write exp(x) into `out`, for −707 ≤ x ≤ 709, as the kernel is computed.

    Below −707 it is exp(−707); the relative error is less than 4e-15.
    """
    if x.shape[0]:
        simd.exponential(&x[0], &out[0], x.shape[0])


cdef struct Step:  # what every tile of a step needs to know
    const double* points
    const double* mass
    const double* root            # (p,) √(w / h): distances of scaled points are exponents
    const Py_ssize_t* order       # (g,) points as they follow each other in the tiles
    double* norm                  # (g,) ‖·‖² of the scaled points, in this order
    double* total                 # (g,) Σ_j of the kernel so far, in this order
    double* best                  # (g,) largest kernel value so far, in this order
    double* largest_norm          # (tiles,)
    double* smallest_total        # (tiles,)
    double* low                   # (tiles, p) box around the scaled points of a tile
    double* high
    double* kept                  # packed tiles and their sums, if there is room to keep them
    double* shifted
    Py_ssize_t* nearest
    Py_ssize_t g, p, tiles, block, blocks, width
    bint exclude_self


cdef struct Tournament:
    # In round c, player c rests and c + m meets c − m, for m = 1 … meetings, modulo the odd number
    # of players. If the number of tiles is even, the last player is not there.
    Py_ssize_t players, meetings
    Py_ssize_t next, stop         # meetings, numbered round by round
    Py_ssize_t* done              # (players,) meetings that each has behind it
    bint may_skip, near           # tiles far apart may be skipped; it is the turn of near ones
    double log_mass


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
    part=None,                     # IN   the tiles to move: from …, to before …
):
    """Write into `shifted` where each point goes in one step; return the share of tiles skipped.

    y_i ← Σ_j m_ij exp(−‖y_i − y_j‖²_w / h) y_j / Σ_j m_ij exp(−‖y_i − y_j‖²_w / h)

    where m_ij is the mass of j; for j = i it is the mass of the point's other rows if a row is
    left out of its own mean (`exclude_self`). A point that has nobody stays where it is.

    Rows too far from all others for any kernel value are summed relative to their nearest point,
    so no sum is zero. Which point is nearest is told for the points that are left out of their
    own mean altogether.

    With a `part`, only the points of its tiles (runs of 128 in the order) are moved, and what is
    written for the others means nothing. The sums come together as in a whole step, so that parts
    put together are one; but of two tiles in different parts each is made twice.
    """
    cdef Step s
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1]
    cdef Py_ssize_t tiles = (g + TILE - 1) // TILE
    # Blocks meet in rounds as in a tournament, which takes an odd number of them: 0 … players − 1.
    cdef Py_ssize_t players = tiles + 1 - tiles % 2
    cdef bint may_skip = tiles >= MANY_TILES
    cdef double[::1] root = np.sqrt(np.asarray(weights) * min(1 / h, 1e300))
    cdef const Py_ssize_t[::1] sequence = np.arange(g) if order is None else order
    cdef double[::1] per_point = np.zeros(3 * g)
    cdef double[::1] per_tile = np.zeros(2 * tiles + (2 * tiles * p if may_skip else 0))
    cdef Py_ssize_t[::1] skipped = np.zeros(n_threads, dtype=np.intp)
    cdef Py_ssize_t[::1] done = np.empty(players, dtype=np.intp)
    cdef Py_ssize_t tile, thread, start, stop
    cdef Py_ssize_t own = 0 if part is None else part[0]
    cdef Py_ssize_t own_stop = tiles if part is None else part[1]
    cdef Tournament t

    s.points, s.mass, s.root, s.order = &points[0, 0], &mass[0], &root[0], &sequence[0]
    s.norm, s.total, s.best = &per_point[0], &per_point[g], &per_point[2 * g]
    s.largest_norm, s.smallest_total = &per_tile[0], &per_tile[tiles]
    s.low = &per_tile[2 * tiles] if may_skip else NULL
    s.high = s.low + tiles * p if may_skip else NULL
    s.shifted, s.nearest = &shifted[0, 0], &nearest[0]
    s.g, s.p, s.tiles, s.block = g, p, tiles, feature_block(p)
    s.blocks, s.width = (p + s.block - 1) // s.block, padded(s.block + 1)
    cdef Py_ssize_t size = tiles * s.blocks * (columns_size(&s) + 2 * sums_size(&s))
    cdef double[:, ::1] kept = aligned(1, size if size <= ROOM_TO_KEEP else 0)
    s.kept = &kept[0, 0] if size <= ROOM_TO_KEEP else NULL
    cdef double[:, ::1] scratch = aligned(
        n_threads, TILE * ROW + (0 if s.kept else 2 * columns_size(&s) + 4 * sums_size(&s))
    )
    s.exclude_self = exclude_self

    t.players, t.meetings = players, players // 2
    t.done, t.may_skip, t.log_mass = &done[0], may_skip, log(np.asarray(mass).sum())
    cdef Py_ssize_t tasks = players * t.meetings
    cdef double work_of_task = <double> TILE * TILE * (3 * p + 10)
    cdef Py_ssize_t batch = n_threads * (1 + <Py_ssize_t> (WORK_BETWEEN_SIGNALS / work_of_task))

    for tile in prange(tiles, nogil=True, num_threads=n_threads, schedule="static"):
        survey(&s, tile)
        if own <= tile < own_stop:
            meet(&s, tile, tile, True, True, &scratch[threadid(), 0])
    PyErr_CheckSignals()
    for start in range(own, own_stop if part is not None else own, n_threads):
        stop = min(start + n_threads, own_stop)
        for tile in prange(
            start, stop, nogil=True, num_threads=n_threads, schedule="static", chunksize=1
        ):
            skipped[threadid()] += meet_all(&s, &t, tile, &scratch[threadid(), 0])
        PyErr_CheckSignals()
    # Near tiles first: once a point's row sum is known from those around it, it is clear which
    # far ones cannot change it.
    for t.near in range(may_skip, -1, -1):
        if part is not None:
            break
        done[:] = 0
        t.next = 0
        while t.next < tasks:
            t.stop = min(t.next + batch, tasks)
            for thread in prange(
                n_threads, nogil=True, num_threads=n_threads, schedule="static", chunksize=1
            ):
                skipped[thread] += play(&s, &t, &scratch[thread, 0])
            t.next = t.stop
            PyErr_CheckSignals()
    for tile in prange(own, own_stop, nogil=True, num_threads=n_threads, schedule="static"):
        divide(&s, tile)
    totals, points_of_part = np.asarray(per_point[g:2 * g]), slice(own * TILE, own_stop * TILE)
    far = np.asarray(sequence)[points_of_part][totals[points_of_part] < SMALLEST_SUM]
    if len(far):
        shift_far(points, mass, weights, h, exclude_self, np.sort(far), n_threads, shifted, nearest)
    return np.asarray(skipped).sum() / max(1, tiles * (tiles - 1) // 2)


cdef Py_ssize_t columns_size(Step* s) noexcept nogil:
    return padded(s.block) * ROW


cdef Py_ssize_t sums_size(Step* s) noexcept nogil:
    return TILE * s.width


cdef void survey(Step* s, Py_ssize_t tile) noexcept nogil:
    """Clear the sums of a tile's points; find their norms and the box around them."""
    cdef Py_ssize_t start = tile * TILE, rows = rows_of(s, tile), p = s.p, r, l, b
    cdef double* low = s.low + tile * p if s.low is not NULL else NULL
    cdef double* high = s.high + tile * p if s.low is not NULL else NULL
    cdef const double* y
    cdef double z, norm
    for r in range(rows):
        y = s.points + s.order[start + r] * p
        if not s.kept:
            memset(s.shifted + s.order[start + r] * p, 0, p * sizeof(double))
        s.nearest[s.order[start + r]] = -1
        norm = 0
        for l in range(p):
            z = s.root[l] * y[l]
            norm = norm + z * z
            if low is not NULL:
                low[l] = z if r == 0 else min(low[l], z)
                high[l] = z if r == 0 else max(high[l], z)
        s.norm[start + r] = norm
        s.largest_norm[tile] = max(s.largest_norm[tile], norm)
    if s.kept:
        for b in range(s.blocks):
            pack_columns(s, tile, b, columns_of(s, tile, b, NULL))
            pack_masses(s, tile, b, masses_of(s, tile, b, NULL))
            memset(sums_of(s, tile, b, NULL), 0, sums_size(s) * sizeof(double))


cdef Py_ssize_t play(Step* s, Tournament* t, double* scratch) noexcept nogil:
    """Take meetings in turn until none is left; return how many were skipped as negligible."""
    cdef Py_ssize_t task, resting, m, I, J, skipped = 0
    while True:
        task = take_turn(&t.next)
        if task >= t.stop:
            return skipped
        resting, m = task // t.meetings, task % t.meetings + 1
        I, J = (resting + m) % t.players, (resting + t.players - m) % t.players
        # Each has met one in every earlier round but the one in which it rested.
        wait_until_done(t.done + I, resting - (1 if I < resting else 0))
        wait_until_done(t.done + J, resting - (1 if J < resting else 0))
        if I < s.tiles and J < s.tiles:
            skipped += meet_if_it_matters(s, t, min(I, J), max(I, J), scratch)
        one_more_done(t.done + I)
        one_more_done(t.done + J)


cdef Py_ssize_t meet_all(
    Step* s, Tournament* t, Py_ssize_t own, double* scratch
) noexcept nogil:
    """Let a tile meet all others, in the order of the tournament, and gather what they add to it.

    Return how many were skipped as negligible.
    """
    cdef Py_ssize_t resting, other, near, skipped = 0
    cdef double apart
    for near in range(t.may_skip, -1, -1):
        for resting in range(t.players):
            other = (2 * resting - own + t.players) % t.players
            if other == own or other >= s.tiles:
                continue
            if t.may_skip:
                apart = squared_gap(s, own, other)
                if (apart < 1) != near:
                    continue
                if negligible(t, apart, s.smallest_total[own]):
                    skipped += 1
                    continue
            meet(s, min(own, other), max(own, other), own < other, own > other, scratch)
    return skipped


cdef bint negligible(Tournament* t, double apart, double sums) noexcept nogil:
    return sums > 0 and apart > t.log_mass - log(sums * NEGLIGIBLE)


cdef Py_ssize_t meet_if_it_matters(
    Step* s, Tournament* t, Py_ssize_t I, Py_ssize_t J, double* scratch
) noexcept nogil:
    """Let two tiles meet if it is their turn; return 1 if they need not at all."""
    cdef double apart
    if t.may_skip:
        apart = squared_gap(s, I, J)
        if (apart < 1) != t.near:
            return 0
        if negligible(t, apart, min(s.smallest_total[I], s.smallest_total[J])):
            return 1
    meet(s, I, J, True, True, scratch)
    return 0


cdef double squared_gap(Step* s, Py_ssize_t I, Py_ssize_t J) noexcept nogil:
    """The smallest squared distance that points of two tiles can have."""
    cdef double total = 0, gap
    cdef Py_ssize_t i = I * s.p, j = J * s.p, l
    for l in range(s.p):
        gap = max(0.0, max(s.low[i + l] - s.high[j + l], s.low[j + l] - s.high[i + l]))
        total += gap * gap
    return total


cdef void meet(
    Step* s, Py_ssize_t I, Py_ssize_t J, bint into_i, bint into_j, double* scratch
) noexcept nogil:
    """Add to the sums of the points of tile I what those of J contribute, and the other way."""
    cdef Py_ssize_t rows_i = rows_of(s, I), rows_j = rows_of(s, J), b, f, width
    cdef bint expand = s.p > FEW_FEATURES and s.largest_norm[I] + s.largest_norm[J] <= EXPANDABLE
    cdef tile_product distances = simd.products if expand else simd.differences
    cdef double* T = scratch                # (J, I) kernel
    cdef double* slots = T + TILE * ROW    # room for what is not kept
    cdef double* a
    cdef double* c
    for b in range(s.blocks):
        f = min(s.block, s.p - b * s.block)
        a = columns_of(s, I, b, slots)
        c = columns_of(s, J, b, slots + columns_size(s))
        if not s.kept:
            pack_columns(s, I, b, a)
            pack_columns(s, J, b, c)
        distances(T, ROW, a, ROW, c, ROW, 1, rows_j, padded(rows_i), f, b == 0)
    kernel(s, I, J, rows_i, rows_j, into_i, into_j, expand, T)
    slots += 2 * columns_size(s)
    for b in range(s.blocks):
        width = padded(min(s.block, s.p - b * s.block) + (1 if b == 0 else 0))
        if into_j:
            a = masses_of(s, I, b, slots)
            c = sums_of(s, J, b, slots + sums_size(s))
            if not s.kept:
                pack_masses(s, I, b, a)
            simd.products(c, s.width, a, s.width, T, 1, ROW, rows_j, width, rows_i, not s.kept)
            note_sums(s, J, b, c)
        if into_i and I != J:
            a = masses_of(s, J, b, slots)
            c = sums_of(s, I, b, slots + sums_size(s))
            if not s.kept:
                pack_masses(s, J, b, a)
            simd.products(c, s.width, a, s.width, T, ROW, 1, rows_i, width, rows_j, not s.kept)
            note_sums(s, I, b, c)
    if into_i:
        s.smallest_total[I] = smallest(s.total + I * TILE, rows_i)
    if into_j:
        s.smallest_total[J] = smallest(s.total + J * TILE, rows_j)


cdef Py_ssize_t rows_of(Step* s, Py_ssize_t tile) noexcept nogil:
    return min(s.g - tile * TILE, <Py_ssize_t> TILE)


# What is kept lies behind each other: all columns, all masses, all sums; what is not, in a slot.

cdef double* columns_of(Step* s, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
    """(features, points): the scaled points of a tile, a block of features of them."""
    return s.kept + (tile * s.blocks + b) * columns_size(s) if s.kept else slot


cdef double* masses_of(Step* s, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
    """(points, features): mass × point, and with the first features the mass."""
    cdef double* behind = s.kept + s.tiles * s.blocks * columns_size(s)
    return behind + (tile * s.blocks + b) * sums_size(s) if s.kept else slot


cdef double* sums_of(Step* s, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil:
    """(points, features): Σ kernel × mass × point, and with the first features Σ kernel × mass."""
    return masses_of(s, s.tiles + tile, b, slot) if s.kept else slot


cdef void pack_columns(Step* s, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil:
    cdef Py_ssize_t first = b * s.block
    simd.pack_columns(
        s.points + first, s.p, s.order + tile * TILE, rows_of(s, tile),
        min(s.block, s.p - first), s.root + first, ROW, out,
    )


cdef void pack_masses(Step* s, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil:
    cdef Py_ssize_t first = b * s.block
    simd.pack_masses(
        s.points + first, s.p, s.mass, s.order + tile * TILE, rows_of(s, tile),
        min(s.block, s.p - first), b == 0, s.width, out,
    )


cdef void note_sums(Step* s, Py_ssize_t tile, Py_ssize_t b, const double* sums) noexcept nogil:
    """Add sums that are not kept to those of the points; note the sums of the kernel."""
    cdef Py_ssize_t start = tile * TILE, first = b * s.block, r
    cdef Py_ssize_t features = min(s.block, s.p - first)
    cdef double before
    if not s.kept:
        simd.add(sums, s.width, s.order + start, rows_of(s, tile), features, s.p, s.shifted + first)
    if b == 0:
        for r in range(rows_of(s, tile)):
            before = 0 if s.kept else s.total[start + r]
            s.total[start + r] = before + sums[r * s.width + features]


cdef void kernel(
    Step* s, Py_ssize_t I, Py_ssize_t J, Py_ssize_t rows_i, Py_ssize_t rows_j, bint into_i,
    bint into_j, bint expand, double* T,
) noexcept nogil:
    """Turn distances (or products, if they are to be expanded) into kernel values."""
    cdef double[TILE] norm_i
    cdef double[TILE] norm_j
    cdef double[TILE] largest_i
    cdef double[TILE] largest_j
    cdef double factor = 2 if expand else -1
    cdef Py_ssize_t r, c
    for c in range(TILE):
        largest_i[c] = 0
        norm_i[c] = 0 if c < rows_i else 1e300  # kernel value nought beyond the last point
        norm_j[c] = 0
    if expand:
        memcpy(norm_i, s.norm + I * TILE, rows_i * sizeof(double))
        memcpy(norm_j, s.norm + J * TILE, rows_j * sizeof(double))
    if I == J:
        for r in range(rows_j):  # nobody is nearest to itself
            T[r * ROW + r] = -1e300 * factor
    simd.kernel(T, ROW, factor, norm_j, norm_i, rows_j, padded(rows_i), largest_j, largest_i)
    if into_j:
        for r in range(rows_j):
            look_nearer(s, J * TILE + r, largest_j[r], T + r * ROW, 1, I, rows_i)
    if I != J:
        for c in range(rows_i if into_i else 0):
            look_nearer(s, I * TILE + c, largest_i[c], T + c, ROW, J, rows_j)
    else:
        for r in range(rows_j):  # times its mass: the point's other rows, or all of them
            T[r * ROW + r] = 1 - 1 / s.mass[s.order[J * TILE + r]] if s.exclude_self else 1


cdef void look_nearer(
    Step* s, Py_ssize_t position, double largest, const double* values, Py_ssize_t stride,
    Py_ssize_t tile, Py_ssize_t rows,
) noexcept nogil:
    """Note which point of a tile is nearest, if it is nearer than all before."""
    cdef Py_ssize_t point = s.order[position], r = 0
    if largest > s.best[position] and s.exclude_self and s.mass[point] == 1:
        s.best[position] = largest
        while r < rows - 1 and values[r * stride] != largest:
            r += 1
        s.nearest[point] = s.order[tile * TILE + r]


cdef double smallest(const double* values, Py_ssize_t n) noexcept nogil:
    cdef double found = INFINITY
    cdef Py_ssize_t i
    for i in range(n):
        found = min(found, values[i])
    return found


cdef void divide(Step* s, Py_ssize_t tile) noexcept nogil:
    """Write where the points of a tile go: their sums over the sums of the kernel."""
    cdef Py_ssize_t r, l, b, features
    cdef double* out
    cdef const double* sums
    for b in range(s.blocks):
        features = min(s.block, s.p - b * s.block)
        for r in range(rows_of(s, tile)):
            out = s.shifted + s.order[tile * TILE + r] * s.p + b * s.block
            sums = sums_of(s, tile, b, NULL) + r * s.width if s.kept else out
            for l in range(features):
                out[l] = sums[l] / s.total[tile * TILE + r]
