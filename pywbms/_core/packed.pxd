"""The points of a step, packed tile by tile, and the sums that come together for them."""

cimport cython


@cython.final
cdef class PackedTiles:
    cdef const double[:, ::1] points    # (g, p) where the points are
    cdef const double[::1] mass         # (g,) how many rows each point stands for
    cdef const double[::1] root         # (p,) √(w / h): distances of scaled points are exponents
    cdef const Py_ssize_t[::1] order    # (g,) the points in the order of the tiles
    cdef double[:, ::1] shifted         # (g, p) where the points go
    cdef Py_ssize_t g, p, tiles         # points, features, tiles
    cdef Py_ssize_t block, blocks       # features per block, and how many blocks there are
    cdef Py_ssize_t width               # length of a row of masses or sums
    cdef Py_ssize_t columns_size, sums_size, slots_size
    cdef bint kept
    cdef double[:, ::1] packs           # (tiles × blocks, …) columns, masses and sums, if kept

    cdef Py_ssize_t rows(self, Py_ssize_t tile) noexcept nogil
    cdef Py_ssize_t features(self, Py_ssize_t b) noexcept nogil
    cdef void clear(self, Py_ssize_t tile) noexcept nogil
    cdef double* columns(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil
    cdef double* masses(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil
    cdef double* sums(self, Py_ssize_t tile, Py_ssize_t b, double* slot) noexcept nogil
    cdef void add(self, Py_ssize_t tile, Py_ssize_t b, const double* sums) noexcept nogil
    cdef void divide(self, Py_ssize_t tile, const double* total) noexcept nogil
    cdef void pack_columns(self, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil
    cdef void pack_masses(self, Py_ssize_t tile, Py_ssize_t b, double* out) noexcept nogil


cdef PackedTiles new_packed_tiles(
    const double[:, ::1] points, const double[::1] mass, const double[::1] root,
    const Py_ssize_t[::1] order, double[:, ::1] shifted,
)
