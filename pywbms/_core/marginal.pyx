"""How far blurring each feature alone, as points on a line, displaces the rows.

The points of a feature are sorted once. Blurring hardly changes their order: it bends the line
smoothly. But a row is left out of its own mean, so it goes to the other side of the group that it
is about to meet, and the group is turned over. The points thus stay a few ascending or descending
runs, which a merge sort that looks for runs puts in order in little more than one pass. (An
insertion sort would be quadratic in the size of a group.) Points that have met are merged.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, NAN, fabs, isfinite, sqrt

from pywbms._core.line cimport MARGIN, SCRATCH, Line, blur
from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport SCALAR, tasks_between_signals
from pywbms._core.tiles cimport aligned, padded

# Points at most so far apart, in units of √h or of the standard deviation if that is smaller, are
# merged; and when no point moves so far, the feature has come to rest.
cdef double MERGED = 1e-12
cdef double STILL = 1e-13

# The range of a feature, in units of √h, is kept within these limits. Below, all kernel values are
# one to the last digit; above, all but the nearest point's are zero. No square overflows.
cdef double SHORTEST = 1e-10
cdef double LONGEST = 1e150


cdef struct Keyed:
    double key
    Py_ssize_t index


cdef struct Column:
    Line line
    double* origin     # (n,) mean of the rows, at the start, that each point stands for
    double within      # Σ over rows of (row − origin of its point)²
    double unit        # the standard deviation, at most one
    Keyed* sorted      # (n,) room to sort the points
    Keyed* spare       # (n,)
    double* room       # (n,)


def marginal_displacement(
    const double[:, ::1] rows,     # IN   (n, p)
    const double[::1] mass,        # IN   (n,) how many equal rows each row stands for, at least one
    double h,
    Py_ssize_t n_iter,
    int n_threads,
    double[::1] out,               # OUT  (p,) mean over rows of (x − y)²; NaN if not all are finite
):
    """Write into `out` how far `n_iter` steps of blurring each feature alone displace the rows.

    In each step, and for each feature by itself,

    y_i ← Σ_j m_ij exp(−(y_i − y_j)² / h) y_j / Σ_j m_ij exp(−(y_i − y_j)² / h)

    where m_ij is the mass of j, and for j = i less by one: the row itself is left out of its mean.
    A row so far from all others that every kernel value underflows goes to its nearest; one without
    any other stays where it is.
    """
    cdef Py_ssize_t n = rows.shape[0], p = rows.shape[1], first
    cdef Py_ssize_t batch = n_threads * tasks_between_signals(10. * SCALAR * (n_iter + 1) * n)
    cdef Columns columns = Columns.__new__(Columns)
    columns.rows, columns.mass, columns.h, columns.n_iter = rows, mass, h, n_iter
    columns.length, columns.out = padded(n + 1 + MARGIN), out
    columns.room = aligned(n_threads, 10 * columns.length + SCRATCH)
    columns.firsts = np.empty((n_threads, n + 1), dtype=np.intp)
    np.asarray(columns.room)[:] = 0
    for first in range(0, p if n else 0, batch):
        columns.share(first, min(first + batch, p), n_threads)
        PyErr_CheckSignals()


@cython.final
cdef class Columns(Tasks):
    """The features of `marginal_displacement`; a task is one of them."""
    cdef const double[:, ::1] rows
    cdef const double[::1] mass
    cdef double h
    cdef Py_ssize_t n_iter, length
    cdef double[:, ::1] room            # (threads, …) what a feature needs
    cdef Py_ssize_t[:, ::1] firsts      # (threads, n + 1)
    cdef double[::1] out

    cdef void run(self, Py_ssize_t l, Py_ssize_t thread) noexcept nogil:
        self.out[l] = column_displacement(
            self.rows, l, self.mass, self.h, self.n_iter, &self.room[thread, 0], self.length,
            &self.firsts[thread, 0],
        )


cdef double column_displacement(
    const double[:, ::1] rows, Py_ssize_t l, const double[::1] mass, double h, Py_ssize_t n_iter,
    double* room, Py_ssize_t length, Py_ssize_t* firsts,
) noexcept nogil:
    """The mean squared displacement of the rows along feature l."""
    cdef Column c
    cdef Py_ssize_t i, _step
    cdef double low = INFINITY, high = -INFINITY, half, longest, total
    for i in range(rows.shape[0]):
        if not isfinite(rows[i, l]):
            return NAN
        low, high = min(low, rows[i, l]), max(high, rows[i, l])
    half = high / 2 - low / 2  # the range itself may overflow
    if not half > 0:
        return 0
    longest = min(max(half / sqrt(h) * 2, SHORTEST), LONGEST)
    divide_room(&c, room, length, firsts)
    c.line.n = rows.shape[0]
    for i in range(c.line.n):
        c.line.at[i] = (rows[i, l] / 2 - low / 2) / half * longest
        c.line.mass[i] = mass[i]
        c.origin[i] = c.line.at[i]
    begin(&c)
    for _step in range(n_iter):
        if not all_finite(c.line.at, c.line.n):  # h or a mass was none: boxes would have no number
            return NAN
        if not step(&c):
            break
    total = c.within
    for i in range(c.line.n):
        total += c.line.mass[i] * (c.origin[i] - c.line.at[i]) ** 2
    return (sqrt(total / c.line.total) / longest * 2 * half) ** 2


cdef bint all_finite(const double* x, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if not isfinite(x[i]):
            return False
    return True


cdef void divide_room(
    Column* c, double* room, Py_ssize_t length, Py_ssize_t* firsts
) noexcept nogil:
    c.line.at, c.line.moved, c.line.mass = room, room + length, room + 2 * length
    c.line.box, c.line.first = room + 3 * length, firsts
    c.origin, c.room = room + 4 * length, room + 5 * length
    c.sorted, c.spare = <Keyed*> (room + 6 * length), <Keyed*> (room + 8 * length)
    c.line.scratch = room + 10 * length


cdef void begin(Column* c) noexcept nogil:
    """Sort the points, merge equal ones, and find the standard deviation."""
    cdef double mean = 0, variance = 0
    cdef Py_ssize_t i
    c.within = c.line.total = 0
    sort(c)
    merge(c, 0)
    for i in range(c.line.n):
        c.line.total += c.line.mass[i]
        mean += c.line.mass[i] * c.line.at[i]
    mean /= c.line.total
    for i in range(c.line.n):
        variance += c.line.mass[i] * (c.line.at[i] - mean) ** 2
    c.unit = min(sqrt(variance / c.line.total), 1.0)


cdef bint step(Column* c) noexcept nogil:
    """Blur once; return whether anything will move in the next step, too."""
    cdef double furthest = 0
    cdef Py_ssize_t i
    blur(&c.line)
    for i in range(c.line.n):
        furthest = max(furthest, fabs(c.line.moved[i] - c.line.at[i]))
    c.line.at, c.line.moved = c.line.moved, c.line.at
    sort(c)
    merge(c, MERGED * c.unit)
    return furthest > STILL * c.unit


cdef void merge(Column* c, double radius) noexcept nogil:
    """Merge sorted points within `radius` of the first of them into one with their mass."""
    cdef double* at = c.line.at
    cdef double* mass = c.line.mass
    cdef double first = at[0], both, share, apart
    cdef Py_ssize_t k = 0, i
    for i in range(1, c.line.n):
        if at[i] - first > radius:
            k += 1
            first = at[k] = at[i]
            mass[k], c.origin[k] = mass[i], c.origin[i]
        else:
            both = mass[k] + mass[i]
            share = mass[i] / both
            apart = c.origin[i] - c.origin[k]
            at[k] += share * (at[i] - at[k])
            c.origin[k] += share * apart
            c.within += mass[k] * share * apart * apart
            mass[k] = both
    c.line.n = k + 1


cdef void sort(Column* c) noexcept nogil:
    """Sort the points by where they are."""
    cdef Py_ssize_t n = c.line.n, i
    cdef Py_ssize_t* runs = c.line.first
    cdef Py_ssize_t count = find_runs(c, runs)
    if count == 1 and c.sorted[0].index == 0:
        return
    while count > 1:
        count = merge_runs(c, runs, count)
        c.sorted, c.spare = c.spare, c.sorted
    for i in range(n):
        c.line.at[i] = c.sorted[i].key
        c.line.moved[i] = c.line.mass[c.sorted[i].index]
        c.room[i] = c.origin[c.sorted[i].index]
    c.line.mass, c.line.moved = c.line.moved, c.line.mass
    c.origin, c.room = c.room, c.origin


cdef Py_ssize_t find_runs(Column* c, Py_ssize_t* runs) noexcept nogil:
    """List the points in ascending runs, descending ones turned over; return how many there are."""
    cdef const double* at = c.line.at
    cdef Py_ssize_t n = c.line.n, count = 0, start = 0, stop, i
    while start < n:
        stop = start + 1
        if stop < n and at[stop] < at[start]:
            while stop < n and at[stop] < at[stop - 1]:
                stop += 1
            for i in range(start, stop):
                c.sorted[i].index = start + stop - 1 - i
        else:
            while stop < n and at[stop] >= at[stop - 1]:
                stop += 1
            for i in range(start, stop):
                c.sorted[i].index = i
        for i in range(start, stop):
            c.sorted[i].key = at[c.sorted[i].index]
        runs[count] = start
        count += 1
        start = stop
    runs[count] = n
    return count


cdef Py_ssize_t merge_runs(Column* c, Py_ssize_t* runs, Py_ssize_t count) noexcept nogil:
    """Merge each run of an even number with the next one; return how many runs are left."""
    cdef const Keyed* points = c.sorted
    cdef Keyed* merged = c.spare
    cdef Py_ssize_t run, i, j, k, middle, stop
    for run in range(0, count, 2):
        i, middle, stop = runs[run], runs[min(run + 1, count)], runs[min(run + 2, count)]
        j = middle
        for k in range(i, stop):
            if j == stop or (i < middle and points[i].key <= points[j].key):
                merged[k] = points[i]
                i += 1
            else:
                merged[k] = points[j]
                j += 1
        runs[run // 2] = runs[run]
    count = (count + 1) // 2
    runs[count] = c.line.n
    return count
