/* backend/cpu/probe_bitmap.h: interior of cpu: what the rows of the bitmap probe share. */
#ifndef RP_BACKEND_CPU_PROBE_BITMAP_H
#define RP_BACKEND_CPU_PROBE_BITMAP_H

#include "backend/cpu/probe.h"

bool rp__probe_bitmap_applies(const rp__list *list, const rp__aux *hs);
/* The ranks of docids[kept[i]], whose bits are set. Returns n; 0: RP_DAMAGED. */
uint32_t rp__probe_bitmap_ranks(rp__probe *probe, const rp__bitmap_view *v, const uint32_t *docids,
                                const uint32_t *kept, uint32_t n, uint32_t *ranks);

#endif
