"""How much work is done between two checks for pending signals, such as Ctrl-C."""

cdef enum:
    # In multiply-adds of the tile library; they take well below a second.
    WORK_BETWEEN_SIGNALS = 2_000_000_000
    # What a multiply-add costs outside the tile library, where it waits for memory.
    SCALAR = 20


cdef inline Py_ssize_t tasks_between_signals(double work) noexcept nogil:
    """How many tasks of so many multiply-adds a thread does between two checks, at least one."""
    return 1 + <Py_ssize_t> (WORK_BETWEEN_SIGNALS / work)
