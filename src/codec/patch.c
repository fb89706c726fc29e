/* patch.c: the plain kernels of the PForDelta rows, and what their encoders share (patch.h).
 *
 * Does not know the bytes of any row. Encoders are here and in the rows' own files alone, so that
 * bytes do not depend on the instruction set. */
#include "codec/patch.h"

#include "codec/gaps.h"

void rp__patch_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = rp__patch_bits(p->lows, i * p->width, p->width);
    size_t bit = p->high_start;
    for (size_t w = 0; w < RP_PATCH_WORDS; w++)
        for (uint64_t left = p->at[w]; left; left &= left - 1) {
            uint32_t *v = &out[64 * w + rp__bits_lowest64(left)];
            *v =
                (p->replaces ? 0 : *v) + (rp__patch_bits(p->highs, bit, p->high_width) << p->shift);
            bit += p->high_width;
        }
    for (uint32_t k = 0; k < p->n_far; k++)
        out[p->far_at[k]] += p->far[k];
}

rp_status rp__patch_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    rp__patch_decode(p, out, n);
    return rp__gaps_sum(out, n, base);
}

uint32_t rp__patch_at(const rp__patch *p, size_t i)
{
    uint32_t v = rp__patch_bits(p->lows, i * p->width, p->width);
    uint64_t below = (1ULL << i % 64) - 1;
    if (p->at[i / 64] >> i % 64 & 1) {
        size_t rank = rp__bits_count64(p->at[i / 64] & below);
        for (size_t w = 0; w < i / 64; w++)
            rank += rp__bits_count64(p->at[w]);
        size_t bit = p->high_start + rank * p->high_width;
        v = (p->replaces ? 0 : v) + (rp__patch_bits(p->highs, bit, p->high_width) << p->shift);
    }
    for (uint32_t k = 0; k < p->n_far; k++)
        v += p->far_at[k] == i ? p->far[k] : 0;
    return v;
}

void rp__patch_count_widths(const uint32_t *values, size_t n, rp__patch_widths *out)
{
    *out = (rp__patch_widths){.most = 0};
    for (size_t i = 0; i < n; i++)
        out->wider[rp__bits_width(values[i])]++;
    uint32_t above = 0;
    for (uint32_t w = 33; w-- > 0;) {
        uint32_t here = out->wider[w];
        out->wider[w] = above;
        above += here;
        if (here && w > out->most)
            out->most = w;
    }
}

uint32_t rp__patch_width_for(const rp__patch_widths *widths, const rp__codec_options *options,
                             double share, size_t n)
{
    const double share_max = 0.6;
    if (options && options->has_exceptions)
        share = options->exceptions < share_max ? options->exceptions : share_max;
    uint32_t width = 0;
    while (width < widths->most && widths->wider[width] > share * (double)n)
        width++;
    return width;
}

uint8_t *rp__patch_put_lows(uint8_t *out, const uint32_t *values, size_t n, uint32_t width)
{
    rp__patch_writer w = {.out = out};
    for (size_t i = 0; i < n; i++)
        rp__patch_put(&w, values[i], width);
    return rp__patch_flush(&w);
}
