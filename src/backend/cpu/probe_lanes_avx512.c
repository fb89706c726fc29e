/* probe_lanes_avx512.c: the probe that merges, with AVX-512: both lists are walked, sixteen docids and 32
 * postings at a time (probe_lanes_avx512.h). For lists of like length. */
#include "backend/cpu/probe_lanes_avx512.h"

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)hs;
    return !list->codec;
}

/* probe->at is the slot that comes next: a rank. The last block, where it is not full, has a copy with
 * nothing but RP_NO_DOC behind it. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    rp__lanes_search s = {docids, kept, ranks, n, 0};
    uint32_t i = 0, full = list->n / RP_BLOCK * RP_BLOCK;
    if (probe->at < full)
        probe->at = rp__lanes_merge(&s, &i, list->docids, probe->at, full, 0);
    if (i < n && full < list->n && probe->at < full + RP_BLOCK) {
        const uint32_t *rest = rp__probe_block_load(probe, list->n_blocks - 1);
        probe->at = full + rp__lanes_merge(&s, &i, rest, probe->at - full, RP_BLOCK, full);
    }
    return s.found;
}

const rp__probe_row rp__probe_lanes_avx512_row = {"lanes", RP_CPU_AVX512, applies, find};
