/* lrc.c: the docid codec lrc, plain reference: one least-squares line and one M for the whole list,
 * residuals in segments of RP_BLOCK_MAX (lrc.h gives their bytes); and what the other rows of the
 * regression family share.
 *
 * A segment is its residuals alone. After the last one come the slope a (u64) and (c >> 24) - M (u32,
 * modulo 2^32), where f(i) = (a * i + c) >> 24 and c has no fraction. There are no exceptions unless
 * the options ask for them: they hardly change the size, and without them a slot is at hand at once.
 * Source: Ao et al. 2011, 5.2 and appendix D. */
#include "codec/lrc.h"

#include "codec/codec_table.h"
#include "codec/patch.h"

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Exceptions are at most 0.6 of the postings, each a byte and no more bits than lows would take. */
size_t rp__lrc_bound(const rp__codec *codec, size_t n)
{
    const size_t head = 6 + 3, rounding = 3; /* a segment's; lows and highs fill their last bytes */
    size_t blocks = rp__list_blocks_bound(codec, n), tail = RP_LRC_LINE + 4 * blocks;
    return blocks * (head + rounding) + 5 * n + tail;
}

int64_t rp__lrc_least(rp__line line, size_t first, const uint32_t *docids, size_t n)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        int64_t deviation = docids[i] - rp__line_at(line, (uint32_t)(first + i));
        least = deviation < least ? deviation : least;
    }
    return least;
}

/* Residuals are below 2^32: a least-squares line through rising docids stays within their range, and
 * its slope is at least 1. */
uint8_t *rp__lrc_put_residuals(const rp__codec_options *options, rp__line line, int64_t least,
                               size_t first, const uint32_t *docids, size_t n, uint8_t *out)
{
    uint32_t residuals[RP_BLOCK_MAX] = {0}, highs[RP_BLOCK_MAX], n_exceptions = 0;
    uint8_t ranks[RP_BLOCK_MAX];
    rp__patch_widths widths;
    for (size_t i = 0; i < n; i++)
        residuals[i] = (uint32_t)(docids[i] - rp__line_at(line, (uint32_t)(first + i)) - least);
    rp__patch_count_widths(residuals, n, &widths);
    uint32_t b = rp__patch_width_for(&widths, options, 0, n);
    for (size_t i = 0; i < n && b < 32; i++)
        if (residuals[i] >> b) {
            ranks[n_exceptions] = (uint8_t)i;
            highs[n_exceptions++] = residuals[i] >> b;
        }
    *out++ = (uint8_t)(b | (n_exceptions ? RP_LRC_EXCEPTIONS : 0));
    if (n_exceptions) {
        *out++ = (uint8_t)(n_exceptions - 1);
        *out++ = (uint8_t)(widths.most - b);
    }
    out = rp__lowbits_put(residuals, n, b, out);
    memcpy(out, ranks, n_exceptions);
    return rp__lowbits_put(highs, n_exceptions, widths.most - b, out + n_exceptions);
}

uint8_t *rp__lrc_put_line(rp__line line, int64_t least, uint8_t *out)
{
    rp__store64(out, (uint64_t)line.a);
    rp__store32(out + 8, (uint32_t)((line.c >> RP_LINE_SHIFT) + least));
    return out + RP_LRC_LINE;
}

rp_status rp__lrc_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    rp__line line = rp__lrc_line_of(e->docids, e->n);
    int64_t least = rp__lrc_least(line, 0, e->docids, e->n);
    uint8_t *p = e->out;
    for (size_t b = 0, first = 0; b < e->n_blocks; first = e->ends[b++]) {
        if (p - e->out > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)(p - e->out);
        p = rp__lrc_put_residuals(e->options, line, least, first, e->docids + first,
                                  e->ends[b] - first, p);
    }
    p = rp__lrc_put_line(line, least, p);
    e->used = (size_t)(p - e->out);
    return RP_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

rp_status rp__lrc_docids(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    uint64_t sum = v->start;
    for (uint32_t i = 0; i < v->count; i++, sum += v->a)
        out[i] = (uint32_t)(sum >> RP_LINE_SHIFT) + rp__lowbits_at(v->lows, v->width, i);
    return rp__lrc_patch(v, base, out);
}

RP_LRC_ROW(rp__lrc, rp__lrc_open, rp__lrc_docids)

/* ---- One docid ------------------------------------------------------------------------------- */

rp_status rp__lrc_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__lrc_at_with(list, i, i / RP_BLOCK_MAX, out, rp__lrc_open);
}

/* The first slot whose point is at least `above` (by 2^-24) higher than slot 0's, at most v->count. */
static uint32_t slot_above(const rp__lrc_view *v, int64_t above)
{
    uint64_t slot = above > 0 ? ((uint64_t)above - 1) / v->a + 1 : 0;
    return slot < v->count ? (uint32_t)slot : v->count;
}

/* A docid is no less than its point, and by less than 2^width more: the line leaves few slots to look
 * at. Where docids pass 2^31 a point below 0 cannot be told from a large one: all slots then. */
uint32_t rp__lrc_search(const rp__lrc_view *v, uint32_t last, uint32_t target)
{
    uint32_t from = 0, to = v->count;
    if (last <= INT32_MAX && v->a > 0) {
        int64_t fraction = (int64_t)(v->start & ((1 << RP_LINE_SHIFT) - 1));
        int64_t above = ((int64_t)target - (int32_t)rp__lrc_point(v, 0)) * (1 << RP_LINE_SHIFT);
        int64_t most = ((1LL << (v->width + v->high_width)) - 1) << RP_LINE_SHIFT;
        to = slot_above(v, above - fraction);
        from = slot_above(v, above - fraction - most);
    }
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (rp__lrc_slot(v, middle) < target)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

uint32_t rp__lrc_block_geq(const rp__list *list, uint32_t from, uint32_t to, uint32_t target)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (list->last[middle] < target)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Doubles its steps up or down from the guess, then halves what is left. */
uint32_t rp__lrc_block_near(const rp__list *list, uint32_t target)
{
    uint32_t n = list->n_blocks;
    if (!list->last)
        return 0;
    if (target > list->last[n - 1])
        return n;
    uint64_t guess = (uint64_t)target * n / (list->last[n - 1] + 1ULL), step = 1;
    uint64_t from = guess, to = guess;
    if (list->last[guess] < target) {
        for (from++; from + step <= n && list->last[from + step - 1] < target; step *= 2)
            from += step;
        to = from + step <= n ? from + step - 1 : n;
    } else {
        for (; step <= to && list->last[to - step] >= target; step *= 2)
            to -= step;
        from = step <= to ? to - step + 1 : 0;
    }
    return rp__lrc_block_geq(list, (uint32_t)from, (uint32_t)to, target);
}

rp_status rp__lrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    return rp__lrc_find_with(list, rp__lrc_block_near(list, target), target, rank, docid,
                             rp__lrc_open);
}
