/* lrc.c: the docid codec lrc, plain reference: one least-squares line and one M for the whole list,
 * residuals in segments of RP_BLOCK_MAX (lrc.h gives their bytes); and what the other rows of the
 * regression family share.
 *
 * A segment is its residuals alone. After the last one come the slope a (u64) and c - M (u32, modulo
 * 2^32): the line has c at 0, and at the first posting of a segment, of rank r, c + (a * r >> 24). There are no exceptions unless
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

uint64_t rp__lrc_fit(const uint32_t *docids, size_t n, int64_t *c)
{
    rp__line line = rp__line_fit(docids, n);
    *c = rp__line_at(line, 0);
    return (uint64_t)line.a;
}

int64_t rp__lrc_least(const rp__lrc_segment *s)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        int64_t deviation = s->docids[i] - (int64_t)(s->a * i >> RP_LINE_SHIFT);
        least = deviation < least ? deviation : least;
    }
    return least;
}

/* Residuals are below 2^32: a least-squares line through rising docids stays within their range, and
 * its slope is at least 1. */
uint8_t *rp__lrc_put_residuals(const rp__codec_options *options, const rp__lrc_segment *s,
                               int64_t start, uint8_t *out)
{
    uint32_t residuals[RP_BLOCK_MAX] = {0}, highs[RP_BLOCK_MAX], n_exceptions = 0;
    uint8_t ranks[RP_BLOCK_MAX];
    rp__patch_widths widths;
    for (size_t i = 0; i < s->n; i++)
        residuals[i] = (uint32_t)(s->docids[i] - (int64_t)(s->a * i >> RP_LINE_SHIFT) - start);
    rp__patch_count_widths(residuals, s->n, &widths);
    uint32_t b = rp__patch_width_for(&widths, options, 0, s->n);
    for (size_t i = 0; i < s->n && b < 32; i++)
        if (residuals[i] >> b) {
            ranks[n_exceptions] = (uint8_t)i;
            highs[n_exceptions++] = residuals[i] >> b;
        }
    *out++ = (uint8_t)(b | (n_exceptions ? RP_LRC_EXCEPTIONS : 0));
    if (n_exceptions) {
        *out++ = (uint8_t)(n_exceptions - 1);
        *out++ = (uint8_t)(widths.most - b);
    }
    out = rp__lowbits_put(residuals, s->n, b, out);
    memcpy(out, ranks, n_exceptions);
    return rp__lowbits_put(highs, n_exceptions, widths.most - b, out + n_exceptions);
}

uint8_t *rp__lrc_put_line(uint64_t a, int64_t start, uint8_t *out)
{
    rp__store64(out, a);
    rp__store32(out + 8, (uint32_t)start);
    return out + RP_LRC_LINE;
}

/* The least deviation of all, -M. */
static int64_t least_of_all(const rp__encoding *e, uint64_t a, int64_t c)
{
    int64_t least = INT64_MAX;
    for (size_t b = 0, first = 0; b < e->n_blocks; first = e->ends[b++]) {
        rp__lrc_segment s = {a, e->docids + first, e->ends[b] - first};
        int64_t here = rp__lrc_least(&s) - rp__lrc_line_at(a, c, first);
        least = here < least ? here : least;
    }
    return least;
}

rp_status rp__lrc_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    int64_t c;
    uint64_t a = rp__lrc_fit(e->docids, e->n, &c);
    c += least_of_all(e, a, c);
    uint8_t *p = e->out;
    for (size_t b = 0, first = 0; b < e->n_blocks; first = e->ends[b++]) {
        rp__lrc_segment s = {a, e->docids + first, e->ends[b] - first};
        if (p - e->out > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)(p - e->out);
        p = rp__lrc_put_residuals(e->options, &s, rp__lrc_line_at(a, c, first), p);
    }
    p = rp__lrc_put_line(a, c, p);
    e->used = (size_t)(p - e->out);
    return RP_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

rp_status rp__lrc_open_exceptions(const uint8_t *head, size_t in_bytes, rp__lrc_view *v)
{
    v->n_exceptions = head[1] + 1U;
    v->high_width = head[2];
    v->ranks = v->lows + rp__lowbits_bytes(v->count, v->width);
    v->highs = v->ranks + v->n_exceptions;
    if (v->high_width == 0 || v->width + v->high_width > 32 ||
        in_bytes < v->n_exceptions + rp__lowbits_bytes(v->n_exceptions, v->high_width))
        return RP_DAMAGED;
    return RP_OK;
}

rp_status rp__lrc_patch(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    uint32_t above = 0; /* the least rank that may follow */
    bool is_bad = false;
    for (uint32_t k = 0; k < v->n_exceptions; k++) {
        uint32_t rank = v->ranks[k];
        is_bad |= rank < above;
        above = rank + 1;
        out[rank] += rp__lowbits_at(v->highs, v->high_width, k) << v->width;
    }
    if (is_bad || above > v->count)
        return RP_DAMAGED;
    return rp__gaps_rising(out, v->count, base);
}

rp_status rp__lrc_docids(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    for (uint32_t i = 0; i < v->count; i++)
        out[i] = v->start + rp__lrc_rise(v->a, i) + rp__lowbits_at(v->lows, v->width, i);
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
 * at. The line may begin below 0, and `start` be that less a multiple of 2^32; slot 0 tells which. */
uint32_t rp__lrc_search(const rp__lrc_view *v, uint32_t target)
{
    uint32_t from = 0, to = v->count;
    if (v->a > 0) {
        uint32_t first = rp__lrc_slot(v, 0), over = first - v->start;
        int64_t above = ((int64_t)target - first + over) * (1 << RP_LINE_SHIFT);
        int64_t most = ((1LL << (v->width + v->high_width)) - 1) << RP_LINE_SHIFT;
        to = slot_above(v, above);
        from = slot_above(v, above - most);
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
