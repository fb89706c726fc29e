/* backend/gpu/gpu_derive.h: interior of gpu: what is made of lists on the device, beside what the index has of them, many
 * at a time: bits of dense ones, which an AND looks up in one load, and docids of those in codecs that it does not
 * read. Frequencies stay where they are. */
#ifndef RP_BACKEND_GPU_GPU_DERIVE_H
#define RP_BACKEND_GPU_GPU_DERIVE_H

#include "backend/gpu/gpu_index.h"

enum { RP_GPU_DERIVE_ALIGN = 256 }; /* of the rooms below */

/* Bytes of device memory of a list's bits, with what else is needed to find ranks in them; of n docids. */
size_t rp__gpu_derive_bits_bytes(uint32_t universe);
size_t rp__gpu_derive_docids_bytes(uint32_t n);

/* What is to be made in `room`, all 0 at first, of the list of `word`, which is not a bitmap, and has `before` blocks of
 * others before it. *out: the word as it is then. */
karg_made rp__gpu_derive_bits(const karg_word *word, rp__cu_ptr room, uint32_t before, karg_word *out);
/* Docids need no room that is 0. */
karg_made rp__gpu_derive_docids(const karg_word *word, rp__cu_ptr room, uint32_t before, karg_word *out);
/* Makes n_lists, n_blocks in all, that lie at `lists` on the device; `found`: karg_found each, 0 at first: those whose
 * docids are not what their directories say are damaged. Does not wait. */
rp_status rp__gpu_derive_make(rp__device *device, rp__cu_ptr lists, rp__cu_ptr found, uint32_t n_lists,
                              uint32_t n_blocks);
/* Bits of one list alone, in `room`; waits. RP_DAMAGED: its docids are not what its directory says. */
rp_status rp__gpu_derive_bits_now(rp__device *device, const karg_word *word, rp__cu_ptr room, karg_word *out);

#endif
