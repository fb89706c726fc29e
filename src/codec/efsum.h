/* efsum.h: what all rows of the block code efsum share. Interior of the room.
 *
 * Frequencies less one are mostly zero, so that their running sums stand still more often than they
 * rise. ef128 marks every value and every step; where steps are few it is cheaper to say at which
 * value each step is made, and those ranks are running sums again. Byte 0 is the form:
 *   0 to 33    a block of ef128.
 *   129 to 255 that number, less 128, is the sum s of all values, and a block of ef128 of s values
 *              follows, the running sums of which are ranks: the value of rank i is how often i
 *              is among them. Ranks of n or more are damage. */
#ifndef RP_CODEC_EFSUM_H
#define RP_CODEC_EFSUM_H

#include <string.h>

#include "codec/ef128.h"
#include "codec/gaps.h"

enum { RP_EFSUM_STEPS = 128 };

static inline bool rp__efsum_has_steps(const uint8_t *in, size_t in_bytes)
{
    return in_bytes > 0 && in[0] >= RP_EFSUM_STEPS;
}

/* Opens the ranks of a block of steps, *count of them, where they have low and high bits, as all
 * have that we write. */
static inline rp_status rp__efsum_open(const uint8_t *in, size_t in_bytes, size_t *count,
                                       rp__ef128_parts *parts)
{
    *count = in[0] - (size_t)RP_EFSUM_STEPS;
    if (*count == 0 || rp__ef128_open(in + 1, in_bytes - 1, *count, parts))
        return RP_DAMAGED;
    return parts->limit < *count ? RP_DAMAGED : RP_OK;
}

/* The values of a block of steps: a row's way of counting them. */
typedef rp_status rp__efsum_steps_fn(const rp__block_code *ef, const uint8_t *in, size_t in_bytes,
                                     uint32_t *out, size_t n);

/* By a row of ef128, which decodes ranks of any form. */
static inline rp_status rp__efsum_scatter(const rp__block_code *ef, const uint8_t *in,
                                          size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t places[RP_BLOCK_CAPACITY]; /* ranks, each plus its own number */
    const size_t count = in[0] - (size_t)RP_EFSUM_STEPS;
    if (ef->decode_docids(in + 1, in_bytes - 1, UINT32_MAX, places, count) || count == 0 ||
        places[count - 1] - (count - 1) >= n)
        return RP_DAMAGED;
    memset(out, 0, n * sizeof *out);
    for (size_t j = 0; j < count; j++)
        out[places[j] - j]++;
    return RP_OK;
}

/* Ranks that are a block of another form than low and high bits. */
static inline bool rp__efsum_is_plain(const uint8_t *in, size_t in_bytes)
{
    return in_bytes > 1 && in[1] > RP_EF128_WIDTH_MAX;
}

/* One by one. Ranks rise or stay and are below n: one comparison says both. */
static inline rp_status rp__efsum_count(const rp__block_code *ef, const uint8_t *in,
                                        size_t in_bytes, uint32_t *out, size_t n)
{
    rp__ef128_parts parts;
    size_t count;
    if (rp__efsum_is_plain(in, in_bytes))
        return rp__efsum_scatter(ef, in, in_bytes, out, n);
    if (rp__efsum_open(in, in_bytes, &count, &parts))
        return RP_DAMAGED;
    memset(out, 0, n * sizeof *out);
    uint64_t word = rp__load64(parts.unary), from = 0, before = 0, end = 0;
    for (size_t j = 0; j < count; j++) {
        for (; !word; word = rp__load64(parts.unary + from / 8)) {
            from += 64;
            if (from >= parts.limit)
                return RP_DAMAGED;
        }
        end = from + rp__bits_lowest64(word);
        word &= word - 1;
        uint64_t rank = (end - j) << parts.l | rp__lowbits_at(in + 2, parts.l, j);
        if (rank - before >= n - before)
            return RP_DAMAGED;
        out[rank]++;
        before = rank;
    }
    return end < parts.limit ? RP_OK : RP_DAMAGED;
}

/* Looks at the ranks that share the high part of i, which mostly are none: scoring asks for
 * frequencies one by one. What lies elsewhere in the block may be damaged. */
static inline rp_status rp__efsum_count_at(const uint8_t *in, size_t in_bytes, size_t i,
                                           uint32_t *out, rp__unary_end_fn *end_of)
{
    rp__ef128_parts parts;
    size_t count;
    if (rp__efsum_open(in, in_bytes, &count, &parts))
        return RP_DAMAGED;
    const uint64_t high = i >> parts.l, low = i & ((1ULL << parts.l) - 1);
    uint64_t at = 0;
    if (high > 0)
        at = 1 + end_of(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, 0, parts.limit, high - 1);
    *out = 0;
    for (uint64_t j = at - high; j < count && at < parts.limit; j++, at++) {
        if (!(parts.unary[at / 8] >> at % 8 & 1))
            break;
        *out += rp__lowbits_at(in + 2, parts.l, j) == low;
    }
    return RP_OK;
}

static inline rp_status rp__efsum_decode_by(const rp__block_code *ef, const uint8_t *in,
                                            size_t in_bytes, uint32_t *out, size_t n,
                                            rp__efsum_steps_fn *steps)
{
    return rp__efsum_has_steps(in, in_bytes) ? steps(ef, in, in_bytes, out, n)
                                             : ef->decode(in, in_bytes, out, n);
}

static inline rp_status rp__efsum_docids_by(const rp__block_code *ef, const uint8_t *in,
                                            size_t in_bytes, uint32_t base, uint32_t *out, size_t n,
                                            rp__efsum_steps_fn *steps)
{
    if (!rp__efsum_has_steps(in, in_bytes))
        return ef->decode_docids(in, in_bytes, base, out, n);
    return steps(ef, in, in_bytes, out, n) ? RP_DAMAGED : rp__gaps_sum(out, n, base);
}

static inline rp_status rp__efsum_at_by(const rp__block_code *ef, const uint8_t *in,
                                        size_t in_bytes, size_t n, size_t i, uint32_t *out,
                                        rp__unary_end_fn *end_of)
{
    uint32_t values[RP_BLOCK_CAPACITY];
    if (i >= n)
        return RP_DAMAGED;
    if (!rp__efsum_has_steps(in, in_bytes))
        return ef->at(in, in_bytes, n, i, out);
    if (!rp__efsum_is_plain(in, in_bytes))
        return rp__efsum_count_at(in, in_bytes, i, out, end_of);
    if (rp__efsum_scatter(ef, in, in_bytes, values, n))
        return RP_DAMAGED;
    *out = values[i];
    return RP_OK;
}

size_t rp__efsum_bound(size_t n);
size_t rp__efsum_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out);

/* A row over a row of ef128, by its ways of counting steps and of finding ends. */
#define RP_EFSUM_ROW(row, needs_, ef, steps, end_of)                                               \
    static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)           \
    {                                                                                              \
        return rp__efsum_decode_by(&(ef), in, in_bytes, out, n, steps);                            \
    }                                                                                              \
    static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,              \
                                   uint32_t *out, size_t n)                                        \
    {                                                                                              \
        return rp__efsum_docids_by(&(ef), in, in_bytes, base, out, n, steps);                      \
    }                                                                                              \
    static rp_status at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)     \
    {                                                                                              \
        return rp__efsum_at_by(&(ef), in, in_bytes, n, i, out, end_of);                            \
    }                                                                                              \
    const rp__block_code row = {                                                                   \
        .name = "efsum",                                                                           \
        .needs = (needs_),                                                                         \
        .bound = rp__efsum_bound,                                                                  \
        .encode = rp__efsum_encode,                                                                \
        .decode = decode,                                                                          \
        .decode_docids = decode_docids,                                                            \
        .at = at,                                                                                  \
    };

#endif
