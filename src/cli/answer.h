/* cli/answer.h: the hits of one query, laid out for a person or as JSON. */
#ifndef RP_CLI_ANSWER_H
#define RP_CLI_ANSWER_H

#include "base/json.h"
#include "cli/console.h"
#include "cli/timeline.h"
#include "riposte/search.h"

typedef struct rp__answer {
    const rp_index *index;
    rp_searcher *searcher;
    const char *query;
    const rp_hits *hits;
    bool has_snippets, has_explain;
    size_t from;                  /* better hits that were left out */
    const char *fields;           /* of a hit in JSON, with commas between; NULL: the usual ones */
    size_t max_memory;            /* of the query, which JSON counts to */
    const rp_form *form;          /* NULL: nobody asked for it */
    const rp__timeline *timeline; /* NULL: the same */
} rp__answer;

/* Ranks, scores, ids, titles and snippets on standard output. */
rp_status rp__answer_print(const rp__console *console, const rp__answer *answer, rp_error *err);

/* The fields of an answer, into the object that is open. */
rp_status rp__answer_write(rp__json_writer *w, const rp__answer *answer, rp_error *err);

/* A line on standard error for each operator that was timed; none, where none was. */
void rp__answer_note_steps(const rp__console *console, const rp__answer *answer);
/* A line on standard error for each word that no document has and that is near another. */
rp_status rp__answer_note_corrections(const rp__console *console, const rp__answer *answer,
                                      rp_error *err);
/* What the simulated machine did, on standard error; nothing of other processors. */
void rp__answer_note_machine(const rp__console *console, const rp_iiu_counters *iiu);
/* "10 of 225 documents in 0.12 ms, processor cpu" on standard error. */
void rp__answer_note(const rp__console *console, const rp__answer *answer);

#endif
