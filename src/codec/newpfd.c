/* newpfd.c: the block code newpfd, plain reference: the low bits of exceptions stay in their slots;
 * their positions and high bits are coded by Simple16 (newpfd.h gives the bytes).
 *
 * One stream of both, so that a block with few exceptions needs one word. b is the least width that
 * holds nine values of ten. Source: Yan, Ding, Suel 2009. */
#include "codec/newpfd.h"

#include "codec/codec_table.h"

/* With at most 0.6 n exceptions and b + bits of a high part at most 32, lows and highs take less
 * than 6n bytes; steps of at most 8 bits, three to a word, the rest. */
size_t rp__newpfd_bound(size_t n)
{
    return 7 * n + 64;
}

size_t rp__newpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out)
{
    const double share = 0.1;
    rp__patch_widths widths;
    uint32_t steps[2 * RP_BLOCK_MAX];
    rp__patch_count_widths(values, n, &widths);
    uint32_t width = rp__patch_width_for(&widths, options, share, n), k = widths.wider[width];
    uint8_t *p = out;
    *p++ = (uint8_t)(width | (k ? 64U : 0));
    if (k)
        *p++ = (uint8_t)(k - 1);
    p = rp__patch_put_lows(p, values, n, width);
    uint32_t found = 0, next = 0;
    for (uint32_t i = 0; k && i < n; i++) {
        uint32_t high = values[i] >> width;
        if (high == 0)
            continue;
        steps[found] = i - next;
        steps[k + found++] = high - 1;
        next = i + 1;
    }
    p += rp__simple16_encode(NULL, steps, 2 * k, p);
    return (size_t)(p - out);
}

static rp_status open_block(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    return rp__newpfd_open_by(rp__simple16_read, in, in_bytes, n, p);
}

RP_PATCH_ROW(open_block, rp__patch_decode, rp__patch_docids)

const rp__block_code rp__newpfd_code = {
    .name = "newpfd",
    .needs = 0,
    .bound = rp__newpfd_bound,
    .encode = rp__newpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
