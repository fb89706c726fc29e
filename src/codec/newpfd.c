/* newpfd.c: the block code newpfd, plain reference: the low bits of exceptions stay in their slots;
 * their positions and high bits are coded by Simple16 (newpfd.h gives the bytes).
 *
 * One stream of both, so that a block with few exceptions needs one word. Without options b is
 * what costs least among the widths that hold nine values of ten. Source: Yan, Ding, Suel 2009. */
#include "codec/newpfd.h"

#include "codec/codec_table.h"

/* With at most 0.6 n exceptions and b + bits of a high part at most 32, lows and highs take less
 * than 6n bytes; steps of at most 8 bits, three to a word, the rest. */
size_t rp__newpfd_bound(size_t n)
{
    return 7 * n + 64;
}

/* The numbers of the exceptions to a width: steps, then high parts; returns how many exceptions. */
static uint32_t find_exceptions(const uint32_t *values, size_t n, uint32_t width, uint32_t k,
                                uint32_t *numbers)
{
    uint32_t found = 0, next = 0;
    for (uint32_t i = 0; k && i < n; i++) {
        uint32_t high = values[i] >> width;
        if (high == 0)
            continue;
        numbers[found] = i - next;
        numbers[k + found++] = high - 1;
        next = i + 1;
    }
    return found;
}

static uint32_t choose(const rp__codec_options *options, const rp__patch_widths *widths,
                       const uint32_t *values, size_t n)
{
    const double share = 0.1;
    uint32_t width = rp__patch_width_for(widths, options, share, n), best = width;
    uint32_t numbers[2 * RP_BLOCK_MAX];
    uint8_t words[2 * RP_BLOCK_MAX * 2 * sizeof(uint32_t)];
    size_t least = SIZE_MAX;
    for (; width <= widths->most && !(options && options->has_exceptions); width++) {
        uint32_t k = find_exceptions(values, n, width, widths->wider[width], numbers);
        size_t bytes = rp__patch_bytes(n * width) + (k ? 2 : 1);
        size_t cost = rp__patch_cost(bytes + rp__simple16_encode(NULL, numbers, 2 * k, words), k);
        best = cost < least ? width : best;
        least = cost < least ? cost : least;
    }
    return best;
}

size_t rp__newpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out)
{
    rp__patch_widths widths;
    uint32_t numbers[2 * RP_BLOCK_MAX];
    rp__patch_count_widths(values, n, &widths);
    uint32_t width = choose(options, &widths, values, n);
    uint32_t k = find_exceptions(values, n, width, widths.wider[width], numbers);
    uint8_t *p = out;
    *p++ = (uint8_t)(width | (k ? 64U : 0));
    if (k)
        *p++ = (uint8_t)(k - 1);
    p = rp__patch_put_lows(p, values, n, width);
    p += rp__simple16_encode(NULL, numbers, 2 * k, p);
    return (size_t)(p - out);
}

static rp_status read_block(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    return rp__newpfd_open_by(rp__simple16_read, in, in_bytes, n, p);
}

RP_PATCH_ROW(read_block, rp__patch_decode, rp__patch_docids)
RP_PATCH_ROW_AT(read_block)

const rp__block_code rp__newpfd_code = {
    .name = "newpfd",
    .needs = 0,
    .bound = rp__newpfd_bound,
    .encode = rp__newpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
