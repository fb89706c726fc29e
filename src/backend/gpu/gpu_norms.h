/* backend/gpu/gpu_norms.h: interior of gpu: what documents' lengths do to their scores, in device memory. */
#ifndef RP_BACKEND_GPU_GPU_NORMS_H
#define RP_BACKEND_GPU_GPU_NORMS_H

#include "backend/backend.h"
#include "backend/gpu/gpu_index.h"

/* The table of one searcher. All zero: none yet. */
typedef struct rp__gpu_norms {
    rp__cu_ptr table;
    float *stage;      /* pinned, on its way there */
    const float *from; /* the searcher's, which do not change while it lives */
    karg_norms args;   /* as kernels have them */
} rp__gpu_norms;

/* Those of the query, on the device; copied, and waited for, where they are others than before. RP_NO_MEMORY: also
 * where they need more than `most` bytes (0: any number). RP_UNAVAILABLE: also where the index has no lengths there. */
rp_status rp__gpu_norms_put(rp__gpu_norms *norms, rp__device *device, const rp__gpu_index *index,
                            const rp__query *query, uint64_t most);
/* Waits for all that the device has to do. */
void rp__gpu_norms_free(rp__gpu_norms *norms, rp__device *device);

#endif
