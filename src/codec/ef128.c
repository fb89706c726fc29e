/* ef128.c: the block code ef128, plain reference: Elias-Fano by blocks (ef128.h gives the bytes), so
 * that widths follow the list's local density.
 *
 * Does not cut lists into blocks (blocks.c). Of docids it codes d(i) - i from the block before, which
 * the running sums of gaps less one are; of frequencies, their running sums. The encoder serves all
 * rows of the code. Source: Liu et al. 2018 (Griffin), section 3.1; Vigna 2013. */
#include "codec/ef128.h"

#include <string.h>

#include "codec/bitpack.h"
#include "codec/codec_table.h"

size_t rp__ef128_bound(size_t n)
{
    return 3 +
           35 * n / 8; /* l low bits, an end and at most 2 zeros a value; both parts fill a byte */
}

/* The fewest low bits that leave high parts below 2n. They are also the cheapest: with one less the
 * high parts grow by n or more, with one more they shrink by less than n. */
static uint32_t low_width(uint64_t sum, size_t n)
{
    uint32_t l = 0;
    while (sum >> l >= 2 * n)
        l++;
    return l;
}

size_t rp__ef128_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out)
{
    uint32_t sums[RP_BLOCK_MAX], gaps[RP_BLOCK_MAX];
    uint64_t sum = 0, before = 0;
    for (size_t i = 0; i < n; i++)
        sums[i] = (uint32_t)(sum += values[i]);
    if (sum == 0 || sum > UINT32_MAX) {
        out[0] = sum ? RP_EF128_PLAIN : RP_EF128_ZEROS;
        return sum ? 1 + rp__bitpack_encode(options, values, n, out + 1) : 1;
    }
    uint32_t l = low_width(sum, n);
    size_t unary = (n + (sum >> l) + 7) / 8;
    for (size_t i = 0; i < n; before = sums[i++] >> l)
        gaps[i] = (sums[i] >> l) - (uint32_t)before;
    out[0] = (uint8_t)l;
    uint8_t *p = rp__lowbits_put(sums, n, l, out + 1);
    memset(p, 0, unary);
    rp__unary_put(p, RP_UNARY_ENDS_ARE_ONES, 0, gaps, n);
    return (size_t)(p - out) + unary;
}

/* The running sums of a block of low and high bits. */
static rp_status decode_sums(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__ef128_parts parts;
    uint64_t before = 0;
    if (rp__ef128_open(in, in_bytes, n, &parts) ||
        rp__unary_sums(parts.unary, RP_UNARY_ENDS_ARE_ONES, 0, parts.limit, n, out))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = (uint64_t)out[i] << parts.l | rp__lowbits_at(in + 1, parts.l, i);
        if (sum < before || sum > UINT32_MAX)
            return RP_DAMAGED;
        out[i] = (uint32_t)sum;
        before = sum;
    }
    return RP_OK;
}

rp_status rp__ef128_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_PLAIN))
        return rp__bitpack_decode(in + 1, in_bytes - 1, out, n);
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_ZEROS)) {
        memset(out, 0, n * sizeof *out);
        return RP_OK;
    }
    if (decode_sums(in, in_bytes, out, n))
        return RP_DAMAGED;
    for (size_t i = n; i > 1; i--)
        out[i - 1] -= out[i - 2];
    return RP_OK;
}

rp_status rp__ef128_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                  size_t n)
{
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_PLAIN))
        return rp__bitpack_decode_docids(in + 1, in_bytes - 1, base, out, n);
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_ZEROS))
        memset(out, 0, n * sizeof *out);
    else if (decode_sums(in, in_bytes, out, n))
        return RP_DAMAGED;
    if (n > 0 && !rp__ef128_fits(base, n, out[n - 1]))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        out[i] += base + 1 + (uint32_t)i;
    return RP_OK;
}

rp_status rp__ef128_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    return rp__ef128_at_by(in, in_bytes, n, i, out, rp__unary_end);
}

rp_status rp__ef128_docid(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__ef128_docid_by(list, i, out, rp__unary_end);
}

rp_status rp__ef128_seek(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                         uint32_t *docid)
{
    return rp__ef128_seek_by(list, b, target, slot, docid, rp__unary_end);
}

const rp__block_code rp__ef128_code = {
    .name = "ef128",
    .needs = 0,
    .bound = rp__ef128_bound,
    .encode = rp__ef128_encode,
    .decode = rp__ef128_decode,
    .decode_docids = rp__ef128_decode_docids,
    .at = rp__ef128_at,
};
