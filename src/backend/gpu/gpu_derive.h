/* backend/gpu/gpu_derive.h: interior of gpu: what is made of lists on the device, beside what the index has of them, many
 * at a time: bits of dense ones, which an AND looks up in one load, docids of those in codecs that it does not read,
 * and frequencies of both, one u32 each. */
#ifndef RP_BACKEND_GPU_GPU_DERIVE_H
#define RP_BACKEND_GPU_GPU_DERIVE_H

#include "backend/gpu/gpu_index.h"

enum { RP_GPU_DERIVE_ALIGN = 256 }; /* of the rooms below */

/* Bytes of device memory of a list's bits, with what else is needed to find ranks in them; of n docids, or frequencies. */
size_t rp__gpu_derive_bits_bytes(uint32_t universe);
size_t rp__gpu_derive_words_bytes(uint32_t n);

/* What is to be made of the list of `word`, which is not a bitmap, and has `before` blocks of others before it: bits in
 * `room`, all 0 at first; docids in `room`. Frequencies go to `tfs`. *out: the word as it is then. */
karg_made rp__gpu_derive_bits(const karg_word *word, rp__cu_ptr room, rp__cu_ptr tfs, uint32_t before,
                              karg_word *out);
karg_made rp__gpu_derive_docids(const karg_word *word, rp__cu_ptr room, rp__cu_ptr tfs, uint32_t before,
                                karg_word *out);
/* Frequencies alone, of any list. */
karg_made rp__gpu_derive_tfs(const karg_word *word, rp__cu_ptr tfs, uint32_t before, karg_word *out);
/* Makes n_lists, n_blocks in all, that lie at `lists` on the device; `found`: karg_found each, 0 at first: those whose
 * docids are not what their directories say are damaged. Does not wait. */
rp_status rp__gpu_derive_make(rp__device *device, rp__cu_stream stream, rp__cu_ptr lists, rp__cu_ptr found, uint32_t n_lists,
                              uint32_t n_blocks);

#endif
