"""The displacement of the points along each feature, and the weights that follow from it."""

from cython.parallel cimport prange
from libc.math cimport exp

# Features that a thread sums at a time: whole cache lines, in a fixed order for any thread count.
cdef enum:
    BLOCK = 64


def displacement(
    const double[:, ::1] origin,   # IN   (g, p) mean of the rows each point stands for
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[::1] mass,        # IN   (g,) how many rows each point stands for
    const double[::1] within,      # IN   (p,) Σ over rows of (row − its point's origin)²
    int n_threads,
    double[::1] out,               # OUT  (p,) Σ over rows of (row − its point)²
):
    """Write into `out` the summed squared displacement of all rows along each feature."""
    cdef Py_ssize_t p = points.shape[1]
    cdef Py_ssize_t block
    for block in prange(
        (p + BLOCK - 1) // BLOCK, nogil=True, num_threads=n_threads, schedule="static"
    ):
        displacement_block(
            origin, points, mass, within, block * BLOCK, min(p, (block + 1) * BLOCK), out
        )


cdef void displacement_block(
    const double[:, ::1] origin, const double[:, ::1] points, const double[::1] mass,
    const double[::1] within, Py_ssize_t start, Py_ssize_t stop, double[::1] out,
) noexcept nogil:
    cdef Py_ssize_t i, l
    cdef double difference
    for l in range(start, stop):
        out[l] = within[l]
    for i in range(points.shape[0]):
        for l in range(start, stop):
            difference = origin[i, l] - points[i, l]
            out[l] += mass[i] * difference * difference


def entropy_weights(
    const double[::1] D,           # IN   (p,) displacement
    double lam,
    double[::1] out,               # OUT  (p,) weights, on the simplex
):
    """Write into `out` the weights w_l ∝ exp(−D_l / lam), as a softmax that cannot overflow."""
    cdef Py_ssize_t p = D.shape[0], l
    cdef double smallest = D[0], total = 0
    with nogil:
        for l in range(p):
            smallest = min(smallest, D[l])
        for l in range(p):
            out[l] = exp((smallest - D[l]) / lam)
            total += out[l]
        for l in range(p):
            out[l] /= total
