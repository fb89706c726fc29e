/* parapfor.c: the block code parapfor, plain reference: PForDelta whose exceptions are stored with
 * their positions, for decoders that patch all of them at once (parapfor.h gives the bytes).
 *
 * b is the least width that holds nine values of ten. Source: Ao et al. 2011, 5.1 and appendix D. */
#include "codec/parapfor.h"

#include "codec/codec_table.h"

/* With at most 0.6 n exceptions, n*b + 0.6n*(32 - b) bits and their positions. */
size_t rp__parapfor_bound(size_t n)
{
    return RP_PARAPFOR_HEAD + 5 * n + 8;
}

static uint32_t find_exceptions(const uint32_t *values, size_t n, uint32_t b, uint8_t *at)
{
    uint32_t en = 0;
    for (size_t i = 0; i < n; i++)
        if (rp__bits_width(values[i]) > b)
            at[en++] = (uint8_t)i;
    return en;
}

size_t rp__parapfor_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                           uint8_t *out)
{
    const double share = 0.1;
    rp__patch_widths widths;
    uint8_t at[RP_BLOCK_MAX];
    rp__patch_count_widths(values, n, &widths);
    uint32_t b = rp__patch_width_for(&widths, options, share, n);
    uint32_t en = find_exceptions(values, n, b, at);
    uint32_t ib = en ? rp__bits_width(at[en - 1]) : 0, hb = en ? widths.most - b : 0;
    out[0] = (uint8_t)b;
    out[1] = (uint8_t)ib;
    out[2] = (uint8_t)hb;
    out[3] = (uint8_t)en;
    rp__patch_writer w = {.out = rp__patch_put_lows(out + RP_PARAPFOR_HEAD, values, n, b)};
    for (uint32_t k = 0; k < en; k++)
        rp__patch_write(&w, at[k], ib);
    rp__patch_flush(&w);
    for (uint32_t k = 0; k < en; k++)
        rp__patch_write(&w, values[at[k]] >> b, hb);
    return (size_t)(rp__patch_flush(&w) - out);
}

RP_PATCH_ROW(rp__parapfor_open, rp__patch_decode, rp__patch_docids)

const rp__block_code rp__parapfor_code = {
    .name = "parapfor",
    .needs = 0,
    .bound = rp__parapfor_bound,
    .encode = rp__parapfor_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
