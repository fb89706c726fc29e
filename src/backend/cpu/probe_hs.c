/* probe_hs.c: the probe by hash segmentation, plain: the leading bits of a docid name its bucket, and where
 * that begins is stored. Of a whole batch, first the starts and then the postings are asked for, so that
 * what is far away comes together. Source: Ao et al. 2011, 4.4. */
#include "backend/cpu/probe_hs.h"

#include "backend/cpu/probe_rows.h"

bool rp__probe_hs_applies(const rp__list *list, const rp__aux *hs)
{
    return !list->codec && hs && hs->starts && hs->n == list->n;
}

uint32_t rp__probe_hs_inside(const rp__aux *hs, const uint32_t *docids, uint32_t n)
{
    while (n > 0 && (uint64_t)docids[n - 1] >> hs->shift >= hs->n_buckets)
        n--;
    return n;
}

/* Whether they lie so far apart that the processor would wait for each. */
static bool are_far(const rp__aux *hs, const uint32_t *docids, uint32_t n)
{
    const uint64_t near = 8; /* buckets to the next docid that the processor foresees by itself */
    return n > 0 && (uint64_t)(docids[n - 1] - docids[0]) >> hs->shift >= near * n;
}

void rp__probe_hs_prefetch(const rp__probe *probe, const uint32_t *docids, uint32_t n)
{
    const rp__aux *hs = probe->hs;
    const uint64_t shift = hs->shift;
    if (!are_far(hs, docids, n))
        return;
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(hs->starts + (docids[i] >> shift));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *at = probe->list->docids + hs->starts[docids[i] >> shift];
        __builtin_prefetch(at); /* of damaged starts, anywhere */
        __builtin_prefetch(at + 15);
    }
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__aux *hs = probe->hs;
    uint32_t found = 0;
    n = rp__probe_hs_inside(hs, docids, n);
    rp__probe_hs_prefetch(probe, docids, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)((uint64_t)docids[i] >> hs->shift);
        uint32_t rank = rp__probe_hs_rank(probe->list, hs->starts[h], hs->starts[h + 1], docids[i]);
        kept[found] = i;
        if (ranks)
            ranks[found] = rank;
        found += rank < probe->list->n;
    }
    return found;
}

const rp__probe_row rp__probe_hs_row = {"hs", 0, rp__probe_hs_applies, find};
