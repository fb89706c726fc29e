/* bp128t.h: what all rows of the block code bp128t share. Interior of the room.
 *
 * The bytes of bp128 (bitpack.h), but a block of RP_BLOCK holds its values in another order: 16 lanes
 * of 8 ranks that follow each other, stored as 8 rows of 16. Slot 16r + l has rank 8l + r. So each row
 * added to the one above, and the sums of the lanes before, once a block, give all docids; only their
 * order is not that of the list. Blocks of other lengths are those of bp128. */
#ifndef RP_CODEC_BP128T_H
#define RP_CODEC_BP128T_H

#include "codec/bitpack.h"

enum { RP_BP128T_LANES = 16, RP_BP128T_ROWS = 8 };

extern const uint8_t rp__bp128t_ranks[RP_BLOCK]; /* by slot */

size_t rp__bp128t_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);
rp_status rp__bp128t_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__bp128t_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,
                                   uint32_t *out, size_t n);
rp_status rp__bp128t_decode_unordered(const uint8_t *in, size_t in_bytes, uint32_t base,
                                      uint32_t *out, size_t n);
rp_status rp__bp128t_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);

#endif
