/* term_iter.c: walks the dictionary in byte order from a prefix on, and passes over stretches of it. */
#include <string.h>

#include "index/segment.h"

/* Order of the current term against the prefix: below it, within it (0), or above. */
static int compare_prefix(const rp__term_iter *iter)
{
    size_t n = iter->term_bytes < iter->prefix_bytes ? iter->term_bytes : iter->prefix_bytes;
    int order = memcmp(iter->term, iter->prefix, n);
    return order != 0 ? order : iter->term_bytes < iter->prefix_bytes ? -1 : 0;
}

rp_status rp__term_iter_start(rp__term_iter *iter, const rp__segment *segment, const char *prefix,
                              size_t bytes)
{
    const rp__dictionary *d = &segment->dictionary;
    size_t block = 0;
    memset(iter, 0, offsetof(rp__term_iter, prefix));
    iter->segment = segment;
    iter->term_bytes = 0;
    iter->prefix_bytes = bytes;
    if (bytes >= sizeof iter->prefix || d->n_blocks == 0) {
        iter->block = d->n_blocks;
        return RP_OK;
    }
    memcpy(iter->prefix, prefix, bytes);
    rp_status status = rp__dictionary_find_block(d, prefix, bytes, &block);
    return status == RP_OK ? rp__dictionary_enter(d, block, iter) : status;
}

rp_status rp__term_iter_next(rp__term_iter *iter)
{
    const rp__dictionary *d = &iter->segment->dictionary;
    for (;;) {
        if (iter->left_in_block == 0) {
            if (iter->block + 1 >= d->n_blocks)
                return RP_NOT_FOUND;
            rp_status status = rp__dictionary_enter(d, (size_t)iter->block + 1, iter);
            if (status != RP_OK)
                return status;
        }
        rp_status status = rp__dictionary_read(d, iter);
        if (status != RP_OK)
            return status;
        int order = compare_prefix(iter);
        if (order == 0)
            return RP_OK;
        if (order > 0) {
            iter->left_in_block = 0;
            iter->block = d->n_blocks;
            return RP_NOT_FOUND;
        }
    }
}

rp_status rp__term_iter_skip(rp__term_iter *iter, size_t n)
{
    const rp__dictionary *d = &iter->segment->dictionary;
    for (;;) {
        while (iter->left_in_block > 0 && iter->at < iter->end && iter->at[0] >= n) {
            rp_status status = rp__dictionary_read(d, iter);
            if (status != RP_OK)
                return status;
        }
        if (iter->left_in_block > 0 || iter->block + 1 >= d->n_blocks)
            return RP_OK;
        size_t after = rp__dictionary_pass(d, (size_t)iter->block + 1, iter->term, n);
        if (after == iter->block + 1)
            return RP_OK;
        rp_status status = rp__dictionary_enter(d, after - 1, iter);
        if (status == RP_OK)
            status = rp__dictionary_read(d, iter);
        if (status != RP_OK)
            return status;
    }
}
