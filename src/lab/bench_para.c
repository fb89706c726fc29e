/* bench_para.c: batches of a log on a card, and on one core.
 *
 * 1 queries, bound once; 2 batches; 3 one core; 4 the card. Batches follow each other through the log, which begins anew
 * where it ends. Every batch runs once before any clock runs, so that its lists are on the card; then docids are compared
 * with those of the core. Answers are docids alone, in memory of the host. */
#include "lab/bench_para.h"

#include <stdio.h>
#include <string.h>

#include "backend/cpu/probe.h"
#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "engine/searcher.h"
#include "lab/gpu/gpu_bench.h"

enum { NAME = 64, ARENA_BITS = 34 };

/* Of the log, and those of it that make up a batch. */
typedef struct batch {
    size_t first, n; /* queries from `first` on, around the end */
    uint64_t elements;
} batch;

struct rp__bench_para {
    rp__bench_para_options options;
    const rp__bench_query_set *set;
    rp_searcher *searcher; /* binds queries */
    rp__arena bound, arena;
    rp__query *queries; /* those with two lists or more: n */
    uint32_t *shortest; /* postings of the shortest list of each */
    size_t n;
    rp__device device;
    rp__gpu_index index;
    rp__exec exec;
    uint32_t processors;
    /* while a measurement runs */
    char algorithm[NAME];
    batch *batches;
    size_t n_batches, cap_batches;
    rp__batch_item *items;
    uint32_t *docids, *begins; /* that the core found in a batch */
    size_t cap_docids, cap_begins, cap_items;
    rp__bench_para_figures figures;
    uint64_t elements;
    rp_error err;
};

typedef rp__bench_para bench;

/* ---- 1. Queries ---------------------------------------------------------------------------------- */

static void *copy(bench *b, const void *from, size_t bytes)
{
    void *to = rp__arena_array(&b->bound, bytes + 1, 1);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

static uint32_t shortest_of(const rp__query *query)
{
    uint32_t df = UINT32_MAX;
    for (size_t i = 0; i < query->n_words; i++)
        df = query->words[i].term.df < df ? query->words[i].term.df : df;
    return df;
}

static rp_status bind_one(bench *b, const rp_topic *topic)
{
    rp__query query;
    rp_status status = rp__searcher_bind(b->searcher, topic->query, topic->query_bytes, RP_MODE_AND,
                                         &query, &b->err);
    if (status != RP_OK || query.n_ops < 4 || shortest_of(&query) == 0)
        return status;
    query.ops = copy(b, query.ops, query.n_ops * sizeof *query.ops);
    query.leaves = copy(b, query.leaves, query.n_leaves * sizeof *query.leaves);
    query.words = copy(b, query.words, query.n_words * sizeof *query.words);
    query.k = 0;
    query.exact_total = true;
    query.algorithm = b->algorithm;
    b->shortest[b->n] = shortest_of(&query);
    b->queries[b->n++] = query;
    return query.ops && query.leaves && query.words ? RP_OK : RP_NO_MEMORY;
}

static rp_status bind_all(void *arg)
{
    bench *b = arg;
    rp_status status = RP_OK;
    for (size_t i = 0; i < b->set->n && status == RP_OK; i++)
        status = bind_one(b, &b->set->at[i].topic);
    if (status == RP_OK && b->n == 0)
        status = rp__error_set(&b->err, RP_INPUT, "no query has two terms of the index or more");
    return status;
}

/* ---- 2. Batches ---------------------------------------------------------------------------------- */

static rp_status make_batches(bench *b)
{
    size_t at = 0;
    b->n_batches = 0;
    while (b->n_batches < b->options.batches) {
        batch one = {.first = at};
        while (one.elements < b->elements && one.n < b->n && one.n < RP_PARA_QUERIES) {
            one.elements += b->shortest[at];
            one.n++;
            at = (at + 1) % b->n;
        }
        if (!rp__alloc_grow(&b->batches, &b->cap_batches, b->n_batches + 1, sizeof one) ||
            !rp__alloc_grow(&b->docids, &b->cap_docids, one.elements + RP_BLOCK_CAPACITY,
                            sizeof *b->docids) ||
            !rp__alloc_grow(&b->begins, &b->cap_begins, one.n + 1, sizeof *b->begins) ||
            !rp__alloc_grow(&b->items, &b->cap_items, one.n, sizeof *b->items))
            return RP_NO_MEMORY;
        b->batches[b->n_batches++] = one;
    }
    return RP_OK;
}

static const rp__query *query_of(const bench *b, const batch *one, size_t i)
{
    return &b->queries[(one->first + i) % b->n];
}

/* ---- 3. One core --------------------------------------------------------------------------------- */

/* The skip-list row, or what can search a list that is too short for it. */
static const rp__probe_row *row_of(const rp__list *list, size_t n)
{
    const rp__probe_row *row;
    for (size_t i = 0; (row = rp__probe_at(i)); i++)
        if (strcmp(row->name, "skip") == 0 && row->needs == 0 && row->applies(list, NULL))
            return row;
    return rp__probe_choose(list, NULL, n, rp__cpu_features());
}

static rp_status narrow(uint32_t *docids, uint32_t *n, const rp__list *list)
{
    rp__probe probe;
    uint32_t kept[RP_BLOCK + 16], found = 0;
    rp__probe_open(&probe, row_of(list, *n), list, NULL);
    for (uint32_t i = 0; i < *n; i += RP_BLOCK) {
        uint32_t some = *n - i < RP_BLOCK ? *n - i : RP_BLOCK;
        some = rp__probe_find(&probe, docids + i, some, kept, NULL);
        for (uint32_t k = 0; k < some; k++)
            docids[found++] = docids[i + kept[k]];
    }
    *n = found;
    return probe.status;
}

/* The docids of a query to `out`, list after list, the shortest first. */
static rp_status intersect(bench *b, const rp__query *query, uint32_t *out, uint32_t *n)
{
    rp__list lists[KARG_MAX_TERMS];
    uint32_t n_lists = 0;
    rp_status status = RP_OK;
    for (size_t i = 1; i + 1 < query->n_ops && n_lists < KARG_MAX_TERMS && status == RP_OK; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i].leaf];
        rp__list list;
        status = rp__segment_list(query->segment, &query->words[leaf->word].term, &b->arena, &list);
        uint32_t j = n_lists++;
        for (; j > 0 && lists[j - 1].n > list.n; j--)
            lists[j] = lists[j - 1];
        lists[j] = list;
    }
    *n = 0;
    if (status != RP_OK || n_lists == 0)
        return status;
    status = rp__list_decode(&lists[0], out, NULL);
    *n = lists[0].n;
    for (uint32_t i = 1; i<n_lists && * n> 0 && status == RP_OK; i++)
        status = narrow(out, n, &lists[i]);
    return status;
}

static rp_status run_core(bench *b, const batch *one)
{
    uint32_t n = 0;
    rp_status status = RP_OK;
    rp__arena_clear(&b->arena);
    for (size_t i = 0; i < one->n && status == RP_OK; i++) {
        uint32_t found = 0;
        status = intersect(b, query_of(b, one, i), b->docids + n, &found);
        b->begins[i] = n;
        n += found;
    }
    b->begins[one->n] = n;
    return status;
}

static rp_status time_core(bench *b)
{
    double best = 0;
    rp_status status = RP_OK;
    for (uint32_t round = 0; round < b->options.rounds && status == RP_OK; round++) {
        uint64_t begin = rp__clock_thread();
        for (size_t i = 0; i < b->n_batches && status == RP_OK; i++)
            status = run_core(b, &b->batches[i]);
        double took = (double)(rp__clock_thread() - begin) / 1e9 / (double)b->n_batches;
        best = round == 0 || took < best ? took : best;
    }
    b->figures.cpu = best;
    return status;
}

/* ---- 4. The card --------------------------------------------------------------------------------- */

static rp_status refuse(bench *b, const rp__batch_item *item)
{
    const char *why =
        b->device.fault.text[0] ? b->device.fault.text : rp_fallback_text(item->answer.fallback);
    return rp__error_set(&b->err, RP_UNAVAILABLE, "%s: %s", b->algorithm, why);
}

static rp_status run_card(bench *b, const batch *one)
{
    rp__arena_clear(&b->arena);
    for (size_t i = 0; i < one->n; i++)
        b->items[i] = (rp__batch_item){.query = *query_of(b, one, i)};
    rp__exec_begin(&b->exec, one->n, true, &b->arena);
    for (size_t i = 0; i < one->n; i++)
        rp__exec_add(&b->exec, &b->items[i]);
    rp__exec_launch(&b->exec);
    rp__exec_collect(&b->exec);
    for (size_t i = 0; i < one->n; i++)
        if (b->items[i].status != RP_OK)
            return refuse(b, &b->items[i]);
    return RP_OK;
}

/* A batch that took several launches has not all of its docids there, and is compared by their numbers. */
static bool is_same(const bench *b, const batch *one)
{
    const rp__para_launch *p = &b->exec.para;
    const size_t bytes = b->begins[one->n] * sizeof(uint32_t);
    for (size_t i = 0; i < one->n; i++)
        if (b->items[i].answer.total != b->begins[i + 1] - b->begins[i])
            return false;
    return p->times.launches > 1 ||
           (memcmp(p->begins, b->begins, (one->n + 1) * sizeof(uint32_t)) == 0 &&
            (bytes == 0 || memcmp(p->docids, b->docids, bytes) == 0));
}

static rp_status check(bench *b, const batch *one)
{
    b->exec.para.times = (rp__para_times){0};
    rp_status status = run_card(b, one);
    if (status == RP_OK)
        status = run_core(b, one);
    if (status == RP_OK && !is_same(b, one))
        status =
            rp__error_set(&b->err, RP_DAMAGED, "%s found other docids than the core", b->algorithm);
    b->figures.found += (double)b->begins[one->n] / (double)b->n_batches;
    return status;
}

static void keep(bench *b, const rp__para_times *t)
{
    rp__bench_para_figures *f = &b->figures;
    const double each = 1e9 * (double)b->n_batches;
    const double total = (double)(t->host + t->transfer + t->kernels) / each;
    if (f->batches > 0 && total >= f->host + f->transfer + f->kernels)
        return;
    f->batches = (uint32_t)b->n_batches;
    f->host = (double)t->host / each;
    f->transfer = (double)t->transfer / each;
    f->kernels = (double)t->kernels / each;
    f->search = (double)t->search / each;
}

static rp_status time_card(bench *b)
{
    rp_status status = RP_OK;
    for (uint32_t round = 0; round < b->options.rounds && status == RP_OK; round++) {
        b->exec.para.times = (rp__para_times){0};
        for (size_t i = 0; i < b->n_batches && status == RP_OK; i++)
            status = run_card(b, &b->batches[i]);
        if (status == RP_OK)
            keep(b, &b->exec.para.times);
    }
    return status;
}

static rp_status measure(void *arg)
{
    bench *b = arg;
    rp_status status = make_batches(b);
    for (size_t i = 0; i < b->n_batches && status == RP_OK; i++) {
        b->figures.queries += (double)b->batches[i].n / (double)b->n_batches;
        b->figures.elements += (double)b->batches[i].elements / (double)b->n_batches;
        status = check(b, &b->batches[i]);
    }
    if (status == RP_OK)
        status = time_card(b);
    return status == RP_OK ? time_core(b) : status;
}

/* ---- A bench ------------------------------------------------------------------------------------- */

/* Whether it has so many multiprocessors as are to be used, whatever its driver can do. */
static rp_status check_processors(const bench *b, const rp__driver *driver, int ordinal,
                                  rp_error *err)
{
    rp__device device;
    rp_status status = rp__device_open(&device, driver, ordinal, err);
    if (status != RP_OK)
        return status;
    if (b->options.processors > device.processors)
        status = rp__error_set(err, RP_USAGE, "--sms %u: the card has %u multiprocessors",
                               (unsigned)b->options.processors, (unsigned)device.processors);
    rp__device_close(&device);
    return status;
}

/* The card, or a part of it. */
static rp_status open_device(bench *b, rp_error *err)
{
    const rp__place place = {.gpu = b->options.gpu};
    const rp__driver *driver, *whole;
    int ordinal;
    rp_status status = rp__gpu_place_find(&place, 0, &whole, &ordinal, err);
    driver = whole;
    if (status == RP_OK && b->options.processors > 0)
        status = check_processors(b, whole, ordinal, err);
    if (status == RP_OK && b->options.processors > 0)
        status = rp__driver_partition_make(whole, ordinal, b->options.processors, &driver,
                                           &b->processors, err);
    if (status == RP_OK)
        status = rp__device_open(&b->device, driver, ordinal, err);
    if (status == RP_OK && b->options.processors == 0)
        b->processors = b->device.processors;
    return status;
}

static rp_status attach(void *arg)
{
    bench *b = arg;
    rp_status status = rp__gpu_index_open(&b->index, &b->device, b->searcher->index->segment, 0);
    if (status != RP_OK)
        return rp__error_set(&b->err, status, "the gpu does not hold the index");
    rp__exec_open(&b->exec, &b->device, &b->index);
    b->exec.para.is_measured = true;
    return bind_all(b);
}

rp_status rp__bench_para_open(const rp_index *index, const rp__bench_query_set *queries,
                              const rp__bench_para_options *options, rp__bench_para **out,
                              rp_error *err)
{
    const rp_search_options search = {.processor = "cpu", .mode = RP_MODE_AND};
    bench *b = rp__alloc_zero(1, sizeof *b);
    *out = b;
    if (!b)
        return rp__error_no_memory(err);
    b->options = *options;
    b->set = queries;
    rp__arena_init(&b->bound, (size_t)1 << ARENA_BITS);
    rp__arena_init(&b->arena, (size_t)1 << ARENA_BITS);
    b->queries = rp__alloc_array(queries->n, sizeof *b->queries);
    b->shortest = rp__alloc_array(queries->n, sizeof *b->shortest);
    rp_status status = b->queries && b->shortest ? RP_OK : rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp_searcher_new(index, &search, &b->searcher, err);
    if (status == RP_OK)
        status = open_device(b, err);
    return status == RP_OK ? rp__searcher_guard(b->searcher, attach, b, &b->err, err) : status;
}

void rp__bench_para_free(rp__bench_para *b)
{
    if (!b)
        return;
    if (b->device.context) {
        (void)rp__device_enter(&b->device);
        rp__exec_close(&b->exec);
        rp__gpu_index_close(&b->index);
    }
    rp__device_close(&b->device);
    rp_searcher_free(b->searcher);
    rp__arena_reset(&b->arena);
    rp__arena_reset(&b->bound);
    rp__free(b->queries);
    rp__free(b->shortest);
    rp__free(b->batches);
    rp__free(b->items);
    rp__free(b->docids);
    rp__free(b->begins);
    rp__free(b);
}

const char *rp__bench_para_gpu(const rp__bench_para *b, uint32_t *processors)
{
    *processors = b->processors;
    return b->device.name;
}

const char *rp__bench_para_method(size_t i)
{
    const rp__para_method *m = rp__para_method_at(i);
    return m ? m->name : NULL;
}

rp__bench_para_origin rp__bench_para_from(const char *method)
{
    const rp__para_method *m;
    for (size_t i = 0; (m = rp__para_method_at(i)); i++)
        if (strcmp(m->name, method) == 0)
            return (rp__bench_para_origin){m->paper, m->is_literal};
    return (rp__bench_para_origin){"", false};
}

static void name(char *out, const char *method)
{
    snprintf(out, NAME, "para:method=%s", method);
}

rp_status rp__bench_para_check(const rp_index *index, const char *method, rp_error *err)
{
    char algorithm[NAME];
    name(algorithm, method);
    return rp__para_method_check(
        algorithm, &(rp__algorithm_use){.segment = index->segment, .is_and = true}, err);
}

rp_status rp__bench_para_run(rp__bench_para *b, const char *method, uint64_t elements,
                             rp__bench_para_figures *out, rp_error *err)
{
    name(b->algorithm, method);
    b->elements = elements;
    b->figures = (rp__bench_para_figures){0};
    rp_status status = rp__device_enter(&b->device);
    if (status == RP_OK)
        status = rp__searcher_guard(b->searcher, measure, b, &b->err, err);
    *out = b->figures;
    return status;
}
