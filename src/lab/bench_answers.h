/* lab/bench_answers.h: what a program waits for beside a plain query: a document by its id, its
 * text, suggestions, fuzzy words. */
#ifndef RP_LAB_BENCH_ANSWERS_H
#define RP_LAB_BENCH_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/index.h"

enum { RP_BENCH_ANSWERS = 5, RP_BENCH_ANSWER_SAMPLES = 100000 };

/* Microseconds of one call, of all samples. */
typedef struct rp__bench_answer {
    const char *name;
    size_t n;       /* that were answered */
    size_t refused; /* that stand for more terms than a query may have */
    double median, p90, p99, most;
    double cpu; /* of this thread, on average: what other processes take is not in it */
} rp__bench_answer;

typedef struct rp__bench_answers {
    uint64_t seed;
    size_t samples;                          /* of each */
    rp__bench_answer rows[RP_BENCH_ANSWERS]; /* find, document, suggest, word~1, word~2 */
} rp__bench_answers;

/* Documents and words by chance, all asked for twice; the second time counts. Words are those of
 * the documents' text, or the most frequent terms where none is stored; fuzzy ones have a letter
 * changed. RP_INPUT: there are no documents or no words. */
rp_status rp__bench_answers_run(const rp_index *index, rp__bench_answers *bench, rp_error *err);

#endif
