/* backend/gpu/gpu_derive.h: interior of gpu: what is made of lists on the device, beside what the index has of them:
 * bits of dense ones, which an AND looks up in one load. Frequencies stay where they are. */
#ifndef RP_BACKEND_GPU_GPU_DERIVE_H
#define RP_BACKEND_GPU_GPU_DERIVE_H

#include "backend/gpu/gpu_index.h"

/* Bytes of device memory of a list's bits, with what else is needed to find ranks in them. */
size_t rp__gpu_derive_bits_bytes(uint32_t universe);
/* Makes them in `room`, a multiple of 256, of the list of `word`, which is not a bitmap, and waits. *out: the word with
 * bits for its docids. RP_DAMAGED: its docids are not what its directory says. */
rp_status rp__gpu_derive_bits(rp__device *device, const karg_word *word, rp__cu_ptr room, karg_word *out);

#endif
