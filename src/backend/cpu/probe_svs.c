/* probe_svs.c: the probe by small-versus-small, plain: the directory says which block may hold a docid; that
 * block alone is decoded, and searched without a branch. */
#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

/* Those of the n docids that are in the block and at most its last; returns how many they were. */
static uint32_t search(const rp__probe *probe, const uint32_t *block, const uint32_t *docids,
                       uint32_t i, uint32_t n, uint32_t *kept, uint32_t *ranks, uint32_t *found)
{
    uint32_t last = block[probe->count - 1], k = *found;
    uint32_t first = rp__list_block_first(probe->list, probe->block);
    for (; i < n && docids[i] <= last; i++) {
        uint32_t slot = rp__probe_block_slot(block, probe->count, docids[i]);
        kept[k] = i;
        if (ranks)
            ranks[k] = first + slot;
        k += block[slot] == docids[i];
    }
    *found = k;
    return i;
}

/* probe->at is the first block that may hold what comes next. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n;) {
        probe->at = rp__probe_block_seek(list, probe->at, docids[i]);
        if (probe->at == list->n_blocks)
            break;
        const uint32_t *block = rp__probe_block_load(probe, probe->at);
        if (!block)
            return 0;
        uint32_t end = search(probe, block, docids, i, n, kept, ranks, &found);
        if (end == i && list->last)
            return rp__probe_block_damaged(probe);
        if (end == i) /* past the one block there is */
            probe->at = list->n_blocks;
        i = end;
    }
    return found;
}

const rp__probe_row rp__probe_svs_row = {"svs", 0, applies, find};
