/* probe_gallop.c: the probe that gallops, plain: from where it stands its steps double until they pass the docid,
 * then halve. Over blocks by the directory first, where the list is compressed. */
#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

/* The first of n rising docids from `from` on that is at least target, else n. */
static uint32_t gallop(const uint32_t *docids, uint32_t from, uint32_t n, uint32_t target)
{
    uint32_t low = from, high = from, step = 1;
    while (high < n && docids[high] < target) {
        low = high + 1;
        high = n - high > step ? high + step : n;
        step *= 2;
    }
    return rp__probe_block_halve(docids, low, high, target);
}

/* Galloping over the slots of one run of docids, from *slot on, until either ends. */
static uint32_t find_in(const uint32_t *slots, uint32_t count, uint32_t *slot,
                        const uint32_t *docids, uint32_t i, uint32_t n, uint32_t first,
                        uint32_t *kept, uint32_t *ranks, uint32_t *found)
{
    for (; i < n; i++) {
        *slot = gallop(slots, *slot, count, docids[i]);
        if (*slot == count)
            break;
        if (slots[*slot] != docids[i])
            continue;
        if (ranks)
            ranks[*found] = first + *slot;
        kept[(*found)++] = i;
    }
    return i;
}

/* The first block from probe->at on that reaches target; list->n_blocks: none. */
static uint32_t next_block(const rp__probe *probe, uint32_t target)
{
    const rp__list *list = probe->list;
    return list->last ? gallop(list->last, probe->at, list->n_blocks, target) : probe->at;
}

/* Of arrays, probe->at is the rank that comes next; of others, the block. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t found = 0;
    if (!list->codec) {
        find_in(list->docids, list->n, &probe->at, docids, 0, n, 0, kept, ranks, &found);
        return found;
    }
    for (uint32_t i = 0; i < n && probe->at < list->n_blocks; probe->at += i < n) {
        probe->at = next_block(probe, docids[i]);
        if (probe->at == list->n_blocks)
            break;
        const uint32_t *slots = rp__probe_block_load(probe, probe->at);
        if (!slots)
            return 0;
        uint32_t slot = 0, first = rp__list_block_first(list, probe->at);
        i = find_in(slots, probe->count, &slot, docids, i, n, first, kept, ranks, &found);
    }
    return found;
}

const rp__probe_row rp__probe_gallop_row = {"gallop", 0, applies, find};
