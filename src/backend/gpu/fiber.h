/* backend/gpu/fiber.h: interior of gpu: the threads of one block of a kernel, as fibers of one thread.
 *
 * Kernels compiled for the host call chapter 2, through kernels/prim; the emulated device calls chapter 1, under a lock
 * of its own: one call at a time, whichever thread it comes from. */
#ifndef RP_BACKEND_GPU_FIBER_H
#define RP_BACKEND_GPU_FIBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Running a block ------------------------------------------------------------------------ */

enum { RP_FIBER_MOST = 1024 }; /* threads of a block */

typedef enum rp__fiber_end {
    RP_FIBER_DONE,
    RP_FIBER_STUCK,   /* threads wait for each other, or the kernel has trapped */
    RP_FIBER_ENDLESS, /* it took more turns than it may */
    RP_FIBER_IDLE,    /* its threads look for what the host may bring, and it is not there */
} rp__fiber_end;

typedef struct rp__fiber_launch {
    void (*kernel)(const void *args);
    const void *args;
    uint32_t grid, block; /* blocks; threads of each */
    size_t shared_bytes;
    uint64_t seed;        /* of the order in which threads take turns */
    uint64_t turns;       /* most of a block, until it ends or is idle; 0: any number */
} rp__fiber_launch;

typedef struct rp__fiber_block rp__fiber_block;

/* Runs block number `index` of the launch, whose args stay. One that is idle goes to the list. */
rp__fiber_end rp__fiber_run(const rp__fiber_launch *launch, uint32_t index, rp__fiber_block **idle);
/* Goes on with each of the list; those that end are taken off it. RP_FIBER_DONE: nobody is left. */
rp__fiber_end rp__fiber_go_on(rp__fiber_block **idle);
/* None of them goes on. */
void rp__fiber_drop(rp__fiber_block **idle);

/* ---- 2. For kernels ----------------------------------------------------------------------------- */

typedef struct rp__fiber_place {
    uint32_t thread, block, block_size, grid_size;
    unsigned char *shared;
} rp__fiber_place;

extern rp__fiber_place rp__fiber_here;

void rp__fiber_sync(void); /* all threads of the block that have not ended */
/* All threads of the tile of `width` (8, 16 or 32) bring a value; returns all, in order. They are there until
 * the tile's next exchange but one. */
const uint64_t *rp__fiber_exchange(uint32_t width, uint64_t value);
void rp__fiber_pause(void); /* lets the others go first: who looks again and again must not keep them from it */
/* Where there is nothing to do until the host acts: once all threads of the block wait, here or for those that are here,
 * the host goes first. */
void rp__fiber_idle(void);
uint64_t rp__fiber_clock(void); /* nanoseconds, which pass only while the block is idle */
void rp__fiber_trap(void); /* ends the kernel with a fault */

#ifdef __cplusplus
}
#endif
#endif
