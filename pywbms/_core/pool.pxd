"""Tasks that threads share; see simd/thread_pool.h."""

cdef class Tasks:
    cdef void run(self, Py_ssize_t task, Py_ssize_t thread) noexcept nogil
    cdef void share(self, Py_ssize_t first, Py_ssize_t last, int n_threads) noexcept


cdef void wait_until_done(const Py_ssize_t* done, Py_ssize_t steps) noexcept nogil
cdef void one_more_done(Py_ssize_t* done) noexcept nogil
