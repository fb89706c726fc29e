/* plain_partition.h: the cut of iiu by the dynamic programme as it is written down: every start of
 * every block is looked at. The reference for iiu_partition.c. */
#ifndef RP_TESTS_PLAIN_PARTITION_H
#define RP_TESTS_PLAIN_PARTITION_H

#include <stdlib.h>

#include "base/bits.h"
#include "codec/iiu_partition.h"

static inline uint32_t larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t gap_width_at(const uint32_t *docids, size_t i)
{
    return rp__bits_width(i > 0 ? docids[i] - docids[i - 1] : docids[0]);
}

/* Bits of the block of postings from to end - 1. */
static inline uint64_t block_cost(const uint32_t *docids, const uint32_t *tfs, size_t from,
                                  size_t end, rp__iiu_cost of)
{
    uint32_t gap = 0, tf = 0;
    for (size_t i = from; i < end; i++) {
        tf = larger_of(tf, rp__bits_width(tfs[i]));
        gap = larger_of(gap, i > from || of == RP_IIU_COST_PAPER ? gap_width_at(docids, i) : 0);
    }
    return (uint64_t)(gap + tf) * (end - from) + RP_IIU_BLOCK_COST;
}

/* The last of equal starts wins. Widths are looked up, so that nothing but the programme takes
 * time: `widths` has 2 * n. costs has n + 1; starts[i] gets the start of the block that ends with
 * posting i. */
static inline uint64_t plain_partition(const uint32_t *docids, const uint32_t *tfs, size_t n,
                                       uint32_t max_size, rp__iiu_cost of, uint8_t *widths,
                                       uint64_t *costs, uint32_t *starts)
{
    for (size_t i = 0; i < n; i++) {
        widths[i] = (uint8_t)gap_width_at(docids, i);
        widths[n + i] = (uint8_t)rp__bits_width(tfs[i]);
    }
    costs[0] = 0;
    for (size_t i = 1; i <= n; i++) {
        size_t from = i > max_size ? i - max_size : 0;
        uint32_t gap = 0, tf = 0;
        costs[i] = UINT64_MAX;
        for (size_t j = i; j-- > from;) {
            tf = larger_of(tf, widths[n + j]);
            if (of == RP_IIU_COST_PAPER)
                gap = larger_of(gap, widths[j]);
            uint64_t cost = costs[j] + (uint64_t)(gap + tf) * (i - j) + RP_IIU_BLOCK_COST;
            if (cost < costs[i]) {
                costs[i] = cost;
                starts[i - 1] = (uint32_t)j;
            }
            gap = larger_of(gap, widths[j]);
        }
    }
    return costs[n];
}

#endif
