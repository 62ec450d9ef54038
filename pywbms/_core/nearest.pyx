"""The nearest training row in the learned weighted distance."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY

from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport SCALAR, tasks_between_signals


def nearest(
    const double[:, ::1] queries,         # IN   (m, p)
    const double[:, ::1] rows,            # IN   (n, p)
    const double[::1] weights,            # IN   (p,)
    const Py_ssize_t[::1] by_weight,      # IN   (p,) features, the heaviest first
    int n_threads,
    Py_ssize_t[::1] out,                  # OUT  (m,) index of the nearest row
):
    """Write into `out` the row nearest to each query in ‖·‖_w.

    Ties go to the row nearer in the unweighted distance, then to the first. So a query that is
    one of the rows always finds itself (or its equal), even if they differ only in features of
    weight zero.
    """
    cdef double work = <double> SCALAR * rows.shape[0] * rows.shape[1]
    cdef Py_ssize_t batch = n_threads * tasks_between_signals(work), first
    cdef Queries tasks = Queries.__new__(Queries)
    tasks.queries, tasks.rows, tasks.weights = queries, rows, weights
    tasks.by_weight, tasks.out = by_weight, out
    for first in range(0, queries.shape[0], batch):
        tasks.share(first, min(first + batch, queries.shape[0]), n_threads)
        PyErr_CheckSignals()


@cython.final
cdef class Queries(Tasks):
    """The search of `nearest`; a task is a query."""
    cdef const double[:, ::1] queries, rows
    cdef const double[::1] weights
    cdef const Py_ssize_t[::1] by_weight
    cdef Py_ssize_t[::1] out

    cdef void run(self, Py_ssize_t i, Py_ssize_t thread) noexcept nogil:
        self.out[i] = nearest_row(&self.queries[i, 0], self.rows, self.weights, self.by_weight)


cdef Py_ssize_t nearest_row(
    const double* query, const double[:, ::1] rows, const double[::1] weights,
    const Py_ssize_t[::1] by_weight,
) noexcept nogil:
    cdef double best = INFINITY, best_plain = INFINITY, total, plain
    cdef Py_ssize_t i, winner = 0
    for i in range(rows.shape[0]):
        total = weighted_distance(query, &rows[i, 0], weights, by_weight, best)
        if total > best:
            continue
        plain = plain_distance(query, &rows[i, 0], rows.shape[1])
        if total < best or plain < best_plain:
            best, best_plain, winner = total, plain, i
    return winner


cdef double weighted_distance(
    const double* a, const double* b, const double[::1] weights,
    const Py_ssize_t[::1] by_weight, double limit,
) noexcept nogil:
    """‖a − b‖²_w, or any value above the limit once that is certain."""
    cdef double total = 0, difference
    cdef Py_ssize_t k, l
    for k in range(by_weight.shape[0]):
        l = by_weight[k]
        difference = a[l] - b[l]
        total += weights[l] * difference * difference
        if total > limit:
            break
    return total


cdef double plain_distance(const double* a, const double* b, Py_ssize_t p) noexcept nogil:
    cdef double total = 0, difference
    cdef Py_ssize_t l
    for l in range(p):
        difference = a[l] - b[l]
        total += difference * difference
    return total
