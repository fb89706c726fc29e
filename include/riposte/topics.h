/* riposte/topics.h: files of queries, in the forms that people keep them, and runs of their
 * answers.
 *
 * tsv a line `qid<TAB>query` (MS MARCO, Anserini) trec <top> <num> <title>, its tags closed or not;
 * and <topic number="1"> <query> pisa a line `qid:query` jsonl an object a line with a query and an
 * id, by the usual names; without an id its line is one */
#ifndef RIPOSTE_TOPICS_H
#define RIPOSTE_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/search.h"
#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thread at a time. */
typedef struct rp_topics rp_topics;

/* Both strings end with a NUL and live until the topics are closed. */
typedef struct rp_topic {
    const char *qid, *query;
    size_t query_bytes;
    uint64_t line; /* where it begins, from 1 */
} rp_topic;

/* Reads the whole file, plain or compressed; "-" is standard input. `format` NULL: recognized by its
 * first topic. Close what this returns. */
rp_status rp_topics_open(const char *path, const char *format, rp_topics **out, rp_error *err);
void rp_topics_close(rp_topics *topics); /* NULL is fine */
/* The next topic; *has is false at the end. RP_INPUT: a bad one, or one whose qid an earlier line
 * has, named by file and line; the next call goes on behind it. */
rp_status rp_topics_next(rp_topics *topics, rp_topic *out, bool *has, rp_error *err);
const char *rp_topics_name(const rp_topics *topics); /* of the file, as messages have it */

/* The i-th format's name; NULL past the last. */
const char *rp_topics_format_name(size_t i);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A line of a hit: `qid Q0 docno rank score tag`; or `qid<TAB>docno<TAB>rank`. */
typedef enum rp_run_format { RP_RUN_TREC = 0, RP_RUN_MSMARCO } rp_run_format;

/* Takes lines of a run, whole ones, in their order. Of an addition by several threads any of them
 * may call it, one at a time. */
typedef void rp_run_write_fn(void *arg, const char *lines, size_t bytes);

/* All zero or NULL: the default named beside each field. */
typedef struct rp_run_options {
    size_t size;            /* as status.h says: 0, or sizeof this record */
    rp_run_format format;   /* RP_RUN_TREC */
    const char *tag;        /* one word: "riposte" */
    rp_run_write_fn *write; /* takes the lines instead of a file */
    void *write_arg;
} rp_run_options;

/* One thread at a time. */
typedef struct rp_run rp_run;

/* A run of answers from `index`, which must stay open meanwhile. The file appears under its name,
 * or replaces the one that is there, when it is whole; `path` may be NULL where options have
 * `write`. */
rp_status rp_run_new(const rp_index *index, const char *path, const rp_run_options *options,
                     rp_run **out, rp_error *err);
/* A line for each hit. Blanks and control characters of an id become '_' in the docno. RP_INPUT:
 * the index has two documents that would have one docno by that; both are named. After a failure
 * the run can only be freed. */
rp_status rp_run_add(rp_run *run, const char *qid, const rp_hits *hits, rp_error *err);
/* An answer of rp_run_add_many. Both are the caller's. */
typedef struct rp_run_answer {
    const char *qid;
    const rp_hits *hits;
} rp_run_answer;
/* The same for n answers, in their order. Up to `threads` threads make the lines, 16 at most; 0 and
 * 1: the caller's alone. The lines are the same. */
rp_status rp_run_add_many(rp_run *run, const rp_run_answer *answers, size_t n, size_t threads,
                          rp_error *err);
/* makes the file durable and gives it its name */
rp_status rp_run_finish(rp_run *run, rp_error *err);
/* Frees; without a finish it removes what was begun. NULL is fine. */
void rp_run_free(rp_run *run);

#ifdef __cplusplus
}
#endif
#endif
