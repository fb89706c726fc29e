/* qs.c: the docid codec qs, plain reference: a whole list quasi-succinctly (qs.h gives the bytes):
 * low bits plain, high bits in unary, one width for all, so that any docid is at hand by counting
 * bits from its block's start.
 *
 * Blocks need no offsets: the directory's last docids say where their high parts start. Source: Li
 * 2014, chapters 2 and 4; Vigna 2013. */
#include "codec/qs.h"

#include <string.h>

#include "codec/codec_table.h"
#include "codec/gaps.h"

#define C_MIN 0.25 /* of the parameter c: what the bound is made for */
#define C_MAX 16.0

/* A high part costs at most 2/C_MIN ones and a zero, a low part at most 31 bits; each hint but the
 * first stands for RP_QS_HINT of those ones. */
size_t rp__qs_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    return 32 + n * 31 / 8 + n * 9 / 8 + n * 8 / RP_QS_HINT * RP_QS_HINT_BYTES;
}

/* floor(log2(c * u / n)), at least 0. */
static uint32_t low_width(double c, uint64_t u, uint64_t n)
{
    double ratio = c * (double)u / (double)n;
    uint32_t l = 0;
    while (l < RP_QS_WIDTH_MAX && ratio >= (double)(2ULL << l))
        l++;
    return l;
}

static double parameter_c(const rp__codec_options *options)
{
    double c = options && options->c > 0 ? options->c : 1;
    return c < C_MIN ? C_MIN : c > C_MAX ? C_MAX : c;
}

static uint8_t *pad(const rp__encoding *e, uint8_t *p)
{
    while ((p - e->out) % (ptrdiff_t)sizeof(uint32_t))
        *p++ = 0;
    return p;
}

/* The first rank from i on whose high part is at least this, or `end`. */
static size_t rank_of(const rp__encoding *e, uint32_t l, size_t i, size_t end, uint64_t high)
{
    while (i < end && e->docids[i] >> l < high)
        i++;
    return i;
}

static uint8_t *put_hints(const rp__encoding *e, uint32_t l, uint8_t *p)
{
    size_t before = 0;
    for (uint64_t high = 0; high <= e->docids[e->n - 1] >> l; high += RP_QS_HINT) {
        before = rank_of(e, l, before, e->n, high);
        size_t end = e->n - before < RP_QS_MANY ? e->n : before + RP_QS_MANY;
        rp__store32(p, (uint32_t)before);
        p[4] = (uint8_t)(rank_of(e, l, before, end, high + RP_QS_HALF) - before);
        p += RP_QS_HINT_BYTES;
    }
    return p;
}

rp_status rp__qs_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    uint32_t u = e->docids[e->n - 1], before = 0;
    uint32_t l = low_width(parameter_c(e->options), u, e->n);
    uint64_t bits = e->n + (u >> l), at = 0;
    uint8_t *p = e->out;
    rp__store32(p, l);
    p += RP_QS_HEAD;
    if (e->n_blocks > 1)
        p = pad(e, put_hints(e, l, p));
    p = pad(e, rp__lowbits_put(e->docids, e->n, l, p));
    memset(p, 0, (bits + 7) / 8);
    for (size_t i = 0; i < e->n; before = e->docids[i++] >> l) {
        uint32_t gap = (e->docids[i] >> l) - before;
        at = rp__unary_put(p, RP_UNARY_ENDS_ARE_ZEROS, at, &gap, 1);
    }
    p = pad(e, p + (bits + 7) / 8);
    e->used = (size_t)(p - e->out);
    return e->used > UINT32_MAX ? RP_LIMIT : RP_OK;
}

rp_status rp__qs_open(rp__list *list)
{
    if (list->docs_bytes < RP_QS_HEAD || list->docs[0] > RP_QS_WIDTH_MAX)
        return RP_DAMAGED;
    uint32_t l = list->docs[0];
    uint64_t n_hints = list->last ? (list->last[list->n_blocks - 1] >> l) / RP_QS_HINT + 1 : 0;
    uint64_t low = RP_QS_HEAD + rp__bits_align(n_hints * RP_QS_HINT_BYTES, sizeof(uint32_t));
    uint64_t high = low + rp__bits_align(rp__lowbits_bytes(list->n, l), sizeof(uint32_t));
    if (high > list->docs_bytes)
        return RP_DAMAGED;
    list->view = (rp__list_view){.low = list->docs + low,
                                 .high = list->docs + high,
                                 .hints = list->docs + RP_QS_HEAD,
                                 .high_bits = 8 * (list->docs_bytes - high),
                                 .width = l,
                                 .n_hints = (uint32_t)n_hints};
    return RP_OK;
}

rp_status rp__qs_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    const rp__list_view *v = &list->view;
    uint64_t from, to, first = (uint64_t)b * RP_BLOCK;
    uint32_t n = rp__list_count(list, b);
    if (rp__qs_block_bits(list, b, &from, &to) ||
        rp__unary_sums(v->high, RP_UNARY_ENDS_ARE_ZEROS, from, to, n, out))
        return RP_DAMAGED;
    uint64_t any = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t high = (from - first + out[i]) << v->width;
        any |= high;
        out[i] = (uint32_t)high | rp__lowbits_at(v->low, v->width, first + i);
    }
    if (any > UINT32_MAX)
        return RP_DAMAGED;
    return rp__gaps_rising(out, n, b ? list->last[b - 1] : UINT32_MAX);
}

rp_status rp__qs_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__qs_at_by(list, i, out, rp__unary_end);
}

rp_status rp__qs_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    rp__qs_place place;
    *rank = list->n;
    *docid = RP_NO_DOC;
    if (rp__qs_seek(list, target, &place, rp__unary_end))
        rp__qs_search(list, &place, rank, docid, rp__unary_end);
    return RP_OK;
}

rp_status rp__qs_seek_block(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                            uint32_t *docid)
{
    uint32_t rank;
    return rp__qs_find(list, target, &rank, docid) ? RP_DAMAGED : rp__qs_slot(b, rank, slot);
}
