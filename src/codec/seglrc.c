/* seglrc.c: the docid codec seglrc, plain reference: a least-squares line and an M for each segment of
 * RP_BLOCK_MAX postings (lrc.h gives the bytes).
 *
 * Also writes the blocks of hslrc.c, which are such segments cut in another way. Source: Ao et al.
 * 2011, 5.2. */
#include "codec/codec_table.h"
#include "codec/lrc.h"

/* The u16 slope nearest to a, which is below 2^32. */
static uint32_t slope_code(int64_t a)
{
    const uint32_t top = 1U << RP_LRC_SLOPE_BITS;
    uint64_t rest = (uint64_t)a >> (RP_LRC_SLOPE_UNIT - 1); /* one bit to round by */
    uint32_t shift = 0;
    for (; rest >= 4 * top; rest >>= 1)
        shift++;
    uint32_t code = shift * top + (uint32_t)(rest + 1) / 2;
    return rp__lrc_slope(code) >> RP_LINE_SHIFT > UINT32_MAX ? code - 1 : code;
}

static uint8_t *put_segment(const rp__codec_options *options, const uint32_t *docids, size_t n,
                            uint8_t *out)
{
    uint32_t slope = slope_code(rp__line_fit(docids, n).a);
    rp__lrc_segment s = {rp__lrc_slope(slope), docids, n};
    int64_t least = rp__lrc_least(&s);
    rp__store32(out, (uint32_t)least);
    out[4] = (uint8_t)slope;
    out[5] = (uint8_t)(slope >> 8);
    return rp__lrc_put_residuals(options, &s, least, out + RP_LRC_OWN);
}

rp_status rp__seglrc_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    uint8_t *p = e->out;
    for (size_t b = 0, first = 0; b < e->n_blocks; first = e->ends[b++]) {
        if (p - e->out > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)(p - e->out);
        p = put_segment(e->options, e->docids + first, e->ends[b] - first, p);
    }
    e->used = (size_t)(p - e->out);
    return RP_OK;
}

RP_LRC_ROW(rp__seglrc, rp__seglrc_open, rp__lrc_docids)

rp_status rp__seglrc_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__lrc_at_with(list, i, i / RP_BLOCK_MAX, out, rp__seglrc_open);
}

rp_status rp__seglrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    return rp__lrc_find_with(list, rp__lrc_block_near(list, target), target, rank, docid,
                             rp__seglrc_open);
}
