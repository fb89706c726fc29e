/* bounds.c: the largest tf/(tf+K) of each block of a list, and the 10th, 100th and 1000th largest of all, in
 * the float arithmetic of the ranking itself. */
#include "index/bounds.h"

void rp__bounds_init(rp__bounds *b, const rp__lengths *lengths, const float *norms)
{
    *b = (rp__bounds){.lengths = lengths, .norms = norms};
}

uint8_t rp__bounds_block(rp__bounds *b, const uint32_t *docids, const uint32_t *tfs, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        float tf = (float)tfs[i];
        float ratio = tf / (tf + b->norms[rp__lengths_code(b->lengths, docids[i])]);
        most = ratio > most ? ratio : most;
        b->reached[rp__rank_reached(ratio)]++;
    }
    return rp__rank_block_bound(most);
}

/* What k postings reach: rounding keeps order, so counts of rounded ratios tell it. */
static uint8_t find_kth(const rp__bounds *b, uint64_t k)
{
    uint64_t n = 0;
    for (uint32_t q = UINT8_MAX; q > 0; q--)
        if ((n += b->reached[q]) >= k)
            return (uint8_t)q;
    return 0;
}

void rp__bounds_kths(const rp__bounds *b, uint8_t out[RP_LIST_KTHS])
{
    uint64_t k = 1;
    for (size_t i = 0; i < RP_LIST_KTHS; i++)
        out[i] = find_kth(b, k *= 10);
}
