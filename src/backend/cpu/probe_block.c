/* probe_block.c: blocks of a list that is probed.
 *
 * Decodes through the checked door of codec alone, so that docids of a block rise and end where the
 * directory says. Compressed lists are searched by their two levels of last docids; arrays by their own
 * docids, a block apart. */
#include "backend/cpu/probe_block.h"

#include <string.h>

enum { NEAR = 16 }; /* blocks looked at together before jumping */

bool rp__probe_block_fill(rp__probe *probe, uint32_t b)
{
    const rp__list *list = probe->list;
    probe->block = b;
    if (list->codec) {
        if (rp__list_block(list, b, probe->docs, &probe->count))
            return rp__probe_block_damaged(probe);
        probe->decoded += probe->count;
        probe->n_read++;
    } else {
        probe->count = rp__list_block_count(list, b);
        if (probe->count % RP_BLOCK)
            memcpy(probe->docs, list->docids + (size_t)b * RP_BLOCK,
                   probe->count * sizeof(uint32_t));
    }
    if (probe->count % RP_BLOCK)
        memset(probe->docs + probe->count, 0xFF,
               (RP_BLOCK - probe->count % RP_BLOCK) * sizeof(uint32_t));
    return true;
}

/* ---- Seeking ----------------------------------------------------------------------------------- */

/* One level of the directory: n entries, `step` apart; the last one, which arrays may end before, is `end`. */
typedef struct level {
    const uint32_t *at;
    uint32_t step, n, end;
} level;

static inline uint32_t entry(const level *l, uint32_t i)
{
    return i + 1 < l->n ? l->at[(size_t)i * l->step] : l->end;
}

/* The first of [from, to) that is at least target, else `to`. */
static inline uint32_t halve(const level *l, uint32_t from, uint32_t to, uint32_t target)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (entry(l, middle) < target)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The same from `from` on, by steps that double. */
static inline uint32_t gallop(const level *l, uint32_t from, uint32_t target)
{
    uint32_t low = from, high = from, step = 1;
    while (high < l->n && entry(l, high) < target) {
        low = high + 1;
        high = l->n - high > step ? high + step : l->n;
        step *= 2;
    }
    return halve(l, low, high, target);
}

static uint32_t seek_array(const rp__list *list, uint32_t from, uint32_t target)
{
    level blocks = {list->docids + RP_BLOCK - 1, RP_BLOCK, list->n_blocks,
                    list->docids[list->n - 1]};
    return gallop(&blocks, from, target);
}

/* How many of NEAR last docids are below target; compilers make SIMD of it. */
static uint32_t count_near(const uint32_t *last, uint32_t target)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < NEAR; k++)
        count += last[k] < target;
    return count;
}

static uint32_t seek_far(const rp__list *list, uint32_t from, uint32_t target)
{
    uint32_t n_far = (list->n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR;
    level far = {list->last_far, 1, n_far, list->last_far[n_far - 1]};
    level near = {list->last, 1, list->n_blocks, list->last[list->n_blocks - 1]};
    uint32_t k = gallop(&far, from / RP_LIST_FAR, target), begin = k * RP_LIST_FAR;
    if (k == n_far)
        return list->n_blocks;
    uint32_t end = list->n_blocks - begin > RP_LIST_FAR ? begin + RP_LIST_FAR : list->n_blocks;
    return halve(&near, begin > from ? begin : from, end, target);
}

uint32_t rp__probe_block_seek(const rp__list *list, uint32_t from, uint32_t target)
{
    if (from >= list->n_blocks)
        return list->n_blocks;
    if (!list->codec)
        return seek_array(list, from, target);
    if (!list->last) /* one block: what it ends with is not known before it is decoded */
        return 0;
    if (list->n_blocks - from < NEAR)
        return seek_far(list, from, target);
    uint32_t near = count_near(list->last + from, target);
    return near < NEAR ? from + near : seek_far(list, from + NEAR, target);
}
