/* efsum.c: the block code efsum, for frequencies: Elias-Fano on running sums, from whichever side is
 * shorter; all rows.
 *
 * Frequencies less one are mostly zero, so that their running sums stand still more often than they
 * rise. ef128 marks every value and every step; where steps are few it is cheaper to say at which
 * value each step is made, and those ranks are running sums again. Byte 0 is the form:
 *   0 to 33    a block of ef128.
 *   129 to 255 that number, less 128, is the sum s of all values, and a block of ef128 of s values
 *              follows, the running sums of which are ranks: the value of rank i is how often i
 *              is among them. Ranks of n or more are damage.
 * Does not add the one (list.c). Source of the idea: Vigna 2013, whose counts are Elias-Fano sums. */
#include <string.h>

#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/ef128.h"
#include "codec/gaps.h"

enum { STEPS = 128, STEPS_MAX = 127 };

static size_t bound(size_t n)
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

static size_t encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *out)
{
    uint32_t gaps[STEPS_MAX];
    uint8_t other[8 + 5 * STEPS_MAX];
    size_t used = rp__ef128_encode(options, values, n, out), steps = steps_of(values, n, gaps);
    if (steps == 0 || (options && options->by == RP_BY_SPEED)) /* steps are slower to decode */
        return used;
    size_t other_used = 1 + rp__ef128_encode(options, gaps, steps, other + 1);
    if (other_used >= used)
        return used;
    other[0] = (uint8_t)(STEPS + steps);
    memcpy(out, other, other_used);
    return other_used;
}

/* Of a block of steps: their ranks, each plus its own number, and how many there are. */
static inline rp_status read_steps(const rp__block_code *ef, const uint8_t *in, size_t in_bytes,
                                   size_t n, uint32_t *places, size_t *count)
{
    *count = in[0] - (size_t)STEPS;
    if (ef->decode_docids(in + 1, in_bytes - 1, UINT32_MAX, places, *count))
        return RP_DAMAGED;
    return *count > 0 && places[*count - 1] - (*count - 1) < n ? RP_OK : RP_DAMAGED;
}

static inline bool has_steps(const uint8_t *in, size_t in_bytes)
{
    return in_bytes > 0 && in[0] >= STEPS;
}

static inline rp_status decode_by(const rp__block_code *ef, const uint8_t *in, size_t in_bytes,
                                  uint32_t *out, size_t n)
{
    uint32_t places[RP_BLOCK_CAPACITY];
    size_t count;
    if (!has_steps(in, in_bytes))
        return ef->decode(in, in_bytes, out, n);
    if (read_steps(ef, in, in_bytes, n, places, &count))
        return RP_DAMAGED;
    memset(out, 0, n * sizeof *out);
    for (size_t j = 0; j < count; j++)
        out[places[j] - j]++;
    return RP_OK;
}

static inline rp_status docids_by(const rp__block_code *ef, const uint8_t *in, size_t in_bytes,
                                  uint32_t base, uint32_t *out, size_t n)
{
    if (!has_steps(in, in_bytes))
        return ef->decode_docids(in, in_bytes, base, out, n);
    return decode_by(ef, in, in_bytes, out, n) ? RP_DAMAGED : rp__gaps_sum(out, n, base);
}

static inline rp_status at_by(const rp__block_code *ef, const uint8_t *in, size_t in_bytes,
                              size_t n, size_t i, uint32_t *out)
{
    uint32_t places[RP_BLOCK_CAPACITY], value = 0;
    size_t count;
    if (i >= n)
        return RP_DAMAGED;
    if (!has_steps(in, in_bytes))
        return ef->at(in, in_bytes, n, i, out);
    if (read_steps(ef, in, in_bytes, n, places, &count))
        return RP_DAMAGED;
    for (size_t j = 0; j < count; j++)
        value += places[j] - j == i;
    *out = value;
    return RP_OK;
}

/* A row over a row of ef128. */
#define ROW(code, row, needs_, ef)                                                                 \
    static rp_status row##_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)     \
    {                                                                                              \
        return decode_by(&(ef), in, in_bytes, out, n);                                             \
    }                                                                                              \
    static rp_status row##_docids(const uint8_t *in, size_t in_bytes, uint32_t base,               \
                                  uint32_t *out, size_t n)                                         \
    {                                                                                              \
        return docids_by(&(ef), in, in_bytes, base, out, n);                                       \
    }                                                                                              \
    static rp_status row##_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i,              \
                              uint32_t *out)                                                       \
    {                                                                                              \
        return at_by(&(ef), in, in_bytes, n, i, out);                                              \
    }                                                                                              \
    const rp__block_code code = {                                                                  \
        .name = "efsum",                                                                           \
        .needs = (needs_),                                                                         \
        .bound = bound,                                                                            \
        .encode = encode,                                                                          \
        .decode = row##_decode,                                                                    \
        .decode_docids = row##_docids,                                                             \
        .at = row##_at,                                                                            \
    };

ROW(rp__efsum_code, plain, 0, rp__ef128_code)
#if defined(__x86_64__)
ROW(rp__efsum_avx2_code, avx2, RP_CPU_AVX2, rp__ef128_avx2_code)
ROW(rp__efsum_avx512_code, avx512, RP_CPU_AVX512, rp__ef128_avx512_code)
#endif
