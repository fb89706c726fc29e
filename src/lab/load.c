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
#include "engine/replay_record.h"
#include "lab/arrivals.h"
#include "lab/times.h"

enum {
    JOBS_MOST = 20000000,
    CORES_OF_RECORD = 16,
    CLIENT_RATE = 20000, /* jobs a second that one generator is given at most */
    CLIENTS_MOST = 16,
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

static double percentile(const uint64_t *times, size_t n, double share)
{
    return (double)rp__times_at(times, n, share) / 1e9;
}

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
    out->times.p50 = percentile(times, n, 0.5);
    out->times.p80 = percentile(times, n, 0.8);
    out->times.p90 = percentile(times, n, 0.9);
    out->times.p95 = percentile(times, n, 0.95);
    out->times.p99 = percentile(times, n, 0.99);
    out->times.p999 = percentile(times, n, 0.999);
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
        out->p99_parts[t] = n ? percentile(own, n, 0.99) : 0;
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
    rp__replay_report report;
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

typedef struct live {
    const rp__load *load;
    const rp__load_options *options;
    rp_executor *executor;
    uint64_t *times;    /* how long each took */
    uint64_t *arrivals; /* when it was to come, from the begin on */
    uint64_t begin;
    size_t jobs;
    uint32_t clients;
    _Atomic uint64_t answered, late, failed, moves, lag_sum, lag_most, last;
    _Atomic uint64_t refused, refusal_sum, refusal_most;
} live;

typedef struct live_job {
    live *live;
    size_t number;
    uint64_t due;
} live_job;

static void raise_to(_Atomic uint64_t *at, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(at, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak(at, &seen, value))
        ;
}

static void job_done(void *arg, rp_outcome *outcome)
{
    live_job *j = arg;
    live *l = j->live;
    const uint64_t now = rp__clock_now();
    l->times[j->number] = outcome->status == RP_OK ? now - j->due : RP_POLICY_NEVER;
    atomic_fetch_add(&l->answered, outcome->status == RP_OK);
    atomic_fetch_add(&l->late, outcome->status == RP_DEADLINE);
    atomic_fetch_add(&l->failed, outcome->status != RP_OK && outcome->status != RP_DEADLINE);
    atomic_fetch_add(&l->moves, outcome->moves);
    raise_to(&l->last, now);
    rp_hits_free(&outcome->hits);
    rp__free(j);
}

static void wait_until(uint64_t due)
{
    enum { SPUN = 60000 }; /* nanoseconds before it, the clock is watched */
    const uint64_t now = rp__clock_now();
    if (due > now + SPUN)
        rp__clock_sleep(due - now - SPUN);
    while (rp__clock_now() < due)
        ;
}

static void note_refusal(live *l, uint64_t ns)
{
    atomic_fetch_add(&l->refused, 1);
    atomic_fetch_add(&l->refusal_sum, ns);
    raise_to(&l->refusal_most, ns);
}

static void submit_job(live *l, size_t number, uint64_t due)
{
    const rp__bench_query_set *set = l->load->queries;
    const rp_topic *topic = &set->at[number % set->n].topic;
    live_job *own = rp__alloc(sizeof *own);
    rp_error err;
    rp_status status = RP_NO_MEMORY;
    if (own) {
        *own = (live_job){l, number, due};
        const rp_job job = {.query = topic->query,
                            .query_bytes = topic->query_bytes,
                            .deadline_ns = l->options->deadline_us * 1000,
                            .done = job_done,
                            .arg = own};
        const uint64_t begin = rp__clock_now();
        status = rp_executor_submit(l->executor, &job, NULL, &err);
        if (status == RP_BUSY)
            note_refusal(l, rp__clock_now() - begin);
    }
    if (status == RP_OK)
        return;
    l->times[number] = RP_POLICY_NEVER;
    atomic_fetch_add(&l->failed, status != RP_BUSY);
    rp__free(own);
}

/* One of several generators, each with its share of the rate: Poisson streams add up to one. */
static void generate(void *arg, uint32_t client)
{
    live *l = arg;
    const double gap = 1e9 * l->clients / l->options->rate;
    const window w = burst_window(l->options);
    rp__random random;
    rp__random_init(&random, l->options->seed + client);
    double at = gap * client / l->clients;
    for (size_t number = client; number < l->jobs; number += l->clients) {
        const bool in_burst = at >= (double)w.begin && at < (double)w.end;
        const double step = in_burst ? gap / l->options->trouble.burst : gap;
        at += rp__arrivals_gap(&random, l->options->is_poisson, step);
        const uint64_t due = l->begin + (uint64_t)at;
        l->arrivals[number] = (uint64_t)at;
        wait_until(due);
        const uint64_t lag = rp__clock_now() - due;
        atomic_fetch_add(&l->lag_sum, lag);
        raise_to(&l->lag_most, lag);
        submit_job(l, number, due);
    }
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

static rp_status open_executor(const rp__load *load, const rp__load_options *o, rp_executor **out,
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
    *out = NULL;
    if (load->costs)
        return RP_OK;
    rp_status status = rp_executor_new(load->index, &options, out, err);
    if (status == RP_OK)
        warm(load, *out);
    return status;
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

static rp_status run_live(const rp__load *load, const rp__load_options *o, rp_executor *executor,
                          uint64_t *times, rp__load_figures *out, rp_error *err)
{
    const double clients = ceil(o->rate / CLIENT_RATE);
    live l = {.load = load,
              .options = o,
              .executor = executor,
              .times = times,
              .arrivals = rp__alloc_zero(out->jobs, sizeof *l.arrivals),
              .jobs = out->jobs,
              .clients = clients < CLIENTS_MOST ? (uint32_t)clients : CLIENTS_MOST};
    rp_executor_report before, report;
    if (!l.arrivals)
        return rp__error_no_memory(err);
    rp_executor_get_report(executor, &before);
    l.begin = rp__clock_now() + 1000000;
    rp_status status = rp__thread_run(l.clients, generate, &l);
    wait_for_all(&before, executor, &report);
    out->answered = l.answered;
    out->late = l.late;
    out->failed = l.failed;
    out->refused = report.refused;
    out->on_cores = report.on_cores;
    out->on_card = report.on_card;
    out->launches = report.launches;
    out->batched = report.batched;
    out->shared = report.shared;
    out->fallbacks = report.fallbacks;
    out->moves = l.moves;
    memcpy(out->costs_fault, report.costs_fault, sizeof out->costs_fault);
    out->seconds = l.last > l.begin ? (double)(l.last - l.begin) / 1e9 : 0;
    out->times.generator_mean = out->jobs ? (double)l.lag_sum / (double)out->jobs / 1e9 : 0;
    out->times.generator_most = (double)l.lag_most / 1e9;
    out->refusal_mean = l.refused ? (double)l.refusal_sum / (double)l.refused / 1e9 : 0;
    out->refusal_most = (double)l.refusal_most / 1e9;
    if (status == RP_OK)
        status = fill_tenths(o, times, l.arrivals, out);
    rp__free(l.arrivals);
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
static rp_status run(const rp__load *load, const rp__load_options *o, rp_executor *executor,
                     rp__load_figures *out, rp_error *err)
{
    *out = (rp__load_figures){0};
    rp_status status = count_jobs(o, &out->jobs, err);
    if (status != RP_OK)
        return status;
    uint64_t *times = rp__alloc_array(out->jobs, sizeof *times);
    if (!times)
        return rp__error_no_memory(err);
    status = executor ? run_live(load, o, executor, times, out, err)
                      : run_replay(load, o, times, out, err);
    if (status == RP_OK)
        fill_times(times, out->jobs, out);
    rp__free(times);
    return status;
}

rp_status rp__load_run(const rp__load *load, const rp__load_options *o, rp__load_figures *out,
                       rp_error *err)
{
    rp_executor *executor = NULL;
    uint64_t jobs;
    *out = (rp__load_figures){0};
    rp_status status = count_jobs(o, &jobs, err);
    if (status == RP_OK)
        status = open_executor(load, o, &executor, err);
    if (status == RP_OK)
        status = run(load, o, executor, out, err);
    rp_executor_free(executor);
    return status;
}

static bool keeps_up(const rp__load_figures *f, double p99)
{
    return f->answered == f->jobs && f->times.p99 <= p99;
}

static rp_status find_rate(const rp__load *load, const rp__load_options *options,
                           rp_executor *executor, double p99, double *rate, rp__load_figures *out,
                           rp_error *err)
{
    rp__load_options o = *options;
    double low = 0, high = 0;
    rp__load_figures f;
    for (o.rate = options->rate; high <= 0 || high > low * 1.01;) {
        rp_status status = run(load, &o, executor, &f, err);
        if (status != RP_OK)
            return low > 0 && status == RP_USAGE ? RP_OK : status;
        if (keeps_up(&f, p99)) {
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
    rp_executor *executor;
    *rate = 0;
    *out = (rp__load_figures){0};
    rp_status status = open_executor(load, options, &executor, err);
    if (status == RP_OK)
        status = find_rate(load, options, executor, p99, rate, out, err);
    rp_executor_free(executor);
    return status;
}
