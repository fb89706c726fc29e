/* probe_binary.c: the probe by binary search, plain: each docid is sought in the whole array, as if none had been
 * sought before; of a compressed list in the whole directory, then in the block. The core's binary search of
 * Liu et al. 2018 (Griffin), Figure 13; others are faster. */
#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

/* Rising docids that are all searched; the rank of the first. */
typedef struct span {
    const uint32_t *docids;
    uint32_t count, first;
} span;

/* Of a compressed list the block that reaches target. False: none does, or it is damaged. */
static bool find_span(rp__probe *probe, uint32_t target, span *out)
{
    const rp__list *list = probe->list;
    if (!list->codec) {
        *out = (span){list->docids, list->n, 0};
        return true;
    }
    const uint32_t b =
        list->last ? rp__probe_block_halve(list->last, 0, list->n_blocks, target) : 0;
    if (b == list->n_blocks || !(out->docids = rp__probe_block_load(probe, b)))
        return false;
    out->count = probe->count;
    out->first = rp__list_block_first(list, b);
    return true;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    uint32_t found = 0;
    span in;
    for (uint32_t i = 0; i < n && find_span(probe, docids[i], &in); i++) {
        const uint32_t slot = rp__probe_block_halve(in.docids, 0, in.count, docids[i]);
        if (slot == in.count || in.docids[slot] != docids[i])
            continue;
        if (ranks)
            ranks[found] = in.first + slot;
        kept[found++] = i;
    }
    return probe->status ? 0 : found;
}

const rp__probe_row rp__probe_binary_row = {"binary", 0, applies, find};
