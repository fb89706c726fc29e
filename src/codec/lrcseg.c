/* lrcseg.c: the docid codec lrcseg, plain reference: lrc (lrc.c), but each segment has an M of its own,
 * so that its residuals span only what the list strays from the line there (lrc.h gives the bytes).
 * Source: Ao et al. 2011, 5.2. */
#include "codec/codec_table.h"
#include "codec/lrc.h"

rp_status rp__lrcseg_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    int64_t c;
    uint64_t a = rp__lrc_fit(e->docids, e->n, &c);
    uint8_t *p = e->out;
    for (size_t b = 0, first = 0; b < e->n_blocks; first = e->ends[b++]) {
        rp__lrc_segment s = {a, e->docids + first, e->ends[b] - first};
        int64_t least = rp__lrc_least(&s);
        if (p - e->out > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)(p - e->out);
        rp__store32(p, (uint32_t)(least - rp__lrc_line_at(a, c, first)));
        p = rp__lrc_put_residuals(e->options, &s, least, p + RP_LRC_MOVED);
    }
    p = rp__lrc_put_line(a, c, p);
    e->used = (size_t)(p - e->out);
    return RP_OK;
}

RP_LRC_ROW(rp__lrcseg, rp__lrcseg_open, rp__lrc_docids)

rp_status rp__lrcseg_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__lrc_at_with(list, i, i / RP_BLOCK_MAX, out, rp__lrcseg_open);
}

rp_status rp__lrcseg_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    return rp__lrc_find_with(list, rp__lrc_block_near(list, target), target, rank, docid,
                             rp__lrcseg_open);
}
