"""Clusters of points: connected components at distances below a radius."""

import numpy as np


class SortedProjection:
    """Points sorted by their projection on a line: projections are no farther apart than points.

    The direction of the line is fixed and has no symmetry, so that groups that differ in a few
    features only are still apart on it.

    Parameters
    ----------
    points : ndarray of shape (g, p)
    """

    def __init__(self, points):
        p = points.shape[1]
        direction = np.cos(1.0 + np.arange(p) ** 2 % 7919)
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
    """Join all points nearer than the radius in the forest `parent`; return the pairs looked at."""
    if projection is None:
        projection = SortedProjection(np.asarray(points))
    cdef const Py_ssize_t[::1] sorted_to_point = projection.order
    cdef const double[::1] position = projection.position
    cdef Py_ssize_t[::1] run_start = np.empty(points.shape[0], dtype=np.intp)
    cdef double window = radius + <double> projection.slack
    with nogil:
        return sweep(points, sorted_to_point, position, radius * radius, window, parent, run_start)


cdef Py_ssize_t sweep(
    const double[:, ::1] points, const Py_ssize_t[::1] sorted_to_point,
    const double[::1] position, double radius2, double window,
    Py_ssize_t[::1] parent, Py_ssize_t[::1] run_start,
) noexcept nogil:
    """Join every point with those before it in the window that are near enough.

    run_start[i] is the first position of a run up to i that is known to be one component: a
    collapsed group, however large, is passed in one hop. Return the number of pairs looked at.
    """
    cdef Py_ssize_t i, j, a, b, root, pairs = 0
    for i in range(position.shape[0]):
        a = sorted_to_point[i]
        root = a
        j = i - 1
        while j >= 0 and position[i] - position[j] <= window:
            pairs += 1
            b = find(parent, sorted_to_point[j])
            if b == root:
                j = run_start[j] - 1
                continue
            if closer(points, a, sorted_to_point[j], radius2):
                if b < root:
                    parent[root] = b
                    root = b
                else:
                    parent[b] = root
                j = run_start[j]
            j -= 1
        run_start[i] = i
        if i > 0 and find(parent, sorted_to_point[i - 1]) == root:
            run_start[i] = run_start[i - 1]
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
