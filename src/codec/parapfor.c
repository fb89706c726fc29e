/* parapfor.c: the block code parapfor, plain reference: PForDelta whose exceptions are stored with
 * their positions, for decoders that patch all of them at once (parapfor.h gives the bytes).
 *
 * Without options b is what costs least among the widths that hold nine values of ten. Source: Ao et
 * al. 2011, 5.1 and appendix D. */
#include "codec/parapfor.h"

#include "codec/codec_table.h"

/* With at most 0.6 n exceptions, n*b + 0.6n*(32 - b) bits and their positions. */
size_t rp__parapfor_bound(size_t n)
{
    return RP_PARAPFOR_HEAD + 5 * n + 8;
}

/* A width, and what its exceptions need. */
typedef struct widths {
    uint32_t b, ib, hb, en;
} widths;

static widths widths_of(const uint32_t *values, size_t n, uint32_t b, uint32_t most, uint8_t *at)
{
    widths w = {.b = b};
    for (size_t i = 0; i < n; i++)
        if (rp__bits_width(values[i]) > b)
            at[w.en++] = (uint8_t)i;
    w.ib = w.en ? rp__bits_width(at[w.en - 1]) : 0;
    w.hb = w.en ? most - b : 0;
    return w;
}

static widths choose(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *at)
{
    const double share = 0.1;
    rp__patch_widths counts;
    rp__patch_count_widths(values, n, &counts);
    uint32_t b = rp__patch_width_for(&counts, options, share, n), best = b;
    size_t least = SIZE_MAX;
    for (; b <= counts.most && !(options && options->has_exceptions); b++) {
        widths w = widths_of(values, n, b, counts.most, at);
        size_t bytes = rp__patch_bytes(n * b) + rp__patch_bytes(w.en * w.ib);
        size_t cost = rp__patch_cost(bytes + rp__patch_bytes(w.en * w.hb), w.en);
        best = cost < least ? b : best;
        least = cost < least ? cost : least;
    }
    return widths_of(values, n, best, counts.most, at);
}

size_t rp__parapfor_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                           uint8_t *out)
{
    uint8_t at[RP_BLOCK_MAX];
    widths w = choose(options, values, n, at);
    out[0] = (uint8_t)w.b;
    out[1] = (uint8_t)w.ib;
    out[2] = (uint8_t)w.hb;
    out[3] = (uint8_t)w.en;
    rp__patch_writer to = {.out = rp__patch_put_lows(out + RP_PARAPFOR_HEAD, values, n, w.b)};
    for (uint32_t k = 0; k < w.en; k++)
        rp__patch_write(&to, at[k], w.ib);
    rp__patch_flush(&to);
    for (uint32_t k = 0; k < w.en; k++)
        rp__patch_write(&to, values[at[k]] >> w.b, w.hb);
    return (size_t)(rp__patch_flush(&to) - out);
}

RP_PATCH_ROW(rp__parapfor_open, rp__patch_decode, rp__patch_docids)
RP_PATCH_ROW_AT(rp__parapfor_open)

const rp__block_code rp__parapfor_code = {
    .name = "parapfor",
    .needs = 0,
    .bound = rp__parapfor_bound,
    .encode = rp__parapfor_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
