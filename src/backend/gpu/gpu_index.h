/* backend/gpu/gpu_index.h: interior of gpu: an index that lies on a device, section by section, as
 * on disk. */
#ifndef RP_BACKEND_GPU_GPU_INDEX_H
#define RP_BACKEND_GPU_GPU_INDEX_H

#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/residency.h"

/* Any thread may read it; queries on the same card, from whatever device, have it in common. */
typedef struct rp__gpu_index {
    rp__device *device;
    rp__residency *residency; /* NULL: there is none */
} rp__gpu_index;

/* As rp__residency_get; where the guard leaves it, close what there is. */
rp_status rp__gpu_index_open(rp__gpu_index *index, rp__device *device, const rp__segment *segment,
                             uint64_t limit);
void rp__gpu_index_close(rp__gpu_index *index); /* all zero is fine */

/* Where on the device lies what is mapped at `host`; 0 of NULL, or outside of the sections that are
 * there. */
uint64_t rp__gpu_index_at(const rp__gpu_index *index, const void *host);
/* The list as kernels get it, but for addresses. */
karg_list rp__gpu_index_sizes(const rp__list *list);
/* Offsets of one width or the other, 0 where there are none, as kernels tell them apart. */
uint64_t rp__gpu_index_offsets(uint64_t wide, uint64_t narrow);
/* The list as kernels get it. False: it is no list of a section (a tiny one is in the dictionary),
 * or lists come and go (stored_lists.h). */
bool rp__gpu_index_list(const rp__gpu_index *index, const rp__list *list, karg_list *out);

#endif
