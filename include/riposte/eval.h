/* riposte/eval.h: how good a run is, by the measures and conventions of trec_eval 9.
 *
 * Scores count as float32; equal scores rank by falling docno; the ranks written in the run count
 * for nothing. A topic counts if it is in both files or, under `complete`, if it is judged. */
#ifndef RIPOSTE_EVAL_H
#define RIPOSTE_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero or NULL: the default named beside each field. */
typedef struct rp_eval_options {
    size_t size;          /* as status.h says: 0, or sizeof this record */
    const char *measures; /* names parted by commas; NULL: a short list of the usual ones */
    bool complete;        /* judged topics that the run leaves out count as empty answers */
    int level;            /* a grade of at least this is relevant: 1 */
    double persistence;   /* of rbp: 0.8 */
} rp_eval_options;

/* What was found: a table of topics and measures. Read only. */
typedef struct rp_eval rp_eval;

/* Reads judgments (`qid iter docno grade`) and a run (`qid Q0 docno rank score tag`), plain or
 * compressed; "-" is standard input. RP_INPUT: a bad line, named by file and line. Free what this
 * returns. */
rp_status rp_eval_files(const char *qrels, const char *run, const rp_eval_options *options,
                        rp_eval **out, rp_error *err);
void rp_eval_free(rp_eval *eval); /* NULL is fine */

/* Without an eval, or past its last topic or measure: 0, false or NULL. */
const char *rp_eval_run_name(const rp_eval *eval); /* the tag of its first line */
size_t rp_eval_n_topics(const rp_eval *eval);
size_t rp_eval_n_measures(const rp_eval *eval);
const char *rp_eval_topic(const rp_eval *eval, size_t topic); /* in the order of strcmp */
const char *rp_eval_measure(const rp_eval *eval, size_t measure);
/* a whole number; its total is a sum */
bool rp_eval_is_count(const rp_eval *eval, size_t measure);
bool rp_eval_is_overall(const rp_eval *eval, size_t measure); /* it has no value for one topic */
double rp_eval_value(const rp_eval *eval, size_t topic, size_t measure);
/* over all topics: the mean, or the sum */
double rp_eval_total(const rp_eval *eval, size_t measure);

/* The i-th name that `measures` may hold; a name ending in _ wants a number behind it, or without
 * the _ stands for all the usual numbers. NULL past the last. */
const char *rp_eval_measure_name(size_t i);

#ifdef __cplusplus
}
#endif
#endif
