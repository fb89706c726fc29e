/* probe_unordered.c: the probe of blocks decoded in an order of their own, plain: membership needs none, and
 * the codec that has it so decodes faster (bp128t). Where a posting stands follows from the codec's
 * permutation. */
#include "backend/cpu/probe_unordered.h"

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

bool rp__probe_unordered_applies(const rp__list *list, const rp__aux *hs)
{
    (void)hs;
    return list->codec && list->codec->unordered &&
           list->codec->ranks[RP_BLOCK - 1] == RP_BLOCK - 1;
}

bool rp__probe_unordered_fill(rp__probe *probe, uint32_t b)
{
    const rp__list *list = probe->list;
    if (rp__list_block_count(list, b) != RP_BLOCK)
        return rp__probe_block_fill(probe, b);
    if (list->codec->unordered(list, b, 1, probe->docs) ||
        probe->docs[RP_BLOCK - 1] >= list->universe ||
        (list->last && probe->docs[RP_BLOCK - 1] != list->last[b]))
        return rp__probe_block_damaged(probe);
    probe->block = b;
    probe->count = RP_BLOCK;
    probe->decoded += RP_BLOCK;
    probe->n_read++;
    return true;
}

static uint32_t slot_of(const uint32_t *slots, uint32_t count, uint32_t x)
{
    uint32_t slot = 0;
    while (slot < count && slots[slot] != x)
        slot++;
    return slot;
}

/* probe->at is the first block that may hold what comes next. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = probe->at = rp__probe_block_seek(list, probe->at, docids[i]);
        if (b == list->n_blocks)
            break;
        if ((probe->count == 0 || probe->block != b) && !rp__probe_unordered_fill(probe, b))
            return 0;
        uint32_t slot = slot_of(probe->docs, probe->count, docids[i]);
        if (slot == probe->count)
            continue;
        if (ranks)
            ranks[found] = rp__probe_unordered_rank(probe, slot);
        kept[found++] = i;
    }
    return found;
}

const rp__probe_row rp__probe_unordered_row = {"unordered", 0, rp__probe_unordered_applies, find};
