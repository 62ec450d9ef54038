"""One blurring step for few points with many features (p ≫ n), where reading the data costs most.

The kernel matrix is small, so it is stored. One pass over blocks of features then computes, while a
block is in the cache, the new points, their displacement along these features, the weights of the
features up to a common factor, and their contribution to the next weighted Gram matrix, from which
the next kernel follows:

    Y ← P Y,   D_l = Σ_i m_i (x_il − y_il)²,   u_l = exp(−D_l / λ),   G = Σ_l u_l y_l y_lᵀ

The blocks are divided among a fixed number of lanes, each with a Gram matrix of its own, so that no
sum depends on the number of threads.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp
from libc.string cimport memcpy, memset

from pywbms._core.far import left_out

from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport EXPANDABLE, aligned, padded, row_length, simd

cdef enum:
    # Points whose kernel values and coordinates go through the L2 cache at a time.
    ROWS = 64
    COLUMNS = 128
    # Rows of the Gram matrix computed at a time: many, so that its columns are read seldom.
    GRAM_ROWS = 64
    # Most features per block: whole panels of three vectors, and enough to be read in one go.
    GRAM_FEATURES = 240


cdef Py_ssize_t block_width(Py_ssize_t g) noexcept nogil:
    return 192 if g <= 128 else 144 if g <= 400 else GRAM_FEATURES  # measured


def lanes(Py_ssize_t g):
    """Return how many Gram matrices are summed side by side: as many as 8 MB can hold, 2 … 8."""
    return max(2, min(8, 1_000_000 // (g * g)))


def workspace(Py_ssize_t g):
    """Return the memory that `gram` and `advance` need for g points; it can be reused."""
    ld = row_length(g)
    return aligned(lanes(g), g * ld + 2 * g * row_length(GRAM_FEATURES) + GRAM_FEATURES * ld)


def gram_in(work, Py_ssize_t g):
    """Return the part of a workspace in which the Gram matrix of g points is summed."""
    return work[0, :g * row_length(g)].reshape(g, row_length(g))


def square(Py_ssize_t g):
    """Return an uninitialised g × g matrix with the row length that the functions here need."""
    return aligned(g, row_length(g))


cdef (Py_ssize_t, Py_ssize_t) part(
    Py_ssize_t blocks, Py_ssize_t n_lanes, Py_ssize_t lane
) noexcept nogil:
    """The blocks of a lane: (start, stop)."""
    return blocks * lane // n_lanes, blocks * (lane + 1) // n_lanes


def gram(
    const double[:, ::1] points,   # IN   (g, p)
    const double[::1] weights,     # IN   (p,)
    bint exact,
    int n_threads,
    double[:, ::1] work,           # a workspace
    double[:, ::1] out,            # OUT  (g, padded) the lower triangle
):
    """Write into `out` the weighted Gram matrix of the points, or their exact squared distances."""
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1], n_lanes = work.shape[0]
    cdef Py_ssize_t blocks = (p + block_width(g) - 1) // block_width(g)
    cdef GramLanes lanes = GramLanes.__new__(GramLanes)
    lanes.points, lanes.root, lanes.every = points, np.sqrt(weights), np.arange(g)
    lanes.exact, lanes.blocks, lanes.work, lanes.first = exact, blocks, work, 0
    lanes.batch = tasks_between_signals(<double> g * g * GRAM_FEATURES)
    while lanes.first < (blocks + n_lanes - 1) // n_lanes:
        lanes.share(0, n_lanes, n_threads)
        lanes.first += lanes.batch
        PyErr_CheckSignals()
    join(work, used_lanes(blocks, n_lanes), np.ones(n_lanes), out)


@cython.final
cdef class GramLanes(Tasks):
    """The Gram matrices of `gram`; a task is a lane."""
    cdef const double[:, ::1] points
    cdef const double[::1] root
    cdef const Py_ssize_t[::1] every
    cdef bint exact
    cdef Py_ssize_t blocks, first, batch
    cdef double[:, ::1] work

    cdef void run(self, Py_ssize_t lane, Py_ssize_t thread) noexcept nogil:
        gram_of_lane(
            &self.points[0, 0], &self.root[0], &self.every[0], self.points.shape[0],
            self.points.shape[1], part(self.blocks, self.work.shape[0], lane), self.first,
            self.batch, self.exact, &self.work[lane, 0],
        )


def used_lanes(Py_ssize_t blocks, Py_ssize_t n_lanes):
    """Return which lanes have any blocks."""
    ends = [part(blocks, n_lanes, lane) for lane in range(n_lanes)]
    return np.flatnonzero([stop > start for start, stop in ends])


cdef void join(
    const double[:, ::1] work, const Py_ssize_t[::1] used, const double[::1] shares,
    double[:, ::1] out,
):
    """out ← Σ_lane share × Gram matrix, below and on the diagonal; out may be that of lane 0."""
    cdef Py_ssize_t g = out.shape[0], ld = row_length(out.shape[0]), i, j, k, lane
    for i in range(g):
        for k in range(used.shape[0]):
            lane = used[k]
            if k == 0:
                for j in range(i + 1):
                    out[i, j] = shares[lane] * work[lane, i * ld + j]
            else:
                for j in range(i + 1):
                    out[i, j] += shares[lane] * work[lane, i * ld + j]


cdef void gram_of_lane(
    const double* points, const double* root, const Py_ssize_t* every, Py_ssize_t g,
    Py_ssize_t p, (Py_ssize_t, Py_ssize_t) blocks, Py_ssize_t first, Py_ssize_t batch, bint exact,
    double* work,
) noexcept nogil:
    """Add up the Gram matrix over a batch of a lane's blocks of features."""
    cdef Py_ssize_t ld = row_length(g), width = block_width(g), b, start, features
    cdef double* columns = work + g * ld
    for b in range(blocks[0] + first, min(blocks[1], blocks[0] + first + batch)):
        start, features = b * width, min(width, p - b * width)
        simd.pack_columns(points + start, p, every, g, features, root + start, ld, columns)
        add_to_gram(columns, g, features, exact, b == blocks[0], work)


cdef void add_to_gram(
    const double* columns, Py_ssize_t g, Py_ssize_t features, bint exact, bint fresh, double* out,
) noexcept nogil:
    """Add columns · columnsᵀ to the lower triangle of a matrix (or squared distances)."""
    cdef Py_ssize_t ld = row_length(g), half = padded((features + 1) // 2), k, start, stop, r
    if features > block_width(g) // 2:  # half of them go through the L1 cache at a time
        add_to_gram(columns, g, half, exact, fresh, out)
        add_to_gram(columns + half * ld, g, features - half, exact, False, out)
        return
    for k in range((g + GRAM_ROWS - 1) // GRAM_ROWS):
        start, stop = k * GRAM_ROWS, min((k + 1) * GRAM_ROWS, g)
        update(columns, ld, start, stop, 0, start, features, exact, fresh, out)
        for r in range(start, stop, 8):  # on the diagonal, no more than the triangle needs
            update(columns, ld, r, min(r + 8, stop), start, padded(min(r + 8, stop)), features,
                   exact, fresh, out)


cdef inline void update(
    const double* columns, Py_ssize_t ld, Py_ssize_t row, Py_ssize_t stop, Py_ssize_t col,
    Py_ssize_t col_stop, Py_ssize_t features, bint exact, bint fresh, double* out,
) noexcept nogil:
    if col_stop > col:
        if exact:
            simd.differences(out + row * ld + col, ld, columns + col, ld, columns + row, ld, 1,
                             stop - row, col_stop - col, features, fresh)
        else:
            simd.products(out + row * ld + col, ld, columns + col, ld, columns + row, ld, 1,
                          stop - row, col_stop - col, features, fresh)


def expandable(const double[:, ::1] gram, double h):
    """Tell whether distances may be taken from a Gram matrix: see EXPANDABLE."""
    norms = np.diagonal(gram)
    return 2 * norms.max() / h <= EXPANDABLE


def kernel(
    const double[:, ::1] gram,     # IN   (g, padded) lower triangle of Gram matrix or distances
    bint exact,                    # whether it is the squared distances
    const double[::1] mass,        # IN   (g,)
    double h,
    bint exclude_self,
    int n_threads,
    double[:, ::1] out,            # OUT  (g, padded) the share of each point in each one's mean
    Py_ssize_t[::1] nearest,       # OUT  (g,) a single row's nearest other point, else −1
    const double[::1] left=None,   # IN   (g,) what a row leaves out of its own mean; one by default
):
    """Write into `out` the rows of the kernel matrix, relative to the nearest, summing to 1."""
    cdef KernelRows rows = KernelRows.__new__(KernelRows)
    rows.gram, rows.exact, rows.mass, rows.inv_h = gram, exact, mass, min(1 / h, 1e300)
    rows.norm = np.zeros(gram.shape[0]) if exact else np.diagonal(gram).copy()
    rows.left = left_out(len(mass), exclude_self) if left is None or not exclude_self else left
    rows.out, rows.nearest = out, nearest
    rows.share(0, gram.shape[0], n_threads)


@cython.final
cdef class KernelRows(Tasks):
    """The rows of `kernel`; a task is one of them."""
    cdef const double[:, ::1] gram
    cdef const double[::1] norm, mass, left
    cdef bint exact
    cdef double inv_h
    cdef double[:, ::1] out
    cdef Py_ssize_t[::1] nearest

    cdef void run(self, Py_ssize_t i, Py_ssize_t thread) noexcept nogil:
        kernel_row(
            self.gram, self.norm, self.exact, self.mass, self.left, self.inv_h, i,
            &self.out[i, 0], &self.nearest[i],
        )


cdef void kernel_row(
    const double[:, ::1] gram, const double[::1] norm, bint exact, const double[::1] mass,
    const double[::1] left, double inv_h, Py_ssize_t i, double* row, Py_ssize_t* nearest,
) noexcept nogil:
    cdef Py_ssize_t g = norm.shape[0], j
    cdef double factor = 1 if exact else -2, self_mass = mass[i] - left[i]
    cdef double smallest = INFINITY, total = 0
    for j in range(i):
        row[j] = max(0.0, norm[i] + norm[j] + factor * gram[i, j])
    for j in range(i + 1, g):
        row[j] = max(0.0, norm[i] + norm[j] + factor * gram[j, i])
    row[i] = INFINITY
    nearest[0] = -1
    for j in range(g):
        smallest = min(smallest, row[j])
    if self_mass > 0:
        row[i] = smallest = 0
    elif g > 1:
        j = 0
        while j < g - 1 and row[j] != smallest:
            j += 1
        nearest[0] = j
    else:  # a point without any other point stays
        row[0] = 1
        return
    for j in range(g):
        row[j] = (smallest - row[j]) * inv_h
    simd.exponential(row, row, g)
    for j in range(g):
        row[j] *= 0 if row[j] < 1e-300 else mass[j]
    row[i] = self_mass
    for j in range(g):
        total += row[j]
    for j in range(g):
        row[j] /= total


def advance(
    const double[:, ::1] points,   # IN   (g, p) where the points are
    const double[:, ::1] origin,   # IN   (g, p) mean of the rows each point stands for
    const double[::1] mass,        # IN   (g,)
    const double[::1] within,      # IN   (p,) Σ over rows of (row − its point's origin)²
    const double[:, ::1] kernel,   # IN   (g, padded) rows that sum to one
    double lam,                    # on the scale of the sum over rows
    int n_threads,
    double[:, ::1] work,           # a workspace
    double[:, ::1] shifted,        # OUT  (g, p) where the points go
    double[::1] D,                 # OUT  (p,) Σ over rows of (row − its point)²
    double[::1] lengths,           # OUT  (g,) how far each point has moved
    double[:, ::1] gram,           # OUT  (g, padded) lower triangle of the next Gram matrix
):
    """Move the points, and compute the next weighted Gram matrix on the way."""
    cdef Py_ssize_t g = points.shape[0], p = points.shape[1], n_lanes = work.shape[0]
    cdef Py_ssize_t blocks = (p + block_width(g) - 1) // block_width(g)
    cdef AdvanceLanes lanes = AdvanceLanes.__new__(AdvanceLanes)
    lanes.points, lanes.origin, lanes.mass, lanes.kernel = points, origin, mass, kernel
    lanes.lam, lanes.work, lanes.shifted, lanes.D = lam, work, shifted, D
    lanes.every, lanes.blocks, lanes.first = np.arange(g), blocks, 0
    lanes.moved, lanes.least = np.zeros((n_lanes, g)), np.full(n_lanes, np.inf)
    lanes.batch = tasks_between_signals(1.5 * g * g * GRAM_FEATURES)
    D[:] = within
    while lanes.first < (blocks + n_lanes - 1) // n_lanes:
        lanes.share(0, n_lanes, n_threads)
        lanes.first += lanes.batch
        PyErr_CheckSignals()
    np.sqrt(np.sum(lanes.moved, axis=0), out=np.asarray(lengths))
    least = np.asarray(lanes.least)
    shares = np.exp(least.min() - least) / np.exp(least.min() - np.asarray(D) / lam).sum()
    join(work, used_lanes(blocks, n_lanes), shares, gram)


@cython.final
cdef class AdvanceLanes(Tasks):
    """The features of `advance`; a task is a lane."""
    cdef const double[:, ::1] points, origin, kernel
    cdef const double[::1] mass
    cdef const Py_ssize_t[::1] every
    cdef double lam
    cdef Py_ssize_t blocks, first, batch
    cdef double[:, ::1] work, shifted
    cdef double[::1] D
    cdef double[:, ::1] moved      # (lanes, g) Σ over features of (after − before)²
    cdef double[::1] least         # (lanes,) D_l / λ of the feature with weight one

    cdef void run(self, Py_ssize_t lane, Py_ssize_t thread) noexcept nogil:
        advance_lane(
            &self.points[0, 0], &self.origin[0, 0], &self.mass[0], self.kernel, self.lam,
            &self.every[0], self.points.shape[0], self.points.shape[1],
            part(self.blocks, self.work.shape[0], lane), self.first, self.batch,
            &self.work[lane, 0], &self.shifted[0, 0], &self.D[0], &self.moved[lane, 0],
            &self.least[lane],
        )


cdef void advance_lane(
    const double* points, const double* origin, const double* mass, const double[:, ::1] kernel,
    double lam, const Py_ssize_t* every, Py_ssize_t g, Py_ssize_t p,
    (Py_ssize_t, Py_ssize_t) blocks, Py_ssize_t first, Py_ssize_t batch, double* work,
    double* shifted, double* D, double* moved, double* least,
) noexcept nogil:
    """Move the points along a batch of a lane's blocks of features."""
    cdef Py_ssize_t ld = row_length(g), width = block_width(g), ldb = row_length(width)
    cdef Py_ssize_t b, start, features, i, l
    cdef double* gram = work                      # (g, ld) Σ_l u_l y_l y_lᵀ
    cdef double* columns = gram + g * ld          # (features, ld) the new points, weighted
    cdef double* before = columns + GRAM_FEATURES * ld   # (g, ldb) the points in a block
    cdef double* after = before + g * ldb         # (g, ldb) where they go
    cdef double[GRAM_FEATURES] root
    cdef double smallest, factor
    for b in range(blocks[0] + first, min(blocks[1], blocks[0] + first + batch)):
        start, features = b * width, min(width, p - b * width)
        for i in range(g):
            memcpy(before + i * ldb, points + i * p + start, features * sizeof(double))
            memset(before + i * ldb + features, 0, (padded(features) - features) * sizeof(double))
        means(kernel, before, g, ldb, padded(features), after)
        for i in range(g):
            simd.displace(
                origin + i * p + start, before + i * ldb, after + i * ldb, mass[i], features,
                shifted + i * p + start, D + start, &moved[i],
            )
        smallest = least[0]
        for l in range(features):
            smallest = min(smallest, D[start + l] / lam)
        if smallest < least[0]:
            factor = exp(smallest - least[0])
            if b > blocks[0]:  # scale what was summed so far down to the new maximum
                for i in range(g * ld):
                    gram[i] *= factor
            least[0] = smallest
        for l in range(features):
            root[l] = (least[0] - D[start + l] / lam) / 2
        simd.exponential(root, root, features)
        simd.pack_columns(after, ldb, every, g, features, root, ld, columns)
        add_to_gram(columns, g, features, False, b == blocks[0], gram)


cdef void means(
    const double[:, ::1] kernel, const double* before, Py_ssize_t g, Py_ssize_t ld,
    Py_ssize_t features, double* after,
) noexcept nogil:
    """after ← kernel · before."""
    cdef Py_ssize_t i, j, row, col
    for j in range((g + COLUMNS - 1) // COLUMNS):
        col = j * COLUMNS
        for i in range((g + ROWS - 1) // ROWS):
            row = i * ROWS
            simd.products(
                after + row * ld, ld, before + col * ld, ld, &kernel[row, col], 1,
                kernel.shape[1], min(g - row, <Py_ssize_t> ROWS), features,
                min(g - col, <Py_ssize_t> COLUMNS), col == 0,
            )
