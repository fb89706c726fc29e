/* bench_queries.c: measures operations on one set of queries.
 *
 * A round runs every operation once over all queries; rounds begin at another operation and at another
 * query, so that no one has always the same neighbour in the caches. A time is CPU time of the thread
 * from the query's text to docids and scores; where several threads, or a card, share a query it is wall time. */
#include "lab/bench_queries.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "lab/lab.h"
#include "lab/times.h"

static const struct figure {
    const char *key, *unit;
    bool is_rate;
} figures[RP_BENCH_FIGURES] = {
    [RP_BENCH_MEAN] = {"mean", "us", false},
    [RP_BENCH_P50] = {"p50", "us", false},
    [RP_BENCH_P95] = {"p95", "us", false},
    [RP_BENCH_P99] = {"p99", "us", false},
    [RP_BENCH_RATE] = {"throughput", "queries/s", true},
    [RP_BENCH_ONE] = {"pool_of_one", "queries/s", true},
    [RP_BENCH_POOL] = {"pool", "queries/s", true},
    [RP_BENCH_SCALE] = {"pool_over_one", "ratio", true},
    [RP_BENCH_JOULES] = {"energy", "J/1000 queries", false},
    [RP_BENCH_GPU_JOULES] = {"gpu_energy", "J/1000 queries", false},
};

const char *rp__bench_queries_key(rp__bench_figure figure)
{
    return figures[figure].key;
}

const char *rp__bench_queries_unit(rp__bench_figure figure)
{
    return figures[figure].unit;
}

bool rp__bench_queries_is_rate(rp__bench_figure figure)
{
    return figures[figure].is_rate;
}

/* ---- One query ------------------------------------------------------------------------------- */

/* One that is late or refused has no processor. */
static rp_status ask_executor(const rp__bench_queries *b, const rp__bench_operation *o,
                              uint32_t thread, const rp_job *job, rp__lab_answer *answer,
                              rp_error *err)
{
    rp_outcome outcome;
    rp_status status = rp_executor_ask(o->executor, job, &outcome, err);
    const rp_hits *hits = &outcome.hits;
    rp__lab_hit *at = o->hits + thread * o->options.k;
    *answer = (rp__lab_answer){.n = hits->n,
                               .at = at,
                               .total = hits->total,
                               .total_is_exact = hits->total_is_exact,
                               .postings = hits->postings,
                               .processor = hits->processor};
    if (status == RP_DEADLINE || status == RP_BUSY) {
        *answer = (rp__lab_answer){.n = 0};
        status = RP_OK;
    }
    for (size_t i = 0; i < answer->n && !b->has_names; i++)
        at[i] = (rp__lab_hit){hits->at[i].docid, hits->at[i].fixed};
    rp_hits_free(&outcome.hits);
    return status;
}

static rp_status ask(const rp__bench_queries *b, const rp__bench_operation *o, uint32_t thread,
                     size_t i, rp__lab_answer *answer, rp_error *err)
{
    const rp__bench_query *query = &b->set->at[i];
    const char *text = o->is_phrase ? query->phrase : query->topic.query;
    size_t bytes = o->is_phrase ? query->phrase_bytes : query->topic.query_bytes;
    const rp_job job = {.query = text, .query_bytes = bytes, .deadline_ns = b->deadline_ns};
    if (o->executor)
        return ask_executor(b, o, thread, &job, answer, err);
    if (!b->has_names)
        return rp__lab_search(o->searchers[thread], text, bytes, answer, err);
    rp_hits hits;
    rp_status status = rp_searcher_search(o->searchers[thread], text, bytes, &hits, err);
    *answer = (rp__lab_answer){.total = hits.total};
    rp_hits_free(&hits);
    return status;
}

static uint64_t digest_of(const rp__lab_answer *answer, bool counts)
{
    uint64_t digest = counts ? answer->total : answer->n;
    for (size_t i = 0; i < answer->n; i++)
        digest = (digest ^ ((uint64_t)answer->at[i].docid << 32 | answer->at[i].fixed)) *
                 0x9E3779B97F4A7C15U;
    return digest;
}

/* ---- Warming up ------------------------------------------------------------------------------ */

static rp_status open_executor(const rp__bench_queries *b, rp__bench_operation *o, rp_error *err)
{
    rp_search_options search = o->options;
    const rp_executor_options options = {.search = &search, .policy = o->policy, .costs = b->costs};
    search.processor = NULL;
    o->hits = rp__alloc_array(b->threads * o->options.k + 1, sizeof *o->hits);
    return o->hits ? rp_executor_new(b->index, &options, &o->executor, err)
                   : rp__error_no_memory(err);
}

static rp_status open_operation(const rp__bench_queries *b, rp__bench_operation *o, rp_error *err)
{
    rp_status status = RP_OK;
    o->searchers = rp__alloc_zero(b->threads, sizeof *o->searchers);
    o->best = rp__alloc_array(b->set->n, sizeof *o->best);
    o->times = rp__alloc_zero(b->set->n * b->rounds, sizeof *o->times);
    o->totals = rp__alloc_zero(b->set->n, sizeof *o->totals);
    o->digests = rp__alloc_zero(b->set->n, sizeof *o->digests);
    if (!o->searchers || !o->best || !o->times || !o->totals || !o->digests)
        return rp__error_no_memory(err);
    memset(o->best, 0xFF, b->set->n * sizeof *o->best);
    if (o->policy)
        return open_executor(b, o, err);
    for (uint32_t i = 0; status == RP_OK && i < b->threads; i++) {
        status = rp_searcher_new(b->index, &o->options, &o->searchers[i], err);
        if (status == RP_OK && b->tuning)
            rp__auto_tuning_apply(b->tuning, o->searchers[i]);
    }
    return status;
}

static bool is_by(const rp__lab_answer *answer, const char *processor)
{
    return answer->processor && strcmp(answer->processor, processor) == 0;
}

/* Names are not asked for here: their docids are not looked at elsewhere. */
static rp_status warm_up(const rp__bench_queries *b, rp__bench_operation *o, rp_error *err)
{
    rp__bench_queries bare = *b;
    const bool is_chosen = o->policy || strcmp(o->options.processor, "auto") == 0;
    uint64_t postings = 0;
    rp_error why = {0};
    bare.has_names = false;
    bare.deadline_ns = 0;
    for (size_t i = 0; i < b->set->n; i++) {
        rp__lab_answer answer;
        rp_status status = ask(&bare, o, 0, i, &answer, &why);
        if (status == RP_USAGE && o->options.algorithm) {
            o->is_refused = true;
            return RP_OK;
        }
        if (status != RP_OK)
            return rp__error_set(err, status, "%s of query %s: %s", o->name,
                                 b->set->at[i].topic.qid, why.text);
        o->totals[i] = answer.total;
        o->digests[i] = digest_of(&answer, o->options.total == RP_TOTAL_ONLY);
        postings += answer.postings;
        o->on_gpu += is_by(&answer, "gpu");
        o->elsewhere += !is_chosen && !is_by(&answer, o->options.processor);
    }
    o->postings = (double)postings / (double)b->set->n;
    return RP_OK;
}

/* All operations of a form give the same answer, or their times say nothing. */
static rp_status compare(const rp__bench_queries *b, rp_error *err)
{
    for (size_t k = 1; k < b->n; k++) {
        const rp__bench_operation *o = &b->operations[k], *first = b->operations;
        while (strcmp(first->form, o->form) != 0 || first->is_refused)
            first++; /* ends at o itself */
        for (size_t i = 0; !o->is_refused && i < b->set->n; i++)
            if (o->digests[i] != first->digests[i])
                return rp__error_set(err, RP_DAMAGED, "%s and %s answer query %s differently",
                                     first->name, o->name, b->set->at[i].topic.qid);
    }
    return RP_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

typedef struct session {
    rp__bench_queries *bench;
    uint64_t *times; /* of one pass, by query */
    uint32_t round;
} session;

static void add(rp__bench_operation *o, rp__bench_figure figure, double value)
{
    rp__bench_samples_add(&o->samples[figure], value);
}

static void sum_up(session *s, rp__bench_operation *o)
{
    size_t n = s->bench->set->n;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += s->times[i];
        o->times[i * s->bench->rounds + s->round] = s->times[i];
        if (s->times[i] < o->best[i])
            o->best[i] = s->times[i];
    }
    rp__times_sort(s->times, n);
    add(o, RP_BENCH_MEAN, (double)sum / (double)n / 1e3);
    add(o, RP_BENCH_P50, rp__times_in(s->times, n, 0.5, RP_TIMES_US));
    add(o, RP_BENCH_P95, rp__times_in(s->times, n, 0.95, RP_TIMES_US));
    add(o, RP_BENCH_P99, rp__times_in(s->times, n, 0.99, RP_TIMES_US));
    add(o, RP_BENCH_RATE, (double)n * 1e9 / (double)(sum ? sum : 1));
}

static rp_status time_operation(session *s, rp__bench_operation *o, rp_error *err)
{
    const rp__bench_queries *b = s->bench;
    uint64_t (*clock)(void) = b->by_wall ? rp__clock_now : rp__clock_thread;
    size_t n = b->set->n, first = n * s->round / b->rounds;
    rp_status status = RP_OK;
    for (size_t k = 0; status == RP_OK && k < n; k++) {
        size_t i = (first + k) % n;
        rp__lab_answer answer;
        if (b->pause_us > 0)
            rp__clock_sleep((uint64_t)b->pause_us * 1000);
        uint64_t begin = clock();
        status = ask(b, o, 0, i, &answer, err);
        s->times[i] = clock() - begin;
        o->late += o->policy && !answer.processor;
        if (!o->policy)
            rp__bench_steps_add(&o->steps, o->searchers[0]);
    }
    if (status == RP_OK)
        sum_up(s, o);
    return status;
}

/* ---- Energy ---------------------------------------------------------------------------------- */

/* What was used since then, if it could be read then and now. */
static void add_energy(rp__bench_operation *o, size_t n, const rp__lab_energy *before)
{
    rp__lab_energy now;
    rp__lab_energy_read(&now);
    if (before->has_cpu && now.has_cpu && now.cpu >= before->cpu)
        add(o, RP_BENCH_JOULES, (now.cpu - before->cpu) * 1000 / (double)n);
    if (before->has_gpu && now.has_gpu)
        add(o, RP_BENCH_GPU_JOULES, (now.gpu - before->gpu) * 1000 / (double)n);
}

/* The queries again and again, long enough for meters that move ten times a second. */
static rp_status meter_operation(const rp__bench_queries *b, rp__bench_operation *o, rp_error *err)
{
    enum { METER_MS = 1000 };
    rp_status status = RP_OK;
    rp__lab_energy before;
    size_t n = 0;
    rp__lab_energy_read(&before);
    if (!before.has_cpu && !before.has_gpu)
        return RP_OK;
    for (uint64_t begin = rp__clock_now();
         status == RP_OK && rp__clock_now() - begin < (uint64_t)METER_MS * 1000000; n++) {
        rp__lab_answer answer;
        status = ask(b, o, 0, n % b->set->n, &answer, err);
    }
    if (status == RP_OK)
        add_energy(o, n, &before);
    return status;
}

/* ---- A pool ---------------------------------------------------------------------------------- */

typedef struct pool {
    const rp__bench_queries *bench;
    const rp__bench_operation *operation;
    atomic_size_t next;
    atomic_int status; /* of a query that failed */
} pool;

static void answer_queries(void *arg, uint32_t worker)
{
    pool *p = arg;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->bench->set->n;) {
        rp__lab_answer answer;
        rp_status status = ask(p->bench, p->operation, worker, i, &answer, NULL);
        if (status != RP_OK)
            atomic_store(&p->status, (int)status);
    }
}

static rp_status time_pool(const rp__bench_queries *b, const rp__bench_operation *o,
                           uint32_t threads, double *rate)
{
    pool p = {.bench = b, .operation = o};
    uint64_t begin = rp__clock_now();
    rp_status status = rp__thread_run(threads, answer_queries, &p);
    uint64_t ns = rp__clock_now() - begin;
    *rate = (double)b->set->n * 1e9 / (double)(ns ? ns : 1);
    return status != RP_OK ? status : (rp_status)atomic_load(&p.status);
}

static rp_status time_pools(const rp__bench_queries *b, rp__bench_operation *o, rp_error *err)
{
    double one, all;
    if (b->threads == 1)
        return RP_OK;
    rp_status status = time_pool(b, o, 1, &one);
    if (status == RP_OK)
        status = time_pool(b, o, b->threads, &all);
    if (status != RP_OK)
        return rp__error_set(err, status, "%s by %u threads: %s", o->name, b->threads,
                             rp_status_text(status));
    add(o, RP_BENCH_ONE, one);
    add(o, RP_BENCH_POOL, all);
    add(o, RP_BENCH_SCALE, all / one);
    return RP_OK;
}

static rp_status run_round(session *s, rp_error *err)
{
    rp__bench_queries *b = s->bench;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < b->n; i++) {
        rp__bench_operation *o = &b->operations[(i + s->round) % b->n];
        if (o->is_refused)
            continue;
        status = time_operation(s, o, err);
        if (status == RP_OK)
            status = time_pools(b, o, err);
    }
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static double median_of(const rp__bench_operation *o)
{
    rp__bench_summary sum;
    rp__bench_samples_sum_up(&o->samples[RP_BENCH_MEAN], false, &sum);
    return sum.median;
}

/* Insertion, which leaves forms in the order they came in. */
static void sort_forms(rp__bench_queries *b)
{
    for (size_t i = 1; i < b->n; i++) {
        rp__bench_operation moved = b->operations[i];
        size_t k = i;
        for (; k > 0; k--) {
            const rp__bench_operation *left = &b->operations[k - 1];
            if (strcmp(left->form, moved.form) != 0 || left->is_refused < moved.is_refused ||
                (left->is_refused == moved.is_refused && median_of(left) <= median_of(&moved)))
                break;
            b->operations[k] = *left;
        }
        b->operations[k] = moved;
    }
}

/* An operation shares the place of the first one of that place if their intervals meet. */
static void give_places(rp__bench_queries *b)
{
    rp__bench_summary leader = {0}, own;
    size_t first = 0;
    sort_forms(b);
    for (size_t i = 0; i < b->n; i++) {
        rp__bench_operation *o = &b->operations[i];
        rp__bench_samples_sum_up(&o->samples[RP_BENCH_MEAN], false, &own);
        bool is_first = i == 0 || strcmp(o->form, b->operations[i - 1].form) != 0;
        first = is_first ? i : first;
        if (is_first || own.low > leader.high) {
            o->place = i - first + 1;
            leader = own;
        } else {
            o->place = b->operations[i - 1].place;
        }
    }
}

static rp_status look_at_queries(rp__bench_queries *b, rp_error *err)
{
    rp_search_options o = {.processor = "cpu", .threads = 1, .max_work = UINT64_MAX};
    rp_searcher *searcher = NULL;
    for (size_t i = 0; i < b->n; i++)
        o.plain = o.plain || b->operations[i].options.plain;
    b->asked = rp__alloc_zero(b->set->n, sizeof *b->asked);
    rp_status status =
        b->asked ? rp_searcher_new(b->index, &o, &searcher, err) : rp__error_no_memory(err);
    for (size_t i = 0; i < b->set->n && status == RP_OK; i++) {
        const rp_topic *topic = &b->set->at[i].topic;
        status = rp__lab_query_look(searcher, topic->query, topic->query_bytes, &b->asked[i], err);
    }
    rp_searcher_free(searcher);
    return status;
}

uint64_t rp__bench_queries_median(const rp__bench_queries *bench,
                                  const rp__bench_operation *operation, size_t query)
{
    uint64_t times[RP_BENCH_SAMPLES];
    memcpy(times, operation->times + query * bench->rounds, bench->rounds * sizeof *times);
    return rp__times_median(times, bench->rounds);
}

rp_status rp__bench_queries_run(rp__bench_queries *bench, rp_error *err)
{
    session s = {.bench = bench};
    rp_status status = RP_OK;
    s.times = rp__alloc_array(bench->set->n, sizeof *s.times);
    if (!s.times)
        return rp__error_no_memory(err);
    for (size_t i = 0; status == RP_OK && i < bench->n; i++) {
        status = open_operation(bench, &bench->operations[i], err);
        if (status == RP_OK)
            status = warm_up(bench, &bench->operations[i], err);
    }
    if (status == RP_OK)
        status = compare(bench, err);
    for (; status == RP_OK && s.round < bench->rounds; s.round++)
        status = run_round(&s, err);
    for (size_t i = 0; status == RP_OK && i < bench->n; i++)
        if (!bench->operations[i].is_refused && !bench->no_energy)
            status = meter_operation(bench, &bench->operations[i], err);
    rp__free(s.times);
    if (status == RP_OK)
        status = look_at_queries(bench, err);
    if (status == RP_OK)
        give_places(bench);
    return status;
}

double rp__bench_queries_gain(const rp__bench_queries *bench, const rp__bench_operation *operation,
                              size_t *n)
{
    enum { SLOW_NS = 1000000 };
    const rp__bench_operation *one = bench->operations, *end = one + bench->n;
    uint64_t before = 0, after = 0;
    *n = 0;
    while (one < end && (strcmp(one->form, operation->form) != 0 || one->options.threads > 1 ||
                         one->options.algorithm != operation->options.algorithm ||
                         one->options.processor != operation->options.processor))
        one++;
    if (one == end || one->is_refused || operation->is_refused || operation->options.threads == 1)
        return 0;
    for (size_t i = 0; i < bench->set->n; i++) {
        if (one->best[i] < SLOW_NS)
            continue;
        before += one->best[i];
        after += operation->best[i];
        ++*n;
    }
    return *n ? (double)before / (double)(after ? after : 1) : 0;
}

void rp__bench_queries_free(rp__bench_queries *bench)
{
    for (size_t i = 0; i < bench->n; i++) {
        rp__bench_operation *o = &bench->operations[i];
        for (uint32_t k = 0; o->searchers && k < bench->threads; k++)
            rp_searcher_free(o->searchers[k]);
        rp__free(o->searchers);
        rp_executor_free(o->executor);
        rp__free(o->hits);
        rp__free(o->best);
        rp__free(o->times);
        rp__free(o->totals);
        rp__free(o->digests);
    }
    rp__free(bench->operations);
    rp__free(bench->asked);
    rp__auto_tuning_free(bench->tuning);
    *bench = (rp__bench_queries){0};
}
