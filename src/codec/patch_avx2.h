/* patch_avx2.h: whole lists of the PForDelta rows with AVX2, inline: one rp__patch for all blocks,
 * so that only what a block set is cleared for the next. Interior of the room. */
#ifndef RP_CODEC_PATCH_AVX2_H
#define RP_CODEC_PATCH_AVX2_H

#include "codec/blocks.h"
#include "codec/patch.h"

/* A row's `open`. */
typedef rp_status rp__patch_open_fn(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p);

static inline __attribute__((always_inline)) rp_status
rp__patch_avx2_list(const rp__list *list, uint32_t *out, rp__patch_open_fn *open)
{
    rp__patch p;
    rp__patch_init_all(&p);
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        rp__blocks_part k;
        if (rp__blocks_open(list, b, &k) || open(k.in, k.in_bytes, k.count, &p) ||
            rp__patch_avx2_docids(&p, k.base, out, k.count))
            return RP_DAMAGED;
        out += k.count;
        if (!rp__blocks_ends_so(list, b, out[-1]))
            return RP_DAMAGED;
    }
    return rp__blocks_end(list);
}

#endif
