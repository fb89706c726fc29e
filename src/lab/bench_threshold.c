/* bench_threshold.c: one pass over queries by rising postings: below a threshold the cpu's times add up, from it on the
 * gpu's. */
#include "lab/bench_threshold.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "lab/lab.h"

typedef struct timed {
    /* postings: of blocks that an AND may read, of all lists but most of the longest, of all */
    uint64_t in_blocks, rest, all;
    uint64_t key;      /* one of them */
    uint64_t cpu, gpu; /* nanoseconds */
} timed;

/* By one thread, whose algorithm is the processor's choice; NULL: there is none. */
static const rp__bench_operation *find(const rp__bench_queries *b, const char *form,
                                       const char *processor)
{
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        if (strcmp(o->form, form) == 0 && !o->options.algorithm && o->options.threads == 1 &&
            strcmp(o->options.processor, processor) == 0 && !o->is_refused)
            return o;
    }
    return NULL;
}

static double mean_of(const rp__bench_queries *b, const rp__bench_operation *o)
{
    double sum = 0;
    for (size_t i = 0; o && i < b->set->n; i++)
        sum += (double)o->best[i];
    return sum / (double)b->set->n / 1e3;
}

static int rising(const void *a, const void *b)
{
    uint64_t x = ((const timed *)a)->key, y = ((const timed *)b)->key;
    return (x > y) - (x < y);
}

/* By the postings at `offset`. */
static void sweep(timed *at, size_t n, size_t offset, rp__bench_threshold *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        memcpy(&at[i].key, (const char *)&at[i] + offset, sizeof at[i].key);
    qsort(at, n, sizeof *at, rising);
    for (size_t i = 0; i < n; i++)
        sum += (double)at[i].gpu;
    *out = (rp__bench_threshold){0, sum};
    for (size_t i = 0; i < n; i++) {
        sum += (double)at[i].cpu - (double)at[i].gpu;
        const bool is_last = i + 1 == n;
        if ((is_last || at[i + 1].key > at[i].key) && sum < out->mean)
            *out = (rp__bench_threshold){is_last ? UINT64_MAX : at[i + 1].key, sum};
    }
    out->mean /= (double)n * 1e3;
}

static rp_status look(const rp__bench_queries *b, const rp__bench_operation *cpu,
                      const rp__bench_operation *gpu, timed *out, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < b->set->n; i++) {
        const rp__bench_query *query = &b->set->at[i];
        rp__lab_question question;
        status = rp__lab_query_look(cpu->searchers[0], query->topic.query, query->topic.query_bytes,
                                    &question, err);
        out[i] = (timed){.in_blocks = question.in_pair,
                         .rest = question.weighed,
                         .all = question.postings,
                         .cpu = cpu->best[i],
                         .gpu = gpu->best[i]};
    }
    return status;
}

rp_status rp__bench_threshold_find(const rp__bench_queries *bench, const char *form,
                                   rp__bench_placement *out, rp_error *err)
{
    const rp__bench_operation *cpu = find(bench, form, "cpu"), *gpu = find(bench, form, "gpu");
    const size_t n = bench->set->n;
    *out = (rp__bench_placement){0};
    if (!cpu || !gpu)
        return RP_NOT_FOUND;
    timed *times = rp__alloc_array(n, sizeof *times);
    if (!times)
        return rp__error_no_memory(err);
    rp_status status = look(bench, cpu, gpu, times, err);
    if (status == RP_OK) {
        for (size_t i = 0; i < n; i++)
            out->perfect += (double)(times[i].cpu < times[i].gpu ? times[i].cpu : times[i].gpu);
        out->perfect /= (double)n * 1e3;
        out->cpu = mean_of(bench, cpu);
        out->gpu = mean_of(bench, gpu);
        out->automatic = mean_of(bench, find(bench, form, "auto"));
        sweep(times, n, offsetof(timed, in_blocks), &out->by_blocks);
        sweep(times, n, offsetof(timed, rest), &out->by_rest);
        sweep(times, n, offsetof(timed, all), &out->by_all);
    }
    rp__free(times);
    return status;
}
