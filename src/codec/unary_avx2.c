/* unary_avx2.c: tables for the rows with AVX2: for each byte, the places of its bits that are set,
 * and of those that are not. */
#include "codec/unary.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

/* Byte j is the place of the j-th bit of c that is set; bytes past the last are zero. */
#define BIT(c, i)       ((uint64_t)(c) >> (i)&1)
#define PUT(c, i, rest) ((rest) << 8 * BIT(c, i) | (i)*BIT(c, i))
#define HIGH(c)         PUT(c, 4, PUT(c, 5, PUT(c, 6, PUT(c, 7, (uint64_t)0))))
#define PLACES(c)       PUT(c, 0, PUT(c, 1, PUT(c, 2, PUT(c, 3, HIGH(c)))))
#define FOUR(row, c)    row(c), row((c) + 1), row((c) + 2), row((c) + 3)
#define SIXTEEN(row, c) FOUR(row, c), FOUR(row, (c) + 4), FOUR(row, (c) + 8), FOUR(row, (c) + 12)
#define ROWS(row, c)                                                                               \
    SIXTEEN(row, c), SIXTEEN(row, (c) + 16), SIXTEEN(row, (c) + 32), SIXTEEN(row, (c) + 48)
#define ALL(row) ROWS(row, 0), ROWS(row, 64), ROWS(row, 128), ROWS(row, 192)

const uint64_t rp__unary_avx2_places[256] = {ALL(PLACES)};

#define COUNT(c)                                                                                   \
    BIT(c, 0) + BIT(c, 1) + BIT(c, 2) + BIT(c, 3) + BIT(c, 4) + BIT(c, 5) + BIT(c, 6) + BIT(c, 7)

const uint8_t rp__unary_avx2_counts[256] = {ALL(COUNT)};

#define CLEAR_PLACES(c) PLACES(255 - (c))
#define CLEAR_COUNT(c)  COUNT(255 - (c))

const uint64_t rp__unary_avx2_clear_places[256] = {ALL(CLEAR_PLACES)};
const uint8_t rp__unary_avx2_clear_counts[256] = {ALL(CLEAR_COUNT)};

#define TO_7(i)  (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
#define TO_31(i) TO_7(i), TO_7((i) + 8), TO_7((i) + 16), TO_7((i) + 24)

const _Alignas(16) uint8_t rp__unary_avx2_iota[RP_BLOCK] = {TO_31(0), TO_31(32), TO_31(64),
                                                            TO_31(96)};
#endif
