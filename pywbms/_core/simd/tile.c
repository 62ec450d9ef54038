/* Tile arithmetic for each instruction set, and the choice among them when the program runs. */

#include "tile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __GNUC__
#error "pywbms needs a compiler with the vector extensions of gcc and clang"
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define PYWBMS_X86 1
#include <immintrin.h>
#endif

/* Any machine: two doubles per vector (SSE2, NEON). */
typedef double pair_of_doubles __attribute__((vector_size(16), aligned(8), may_alias));
static inline pair_of_doubles larger_of_pairs(pair_of_doubles a, pair_of_doubles b) {
    pair_of_doubles larger = {a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
    return larger;
}
#define NAME(x) x##_any
#define TARGET
#define WIDTH 2
#define ROWS 4
#define VECTORS 2
#define MAX(a, b) larger_of_pairs(a, b)
#include "tile_impl.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef ROWS
#undef VECTORS
#undef MAX

#ifdef PYWBMS_X86
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 4
#define ROWS 4
#define VECTORS 3
#define MAX(a, b) _mm256_max_pd(a, b)
#include "tile_impl.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef ROWS
#undef VECTORS
#undef MAX

#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define WIDTH 8
#define ROWS 8
#define VECTORS 3
#define MAX(a, b) _mm512_max_pd(a, b)
#include "tile_impl.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef ROWS
#undef VECTORS
#undef MAX
#endif

#ifdef PYWBMS_X86
/* A single vector of 8 columns is better split into two of 4: either way there is one broadcast per
 * multiplication, and two of the short ones can be done at a time. */
#define SPLIT(name)                                                                              \
    static void name##_split(double *C, ptrdiff_t ldc, const double *A, ptrdiff_t lda,           \
                             const double *B, ptrdiff_t b_k, ptrdiff_t b_r, ptrdiff_t rows,      \
                             ptrdiff_t cols, ptrdiff_t K, int fresh) {                           \
        ptrdiff_t most = cols % 24 == 8 ? cols - 8 : cols;                                       \
        if (most) name##_avx512(C, ldc, A, lda, B, b_k, b_r, rows, most, K, fresh);              \
        if (most < cols)                                                                         \
            name##_avx2(C + most, ldc, A + most, lda, B, b_k, b_r, rows, 8, K, fresh);           \
    }
SPLIT(products)
SPLIT(differences)
#endif

#define FUNCTIONS(set)                                                                        \
    {#set, products_##set, differences_##set, kernel_##set, exponential_##set, pack_rows_##set, \
     pack_columns_##set, pack_masses_##set, add_##set, displace_##set, squared_distance_##set,  \
     quadratic_##set, scale_rows_##set}

static const tile_functions any = FUNCTIONS(any);
#ifdef PYWBMS_X86
static const tile_functions avx2 = FUNCTIONS(avx2);
static const tile_functions avx512 = {
    "avx512",           products_split,     differences_split,  kernel_avx512, exponential_avx512,
    pack_rows_avx512, pack_columns_avx512, pack_masses_avx512, add_avx512,    displace_avx512,
    squared_distance_avx512, quadratic_avx512, scale_rows_avx512,
};
#endif

const tile_functions *tile_functions_here(void) {
    const char *wish = getenv("PYWBMS_SIMD");
    if (wish && !strcmp(wish, "any")) return &any;
#ifdef PYWBMS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && !(wish && !strcmp(wish, "avx2"))) return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &any;
}
