/* bp128d4.h: what all rows of the docid codec bp128d4 share. Interior of the room.
 *
 * The last block of a list, unless it has RP_BLOCK docids, is a block of bp128 (bitpack.h). A full
 * one has the same bytes, but value i is docid i less docid i - 4. Before docid 0 there stand, for
 * this, the last one of the block before and the three numbers below it (-4 to -1 in a first
 * block). So four running sums go side by side, at the price of about a bit a docid; but bytes can
 * say what does not rise. */
#ifndef RP_CODEC_BP128D4_H
#define RP_CODEC_BP128D4_H

#include "codec/bitpack.h"
#include "codec/blocks.h"

enum { RP_BP128D4_STRIDE = 4 };

/* Docids of a block of n, as a code's decode_docids gives them; the plain row's. */
rp_status rp__bp128d4_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                             size_t n);

#endif
