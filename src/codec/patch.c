/* patch.c: the plain kernels of the PForDelta rows, and what their encoders share (patch.h).
 *
 * Does not know the bytes of any row. Encoders are here and in the rows' own files alone, so that
 * bytes do not depend on the instruction set. */
#include "codec/patch.h"

void rp__patch_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = rp__patch_bits(p->lows, i * p->width, p->width) + p->adds[i];
    rp__patch_add_marked(p, out, n);
}

rp_status rp__patch_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    rp__patch_decode(p, out, n);
    return rp__gaps_sum(out, n, base);
}

uint32_t rp__patch_at(const rp__patch *p, size_t i)
{
    uint32_t v = rp__patch_bits(p->lows, i * p->width, p->width) + p->adds[i];
    if (p->high_width == 0 || (p->marks[i / 64] >> i % 64 & 1) == 0)
        return v;
    size_t rank = rp__bits_count64(p->marks[i / 64] & ((1ULL << i % 64) - 1));
    for (size_t w = 0; w < i / 64; w++)
        rank += rp__bits_count64(p->marks[w]);
    return v + (rp__patch_bits(p->highs, rank * p->high_width, p->high_width) << p->width);
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
        rp__patch_write(&w, values[i], width);
    return rp__patch_flush(&w);
}
