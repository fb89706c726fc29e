/* backend/gpu/intersect.h: interior of gpu: how the intersection of two lists on a device, A and B,
 * is cut into tiles.
 *
 * Order of calls: fill in a karg_intersect (lists, outputs, na, nb, universe, room); cut; give it
 * state; launch. */
#ifndef RP_BACKEND_GPU_INTERSECT_H
#define RP_BACKEND_GPU_INTERSECT_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"

/* A tile is docids of A, `each` a thread. */
void rp__intersect_cut_docids(uint32_t threads, uint32_t each, karg_intersect *args,
                              rp__launch *how);
/* A tile is a slice of the universe: at most 2^shift docids, fewer where the universe is small.
 * `shift` is at least 10, threads are at least 4 warps. */
void rp__intersect_cut_slices(uint32_t threads, uint32_t shift, karg_intersect *args,
                              rp__launch *how);
/* So many tiles, of a block of threads each, with so many words of shared memory beside those of
 * ordered_compaction.cuh. */
void rp__intersect_cut(uint32_t tiles, uint32_t threads, uint32_t words, karg_intersect *args,
                       rp__launch *how);
/* Bytes of state, which are zero before the first launch; after a cut. */
size_t rp__intersect_state(const karg_intersect *args);

#endif
