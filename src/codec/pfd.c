/* pfd.c: the block code pfd, plain reference: PForDelta with its exceptions linked through their
 * own slots (pfd.h gives the bytes).
 *
 * Walking the links is serial, as the method is; all else of a block is parallel. Without options b
 * is what costs least among the widths that hold nine values of ten. Sources: Zukowski
 * et al. 2006; Zhang, Long, Suel 2008. */
#include "codec/pfd.h"

#include "codec/codec_table.h"

/* Exceptions of a width: those that do not fit, and those that must be so because the next one is
 * too far for a link. */
typedef struct chain {
    uint32_t count;
    uint8_t at[RP_BLOCK_MAX];
    uint32_t most_bits;
} chain;

static void chain_add(chain *c, size_t i, uint32_t value)
{
    uint32_t bits = rp__bits_width(value);
    c->at[c->count++] = (uint8_t)i;
    c->most_bits = bits > c->most_bits ? bits : c->most_bits;
}

static void chain_make(chain *c, const uint32_t *values, size_t n, uint32_t width)
{
    c->count = c->most_bits = 0;
    for (size_t i = 0; i < n; i++) {
        if (rp__bits_width(values[i]) <= width)
            continue;
        while (c->count && (i - c->at[c->count - 1] - 1) >> width) {
            size_t step = (size_t)c->at[c->count - 1] + (1U << width);
            chain_add(c, step, values[step]);
        }
        chain_add(c, i, values[i]);
    }
}

/* How the values are stored: 0 none, else 1 << (code - 1) bytes each. */
static uint32_t chain_code(const chain *c)
{
    return c->count == 0 ? 0 : c->most_bits <= 8 ? 1 : c->most_bits <= 16 ? 2 : 3;
}

static size_t chain_bytes(const chain *c, size_t n, uint32_t width)
{
    uint32_t code = chain_code(c);
    size_t lows = rp__patch_bytes(n * width);
    return code ? 3 + lows + ((size_t)c->count << (code - 1)) : 1 + lows;
}

static uint32_t choose(const rp__codec_options *options, const uint32_t *values, size_t n)
{
    const double share = 0.1;
    chain c;
    rp__patch_widths widths;
    rp__patch_count_widths(values, n, &widths);
    uint32_t width = rp__patch_width_for(&widths, options, share, n), best = width;
    if (options && options->has_exceptions)
        return width;
    size_t least = SIZE_MAX;
    for (; width <= widths.most; width++) {
        chain_make(&c, values, n, width);
        size_t cost = rp__patch_cost(chain_bytes(&c, n, width), c.count);
        best = cost < least ? width : best;
        least = cost < least ? cost : least;
    }
    return best;
}

size_t rp__pfd_bound(size_t n)
{
    return 3 + rp__patch_bytes(n * 31) + n * sizeof(uint32_t) + sizeof(uint32_t);
}

size_t rp__pfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                      uint8_t *out)
{
    uint32_t width = choose(options, values, n), next = 0;
    chain c;
    chain_make(&c, values, n, width);
    uint32_t code = chain_code(&c);
    uint8_t *p = out;
    *p++ = (uint8_t)(width | code << 6);
    if (code) {
        *p++ = (uint8_t)(c.count - 1);
        *p++ = c.at[0];
    }
    rp__patch_writer w = {.out = p};
    for (uint32_t i = 0; i < n; i++) {
        bool is_exception = next < c.count && c.at[next] == i;
        next += is_exception;
        uint32_t link = is_exception && next < c.count ? c.at[next] - i - 1 : 0;
        rp__patch_write(&w, is_exception ? link : values[i], width);
    }
    p = rp__patch_flush(&w);
    for (uint32_t k = 0; k < c.count; k++, p += 1U << (code - 1))
        rp__store32(p, values[c.at[k]]); /* all four bytes: the bound has them for the last one */
    return (size_t)(p - out);
}

RP_PATCH_ROW(rp__pfd_open, rp__patch_decode, rp__patch_docids)
RP_PATCH_ROW_AT(rp__pfd_open)

const rp__block_code rp__pfd_code = {
    .name = "pfd",
    .needs = 0,
    .bound = rp__pfd_bound,
    .encode = rp__pfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
