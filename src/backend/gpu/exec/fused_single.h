/* backend/gpu/exec/fused_single.h: interior of exec: the rows and-single, and-persistent and
 * or-accumulate: one query a launch.
 *
 * An AND is one launch, or none where the persistent kernel takes it. An OR whose documents are all
 * counted is two. Terms travel with the launch. The kernel writes the answer into memory of the
 * host, and a number last, which the host looks for. */
#ifndef RP_BACKEND_GPU_EXEC_FUSED_SINGLE_H
#define RP_BACKEND_GPU_EXEC_FUSED_SINGLE_H

#include "backend/gpu/exec/exec_stage.h"

struct rp__flight;

typedef struct rp__fused_single {
    rp__exec_stage stage;
    uint32_t number; /* of the last query */
} rp__fused_single;

/* Hooks of launch_table.h. */
rp_status rp__fused_single_begin(struct rp__flight *flight);
rp_status rp__fused_single_scratch(struct rp__flight *flight);
rp_status rp__fused_single_find(struct rp__flight *flight);
rp_status rp__fused_single_launch(struct rp__flight *flight);
bool rp__fused_single_is_done(const struct rp__flight *flight);
rp_status rp__fused_single_wait(struct rp__flight *flight);
rp_status rp__fused_single_take(struct rp__flight *flight);
rp_status rp__fused_single_settle(struct rp__flight *flight);

#endif
