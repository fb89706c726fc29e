/* load.c: an open loop of jobs: when they arrive, what the executor or the replay made of them, and in figures. */
#include "lab/load.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/thread.h"
#include "engine/executor_ready.h"
#include "engine/replay_record.h"
#include "lab/arrivals.h"
#include "lab/times.h"

enum {
    JOBS_MOST = 20000000,
    CORES_OF_RECORD = 16,
    CLIENTS = 3, /* generators: if one of them is stopped for a while, others go on */
    CLIENTS_PARSING = 6,
    CLIENTS_MOST = 64,
    TRIALS = 2,        /* of a rate that has failed once */
    WARM_MOST = 20000, /* queries before the clock runs */
    SOON = 100000,     /* nanoseconds between looks at what has ended */
};

struct rp__load {
    rp__replay_cost *costs; /* NULL: on the executor */
    size_t n_costs;
    const rp_index *index;
    const rp__bench_query_set *queries;
    const rp_search_options *search;
};

rp_status rp__load_open_record(const char *path, rp__load **out, rp_error *err)
{
    *out = NULL;
    rp__load *load = rp__alloc_zero(1, sizeof *load);
    if (!load)
        return rp__error_no_memory(err);
    rp_status status = rp__replay_record_read(path, &load->costs, &load->n_costs, err);
    if (status != RP_OK) {
        rp__free(load);
        return status;
    }
    *out = load;
    return RP_OK;
}

rp_status rp__load_open_index(const rp_index *index, const rp__bench_query_set *queries,
                              const rp_search_options *search, rp__load **out, rp_error *err)
{
    *out = rp__alloc_zero(1, sizeof **out);
    if (!*out)
        return rp__error_no_memory(err);
    **out = (rp__load){.index = index, .queries = queries, .search = search};
    return RP_OK;
}

void rp__load_close(rp__load *load)
{
    if (!load)
        return;
    rp__free(load->costs);
    rp__free(load);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Those that never ended are the last. */
static void fill_times(uint64_t *times, size_t jobs, rp__load_figures *out)
{
    rp__times_sort(times, jobs);
    size_t n = jobs;
    while (n > 0 && times[n - 1] == RP_POLICY_NEVER)
        n--;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)times[i];
    out->times.mean = n ? sum / (double)n / 1e9 : 0;
    out->times.p50 = rp__times_in(times, n, 0.5, RP_TIMES_S);
    out->times.p80 = rp__times_in(times, n, 0.8, RP_TIMES_S);
    out->times.p90 = rp__times_in(times, n, 0.9, RP_TIMES_S);
    out->times.p95 = rp__times_in(times, n, 0.95, RP_TIMES_S);
    out->times.p99 = rp__times_in(times, n, 0.99, RP_TIMES_S);
    out->times.p999 = rp__times_in(times, n, 0.999, RP_TIMES_S);
    out->times.most = n ? (double)times[n - 1] / 1e9 : 0;
}

/* ---- Trouble --------------------------------------------------------------------------------- */

typedef struct window {
    uint64_t begin, end; /* nanoseconds from the first arrival; the end is not in it */
} window;

static uint64_t span_of(const rp__load_options *o)
{
    return (uint64_t)(o->seconds * 1e9);
}

/* Empty without a burst. */
static window burst_window(const rp__load_options *o)
{
    const uint64_t ns = span_of(o), begin = ns / 3;
    return o->trouble.burst > 1 ? (window){begin, begin + ns / 10} : (window){0, 0};
}

/* With those of a burst. */
static double jobs_of(const rp__load_options *o)
{
    const window burst = burst_window(o);
    const double more = o->trouble.burst > 1 ? (double)(o->trouble.burst - 1) : 0;
    return o->rate * (o->seconds + more * (double)(burst.end - burst.begin) / 1e9);
}

static window stall_window(const rp__load_options *o)
{
    const uint64_t ns = span_of(o), begin = ns / 3, most = 1000000000;
    return (window){begin, begin + (ns / 2 < most ? ns / 2 : most)};
}

/* The 99th percentile of each tenth of the time, by when jobs came. */
static rp_status fill_tenths(const rp__load_options *o, const uint64_t *times,
                             const uint64_t *arrivals, rp__load_figures *out)
{
    const uint64_t tenth = span_of(o) / RP_LOAD_PARTS;
    uint64_t *own = rp__alloc_array(out->jobs, sizeof *own);
    for (uint64_t t = 0; t < RP_LOAD_PARTS && own; t++) {
        size_t n = 0;
        for (size_t i = 0; i < out->jobs; i++)
            if (arrivals[i] >= t * tenth && arrivals[i] < (t + 1) * tenth &&
                times[i] != RP_POLICY_NEVER)
                own[n++] = times[i];
        rp__times_sort(own, n);
        out->p99_parts[t] = rp__times_in(own, n, 0.99, RP_TIMES_S);
    }
    rp__free(own);
    return own ? RP_OK : RP_NO_MEMORY;
}

/* ---- A replay -------------------------------------------------------------------------------- */

static rp__replay_options replay_options(const rp__load *load, const rp__load_options *o)
{
    const rp__load_trouble *t = &o->trouble;
    rp__replay_options r = {.policy = rp__policy_find(o->policy),
                            .costs = load->costs,
                            .n_costs = load->n_costs,
                            .cores = o->cores ? o->cores : CORES_OF_RECORD,
                            .has_card = !o->no_card,
                            .jobs = (uint64_t)jobs_of(o),
                            .gap_ps = (uint64_t)(1e12 / o->rate),
                            .is_poisson = o->is_poisson,
                            .seed = o->seed,
                            .deadline_ns = o->deadline_us * 1000,
                            .max_queued = o->max_queued ? o->max_queued : 1024,
                            .elements = o->elements ? o->elements : 1 << 20,
                            .ratio = o->griffin_ratio,
                            .held_ns = o->held_ns,
                            .wrong = t->wrong};
    if (t->burst > 1) {
        r.burst = t->burst;
        r.burst_begin_ns = burst_window(o).begin;
        r.burst_end_ns = burst_window(o).end;
    }
    r.stalls_card = t->stall_card;
    if (t->stall || t->stall_card) {
        r.stall_begin_ns = stall_window(o).begin;
        r.stall_end_ns = stall_window(o).end;
    }
    if (t->lose_card)
        r.lose_card_ns = span_of(o) / 2;
    return r;
}

static rp_status run_replay(const rp__load *load, const rp__load_options *o, uint64_t *times,
                            rp__load_figures *out, rp_error *err)
{
    const rp__replay_options r = replay_options(load, o);
    rp__replay_report report = {0};
    uint64_t *arrivals = rp__alloc_array(r.jobs, sizeof *arrivals);
    rp_status status =
        arrivals ? rp__replay_run(&r, times, arrivals, &report) : rp__error_no_memory(err);
    if (status == RP_OK && r.deadline_ns)
        status = rp__replay_list(&r, arrivals, &out->list_misses);
    if (status == RP_OK)
        status = fill_tenths(o, times, arrivals, out);
    rp__free(arrivals);
    if (status != RP_OK)
        return status;
    out->answered = report.answered;
    out->refused = report.refused;
    out->late = report.late;
    out->on_cores = report.on_cores;
    out->on_card = report.on_card;
    out->launches = report.launches;
    out->batched = report.batched;
    out->seconds = (double)report.end_ns / 1e9;
    return status;
}

double rp__load_bound(const rp__load *load, const rp__load_options *options)
{
    if (!load->costs)
        return 0;
    const rp__replay_options r = replay_options(load, options);
    return (double)rp__replay_bound(&r);
}

/* ---- On the executor ------------------------------------------------------------------------- */

/* An executor, and queries bound for it. */
typedef struct target {
    rp_executor *executor;
    rp__executor_ready *ready; /* by query; NULL: they are parsed when they arrive */
    bool *is_ready;            /* otherwise it cannot be bound, and is submitted as a text */
    rp__arena arena;
    uint32_t clients;
    rp__thread_cores cores; /* of the machine */
    bool is_apart;          /* clients have the last of them to themselves */
} target;

typedef struct live live;

/* Each has its own, so threads that end jobs share no counters. */
typedef struct live_job {
    live *live;
    uint64_t due, took; /* when it was to come; and how long after that it ended */
    rp_status status;
} live_job;

struct live {
    const rp__load *load;
    const rp__load_options *options;
    const target *target;
    live_job *jobs;
    uint64_t begin;
    size_t n;
    _Atomic size_t next; /* that no client has yet */
    _Atomic uint64_t moves, lag_sum, lag_most, watched, stalled;
    _Atomic uint64_t refused, refusal_sum, refusal_most;
};

static void raise_to(_Atomic uint64_t *at, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(at, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak(at, &seen, value))
        ;
}

static void job_done(void *arg, rp_outcome *outcome)
{
    live_job *j = arg;
    j->took = rp__clock_now() - j->due;
    j->status = outcome->status;
    if (outcome->moves > 0)
        atomic_fetch_add(&j->live->moves, outcome->moves);
    rp_hits_free(&outcome->hits);
}

/* Of a generator. */
typedef struct clock_watch {
    uint64_t watched, stalled; /* nanoseconds; of them, not run */
} clock_watch;

static void wait_until(uint64_t due, clock_watch *watch)
{
    enum {
        SPUN = 60000,   /* nanoseconds before it, the clock is watched */
        STALLED = 20000 /* between two looks: it was not run */
    };
    uint64_t now = rp__clock_now();
    if (due > now + SPUN) {
        rp__clock_sleep(due - now - SPUN);
        now = rp__clock_now();
    }
    while (now < due) {
        const uint64_t next = rp__clock_now();
        watch->watched += next - now;
        watch->stalled += next - now > STALLED ? next - now : 0;
        now = next;
    }
}

static void note_refusal(live *l, uint64_t ns)
{
    atomic_fetch_add(&l->refused, 1);
    atomic_fetch_add(&l->refusal_sum, ns);
    raise_to(&l->refusal_most, ns);
}

static rp_status submit(const live *l, size_t query, live_job *own)
{
    const target *to = l->target;
    const rp_topic *topic = &l->load->queries->at[query].topic;
    const rp_job job = {.query = topic->query,
                        .query_bytes = topic->query_bytes,
                        .deadline_ns = l->options->deadline_us * 1000,
                        .done = job_done,
                        .arg = own};
    rp_error err;
    return to->ready && to->is_ready[query]
               ? rp__executor_submit_ready(to->executor, &job, &to->ready[query], &err)
               : rp_executor_submit(to->executor, &job, NULL, &err);
}

/* It may end before this returns: after that the job is what its end says, unless it was not taken. */
static void submit_job(live *l, size_t number, uint64_t now)
{
    live_job *own = &l->jobs[number];
    const rp_status status = submit(l, number % l->load->queries->n, own);
    if (status == RP_OK)
        return;
    if (status == RP_BUSY)
        note_refusal(l, rp__clock_now() - now);
    own->status = status;
}

/* When jobs are to come. */
static void plan_arrivals(live *l)
{
    const rp__load_options *o = l->options;
    const double gap = 1e9 / o->rate;
    const window w = burst_window(o);
    rp__random random;
    rp__random_init(&random, o->seed);
    double at = 0;
    for (size_t i = 0; i < l->n; i++) {
        const bool in_burst = at >= (double)w.begin && at < (double)w.end;
        at += rp__arrivals_gap(&random, o->is_poisson, in_burst ? gap / o->trouble.burst : gap);
        l->jobs[i] = (live_job){.live = l, .due = (uint64_t)at};
    }
}

/* One of several generators. Each takes the next job that is to come, so that one which the system does not run for a
 * while delays one job alone. */
static void generate(void *arg, uint32_t client)
{
    live *l = arg;
    const target *to = l->target;
    uint64_t lag_sum = 0, lag_most = 0;
    clock_watch watch = {0};
    (void)client;
    if (to->is_apart)
        (void)rp__thread_keep_to(&to->cores, to->cores.n - to->clients, to->clients);
    for (size_t i; (i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->n;) {
        const uint64_t due = l->begin + l->jobs[i].due;
        l->jobs[i].due = due;
        wait_until(due, &watch);
        const uint64_t now = rp__clock_now(), lag = now - due;
        lag_sum += lag;
        lag_most = lag > lag_most ? lag : lag_most;
        submit_job(l, i, now);
    }
    atomic_fetch_add(&l->lag_sum, lag_sum);
    atomic_fetch_add(&l->watched, watch.watched);
    atomic_fetch_add(&l->stalled, watch.stalled);
    raise_to(&l->lag_most, lag_most);
}

/* ---- Opening an executor --------------------------------------------------------------------- */

typedef struct warm_up {
    _Atomic uint64_t ended;
} warm_up;

static void warm_done(void *arg, rp_outcome *outcome)
{
    warm_up *w = arg;
    rp_hits_free(&outcome->hits);
    atomic_fetch_add(&w->ended, 1);
}

/* Every query once, as fast as they are taken, so that lists are where they will be, and memory is. */
static void warm(const rp__load *load, rp_executor *executor)
{
    const size_t n = load->queries->n < WARM_MOST ? load->queries->n : WARM_MOST;
    warm_up w = {0};
    uint64_t taken = 0;
    for (size_t i = 0; i < n;) {
        const rp_topic *topic = &load->queries->at[i].topic;
        const rp_job job = {
            .query = topic->query, .query_bytes = topic->query_bytes, .done = warm_done, .arg = &w};
        rp_error err;
        const rp_status status = rp_executor_submit(executor, &job, NULL, &err);
        taken += status == RP_OK;
        if (status == RP_BUSY && atomic_load(&w.ended) < taken)
            rp__clock_sleep(SOON);
        else
            i++;
    }
    while (atomic_load(&w.ended) < taken)
        rp__clock_sleep(SOON);
}

static void close_target(target *to)
{
    if (to->is_apart)
        (void)rp__thread_keep_to(&to->cores, 0, to->cores.n);
    rp_executor_free(to->executor);
    rp__free(to->ready);
    rp__free(to->is_ready);
    rp__arena_reset(&to->arena);
}

/* All queries, once, for any number of arrivals. */
static rp_status bind_ahead(const rp__load *load, target *to, rp_error *err)
{
    const rp__bench_query_set *set = load->queries;
    to->ready = rp__alloc_array(set->n, sizeof *to->ready);
    to->is_ready = rp__alloc_array(set->n, sizeof *to->is_ready);
    if (!to->ready || !to->is_ready)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < set->n; i++) {
        const rp_topic *topic = &set->at[i].topic;
        const rp_job job = {.query = topic->query, .query_bytes = topic->query_bytes};
        rp_error why;
        to->is_ready[i] =
            rp__executor_submit_ahead(to->executor, &job, &to->arena, &to->ready[i], &why) == RP_OK;
    }
    return RP_OK;
}

/* Where there are enough, clients and the executor, which has a thread for the card too, share no cores. */
static void part_cores(const rp__load_options *o, target *to)
{
    to->clients = o->clients ? o->clients : o->parses ? CLIENTS_PARSING : CLIENTS;
    rp__thread_get_cores(&to->cores);
    to->is_apart = o->cores > 0 && to->cores.n >= o->cores + 1 + to->clients &&
                   rp__thread_keep_to(&to->cores, 0, to->cores.n - to->clients);
}

/* Empty of a replay. */
static rp_status open_target(const rp__load *load, const rp__load_options *o, target *out,
                             rp_error *err)
{
    const rp_executor_options options = {.search = load->search,
                                         .policy = o->policy,
                                         .threads = o->cores,
                                         .max_queued = o->max_queued,
                                         .elements = o->elements,
                                         .griffin_ratio = o->griffin_ratio,
                                         .griffin_returns = o->griffin_returns,
                                         .costs = o->costs};
    *out = (target){0};
    rp__arena_init(&out->arena, SIZE_MAX);
    if (load->costs)
        return RP_OK;
    part_cores(o, out);
    rp_status status = rp_executor_new(load->index, &options, &out->executor, err);
    if (status == RP_OK)
        warm(load, out->executor);
    return status == RP_OK && !o->parses ? bind_ahead(load, out, err) : status;
}

static void wait_for_all(const rp_executor_report *before, rp_executor *executor,
                         rp_executor_report *out)
{
    for (;; rp__clock_sleep(SOON)) {
        rp_executor_get_report(executor, out);
        if (out->queued + out->running == 0)
            break;
    }
    out->refused -= before->refused;
    out->on_cores -= before->on_cores;
    out->on_card -= before->on_card;
    out->launches -= before->launches;
    out->batched -= before->batched;
    out->shared -= before->shared;
    out->fallbacks -= before->fallbacks;
}

static void fill_report(const live *l, const rp_executor_report *report, rp__load_figures *out)
{
    out->refused = report->refused;
    out->on_cores = report->on_cores;
    out->on_card = report->on_card;
    out->launches = report->launches;
    out->batched = report->batched;
    out->shared = report->shared;
    out->fallbacks = report->fallbacks;
    out->moves = l->moves;
    out->clients = l->target->clients;
    out->is_apart = l->target->is_apart;
    memcpy(out->costs_fault, report->costs_fault, sizeof out->costs_fault);
    out->times.generator_mean = out->jobs ? (double)l->lag_sum / (double)out->jobs / 1e9 : 0;
    out->times.generator_most = (double)l->lag_most / 1e9;
    out->stalled = l->watched ? (double)l->stalled / (double)l->watched : 0;
    out->refusal_mean = l->refused ? (double)l->refusal_sum / (double)l->refused / 1e9 : 0;
    out->refusal_most = (double)l->refusal_most / 1e9;
}

/* What each job says. */
static void fill_jobs(const live *l, uint64_t *times, uint64_t *arrivals, rp__load_figures *out)
{
    uint64_t last = 0;
    for (size_t i = 0; i < l->n; i++) {
        const live_job *j = &l->jobs[i];
        times[i] = j->status == RP_OK ? j->took : RP_POLICY_NEVER;
        arrivals[i] = j->due - l->begin;
        out->answered += j->status == RP_OK;
        out->late += j->status == RP_DEADLINE;
        out->failed += j->status != RP_OK && j->status != RP_DEADLINE && j->status != RP_BUSY;
        last = arrivals[i] + j->took > last ? arrivals[i] + j->took : last;
    }
    out->seconds = (double)last / 1e9;
}

static rp_status run_live(const rp__load *load, const rp__load_options *o, const target *to,
                          uint64_t *times, rp__load_figures *out, rp_error *err)
{
    live l = {.load = load, .options = o, .target = to, .n = out->jobs};
    rp_executor_report before, report;
    uint64_t *arrivals = rp__alloc_array(out->jobs, sizeof *arrivals);
    l.jobs = rp__alloc_array(out->jobs, sizeof *l.jobs);
    rp_status status = arrivals && l.jobs ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK) {
        plan_arrivals(&l);
        rp_executor_get_report(to->executor, &before);
        l.begin = rp__clock_now() + 1000000;
        status = rp__thread_run(to->clients, generate, &l);
        wait_for_all(&before, to->executor, &report);
    }
    if (status == RP_OK) {
        fill_report(&l, &report, out);
        fill_jobs(&l, times, arrivals, out);
        status = fill_tenths(o, times, arrivals, out);
    }
    rp__free(l.jobs);
    rp__free(arrivals);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static rp_status count_jobs(const rp__load_options *o, uint64_t *out, rp_error *err)
{
    const double jobs = jobs_of(o);
    if (!(jobs >= 1) || jobs > JOBS_MOST)
        return rp__error_set(err, RP_USAGE, "%.0f jobs; choose a rate and a time for 1 to %d", jobs,
                             JOBS_MOST);
    *out = (uint64_t)jobs;
    return RP_OK;
}

/* On an executor that is open, or in a replay. */
static rp_status run(const rp__load *load, const rp__load_options *o, const target *to,
                     rp__load_figures *out, rp_error *err)
{
    *out = (rp__load_figures){0};
    rp_status status = count_jobs(o, &out->jobs, err);
    if (status != RP_OK)
        return status;
    uint64_t *times = rp__alloc_array(out->jobs, sizeof *times);
    if (!times)
        return rp__error_no_memory(err);
    status = to->executor ? run_live(load, o, to, times, out, err)
                          : run_replay(load, o, times, out, err);
    if (status == RP_OK)
        fill_times(times, out->jobs, out);
    rp__free(times);
    return status;
}

rp_status rp__load_run(const rp__load *load, const rp__load_options *o, rp__load_figures *out,
                       rp_error *err)
{
    target to = {0};
    uint64_t jobs;
    *out = (rp__load_figures){0};
    rp_status status = count_jobs(o, &jobs, err);
    if (status == RP_OK)
        status = open_target(load, o, &to, err);
    if (status == RP_OK)
        status = run(load, o, &to, out, err);
    close_target(&to);
    return status;
}

static bool keeps_up(const rp__load_figures *f, double p99)
{
    return f->answered == f->jobs && f->times.p99 <= p99;
}

/* One that fails on the executor is tried again, twice. */
static rp_status try_rate(const rp__load *load, const rp__load_options *o, const target *to,
                          double p99, rp__load_figures *out, bool *holds, rp_error *err)
{
    rp_status status = run(load, o, to, out, err);
    *holds = status == RP_OK && keeps_up(out, p99);
    if (status != RP_OK || *holds || !to->executor)
        return status;
    *holds = true;
    for (int i = 0; i < TRIALS && status == RP_OK && *holds; i++) {
        status = run(load, o, to, out, err);
        *holds = status == RP_OK && keeps_up(out, p99);
    }
    return status;
}

static rp_status find_rate(const rp__load *load, const rp__load_options *options, const target *to,
                           double p99, double *rate, rp__load_figures *out, rp_error *err)
{
    rp__load_options o = *options;
    double low = 0, high = 0;
    rp__load_figures f;
    const double within = to->executor ? 1.03 : 1.01;
    for (o.rate = options->rate; high <= 0 || high > low * within;) {
        bool holds;
        rp_status status = try_rate(load, &o, to, p99, &f, &holds, err);
        if (status != RP_OK)
            return low > 0 && status == RP_USAGE ? RP_OK : status;
        if (holds) {
            low = *rate = o.rate;
            *out = f;
        } else {
            high = o.rate;
        }
        o.rate = high <= 0 ? 2 * low : low > 0 ? sqrt(low * high) : high / 2;
        if (o.rate * o.seconds < 100)
            break;
    }
    return RP_OK;
}

rp_status rp__load_find_rate(const rp__load *load, const rp__load_options *options, double p99,
                             double *rate, rp__load_figures *out, rp_error *err)
{
    target to;
    *rate = 0;
    *out = (rp__load_figures){0};
    rp_status status = open_target(load, options, &to, err);
    if (status == RP_OK)
        status = find_rate(load, options, &to, p99, rate, out, err);
    close_target(&to);
    return status;
}
