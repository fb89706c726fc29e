/* bench_steps.c: sums of the steps of queries. */
#include "lab/bench_steps.h"

#include <string.h>

enum { STEPS_MAX = 160 }; /* of one query */

static rp__bench_step *find(rp__bench_steps *steps, const char *stage)
{
    for (size_t i = 0; i < RP_BENCH_STAGES; i++) {
        rp__bench_step *step = &steps->at[i];
        if (!step->stage)
            step->stage = stage;
        if (strcmp(step->stage, stage) == 0)
            return step;
    }
    return NULL;
}

void rp__bench_steps_add(rp__bench_steps *steps, const rp_searcher *searcher)
{
    rp_query_step taken[STEPS_MAX];
    const size_t n = rp_searcher_get_steps(searcher, taken, STEPS_MAX);
    steps->n_queries += n > 0;
    for (size_t i = 0; i < n && i < STEPS_MAX; i++) {
        rp__bench_step *step = find(steps, taken[i].stage);
        if (!step)
            continue;
        step->us += taken[i].us;
        step->elements += taken[i].elements;
        step->bytes += taken[i].bytes;
    }
}
