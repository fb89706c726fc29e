/* backend/cpu/probe_hs.h: interior of cpu: what the rows of the probe by hash segmentation
 * share. */
#ifndef RP_BACKEND_CPU_PROBE_HS_H
#define RP_BACKEND_CPU_PROBE_HS_H

#include "backend/cpu/probe.h"

bool rp__probe_hs_applies(const rp__list *list, const rp__aux *hs);
/* How many of the docids fall into a bucket that there is. */
uint32_t rp__probe_hs_inside(const rp__aux *hs, const uint32_t *docids, uint32_t n);
/* Asks for the buckets' starts, then for the postings where they begin, of docids that lie
 * apart. */
void rp__probe_hs_prefetch(const rp__probe *probe, const uint32_t *docids, uint32_t n);

/* The rank of x in the array, which is in the bucket given by its bounds; list->n: it is not
 * there. */
static inline uint32_t rp__probe_hs_rank(const rp__list *list, uint32_t lo, uint32_t hi, uint32_t x)
{
    for (hi = hi < list->n ? hi : list->n; lo < hi && list->docids[lo] < x;)
        lo++;
    return lo < hi && list->docids[lo] == x ? lo : list->n;
}

#endif
