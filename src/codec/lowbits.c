/* lowbits.c: writes the low parts of values (lowbits.h gives the bits). */
#include "codec/lowbits.h"

uint8_t *rp__lowbits_put(const uint32_t *values, size_t n, uint32_t w, uint8_t *out)
{
    uint64_t word = 0, mask = (1ULL << w) - 1;
    uint32_t held = 0; /* bits in `word`, under 8 between values */
    for (size_t i = 0; i < n; i++) {
        word |= (values[i] & mask) << held;
        for (held += w; held >= 8; held -= 8, word >>= 8)
            *out++ = (uint8_t)word;
    }
    if (held > 0)
        *out++ = (uint8_t)word;
    return out;
}
