/* The arithmetic of a tile, once for each instruction set: tile.c includes this file several times
 * with
 *     NAME(x)   the name of x in this copy
 *     TARGET    the function attribute that turns the instruction set on
 *     WIDTH     doubles in a vector register
 *     ROWS      rows of the block of results that is kept in registers (a power of two)
 *     VECTORS   vectors in each of its rows: ROWS × VECTORS results, VECTORS factors and one more
 *               fit the register file
 *     MAX(a, b) the larger of each pair of elements
 * Vectors are those of the GNU C extension, which gcc and clang compile for any machine.
 *
 * Rows of results and of A are vectors: their columns come in multiples of 8, and those
 * after the last one that matters are padding, which may hold any finite values.
 */

typedef double NAME(vec) __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));
typedef int64_t NAME(bits) __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));
#define vec NAME(vec)
#define bits NAME(bits)
#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE vec NAME(load)(const double *at) { return *(const vec *)at; }
INLINE void NAME(store)(double *at, vec x) { *(vec *)at = x; }
INLINE vec NAME(all)(double x) { return x - (vec){0}; }

/* exp(x) for −707 ≤ x ≤ 709; below, exp(−707). Relative error below 4e-15.
 *
 * x = n ln 2 + r with |r| ≤ ln 2 / 2. Adding 1.5·2⁵² rounds x / ln 2 to the whole number n and
 * leaves n in the lowest bits of the sum, from where it moves into the exponent of exp(r). exp(r)
 * is a polynomial of degree 11 (interpolated at Chebyshev nodes), summed in pairs so that the
 * multiplications need not wait for each other.
 */
INLINE vec NAME(exp)(vec x) {
    const double magic = 6755399441055744.0;
    x = MAX(x, NAME(all)(-707.0));
    vec t = x * 1.4426950408889634 + magic;
    vec n = t - magic;
    vec r = x - n * 6.93147180369123816490e-01;
    r = r - n * 1.90821492927058770002e-10;
    vec r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    vec c01 = r + 1.0;
    vec c23 = r * 0.1666666666666668517 + 0.50000000000000188738;
    vec c45 = r * 0.0083333333333185724556 + 0.041666666666488182125;
    vec c67 = r * 0.00019841269891032441435 + 0.0013888888952306977474;
    vec c89 = r * 2.755724049736677292e-06 + 2.4801485484873180763e-05;
    vec cab = r * 2.5110101978617709334e-08 + 2.763263941485105865e-07;
    vec low = (c67 * r2 + c45) * r4 + (c23 * r2 + c01);
    vec y = (cab * r2 + c89) * r8 + low;
    return (vec)((bits)y + ((bits)t << 52));
}

TARGET static void NAME(exponential)(const double *x, double *out, ptrdiff_t n) {
    ptrdiff_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) NAME(store)(out + i, NAME(exp)(NAME(load)(x + i)));
    if (i < n) {
        double rest[WIDTH] = {0};
        memcpy(rest, x + i, (n - i) * sizeof(double));
        NAME(store)(rest, NAME(exp)(NAME(load)(rest)));
        memcpy(out + i, rest, (n - i) * sizeof(double));
    }
}

/* A block of results: C[r][·] += Σ_k B[k, r] A[k][·], or Σ_k (A[k][·] − B[k, r])² if `squares`;
 * = instead of += if `fresh`. rows, vectors and squares are constants where this is called, so every
 * loop but the one over k is unrolled, and the results stay in registers. */
INLINE void NAME(block)(
    double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t b_k,
    ptrdiff_t b_r, ptrdiff_t K, int fresh, const int rows, const int vectors, const int squares) {
    vec sum[ROWS][VECTORS];
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++)
            sum[r][v] = fresh ? (vec){0} : NAME(load)(C + r * ldc + v * WIDTH);
    for (ptrdiff_t k = 0; k < K; k++) {
        vec a[VECTORS];
        _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++)
            a[v] = NAME(load)(A + k * lda + v * WIDTH);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            vec b = NAME(all)(B[k * b_k + r * b_r]);
            _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++) {
                if (squares) {
                    vec d = a[v] - b;
                    sum[r][v] += d * d;
                } else {
                    sum[r][v] += b * a[v];
                }
            }
        }
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++)
            NAME(store)(C + r * ldc + v * WIDTH, sum[r][v]);
}

/* All rows of a panel of `vectors` vectors, as many rows at a time as fit the registers. */
INLINE void NAME(panel)(
    double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t b_k,
    ptrdiff_t b_r, ptrdiff_t rows, ptrdiff_t K, int fresh, const int vectors, const int squares) {
    ptrdiff_t r = 0;
    for (; r + ROWS <= rows; r += ROWS)
        NAME(block)(C + r * ldc, ldc, A, lda, B + r * b_r, b_k, b_r, K, fresh, ROWS, vectors, squares);
    if (ROWS > 4 && r + 4 <= rows) {
        NAME(block)(C + r * ldc, ldc, A, lda, B + r * b_r, b_k, b_r, K, fresh, 4, vectors, squares);
        r += 4;
    }
    if (r + 2 <= rows) {
        NAME(block)(C + r * ldc, ldc, A, lda, B + r * b_r, b_k, b_r, K, fresh, 2, vectors, squares);
        r += 2;
    }
    if (r < rows)
        NAME(block)(C + r * ldc, ldc, A, lda, B + r * b_r, b_k, b_r, K, fresh, 1, vectors, squares);
}

INLINE void NAME(panels)(
    double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t b_k,
    ptrdiff_t b_r, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t K, int fresh, const int squares) {
    ptrdiff_t c = 0;
    for (; c + VECTORS * WIDTH <= cols; c += VECTORS * WIDTH)
        NAME(panel)(C + c, ldc, A + c, lda, B, b_k, b_r, rows, K, fresh, VECTORS, squares);
    if (VECTORS > 2 && c + 2 * WIDTH <= cols) {
        NAME(panel)(C + c, ldc, A + c, lda, B, b_k, b_r, rows, K, fresh, 2, squares);
        c += 2 * WIDTH;
    }
    if (c < cols) NAME(panel)(C + c, ldc, A + c, lda, B, b_k, b_r, rows, K, fresh, 1, squares);
}

TARGET static void NAME(products)(
    double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t b_k,
    ptrdiff_t b_r, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t K, int fresh) {
    NAME(panels)(C, ldc, A, lda, B, b_k, b_r, rows, cols, K, fresh, 0);
}

TARGET static void NAME(differences)(
    double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t b_k,
    ptrdiff_t b_r, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t K, int fresh) {
    NAME(panels)(C, ldc, A, lda, B, b_k, b_r, rows, cols, K, fresh, 1);
}

/* Rows of a panel of the quadratic form: with U upper triangular, column c needs only k ≤ c. The last
 * vectors of the panel so need fewer and fewer sums. */
INLINE void NAME(quadratic_block)(
    const double *U, ptrdiff_t ldu, const double *x, ptrdiff_t ldx, ptrdiff_t col, double *out,
    const int rows, const int vectors) {
    vec sum[ROWS][VECTORS];
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++) sum[r][v] = (vec){0};
    _Pragma("GCC unroll 8") for (int first = 0; first < vectors; first++) {
        ptrdiff_t start = first ? col + first * WIDTH : 0;
        for (ptrdiff_t k = start; k < col + (first + 1) * WIDTH; k++) {
            vec u[VECTORS];
            _Pragma("GCC unroll 8") for (int v = first; v < vectors; v++)
                u[v] = NAME(load)(U + k * ldu + col + v * WIDTH);
            _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
                vec b = NAME(all)(x[r * ldx + k]);
                _Pragma("GCC unroll 8") for (int v = first; v < vectors; v++) sum[r][v] += b * u[v];
            }
        }
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
        vec total = {0};
        _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++)
            total += sum[r][v] * NAME(load)(x + r * ldx + col + v * WIDTH);
        for (int i = 0; i < WIDTH; i++) out[r] += total[i];
    }
}

INLINE void NAME(quadratic_panel)(
    const double *U, ptrdiff_t ldu, const double *x, ptrdiff_t ldx, ptrdiff_t rows, ptrdiff_t col,
    double *out, const int vectors) {
    ptrdiff_t r = 0;
    for (; r + ROWS <= rows; r += ROWS)
        NAME(quadratic_block)(U, ldu, x + r * ldx, ldx, col, out + r, ROWS, vectors);
    for (; r < rows; r++) NAME(quadratic_block)(U, ldu, x + r * ldx, ldx, col, out + r, 1, vectors);
}

TARGET static void NAME(quadratic)(
    const double *U, ptrdiff_t ldu, const double *x, ptrdiff_t ldx, ptrdiff_t rows, ptrdiff_t cols,
    double *out) {
    ptrdiff_t c = 0;
    for (; c + VECTORS * WIDTH <= cols; c += VECTORS * WIDTH)
        NAME(quadratic_panel)(U, ldu, x, ldx, rows, c, out, VECTORS);
    if (VECTORS > 2 && c + 2 * WIDTH <= cols) {
        NAME(quadratic_panel)(U, ldu, x, ldx, rows, c, out, 2);
        c += 2 * WIDTH;
    }
    if (c < cols) NAME(quadratic_panel)(U, ldu, x, ldx, rows, c, out, 1);
}

/* Two rows at a time: what is read and written for a column serves both. */
INLINE void NAME(kernel_rows)(
    double *T, ptrdiff_t ldt, double factor, const double *row_norm, const double *col_norm,
    const int rows, ptrdiff_t cols, double *row_max, double *col_max) {
    vec largest[2] = {{0}, {0}};
    for (ptrdiff_t c = 0; c < cols; c += WIDTH) {
        vec norm = NAME(load)(col_norm + c), most = NAME(load)(col_max + c);
        _Pragma("GCC unroll 2") for (int r = 0; r < rows; r++) {
            vec x = NAME(load)(T + r * ldt + c) * factor - (row_norm[r] + norm);
            x = NAME(exp)(x);
            NAME(store)(T + r * ldt + c, x);
            largest[r] = MAX(largest[r], x);
            most = MAX(most, x);
        }
        NAME(store)(col_max + c, most);
    }
    _Pragma("GCC unroll 2") for (int r = 0; r < rows; r++) {
        row_max[r] = 0;
        for (int i = 0; i < WIDTH; i++)
            row_max[r] = largest[r][i] > row_max[r] ? largest[r][i] : row_max[r];
    }
}

TARGET static void NAME(kernel)(
    double *T, ptrdiff_t ldt, double factor, const double *row_norm, const double *col_norm,
    ptrdiff_t rows, ptrdiff_t cols, double *row_max, double *col_max) {
    ptrdiff_t r = 0;
    for (; r + 2 <= rows; r += 2)
        NAME(kernel_rows)(T + r * ldt, ldt, factor, row_norm + r, col_norm, 2, cols, row_max + r, col_max);
    if (r < rows)
        NAME(kernel_rows)(T + r * ldt, ldt, factor, row_norm + r, col_norm, 1, cols, row_max + r, col_max);
}

/* The compiler turns the loops below into the vectors of the instruction set by itself. */

TARGET static void NAME(pack_rows)(
    const double *points, ptrdiff_t p, const ptrdiff_t *index, ptrdiff_t rows, ptrdiff_t features,
    const double *factor, double *out) {
    for (ptrdiff_t r = 0; r < rows; r++) {
        const double *restrict y = points + index[r] * p;
        double *restrict to = out + r * features;
        for (ptrdiff_t l = 0; l < features; l++) to[l] = factor[l] * y[l];
    }
}

/* Eight points at a time, so that a cache line is written at once. */
TARGET static void NAME(pack_columns)(
    const double *points, ptrdiff_t p, const ptrdiff_t *index, ptrdiff_t rows, ptrdiff_t features,
    const double *factor, ptrdiff_t ld, double *out) {
    for (ptrdiff_t r = 0; r < rows; r += 8) {
        const double *y[8];
        for (int k = 0; k < 8; k++) y[k] = points + index[r + k < rows ? r + k : rows - 1] * p;
        for (ptrdiff_t l = 0; l < features; l++) {
            double eight[8];
            for (int k = 0; k < 8; k++) eight[k] = y[k][l];
            for (int k = 0; k < 8; k++) out[l * ld + r + k] = factor[l] * eight[k];
        }
    }
}

TARGET static void NAME(scale_rows)(
    const double *A, ptrdiff_t lda, const ptrdiff_t *index, ptrdiff_t rows, ptrdiff_t cols,
    const double *factor, ptrdiff_t ld, double *out) {
    for (ptrdiff_t r = 0; r < rows; r++) {
        const double *restrict from = A + index[r] * lda;
        double *restrict to = out + r * ld;
        const double f = factor[index[r]];
        for (ptrdiff_t c = 0; c < cols; c++) to[c] = f * from[c];
    }
}

TARGET static void NAME(pack_masses)(
    const double *points, ptrdiff_t p, const double *mass, const ptrdiff_t *index, ptrdiff_t rows,
    ptrdiff_t features, int with_mass, ptrdiff_t width, double *out) {
    for (ptrdiff_t r = 0; r < rows; r++) {
        const double *restrict y = points + index[r] * p;
        double *restrict to = out + r * width;
        const double m = mass[index[r]];
        for (ptrdiff_t l = 0; l < features; l++) to[l] = m * y[l];
        for (ptrdiff_t l = features; l < width; l++) to[l] = 0;
        if (with_mass) to[features] = m;
    }
}

TARGET static void NAME(add)(
    const double *sums, ptrdiff_t width, const ptrdiff_t *index, ptrdiff_t rows, ptrdiff_t features,
    ptrdiff_t p, double *points) {
    for (ptrdiff_t r = 0; r < rows; r++) {
        const double *restrict from = sums + r * width;
        double *restrict y = points + index[r] * p;
        for (ptrdiff_t l = 0; l < features; l++) y[l] += from[l];
    }
}

TARGET static double NAME(squared_distance)(const double *a, const double *b, ptrdiff_t n) {
    vec sum[4] = {{0}, {0}, {0}, {0}};  /* four, so that none has to wait for the one before */
    double total = 0;
    ptrdiff_t l = 0;
    for (; l + 4 * WIDTH <= n; l += 4 * WIDTH)
        _Pragma("GCC unroll 4") for (int v = 0; v < 4; v++) {
            vec d = NAME(load)(a + l + v * WIDTH) - NAME(load)(b + l + v * WIDTH);
            sum[v] += d * d;
        }
    for (; l < n; l++) total += (a[l] - b[l]) * (a[l] - b[l]);
    sum[0] += sum[1] + sum[2] + sum[3];
    for (int i = 0; i < WIDTH; i++) total += sum[0][i];
    return total;
}

TARGET static void NAME(displace)(
    const double *origin, const double *before, const double *after, double m,
    ptrdiff_t features, double *out, double *D, double *moved) {
    vec sum = {0};
    ptrdiff_t l = 0;
    for (; l + WIDTH <= features; l += WIDTH) {
        vec y = NAME(load)(after + l);
        vec d = NAME(load)(origin + l) - y;
        vec move = y - NAME(load)(before + l);
        NAME(store)(out + l, y);
        NAME(store)(D + l, NAME(load)(D + l) + m * d * d);
        sum += move * move;
    }
    for (int i = 0; i < WIDTH; i++) *moved += sum[i];
    for (; l < features; l++) {
        double d = origin[l] - after[l], move = after[l] - before[l];
        out[l] = after[l];
        D[l] += m * d * d;
        *moved += move * move;
    }
}

#undef vec
#undef bits
#undef INLINE
