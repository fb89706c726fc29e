/* lab/bench_samples.h: what a measurement gave, time after time, and what may be said of it. */
#ifndef RP_LAB_BENCH_SAMPLES_H
#define RP_LAB_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

enum { RP_BENCH_SAMPLES = 64 }; /* at most; more would narrow no interval that matters */

typedef struct rp__bench_samples {
    size_t n;
    double at[RP_BENCH_SAMPLES]; /* as they came */
} rp__bench_samples;

/* [low, high] holds the median of all such runs 19 times of 20, by the ranks of the samples alone;
 * of fewer than six samples it is all of them. */
typedef struct rp__bench_summary {
    double median, low, high, best;
} rp__bench_summary;

/* Beyond RP_BENCH_SAMPLES they are dropped. */
void rp__bench_samples_add(rp__bench_samples *samples, double value);
/* more_is_better: of a rate; otherwise of a time. All zero without samples. */
void rp__bench_samples_sum_up(const rp__bench_samples *samples, bool more_is_better,
                              rp__bench_summary *out);
/* An object with unit, median, low, high, best and the samples. */
void rp__bench_samples_write(rp__json_writer *w, const char *key, const char *unit,
                             const rp__bench_samples *samples, bool more_is_better);

#endif
