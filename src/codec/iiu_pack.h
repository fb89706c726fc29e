/* iiu_pack.h: blocks of iiu to bits. Open to sim, which makes images of its own. */
#ifndef RP_CODEC_IIU_PACK_H
#define RP_CODEC_IIU_PACK_H

#include "codec/iiu_partition.h"

typedef struct rp__iiu_blocks {
    const uint32_t *docids, *tfs; /* below 2^31 */
    const uint32_t *ends;         /* ends[i] postings lie in blocks 0 to i */
    size_t n_blocks;
    rp__iiu_cost of; /* gaps that widths cover; a block's first stored gap is 0 in any case */
} rp__iiu_blocks;

/* Writes 8 bytes of metadata and 4 of skip value a block, and the postings; returns their bits. Up
 * to 8 bytes behind the postings' last one are written too. */
uint64_t rp__iiu_pack(const rp__iiu_blocks *blocks, uint8_t *meta, uint8_t *skips, uint8_t *bits);

#endif
