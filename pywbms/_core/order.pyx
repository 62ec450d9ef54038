"""An order of points in which neighbours in space are neighbours in the order."""

import numpy as np

from pywbms._core.tiles cimport TILE


def halve(
    const double[:, ::1] points,   # IN   (g, f) scaled: plain distances count
    Py_ssize_t[::1] order,         # IN and OUT  (g,)
):
    """Reorder the points so that runs of a tile's length are compact.

    They are split in half along the feature with the largest variance, then each half again, until
    a part fits into a tile.
    """
    cdef double[::1] key = np.empty(points.shape[0])
    with nogil:
        halve_part(points, &order[0], &key[0], points.shape[0])


cdef void halve_part(
    const double[:, ::1] points, Py_ssize_t* order, double* key, Py_ssize_t n
) noexcept nogil:
    cdef Py_ssize_t half = (n + TILE - 1) // TILE // 2 * TILE, widest, i
    if n <= TILE:
        return
    widest = widest_feature(points, order, n)
    for i in range(n):
        key[i] = points[order[i], widest]
    split(order, key, n, half)
    halve_part(points, order, key, half)
    halve_part(points, order + half, key + half, n - half)


cdef Py_ssize_t widest_feature(
    const double[:, ::1] points, const Py_ssize_t* order, Py_ssize_t n
) noexcept nogil:
    """The feature with the largest variance, estimated from a few hundred points."""
    cdef Py_ssize_t l, i, widest = 0, step = max(<Py_ssize_t> 1, n // 256)
    cdef double mean, squares, difference, most = -1
    for l in range(points.shape[1]):
        mean = squares = 0
        for i in range(0, n // step):
            difference = points[order[i * step], l] - mean
            mean += difference / (i + 1)
            squares += difference * (points[order[i * step], l] - mean)
        if squares > most:
            most, widest = squares, l
    return widest


cdef void split(Py_ssize_t* order, double* key, Py_ssize_t n, Py_ssize_t half) noexcept nogil:
    """Bring the `half` smallest keys to the front (Hoare's selection, middle of three as pivot)."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j, index
    cdef double pivot, a, b, c
    while low < high:
        a, b, c = key[low], key[(low + high) // 2], key[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                index = order[i]
                order[i] = order[j]
                order[j] = index
                i += 1
                j -= 1
        if half <= j:
            high = j
        elif half >= i:
            low = i
        else:
            return
