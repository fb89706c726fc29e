/* gpu_ors.c: ORs of many threads, in turn, by gpu_or.c.
 *
 * Lists are laid out once and kept, which is why there is one such place and not one a thread. */
#include "backend/gpu/gpu_ors.h"

#include <string.h>

enum {
    QUERIES_MOST = 64,    /* of a launch */
    WORK_MOST = 24 << 20, /* bytes that such a launch has beside lists that are laid out, about */
};

/* A launch's queries. */
typedef struct launch {
    rp__gpu_ors *ors;
    rp__gpu_ors_query *queries;
    size_t n, n_terms;
    uint32_t k;
    rp__arena *arena;
    rp__gpu_tiled_want *want; /* n_terms */
    karg_tiled *lists;
    rp__gpu_or_term *terms;
    rp__gpu_or_query *asks; /* n */
    bool is_arena_full;
} launch;

/* ---- Memory ---------------------------------------------------------------------------------- */

void rp__gpu_ors_open(rp__gpu_ors *ors, const rp__gpu_index *index, uint64_t most)
{
    *ors = (rp__gpu_ors){.index = index, .most = most};
    pthread_mutex_init(&ors->lock, NULL);
}

void rp__gpu_ors_close(rp__gpu_ors *ors)
{
    if (!ors->index)
        return;
    if (ors->device.context) {
        (void)rp__device_enter(&ors->device);
        rp__gpu_norms_free(&ors->norms,
                           &ors->device); /* waits for what the others' stages are in */
        rp__gpu_or_close(&ors->or);
        rp__gpu_tiled_close(&ors->tiled);
        rp__device_close(&ors->device);
    }
    pthread_mutex_destroy(&ors->lock);
    *ors = (rp__gpu_ors){0};
}

/* For all lists of the index, if so much is to be had. */
static rp_status lists_bytes(rp__gpu_ors *ors, const rp__query *like, size_t *out)
{
    uint64_t wanted =
        rp__gpu_tiled_bytes(rp__segment_get_info(like->segment), like->lengths.n_docs);
    uint64_t most = ors->most;
    size_t unused, total;
    rp_status status =
        rp__device_check(&ors->device, ors->device.driver->memory_info(&unused, &total));
    if (status != RP_OK)
        return status;
    if (most == 0)
        most = unused / 2;
    if (most < WORK_MOST + (1 << 20))
        return RP_NO_MEMORY;
    most -= WORK_MOST;
    *out = (size_t)(wanted < most ? wanted : most);
    return RP_OK;
}

/* Lists are laid out with norms in them. */
static rp_status open_lists(rp__gpu_ors *ors, const rp__query *like)
{
    size_t bytes = 0;
    if (ors->tiled.device && ors->norms.from == like->norms)
        return RP_OK;
    rp__gpu_tiled_close(&ors->tiled);
    rp_status status = rp__gpu_norms_put(&ors->norms, &ors->device, ors->index, like, ors->most);
    if (status == RP_OK)
        status = lists_bytes(ors, like, &bytes);
    if (status == RP_OK)
        rp__gpu_tiled_open(&ors->tiled, &ors->device, ors->norms.args, like->lengths.n_docs, bytes);
    return status;
}

/* What a launch that failed has left may still read the stage. */
static rp_status settle(rp__gpu_ors *ors)
{
    rp_status status = ors->is_busy ? rp__device_wait(&ors->device) : RP_OK;
    if (status == RP_OK)
        ors->is_busy = false;
    return status;
}

static rp_status enter(rp__gpu_ors *ors, const rp__query *like)
{
    rp_error err;
    const rp__device *device = ors->index->device;
    rp_status status = RP_OK;
    if (!ors->device.context) {
        status = rp__device_twin(&ors->device, device, &err);
        if (status != RP_OK)
            return status;
        rp__gpu_or_open(&ors->or, &ors->device);
    }
    status = rp__device_enter(&ors->device);
    if (status == RP_OK)
        status = settle(ors);
    return status == RP_OK ? open_lists(ors, like) : status;
}

/* ---- A launch -------------------------------------------------------------------------------- */

static bool make_arrays(launch *l)
{
    for (size_t q = 0; q < l->n; q++)
        l->n_terms += l->queries[q].n_terms;
    l->want = rp__arena_array(l->arena, l->n_terms, sizeof *l->want);
    l->lists = rp__arena_array(l->arena, l->n_terms, sizeof *l->lists);
    l->terms = rp__arena_array(l->arena, l->n_terms, sizeof *l->terms);
    l->asks = rp__arena_array(l->arena, l->n, sizeof *l->asks);
    return l->want && l->lists && l->terms && l->asks;
}

static rp_status run_launch(const launch *l, uint32_t n_docs)
{
    rp__gpu_ors *ors = l->ors;
    for (size_t q = 0, i = 0; q < l->n; q++)
        for (uint32_t t = 0; t < l->queries[q].n_terms; t++, i++)
            l->want[i] =
                (rp__gpu_tiled_want){l->queries[q].terms[t].key, *l->queries[q].terms[t].word};
    rp_status status = rp__gpu_tiled_get(&ors->tiled, l->want, l->n_terms, l->lists);
    if (status != RP_OK)
        return status;
    for (size_t q = 0, i = 0; q < l->n; q++) {
        const rp__gpu_ors_query *query = &l->queries[q];
        l->asks[q] = (rp__gpu_or_query){&l->terms[i], query->n_terms, query->least};
        for (uint32_t t = 0; t < query->n_terms; t++, i++)
            l->terms[i] = (rp__gpu_or_term){l->lists[i], query->terms[t].weight};
    }
    rp__gpu_or_batch batch = {
        .queries = l->asks, .n_queries = (uint32_t)l->n, .k = l->k, .n_docs = n_docs};
    return rp__gpu_or_run(&ors->or, &batch);
}

static rp_status take_pairs(launch *l)
{
    const karg_pair *pairs;
    const uint32_t *counts;
    rp__scored *out = rp__arena_array(l->arena, l->n * l->k, sizeof *out);
    rp_status status = rp__gpu_or_fetch(&l->ors->or, &pairs, &counts);
    l->is_arena_full = !out;
    if (status != RP_OK || !out)
        return status == RP_OK ? RP_NO_MEMORY : status;
    _Static_assert(sizeof *pairs == sizeof *out, "one is the other");
    memcpy(out, pairs, l->n * l->k * sizeof *out);
    for (size_t q = 0; q < l->n; q++) {
        bool is_told = counts[q] != UINT32_MAX;
        l->queries[q].status = is_told ? RP_OK : RP_UNAVAILABLE;
        l->queries[q].fallback = is_told ? RP_FALLBACK_NONE : RP_FALLBACK_CROWDED;
        l->queries[q].n = counts[q];
        l->queries[q].at = out + q * l->k;
    }
    return RP_OK;
}

static rp_status answer(launch *l, uint32_t n_docs)
{
    l->is_arena_full = !make_arrays(l);
    rp_status status = l->is_arena_full ? RP_NO_MEMORY : settle(l->ors);
    if (status != RP_OK)
        return status;
    l->ors->is_busy = true;
    status = run_launch(l, n_docs);
    if (status == RP_OK)
        status = take_pairs(l);
    if (status == RP_OK)
        l->ors->is_busy = false;
    return status;
}

static void refuse(rp__gpu_ors *ors, rp__gpu_ors_query *queries, size_t n, rp_status status,
                   bool is_arena_full)
{
    rp_fallback why =
        is_arena_full ? RP_FALLBACK_HOST_MEMORY : rp__device_fallback(&ors->device, status);
    for (size_t i = 0; i < n; i++) {
        queries[i].status = status;
        queries[i].fallback = why;
    }
}

/* Fewer at a time, where there is no memory for many. */
static void answer_all(rp__gpu_ors *ors, const rp__query *like, rp__gpu_ors_query *queries,
                       size_t n, rp__arena *arena)
{
    for (size_t i = 0, many = QUERIES_MOST; i < n;) {
        launch l = {.ors = ors, .queries = queries + i, .k = (uint32_t)like->k, .arena = arena};
        l.n = n - i < many ? n - i : many;
        rp_status status = answer(&l, like->lengths.n_docs);
        if (status == RP_NO_MEMORY && l.n > 1) {
            many = l.n / 2;
            continue;
        }
        if (status != RP_OK)
            refuse(ors, l.queries, l.n, status, l.is_arena_full);
        i += l.n;
    }
}

void rp__gpu_ors_run(rp__gpu_ors *ors, const rp__query *like, rp__gpu_ors_query *queries, size_t n,
                     rp__arena *arena, rp_gpu_counters *counters)
{
    pthread_mutex_lock(&ors->lock);
    rp_gpu_counters before = ors->device.counters;
    rp_status status = enter(ors, like);
    if (status == RP_OK)
        answer_all(ors, like, queries, n, arena);
    else
        refuse(ors, queries, n, status, false);
    rp_gpu_counters spent = rp__device_count_since(&ors->device, &before);
    pthread_mutex_unlock(&ors->lock);
    rp__answer_count(counters, &spent);
}
