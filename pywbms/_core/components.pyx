"""Clusters of points: connected components at distances below a radius."""

import zlib

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals

from pywbms._core.signals cimport SCALAR, tasks_between_signals

cdef enum:
    # Lines that are tried before the best of them is used to the end.
    LINES = 4
    # Pairs per point that are looked at along a line before the next one is tried.
    PAIRS_PER_POINT = 64


class SortedProjection:
    """Points sorted by their projection on a line: projections are no farther apart than points.

    The direction of the first line is fixed and has no symmetry, so that groups that differ in a
    few features only are still apart on it. Data may be orthogonal to it, by chance or malice, and
    all points in one place; the directions of the other lines are random numbers that depend on
    the data.

    Parameters
    ----------
    points : ndarray of shape (g, p)
    line : int, default 0
    """

    def __init__(self, points, line=0):
        p = points.shape[1]
        if line == 0:
            direction = np.cos(1.0 + np.arange(p) ** 2 % 7919)
        else:
            seed = zlib.crc32(np.ascontiguousarray(points), line)
            direction = np.random.default_rng(seed).standard_normal(p)
        direction /= np.linalg.norm(direction)
        key = points @ direction
        self.order = np.argsort(key, kind="stable")
        self.position = key[self.order]
        # How far off a projection may be by rounding.
        self.slack = 1e-12 * np.sqrt(p) * max(points.max(initial=0.0), -points.min(initial=0.0))


def components(
    const double[:, ::1] points,   # IN   (g, p)
    double radius,
    Py_ssize_t[::1] labels,        # OUT  (g,) component of each point, numbered by first point
    projection=None,               # IN   the points' SortedProjection, if it is known
):
    """Write into `labels` the components at distance < radius and return how many there are.

    It is enough to compare points within a sliding window along a line. Distances in the window
    are summed from differences, feature by feature, until they exceed the radius.
    """
    cdef Py_ssize_t g = points.shape[0]
    cdef Py_ssize_t[::1] parent = np.arange(g)
    cdef Py_ssize_t[::1] number = np.full(g, -1, dtype=np.intp)
    cdef Py_ssize_t i, root, found = 0
    join_neighbours(points, radius, parent, projection)
    with nogil:
        for i in range(g):
            root = find(parent, i)
            if number[root] < 0:
                number[root] = found
                found += 1
            labels[i] = number[root]
    return found


def count_pairs(
    const double[:, ::1] points,   # IN   (g, p)
    double radius,
):
    """Return how many pairs of points `components` looks at, which is what it costs."""
    return join_neighbours(points, radius, np.arange(points.shape[0]), None)


cdef Py_ssize_t join_neighbours(
    const double[:, ::1] points, double radius, Py_ssize_t[::1] parent, projection
) except -1:
    """Join all points nearer than the radius in the forest `parent`; return the pairs looked at.

    What was joined along one line stays joined: the components do not depend on the lines.
    """
    cdef Py_ssize_t g = points.shape[0], pairs = 0, line
    cdef Sweep sweep, best = None
    for line in range(LINES):
        if line > 0 or projection is None:
            projection = SortedProjection(np.asarray(points), line)
        sweep = Sweep(points, radius, parent, projection)
        pairs += sweep.advance(PAIRS_PER_POINT * g)
        if sweep.next == g:
            return pairs
        if best is None or sweep.next > best.next:
            best = sweep
        PyErr_CheckSignals()
    while best.next < g:
        pairs += best.advance(tasks_between_signals(<double> SCALAR * points.shape[1]))
        PyErr_CheckSignals()
    return pairs


@cython.final
cdef class Sweep:
    """A sliding window along a line in which points are compared.

    Parameters
    ----------
    points : memoryview of shape (g, p)
    radius : float
    parent : memoryview of shape (g,)
        The forest in which points are joined.
    projection : SortedProjection
    """
    cdef const double[:, ::1] points
    cdef const Py_ssize_t[::1] order
    cdef const double[::1] position
    cdef double radius2, window
    cdef Py_ssize_t[::1] parent
    cdef Py_ssize_t[::1] run_start   # (g,) first position of a run known to be one component
    cdef Py_ssize_t next             # the position up to which all is done

    def __init__(self, points, radius, parent, projection):
        self.points, self.parent = points, parent
        self.order, self.position = projection.order, projection.position
        self.radius2, self.window = radius * radius, radius + projection.slack
        self.run_start = np.empty(len(projection.order), dtype=np.intp)

    cdef Py_ssize_t advance(self, Py_ssize_t most) noexcept:
        """Go on until more than so many pairs were looked at; return how many there were."""
        cdef Py_ssize_t pairs = 0
        with nogil:
            while self.next < self.position.shape[0] and pairs <= most:
                pairs += self.join_to_those_before(self.next)
                self.next += 1
        return pairs

    cdef Py_ssize_t join_to_those_before(self, Py_ssize_t i) noexcept nogil:
        """Join a point with those before it in the window; return the number of pairs looked at.

        A collapsed group, however large, is a run that is passed in one hop.
        """
        cdef Py_ssize_t a = self.order[i], j = i - 1, b, pairs = 0
        cdef Py_ssize_t root = find(self.parent, a)
        while j >= 0 and self.position[i] - self.position[j] <= self.window:
            pairs += 1
            b = find(self.parent, self.order[j])
            if b == root:
                j = self.run_start[j] - 1
                continue
            if closer(self.points, a, self.order[j], self.radius2):
                if b < root:
                    self.parent[root] = b
                    root = b
                else:
                    self.parent[b] = root
                j = self.run_start[j]
            j -= 1
        self.run_start[i] = i
        if i > 0 and find(self.parent, self.order[i - 1]) == root:
            self.run_start[i] = self.run_start[i - 1]
        return pairs


cdef Py_ssize_t find(Py_ssize_t[::1] parent, Py_ssize_t i) noexcept nogil:
    """The root of i, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


cdef bint closer(
    const double[:, ::1] points, Py_ssize_t a, Py_ssize_t b, double radius2
) noexcept nogil:
    """Whether ‖a − b‖² < radius²: four features at a time, until it no longer can be."""
    cdef double even = 0, odd = 0, d0, d1, d2, d3
    cdef Py_ssize_t p = points.shape[1], l = 0
    cdef const double* x = &points[a, 0]
    cdef const double* y = &points[b, 0]
    while l + 4 <= p:
        d0, d1, d2, d3 = x[l] - y[l], x[l + 1] - y[l + 1], x[l + 2] - y[l + 2], x[l + 3] - y[l + 3]
        even += d0 * d0 + d2 * d2
        odd += d1 * d1 + d3 * d3
        if even + odd >= radius2:
            return False
        l += 4
    while l < p:
        d0 = x[l] - y[l]
        even += d0 * d0
        l += 1
    return even + odd < radius2
