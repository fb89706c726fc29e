/* probe_skip.c: the probe by a skip list, plain: pointers over RP_LIST_FAR blocks, then over one, are followed
 * one by one; the block they lead to is decoded and walked. The yardstick of Ao et al. 2011 for
 * processors; others are faster. */
#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

/* The last docid of block b; of one block that is compressed it is not known. */
static uint32_t last_of(const rp__list *list, uint32_t b)
{
    if (list->codec)
        return list->last ? list->last[b] : RP_NO_DOC;
    return list->docids[(b + 1 < list->n_blocks ? (b + 1) * RP_BLOCK : list->n) - 1];
}

/* Whether b has a pointer that passes RP_LIST_FAR blocks, and they do not reach target. */
static bool is_far(const rp__list *list, uint32_t b, uint32_t target)
{
    return b % RP_LIST_FAR == 0 && list->n_blocks - b > RP_LIST_FAR &&
           last_of(list, b + RP_LIST_FAR - 1) < target;
}

/* The first block from b on that reaches target; n_blocks: none. */
static uint32_t skip(const rp__list *list, uint32_t b, uint32_t target)
{
    while (b < list->n_blocks && last_of(list, b) < target)
        b += is_far(list, b, target) ? RP_LIST_FAR : 1;
    return b;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t found = 0, slot = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = skip(list, probe->at, docids[i]);
        slot = b == probe->at ? slot : 0;
        probe->at = b;
        if (b == list->n_blocks)
            break;
        const uint32_t *slots = rp__probe_block_load(probe, b);
        if (!slots)
            return 0;
        while (slot < probe->count && slots[slot] < docids[i])
            slot++;
        if (slot == probe->count || slots[slot] != docids[i])
            continue;
        if (ranks)
            ranks[found] = rp__list_block_first(list, b) + slot;
        kept[found++] = i;
    }
    return found;
}

const rp__probe_row rp__probe_skip_row = {"skip", 0, applies, find};
