/* backend/gpu/gpu_derive.h: interior of gpu: what is made of lists on the device, beside what the index has of them:
 * bits of dense ones, which an AND looks up in one load; docids of those in codecs that kernels of queries do not read.
 * Frequencies stay where they are. */
#ifndef RP_BACKEND_GPU_GPU_DERIVE_H
#define RP_BACKEND_GPU_GPU_DERIVE_H

#include "backend/gpu/gpu_index.h"

/* Bytes of device memory of a list's bits, with what else is needed to find ranks in them. */
size_t rp__gpu_derive_bits_bytes(uint32_t universe);
/* Makes them in `room`, a multiple of 256, of the list of `word`, which is not a bitmap, and waits. *out: the word with
 * bits for its docids. RP_DAMAGED: its docids are not what its directory says. */
rp_status rp__gpu_derive_bits(rp__device *device, const karg_word *word, rp__cu_ptr room, karg_word *out);

/* Whether there is a way to the docids of a list, not tiny; and bytes of device memory that they take. */
bool rp__gpu_derive_has(const rp__list *list);
size_t rp__gpu_derive_docids_bytes(uint32_t n);
/* Makes them in `room`, a multiple of 256, and waits. *out: the list as a word of a query, but for its weight.
 * RP_UNAVAILABLE: there is no way, or its frequencies are in a code that kernels do not read. */
rp_status rp__gpu_derive_docids(const rp__gpu_index *index, const rp__list *list, rp__cu_ptr room,
                                karg_word *out);

#endif
