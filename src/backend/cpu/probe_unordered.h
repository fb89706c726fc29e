/* backend/cpu/probe_unordered.h: interior of cpu: what the rows of the probe without order
 * share. */
#ifndef RP_BACKEND_CPU_PROBE_UNORDERED_H
#define RP_BACKEND_CPU_PROBE_UNORDERED_H

#include "backend/cpu/probe.h"

bool rp__probe_unordered_applies(const rp__list *list, const rp__aux *hs);
/* Brings block b into probe->docs, in the codec's own order if it is full. False: RP_DAMAGED. */
bool rp__probe_unordered_fill(rp__probe *probe, uint32_t b);

/* The rank of the posting in that slot of the block brought in. */
static inline uint32_t rp__probe_unordered_rank(const rp__probe *probe, uint32_t slot)
{
    uint32_t first = rp__list_block_first(probe->list, probe->block);
    return first + (probe->count == RP_BLOCK ? probe->list->codec->ranks[slot] : slot);
}

#endif
