/* backend/gpu/exec/exec_stage.h: interior of gpu: memory that queries leave for the next one, on
 * both sides. */
#ifndef RP_BACKEND_GPU_EXEC_EXEC_STAGE_H
#define RP_BACKEND_GPU_EXEC_EXEC_STAGE_H

#include "backend/backend.h"
#include "backend/gpu/exec/persistent_kernel.h"
#include "backend/gpu/residency/lease.h"

enum {
    RP_EXEC_STAGE_ALIGN = 256,
    /* where in the stage what is staged begins: behind an answer */
    RP_EXEC_STAGE_STAGED =
        (sizeof(karg_answer) + KARG_ANSWER_MAX_K * sizeof(karg_pair) + RP_EXEC_STAGE_ALIGN - 1) /
        RP_EXEC_STAGE_ALIGN * RP_EXEC_STAGE_ALIGN,
};

/* One thread at a time; all zero is closed. */
typedef struct rp__exec_stage {
    rp__device *device;
    rp__persistent_kernel kernel; /* leaves before anything here moves */
    /* pinned, and read and written by the device: the answer, and behind it what goes there */
    uint8_t *stage;
    size_t stage_bytes;
    size_t kept;         /* of them behind the answer that the persistent kernel may have read */
    rp__cu_ptr stage_at; /* to the device */
    /* device memory: what was found, which is nothing between queries, and what a query needs */
    rp__scratch scratch;
    uint32_t norms; /* serial of those that the persistent kernel may have read */
    bool is_busy;   /* work was given to the device, and nobody saw it end */
} rp__exec_stage;

/* Nothing is allocated before it is needed. */
void rp__exec_stage_open(rp__exec_stage *s, rp__device *device, rp__lease *lease);
/* Its lease has ended, and is still open. All zero is fine. */
void rp__exec_stage_close(rp__exec_stage *s);

/* At least so many bytes; what was there is lost if there were fewer. */
rp_status rp__exec_stage_grow(rp__exec_stage *s, size_t bytes);
/* At least so many bytes of scratch, as rp__scratch_hold. */
rp_status rp__exec_stage_hold(rp__exec_stage *s, rp__lease *lease, size_t bytes);
/* What a query reads from now on are these norms. */
rp_status rp__exec_stage_use_norms(rp__exec_stage *s, uint32_t serial);
/* Waits for what the device was given. */
rp_status rp__exec_stage_finish(rp__exec_stage *s);
/* After a query that failed, or that nobody finished: it may still read the stage. */
rp_status rp__exec_stage_clean_up(rp__exec_stage *s);

#endif
