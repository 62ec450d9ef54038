"""The tile library: small blocks of points, packed so that the arithmetic of tile.h suits them.

simd/tile.c is compiled into the module `tiles` alone. All others cimport `simd`, the table of its
functions for this machine, and the constants below.
"""

cdef extern from "simd/tile.h":
    ctypedef void (*tile_product)(
        double* C, ptrdiff_t ldc, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t b_k,
        ptrdiff_t b_r, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t K, int fresh,
    ) noexcept nogil
    ctypedef struct tile_functions:
        const char* name
        tile_product products
        tile_product differences
        void (*kernel)(
            double* T, ptrdiff_t ldt, double factor, const double* row_norm,
            const double* col_norm, ptrdiff_t rows, ptrdiff_t cols, double* row_max,
            double* col_max,
        ) noexcept nogil
        void (*exponential)(const double* x, double* out, ptrdiff_t n) noexcept nogil
        void (*pack_rows)(
            const double* points, ptrdiff_t p, const Py_ssize_t* index, ptrdiff_t rows,
            ptrdiff_t features, const double* factor, double* out,
        ) noexcept nogil
        void (*pack_columns)(
            const double* points, ptrdiff_t p, const Py_ssize_t* index, ptrdiff_t rows,
            ptrdiff_t features, const double* factor, ptrdiff_t ld, double* out,
        ) noexcept nogil
        void (*pack_masses)(
            const double* points, ptrdiff_t p, const double* mass, const Py_ssize_t* index,
            ptrdiff_t rows, ptrdiff_t features, int with_mass, ptrdiff_t width, double* out,
        ) noexcept nogil
        void (*add)(
            const double* sums, ptrdiff_t width, const Py_ssize_t* index, ptrdiff_t rows,
            ptrdiff_t features, ptrdiff_t p, double* points,
        ) noexcept nogil
        void (*displace)(
            const double* origin, const double* before, const double* after, double m,
            ptrdiff_t features, double* out, double* D, double* moved,
        ) noexcept nogil
        double (*squared_distance)(const double* a, const double* b, ptrdiff_t n) noexcept nogil
        void (*quadratic)(
            const double* U, ptrdiff_t ldu, const double* x, ptrdiff_t ldx, ptrdiff_t rows,
            ptrdiff_t cols, double* out,
        ) noexcept nogil
        void (*scale_rows)(
            const double* A, ptrdiff_t lda, const Py_ssize_t* index, ptrdiff_t rows,
            ptrdiff_t cols, const double* factor, ptrdiff_t ld, double* out,
        ) noexcept nogil

cdef const tile_functions* simd

# Points per tile. A tile of the kernel matrix is then 128 KiB, and together with the packed points
# that feed it stays in an L2 cache of 512 KiB.
cpdef enum:
    TILE = 128

cdef enum:
    # Length of a row of a tile in memory, an odd number of cache lines: were it a power of two, the
    # lines of a column would compete for the same few places in the L1 cache.
    ROW = TILE + 8
    # Features that are packed at a time, at most.
    TILE_FEATURES = 128
    # The expanded square q_i + q_j − 2 y_i·y_j is off by some 2⁻⁵² (q_i + q_j), and the exponent by
    # that over h. Up to this value of (q_i + q_j) / h the kernel keeps 11 digits; beyond it,
    # distances are summed from differences.
    EXPANDABLE = 10_000


cdef aligned(Py_ssize_t rows, Py_ssize_t columns)


cdef inline Py_ssize_t padded(Py_ssize_t n) noexcept nogil:
    """The next multiple of 8: whole vectors, and whole cache lines."""
    return (n + 7) // 8 * 8


cdef inline Py_ssize_t row_length(Py_ssize_t n) noexcept nogil:
    """An odd number of cache lines that holds n numbers."""
    return padded(n) + (8 if padded(n) % 16 == 0 else 0)


cdef inline Py_ssize_t feature_block(Py_ssize_t p) noexcept nogil:
    """Features per block, such that all blocks are about equally wide."""
    cdef Py_ssize_t blocks = (p + TILE_FEATURES - 1) // TILE_FEATURES
    return min(p, padded((p + blocks - 1) // blocks))


cdef inline Py_ssize_t tiles_of(Py_ssize_t g) noexcept nogil:
    """How many tiles g points take."""
    return (g + TILE - 1) // TILE


cdef inline Py_ssize_t rows_of(Py_ssize_t g, Py_ssize_t tile) noexcept nogil:
    """How many of g points are in a tile: only the last one may have fewer than TILE."""
    return min(g - tile * TILE, <Py_ssize_t> TILE)
