/* backend/gpu/operators/select_table.h: methods that find the k best of scored documents on the
 * device. Operators of queries launch them, and cases of the lab measure them all. */
#ifndef RP_BACKEND_GPU_OPERATORS_SELECT_TABLE_H
#define RP_BACKEND_GPU_OPERATORS_SELECT_TABLE_H

#include "backend/gpu/select.h"

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
    uint32_t max_k; /* it ranks so many at most */
    rp_status (*run)(rp__device *device, karg_select args);
    /* it takes the steps of its paper, and no others (docs/papers.md) */
    bool is_literal;
} rp__select;

extern const rp__select rp__select_table[RP_SELECTS];

/* Keys that scratch must have capacity for (args.capacity), and its bytes; its first
 * KARG_SELECT_ZEROS words are 0 before the first run. */
uint32_t rp__select_table_capacity(uint32_t n, uint32_t k);
size_t rp__select_table_scratch(uint32_t n, uint32_t k);
/* Enqueues it; args has all but what methods want of their own. */
rp_status rp__select_table_run(rp__select_id id, rp__device *device, karg_select args);

#endif
