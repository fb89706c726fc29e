/* backend/gpu/gpu_bits.h: interior of gpu: dense lists as bits, beside what the index has of them. */
#ifndef RP_BACKEND_GPU_GPU_BITS_H
#define RP_BACKEND_GPU_GPU_BITS_H

#include "backend/gpu/gpu_index.h"

/* Bytes of device memory of a list's bits, and of what else is needed to find ranks in them. */
size_t rp__gpu_bits_bytes(uint32_t universe);

/* Makes them in `room`, a multiple of 256, of the list of `word`, which is not a bitmap, and waits. *out: the word with
 * bits for its docids; its frequencies stay where they are. RP_DAMAGED: its docids are not what its directory says. */
rp_status rp__gpu_bits_derive(rp__device *device, const karg_word *word, rp__cu_ptr room, karg_word *out);

#endif
