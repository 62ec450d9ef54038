"""One blurring step of points on a line: a fast Gauss transform in one dimension.

In units of √h, let S(t) = Σ_j m_j exp(−(t − t_j)²). Its derivative is twice Σ_j m_j (t_j − t) K, to
which a point itself adds nothing; so a row left out of its own mean goes from t to

    t + S′(t) / (2 (S(t) − 1)).

S is smooth. The line is cut into boxes of equal width, in each of which S is a polynomial to the
last digit, a sum of TERMS Chebyshev polynomials T_k. Its coefficients follow from the moments
Σ_j m_j T_k(t_j) of the boxes around it by a matrix that only depends on how many boxes apart they
are. That takes some hundred operations per point, however many points there are.

Where there are few points around a box, the kernel values are computed one by one, in the tiles
that the other steps use. And a point whose S(t) − 1 is small has its few neighbours summed relative
to the nearest of them: no digit is lost in S − 1, and no sum is zero.
"""

import numpy as np

from libc.math cimport INFINITY, exp, floor
from libc.string cimport memcpy, memset

from pywbms._core.tiles cimport ROW, TILE, padded, rows_of, simd, tiles_of

cdef enum:
    # Boxes that far apart, and nearer ones, see each other: exp(−(REACH · WIDTH)²) = 4e-24.
    REACH = 11
    # What the ways to sum cost, in kernel values: per box in sight, and per point.
    BOX_COST = 25
    POINT_COST = 12

# Width of a box. With 16 terms the polynomials are off by 4e-17 of the mass around.
cdef double WIDTH = 2.0 / 3

# Sums of all pairs above this are right, as kernel values are not below exp(−707).
cdef double SMALLEST_SUM = 1e-280

# So are sums over the boxes in sight above this share of the mass of all points,
cdef double SMALLEST_SHARE = 1e-11

# and, as S − 1 loses digits, differences S − 1 above this.
cdef double SMALLEST_REST = 1e-3

# Numbers of boxes are exact on lines up to this length. On longer ones hardly a point sees another.
cdef double LONGEST = 1e12

# exp(−60) counts for nothing beside the nearest point's one.
cdef double NEGLIGIBLE = 60


def translations():
    """Return the matrices that turn moments into coefficients, by the distance between the boxes.

    The moments of a box give, by interpolation at Chebyshev nodes, masses at the nodes that act as
    its points do. These give S at the nodes of the other box, and that the coefficients there.
    """
    angle = np.pi * (np.arange(TERMS) + 0.5) / TERMS
    transform = 2.0 / TERMS * np.cos(np.outer(np.arange(TERMS), angle))
    transform[0] /= 2
    node = np.cos(angle) / 2
    apart = np.arange(-REACH, REACH + 1)[:, None, None]
    kernel = np.exp(-(WIDTH * (apart + node - node[:, None])) ** 2)
    return np.ascontiguousarray(transform @ kernel @ transform.T)


# (2 REACH + 1, TERMS, TERMS) the target's box less the source's; the source's term; the target's
cdef const double[:, :, ::1] TRANSLATIONS = translations()


cdef void blur(Line* line) noexcept nogil:
    """Write into `moved` where each point goes; one without any other point stays."""
    cdef Py_ssize_t boxes, b, low = 0, high = 0, i, count, around
    cdef Py_ssize_t[SLOTS] held
    if line.at[line.n - 1] - line.at[0] > LONGEST:
        for i in range(line.n):
            line.moved[i] = relative_to_nearest(line, i)
        return
    boxes = put_in_boxes(line)
    if line.n <= TILE and line.n * line.n < line.n * POINT_COST + boxes * boxes * BOX_COST:
        sum_pairs(line, 0, line.n, 0, line.n, SMALLEST_SUM)
        return
    for b in range(SLOTS):
        held[b] = -1
    for b in range(boxes):
        while line.box[b] - line.box[low] > REACH:
            low += 1
        while high < boxes and line.box[high] - line.box[b] <= REACH:
            high += 1
        count, around = line.first[b + 1] - line.first[b], line.first[high] - line.first[low]
        if count * around < count * POINT_COST + (high - low) * BOX_COST:
            sum_pairs(
                line, line.first[b], line.first[b + 1], line.first[low], line.first[high],
                SMALLEST_SHARE * line.total,
            )
        else:
            sum_boxes(line, b, low, high, held)


cdef Py_ssize_t put_in_boxes(Line* line) noexcept nogil:
    """List the boxes that have points; return how many there are."""
    cdef Py_ssize_t boxes = 0, i
    cdef double end = -INFINITY
    for i in range(line.n):
        if line.at[i] >= end:
            line.box[boxes] = floor(line.at[i] / WIDTH)
            line.first[boxes] = i
            end = (line.box[boxes] + 1) * WIDTH
            boxes += 1
    line.first[boxes] = line.n
    return boxes


cdef void sum_boxes(
    Line* line, Py_ssize_t b, Py_ssize_t low, Py_ssize_t high, Py_ssize_t* held
) noexcept nogil:
    """Move the points of box b by the moments of boxes low … high − 1."""
    cdef double* moments = line.scratch + ROW * ROW
    cdef double* coefficients = moments + SLOTS * TERMS
    cdef double* both = coefficients + TERMS
    cdef double* sums = line.scratch + TILE * ROW
    cdef double least = max(SMALLEST_REST, SMALLEST_SHARE * line.total), rest
    cdef Py_ssize_t other, slot, tile, first, cols, i, count = line.first[b + 1] - line.first[b]
    for other in range(low, high):
        slot = other % SLOTS
        if held[slot] != other:
            held[slot] = other
            take_moments(line, other, moments + slot * TERMS)
        simd.products(
            coefficients, TERMS,
            &TRANSLATIONS[REACH + <Py_ssize_t> (line.box[b] - line.box[other]), 0, 0], TERMS,
            moments + slot * TERMS, 1, TERMS, 1, TERMS, TERMS, other == low,
        )
    with_derivative(coefficients, both)
    for tile in range(tiles_of(count)):
        first, cols = line.first[b] + tile * TILE, rows_of(count, tile)
        chebyshev(line, first, cols, line.box[b])
        simd.products(sums, ROW, line.scratch, ROW, both, 2, 1, 2, padded(cols), TERMS, True)
        for i in range(cols):
            rest = sums[i] - 1
            if rest > least:
                line.moved[first + i] = line.at[first + i] + sums[ROW + i] / rest
            else:
                line.moved[first + i] = relative_to_nearest(line, first + i)


cdef void with_derivative(const double* coefficients, double* both) noexcept nogil:
    """both[k] ← coefficients of S and of S′ / 2, where the box has a length of 2 for T_k."""
    cdef Py_ssize_t k
    cdef double after = 0, last = 0, this  # of the derivative, two terms and one term on
    for k in range(TERMS - 1, -1, -1):
        both[2 * k] = coefficients[k]
        both[2 * k + 1] = (last if k else last / 2) / WIDTH
        this = after + 2 * k * coefficients[k]
        after, last = last, this


cdef void take_moments(Line* line, Py_ssize_t b, double* moments) noexcept nogil:
    """moments[k] ← Σ_j m_j T_k(t_j) over the points of a box."""
    cdef double[TILE] mass
    cdef double[8] sums  # side by side, so that the compiler makes vectors of them
    cdef const double* row
    cdef Py_ssize_t tile, first, cols, i, k, s, count = line.first[b + 1] - line.first[b]
    memset(moments, 0, TERMS * sizeof(double))
    for tile in range(tiles_of(count)):
        first, cols = line.first[b] + tile * TILE, rows_of(count, tile)
        chebyshev(line, first, cols, line.box[b])
        memcpy(mass, line.mass + first, cols * sizeof(double))
        for i in range(cols, padded(cols)):
            mass[i] = 0
        for k in range(TERMS):
            row = line.scratch + k * ROW
            for s in range(8):
                sums[s] = 0
            for i in range(0, cols, 8):
                for s in range(8):
                    sums[s] += mass[i + s] * row[i + s]
            moments[k] += (
                ((sums[0] + sums[4]) + (sums[1] + sums[5]))
                + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
            )


cdef void chebyshev(Line* line, Py_ssize_t first, Py_ssize_t cols, double box) noexcept nogil:
    """Write T_k(t), a row for each k, of some points of a box into the scratch."""
    cdef double* row = line.scratch
    cdef double[TILE] x
    cdef Py_ssize_t width = padded(cols), i, k
    for i in range(cols):
        x[i] = 2 * (line.at[first + i] / WIDTH - box) - 1
    for i in range(cols, width):
        x[i] = 0
    for i in range(width):
        row[i] = 1
    for i in range(width):
        row[ROW + i] = x[i]
    for k in range(2, TERMS):
        row = line.scratch + k * ROW
        for i in range(width):
            row[i] = 2 * x[i] * (row - ROW)[i] - (row - 2 * ROW)[i]


cdef void sum_pairs(
    Line* line, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t low, Py_ssize_t high, double least
) noexcept nogil:
    """Move points start … stop − 1 by the kernel values of points low … high − 1."""
    cdef double* sums = line.scratch + TILE * ROW
    cdef double center
    cdef Py_ssize_t tile, other, first, cols, i
    for tile in range(tiles_of(stop - start)):
        first, cols = start + tile * TILE, rows_of(stop - start, tile)
        center = line.at[first + cols // 2]
        for other in range(tiles_of(high - low)):
            add_tile(
                line, first, cols, low + other * TILE, rows_of(high - low, other), center,
                other == 0,
            )
        for i in range(cols):
            if sums[i] > least:
                line.moved[first + i] = center + sums[ROW + i] / sums[i]
            else:
                line.moved[first + i] = relative_to_nearest(line, first + i)


cdef void add_tile(
    Line* line, Py_ssize_t first, Py_ssize_t cols, Py_ssize_t other, Py_ssize_t rows,
    double center, bint fresh,
) noexcept nogil:
    """Add to Σ_j m_ij K and Σ_j m_ij K (t_j − center) of a tile's columns what its rows give."""
    cdef double* T = line.scratch
    cdef double* sums = T + TILE * ROW
    cdef double* zeros = sums + 2 * ROW
    cdef double* largest = zeros + ROW    # which nobody reads
    cdef double* weights = largest + 2 * ROW
    cdef Py_ssize_t width = padded(cols), j
    memset(zeros, 0, 2 * ROW * sizeof(double))
    simd.differences(
        T, ROW, line.at + first, ROW, line.at + other, 1, 1, rows, width, 1, True
    )
    simd.kernel(T, ROW, -1, zeros, zeros, rows, width, largest + ROW, largest)
    for j in range(rows):
        weights[2 * j] = line.mass[other + j]
        weights[2 * j + 1] = line.mass[other + j] * (line.at[other + j] - center)
    for j in range(max(first, other), min(first + cols, other + rows)):
        T[(j - other) * ROW + j - first] = max(line.mass[j] - 1, 0) / line.mass[j]
    simd.products(sums, ROW, T, ROW, weights, 2, 1, 2, width, rows, fresh)


cdef double relative_to_nearest(Line* line, Py_ssize_t i) noexcept nogil:
    """Where a point goes, its kernel values taken relative to that of the nearest, as a softmax.

    With g the distance of a point and g₀ that of the nearest, g² − g₀² is taken as a product, which
    keeps its digits.
    """
    cdef double here = line.at[i], total = max(line.mass[i] - 1, 0), shift = 0, nearest, apart
    cdef double exponent, value
    cdef Py_ssize_t j, step
    if line.n == 1:
        return here
    nearest = 0 if total > 0 else INFINITY
    if i > 0:
        nearest = min(nearest, here - line.at[i - 1])
    if i < line.n - 1:
        nearest = min(nearest, line.at[i + 1] - here)
    for step in range(-1, 2, 2):
        j = i + step
        while 0 <= j < line.n:
            apart = step * (line.at[j] - here)
            exponent = (apart - nearest) * (apart + nearest)
            if not exponent < NEGLIGIBLE:
                break
            value = line.mass[j] * exp(-exponent)
            total += value
            shift += value * step * apart
            j += step
    return here + shift / total
