/* probe_merge.c: the probe that merges, plain: both lists are walked posting by posting. The yardstick of
 * all others, and best where the lists are of like length and there is no SIMD. */
#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

/* What is common to docids from *i on and the slots of a block from *slot on; ends with one of them. */
static uint32_t merge(const uint32_t *docids, uint32_t n, uint32_t *i, const uint32_t *block,
                      uint32_t count, uint32_t *slot, uint32_t first, uint32_t *kept,
                      uint32_t *ranks)
{
    uint32_t a = *i, b = *slot, found = 0;
    while (a < n && b < count) {
        if (docids[a] < block[b]) {
            a++;
        } else if (docids[a] > block[b]) {
            b++;
        } else {
            if (ranks)
                ranks[found] = first + b;
            kept[found++] = a++;
            b++;
        }
    }
    *i = a;
    *slot = b;
    return found;
}

static uint32_t find_in_array(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                              uint32_t *ranks)
{
    uint32_t i = 0;
    return merge(docids, n, &i, probe->list->docids, probe->list->n, &probe->at, 0, kept, ranks);
}

/* probe->at is the rank that comes next. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t i = 0, found = 0;
    if (!list->codec)
        return find_in_array(probe, docids, n, kept, ranks);
    while (i < n && probe->at < list->n) {
        uint32_t b = probe->count == 0 ? 0 : probe->block;
        uint32_t first = rp__list_block_first(list, b);
        if (probe->count && probe->at == first + probe->count)
            first = rp__list_block_first(list, ++b);
        const uint32_t *block = rp__probe_block_load(probe, b);
        if (!block)
            return 0;
        uint32_t slot = probe->at - first;
        found += merge(docids, n, &i, block, probe->count, &slot, first, kept + found,
                       ranks ? ranks + found : NULL);
        probe->at = first + slot;
    }
    return found;
}

const rp__probe_row rp__probe_merge_row = {"merge", 0, applies, find};
