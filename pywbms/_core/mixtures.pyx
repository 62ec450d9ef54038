"""One pass over rows whose mixtures are the points: 2·n²·p operations, and nothing written.

While the points are mixtures of n rows that stay where they are, y_i = Σ_j A_ij x_j, where each row
of A sums to one, all that a step needs of the features are two n × n matrices:

    D_l = Σ_i m_i (x_il − y_il)² = x_lᵀ M x_l,   M = (I − A)ᵀ diag(m) (I − A),
    u_l = exp(−D_l / λ),   G = Σ_l u_l x_l x_lᵀ.

Squared distances between the points are then quadratic forms of A and G. M is symmetric, so
x_lᵀ M x_l takes the products of half of its entries: n²·p operations for all features, and so does
the lower triangle of G. Both are done while a block of features is in the cache.

Rounding: x_lᵀ M x_l is off by some 2⁻⁵² Σ_i m_i x_il², and the exponent D_l / λ by that over λ; the
distances are off by some 2⁻⁵² ‖x_i‖²_w, and their exponents by that over h. Both keep 11 digits
while the quotients are below EXPANDABLE; beyond, this pass must not be used.

Features may be left out of G where no kernel value can change by it: if Σ w_l r_l² / h ≤ 2⁻⁵³ over
those left out, where r_l is the range of the rows, and so no less than that of the points.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp

from pywbms._core.wide import lanes as lanes_of
from pywbms._core.wide import used_lanes

from pywbms._core.pool cimport Tasks
from pywbms._core.signals cimport tasks_between_signals
from pywbms._core.tiles cimport aligned, padded, row_length, simd
from pywbms._core.wide cimport add_to_gram, join, part

cdef enum:
    # Most features per block.
    MOST_FEATURES = 192


cdef Py_ssize_t block_width(Py_ssize_t g) noexcept nogil:
    return MOST_FEATURES if g <= 128 else 96  # measured


def workspace(Py_ssize_t n):
    """Return the memory that `summarize` needs for n rows; it can be reused."""
    return aligned(lanes_of(n), n * row_length(n) + block_width(n) * row_length(n))


def transposed(const double[:, ::1] rows):
    """Return the rows as columns, each feature's values side by side, padded to whole vectors."""
    cdef Py_ssize_t n = rows.shape[0], p = rows.shape[1], start, features
    out = aligned(p, n)
    cdef double[:, ::1] to = out
    cdef const Py_ssize_t[::1] every = np.arange(n)
    cdef const double[::1] ones = np.ones(MOST_FEATURES)
    for start in range(0, p, MOST_FEATURES):
        features = min(<Py_ssize_t> MOST_FEATURES, p - start)
        simd.pack_columns(
            &rows[0, start], p, &every[0], n, features, &ones[0], to.shape[1], &to[start, 0]
        )
        PyErr_CheckSignals()
    return out


def triangle(form):
    """Return the upper triangle whose quadratic form is that of a symmetric n × n matrix."""
    n = len(form)
    out = aligned(padded(n), row_length(n))
    out[:] = 0
    out[:n, :n] = np.triu(form, 1)
    out[:n, :n] *= 2
    out[range(n), range(n)] = form.diagonal()
    return out


def summarize(
    const double[:, ::1] columns,  # IN   (p, padded) the rows, transposed
    const double[:, ::1] form,     # IN   (padded, padded) `triangle` of M
    const double[::1] within,      # IN   (p,) what is added to every D_l
    const double[::1] slight,      # IN   (p,) features of smaller weight are left out of the Gram
    double lam,                    # on the scale of the sum over rows
    int n_threads,
    double[:, ::1] work,           # a workspace
    double[::1] D,                 # OUT  (p,) x_lᵀ M x_l + within
    double[:, ::1] gram,           # OUT  (n, padded) lower triangle of Σ_l w_l x_l x_lᵀ
):
    """Write displacements and the Gram matrix of the weights that follow, which sum to one."""
    cdef Py_ssize_t n = gram.shape[0], p = columns.shape[0], n_lanes = work.shape[0]
    cdef Py_ssize_t blocks = (p + block_width(n) - 1) // block_width(n)
    cdef Lanes lanes = Lanes.__new__(Lanes)
    lanes.columns, lanes.form, lanes.within, lanes.slight = columns, form, within, slight
    lanes.n, lanes.lam, lanes.work, lanes.D = n, lam, work, D
    lanes.blocks, lanes.first, lanes.least = blocks, 0, np.full(n_lanes, np.inf)
    lanes.batch = tasks_between_signals(<double> n * n * block_width(n))
    while lanes.first < (blocks + n_lanes - 1) // n_lanes:
        lanes.share(0, n_lanes, n_threads)
        lanes.first += lanes.batch
        PyErr_CheckSignals()
    least = np.asarray(lanes.least)
    shares = np.exp(least.min() - least) / np.exp(least.min() - np.asarray(D) / lam).sum()
    join(work, used_lanes(blocks, n_lanes), shares, gram)


@cython.final
cdef class Lanes(Tasks):
    """The features of `summarize`; a task is a lane."""
    cdef const double[:, ::1] columns, form
    cdef const double[::1] within, slight
    cdef double lam
    cdef Py_ssize_t n, blocks, first, batch
    cdef double[:, ::1] work
    cdef double[::1] D
    cdef double[::1] least         # (lanes,) D_l / λ of the feature with weight one

    cdef void run(self, Py_ssize_t lane, Py_ssize_t thread) noexcept nogil:
        cdef Py_ssize_t width = block_width(self.n), b, start
        cdef (Py_ssize_t, Py_ssize_t) mine = part(self.blocks, self.work.shape[0], lane)
        for b in range(mine[0] + self.first, min(mine[1], mine[0] + self.first + self.batch)):
            start = b * width
            self.add_block(
                start, min(width, self.columns.shape[0] - start), b == mine[0],
                &self.work[lane, 0], &self.least[lane],
            )

    cdef void add_block(
        self, Py_ssize_t start, Py_ssize_t features, bint fresh, double* gram, double* least
    ) noexcept nogil:
        """D of a block of features, and what they add to a lane's Gram matrix."""
        cdef Py_ssize_t ld = row_length(self.n), kept = 0, l
        cdef Py_ssize_t[MOST_FEATURES] index
        cdef double[MOST_FEATURES] root
        cdef const double* x = &self.columns[start, 0]
        cdef double* scaled = gram + self.n * ld
        cdef double* D = &self.D[start]
        cdef double smallest = INFINITY
        for l in range(features):
            D[l] = 0
        simd.quadratic(
            &self.form[0, 0], self.form.shape[1], x, self.columns.shape[1], features,
            padded(self.n), D,
        )
        for l in range(features):
            D[l] = max(0.0, D[l]) + self.within[start + l]
            smallest = min(smallest, D[l] / self.lam)
        if smallest < least[0]:
            if not fresh:
                self.scale_down(gram, exp(smallest - least[0]))
            least[0] = smallest
        for l in range(features):
            root[l] = (least[0] - D[l] / self.lam) / 2
        simd.exponential(root, root, features)
        # The weight relative to the largest one in this lane is no less than the weight itself.
        for l in range(features):
            if root[l] * root[l] > self.slight[start + l]:
                index[kept] = l
                kept += 1
        simd.scale_rows(x, self.columns.shape[1], index, kept, padded(self.n), root, ld, scaled)
        if kept or fresh:
            add_to_gram(scaled, self.n, kept, False, fresh, gram)

    cdef void scale_down(self, double* gram, double factor) noexcept nogil:
        """Scale what was summed so far down to a new largest weight."""
        cdef Py_ssize_t i
        for i in range(self.n * row_length(self.n)):
            gram[i] *= factor
