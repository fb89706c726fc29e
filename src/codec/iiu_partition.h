/* iiu_partition.h: where iiu cuts a list. Open to sim, which makes images of its own. */
#ifndef RP_CODEC_IIU_PARTITION_H
#define RP_CODEC_IIU_PARTITION_H

#include <stddef.h>
#include <stdint.h>

enum {
    RP_IIU_BLOCK_COST = 96,      /* bits of a block beside its postings: metadata and skip value */
    RP_IIU_BLOCK_LARGEST = 2047, /* postings that the metadata can count */
};

/* What a block's gap width covers. The first posting of a block stores no gap, so its own gap is
 * free; the paper's cost (eq. 2) counts it too, that of a list's first posting being its docid. */
typedef enum rp__iiu_cost {
    RP_IIU_COST_FREE,
    RP_IIU_COST_PAPER,
    RP_IIU_COST_NONE, /* of packing alone: 31 bits for each gap and frequency, uncompressed */
} rp__iiu_cost;

size_t rp__iiu_partition_scratch(size_t n, uint32_t max_size); /* uint32 that a cut uses */
/* Cuts n >= 1 postings into blocks of at most max_size (1 to RP_IIU_BLOCK_LARGEST), so that the sum
 * over blocks of (gap width + tf width) * postings + RP_IIU_BLOCK_COST is the least there is; of
 * equal ones, the one whose last block is the shortest, and so on leftward. Widths are of the
 * largest gap that `of` counts, and of the largest tf. ends[i] postings lie in blocks 0 to i;
 * returns their number. */
size_t rp__iiu_partition_cut(const uint32_t *docids, const uint32_t *tfs, size_t n,
                             uint32_t max_size, rp__iiu_cost of, uint32_t *scratch, uint32_t *ends);

#endif
