/* backend/gpu/gpu_room.h: interior of gpu: memory that queries leave for the next one, on both sides. */
#ifndef RP_BACKEND_GPU_GPU_ROOM_H
#define RP_BACKEND_GPU_GPU_ROOM_H

#include "backend/backend.h"
#include "backend/gpu/gpu_resident.h"
#include "backend/gpu/residency/lease.h"

enum {
    RP_GPU_ROOM_ALIGN = 256,
    /* where in the stage what is staged begins: behind an answer */
    RP_GPU_ROOM_STAGED = (sizeof(karg_answer) + KARG_ANSWER_MOST * sizeof(karg_pair) + RP_GPU_ROOM_ALIGN - 1) /
                         RP_GPU_ROOM_ALIGN * RP_GPU_ROOM_ALIGN,
};

/* One thread at a time; all zero is closed. */
typedef struct rp__gpu_room {
    rp__device *device;
    rp__gpu_resident resident; /* leaves before anything here moves */
    uint8_t *stage;       /* pinned, and read and written by the device: the answer, and behind it what goes there */
    size_t stage_bytes;
    size_t stayed;        /* of them behind the answer that the resident kernel may have read */
    rp__cu_ptr stage_at;  /* to the device */
    rp__scratch scratch;  /* device memory: what was found, which is nothing between queries, and what a query needs */
    uint32_t norms;       /* serial of those that the resident kernel may have read */
    bool is_busy;         /* work was given to the device, and nobody saw it end */
} rp__gpu_room;

/* Nothing is allocated before it is needed. */
void rp__gpu_room_open(rp__gpu_room *room, rp__device *device, rp__residency *residency);
void rp__gpu_room_close(rp__gpu_room *room); /* its lease has ended; all zero is fine */

/* At least so many bytes; what was there is lost if there were fewer. */
rp_status rp__gpu_room_grow_stage(rp__gpu_room *room, size_t bytes);
/* At least so many bytes of scratch, as rp__scratch_hold. */
rp_status rp__gpu_room_hold(rp__gpu_room *room, rp__lease *lease, size_t bytes);
/* What a query reads from now on are these norms. */
rp_status rp__gpu_room_use_norms(rp__gpu_room *room, uint32_t serial);
/* Waits for what the device was given. */
rp_status rp__gpu_room_finish(rp__gpu_room *room);
/* After a query that failed, or that nobody finished: it may still read the stage. */
rp_status rp__gpu_room_clean_up(rp__gpu_room *room);

#endif
