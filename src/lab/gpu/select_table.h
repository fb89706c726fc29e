/* lab/gpu/select_table.h: methods that find the k best of scored documents on the device. Steps of
 * queries use the one by a sample (backend/gpu/select.h); cases measure them all. */
#ifndef RP_LAB_GPU_SELECT_TABLE_H
#define RP_LAB_GPU_SELECT_TABLE_H

#include "backend/gpu/gpu_lab.h"

typedef enum rp__select_id {
    RP_SELECT_SAMPLE,
    RP_SELECT_RADIX,
    RP_SELECT_BUCKET,
    RP_SELECT_HEAP,
    RP_SELECT_HEAP512,
    RP_SELECT_BITONIC,
    RP_SELECT_SORT,
    RP_SELECT_BLOCK, /* also of many selections, by `begins` */
    RP_SELECTS,
} rp__select_id;

typedef struct rp__select {
    const char *name;
    uint32_t k_most; /* it ranks so many at most */
    rp_status (*run)(rp__device *device, karg_select args);
    /* it takes the steps of its paper, and no others (docs/papers.md) */
    bool is_literal;
} rp__select;

extern const rp__select rp__select_table[RP_SELECTS];

/* Keys that scratch must have room for (args.room), and its bytes; its first KARG_SELECT_ZEROS
 * words are 0 before the first run. */
uint32_t rp__select_table_room(uint32_t n, uint32_t k);
size_t rp__select_table_scratch(uint32_t n, uint32_t k);
/* Asks the device; args has all but what methods want of their own. */
rp_status rp__select_table_run(rp__select_id id, rp__device *device, karg_select args);

#endif
