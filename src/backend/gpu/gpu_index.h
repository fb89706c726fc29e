/* backend/gpu/gpu_index.h: interior of gpu: an index that lies on a device, section by section, as on disk. */
#ifndef RP_BACKEND_GPU_GPU_INDEX_H
#define RP_BACKEND_GPU_GPU_INDEX_H

#include "backend/gpu/device.h"
#include "backend/gpu/kernels/args.h"
#include "index/index.h"

typedef struct rp__gpu_index {
    rp__device *device;
    struct {
        const uint8_t *host; /* mapped; only its address counts after the copy */
        size_t bytes;
        rp__cu_ptr at;
    } sections[RP_AUX_KINDS + 2];
    size_t n;
    size_t bytes;   /* of device memory */
    uint8_t *stage; /* pinned; while it is copied */
} rp__gpu_index;

/* Copies the segment's sections. RP_NO_MEMORY: they need more than `most` bytes (0: any number), or than the
 * device has. Reads mapped memory, though never by way of the driver: call it under the guard, and where that leaves
 * it, close what there is. */
rp_status rp__gpu_index_open(rp__gpu_index *index, rp__device *device, const rp__segment *segment,
                             uint64_t most);
void rp__gpu_index_close(rp__gpu_index *index); /* all zero is fine */

/* Where on the device lies what is mapped at `host`; 0 of NULL, or outside of all sections. */
uint64_t rp__gpu_index_at(const rp__gpu_index *index, const void *host);
/* The list as kernels get it. False: it is no list of a section (a tiny one is in the dictionary). */
bool rp__gpu_index_list(const rp__gpu_index *index, const rp__list *list, karg_list *out);

#endif
