/* patch_avx512.c: tables of the kernels of patch_avx512.h, and the kernels for one block. */
#include "codec/patch.h"

#if defined(__x86_64__)
#include "codec/patch_avx512.h"

#define RUN(at)  (at), (at) + 1, (at) + 2, (at) + 3, (at) + 4, (at) + 5, (at) + 6, (at) + 7
#define STEPS(h) 0, (h), 2 * (h), 3 * (h), 4 * (h), 5 * (h), 6 * (h), 7 * (h)
#define ROW8(h)                                                                                    \
    {                                                                                              \
        {RUN(0),       RUN((h)),     RUN(2 * (h)), RUN(3 * (h)),                                   \
         RUN(4 * (h)), RUN(5 * (h)), RUN(6 * (h)), RUN(7 * (h))},                                  \
        {                                                                                          \
            STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h)         \
        }                                                                                          \
    }
const rp__bitpack_avx512_table rp__patch_avx512_by_bytes[9] = {
    ROW8(0), ROW8(1), ROW8(2), ROW8(3), ROW8(4), ROW8(5), ROW8(6), ROW8(7), ROW8(8),
};

#define HALVES4(i) (i), 0, (i) + 1, 0, (i) + 2, 0, (i) + 3, 0
#define WORDS4(i)  (i), 0, 0, 0, (i) + 1, 0, 0, 0, (i) + 2, 0, 0, 0, (i) + 3, 0, 0, 0
#define FROM4(i)   2 * (i), 2 * (i) + 2, 2 * (i) + 4, 2 * (i) + 6
_Alignas(64) const uint8_t rp__patch_avx512_bytes_to_halves[64] = {
    HALVES4(0), HALVES4(16), HALVES4(4),  HALVES4(20),
    HALVES4(8), HALVES4(24), HALVES4(12), HALVES4(28),
};
_Alignas(64) const uint8_t rp__patch_avx512_bytes_to_words[64] = {WORDS4(0), WORDS4(4), WORDS4(8),
                                                                  WORDS4(12)};
_Alignas(64) const uint16_t rp__patch_avx512_words_to_halves[32] = {
    FROM4(0), FROM4(16), FROM4(4), FROM4(20), FROM4(8), FROM4(24), FROM4(12), FROM4(28),
};

void rp__patch_avx512_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    const rp__patch_avx512 c = rp__patch_avx512_start();
    if (p->width == RP_BITPACK_AVX512_PLAIN)
        rp__patch_decode(p, out, n);
    else if (p->high_width)
        rp__patch_avx512_wide(&c, p, true, false, 0, out, n);
    else
        rp__patch_avx512_wide(&c, p, false, false, 0, out, n);
}

rp_status rp__patch_avx512_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    const rp__patch_avx512 c = rp__patch_avx512_start();
    return rp__patch_avx512_run(&c, p, base, out, n);
}
#endif
