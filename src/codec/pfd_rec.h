/* pfd_rec.h: what all rows of the docid codec pfd_rec share. Interior of the room.
 *
 * The list's gaps (less one, from the docid before) have one width b: their b low bits lie in one
 * array. Exceptions are kept by groups of 512 gaps. A group's exceptions are two arrays, their
 * steps (the distance from the exception before, less one; the first one's position) and their
 * high parts (gap >> b, less one), each coded the same way again, `level` times; what lies below
 * has no exceptions. So a group is a tree of arrays: array i has steps 2i+1 and highs 2i+2; array 0
 * is the gaps, and those from 2^(level+1) - 1 on have no exceptions. One width an array number for
 * the whole list.
 *
 * Bytes: 0 the level (0 to 4), plus 128 where no group has exceptions; 1 b (0 to 32). With
 * exceptions the widths of arrays 1 to 2^(level+2) - 2 follow, a byte each, then for each group,
 * in 4 bytes, where it starts after the lows. Then the lows: gap i in bits i*b to i*b + b - 1, up
 * to a full byte. Then the groups: the number of exceptions of array 0 (2 bytes), then, in order,
 * each other array that has values: if it may have exceptions their number (1 byte, at most a
 * quarter of its values), then its low bits up to a full byte.
 *
 * A block of 128 gaps starts at a full byte of the lows, and needs its own group's exceptions and
 * no other's: decoding one block costs at most the exceptions of four. */
#ifndef RP_CODEC_PFD_REC_H
#define RP_CODEC_PFD_REC_H

#include "codec/patch.h"

rp_status rp__pfd_rec_block_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                               uint32_t *out);
rp_status rp__pfd_rec_decode_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t *out);

#endif
