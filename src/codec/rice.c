/* rice.c: the block code rice, plain reference: remainders and quotients by a power of two apart
 * (rice.h gives the bytes), so that each part is decoded by itself and in parallel.
 *
 * Does not cut lists into blocks (blocks.c); the directory's last docids are the base sums that each
 * block starts from. The encoder serves all rows of the code. Source: Ding et al. 2009, section 5. */
#include "codec/rice.h"

#include <string.h>

#include "codec/bitpack.h"
#include "codec/codec_table.h"

size_t rp__rice_bound(size_t n)
{
    return 3 + 33 * n / 8; /* width 31 would take at most 33 bits a value; both parts fill a byte */
}

/* Bits of both parts at width b. */
static uint64_t cost(const uint32_t *values, size_t n, uint32_t b)
{
    uint64_t bits = n * (b + 1);
    for (size_t i = 0; i < n; i++)
        bits += values[i] >> b;
    return bits;
}

/* The cheapest width, the largest of several. The cost falls and then rises with the width, so it is
 * found from any start; the logarithm of the mean is near. At it the quotients sum to less than 2n:
 * one bit more would cost n and save half of their sum or more. */
static uint32_t best_width(const uint32_t *values, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    uint32_t b = rp__bits_width64(n ? sum / n : 0);
    b = b > RP_RICE_WIDTH_MAX ? RP_RICE_WIDTH_MAX : b;
    uint64_t now = cost(values, n, b), next;
    while (b < RP_RICE_WIDTH_MAX && (next = cost(values, n, b + 1)) <= now) {
        now = next;
        b++;
    }
    while (b > 0 && (next = cost(values, n, b - 1)) < now) {
        now = next;
        b--;
    }
    return b;
}

size_t rp__rice_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                       uint8_t *out)
{
    (void)options;
    uint32_t b = best_width(values, n), quotients[RP_BLOCK_MAX];
    size_t unary = (cost(values, n, b) - n * b + 7) / 8;
    for (size_t i = 0; i < n; i++)
        quotients[i] = values[i] >> b;
    out[0] = (uint8_t)b;
    uint8_t *p = rp__lowbits_put(values, n, b, out + 1);
    memset(p, 0, unary);
    rp__unary_put(p, RP_UNARY_ENDS_ARE_ZEROS, 0, quotients, n);
    return (size_t)(p - out) + unary;
}

/* The parts of a block, and the running sums of its quotients. */
static rp_status open_sums(const uint8_t *in, size_t in_bytes, size_t n, rp__rice_parts *parts,
                           uint32_t *sums)
{
    if (rp__rice_open(in, in_bytes, n, parts))
        return RP_DAMAGED;
    return rp__unary_sums(parts->unary, RP_UNARY_ENDS_ARE_ZEROS, 0, parts->limit, n, sums);
}

rp_status rp__rice_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__rice_parts parts;
    uint32_t sums[RP_BLOCK_MAX], before = 0;
    if (open_sums(in, in_bytes, n, &parts, sums))
        return RP_DAMAGED;
    uint64_t any = 0;
    for (size_t i = 0; i < n; before = sums[i++]) {
        uint64_t high = (uint64_t)(sums[i] - before) << parts.b;
        any |= high;
        out[i] = (uint32_t)high | rp__lowbits_at(in + 1, parts.b, i);
    }
    return any > UINT32_MAX ? RP_DAMAGED : RP_OK;
}

rp_status rp__rice_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                 size_t n)
{
    rp__rice_parts parts;
    uint32_t sums[RP_BLOCK_MAX];
    if (open_sums(in, in_bytes, n, &parts, sums) ||
        rp__bitpack_decode_docids(in, in_bytes, base, out, n) ||
        (n > 0 && !rp__rice_fits(out[n - 1], sums[n - 1], parts.b)))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        out[i] += sums[i] << parts.b;
    return RP_OK;
}

rp_status rp__rice_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    rp__rice_parts parts;
    if (i >= n || rp__rice_open(in, in_bytes, n, &parts))
        return RP_DAMAGED;
    uint64_t from = 0, end;
    if (i > 0)
        from = rp__unary_end(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, 0, parts.limit, i - 1) + 1;
    if (from > parts.limit)
        return RP_DAMAGED;
    end = rp__unary_end(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, from, parts.limit, 0);
    uint64_t high = (end - from) << parts.b;
    if (end == parts.limit || high > UINT32_MAX)
        return RP_DAMAGED;
    *out = (uint32_t)high | rp__lowbits_at(in + 1, parts.b, i);
    return RP_OK;
}

const rp__block_code rp__rice_code = {
    .name = "rice",
    .needs = 0,
    .bound = rp__rice_bound,
    .encode = rp__rice_encode,
    .decode = rp__rice_decode,
    .decode_docids = rp__rice_decode_docids,
    .at = rp__rice_at,
};
