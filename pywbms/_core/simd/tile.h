/* The arithmetic on a tile of the kernel matrix, in the widest vectors that this machine has.
 *
 * A tile is a small matrix that stays in the cache. Rows of results and of A are padded to
 * multiples of 8 columns; `cols` includes the padding.
 */
#ifndef PYWBMS_TILE_H
#define PYWBMS_TILE_H

#include <stddef.h>

/* C[r][c] += a sum over k of A[k][c] and B[k·b_k + r·b_r], or = if `fresh`. B is read one number at a
 * time, so that it may be transposed for free. */
typedef void (*tile_product)(double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda,
                             const double *B, ptrdiff_t b_k, ptrdiff_t b_r, ptrdiff_t rows,
                             ptrdiff_t cols, ptrdiff_t K, int fresh);

typedef struct {
    const char *name;

    tile_product products;    /* Σ_k B · A, a matrix product */
    tile_product differences; /* Σ_k (A − B)² */

    /* T[r][c] ← exp(factor · T[r][c] − row_norm[r] − col_norm[c]); the largest value of each row
     * into row_max, and of each column into col_max where it exceeds what is there. */
    void (*kernel)(double *T, ptrdiff_t ldt, double factor, const double *row_norm,
                   const double *col_norm, ptrdiff_t rows, ptrdiff_t cols, double *row_max,
                   double *col_max);

    /* out[i] ← exp(max(x[i], −707)), for x[i] ≤ 709, with a relative error below 4e-15. */
    void (*exponential)(const double *x, double *out, ptrdiff_t n);

    /* Points on their way into a tile and back: `index` says which rows of `points` (p columns; the
     * pointer stands at the first feature wanted) belong to it. */

    /* out[r][l] ← factor[l] · y_rl, and the same transposed: out[l][r], in rows of length ld, the
     * last point repeated up to a multiple of 8. */
    void (*pack_rows)(const double *points, ptrdiff_t p, const ptrdiff_t *index, ptrdiff_t rows,
                      ptrdiff_t features, const double *factor, double *out);
    void (*pack_columns)(const double *points, ptrdiff_t p, const ptrdiff_t *index, ptrdiff_t rows,
                         ptrdiff_t features, const double *factor, ptrdiff_t ld, double *out);

    /* out[r] ← (m_r y_r1 … m_r y_rf, m_r if asked for, 0 …), `width` numbers: what kernel values are
     * multiplied with. The column of masses makes the sums of the kernel come out beside those of
     * the points. */
    void (*pack_masses)(const double *points, ptrdiff_t p, const double *mass,
                        const ptrdiff_t *index, ptrdiff_t rows, ptrdiff_t features, int with_mass,
                        ptrdiff_t width, double *out);

    /* y_rl += sums[r][l]. */
    void (*add)(const double *sums, ptrdiff_t width, const ptrdiff_t *index, ptrdiff_t rows,
                ptrdiff_t features, ptrdiff_t p, double *points);

    /* One point that has moved: out ← after; D[l] += m (origin − after)²; moved += ‖after − before‖². */
    void (*displace)(const double *origin, const double *before, const double *after, double m,
                     ptrdiff_t features, double *out, double *D, double *moved);

    /* Σ_l (a[l] − b[l])². */
    double (*squared_distance)(const double *a, const double *b, ptrdiff_t n);

    /* out[r] += Σ_{k ≤ c} x[r][k] U[k][c] x[r][c], for an upper triangular matrix U, zero below its
     * diagonal and in its padding. */
    void (*quadratic)(const double *U, ptrdiff_t ldu, const double *x, ptrdiff_t ldx, ptrdiff_t rows,
                      ptrdiff_t cols, double *out);

    /* out[r][·] ← factor[i] A[i][·] for i = index[r]. */
    void (*scale_rows)(const double *A, ptrdiff_t lda, const ptrdiff_t *index, ptrdiff_t rows,
                       ptrdiff_t cols, const double *factor, ptrdiff_t ld, double *out);
} tile_functions;

/* The functions for the best instruction set of this machine, or for the one that the environment
 * variable PYWBMS_SIMD names ("any", "avx2"). */
const tile_functions *tile_functions_here(void);

#endif
