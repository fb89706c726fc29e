/* backend/gpu/operators/pipeline.h: interior of operators: one query as a chain of operators,
 * and the memory that they share.
 *
 * Operators put work on the device's stream and wait for nothing. How many candidates are left
 * stays on the device: arrays of candidates are as long as they may be at most, and what lies
 * behind the last candidate are docids of no document (KARG_NO_CANDIDATE). */
#ifndef RP_BACKEND_GPU_OPERATORS_PIPELINE_H
#define RP_BACKEND_GPU_OPERATORS_PIPELINE_H

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/operator_table.h"
#include "backend/gpu/operators/select_table.h"
#include "backend/gpu/residency/transcode_term.h"

enum {
    RP_PIPELINE_ALIGN = 256,
    /* words of the report: what kernels say of damage, a 0, counts of
     * candidates, and a flag of damage a list */
    RP_REPORT_FOUND = 0,
    RP_REPORT_THERE = 4,
    RP_REPORT_SELECTED = 5,
    RP_REPORT_CHOSEN = 6, /* blocks, of the intersection under way */
    RP_REPORT_COUNTS = 8,
    RP_REPORT_COUNTS_MAX = 2 * KARG_MAX_TERMS,
    RP_REPORT_DAMAGED = RP_REPORT_COUNTS + RP_REPORT_COUNTS_MAX,
    RP_REPORT_WORDS = RP_REPORT_DAMAGED + KARG_MAX_TERMS,
};

/* A list of the query; offsets are into the scratch. */
typedef struct rp__pipe_list {
    const rp__launch_term *term;
    rp__intersect_id method; /* by which candidates are looked for in it */
    bool is_ding;            /* only the blocks that candidates choose are decoded for that */
    karg_list stored;        /* as it is stored; a tiny one: its docids as the host copies them */
    karg_term word;          /* docids and frequencies, decoded */
    rp__cu_ptr bits, aux;
    rp__aux aux_data;
    size_t docids, tfs, bits_at, aux_at, raw_at;
    size_t staged, staged_tfs, staged_aux; /* in memory of the host */
} rp__pipe_list;

typedef struct rp__pipeline {
    rp__flight *flight;
    rp__device *device;
    const rp__query *query;
    rp__operator_choice how;
    bool is_or, has_bits, accumulates, by_host;
    rp__select_id selects;
    uint32_t begin, end, n_docs;
    uint32_t n;     /* lists, the shortest first */
    uint32_t first; /* of those that candidates may be looked for in: 1; step by step, 0 */
    rp__pipe_list *lists;
    uint32_t capacity;  /* candidates that there may be */
    uint32_t k;         /* documents that are selected */
    rp__cu_ptr scratch; /* and offsets into it */
    struct {
        size_t report, records, state, state_bytes, splits, transcode;
        size_t docids[2], scores[2], ranks, marks[2], sums;
        size_t blocks, tiles, chosen, last, last_far;
        size_t pairs, select, bytes;
    } at;
    uint8_t *host; /* pinned; and offsets into it */
    struct {
        size_t report, pairs, docids, scores, records, transcode, bytes;
    } there;
    /* while it runs */
    rp__cu_ptr candidates; /* docids */
    rp__cu_ptr marks;      /* bits of them, in place of docids; 0: none */
    uint32_t max;          /* so many at most */
    uint32_t half;         /* that the next operator writes */
    uint32_t n_counts;     /* that were written; 0: there are `max` candidates */
} rp__pipeline;

/* An address in the scratch, and the address of a word of the report. */
static inline rp__cu_ptr rp__pipe(const rp__pipeline *p, size_t offset)
{
    return p->scratch + offset;
}

static inline rp__cu_ptr rp__pipe_report(const rp__pipeline *p, uint32_t word)
{
    return p->scratch + p->at.report + word * sizeof(uint32_t);
}

/* Where the next count goes. */
static inline rp__cu_ptr rp__pipe_count(const rp__pipeline *p)
{
    return rp__pipe_report(p, RP_REPORT_COUNTS + p->n_counts);
}

/* Blocks of threads for n elements, one a thread, at most some a multiprocessor. */
static inline rp__launch rp__pipe_grid(const rp__pipeline *p, uint32_t n)
{
    const uint32_t threads = 256, max = 16 * p->device->processors;
    const uint32_t grid = n / threads + (n % threads > 0);
    return (rp__launch){grid < max ? grid : max, threads, 0};
}

/* ---- Operators
 * --------------------------------------------------------------------------------- */

/* decode_ops.c: docids, frequencies and bits of all lists, as the rows of the other phases need
 * them. */
rp_status rp__decode_ops_run(rp__pipeline *p);

/* intersect_ops.c */
/* Which method each list has; RP_UNAVAILABLE: the flight says why. Reads mapped memory. */
rp_status rp__intersect_ops_plan(rp__pipeline *p);
/* The cut of list i, without addresses: for sizes. */
void rp__intersect_ops_cut(const rp__pipeline *p, uint32_t i, karg_intersect *args,
                           rp__launch *how);
/* List i becomes the candidates. */
rp_status rp__intersect_ops_start(rp__pipeline *p, uint32_t i);
/* Drops candidates that are not in list i. */
rp_status rp__intersect_ops_meet(rp__pipeline *p, uint32_t i);
/* Candidates that are there as bits become docids. */
rp_status rp__intersect_ops_list(rp__pipeline *p);

/* score_ops.c: scores of all candidates; of an OR the candidates, too. */
rp_status rp__score_ops_run(rp__pipeline *p);
/* Candidates in n lists from `first` on, at most KARG_INLINE_TERMS. */
typedef struct rp__score_look {
    uint32_t first, n;
    bool has_scores; /* otherwise all are 0 */
    bool drops;      /* candidates that are not there */
    bool adds;       /* what the lists contribute */
} rp__score_look;
rp_status rp__score_ops_look_up(rp__pipeline *p, rp__score_look look);

/* select_ops.c: the k best, to the host; and how they are read there. */
rp_status rp__select_ops_run(rp__pipeline *p);
rp_status rp__select_ops_take(const rp__pipeline *p, uint32_t n, rp__answer *answer);

#endif
