/* bench_samples.c: median, best and an interval of samples; no shape of their spread is assumed. */
#include "lab/bench_samples.h"

#include <math.h>
#include <string.h>

void rp__bench_samples_add(rp__bench_samples *samples, double value)
{
    if (samples->n < RP_BENCH_SAMPLES)
        samples->at[samples->n++] = value;
}

static void sort(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = v[i];
        size_t j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

void rp__bench_samples_sum_up(const rp__bench_samples *samples, bool more_is_better,
                              rp__bench_summary *out)
{
    double v[RP_BENCH_SAMPLES];
    size_t n = samples->n;
    *out = (rp__bench_summary){0};
    if (n == 0)
        return;
    memcpy(v, samples->at, n * sizeof *v);
    sort(v, n);
    /* The median lies below the k-th smallest of n with the chance of fewer than k heads in n tosses:
     * under 1 in 40 for this k, by the normal approximation. */
    double below = ((double)n - 1.96 * sqrt((double)n)) / 2;
    size_t k = below > 0 ? (size_t)below : 0;
    *out = (rp__bench_summary){.median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2,
                               .low = v[k],
                               .high = v[n - 1 - k],
                               .best = more_is_better ? v[n - 1] : v[0]};
}

void rp__bench_samples_write(rp__json_writer *w, const char *key, const char *unit,
                             const rp__bench_samples *samples, bool more_is_better)
{
    enum { DECIMALS = 4 };
    rp__bench_summary sum;
    rp__bench_samples_sum_up(samples, more_is_better, &sum);
    rp__json_writer_begin(w, key, '{');
    rp__json_writer_text(w, "unit", unit);
    rp__json_writer_real(w, "median", sum.median, DECIMALS);
    rp__json_writer_real(w, "low", sum.low, DECIMALS);
    rp__json_writer_real(w, "high", sum.high, DECIMALS);
    rp__json_writer_real(w, "best", sum.best, DECIMALS);
    rp__json_writer_begin(w, "samples", '[');
    for (size_t i = 0; i < samples->n; i++)
        rp__json_writer_real(w, NULL, samples->at[i], DECIMALS);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}
