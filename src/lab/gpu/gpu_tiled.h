/* lab/gpu/gpu_tiled.h: interior of the lab: lists laid out by tiles of docids, as ORs read them
 * (karg_tiled).
 *
 * A list is laid out when a query first asks for it, by a kernel, from where it lies in its codec,
 * and stays while there is room: 6 bytes a posting, and 8 a tile. Where there is none left, all
 * that was there goes. One thread at a time. */
#ifndef RP_LAB_GPU_GPU_TILED_H
#define RP_LAB_GPU_GPU_TILED_H

#include "backend/gpu/gpu_lab.h"

typedef struct rp__gpu_tiled_slot {
    uint64_t key; /* 0: the slot is empty */
    karg_tiled list;
} rp__gpu_tiled_slot;

typedef struct rp__gpu_tiled {
    rp__device *device;
    karg_norms norms;
    uint32_t n_docs, n_tiles;
    size_t most; /* bytes of device memory for lists */
    rp__cu_ptr room;
    size_t used;               /* of it */
    rp__gpu_tiled_slot *slots; /* by key, the next one where it is taken */
    size_t n_slots, n_lists;   /* a power of two; at most half of it */
    uint8_t *stage;            /* pinned: records on their way to the kernel */
    rp__cu_ptr records;        /* and where they go */
    size_t stage_bytes;        /* of each */
    rp__cu_event sent;         /* the stage may be written again */
} rp__gpu_tiled;

/* A list: `key` tells it from others, and is not 0. `word` is what rp__gpu_list_word makes of it;
 * weight and `before` are not read. */
typedef struct rp__gpu_tiled_want {
    uint64_t key;
    karg_term word;
} rp__gpu_tiled_want;

/* `most`: bytes of device memory for lists, which are taken by the first call below. */
void rp__gpu_tiled_open(rp__gpu_tiled *tiled, rp__device *device, karg_norms norms, uint32_t n_docs,
                        size_t most);
void rp__gpu_tiled_close(rp__gpu_tiled *tiled); /* all zero is fine */

/* All n lists, laid out: out[i] is want[i]'s; a list may come twice. The device was asked to, and
 * is not waited for. Good until the next call. RP_NO_MEMORY: they do not all fit. */
rp_status rp__gpu_tiled_get(rp__gpu_tiled *tiled, const rp__gpu_tiled_want *want, size_t n,
                            karg_tiled *out);

#endif
