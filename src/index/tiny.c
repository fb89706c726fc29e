/* tiny.c: tiny lists: docids and frequencies in as few bits as their numbers leave open.
 *
 * Rising numbers below an end are coded from the middle: the one in the middle lies between those that are known on either
 * side, and takes the bits of what may be there. Docids rise below the number of documents. The running sums of the
 * frequencies rise too, and the last one is cf, which the entry has: where every frequency is 1, or there is one posting,
 * they take no bits. Positions stand behind.
 *
 * Indexes of before have varints instead, posting by posting. Trusts no byte. */
#include "index/tiny.h"

#include "base/bits.h"

/* Bits that are read or written one number after the other, with 8 bytes behind the last. */
typedef struct bits {
    uint8_t *at;
    uint32_t used;
} bits;

/* ---- Rising numbers ---------------------------------------------------------------------------- */

/* Numbers less their ranks, which no longer rise but never fall, and what bounds them: [i + 1] is the number of rank i less
 * i, [0] is 0, and [n + 1] is the most that it may be. So a number between two that are known is one from the one below
 * on and up to the one above. */
typedef uint64_t steady[RP_TINY_DF + 2];

/* A number, and the places of the nearest that are known when it is coded. */
typedef struct step {
    uint8_t below, at, above;
} step;

/* Of 1, 2, ... RP_TINY_DF numbers, in the order in which they are coded: each is the middle of those between the two. */
static const step steps[] = {
    {0, 1, 2},                                                                   /* of 1 */
    {0, 2, 3}, {0, 1, 2},                                                        /* of 2 */
    {0, 2, 4}, {0, 1, 2}, {2, 3, 4},                                             /* of 3 */
    {0, 3, 5}, {0, 2, 3}, {0, 1, 2}, {3, 4, 5},                                  /* of 4 */
    {0, 3, 6}, {0, 2, 3}, {0, 1, 2}, {3, 5, 6}, {3, 4, 5},                       /* of 5 */
    {0, 4, 7}, {0, 2, 4}, {0, 1, 2}, {2, 3, 4}, {4, 6, 7}, {4, 5, 6},            /* of 6 */
    {0, 4, 8}, {0, 2, 4}, {0, 1, 2}, {2, 3, 4}, {4, 6, 8}, {4, 5, 6}, {6, 7, 8}, /* of 7 */
    {0, 5, 9}, {0, 3, 5}, {0, 2, 3}, {0, 1, 2}, {3, 4, 5}, {5, 7, 9}, {5, 6, 7},
    {7, 8, 9}, /* of 8 */
};

/* Those of n numbers, n of them. */
static const step *steps_of(uint32_t n)
{
    return steps + n * (n - 1) / 2;
}

static void put_steady(bits *b, steady v, uint32_t n, uint64_t end)
{
    const step *t = steps_of(n);
    v[0] = 0;
    v[n + 1] = end - n;
    for (const step *to = t + n; t < to; t++) {
        uint8_t *p = b->at + b->used / 8;
        rp__store64(p, rp__load64(p) | (v[t->at] - v[t->below]) << b->used % 8);
        b->used += rp__bits_width64(v[t->above] - v[t->below]);
    }
}

/* n numbers below `end`, which is at least n and below 2^40, from bit `used` on. Returns the bit behind them; UINT32_MAX:
 * one is none of those that it may be. */
static inline uint32_t get_steady(const uint8_t *in, uint32_t used, steady v, uint32_t n,
                                  uint64_t end)
{
    const step *t = steps_of(n);
    v[0] = 0;
    v[n + 1] = end - n;
    for (const step *to = t + n; t < to; t++) {
        uint64_t low = v[t->below], most = v[t->above] - low;
        uint32_t width = rp__bits_width64(most);
        uint64_t number = rp__load64(in + used / 8) >> used % 8 & ((UINT64_C(1) << width) - 1);
        if (number > most)
            return UINT32_MAX;
        v[t->at] = low + number;
        used += width;
    }
    return used;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

uint32_t rp__tiny_put(const uint32_t *docids, const uint32_t *tfs, uint32_t n, const uint32_t *gaps,
                      uint64_t n_docs, uint8_t out[RP_TINY_BYTES])
{
    steady v = {0}, sums = {0};
    uint64_t cf = 0;
    bits b = {.at = out};
    memset(out, 0, RP_TINY_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        v[i + 1] = docids[i] - i;
        cf += tfs[i];
        sums[i + 1] = cf - 1 - i;
    }
    put_steady(&b, v, n, n_docs);
    put_steady(&b, sums, n - 1, cf - 1);
    uint8_t *p = out + (b.used + 7) / 8;
    for (uint64_t i = 0; gaps && i < cf; i++)
        p = rp__bits_put_varint(p, gaps[i]);
    return (uint32_t)(p - out);
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static rp_status get_gaps(const uint8_t **p, const uint8_t *end, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (!rp__bits_varint32(p, end, &out[i]))
            return RP_DAMAGED;
    return RP_OK;
}

/* Of before: gap less one, frequency less one, then the positions' gaps, posting by posting. */
static rp_status get_varints(const rp__segment *s, const rp__term *term, rp__tiny *out)
{
    const uint8_t *p = term->tiny, *end = p + term->tiny_bytes;
    uint64_t docid = UINT64_MAX;
    uint32_t n_gaps = 0;
    out->bytes_docids = out->bytes_freqs = out->bytes_gaps = 0;
    for (uint32_t i = 0; i < term->df; i++) {
        uint32_t gap, more;
        const uint8_t *begin = p;
        if (!rp__bits_varint32(&p, end, &gap))
            return RP_DAMAGED;
        out->bytes_docids += (uint32_t)(p - begin);
        begin = p;
        if (!rp__bits_varint32(&p, end, &more))
            return RP_DAMAGED;
        out->bytes_freqs += (uint32_t)(p - begin);
        docid += 1U + (uint64_t)gap;
        if (docid >= s->manifest.meta.docs || more >= UINT32_MAX - 1)
            return RP_DAMAGED;
        out->docids[i] = (uint32_t)docid;
        out->tfs[i] = more + 1;
        if (!s->positions)
            continue;
        if (out->tfs[i] > RP_TINY_POSITIONS - n_gaps ||
            get_gaps(&p, end, more + 1, out->gaps + n_gaps))
            return RP_DAMAGED;
        n_gaps += more + 1;
    }
    out->bytes_gaps = term->tiny_bytes - out->bytes_docids - out->bytes_freqs;
    return p == end ? RP_OK : RP_DAMAGED;
}

/* The last sum is the most that the others may be. False: a frequency is too large. */
static bool get_freqs(const steady sums, uint32_t n, uint32_t *tfs)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t more = sums[i + 1] - sums[i];
        any |= (more + 2) >> 32;
        tfs[i] = (uint32_t)more + 1;
    }
    return any == 0;
}

/* Numbers of one kind take 31 bytes at most: so none is looked for past the RP_PAD bytes behind the list. */
static rp_status get_bits(const rp__segment *s, const rp__term *term, rp__tiny *out)
{
    steady v = {0};
    const uint32_t n = term->df;
    if (n > s->manifest.meta.docs || term->cf < n || term->cf > (uint64_t)n * UINT32_MAX ||
        (s->positions && term->cf > RP_TINY_POSITIONS))
        return RP_DAMAGED;
    uint32_t used = get_steady(term->tiny, 0, v, n, s->manifest.meta.docs);
    if (used > 8 * (uint64_t)term->tiny_bytes)
        return RP_DAMAGED;
    out->bytes_docids = (used + 7) / 8;
    for (uint32_t i = 0; i < RP_TINY_DF; i++) { /* a count that compilers know */
        out->docids[i] = (uint32_t)v[i + 1] + i;
        out->tfs[i] = 1;
    }
    if (term->cf > n) {
        used = get_steady(term->tiny, used, v, n - 1, term->cf - 1);
        if (used > 8 * (uint64_t)term->tiny_bytes || !get_freqs(v, n, out->tfs))
            return RP_DAMAGED;
    }
    out->bytes_freqs = (used + 7) / 8 - out->bytes_docids;
    out->bytes_gaps = term->tiny_bytes - (used + 7) / 8;
    return s->positions || out->bytes_gaps == 0 ? RP_OK : RP_DAMAGED;
}

rp_status rp__tiny_get(const rp__segment *s, const rp__term *term, rp__tiny *out)
{
    if (term->df == 0 || term->df > RP_TINY_DF || term->tiny_bytes > RP_TINY_BYTES)
        return RP_DAMAGED;
    return s->manifest.has_tiny_bits ? get_bits(s, term, out) : get_varints(s, term, out);
}

/* Whether frequencies are those of the entry; in bits they always are. */
static bool has_entry_cf(const rp__term *term, const rp__tiny *tiny)
{
    uint64_t cf = 0;
    for (uint32_t i = 0; i < term->df; i++)
        cf += tiny->tfs[i];
    return cf == term->cf;
}

rp_status rp__tiny_get_whole(const rp__segment *s, const rp__term *term, rp__tiny *out)
{
    rp_status status = rp__tiny_get(s, term, out);
    if (status == RP_OK && !has_entry_cf(term, out))
        return RP_DAMAGED;
    if (status != RP_OK || !s->positions || !s->manifest.has_tiny_bits)
        return status;
    const uint8_t *end = term->tiny + term->tiny_bytes, *p = end - out->bytes_gaps;
    if (get_gaps(&p, end, (uint32_t)term->cf, out->gaps) || p != end)
        return RP_DAMAGED;
    return RP_OK;
}
