"""Points that coincide are merged into one weighted point."""


def merge_points(
    const Py_ssize_t[::1] labels,  # IN   (g,) the new point that each old one becomes part of
    const double[:, ::1] points,   # IN   (g, p)
    const double[:, ::1] origin,   # IN   (g, p) mean of the rows each point stands for
    const double[::1] mass,        # IN   (g,)
    double[:, ::1] new_points,     # OUT  (k, p)
    double[:, ::1] new_origin,     # OUT  (k, p)
    double[::1] new_mass,          # OUT  (k,)
    double[::1] within,            # IN and OUT  (p,) Σ over rows of (row − its point's origin)²
):
    """Merge old points into new ones: masses add up, positions and origins are averaged.

    Means are updated one point at a time, so a point that is not merged, and points that are
    equal, keep their position to the bit. The spread of the merged origins goes into `within`, so
    that the displacement of the rows can still be computed exactly.
    """
    cdef Py_ssize_t p = points.shape[1], i, k, l
    cdef double share, together, difference
    with nogil:
        new_mass[:] = 0
        for i in range(points.shape[0]):
            k = labels[i]
            together = new_mass[k] + mass[i]
            share = mass[i] / together
            if new_mass[k] == 0:
                new_points[k] = points[i]
                new_origin[k] = origin[i]
            else:
                for l in range(p):
                    new_points[k, l] += share * (points[i, l] - new_points[k, l])
                    difference = origin[i, l] - new_origin[k, l]
                    new_origin[k, l] += share * difference
                    within[l] += share * new_mass[k] * difference * difference
            new_mass[k] = together
