"""What steps with a stored kernel matrix share: Gram matrices summed lane by lane."""

cdef (Py_ssize_t, Py_ssize_t) part(
    Py_ssize_t blocks, Py_ssize_t n_lanes, Py_ssize_t lane
) noexcept nogil
cdef void add_to_gram(
    const double* columns, Py_ssize_t g, Py_ssize_t features, bint exact, bint fresh, double* out,
) noexcept nogil
cdef void join(
    const double[:, ::1] work, const Py_ssize_t[::1] used, const double[::1] shares,
    double[:, ::1] out,
)
