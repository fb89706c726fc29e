/* lab_work.c: what can be done to an encoded list, each in a loop that a clock can be put around:
 * chapter 3 of lab/lab.h.
 *
 * The loops are those of the engine: the row's functions, or a cursor where the row has none. */
#include "base/error.h"
#include "lab/lab_list.h"

enum { BATCH = 16 }; /* blocks decoded at once without order: 8 KiB, a part of the smallest L1 */

/* Three places say whether an array was written; all of them would be a second pass over it. */
static uint64_t sum_of(const uint32_t *v, uint32_t n)
{
    return (uint64_t)v[0] + v[n / 2] + v[n - 1];
}

rp_status rp__lab_decode(const rp__lab_list *list, uint32_t *docids, uint32_t *tfs, uint64_t *sum)
{
    if (RP_MISSING(NULL, list, docids, sum))
        return RP_USAGE;
    rp_status status = rp__list_decode(&list->list, docids, tfs);
    if (status == RP_OK)
        *sum = sum_of(docids, list->list.n) + (tfs ? sum_of(tfs, list->list.n) : 0);
    return status;
}

rp_status rp__lab_blocks(const rp__lab_list *list, uint64_t *sum)
{
    if (RP_MISSING(NULL, list, sum))
        return RP_USAGE;
    rp__cursor cursor;
    uint64_t s = 0;
    rp__cursor_open(&cursor, &list->list);
    while (cursor.docid != RP_NO_DOC) {
        const uint32_t *docids;
        uint32_t n = rp__cursor_block(&cursor, &docids);
        s += docids[n - 1];
        rp__cursor_next_block(&cursor);
    }
    *sum = s;
    return cursor.status;
}

rp_status rp__lab_unordered(const rp__lab_list *list, uint64_t *sum)
{
    if (RP_MISSING(NULL, list, sum))
        return RP_USAGE;
    _Alignas(64) uint32_t out[BATCH * RP_BLOCK + RP_BLOCK_CAPACITY];
    const rp__list *l = &list->list;
    uint64_t s = 0;
    if (!l->codec->unordered)
        return RP_USAGE;
    for (uint32_t b = 0; b < l->n_blocks; b += BATCH) {
        uint32_t n = l->n_blocks - b < BATCH ? l->n_blocks - b : BATCH;
        rp_status status = l->codec->unordered(l, b, n, out);
        if (status != RP_OK)
            return status;
        for (uint32_t k = 0; k < n; k++)
            s += out[k * RP_BLOCK];
    }
    *sum = s;
    return RP_OK;
}

/* Rows trust the rank. One maximum over all is a small part of what one look-up costs each. */
static bool are_ranks(const uint32_t *ranks, size_t n, uint32_t below)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = ranks[i] > most ? ranks[i] : most;
    return most < below;
}

rp_status rp__lab_at(const rp__lab_list *list, const uint32_t *ranks, size_t n_ranks, uint64_t *sum)
{
    if (RP_MISSING(NULL, list, sum) || RP_MISSING_ARRAY(NULL, ranks, n_ranks))
        return RP_USAGE;
    const rp__list *l = &list->list;
    uint64_t s = 0;
    if (!l->codec->at || !are_ranks(ranks, n_ranks, l->n))
        return RP_USAGE;
    for (size_t i = 0; i < n_ranks; i++) {
        uint32_t docid;
        rp_status status = l->codec->at(l, ranks[i], &docid);
        if (status != RP_OK)
            return status;
        s += docid;
    }
    *sum = s;
    return RP_OK;
}

static rp_status find_by_row(const rp__list *l, const uint32_t *targets, size_t n, uint64_t *sum)
{
    uint64_t s = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t rank, docid;
        rp_status status = l->codec->find(l, targets[i], &rank, &docid);
        if (status != RP_OK)
            return status;
        s += docid;
    }
    *sum = s;
    return RP_OK;
}

/* A cursor goes forward only; for every target it is put back to where `home` stays. That costs a few
 * words, where opening it again would decode the first block. */
static rp_status find_by_cursor(const rp__list *l, const uint32_t *targets, size_t n, uint64_t *sum)
{
    rp__cursor home, cursor;
    uint64_t s = 0;
    rp__cursor_open(&home, l);
    rp__cursor_open(&cursor, l);
    for (size_t i = 0; i < n && cursor.status == RP_OK; i++) {
        cursor.docid = home.docid;
        cursor.block = home.block;
        cursor.slot = home.slot;
        cursor.count = home.count;
        cursor.at = home.at;
        s += rp__cursor_next_geq(&cursor, targets[i]);
    }
    *sum = s;
    return cursor.status;
}

rp_status rp__lab_find(const rp__lab_list *list, const uint32_t *targets, size_t n_targets,
                       uint64_t *sum)
{
    if (RP_MISSING(NULL, list, sum) || RP_MISSING_ARRAY(NULL, targets, n_targets))
        return RP_USAGE;
    const rp__list *l = &list->list;
    return l->codec->find ? find_by_row(l, targets, n_targets, sum)
                          : find_by_cursor(l, targets, n_targets, sum);
}

rp_status rp__lab_walk(const rp__lab_list *list, const uint32_t *targets, size_t n_targets,
                       uint64_t *sum)
{
    if (RP_MISSING(NULL, list, sum) || RP_MISSING_ARRAY(NULL, targets, n_targets))
        return RP_USAGE;
    rp__cursor cursor;
    uint64_t s = 0;
    rp__cursor_open(&cursor, &list->list);
    for (size_t i = 0; i < n_targets; i++)
        s += rp__cursor_next_geq(&cursor, targets[i]);
    *sum = s;
    return cursor.status;
}
