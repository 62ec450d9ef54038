"""The point of a convex hull that is nearest to a given point: Wolfe's active-set method."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport daxpy, dgemv, dnrm2, drot, drotg, dscal, dtrsv

from pywbms._core.signals cimport SCALAR, tasks_between_signals

# A vertex whose distance from the corral's affine hull is below this lies in it.
cdef double DEPENDENT = 1e-14

# Successive cycles without progress after which only rounding can be driving them. Near the
# optimum a useful cycle often shortens the residual by less than its last digit.
cdef enum:
    PATIENCE = 100

# The most cycles that a problem may take, as a multiple of n + p. About 2 p are usual.
cdef enum:
    CYCLES = 20

cdef enum Outcome:
    RUNNING, OPTIMAL, GIVEN_UP


cdef struct Search:
    # The problem.
    Py_ssize_t n, p
    const double* vertices     # (n, p)
    const double* norm         # (n,) ‖v‖²
    const double* x            # (p,)
    double limit               # lengths up to this count as zero
    # The corral: affinely independent vertices with positive coefficients, k of them.
    int k, most
    Py_ssize_t* member         # (most,)
    double* coefficient        # (most,) of y, on the simplex
    double* affine             # (most,) of the point of the affine hull nearest to x
    double* Q                  # (most, p + 1) rows: orthonormal basis of the columns (1, v)
    double* R                  # (most, most) columns: upper triangle with (1, v) = Q R
    # The state of the search.
    double* residual           # (p + 1,) (multiplier, x − y), orthogonal to Q between cycles
    double* price              # (n,) (x − y)·v
    double length              # ‖x − y‖
    double gap                 # max_v u·(v − y) with u = (x − y) / ‖x − y‖
    double shortest
    Py_ssize_t cycles, idle
    double* move               # (most,) from (multiplier, y) to the affine hull's nearest, in Q
    double* work               # (most,)


def project(
    const double[:, ::1] points,     # IN   (m, p)
    const double[:, ::1] vertices,   # IN   (n, p) within the unit ball
    const double[::1] limit,         # IN   (m,) lengths up to this count as zero
    double[::1] distance,            # OUT  (m,) zero within the limit
    double[::1] gap,                 # OUT  (m,) how far off the distance may be
    double[:, ::1] coefficients,     # OUT  (m, n) of the nearest point, on the simplex
    double[:, ::1] direction,        # OUT  (m, p) unit, from the nearest point to x; or zero
):
    """Write the distance of each point to the convex hull of the vertices, and its proof.

    Wolfe's method keeps a corral, affinely independent vertices around the current point y of the
    hull, where y is the point of the corral's affine hull nearest to x. The vertex farthest in
    the direction x − y joins; y moves towards the new affine hull's nearest point, and each time
    it meets the border of the corral, the vertex on the other side leaves. When no vertex lies
    farther than y, the hyperplane through y proves that y is nearest.

    The best change δ of the coefficients, Σ δ = 0, is where (1, V) δ is the projection of
    (t, x − y) onto the span of the columns (1, v) and t is such that Σ δ = 0. So one QR
    factorisation serves, which does not depend on x; its condition is the corral's, not that
    squared. All is computed from x − y, whose digits are right however near to the hull x is.
    """
    cdef Py_ssize_t m = points.shape[0], n = vertices.shape[0], p = vertices.shape[1]
    cdef Py_ssize_t most = min(n, p + 1), i
    cdef double[::1] norm = np.einsum("ij,ij->i", vertices, vertices)
    cdef Py_ssize_t[::1] member = np.empty(most, dtype=np.intp)
    cdef double[:, ::1] by_member = np.empty((4, most))
    cdef double[:, ::1] Q = np.empty((most, p + 1))
    cdef double[:, ::1] R = np.zeros((most, most))
    cdef double[::1] residual = np.empty(p + 1), price = np.empty(n)
    cdef Py_ssize_t cycles = tasks_between_signals(SCALAR * (<double> n * p + 12. * most * p))
    cdef Outcome outcome
    cdef Search s
    s.n, s.p, s.most = n, p, <int> most
    s.vertices, s.norm = &vertices[0, 0], &norm[0]
    s.member, s.coefficient, s.affine = &member[0], &by_member[0, 0], &by_member[1, 0]
    s.move, s.work = &by_member[2, 0], &by_member[3, 0]
    s.Q, s.R, s.residual, s.price = &Q[0, 0], &R[0, 0], &residual[0], &price[0]
    for i in range(m):
        s.x, s.limit = &points[i, 0], limit[i]
        start(&s)
        outcome = RUNNING
        while outcome == RUNNING:
            with nogil:
                outcome = advance(&s, cycles)
            PyErr_CheckSignals()
        report(&s, &distance[i], &gap[i], &coefficients[i, 0], &direction[i, 0])


cdef void start(Search* s) noexcept nogil:
    """Begin at the vertex nearest to x."""
    cdef Py_ssize_t i, nearest = 0
    prices(s, s.x)
    for i in range(s.n):
        if 2 * s.price[i] - s.norm[i] > 2 * s.price[nearest] - s.norm[nearest]:
            nearest = i
    s.k = 0
    s.cycles, s.idle, s.shortest = 0, 0, INFINITY
    join(s, nearest)
    s.coefficient[0] = 1
    for i in range(s.p):
        s.residual[1 + i] = s.x[i] - s.vertices[nearest * s.p + i]
    solve(s)
    settle(s)


cdef Outcome advance(Search* s, Py_ssize_t cycles) noexcept nogil:
    """Run some cycles: let a vertex join, then move until y is nearest in the affine hull."""
    cdef Py_ssize_t _cycle, winner
    for _cycle in range(cycles):
        if s.length <= s.limit:
            s.gap = s.length
            return OPTIMAL
        prices(s, s.residual + 1)
        # All members have the same price, the negative of the multiplier.
        s.gap = max((s.price[highest(s)] + s.residual[0]) / s.length, 0.0)
        if s.gap <= s.limit:
            return OPTIMAL
        s.idle = 0 if s.length < s.shortest else s.idle + 1
        s.shortest = min(s.shortest, s.length)
        s.cycles += 1
        if s.idle > PATIENCE or s.cycles > CYCLES * (s.n + s.p):
            return GIVEN_UP
        while True:
            winner = highest(s)
            if not s.price[winner] + s.residual[0] > s.limit * s.length:  # nor if it is NaN
                return GIVEN_UP
            if admit(s, winner):
                break
            s.price[winner] = -INFINITY
        walk(s)
        settle(s)
    return RUNNING


cdef void report(
    const Search* s, double* distance, double* gap, double* coefficients, double* direction
) noexcept nogil:
    """Write the result; the gap includes the rounding error of the coefficients themselves."""
    cdef int p = <int> s.p, inc = 1, i
    cdef double weight, total = 0
    cdef bint outside = s.length > s.limit
    for i in range(s.k):
        total += s.coefficient[i]
    memset(coefficients, 0, s.n * sizeof(double))
    memcpy(direction, s.x, p * sizeof(double))
    for i in range(s.k):
        coefficients[s.member[i]] = s.coefficient[i] / total
        weight = -s.coefficient[i] / total
        daxpy(&p, &weight, <double*> s.vertices + s.member[i] * p, &inc, direction, &inc)
    distance[0] = s.length if outside else 0
    gap[0] = s.gap + fabs(dnrm2(&p, direction, &inc) - s.length)
    for i in range(p):
        direction[i] = s.residual[1 + i] / s.length if outside else 0


cdef void prices(Search* s, const double* direction) noexcept nogil:
    """price_i = direction · v_i."""
    cdef int m = <int> s.p, n = <int> s.n, inc = 1
    cdef double one = 1, zero = 0
    dgemv(
        "T", &m, &n, &one, <double*> s.vertices, &m, <double*> direction, &inc, &zero,
        s.price, &inc,
    )


cdef Py_ssize_t highest(Search* s) noexcept nogil:
    cdef Py_ssize_t i, winner = 0
    for i in range(1, s.n):
        if s.price[i] > s.price[winner]:
            winner = i
    return winner


cdef bint admit(Search* s, Py_ssize_t vertex) noexcept nogil:
    """Let a vertex join if it is independent and gets a positive coefficient.

    In exact arithmetic this holds for every vertex with a price above that of the members.
    """
    if not join(s, vertex):
        return False
    s.coefficient[s.k - 1] = 0
    solve(s)
    if s.affine[s.k - 1] <= 0:
        s.k -= 1
        return False
    return True


cdef void walk(Search* s) noexcept nogil:
    """Move y to the nearest point of the affine hull of ever fewer members, inside the corral."""
    cdef int rows = <int> s.p + 1, inc = 1, i, first
    cdef double one = 1, step, share
    while True:
        step, first = INFINITY, -1
        for i in range(s.k):
            if s.affine[i] <= 0 and s.k > 1:
                share = s.coefficient[i] - s.affine[i]
                share = s.coefficient[i] / share if share > 0 else 0
                if share < step:
                    step, first = share, i
        if first < 0:
            return
        for i in range(s.k):
            s.coefficient[i] = max(s.coefficient[i] + step * (s.affine[i] - s.coefficient[i]), 0.0)
        s.coefficient[first] = 0
        step = -step
        dgemv("N", &rows, &s.k, &step, s.Q, &rows, s.move, &inc, &one, s.residual, &inc)
        for i in range(s.k - 1, -1, -1):
            if s.coefficient[i] == 0 and s.affine[i] <= 0 and s.k > 1:
                leave(s, i)
        solve(s)


cdef void solve(Search* s) noexcept nogil:
    """affine ← coefficients of the affine hull's point nearest to x."""
    cdef int p = <int> s.p, rows = p + 1, inc = 1, i
    cdef double one = 1, zero = 0, product = 0, square = 0
    dgemv("T", &p, &s.k, &one, s.Q + 1, &rows, s.residual + 1, &inc, &zero, s.move, &inc)
    for i in range(s.k):
        product += s.Q[i * rows] * s.move[i]
        square += s.Q[i * rows] * s.Q[i * rows]
    s.residual[0] = -product / square
    for i in range(s.k):
        s.move[i] += s.residual[0] * s.Q[i * rows]
    memcpy(s.affine, s.move, s.k * sizeof(double))
    dtrsv("U", "N", "N", &s.k, s.R, &s.most, s.affine, &inc)
    for i in range(s.k):
        s.affine[i] += s.coefficient[i]


cdef void settle(Search* s) noexcept nogil:
    """Make the affine hull's nearest point the current one.

    The residual is made orthogonal to the corral twice: where it is much shorter than the move,
    its direction would otherwise be mostly rounding error.
    """
    cdef int p = <int> s.p, rows = p + 1, inc = 1
    cdef double one = 1, minus = -1, zero = 0
    dgemv("N", &rows, &s.k, &minus, s.Q, &rows, s.move, &inc, &one, s.residual, &inc)
    dgemv("T", &rows, &s.k, &one, s.Q, &rows, s.residual, &inc, &zero, s.work, &inc)
    dgemv("N", &rows, &s.k, &minus, s.Q, &rows, s.work, &inc, &one, s.residual, &inc)
    memcpy(s.coefficient, s.affine, s.k * sizeof(double))
    s.length = dnrm2(&p, s.residual + 1, &inc)


cdef bint join(Search* s, Py_ssize_t vertex) noexcept nogil:
    """Append a vertex to the corral unless it lies in its affine hull."""
    cdef int p = <int> s.p, rows = p + 1, inc = 1, i, _again
    cdef double one = 1, minus = -1, zero = 0, height
    cdef double* q
    cdef double* r
    if s.k == s.most:
        return False
    q = s.Q + s.k * rows
    r = s.R + s.k * s.most
    q[0] = 1
    memcpy(q + 1, s.vertices + vertex * p, p * sizeof(double))
    memset(r, 0, s.most * sizeof(double))
    for _again in range(2 if s.k else 0):
        dgemv("T", &rows, &s.k, &one, s.Q, &rows, q, &inc, &zero, s.work, &inc)
        dgemv("N", &rows, &s.k, &minus, s.Q, &rows, s.work, &inc, &one, q, &inc)
        for i in range(s.k):
            r[i] += s.work[i]
    height = dnrm2(&rows, q, &inc)
    if height <= DEPENDENT:
        return False
    r[s.k] = height
    height = 1 / height
    dscal(&rows, &height, q, &inc)
    s.member[s.k] = vertex
    s.k += 1
    return True


cdef void leave(Search* s, int position) noexcept nogil:
    """Remove a vertex from the corral; rotations make R triangular again."""
    cdef int rows = <int> s.p + 1, inc = 1, i, width
    cdef double c, sine, a, b
    for i in range(position, s.k - 1):
        s.member[i] = s.member[i + 1]
        s.coefficient[i] = s.coefficient[i + 1]
        s.affine[i] = s.affine[i + 1]
        memcpy(s.R + i * s.most, s.R + (i + 1) * s.most, (i + 2) * sizeof(double))
    s.k -= 1
    for i in range(position, s.k):
        a, b = s.R[i * s.most + i], s.R[i * s.most + i + 1]
        drotg(&a, &b, &c, &sine)
        s.R[i * s.most + i] = a
        s.R[i * s.most + i + 1] = 0
        width = s.k - i - 1
        if width:
            drot(
                &width, s.R + (i + 1) * s.most + i, &s.most,
                s.R + (i + 1) * s.most + i + 1, &s.most, &c, &sine,
            )
        drot(&rows, s.Q + i * rows, &inc, s.Q + (i + 1) * rows, &inc, &c, &sine)
