/* backend/gpu/residency/device_norms.h: interior of gpu: what documents' lengths do to their
 * scores, on the device, once for all searchers whose values are the same. */
#ifndef RP_BACKEND_GPU_DEVICE_NORMS_H
#define RP_BACKEND_GPU_DEVICE_NORMS_H

#include "backend/backend.h"
#include "backend/gpu/gpu_index.h"
#include "backend/gpu/residency/lease.h"

/* Which norms an exec has, so that values are hashed once. All zero: none yet. */
typedef struct rp__device_norms {
    const float *from; /* the searcher's, which do not change while it lives */
    uint32_t n;
    bool is_iiu;
    uint64_t key;
    uint32_t serial; /* of the entry whose values were seen to be these */
} rp__device_norms;

/* Those of the query, for the lease that has begun. False: they are not there. *serial tells them
 * from others. */
bool rp__device_norms_find(rp__device_norms *norms, rp__lease *lease, const rp__gpu_index *index,
                           const rp__query *query, karg_norms *out, uint32_t *serial);
/* Uploads and publishes them, by a lease that has not begun; it has ended then. Waits. */
rp_status rp__device_norms_bring(rp__device_norms *norms, rp__lease *lease, const rp__query *query);

#endif
