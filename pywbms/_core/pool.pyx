"""Tasks that threads share: the one module that simd/thread_pool.c is compiled into."""

cdef extern from "simd/thread_pool.h" nogil:
    ctypedef void (*pool_task)(
        void* context, Py_ssize_t task, Py_ssize_t thread
    ) noexcept nogil
    void pool_run(
        pool_task task, void* context, Py_ssize_t first, Py_ssize_t last, Py_ssize_t threads
    )
    void pool_wait_until(const Py_ssize_t* done, Py_ssize_t steps)
    void pool_one_more(Py_ssize_t* done)
    void pool_state(Py_ssize_t* threads, Py_ssize_t* asleep)


cdef class Tasks:
    """Numbered tasks that can be done in any order, and at the same time.

    Attributes of a subclass are what its tasks read and write.
    """

    cdef void run(self, Py_ssize_t task, Py_ssize_t thread) noexcept nogil:
        """Do one task. No two tasks that run at the same time have the same thread number."""

    cdef void share(self, Py_ssize_t first, Py_ssize_t last, int n_threads) noexcept:
        """Do the tasks first … last − 1 with at most n_threads threads, without the GIL."""
        cdef void* tasks = <void*> self
        with nogil:
            pool_run(run_task, tasks, first, last, n_threads)


cdef void run_task(void* tasks, Py_ssize_t task, Py_ssize_t thread) noexcept nogil:
    (<Tasks> tasks).run(task, thread)


cdef void wait_until_done(const Py_ssize_t* done, Py_ssize_t steps) noexcept nogil:
    """Wait, in a task, until so many steps of something are done."""
    pool_wait_until(done, steps)


cdef void one_more_done(Py_ssize_t* done) noexcept nogil:
    """Note that one more step is done."""
    pool_one_more(done)


def state():
    """Return how many threads there are beside the callers, and how many of them are asleep."""
    cdef Py_ssize_t threads = 0, asleep = 0
    pool_state(&threads, &asleep)
    return threads, asleep
