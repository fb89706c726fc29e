/* bp128v.h: what all rows of the block code bp128v share. Interior of the room.
 *
 * Byte 0 is the width w, as in bp128. A block of RP_BLOCK is then w groups of four 32-bit words,
 * one word a lane: lane l holds the values l, l + 4, l + 8 and so on, 32 of them, w bits each,
 * from the lowest bit of its word in group 0 on. Blocks of other lengths are those of bp128
 * (bitpack.h). */
#ifndef RP_CODEC_BP128V_H
#define RP_CODEC_BP128V_H

#include "codec/bitpack.h"

enum { RP_BP128V_LANES = 4 };

size_t rp__bp128v_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);
rp_status rp__bp128v_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__bp128v_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);

#endif
