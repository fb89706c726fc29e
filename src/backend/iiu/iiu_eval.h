/* iiu_eval.h: a bound query as operations of the machine, one after the other. Interior of the
 * room. */
#ifndef RP_BACKEND_IIU_IIU_EVAL_H
#define RP_BACKEND_IIU_IIU_EVAL_H

#include "backend/backend.h"
#include "sim/sim.h"

/* A list of the index, or documents that were found before, with their scores. */
typedef struct rp__iiu_operand {
    uint8_t role; /* rp__role */
    bool is_set;
    uint32_t n;           /* postings, or documents */
    const rp__term *term; /* of a list */
    uint32_t idf_bar;
    const rp__result_slot *at; /* of a set: rising */
} rp__iiu_operand;

typedef struct rp__iiu_frame rp__iiu_frame;

/* In the query's arena; one thread at a time. */
typedef struct rp__iiu_eval {
    const rp__query *query;
    rp__arena *arena;
    rp__rank rank;       /* iiu */
    bool has_own_scores; /* the query's ranking is iiu: the machine's scores count */
    size_t next_op;
    rp__iiu_operand *operands;
    rp__iiu_frame *frames;
    size_t n_operands, n_frames;
    uint8_t type;       /* of the operation: rp__query_type */
    size_t left, right; /* its operands; of a single term the same */
    uint64_t postings;  /* that the machine was given to decode */
} rp__iiu_eval;

/* RP_USAGE: boosts are beyond the machine's arithmetic. RP_NO_MEMORY. */
rp_status rp__iiu_eval_begin(rp__iiu_eval *eval, const rp__query *query, rp__arena *arena,
                             rp_error *err);
/* Goes on to the next operation, or to the end: *is_done. Host work on phrases reads mapped
 * memory. */
rp_status rp__iiu_eval_step(rp__iiu_eval *eval, bool *is_done);
/* What the operation found, in the arena; scores of sets among its operands are added. */
void rp__iiu_eval_put(rp__iiu_eval *eval, rp__result_slot *found, uint32_t n);
/* The documents of a query that is done. */
const rp__iiu_operand *rp__iiu_eval_result(const rp__iiu_eval *eval);

/* Documents of `from`, all of which hold the words of the phrase, that hold the phrase; scores are
 * those of the query's ranking. Reads mapped memory. */
rp_status rp__iiu_phrase_find(const rp__query *query, const rp__leaf *leaf,
                              const rp__iiu_operand *from, rp__arena *arena, rp__iiu_operand *out);

#endif
