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
    RP_PIPELINE_BUFFERS = 4, /* of candidates, at most */
    /* words of the report: what kernels say of damage, a 0, counts of
     * candidates, a flag of damage a list, and a count a list */
    RP_REPORT_FOUND = 0,
    RP_REPORT_THERE = 4,
    RP_REPORT_SELECTED = 5,
    RP_REPORT_CHOSEN = 6, /* blocks, of the intersection under way */
    RP_REPORT_COUNTS = 8,
    RP_REPORT_COUNTS_MAX = 2 * KARG_MAX_TERMS,
    RP_REPORT_DAMAGED = RP_REPORT_COUNTS + RP_REPORT_COUNTS_MAX,
    RP_REPORT_AUX = RP_REPORT_DAMAGED + KARG_MAX_TERMS, /* docids that auxiliary data find */
    RP_REPORT_WORDS = RP_REPORT_AUX + KARG_MAX_TERMS,
};

/* How operators read a list. */
typedef enum rp__pipe_form {
    RP_PIPE_PLAIN,   /* docids and frequencies, which stay on the card for the next query */
    RP_PIPE_DECODED, /* docids and frequencies in the scratch, decoded for this query */
    RP_PIPE_STORED,  /* as it is stored; only blocks that candidates are in are decoded */
} rp__pipe_form;

/* A list of the query; offsets are into the scratch. */
typedef struct rp__pipe_list {
    rp__launch_term *term;
    rp__intersect_id method; /* by which candidates are looked for in it */
    bool is_ding;            /* only the blocks that candidates choose are decoded for that */
    bool is_tiny;            /* the dictionary has it */
    rp__pipe_form form;
    karg_list stored; /* as it is stored; a tiny one: its docids as the host copies them */
    karg_term word;   /* docids and frequencies; of a list that is read as it is stored, that */
    rp__cu_ptr bits, aux;
    rp__aux aux_data;
    size_t docids, tfs, bits_at; /* of one that is decoded */
    size_t chosen, tiles;        /* docids of the blocks that are chosen, and their tiles */
    uint32_t n_tiles;   /* that were written: blocks that were, or could have been chosen */
    uint64_t high_bits; /* of one in qs that is decoded by steps */
    size_t raw, raw_tfs, aux_at; /* from where what is staged begins */
    bool has_staged_aux;
    bool is_aux_new; /* nobody knows yet whether its auxiliary data are sound */
} rp__pipe_list;

typedef struct rp__pipeline {
    rp__flight *flight;
    rp__device *device;
    const rp__query *query;
    rp__operator_choice how;
    uint64_t begun; /* when, for a trace */
    bool is_or, has_bits, accumulates, by_host;
    bool decodes; /* lists, for this query alone: its row is named, or others need bits */
    rp__select_id selects;
    uint32_t begin, end, n_docs;
    uint32_t n;     /* lists, the shortest first */
    uint32_t first; /* of those that candidates may be looked for in: 1; step by step, 0 */
    rp__pipe_list *lists;
    uint32_t capacity;  /* candidates that there may be */
    uint64_t high_bits; /* of the longest list in qs, if its row has steps; 0: it does not */
    uint32_t n_buffers; /* of candidates: an even number */
    uint32_t k;         /* documents that are selected */
    rp__cu_ptr scratch; /* and offsets into it */
    struct {
        /* candidates, scores, pairs, the report: what the host copies begins at `out`; the report,
         * the state of compactions and selections are cleared together, up to `cleared` */
        size_t docids[RP_PIPELINE_BUFFERS], scores[2], out, pairs, report, state, select, cleared;
        size_t staged, splits, transcode, qs, ranks, marks[2], sums;
        size_t chosen, chosen_end; /* of all lists */
        size_t blocks, last, last_far, bytes;
    } at;
    uint8_t *host; /* pinned; and offsets into it */
    struct {
        size_t out, staged, transcode, bytes;
    } there;
    size_t staged_bytes, records_at; /* that the host copies in; records of lists, from there on */
    /* while it runs */
    rp__cu_ptr candidates; /* docids */
    rp__cu_ptr marks;      /* bits of them, in place of docids; 0: none */
    uint32_t max;          /* so many at most */
    uint32_t half;         /* the buffer that the next operator writes */
    uint32_t clean;        /* a bit a buffer: nothing is in it */
    uint32_t n_counts;     /* that were written; 0: there are `max` candidates */
    size_t there_docids;   /* where those that the host selects of are, as of rp__pipe_there */
    bool has_report;       /* the report is on its way to the host with what was selected */
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

/* Where the host has what it copies out. */
static inline uint8_t *rp__pipe_there(const rp__pipeline *p, size_t offset)
{
    return p->host + p->there.out + (offset - p->at.out);
}

/* Where the next count goes. */
static inline rp__cu_ptr rp__pipe_count(const rp__pipeline *p)
{
    return rp__pipe_report(p, RP_REPORT_COUNTS + p->n_counts);
}

/* Where the next operator writes candidates and scores; where the scores of candidates are. */
static inline rp__cu_ptr rp__pipe_next(const rp__pipeline *p)
{
    return rp__pipe(p, p->at.docids[p->half]);
}

static inline rp__cu_ptr rp__pipe_next_scores(const rp__pipeline *p)
{
    return rp__pipe(p, p->at.scores[p->half % 2]);
}

static inline size_t rp__pipe_scores_at(const rp__pipeline *p)
{
    return p->at.scores[(p->half + 1) % 2];
}

/* What the next operator has written are the candidates. */
static inline void rp__pipe_turn(rp__pipeline *p)
{
    p->candidates = rp__pipe_next(p);
    p->clean &= ~(1U << p->half);
    p->half = (p->half + 1) % p->n_buffers;
}

/* Candidates are what an operator writes; behind the last one lies nothing else. */
static inline rp_status rp__pipe_clear_next(const rp__pipeline *p)
{
    if (p->clean >> p->half & 1)
        return RP_OK;
    return rp__device_fill(p->device, rp__pipe_next(p), KARG_NO_CANDIDATE, p->max);
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

/* decode_ops.c: what the host has for the device; docids, frequencies and bits of lists that are
 * decoded for the query. */
rp_status rp__decode_ops_run(rp__pipeline *p);

/* intersect_ops.c */
/* Which method each list has; RP_UNAVAILABLE: the flight says why. Reads mapped memory. */
rp_status rp__intersect_ops_plan(rp__pipeline *p);
/* The cut of list i for so many candidates, without addresses: for sizes. */
void rp__intersect_ops_cut(const rp__pipeline *p, uint32_t i, uint32_t n, karg_intersect *args,
                           rp__launch *how);
/* Looks all docids of lists up by their auxiliary data, where these are new. */
rp_status rp__intersect_ops_check_aux(rp__pipeline *p);
/* By the report: whether they were found. What was is remembered. */
bool rp__intersect_ops_is_aux_sound(const rp__pipeline *p, const uint32_t *report);
/* List i becomes the candidates. */
rp_status rp__intersect_ops_start(rp__pipeline *p, uint32_t i);
/* Drops candidates that are not in list i. */
rp_status rp__intersect_ops_meet(rp__pipeline *p, uint32_t i);
/* Candidates that are there as bits become docids. */
rp_status rp__intersect_ops_list(rp__pipeline *p);

/* score_ops.c: scores of all candidates; of an OR the candidates, too. */
rp_status rp__score_ops_run(rp__pipeline *p);
/* Before it, where documents have accumulators: those become 0. */
rp_status rp__score_ops_clear(rp__pipeline *p);
/* Candidates in n lists from `first` on, at most KARG_INLINE_TERMS. */
typedef struct rp__score_look {
    uint32_t first, n;
    bool has_scores; /* otherwise all are 0 */
    bool drops;      /* candidates that are not there */
    bool adds;       /* what the lists contribute */
} rp__score_look;
rp_status rp__score_ops_look_up(rp__pipeline *p, rp__score_look look);

/* select_ops.c: the k best, to the host, with the report; and how they are read there. */
rp_status rp__select_ops_run(rp__pipeline *p);
rp_status rp__select_ops_take(const rp__pipeline *p, uint32_t n, rp__answer *answer);

#endif
