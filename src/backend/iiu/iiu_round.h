/* iiu_round.h: one operation of each query on the machine, all in flight together. Interior of the
 * room. */
#ifndef RP_BACKEND_IIU_IIU_ROUND_H
#define RP_BACKEND_IIU_IIU_ROUND_H

#include "backend/iiu/iiu_eval.h"
#include "backend/iiu/iiu_memory.h"
#include "riposte/processor.h"

/* A query that waits for an operation. */
typedef struct rp__iiu_turn {
    rp__iiu_eval *eval;
    rp_status status; /* RP_OK: the operation is to run, and then its results are there */
    rp_error err;     /* of a failure */
    rp__descriptor descriptor;
} rp__iiu_turn;

/* What the machine works with, and what it did. One thread at a time. */
typedef struct rp__iiu_round {
    rp__iiu_memory memory;
    rp__sim_config config;
    uint8_t *results;
    size_t cap_results;
    rp_iiu_counters counters; /* since they were cleared */
} rp__iiu_round;

/* Runs the operations of turns whose status is RP_OK. Of each that the machine refuses the status
 * becomes RP_DAMAGED, and its err says why. Lists come from mapped memory, which nothing reads once
 * the machine exists. A failure of all turns is returned. */
rp_status rp__iiu_round_run(rp__iiu_round *round, rp__iiu_turn *turns, size_t n, rp_error *err);

#endif
