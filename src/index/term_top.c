/* term_top.c: the terms with the most documents among those that begin with a prefix.
 *
 * Terms are taken in byte order; a block none of whose terms has more documents than the last one
 * kept is passed over unread, where the dictionary says what its terms have at most. */
#include <string.h>

#include "index/segment.h"

typedef struct top {
    rp__term_top *at;
    size_t n, most;
} top;

/* A term that has no more documents than the last one kept comes after it. */
static bool is_enough(const top *t, uint32_t df)
{
    return t->n == t->most && (t->n == 0 || df <= t->at[t->n - 1].df);
}

static void keep(top *t, const rp__term_iter *iter)
{
    size_t i = t->n < t->most ? t->n++ : t->n - 1;
    for (; i > 0 && t->at[i - 1].df < iter->entry.df; i--)
        t->at[i] = t->at[i - 1];
    memcpy(t->at[i].term, iter->term, iter->term_bytes);
    t->at[i].term_bytes = (uint32_t)iter->term_bytes;
    t->at[i].df = iter->entry.df;
}

/* Moves a walk that stands before a block to the next one that may add something. */
static rp_status pass_blocks(const rp__dictionary *d, const top *t, size_t end, rp__term_iter *iter)
{
    size_t block = (size_t)iter->block + 1;
    if (!d->mosts || iter->left_in_block > 0 || block >= end || !is_enough(t, d->mosts[block]))
        return RP_OK;
    while (block < end && is_enough(t, d->mosts[block]))
        block++;
    if (block < end)
        return rp__dictionary_enter(d, block, iter);
    iter->block = d->n_blocks; /* the end */
    return RP_OK;
}

rp_status rp__term_top_find(const rp__segment *segment, const char *prefix, size_t bytes,
                            uint64_t visits, rp__term_top *out, size_t *n)
{
    const rp__dictionary *d = &segment->dictionary;
    top t = {.at = out, .most = *n};
    rp__term_iter iter;
    rp_status status = rp__term_iter_start(&iter, segment, prefix, bytes);
    size_t end = bytes <= sizeof(uint64_t)
                     ? rp__dictionary_pass(d, (size_t)iter.block, prefix, bytes)
                     : d->n_blocks;
    *n = 0;
    while (status == RP_OK) {
        status = pass_blocks(d, &t, end, &iter);
        if (status == RP_OK)
            status = rp__term_iter_next(&iter);
        if (status == RP_OK && visits-- == 0)
            status = RP_LIMIT;
        if (status == RP_OK && !is_enough(&t, iter.entry.df))
            keep(&t, &iter);
    }
    *n = t.n;
    return status == RP_NOT_FOUND ? RP_OK : status;
}
