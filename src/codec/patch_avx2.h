/* patch_avx2.h: whole lists of the PForDelta rows with AVX2, inline: one rp__patch for all blocks,
 * so that only what a block set is cleared for the next. Interior of the room. */
#ifndef RP_CODEC_PATCH_AVX2_H
#define RP_CODEC_PATCH_AVX2_H

#include "codec/blocks.h"
#include "codec/patch.h"

/* A row's `open`. */
typedef rp_status rp__patch_open_fn(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p);

/* A block opened on its way to docids. */
typedef struct rp__patch_avx2_block {
    rp__blocks_part part;
    rp__patch patch;
} rp__patch_avx2_block;

/* Opens block b, if there is one. */
static inline __attribute__((always_inline)) rp_status
rp__patch_avx2_open(rp__patch_avx2_block *block, const rp__list *list, uint32_t b,
                    rp__patch_open_fn *open)
{
    rp__blocks_part *k = &block->part;
    if (b >= list->n_blocks)
        return RP_OK;
    return rp__blocks_open(list, b, k) || open(k->in, k->in_bytes, k->count, &block->patch)
               ? RP_DAMAGED
               : RP_OK;
}

/* A block is opened before the one in front is decoded, since a load of many values waits for the
 * store of one among them. */
static inline __attribute__((always_inline)) rp_status
rp__patch_avx2_list(const rp__list *list, uint32_t *out, rp__patch_open_fn *open)
{
    rp__patch_avx2_block blocks[2];
    rp__patch_init_all(&blocks[0].patch);
    rp__patch_init_all(&blocks[1].patch);
    if (rp__patch_avx2_open(&blocks[0], list, 0, open))
        return RP_DAMAGED;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        const rp__patch_avx2_block *k = &blocks[b % 2];
        if (rp__patch_avx2_open(&blocks[(b + 1) % 2], list, b + 1, open) ||
            rp__patch_avx2_docids(&k->patch, k->part.base, out, k->part.count))
            return RP_DAMAGED;
        out += k->part.count;
        if (!rp__blocks_ends_so(list, b, out[-1]))
            return RP_DAMAGED;
    }
    return rp__blocks_end(list);
}

#endif
