/* efsum.c: the block code efsum, for frequencies: Elias-Fano on running sums, from whichever side is
 * shorter (efsum.h gives the bytes), plain reference.
 *
 * The encoder serves all rows. Does not add the one (list.c). Source of the idea: Vigna 2013, whose
 * counts are Elias-Fano sums. */
#include "codec/efsum.h"

#include "codec/codec_table.h"

enum { STEPS_MAX = 127 };

size_t rp__efsum_bound(size_t n)
{
    return rp__ef128_bound(n);
}

/* The ranks of the steps as gaps; 0: there are none, or too many. */
static size_t steps_of(const uint32_t *values, size_t n, uint32_t *gaps)
{
    uint64_t sum = 0;
    size_t k = 0, before = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    if (sum > STEPS_MAX || sum >= n) /* so many steps are never cheaper */
        return 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t left = values[i]; left > 0; left--, before = i)
            gaps[k++] = (uint32_t)(i - before);
    return k;
}

size_t rp__efsum_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out)
{
    uint32_t gaps[STEPS_MAX];
    uint8_t other[8 + 5 * STEPS_MAX];
    size_t used = rp__ef128_encode(options, values, n, out), steps = steps_of(values, n, gaps);
    if (steps == 0)
        return used;
    size_t other_used = 1 + rp__ef128_encode(options, gaps, steps, other + 1);
    if (other_used >= used)
        return used;
    other[0] = (uint8_t)(RP_EFSUM_STEPS + steps);
    memcpy(out, other, other_used);
    return other_used;
}

RP_EFSUM_ROW(rp__efsum_code, 0, rp__ef128_code, rp__efsum_count, rp__unary_end)
