/* search_batch.c: many queries at once (Ao's PARA).
 *
 * Each thread takes queries, binds them and hands them to the processor in groups, of as many elements of
 * shortest lists as the computational threshold says; while one group is answered the next is made. Whatever
 * does not come back with an answer (queries of other forms, mistakes, faults of the device) is asked again from
 * its text on the plain processor, by the call that answers one query: so hits and messages are the same.
 * Everything that touches mapped files runs under the guard, a group at a time. */
#include "engine/search_batch.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/record.h"
#include "engine/query_trace.h"
#include "engine/searcher.h"

enum {
    IN_FLIGHT = 2,     /* groups of a thread */
    GROUP_MOST = 1024, /* queries of a group */
    TAKEN = 32,        /* queries that a thread takes at a time */
    AHEAD = 2,  /* of them whose words are on their way to the caches while others are bound */
    NAMED = 16, /* hits of each, likewise */
    ARENA_MOST = 16 << 20, /* bytes of bound queries after which a group takes no more */
    ELEMENTS = 1 << 20,
    THREADS_MOST = 256,
};

/* Of a query in a group. */
typedef struct place {
    size_t query; /* which of the call's */
    rp_mode mode;
    bool is_done; /* it is answered, or waits to be asked as OR */
} place;

typedef struct group {
    void *batch; /* the processor's */
    rp__batch_item *asked;
    place *places;
    size_t n;
    uint64_t elements, begun;
    rp__arena arena; /* bound queries and answers */
    bool is_started;
} group;

typedef struct job job;

/* What a thread has. */
typedef struct lane {
    job *job;
    rp_searcher *searcher; /* on the plain processor */
    bool has_groups;       /* otherwise all is answered there, */
    rp_fallback fallback;  /* and why, if a device was asked for */
    group groups[IN_FLIGHT];
    group *group;           /* the one in hand */
    size_t next, end;       /* queries that it took */
    size_t *again, n_again; /* of andor, to be asked as OR: IN_FLIGHT * GROUP_MOST at most */
    rp_batch_report report;
} lane;

struct rp__search_batch {
    const rp__backend *backend;
    lane *lanes;
    size_t n;
    rp__term_table *terms; /* of all lanes */
    rp__pool *pool;        /* NULL: one lane, on the caller's thread */
};

/* A call. */
struct job {
    const rp__search_batch *batch;
    const rp_searcher *searcher;
    rp_batch_query *queries;
    size_t n;
    uint64_t elements;
    bool is_plain;              /* all queries are */
    bool (*goes_on)(void *arg); /* NULL: always */
    void *goes_on_arg;
    atomic_bool is_stopped;
    _Atomic size_t hits_left; /* bytes */
    atomic_size_t next;       /* query to be taken */
};

/* ---- Threads and their memory ---------------------------------------------------------------- */

static void free_lane(const rp__backend *backend, lane *l)
{
    for (size_t i = 0; i < IN_FLIGHT; i++) {
        group *g = &l->groups[i];
        if (g->batch)
            backend->batch_free(g->batch);
        rp__arena_reset(&g->arena);
        rp__free(g->asked);
        rp__free(g->places);
    }
    rp__free(l->again);
    rp__searcher_branch_free(l->searcher);
}

void rp__search_batch_free(rp__search_batch *batch)
{
    if (!batch)
        return;
    rp__pool_free(batch->pool);
    for (size_t i = 0; batch->lanes && i < batch->n; i++)
        free_lane(batch->backend, &batch->lanes[i]);
    rp__free(batch->lanes);
    rp__term_table_free(batch->terms);
    rp__free(batch);
}

/* RP_NO_MEMORY, RP_UNAVAILABLE: the device cannot. */
static rp_status open_group(const rp_searcher *s, group *g)
{
    rp_error err;
    rp__arena_init(&g->arena, s->options.max_memory);
    g->asked = rp__alloc_array(GROUP_MOST, sizeof *g->asked);
    g->places = rp__alloc_array(GROUP_MOST, sizeof *g->places);
    return g->asked && g->places ? s->backend->batch_new(s->state, &g->batch, &err) : RP_NO_MEMORY;
}

static rp_fallback reason_of(const rp_searcher *s, rp_status status)
{
    rp_error err;
    if (status == RP_NO_MEMORY)
        return RP_FALLBACK_MEMORY;
    bool is_lost = s->backend->health && s->backend->health(s->state, &err) != RP_OK;
    return is_lost ? RP_FALLBACK_FAULT : RP_FALLBACK_INDEX;
}

/* A device that cannot costs nothing but time. */
static rp_status open_lane(const rp_searcher *s, rp__term_table *terms, lane *l)
{
    rp_status status = rp__searcher_branch(s, &l->searcher);
    if (status != RP_OK)
        return status;
    l->searcher->terms = terms;
    if (!s->backend->batch_new)
        return RP_OK;
    l->again = rp__alloc_array(IN_FLIGHT * GROUP_MOST, sizeof *l->again);
    status = l->again ? RP_OK : RP_NO_MEMORY;
    for (size_t i = 0; i < IN_FLIGHT && status == RP_OK; i++)
        status = open_group(s, &l->groups[i]);
    l->has_groups = status == RP_OK;
    if (status != RP_OK)
        l->fallback = reason_of(s, status);
    return RP_OK;
}

/* NULL: there is no memory for it. */
static rp__search_batch *open_batch(const rp_searcher *s, size_t threads)
{
    rp__search_batch *batch = rp__alloc_zero(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->backend = s->backend;
    batch->n = threads;
    batch->lanes = rp__alloc_zero(threads, sizeof *batch->lanes);
    rp_status status = batch->lanes ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__term_table_new(s->index->segment, RP_TERM_TABLE_LARGE, &batch->terms);
    for (size_t i = 0; i < threads && status == RP_OK; i++)
        status = open_lane(s, batch->terms, &batch->lanes[i]);
    if (status == RP_OK && threads > 1)
        status = rp__pool_new((uint32_t)threads, &batch->pool);
    if (status == RP_OK)
        return batch;
    rp__search_batch_free(batch);
    return NULL;
}

/* ---- Taking queries -------------------------------------------------------------------------- */

/* Takes some of the call's queries, which have no hits yet. */
static void take_some(lane *l)
{
    job *j = l->job;
    size_t first = atomic_fetch_add(&j->next, TAKEN);
    l->next = first < j->n ? first : j->n;
    l->end = j->n - l->next < TAKEN ? j->n : l->next + TAKEN;
    for (size_t i = l->next; i < l->end; i++)
        j->queries[i].hits = (rp_hits){0};
}

static bool is_stopped(job *j)
{
    if (j->goes_on && !j->goes_on(j->goes_on_arg))
        atomic_store(&j->is_stopped, true);
    return atomic_load(&j->is_stopped);
}

static void drop_taken(lane *l)
{
    for (; l->next < l->end; l->next++)
        l->job->queries[l->next].status = RP_INTERRUPTED;
}

/* What will be asked soon. */
static void look_ahead(const lane *l)
{
    const rp_batch_query *queries = l->job->queries;
    if (l->next + AHEAD < l->end)
        rp__term_table_expect(l->searcher->terms, queries[l->next + AHEAD].query,
                              queries[l->next + AHEAD].query_bytes);
    if (l->next + 2 * AHEAD < l->end)
        __builtin_prefetch(queries[l->next + 2 * AHEAD].query);
}

/* The next query and how it is to be asked; false: there is none. What andor asks again comes first, so that no
 * more than what was in flight can wait. */
static bool take(lane *l, place *out)
{
    rp_mode mode = l->searcher->options.mode;
    if (l->n_again > 0) {
        *out = (place){.query = l->again[--l->n_again], .mode = RP_MODE_OR};
        return true;
    }
    do {
        if (l->next == l->end)
            take_some(l);
        if (l->next == l->end)
            return false;
        if (is_stopped(l->job))
            drop_taken(l);
    } while (l->next == l->end);
    look_ahead(l);
    *out = (place){.query = l->next++, .mode = mode == RP_MODE_ANDOR ? RP_MODE_AND : mode};
    return true;
}

static void set_plain(const lane *l, const rp_batch_query *query)
{
    l->searcher->options.plain = l->job->is_plain || query->plain;
}

/* Why a device did not, and what it did in vain; RP_FALLBACK_NONE: none was asked for, or the query is at fault. */
static void answer_by_cpu(lane *l, rp_batch_query *query, rp_fallback why,
                          const rp_gpu_counters *spent)
{
    uint64_t begun = rp__clock_now();
    rp_hits_free(&query->hits);
    rp__answer_count(&l->report.gpu, spent);
    query->status = rp__searcher_check_strict(l->searcher, why, spent, &query->err);
    if (query->status != RP_OK)
        return;
    set_plain(l, query);
    query->status = rp_searcher_search(l->searcher, query->query, query->query_bytes, &query->hits,
                                       &query->err);
    l->report.cpu_seconds += (double)(rp__clock_now() - begun) / 1e9;
    if (query->status != RP_OK)
        return;
    query->hits.fallback = why;
    query->hits.gpu = *spent;
    l->report.fallbacks[why] += why != RP_FALLBACK_NONE;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Of the shortest list. */
static uint64_t count_elements(const rp__query *query)
{
    uint32_t shortest = query->n_words ? UINT32_MAX : 0;
    for (size_t i = 0; i < query->n_words; i++)
        if (query->words[i].term.df < shortest)
            shortest = query->words[i].term.df;
    return shortest;
}

static void bind(const lane *l, group *g, const place *at)
{
    const rp_batch_query *query = &l->job->queries[at->query];
    rp__batch_item *asked = &g->asked[g->n - 1];
    rp_error err;
    set_plain(l, query);
    g->arena.cap = g->arena.used + l->searcher->options.max_memory;
    rp_status status = rp__searcher_bind(l->searcher, query->query, query->query_bytes, at->mode,
                                         &asked->query, &err);
    if (status == RP_OK && !rp__placement_is_for_batch(l->job->searcher, &asked->query))
        status = RP_UNAVAILABLE; /* the cpu answers it sooner */
    if (status == RP_OK)
        status = rp__query_keep(&asked->query, &g->arena);
    asked->status = status;
    if (status == RP_OK)
        g->elements += count_elements(&asked->query);
}

/* Queries of a group: with a large k, so many that the processor can hand back their hits. */
static size_t group_most(const lane *l)
{
    enum { LARGE_K = 1024 };
    const size_t k = l->searcher->options.k, hits = l->job->batch->backend->batch_hits;
    if (hits == 0 || k <= LARGE_K)
        return GROUP_MOST;
    return hits > k ? hits / k : 1;
}

/* Binds queries and hands them over. */
static rp_status run_fill(void *arg)
{
    lane *l = arg;
    group *g = l->group;
    uint64_t begun = rp__clock_now();
    const size_t most = group_most(l);
    while (g->n < most && g->elements < l->job->elements && g->arena.used < ARENA_MOST &&
           take(l, &g->places[g->n])) {
        rp__answer_clear(&g->asked[g->n].answer);
        g->asked[g->n++].status = RP_DAMAGED; /* unless the guard lets it be bound */
        bind(l, g, &g->places[g->n - 1]);
    }
    uint64_t bound = rp__clock_now();
    l->report.parse_seconds += (double)(bound - begun) / 1e9;
    if (g->n > 0) {
        l->job->batch->backend->batch_start(g->batch, g->asked, g->n, &g->arena);
        g->is_started = true;
        l->report.groups++;
        l->report.prepare_seconds += (double)(rp__clock_now() - bound) / 1e9;
    }
    return RP_OK;
}

/* Hits with their names; under strict_processor no other processor gets what fails here. */
static rp_status name_hits(const lane *l, const rp__batch_item *asked, place *at,
                           rp_batch_query *query)
{
    const rp_searcher *s = l->searcher;
    rp_status status =
        rp__searcher_check_strict(s, RP_FALLBACK_NONE, &asked->answer.gpu, &query->err);
    if (status == RP_OK) {
        status = rp__searcher_hits(s, &asked->query, &asked->answer, at->mode,
                                   l->job->batch->backend->name, &query->hits);
        at->is_done = status == RP_OK || (status == RP_NO_MEMORY && s->options.strict_processor);
        if (status == RP_NO_MEMORY)
            rp__error_no_memory(&query->err);
    } else {
        at->is_done = true;
    }
    if (status != RP_OK)
        rp_hits_free(&query->hits);
    return status;
}

/* One answer of the group to its query; what fails is not done. */
static void take_answer(lane *l, group *g, size_t i, double seconds)
{
    rp__batch_item *asked = &g->asked[i];
    place *at = &g->places[i];
    rp_batch_query *query = &l->job->queries[at->query];
    if (rp__searcher_asks_again(l->searcher, &asked->query, &asked->answer, &at->mode)) {
        l->again[l->n_again++] = at->query;
        query->hits.work = asked->query.work;
        query->hits.postings = asked->answer.postings;
        query->hits.gpu = asked->answer.gpu;
        at->is_done = true;
        return;
    }
    const uint64_t both = query->hits.work; /* of andor's AND and OR, where it is asked again */
    if (both)
        rp__searcher_add_first(&asked->answer, query->hits.postings, RP_FALLBACK_NONE,
                               &query->hits.gpu);
    query->status = name_hits(l, asked, at, query);
    if (at->is_done) {
        rp__answer_count(&l->report.gpu, &asked->answer.gpu);
        rp__answer_count_iiu(&l->report.iiu, &asked->answer.iiu);
    }
    if (query->status != RP_OK)
        return;
    query->hits.seconds = seconds;
    query->hits.work = both ? both : query->hits.work;
    l->report.n_grouped++;
}

/* Hits of query i of the group that will be named soon; *n: how many. */
static const rp__scored *soon_named(const group *g, size_t i, size_t *n)
{
    bool has = i < g->n && g->asked[i].status == RP_OK;
    const rp__answer *answer = has ? &g->asked[i].answer : NULL;
    *n = !has ? 0 : answer->n < NAMED ? answer->n : NAMED;
    return has ? answer->at : NULL;
}

static void expect_names(const lane *l, const group *g, size_t i)
{
    const rp__segment *segment = l->searcher->index->segment;
    size_t n;
    const rp__scored *far = soon_named(g, i + 2 * AHEAD, &n);
    for (size_t h = 0; h < n; h++)
        rp__segment_expect_doc_place(segment, far[h].docid);
    const rp__scored *near = soon_named(g, i + AHEAD, &n);
    for (size_t h = 0; h < n; h++)
        rp__segment_expect_doc_id(segment, near[h].docid);
}

static rp_status run_drain(void *arg)
{
    lane *l = arg;
    group *g = l->group;
    uint64_t begun = rp__clock_now();
    g->is_started = false;
    l->job->batch->backend->batch_finish(g->batch, g->asked, g->n, &g->arena);
    uint64_t waited = rp__clock_now();
    if (l->job->batch->backend->batch_start_ns)
        l->report.start_seconds += (double)l->job->batch->backend->batch_start_ns(g->batch) / 1e9;
    l->report.wait_seconds += (double)(waited - begun) / 1e9;
    double seconds = (double)(waited - g->begun) / 1e9;
    for (size_t i = 0; i < g->n; i++) {
        expect_names(l, g, i);
        if (g->asked[i].status == RP_OK)
            take_answer(l, g, i, seconds);
    }
    l->report.name_seconds += (double)(rp__clock_now() - waited) / 1e9;
    return RP_OK;
}

/* Why the cpu has to answer query i of the group, and what was done for it before. */
static rp_fallback why_not(const lane *l, const group *g, size_t i, rp_gpu_counters *spent)
{
    const rp__batch_item *asked = &g->asked[i];
    const rp_batch_query *query = &l->job->queries[g->places[i].query];
    rp_status status = asked->status == RP_OK ? query->status : asked->status;
    *spent = asked->answer.gpu;
    if (asked->status != RP_OK) /* otherwise the first of andor is added already */
        rp__answer_count(spent, &query->hits.gpu);
    if (asked->answer.fallback)
        return asked->answer.fallback;
    if (status == RP_NO_MEMORY)
        return RP_FALLBACK_HOST_MEMORY;
    return asked->status == RP_OK || status == RP_DAMAGED ? RP_FALLBACK_DAMAGED : RP_FALLBACK_NONE;
}

/* Whether the processor says that the query fails, so that nobody else is asked. */
static bool has_failed(const lane *l, const group *g, size_t i)
{
    const rp__batch_item *asked = &g->asked[i];
    rp_batch_query *query = &l->job->queries[g->places[i].query];
    if (asked->status == RP_OK || !asked->answer.failure)
        return false;
    rp_hits_free(&query->hits);
    query->status = rp__error_set(&query->err, asked->status, "%s", asked->answer.failure);
    return true;
}

/* The guard may have left the processor with what it had for the group. */
static void abandon(const lane *l, const group *g)
{
    if (l->searcher->backend->batch_abandon && g->batch)
        l->searcher->backend->batch_abandon(g->batch);
}

static void end_group(lane *l, group *g)
{
    rp_gpu_counters spent;
    size_t n_again = l->n_again;
    l->group = g;
    if (g->is_started && rp__index_handle_guard(l->searcher->index, run_drain, l) != RP_OK) {
        abandon(l, g);
        l->n_again = n_again; /* a file was cut short: what was read means nothing */
        for (size_t i = 0; i < g->n; i++) {
            g->places[i].is_done = false;
            g->asked[i].answer.failure = NULL;
        }
    }
    for (size_t i = 0; i < g->n; i++)
        if (!g->places[i].is_done && !has_failed(l, g, i)) {
            rp_fallback why = why_not(l, g, i, &spent);
            answer_by_cpu(l, &l->job->queries[g->places[i].query], why, &spent);
        }
    g->n = 0;
}

static void begin_group(lane *l, group *g)
{
    rp__arena_clear(&g->arena);
    g->elements = 0;
    g->begun = rp__clock_now();
    l->group = g;
    if (rp__index_handle_guard(l->searcher->index, run_fill, l) != RP_OK)
        abandon(l, g);
}

/* Groups in turn, until none has anything. */
static void answer_in_groups(lane *l)
{
    for (size_t turn = 0, idle = 0; idle < IN_FLIGHT; turn++) {
        group *g = &l->groups[turn % IN_FLIGHT];
        end_group(l, g);
        begin_group(l, g);
        idle = g->n > 0 ? 0 : idle + 1;
    }
}

static void answer_lane(void *arg, uint32_t worker)
{
    job *j = arg;
    lane *l = &j->batch->lanes[worker];
    place at;
    l->job = j;
    l->searcher->hits_left = &j->hits_left;
    l->next = l->end = l->n_again = 0;
    l->report = (rp_batch_report){0};
    if (l->has_groups)
        answer_in_groups(l);
    else
        while (take(l, &at))
            answer_by_cpu(l, &j->queries[at.query], l->fallback, &(rp_gpu_counters){0});
}

/* ---- The call -------------------------------------------------------------------------------- */

static void sum_reports(const rp__search_batch *batch, rp_batch_report *out)
{
    *out = (rp_batch_report){0};
    for (size_t i = 0; i < batch->n; i++) {
        const rp_batch_report *r = &batch->lanes[i].report;
        out->groups += r->groups;
        out->n_grouped += r->n_grouped;
        out->parse_seconds += r->parse_seconds;
        out->prepare_seconds += r->prepare_seconds;
        out->start_seconds += r->start_seconds;
        out->wait_seconds += r->wait_seconds;
        out->name_seconds += r->name_seconds;
        out->cpu_seconds += r->cpu_seconds;
        rp__answer_count(&out->gpu, &r->gpu);
        rp__answer_count_iiu(&out->iiu, &r->iiu);
        for (size_t why = 0; why < RP_FALLBACKS; why++)
            out->fallbacks[why] += r->fallbacks[why];
    }
}

/* Of an algorithm that was named. */
static void add_kernels(const rp__search_batch *batch, rp_searcher *s)
{
    rp__query_trace_begin(s);
    if (!batch->backend->batch_kernels || !s->events)
        return;
    for (size_t i = 0; i < batch->n; i++)
        for (size_t k = 0; batch->lanes[i].has_groups && k < IN_FLIGHT; k++)
            batch->backend->batch_kernels(batch->lanes[i].groups[k].batch, &s->trace);
}

/* For so many queries. Those of the last call, unless more are needed or fewer are allowed. A thread takes memory and
 * streams of a device, so that a few queries get only as many threads as find any. */
static rp_status get_threads(rp_searcher *s, size_t threads, size_t queries, rp_error *err)
{
    if (threads > THREADS_MOST)
        return rp__error_set(err, RP_LIMIT, "%zu threads for a batch; at most %d", threads,
                             THREADS_MOST);
    const size_t most = threads, useful = queries / TAKEN + (queries % TAKEN > 0);
    threads = useful > 0 && useful < threads ? useful : threads;
    if (s->batch && s->batch->n >= threads && s->batch->n <= most &&
        s->batch->backend == s->backend)
        return RP_OK;
    rp__search_batch_free(s->batch);
    s->batch = open_batch(s, threads);
    return s->batch ? RP_OK : rp__error_no_memory(err);
}

rp_status rp_searcher_batch(rp_searcher *searcher, rp_batch_query *queries, size_t n,
                            const rp_batch_options *options, rp_batch_report *report, rp_error *err)
{
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, queries, n))
        return RP_USAGE;
    rp_batch_options o;
    rp_status status = RP_TAKE(&o, options, err);
    if (searcher->backend == &rp__gpu_child_row)
        rp__gpu_child_revive(searcher->state);
    for (size_t i = 0; i < n && status == RP_OK; i++)
        if (RP_MISSING_ARRAY(err, queries[i].query, queries[i].query_bytes))
            status = RP_USAGE;
    if (status == RP_OK)
        rp__placement_begin_batch(searcher, queries, n);
    if (status == RP_OK)
        status = get_threads(searcher, o.threads ? o.threads : 1, n, err);
    for (size_t i = 0; i < n && status != RP_OK; i++)
        queries[i].hits = (rp_hits){0};
    if (status != RP_OK)
        return status;
    rp__search_batch *batch = searcher->batch;
    job j = {.batch = batch,
             .searcher = searcher,
             .queries = queries,
             .n = n,
             .elements = o.elements ? o.elements : ELEMENTS,
             .is_plain = searcher->options.plain,
             .goes_on = o.goes_on,
             .goes_on_arg = o.goes_on_arg,
             .hits_left = o.max_memory ? o.max_memory : SIZE_MAX};
    if (batch->pool)
        rp__pool_run(batch->pool, answer_lane, &j);
    else
        answer_lane(&j, 0);
    rp_batch_report all;
    sum_reports(batch, &all);
    add_kernels(batch, searcher);
    if (report)
        *report = all;
    searcher->gpu.answered += all.n_grouped;
    rp__searcher_note_fault(searcher);
    rp__placement_end(searcher);
    return atomic_load(&j.is_stopped) ? rp__error_set(err, RP_INTERRUPTED, "interrupted") : RP_OK;
}
