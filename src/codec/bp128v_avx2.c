/* bp128v_avx2.c: the block code bp128v in 128-bit registers: four values at a time by shifts that the
 * width makes constant, one function a width, the running sum by two shifts a register. What the SIMD
 * libraries of the layout do; nothing wider is used, though AVX2 is asked for, to have the instruction
 * forms with three operands. */
#include "base/cpu.h"
#include "codec/bp128v.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Values 4r to 4r + 3. */
static inline __attribute__((always_inline)) __m128i row_of(const __m128i *in, const uint32_t w,
                                                            const uint32_t r)
{
    const uint32_t word = r * w / 32, start = r * w % 32;
    if (w == 0)
        return _mm_setzero_si128();
    __m128i x = _mm_srli_epi32(_mm_loadu_si128(in + word), (int)start);
    if (start + w > 32)
        x = _mm_or_si128(x,
                         _mm_slli_epi32(_mm_loadu_si128(in + word + 1), (int)((32 - start) % 32)));
    return start + w == 32 ? x : _mm_and_si128(x, _mm_set1_epi32((int)((1ULL << w) - 1)));
}

static inline __attribute__((always_inline)) void docids_of(const uint8_t *bytes, const uint32_t w,
                                                            uint32_t base, uint32_t *out)
{
    const __m128i *in = (const __m128i *)(const void *)bytes;
    const __m128i one = _mm_set1_epi32(1);
    __m128i before = _mm_set1_epi32((int)base);
#define SUM_ROW(r)                                                                                 \
    {                                                                                              \
        __m128i x = _mm_add_epi32(row_of(in, w, (r)), one);                                        \
        x = _mm_add_epi32(x, _mm_slli_si128(x, 8));                                                \
        x = _mm_add_epi32(x, _mm_slli_si128(x, 4));                                                \
        before = _mm_add_epi32(x, _mm_shuffle_epi32(before, 0xFF));                                \
        _mm_storeu_si128((__m128i *)(void *)(out + 4 * (r)), before);                              \
    }
/* clang-format off */
#define SUM_ROWS(r)                                                                                \
    SUM_ROW(r) SUM_ROW((r) + 1) SUM_ROW((r) + 2) SUM_ROW((r) + 3)                                  \
    SUM_ROW((r) + 4) SUM_ROW((r) + 5) SUM_ROW((r) + 6) SUM_ROW((r) + 7)
    /* clang-format on */
    SUM_ROWS(0) SUM_ROWS(8) SUM_ROWS(16) SUM_ROWS(24)
}

/* clang-format off */
#define EACH_WIDTH(DO)                                                                             \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) \
    DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27)     \
    DO(28) DO(29) DO(30) DO(31) DO(32)
/* clang-format on */

#define DOCIDS(w)                                                                                  \
    static void docids_##w(const uint8_t *in, uint32_t base, uint32_t *out)                        \
    {                                                                                              \
        docids_of(in, w, base, out);                                                               \
    }
EACH_WIDTH(DOCIDS)

#define NAME(w) docids_##w,
static void (*const docids_by_width[])(const uint8_t *, uint32_t, uint32_t *) = {EACH_WIDTH(NAME)};

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_avx2_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    docids_by_width[w](in + 1, base, out);
    return rp__gaps_check(out, n, base, w);
}

const rp__block_code rp__bp128v_avx2_code = {
    .name = "bp128v",
    .needs = RP_CPU_AVX2,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128v_encode,
    .decode = rp__bp128v_decode,
    .decode_docids = decode_docids,
    .at = rp__bp128v_at,
};
#endif
