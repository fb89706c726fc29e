/* lab/gpu/intersect_table.h: the ways to intersect two lists on a device, one row each. Steps of
 * queries launch three of these kernels (backend/gpu/gpu_candidates.c); cases measure them all.
 *
 * Order of calls: fill in a karg_intersect (lists, outputs, na, nb, universe, room); cut; give it
 * state and splits; run, any number of times. */
#ifndef RP_LAB_GPU_INTERSECT_TABLE_H
#define RP_LAB_GPU_INTERSECT_TABLE_H

#include "backend/gpu/gpu_lab.h"

/* What a block's tile is: elements of A, a slice of the universe, of the bits, a part of the merge
 * of both. */
typedef enum rp__intersect_tile {
    RP_INTERSECT_A,
    RP_INTERSECT_SLICE,
    RP_INTERSECT_BITS,
    RP_INTERSECT_PATH,
} rp__intersect_tile;

/* What it needs of karg_intersect; A's docids are needed by all but the one that has A's bits. */
enum {
    RP_INTERSECT_B = 1,
    RP_INTERSECT_A_BITS = 2,
    RP_INTERSECT_B_BITS = 4,
    RP_INTERSECT_LR = 8,    /* aux */
    RP_INTERSECT_HS = 16,   /* aux, shift, n_buckets */
    RP_INTERSECT_LIST = 32, /* list, in the row's codec */
    /* b: last docids of blocks, nb of them; out: the blocks that A needs */
    RP_INTERSECT_HEADS = 64,
    RP_INTERSECT_SPLITS = 128, /* splits: another kernel goes before */
};

typedef enum rp__intersect_id {
    RP_INTERSECT_BS,
    RP_INTERSECT_BS_X1,
    RP_INTERSECT_BS_X2,
    RP_INTERSECT_IS,
    RP_INTERSECT_IS_8,
    RP_INTERSECT_LR_GLOBAL,
    RP_INTERSECT_LR_LOCAL,
    RP_INTERSECT_HS_X1,
    RP_INTERSECT_HS_X2,
    RP_INTERSECT_SKIP,
    RP_INTERSECT_PMF,
    RP_INTERSECT_PMF_HEADS,
    RP_INTERSECT_MPATH,
    RP_INTERSECT_MPATH_TWO,
    RP_INTERSECT_TILE,
    RP_INTERSECT_TILE_RANKS, /* gives docids and both ranks, all of them */
    RP_INTERSECT_TILE_MARKS, /* gives marks alone */
    RP_INTERSECT_BITS_PROBE,
    RP_INTERSECT_BITS_AND,
    RP_INTERSECT_BITS_MARKS, /* gives marks alone */
    RP_INTERSECT_BP128,
    RP_INTERSECT_BP128_TILE,
    RP_INTERSECT_LRC_HEADS,
    RP_INTERSECT_LRC_AT,
    RP_INTERSECT_HSLRC256,
    RP_INTERSECT_HSLRC128,
    RP_INTERSECTS,
} rp__intersect_id;

typedef struct rp__intersect {
    const char *name;
    rp__kernel_id kernel;
    rp__intersect_tile tile;
    uint32_t needs;
    uint32_t each;     /* elements of A, or steps of the path, that a thread takes */
    const char *codec; /* of list */
    /* it takes the steps of its paper, and no others (docs/papers.md) */
    bool is_literal;
} rp__intersect;

extern const rp__intersect rp__intersect_table[RP_INTERSECTS];

/* Sets tiles and what goes with them. `told`: log2 of a slice, at least 10, which becomes less
 * where the universe is small; levels of pmf. Threads of a block: whole warps, at least 2 for mpath
 * and 4 for slices. */
void rp__intersect_table_cut(rp__intersect_id id, uint32_t threads, uint32_t option,
                             karg_intersect *args, rp__launch *how);
/* Bytes of splits; after a cut. */
size_t rp__intersect_table_splits(const karg_intersect *args);
rp_status rp__intersect_table_run(rp__intersect_id id, rp__device *device, rp__launch how,
                                  const karg_intersect *args);

#endif
