/* backend/gpu/device/fiber.h: interior of gpu: the blocks of a kernel and their threads, as fibers
 * of one thread.
 *
 * Kernels compiled for the host call chapter 2, through kernels/prim; the emulated device calls
 * chapter 1, under a lock of its own: one call at a time, whichever thread it comes from. */
#ifndef RP_BACKEND_GPU_FIBER_H
#define RP_BACKEND_GPU_FIBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Running a kernel --------------------------------------------------------------------- */

enum { RP_FIBER_MAX = 1024 }; /* threads of a block */

typedef enum rp__fiber_end {
    RP_FIBER_DONE,
    RP_FIBER_STUCK,   /* threads wait for each other, or the kernel has trapped */
    RP_FIBER_ENDLESS, /* it took more turns than it may */
    RP_FIBER_IDLE,    /* its threads look for what the host may bring, and it is not there */
    RP_FIBER_RUNNING, /* not yet: of a block in flight */
} rp__fiber_end;

struct rp__fiber_place;

/* An observer of blocks. `watched` is its own: a value for the grid, and one for each block in
 * flight. */
typedef struct rp__fiber_watch {
    /* A block begins; its fibers' stacks lie between `stacks` and its shared memory. Returns the
     * block's `watched`. */
    void *(*begin)(void *watched, const struct rp__fiber_place *place, const unsigned char *stacks);
    void (*barrier)(void *watched); /* all threads of the block have come to a barrier */
    void (*end)(void *watched);     /* the block has ended, or was dropped */
} rp__fiber_watch;

typedef struct rp__fiber_launch {
    void (*kernel)(const void *args);
    const void *args;
    uint32_t grid, block; /* blocks; threads of each */
    /* blocks that take turns, besides those that are idle; at 1 they follow each other */
    uint32_t in_flight;
    size_t shared_bytes;
    uint64_t seed;                /* of the order in which threads and blocks take turns */
    uint64_t turns;               /* most of a block, until it ends or is idle; 0: any number */
    const rp__fiber_watch *watch; /* NULL: nobody watches */
    void *watched;
} rp__fiber_launch;

typedef struct rp__fiber_block rp__fiber_block;

/* A launch in work. The caller sets `launch`, whose args stay, and `first`, the block that begins
 * first. */
typedef struct rp__fiber_grid {
    rp__fiber_launch launch;
    uint32_t first, begun;
    uint64_t random;
    rp__fiber_block *in_flight, *idle;
} rp__fiber_grid;

/* Runs all blocks until each has ended or is idle; those that are idle go on at the next call.
 * After any result but RP_FIBER_IDLE nothing is left. */
rp__fiber_end rp__fiber_run(rp__fiber_grid *grid);
void rp__fiber_drop(rp__fiber_grid *grid); /* none of its blocks goes on */

/* ---- 2. For kernels -------------------------------------------------------------------------- */

typedef struct rp__fiber_place {
    uint32_t thread, block, block_size, grid_size;
    unsigned char *shared;
    void *watched; /* by rp__fiber_watch: of the block */
} rp__fiber_place;

extern rp__fiber_place rp__fiber_here;

void rp__fiber_sync(void); /* all threads of the block that have not ended */
/* All threads of the tile of `width` (8, 16 or 32) bring a value; returns all, in order. They are
 * there until the tile's next exchange but one. */
const uint64_t *rp__fiber_exchange(uint32_t width, uint64_t value);
/* lets the others go first: who looks again and again must not keep them from it */
void rp__fiber_pause(void);
/* Where there is nothing to do until the host acts: once all threads of the block wait, here or for
 * those that are here, the host goes first. */
void rp__fiber_idle(void);
uint64_t rp__fiber_clock(void); /* nanoseconds, which pass only while the block is idle */
void rp__fiber_trap(void);      /* ends the kernel with a fault */

#ifdef __cplusplus
}
#endif
#endif
