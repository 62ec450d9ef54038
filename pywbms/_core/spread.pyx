"""How far the points moved, and how far apart the farthest two are."""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport sqrt

from pywbms._core.pool cimport Tasks
from pywbms._core.tiles cimport ROW, TILE, aligned, feature_block, padded, rows_of, simd, tiles_of

# Distances from a tile are inexact by rounding; pairs this close to the largest are computed again.
cdef double CLOSE = 1 - 1e-12

# Share of pairs that may be farthest below which the outermost points are compared first.
cdef double FEW = 0.05

# How often to go on to the farthest point for a first guess.
cdef enum:
    HOPS = 4


def moves(
    const double[:, ::1] old,      # IN   (g, p)
    const double[:, ::1] new,      # IN   (g, p)
    int n_threads,
    double[::1] out,               # OUT  (g,) ‖new − old‖
):
    """Write into `out` the Euclidean length of each point's move."""
    squared_distances(old, new, n_threads, out)
    np.sqrt(out, out=np.asarray(out))


def diameter(
    const double[:, ::1] points,   # IN   (g, p)
    int n_threads,
    const Py_ssize_t[::1] order=None,   # IN   (g,) an order in which near points are close together
    part=(0, 1),                   # IN   (i, of): search from every of-th tile only, from i on
):
    """Return the largest Euclidean distance between two of the points.

    Tiles of points are compared with each other, except for those whose boxes, or distances from
    the centre, show that no pair of theirs is farther apart than one already found. The largest
    value of all parts is that of the whole, to the bit.
    """
    center = np.asarray(points).mean(axis=0)
    radius = np.sqrt(squared_distances_from(points, center, n_threads))
    guess = first_guess(points, radius, n_threads)
    rim = np.argsort(-radius, kind="stable")
    if order is None or pairs_on_the_rim(radius[rim], guess) < FEW:
        order = rim
    cdef FarthestPair pair = FarthestPair(points, order, center, radius[order], n_threads)
    return pair.search(guess, part[0], part[1])


cdef squared_distances_from(const double[:, ::1] points, const double[::1] center, int n_threads):
    """Return the squared distance of each point from a centre."""
    out = np.empty(points.shape[0])
    squared_distances(points, np.asarray(center)[None], n_threads, out)
    return out


cdef int squared_distances(
    const double[:, ::1] points, const double[:, ::1] others, int n_threads, double[::1] out
) except -1:
    """out ← the squared distance of each point from its own other, or from the only one."""
    cdef Distances distances = Distances.__new__(Distances)
    distances.points, distances.others, distances.out = points, others, out
    distances.share(0, points.shape[0], n_threads)
    return 0


@cython.final
cdef class Distances(Tasks):
    """The distances of `squared_distances`; a task is a point."""
    cdef const double[:, ::1] points, others
    cdef double[::1] out

    cdef void run(self, Py_ssize_t i, Py_ssize_t thread) noexcept nogil:
        cdef Py_ssize_t other = i if self.others.shape[0] > 1 else 0
        self.out[i] = simd.squared_distance(
            &self.points[i, 0], &self.others[other, 0], self.points.shape[1]
        )


cdef double first_guess(const double[:, ::1] points, radius, int n_threads) except -1:
    """Return a large distance between two points: a good start for the search.

    It goes from the point farthest from the centre to the one farthest from that, and so on.
    """
    cdef Py_ssize_t hop = np.argmax(radius)
    cdef double guess = 0
    for _ in range(HOPS):
        squared = squared_distances_from(points, points[hop], n_threads)
        hop = np.argmax(squared)
        guess = max(guess, sqrt(squared[hop]))
    return guess


def pairs_on_the_rim(radius, guess):
    """Return the share of pairs whose distances from the centre add up to more than `guess`.

    Examples
    --------
    >>> float(pairs_on_the_rim(np.array([3.0, 2.0, 1.0, 0.0]), 4.5))
    0.125
    """
    n = len(radius)
    return (n - np.searchsorted(radius[::-1], guess - radius, side="right")).mean() / n


@cython.final
cdef class FarthestPair(Tasks):
    """The search for the largest distance between points in tiles; a task is a tile.

    Parameters are the attributes of the same name.
    """
    cdef const double[:, ::1] points
    cdef const Py_ssize_t[::1] order    # (g,) the points in the order of the tiles
    cdef const double[::1] center       # (p,)
    cdef const double[::1] radius       # (g,) distance from the centre, in this order
    cdef int n_threads
    cdef Py_ssize_t g, p, tiles, block
    cdef const double[::1] ones         # (p,)
    cdef double[:, ::1] low, high       # (tiles, p) box around the points of a tile
    cdef double[::1] largest_radius     # (tiles,)
    cdef bint surveyed                  # whether the boxes are known
    cdef Py_ssize_t own, every          # the search begins at tiles own, own + every, …
    cdef double guess                   # the largest distance found in earlier batches
    cdef double[::1] largest            # (tiles,) the largest distance found from each tile
    cdef double[:, ::1] T               # (threads, TILE × ROW) products of centred points
    cdef double[:, ::1] columns         # (2 × threads, block × ROW) the centred points, transposed

    def __init__(self, points, order, center, radius, n_threads):
        self.points, self.order, self.center, self.radius = points, order, center, radius
        self.n_threads = n_threads
        self.g, self.p = points.shape[:2]
        self.tiles, self.block = tiles_of(self.g), feature_block(self.p)
        self.ones = np.ones(self.p)
        self.low, self.high = np.empty((2, self.tiles, self.p))
        self.largest_radius = np.zeros(self.tiles)
        self.T = aligned(n_threads, TILE * ROW)
        self.columns = aligned(2 * n_threads, padded(self.block) * ROW)

    cdef search(self, double guess, Py_ssize_t own, Py_ssize_t every):
        """Return the largest distance, at least `guess`, from tiles own, own + every, …."""
        cdef Py_ssize_t start, stop, batch = 4 * self.n_threads * every
        self.own, self.every, self.guess = own, every, guess
        self.largest = np.full(self.tiles, guess)
        self.share(0, self.tiles, self.n_threads)
        self.surveyed = True
        for start in range(0, self.tiles, batch):
            stop = min(start + batch, self.tiles)
            self.share(start, stop, self.n_threads)
            self.guess = max(self.guess, np.max(self.largest[start:stop]))
            PyErr_CheckSignals()
        return self.guess

    cdef void run(self, Py_ssize_t tile, Py_ssize_t thread) noexcept nogil:
        if not self.surveyed:
            self.survey(tile)
        elif tile % self.every == self.own:
            self.largest[tile] = self.largest_from(tile, self.guess, thread)

    cdef void survey(self, Py_ssize_t tile) noexcept nogil:
        """Find the box around a tile's points, and their largest distance from the centre."""
        cdef double* low = &self.low[tile, 0]
        cdef double* high = &self.high[tile, 0]
        cdef const double* y
        cdef Py_ssize_t start = tile * TILE, p = self.p, r, l
        for r in range(rows_of(self.g, tile)):
            y = &self.points[self.order[start + r], 0]
            for l in range(p):
                low[l] = y[l] if r == 0 else min(low[l], y[l])
                high[l] = y[l] if r == 0 else max(high[l], y[l])
            self.largest_radius[tile] = max(self.largest_radius[tile], self.radius[start + r])

    cdef double largest_from(self, Py_ssize_t I, double guess, Py_ssize_t thread) noexcept nogil:
        """The largest distance between a tile's points and those that follow, at least `guess`."""
        cdef double best = guess, through_center
        cdef Py_ssize_t J
        for J in range(I, self.tiles):
            through_center = self.largest_radius[I] + self.largest_radius[J]
            if through_center * (2 - CLOSE) > best and self.boxes_reach(I, J, best):
                best = self.largest_between(I, J, best, thread)
        return best

    cdef bint boxes_reach(self, Py_ssize_t I, Py_ssize_t J, double best) noexcept nogil:
        """Whether two boxes have points farther apart than `best`."""
        cdef const double* low_i = &self.low[I, 0]
        cdef const double* low_j = &self.low[J, 0]
        cdef const double* high_i = &self.high[I, 0]
        cdef const double* high_j = &self.high[J, 0]
        cdef double total = 0, reach
        cdef Py_ssize_t l
        for l in range(self.p):
            reach = max(high_i[l] - low_j[l], high_j[l] - low_i[l])
            total += reach * reach
        return total > best * best * CLOSE

    cdef double largest_between(
        self, Py_ssize_t I, Py_ssize_t J, double best, Py_ssize_t thread
    ) noexcept nogil:
        """The largest distance between the points of two tiles, at least `best`."""
        cdef Py_ssize_t rows = rows_of(self.g, J), cols = rows_of(self.g, I), r, k
        cdef const double* T = &self.T[thread, 0]
        cdef const double* radius = &self.radius[I * TILE]
        cdef double r_j, largest, squared
        self.products(I, J, thread)
        for r in range(rows):
            # No point is farther from the centre than the diameter, so the expanded square keeps
            # the diameter's digits; a pair that may be farthest is then computed exactly.
            r_j = self.radius[J * TILE + r]
            largest = 0
            for k in range(cols):
                largest = max(largest, radius[k] * radius[k] - 2 * T[r * ROW + k])
            if largest + r_j * r_j <= best * best * CLOSE:
                continue
            for k in range(cols):
                squared = radius[k] * radius[k] - 2 * T[r * ROW + k] + r_j * r_j
                if squared > best * best * CLOSE:
                    squared = simd.squared_distance(
                        &self.points[self.order[I * TILE + k], 0],
                        &self.points[self.order[J * TILE + r], 0], self.p,
                    )
                    best = max(best, sqrt(squared))
        return best

    cdef void products(self, Py_ssize_t I, Py_ssize_t J, Py_ssize_t thread) noexcept nogil:
        """T ← products of the centred points of two tiles, one block of features at a time."""
        cdef double* columns_i = &self.columns[2 * thread, 0]
        cdef double* columns_j = &self.columns[2 * thread + 1, 0]
        cdef Py_ssize_t b, first, features
        for b in range((self.p + self.block - 1) // self.block):
            first, features = b * self.block, min(self.block, self.p - b * self.block)
            self.pack_centred(I, first, features, columns_i)
            self.pack_centred(J, first, features, columns_j)
            simd.products(
                &self.T[thread, 0], ROW, columns_i, ROW, columns_j, ROW, 1, rows_of(self.g, J),
                padded(rows_of(self.g, I)), features, b == 0,
            )

    cdef void pack_centred(
        self, Py_ssize_t tile, Py_ssize_t first, Py_ssize_t features, double* columns
    ) noexcept nogil:
        """columns ← the points of a tile minus the centre, transposed, along some features."""
        cdef const double* center = &self.center[first]
        cdef Py_ssize_t rows = rows_of(self.g, tile), l, k
        simd.pack_columns(
            &self.points[0, first], self.p, &self.order[tile * TILE], rows, features,
            &self.ones[first], ROW, columns,
        )
        for l in range(features):
            for k in range(padded(rows)):
                columns[l * ROW + k] -= center[l]
