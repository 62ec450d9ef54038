"""How far the points moved, and how far apart the farthest two are."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport sqrt

from pywbms._core.far import aligned

from pywbms._core.tiles cimport (
    ROW,
    TILE,
    feature_block,
    padded,
    tile_functions,
    tile_functions_here,
)

cdef const tile_functions* simd = tile_functions_here()

# A distance found in a tile is off by rounding; pairs this close to the largest are measured again.
cdef double CLOSE = 1 - 1e-12

# Share of pairs below which looking at the rim first is best.
cdef double FEW = 0.05

# How often to hop to the farthest point for a first guess.
cdef enum:
    HOPS = 4


def moves(
    const double[:, ::1] old,      # IN   (g, p)
    const double[:, ::1] new,      # IN   (g, p)
    int n_threads,
    double[::1] out,               # OUT  (g,) ‖new − old‖
):
    """Write into `out` the Euclidean length of each point's move."""
    cdef Py_ssize_t i
    for i in prange(old.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
        out[i] = sqrt(simd.squared_distance(&old[i, 0], &new[i, 0], old.shape[1]))


cdef struct Cloud:
    const double* points
    const Py_ssize_t* order       # (g,) points as they follow each other in the tiles
    const double* center          # (p,)
    const double* ones            # (p,)
    double* low                   # (tiles, p) box around the points of a tile
    double* high
    double* radius                # (g,) distance from the centre, in this order
    double* largest_radius        # (tiles,)
    Py_ssize_t g, p, tiles, block, blocks


def diameter(
    const double[:, ::1] points,   # IN   (g, p)
    int n_threads,
    const Py_ssize_t[::1] order=None,   # IN   (g,) an order in which near points are close together
    part=(0, 1),                   # IN   (i, of): look from every of-th tile alone, from i on
):
    """Return the largest Euclidean distance between two of the points.

    Tiles of points are compared with each other, but for those whose boxes, or distances from the
    centre, say that no pair of theirs can be farther apart than one already found. The largest of
    all parts is that of the whole, to the bit.
    """
    cdef Cloud c
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1], tiles = (g + TILE - 1) // TILE
    cdef Py_ssize_t tile, i
    cdef double[::1] center = np.asarray(points).mean(axis=0)
    cdef double[::1] radius = np.empty(g)
    for i in prange(g, nogil=True, num_threads=n_threads, schedule="static"):
        radius[i] = sqrt(simd.squared_distance(&points[i, 0], &center[0], p))
    # A good first guess: from the point farthest from the centre to the one farthest from it, and
    # on from there.
    cdef double[::1] from_hop = np.empty(g)
    cdef Py_ssize_t hop = np.argmax(radius)
    cdef double guess = 0
    for _ in range(HOPS):
        for i in prange(g, nogil=True, num_threads=n_threads, schedule="static"):
            from_hop[i] = simd.squared_distance(&points[i, 0], &points[hop, 0], p)
        hop = np.argmax(from_hop)
        guess = max(guess, sqrt(from_hop[hop]))

    rim = np.argsort(-np.asarray(radius), kind="stable")
    if order is None or pairs_on_the_rim(np.asarray(radius)[rim], guess) < FEW:
        order = rim
    cdef const Py_ssize_t[::1] sequence = order
    cdef double[::1] in_order = np.asarray(radius)[order]
    cdef double[::1] ones = np.ones(p)
    cdef double[::1] boxes = np.empty(2 * tiles * p)
    cdef double[::1] largest_radius = np.zeros(tiles)
    c.points, c.order, c.center, c.ones = &points[0, 0], &sequence[0], &center[0], &ones[0]
    c.low, c.high, c.radius = &boxes[0], &boxes[tiles * p], &in_order[0]
    c.largest_radius = &largest_radius[0]
    c.g, c.p, c.tiles, c.block = g, p, tiles, feature_block(p)
    c.blocks = (p + c.block - 1) // c.block
    for tile in prange(tiles, nogil=True, num_threads=n_threads, schedule="static"):
        survey(&c, tile)
    cdef double[::1] largest = np.full(tiles, guess)
    cdef double[:, ::1] scratch = aligned(n_threads, TILE * ROW + 2 * padded(c.block) * ROW)
    cdef Py_ssize_t every = part[1], own = part[0], batch = 4 * n_threads * every, stop
    for i in range(0, tiles, batch):
        stop = min(i + batch, tiles)
        for tile in prange(i, stop, nogil=True, num_threads=n_threads, schedule="dynamic"):
            if tile % every == own:
                largest[tile] = largest_from(&c, tile, guess, &scratch[threadid(), 0])
        guess = max(guess, np.max(largest[i:stop]))
        PyErr_CheckSignals()
    return guess


def pairs_on_the_rim(radius, guess):
    """Return the share of pairs whose distances from the centre add up to more than a guess.

    Examples
    --------
    >>> float(pairs_on_the_rim(np.array([3.0, 2.0, 1.0, 0.0]), 4.5))
    0.125
    """
    n = len(radius)
    return (n - np.searchsorted(radius[::-1], guess - radius, side="right")).mean() / n


cdef void survey(Cloud* c, Py_ssize_t tile) noexcept nogil:
    """Find the box around a tile's points, and the largest distance from the centre."""
    cdef Py_ssize_t start = tile * TILE, p = c.p, r, l
    cdef double* low = c.low + tile * p
    cdef double* high = c.high + tile * p
    cdef const double* y
    for r in range(rows_of(c, tile)):
        y = c.points + c.order[start + r] * p
        for l in range(p):
            low[l] = y[l] if r == 0 else min(low[l], y[l])
            high[l] = y[l] if r == 0 else max(high[l], y[l])
        c.largest_radius[tile] = max(c.largest_radius[tile], c.radius[start + r])


cdef Py_ssize_t rows_of(Cloud* c, Py_ssize_t tile) noexcept nogil:
    return min(c.g - tile * TILE, <Py_ssize_t> TILE)


cdef double largest_from(Cloud* c, Py_ssize_t I, double guess, double* scratch) noexcept nogil:
    """The largest distance between a tile's points and those that follow, at least `guess`."""
    cdef double best = guess, i_to_j
    cdef Py_ssize_t J
    for J in range(I, c.tiles):
        i_to_j = c.largest_radius[I] + c.largest_radius[J]
        if i_to_j * (2 - CLOSE) > best and largest_in_boxes(c, I, J, best):
            best = largest_between(c, I, J, best, scratch)
    return best


cdef bint largest_in_boxes(Cloud* c, Py_ssize_t I, Py_ssize_t J, double best) noexcept nogil:
    """Whether two boxes have points farther apart than `best`."""
    cdef double total = 0, reach
    cdef Py_ssize_t i = I * c.p, j = J * c.p, l
    for l in range(c.p):
        reach = max(c.high[i + l] - c.low[j + l], c.high[j + l] - c.low[i + l])
        total += reach * reach
    return total > best * best * CLOSE


cdef double largest_between(
    Cloud* c, Py_ssize_t I, Py_ssize_t J, double best, double* scratch
) noexcept nogil:
    """The largest distance between the points of two tiles, at least `best`."""
    cdef Py_ssize_t rows = rows_of(c, J), cols = rows_of(c, I), b, first, f, r, k
    cdef double* T = scratch
    cdef double* columns = T + TILE * ROW
    cdef double* others = columns + padded(c.block) * ROW
    cdef const Py_ssize_t* points_i = c.order + I * TILE
    cdef const Py_ssize_t* points_j = c.order + J * TILE
    cdef const double* radius = c.radius + I * TILE
    cdef double squared, r_j, largest
    for b in range(c.blocks):
        first, f = b * c.block, min(c.block, c.p - b * c.block)
        simd.pack_columns(
            c.points + first, c.p, points_i, cols, f, c.ones + first, ROW, columns
        )
        subtract(columns, c.center + first, f, padded(cols))
        simd.pack_columns(c.points + first, c.p, points_j, rows, f, c.ones + first, ROW, others)
        subtract(others, c.center + first, f, padded(rows))
        simd.products(T, ROW, columns, ROW, others, ROW, 1, rows, padded(cols), f, b == 0)
    for r in range(rows):
        # Relative to the centre no point is farther than the diameter, so the expanded square keeps
        # the diameter's digits; a pair that may be farthest is then measured exactly.
        r_j = c.radius[J * TILE + r]
        largest = 0
        for k in range(cols):
            largest = max(largest, radius[k] * radius[k] - 2 * T[r * ROW + k])
        if largest + r_j * r_j <= best * best * CLOSE:
            continue
        for k in range(cols):
            squared = radius[k] * radius[k] - 2 * T[r * ROW + k] + r_j * r_j
            if squared > best * best * CLOSE:
                squared = simd.squared_distance(
                    c.points + points_i[k] * c.p, c.points + points_j[r] * c.p, c.p
                )
                best = max(best, sqrt(squared))
    return best


cdef void subtract(
    double* columns, const double* center, Py_ssize_t features, Py_ssize_t cols
) noexcept nogil:
    cdef Py_ssize_t l, k
    for l in range(features):
        for k in range(cols):
            columns[l * ROW + k] -= center[l]
