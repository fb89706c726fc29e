/* bp128t.h: what all rows of the block code bp128t share. Interior of the room.
 *
 * The bytes of bp128 (bitpack.h), but a block of RP_BLOCK holds its values in another order: 16
 * lanes of 8 ranks that follow each other, stored as 8 rows of 16. Slot 16r + l has rank 8l + r. So
 * each row added to the one above, and the sums of the lanes before, once a block, give all docids;
 * only their order is not that of the list. Blocks of other lengths are those of bp128. */
#ifndef RP_CODEC_BP128T_H
#define RP_CODEC_BP128T_H

#include "codec/bitpack.h"
#include "codec/list.h"

enum { RP_BP128T_LANES = 16, RP_BP128T_ROWS = 8 };

size_t rp__bp128t_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);
rp_status rp__bp128t_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__bp128t_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                   size_t n);
rp_status rp__bp128t_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);

/* A block's docids as decode_docids gives them, but RP_BLOCK of them by slot. */
typedef rp_status (*rp__bp128t_rows)(const uint8_t *in, size_t in_bytes, uint32_t base,
                                     uint32_t *out, size_t n);
rp_status rp__bp128t_plain_rows(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                size_t n);

/* The row's member `unordered`; called with a function that is known, it is inlined. */
static inline rp_status rp__bp128t_unordered_with(const rp__list *list, uint32_t b,
                                                  uint32_t n_blocks, uint32_t *out,
                                                  rp__bp128t_rows rows)
{
    for (uint32_t end = b + n_blocks; b < end; b++, out += RP_BLOCK) {
        uint32_t base = b ? list->last[b - 1] : UINT32_MAX;
        const uint8_t *in;
        size_t in_bytes;
        if (rp__list_bytes(list, b, &in, &in_bytes) ||
            rows(in, in_bytes, base, out, rp__list_count(list, b)))
            return RP_DAMAGED;
    }
    return RP_OK;
}

#endif
