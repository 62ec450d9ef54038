"""A schedule in which every tile meets every other one once, always in the same order."""

cimport cython


@cython.final
cdef class RoundRobin:
    cdef readonly Py_ssize_t players   # an odd number
    cdef readonly Py_ssize_t matches   # per round
    cdef Py_ssize_t next, stop         # matches of the current batch
    cdef Py_ssize_t[::1] played        # (players,) matches that each has behind it

    cpdef (Py_ssize_t, Py_ssize_t) match(self, Py_ssize_t number) noexcept nogil
    cpdef Py_ssize_t opponent(self, Py_ssize_t player, Py_ssize_t round) noexcept nogil
    cdef void restart(self) noexcept nogil
    cdef bint next_batch(self, Py_ssize_t matches) noexcept nogil
    cdef bint take(self, Py_ssize_t* first, Py_ssize_t* second) noexcept nogil
    cdef void finish(self, Py_ssize_t first, Py_ssize_t second) noexcept nogil
