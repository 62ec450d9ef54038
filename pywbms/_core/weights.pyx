"""The displacement of the points along each feature, and the weights that follow from it."""

cimport cython
from libc.math cimport exp

from pywbms._core.pool cimport Tasks

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
    cdef Displacement blocks = Displacement.__new__(Displacement)
    blocks.origin, blocks.points, blocks.mass = origin, points, mass
    blocks.within, blocks.out = within, out
    blocks.share(0, (points.shape[1] + BLOCK - 1) // BLOCK, n_threads)


@cython.final
cdef class Displacement(Tasks):
    """The sums of `displacement`; a task is a block of features."""
    cdef const double[:, ::1] origin, points
    cdef const double[::1] mass, within
    cdef double[::1] out

    cdef void run(self, Py_ssize_t block, Py_ssize_t thread) noexcept nogil:
        cdef Py_ssize_t start = block * BLOCK, stop = min(self.points.shape[1], start + BLOCK), i, l
        cdef double difference
        for l in range(start, stop):
            self.out[l] = self.within[l]
        for i in range(self.points.shape[0]):
            for l in range(start, stop):
                difference = self.origin[i, l] - self.points[i, l]
                self.out[l] += self.mass[i] * difference * difference


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
