/* row_check.c: every way to read a list, against the arrays it was made of. Differences are told, not
 * asserted, so that a test can plant faults and see that they are found. */
#include "row_check.h"

#include <stdlib.h>
#include <string.h>

#include "unit/codec/random_docids.h"

void row_check_init(row_check *rc, uint32_t most, uint64_t seed)
{
    memset(rc, 0, sizeof *rc);
    rc->most = most;
    rc->rng = seed;
    rc->docids = malloc((most + RP_BLOCK_CAPACITY) * sizeof(uint32_t));
    rc->tfs = malloc((most + RP_BLOCK_CAPACITY) * sizeof(uint32_t));
    rc->scratch = malloc(2 * RP_BLOCK_CAPACITY * sizeof(uint32_t));
    rc->cursor = aligned_alloc(64, sizeof *rc->cursor);
    if (!rc->docids || !rc->tfs || !rc->scratch || !rc->cursor)
        abort();
}

void row_check_free(row_check *rc)
{
    free(rc->docids);
    free(rc->tfs);
    free(rc->scratch);
    free(rc->cursor);
}

/* What is read, and what it is to be. */
typedef struct reading {
    row_check *rc;
    const rp__list *list;
    const uint32_t *docids, *tfs;
} reading;

static bool differ(const reading *r, const char *what, uint32_t rank, uint32_t want, uint32_t got)
{
    r->rc->what = what;
    r->rc->rank = rank;
    r->rc->want = want;
    r->rc->got = got;
    return false;
}

static bool same_status(const reading *r, const char *what, uint32_t rank, rp_status s)
{
    return s == RP_OK || differ(r, what, rank, RP_OK, (uint32_t)s);
}

/* n values from `rank` on. */
static bool same_values(const reading *r, const char *what, uint32_t rank, const uint32_t *want,
                        const uint32_t *got, uint32_t n)
{
    r->rc->compared += n;
    if (memcmp(want, got, n * sizeof *want) == 0)
        return true;
    uint32_t i = 0;
    while (want[i] == got[i])
        i++;
    return differ(r, what, rank + i, want[i], got[i]);
}

static bool same_decoded(const reading *r)
{
    row_check *rc = r->rc;
    uint32_t n = r->list->n;
    return same_status(r, "status of decode", 0,
                       rp__list_decode(r->list, rc->docids, r->tfs ? rc->tfs : NULL)) &&
           same_values(r, "docid of decode", 0, r->docids, rc->docids, n) &&
           (!r->tfs || same_values(r, "frequency of decode", 0, r->tfs, rc->tfs, n)) &&
           same_status(r, "status of validate", 0, rp__list_validate(r->list, rc->scratch));
}

static bool same_end(const reading *r, const char *what)
{
    const rp__cursor *c = r->rc->cursor;
    if (c->docid != RP_NO_DOC)
        return differ(r, what, r->list->n, RP_NO_DOC, c->docid);
    return same_status(r, "status of a walk", r->list->n, c->status);
}

static bool same_walk(const reading *r)
{
    rp__cursor *c = r->rc->cursor;
    uint32_t n = r->list->n;
    rp__cursor_open(c, r->list);
    for (uint32_t i = 0; i < n; i++) {
        if (c->docid != r->docids[i])
            return differ(r, "docid of next", i, r->docids[i], c->docid);
        if (i % 61 == 0 && rp__cursor_rank(c) != i)
            return differ(r, "rank after next", i, i, rp__cursor_rank(c));
        rp__cursor_next(c);
    }
    r->rc->compared += n;
    return same_end(r, "docid after the last") &&
           (c->decoded == n || differ(r, "number decoded", n, n, (uint32_t)c->decoded));
}

static bool same_blocks(const reading *r)
{
    rp__cursor *c = r->rc->cursor;
    uint32_t i = 0, n = r->list->n;
    rp__cursor_open(c, r->list);
    while (c->docid != RP_NO_DOC) {
        const uint32_t *rest;
        uint32_t count = rp__cursor_block(c, &rest);
        if (count == 0 || count > n - i)
            return differ(r, "count of a block", i, n - i, count);
        if (!same_values(r, "docid of a block", i, r->docids + i, rest, count))
            return false;
        i += count;
        rp__cursor_next_block(c);
    }
    return i == n ? same_end(r, "docid after the last block")
                  : differ(r, "postings of all blocks", i, n, i);
}

/* The rank of the first docid from `from` on that is at least target, which lies near `guess`. */
static uint32_t rank_of(const reading *r, uint32_t from, uint32_t guess, uint32_t target)
{
    while (guess > from && r->docids[guess - 1] >= target)
        guess--;
    while (guess < r->list->n && (guess < from || r->docids[guess] < target))
        guess++;
    return guess;
}

/* Where the cursor stands after next_geq, with its frequency. */
static bool same_place(const reading *r, uint32_t rank, uint32_t got)
{
    rp__cursor *c = r->rc->cursor;
    uint32_t want = rank < r->list->n ? r->docids[rank] : RP_NO_DOC;
    if (got != want || c->docid != want)
        return differ(r, "docid of next_geq", rank, want, got);
    if (want == RP_NO_DOC)
        return same_end(r, "docid of next_geq");
    if (rp__cursor_rank(c) != rank)
        return differ(r, "rank after next_geq", rank, rank, rp__cursor_rank(c));
    uint32_t tf = r->tfs ? rp__cursor_tf(c) : 0;
    return !r->tfs || tf == r->tfs[rank] ||
           differ(r, "frequency after next_geq", rank, r->tfs[rank], tf);
}

/* To docids that are there, to just before and after them, by steps of up to 2^most_bits. */
static bool same_skips(const reading *r, uint32_t most_bits)
{
    rp__cursor *c = r->rc->cursor;
    uint64_t *rng = &r->rc->rng, next = 0;
    uint32_t rank = 0, n = r->list->n;
    rp__cursor_open(c, r->list);
    for (;;) {
        next += random_below(rng, 1ULL << random_below(rng, most_bits + 1));
        if (next >= n)
            break;
        uint32_t near = r->docids[next], way = (uint32_t)random_below(rng, 3);
        uint32_t target = way == 0 && near > 0 ? near - 1 : way == 2 ? near + 1 : near;
        rank = rank_of(r, rank, (uint32_t)next, target);
        r->rc->compared++;
        if (!same_place(r, rank, rp__cursor_next_geq(c, target)))
            return false;
        next = (rank > next ? rank : next) + 1;
    }
    rank = rank_of(r, rank, n, RP_NO_DOC - 1);
    return same_place(r, rank, rp__cursor_next_geq(c, RP_NO_DOC - 1));
}

static bool same_alone(const reading *r)
{
    const rp__codec *codec = r->list->codec;
    uint32_t one = 0;
    for (uint32_t i = 0; codec->at && i < r->list->n; i++) {
        if (!same_status(r, "status of at", i, codec->at(r->list, i, &one)))
            return false;
        if (one != r->docids[i])
            return differ(r, "docid of at", i, r->docids[i], one);
        r->rc->compared++;
    }
    return true;
}

/* Some frequencies of a long list, all of a short one. */
static bool same_tfs_alone(const reading *r)
{
    uint32_t n = r->list->n, step = n / 1000 + 1, one = 0;
    for (uint64_t i = random_below(&r->rc->rng, step); r->tfs && i < n; i += step) {
        if (!same_status(r, "status of tf", (uint32_t)i, rp__list_tf(r->list, (uint32_t)i, &one)))
            return false;
        if (one != r->tfs[i])
            return differ(r, "frequency of tf", (uint32_t)i, r->tfs[i], one);
        r->rc->compared++;
    }
    return true;
}

static bool same_find(const reading *r, uint32_t target)
{
    uint32_t want = 0, rank = 0, docid = 0, n = r->list->n;
    for (uint32_t step = 1U << 31; step; step /= 2)
        if (step <= n - want && r->docids[want + step - 1] < target)
            want += step;
    if (!same_status(r, "status of find", want,
                     r->list->codec->find(r->list, target, &rank, &docid)))
        return false;
    r->rc->compared++;
    if (rank != want)
        return differ(r, "rank of find", want, want, rank);
    uint32_t there = want < n ? r->docids[want] : RP_NO_DOC;
    return docid == there || differ(r, "docid of find", want, there, docid);
}

/* The ends, and around a share of the docids: all of a short list's, a thousand of a long one's. */
static bool same_finds(const reading *r)
{
    uint32_t n = r->list->n, step = n / 1000 + 1;
    if (!r->list->codec->find)
        return true;
    for (uint64_t i = random_below(&r->rc->rng, step); i < n; i += step) {
        uint32_t docid = r->docids[i];
        if (!same_find(r, docid) || !same_find(r, docid + 1) || !same_find(r, docid - (docid > 0)))
            return false;
    }
    return same_find(r, 0) && same_find(r, r->docids[n - 1]) && same_find(r, RP_NO_DOC);
}

static bool same_unordered_block(const reading *r, uint32_t b, const uint32_t *got)
{
    uint32_t first = b * RP_BLOCK, count = rp__list_block_count(r->list, b);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t rank = first + (count == RP_BLOCK ? r->list->codec->ranks[s] : s);
        if (got[s] != r->docids[rank])
            return differ(r, "docid without order", rank, r->docids[rank], got[s]);
    }
    r->rc->compared += count;
    return true;
}

static bool same_unordered(const reading *r)
{
    enum { MOST = 3 };
    static uint32_t out[MOST * RP_BLOCK + RP_BLOCK_CAPACITY];
    const rp__codec *codec = r->list->codec;
    for (uint32_t b = 0; codec->unordered && b < r->list->n_blocks;) {
        uint32_t left = r->list->n_blocks - b, n = 1 + (uint32_t)random_below(&r->rc->rng, MOST);
        n = n < left ? n : left;
        if (!same_status(r, "status without order", b * RP_BLOCK,
                         codec->unordered(r->list, b, n, out)))
            return false;
        for (uint32_t k = 0; k < n; k++)
            if (!same_unordered_block(r, b + k, out + k * RP_BLOCK))
                return false;
        b += n;
    }
    return true;
}

bool row_check_list(row_check *rc, const rp__list *list, const uint32_t *docids,
                    const uint32_t *tfs)
{
    reading r = {rc, list, docids, tfs};
    return same_decoded(&r) && same_walk(&r) && same_blocks(&r) && same_skips(&r, 6) &&
           same_skips(&r, 16) && same_alone(&r) && same_tfs_alone(&r) && same_finds(&r) &&
           same_unordered(&r);
}
