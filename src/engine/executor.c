/* executor.c: jobs handed over, cancelled, waited for, and counted; queues under one lock.
 *
 * What answers them is in executor_core.c and executor_card.c, which are the threads' loops. Which queue a task waits in, and who
 * takes it, is the policy's (plan/policy.h). */
#include "engine/executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/record.h"
#include "engine/algorithm_choice.h"
#include "plan/cost.h"

enum { QUEUED = 1024, ELEMENTS = 1 << 20, SPIN_US = 1000, MOMENT_NS = 50000 };

/* ---- Lanes and queues ----------------------------------------------------------------------- */

void rp__executor_set_busy(rp__lane *lane, bool is_busy)
{
    lane->executor->n_busy += (size_t)is_busy - (size_t)lane->state->is_busy;
    lane->state->is_busy = is_busy;
}

void rp__executor_look(rp_executor *e, uint64_t now, rp__policy_view *out)
{
    *out = (rp__policy_view){.now = now,
                             .cores = (uint32_t)e->n_cores,
                             .has_card = e->has_card,
                             .elements = e->elements,
                             .max_queued = e->max_queued,
                             .ratio = e->ratio,
                             .goes_back = e->goes_back};
    for (size_t i = 0, left = e->n_busy; left > 0; i++) {
        const uint64_t until = e->states[i].busy_until;
        const uint64_t rest = until > now ? until - now : 0;
        const bool is_card = i >= e->n_cores;
        if (!e->states[i].is_busy)
            continue;
        left--;
        out->is_busy_card |= is_card;
        out->busy_cores += !is_card;
        if (is_card && until < now)
            out->card_late_ns = now - until;
        *(is_card ? &out->card_ns : &out->cores_ns) += rest;
    }
    for (int q = 0; q < RP_QUEUES; q++)
        rp__job_queue_look(&e->queues[q], &out->queues[q]);
}

static void enqueue(rp_executor *e, rp__task *task, uint64_t now)
{
    task->waiting.number = e->numbers++;
    task->place = RP_TASK_QUEUED;
    task->seated = now;
    rp_outcome *o = &task->outcome;
    rp__executor_leave(task, now);
    o->reason = task->waiting.seat.reason;
    if (task->n_decisions < RP_DECISIONS)
        task->decisions[task->n_decisions++] =
            (rp__decision){.reason = o->reason, .began = task->seated};
    rp__job_queue_put(&e->queues[task->waiting.seat.queue], &task->waiting);
    e->n_queued++;
    e->n_waiting += task->weight;
}

/* Whether the task is to be answered list by list. */
static void choose_steps(const rp_executor *e, rp__task *task)
{
    const rp__conjunction *lists = &task->steps.lists;
    const bool splits = task->waiting.seat.splits && !lists->is_all;
    task->steps.is_on = lists->n > 1 && (splits || (lists->is_all && e->policy->step));
    if (task->steps.is_on && splits)
        task->waiting.job.gpu_ns = task->waiting.job.batch_ns = task->waiting.job.meet_ns;
}

bool rp__executor_seat(rp_executor *e, rp__task *task)
{
    rp__policy_view view;
    const uint64_t now = rp__clock_now();
    rp__executor_look(e, now, &view);
    task->waiting.seat = e->policy->seat(&view, &task->waiting.job);
    if (task->waiting.seat.queue == RP_QUEUE_NONE)
        return false;
    choose_steps(e, task);
    if (task->waiting.seat.cores == 0 || !rp__executor_share(e, task))
        enqueue(e, task, now);
    return true;
}

void rp__executor_put(rp_executor *e, rp__task *task, rp__policy_queue_kind queue,
                      const char *reason)
{
    task->waiting.seat = rp__policy_sit(queue, &task->waiting.job, reason);
    enqueue(e, task, rp__clock_now());
}

static void dequeue(rp_executor *e, rp__task *task)
{
    rp__job_queue_remove(&e->queues[task->waiting.seat.queue], &task->waiting);
    e->n_queued--;
    e->n_waiting -= task->weight;
}

rp__task *rp__executor_next(const rp_executor *e, const rp__policy_take *take)
{
    return take->queue == RP_QUEUE_NONE
               ? NULL
               : (rp__task *)rp__job_queue_first(
                     &e->queues[take->queue], take->is_urgent ? RP_JOB_BY_URGENCY : RP_JOB_BY_KEY);
}

void rp__executor_begin(rp_executor *e, rp__task *task, bool is_card, uint64_t now)
{
    dequeue(e, task);
    task->place = RP_TASK_TAKEN;
    task->on_card = is_card;
    task->taken = now;
    rp_outcome *o = &task->outcome;
    o->queued_ns += task->taken - task->seated;
    o->estimated_ns = is_card ? task->waiting.job.gpu_ns : task->waiting.job.cpu_ns;
    task->decisions[task->n_decisions - 1] = (rp__decision){.processor = is_card ? "gpu" : "cpu",
                                                            .reason = o->reason,
                                                            .began = task->taken,
                                                            .queued_ns = task->taken - task->seated,
                                                            .estimated_ns = o->estimated_ns};
    if (task->taken >= task->waiting.job.deadline) { /* the timer may not have run yet */
        uint32_t none = RP_STOP_NONE;
        atomic_compare_exchange_strong(&task->stop, &none, RP_STOP_DEADLINE);
    }
}

rp__task *rp__executor_take(rp_executor *e, bool is_card)
{
    rp__policy_view view;
    const uint64_t now = rp__clock_now();
    rp__executor_look(e, now, &view);
    const rp__policy_take take = e->policy->take(&view, is_card);
    rp__task *task = rp__executor_next(e, &take);
    if (task)
        rp__executor_begin(e, task, is_card, now);
    return task;
}

void rp__executor_leave(rp__task *task, uint64_t now)
{
    rp__decision *d = task->n_decisions > 0 ? &task->decisions[task->n_decisions - 1] : NULL;
    if (d && d->processor && d->took_ns == 0)
        d->took_ns = now - task->taken;
}

void rp__executor_end_soon(rp_executor *e, rp__task *task)
{
    rp__executor_leave(task, rp__clock_now());
    if (task->whole) {
        rp__executor_share_end(e, task);
        return;
    }
    task->place = RP_TASK_ENDING;
    rp__executor_tasks_append(&e->ending, task);
}

void rp__executor_unseat(rp_executor *e, rp__task *task)
{
    if (task->place != RP_TASK_QUEUED)
        return;
    rp_outcome *o = &task->outcome;
    const uint64_t queued = rp__clock_now() - task->seated;
    o->queued_ns += queued;
    task->decisions[task->n_decisions - 1].queued_ns = queued;
    dequeue(e, task);
    rp__executor_end_soon(e, task);
}

void rp__executor_move(rp_executor *e, rp__task *task)
{
    const bool is_lost = !task->on_card && !e->has_card; /* since the policy was asked */
    task->steps.moves = false;
    task->outcome.moves += !is_lost;
    e->report.moves += !is_lost;
    if (is_lost) {
        task->fallback = RP_FALLBACK_FAULT;
        e->report.fallbacks++;
        rp__executor_put(e, task, RP_QUEUE_CPU, "the card was lost");
    } else if (task->on_card) {
        rp__executor_put(e, task, RP_QUEUE_CPU, "the policy has a core go on");
    } else {
        rp__executor_put(e, task, RP_QUEUE_GPU, "the policy has the card go on");
    }
}

void rp__executor_lose_card(rp_executor *e)
{
    e->has_card = false;
    for (rp__waiting *job; (job = rp__job_queue_first(&e->queues[RP_QUEUE_GPU], RP_JOB_BY_KEY));) {
        rp__task *task = (rp__task *)job;
        dequeue(e, task);
        task->fallback = RP_FALLBACK_FAULT;
        e->report.fallbacks++;
        rp__executor_put(e, task, RP_QUEUE_CPU, "the card was lost");
    }
}

/* ---- Waking and sleeping --------------------------------------------------------------------- */

void rp__executor_wake_lane(rp__lane *lane)
{
    lane->state->is_idle = false;
    atomic_store(&lane->wake, 1);
    if (atomic_load(&lane->sleeps))
        rp__futex_wake_one(&lane->wake);
}

rp__lane *rp__executor_find_idle(rp_executor *e, bool is_card)
{
    rp__lane *found = NULL;
    for (size_t i = is_card ? e->n_cores : 0; i < (is_card ? e->n_lanes : e->n_cores); i++) {
        rp__lane *lane = &e->lanes[i];
        if (!e->states[i].is_idle)
            continue;
        if (!atomic_load(&lane->sleeps))
            return lane;
        found = lane;
    }
    return found;
}

void rp__executor_wake(rp_executor *e)
{
    rp__policy_view view;
    if ((e->n_queued == 0 && !e->ending.first) || e->n_busy == e->n_lanes)
        return;
    rp__executor_look(e, rp__clock_now(), &view);
    for (int is_card = 0; is_card < 2; is_card++) {
        const bool has_work = (!is_card && e->ending.first) ||
                              e->policy->take(&view, is_card != 0).queue != RP_QUEUE_NONE;
        rp__lane *lane = has_work ? rp__executor_find_idle(e, is_card != 0) : NULL;
        if (lane)
            rp__executor_wake_lane(lane);
    }
}

/* Looks for work: every lane for a moment; then the card's and one of the cores', so that the others take no time of those
 * that work. */
static bool stand_by(rp__lane *lane)
{
    rp_executor *e = lane->executor;
    if (rp__futex_spin(&lane->wake, 0, e->spin_ns < MOMENT_NS ? e->spin_ns : MOMENT_NS))
        return true;
    if (!lane->is_card && atomic_exchange(&e->stands_by, true))
        return false;
    const bool has_work = rp__futex_spin(&lane->wake, 0, e->spin_ns);
    if (!lane->is_card)
        atomic_store(&e->stands_by, false);
    return has_work;
}

void rp__executor_idle(rp__lane *lane)
{
    rp_executor *e = lane->executor;
    atomic_store(&lane->wake, 0);
    lane->state->is_idle = true;
    pthread_mutex_unlock(&e->lock);
    if (!stand_by(lane)) {
        atomic_store(&lane->sleeps, 1);
        while (atomic_load(&lane->wake) == 0)
            rp__futex_wait(&lane->wake, 0, RP_POLICY_NEVER);
        atomic_store(&lane->sleeps, 0);
    }
    pthread_mutex_lock(&e->lock);
    lane->state->is_idle = false;
}

/* ---- Making and ending ----------------------------------------------------------------------- */

static rp_status check_options(const rp_executor_options *o, const rp__policy **policy,
                               rp_error *err)
{
    const char *name = o->policy ? o->policy : rp_policy_name(0);
    *policy = rp__policy_find(name);
    if (!*policy) {
        char names[200] = "";
        for (size_t i = 0, n = 0; rp_policy_name(i) && n < sizeof names - 1; i++)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                                  rp_policy_name(i));
        return rp__error_set(err, RP_USAGE, "no policy is called '%s'; choose from %s", name,
                             names);
    }
    if (o->threads > RP_EXECUTOR_THREADS)
        return rp__error_set(err, RP_LIMIT, "%zu threads; at most %d", o->threads,
                             RP_EXECUTOR_THREADS);
    return RP_OK;
}

/* A card is optional where the policy does without. */
static rp_status open_searchers(rp_executor *e, const rp_search_options *search, rp_error *err)
{
    rp_search_options own;
    rp_status status = RP_TAKE(&own, search, err);
    if (status != RP_OK)
        return status;
    if (own.processor && strcmp(own.processor, "auto") != 0)
        return rp__error_set(err, RP_USAGE,
                             "a processor and a policy were named; leave out the processor");
    const bool is_strict = own.strict_processor;
    own.threads = 1;
    own.processor = "gpu";
    if (e->policy != &rp__policy_cpu_row)
        status = rp_searcher_new(e->index, &own, &e->on_card, err);
    if (status == RP_UNAVAILABLE && !e->policy->needs_card && !is_strict)
        status = RP_OK;
    e->has_card = e->on_card && e->on_card->state;
    own.processor = "cpu";
    own.strict_processor = own.gpu_child = false;
    if (rp__algorithm_choice_is_gpu(own.algorithm))
        own.algorithm = NULL;
    if (status == RP_OK)
        status = rp_searcher_new(e->index, &own, &e->plain, err);
    if (status != RP_OK)
        return status;
    if (rp__term_table_new(e->index->segment, &e->terms) != RP_OK)
        return rp__error_no_memory(err);
    e->plain->terms = e->terms; /* and so of its branches */
    return RP_OK;
}

static rp_status start_lanes(rp_executor *e)
{
    e->lanes = rp__alloc_zero(e->n_cores + 1, sizeof *e->lanes);
    e->states = rp__alloc_zero(e->n_cores + 1, sizeof *e->states);
    if (!e->lanes || !e->states)
        return RP_NO_MEMORY;
    const size_t n = e->n_cores + e->has_card, cores = e->n_cores;
    for (; e->n_lanes < n; e->n_lanes++) {
        rp__lane *lane = &e->lanes[e->n_lanes];
        *lane = (rp__lane){
            .executor = e, .is_card = e->n_lanes >= cores, .state = &e->states[e->n_lanes]};
        if (pthread_create(&lane->thread, NULL,
                           lane->is_card ? rp__executor_card_run : rp__executor_core_run,
                           lane) != 0)
            return RP_NO_MEMORY;
    }
    return RP_OK;
}

static rp_status read_costs(rp_executor *e, const char *path, const rp_search_options *search,
                            rp_error *err)
{
    rp_costs here;
    rp_search_options o;
    rp_status status = RP_TAKE(&o, search, err);
    if (status != RP_OK)
        return status;
    /* a card that a child uses stays untouched here, and is not compared */
    const bool compares_card = e->has_card && !o.gpu_child;
    rp__cost_file_here(compares_card ? o.gpu ? o.gpu : "" : NULL, &here);
    snprintf(here.codec, sizeof here.codec, "%s", rp__segment_get_info(e->index->segment)->codec);
    e->costs = rp__alloc(sizeof *e->costs);
    if (!e->costs)
        return rp__error_no_memory(err);
    status = rp__cost_file_read(path, e->costs, err);
    return status == RP_OK ? rp__cost_file_check(path, &e->costs->about, &here, err) : status;
}

/* One that the environment names is left out where it cannot be used. */
static rp_status open_costs(rp_executor *e, const rp_executor_options *o, rp_error *err)
{
    rp_error why = {.text = ""};
    const char *set = getenv("RIPOSTE_COSTS"), *path = o->costs ? o->costs : set;
    if (!path || !*path)
        return RP_OK;
    rp_status status = read_costs(e, path, o->search, &why);
    e->report.has_costs = status == RP_OK;
    if (status == RP_OK)
        return RP_OK;
    rp__free(e->costs);
    e->costs = NULL;
    memcpy(e->report.costs_fault, why.text, sizeof why.text);
    if (!o->costs && status != RP_NO_MEMORY)
        return RP_OK;
    if (err)
        *err = why;
    return status;
}

static rp_status make(rp_executor *e, const rp_executor_options *o, rp_error *err)
{
    rp_status status = open_searchers(e, o->search, err);
    if (status == RP_OK)
        status = open_costs(e, o, err);
    if (status != RP_OK)
        return status;
    e->n_tasks = e->max_queued + 2 * e->n_cores + 2 * RP_EXECUTOR_GROUP;
    e->tasks = rp__alloc_zero(e->n_tasks, sizeof *e->tasks);
    status = e->tasks ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK)
        rp__executor_tasks_free_all(e);
    for (int q = 0; q < RP_QUEUES && status == RP_OK; q++)
        status = rp__job_queue_init(&e->queues[q], e->n_tasks);
    if (status == RP_OK) {
        pthread_mutex_lock(&e->lock); /* lanes look at nothing before all are there */
        status = start_lanes(e);
        pthread_mutex_unlock(&e->lock);
    }
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

static size_t count_cores(void)
{
    const uint32_t n = rp__cpu_cores();
    return n > RP_EXECUTOR_THREADS ? RP_EXECUTOR_THREADS : n;
}

/* It is held for less time than a thread takes to sleep and wake. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

rp_status rp_executor_new(const rp_index *index, const rp_executor_options *options,
                          rp_executor **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, index))
        return RP_USAGE;
    rp_executor_options o;
    const rp__policy *policy;
    rp_status status = RP_TAKE(&o, options, err);
    if (status == RP_OK)
        status = check_options(&o, &policy, err);
    if (status != RP_OK)
        return status;
    rp_executor *e = rp__alloc_zero(1, sizeof *e);
    if (!e)
        return rp__error_no_memory(err);
    e->index = index;
    e->policy = policy;
    e->max_queued = o.max_queued ? o.max_queued : QUEUED;
    e->elements = o.elements ? o.elements : ELEMENTS;
    e->spin_ns = o.spin_us == UINT32_MAX ? 0 : 1000 * (uint64_t)(o.spin_us ? o.spin_us : SPIN_US);
    e->ratio = o.griffin_ratio;
    e->goes_back = o.griffin_returns;
    e->n_cores = o.threads ? o.threads : count_cores();
    e->is_bounded = o.threads > 0;
    e->next_deadline = RP_POLICY_NEVER;
    init_lock(&e->lock);
    pthread_cond_init(&e->ended, NULL);
    pthread_cond_init(&e->timer_moved, NULL);
    status = make(e, &o, err);
    if (status != RP_OK) {
        rp_executor_free(e);
        return status;
    }
    *out = e;
    return RP_OK;
}

rp_status rp_executor_drain(rp_executor *executor)
{
    if (RP_MISSING(NULL, executor))
        return RP_USAGE;
    pthread_mutex_lock(&executor->lock);
    executor->is_drained = true;
    while (executor->n_live > 0)
        pthread_cond_wait(&executor->ended, &executor->lock);
    pthread_mutex_unlock(&executor->lock);
    return RP_OK;
}

static void stop_threads(rp_executor *e)
{
    pthread_mutex_lock(&e->lock);
    e->is_over = true;
    for (size_t i = 0; i < e->n_lanes; i++)
        rp__executor_wake_lane(&e->lanes[i]);
    pthread_cond_signal(&e->timer_moved);
    pthread_mutex_unlock(&e->lock);
    for (size_t i = 0; i < e->n_lanes; i++)
        pthread_join(e->lanes[i].thread, NULL);
    if (e->has_timer)
        pthread_join(e->timer, NULL);
}

void rp_executor_free(rp_executor *executor)
{
    if (!executor)
        return;
    rp_executor_drain(executor);
    stop_threads(executor);
    for (size_t i = 0; executor->tasks && i < executor->n_tasks; i++) {
        rp__searcher_branch_free(executor->tasks[i].searcher);
        rp__free(executor->tasks[i].text);
    }
    for (int q = 0; q < RP_QUEUES; q++)
        rp__job_queue_free(&executor->queues[q]);
    rp__free(executor->tasks);
    rp__free(executor->lanes);
    rp__free(executor->states);
    rp__free(executor->costs);
    rp_searcher_free(executor->on_card);
    rp_searcher_free(executor->plain);
    rp__term_table_free(executor->terms);
    pthread_cond_destroy(&executor->timer_moved);
    pthread_cond_destroy(&executor->ended);
    pthread_mutex_destroy(&executor->lock);
    rp__free(executor);
}

/* ---- Submitting ------------------------------------------------------------------------------ */

typedef struct bind_job {
    const rp_executor *executor;
    rp__task *task;
    rp_error err;
} bind_job;

/* Whether the card could intersect lists for a core. A query whose algorithm was named is answered by it. */
static bool may_split(const rp_executor *e, const rp__query *query, rp__auto_shape shape)
{
    return e->policy->splits && (shape == RP_AUTO_OTHER || shape == RP_AUTO_PHRASE) &&
           !query->algorithm && e->on_card && e->on_card->backend->steps;
}

/* The lists that every match is in, where the policy may have them intersected apart. */
static rp_status find_lists(const rp_executor *e, rp__task *t, rp__auto_shape shape)
{
    rp__arena *arena = &t->searcher->arena;
    const bool splits = may_split(e, &t->bound, shape);
    const bool steps = e->policy->step && shape == RP_AUTO_AND;
    rp_status status = RP_OK;
    if ((splits || steps) && t->bound.n_ops > 0)
        status = rp__conjunction_find(&t->bound, arena, &t->steps.lists);
    t->steps.mark = rp__arena_get_mark(arena);
    if (status != RP_OK || !splits || t->steps.lists.n < 2)
        return status;
    rp__cost_facts facts;
    rp__policy_job apart;
    rp__cost_look(&t->steps.lists.query, &facts);
    rp__cost_estimate(NULL, &facts, &apart);
    t->waiting.job.meet_ns = apart.gpu_ns;
    return RP_OK;
}

static rp_status run_bind(void *arg)
{
    bind_job *b = arg;
    rp__task *t = b->task;
    rp_status status =
        rp__searcher_bind(t->searcher, t->text, t->bytes, t->mode, &t->bound, &b->err);
    if (status != RP_OK)
        return status;
    t->bound.stop = &t->stop;
    t->bound.rank = t->rank;
    rp__query_trace_bind(t->searcher, &t->bound);
    rp__cost_facts facts;
    rp__cost_look(&t->bound, &facts);
    rp__cost_estimate(t->costs, &facts, &t->waiting.job);
    t->steps = (rp__task_steps){0};
    t->waiting.job.meet_ns = 0;
    t->waiting.job.prunes_whole = facts.shape == RP_AUTO_OR;
    return find_lists(b->executor, t, facts.shape);
}

rp_status rp__executor_bind(const rp_executor *e, rp__task *task, rp_error *err)
{
    bind_job b = {.executor = e, .task = task};
    return rp__searcher_guard(task->searcher, run_bind, &b, &b.err, err);
}

/* The text is kept for andor, which may bind it twice. */
static rp_status keep_text(rp__task *t, const rp_job *job)
{
    if (!rp__alloc_grow(&t->text, &t->room, job->query_bytes + 1, 1))
        return RP_NO_MEMORY;
    if (job->query_bytes > 0)
        memcpy(t->text, job->query, job->query_bytes);
    t->bytes = job->query_bytes;
    return RP_OK;
}

static rp_status prepare(const rp_executor *e, rp__task *t, const rp_job *job, rp_error *err)
{
    const rp_search_options *o = &e->plain->options;
    const size_t k = job->k ? job->k : o->k, from = job->from ? job->from : o->from;
    if (k <= o->max_k && from > o->max_k - k)
        return rp__error_set(err, RP_LIMIT,
                             "from is %zu and k %zu, together more than %zu; raise --max-k", from,
                             k, o->max_k);
    if (k > o->max_k)
        return rp__error_set(err, RP_LIMIT, "k is %zu, more than %zu; raise --max-k", k, o->max_k);
    if (job->query_bytes > o->max_query)
        return rp__error_set(err, RP_LIMIT,
                             "the query has %zu bytes, more than %zu; raise --max-query",
                             job->query_bytes, o->max_query);
    if (job->total && ((int)*job->total < RP_TOTAL_AT_LEAST || *job->total > RP_TOTAL_ONLY))
        return rp__error_set(err, RP_USAGE, "total %d is none; choose from at least, exact, only",
                             (int)*job->total);
    if (!t->searcher && rp__searcher_branch(e->plain, &t->searcher) != RP_OK)
        return rp__error_no_memory(err);
    const bool traces = o->trace || job->trace;
    if (keep_text(t, job) != RP_OK || (traces && rp__query_trace_new(t->searcher) != RP_OK))
        return rp__error_no_memory(err);
    rp_search_options *own = &t->searcher->options;
    t->rank = &e->plain->rank;
    t->costs = e->costs ? &e->costs->model : NULL;
    own->k = k;
    own->from = from;
    own->trace = traces;
    own->mode = job->mode ? *job->mode : o->mode;
    own->total = job->total ? *job->total : o->total;
    own->plain = o->plain || job->plain;
    t->mode = own->mode == RP_MODE_ANDOR ? RP_MODE_AND : own->mode;
    t->answer = t->first = (rp__answer){.total_is_exact = true};
    t->has_answer = t->on_card = false;
    t->fallback = RP_FALLBACK_NONE;
    t->spent = (rp_gpu_counters){0};
    t->outcome = (rp_outcome){0};
    t->n_decisions = 0;
    rp__query_trace_begin(t->searcher);
    t->parts = t->whole = NULL;
    t->done = job->done;
    t->arg = job->arg;
    atomic_store(&t->stop, RP_STOP_NONE);
    t->waiting.job.arrived = rp__clock_now();
    t->waiting.job.deadline =
        job->deadline_ns ? t->waiting.job.arrived + job->deadline_ns : RP_POLICY_NEVER;
    return rp__executor_bind(e, t, err);
}

/* A free one, with a ticket; NULL: all are in use. */
static rp__task *begin_task(rp_executor *e)
{
    rp__task *t = rp__executor_tasks_find_free(e);
    if (!t)
        return NULL;
    t->place = RP_TASK_BOUND;
    t->ticket = ++e->tickets * e->n_tasks + (uint64_t)(t - e->tasks);
    e->n_live++;
    return t;
}

static rp_status refuse(rp_executor *e, const char *why, rp_error *err)
{
    e->report.refused++;
    return rp__error_set(err, RP_BUSY, "the query was refused: %s", why);
}

rp__task *rp__executor_begin_task(rp_executor *e, rp_status *status, rp_error *err)
{
    rp__task *t = NULL;
    if (e->is_drained)
        *status = rp__error_set(err, RP_USAGE, "the executor is drained: it takes no more jobs");
    else if (e->n_waiting >= e->max_queued || !(t = begin_task(e)))
        *status = refuse(e, "too many jobs wait", err);
    return t;
}

/* A task of one's own; NULL: why not. */
static rp__task *get_task(rp_executor *e, rp_status *status, rp_error *err)
{
    pthread_mutex_lock(&e->lock);
    rp__task *t = rp__executor_begin_task(e, status, err);
    pthread_mutex_unlock(&e->lock);
    return t;
}

/* A task that is bound, unless `status` says otherwise, to its queue. */
static rp_status hand_over(rp_executor *e, rp__task *t, rp_status status, bool helps,
                           uint64_t *ticket, rp_error *err)
{
    pthread_mutex_lock(&e->lock);
    if (status == RP_OK && ticket)
        *ticket = t->ticket;
    if (status == RP_OK && t->waiting.job.deadline != RP_POLICY_NEVER)
        rp__executor_timer_add(e, t);
    if (status == RP_OK && !rp__executor_seat(e, t))
        status = refuse(e, t->waiting.seat.reason, err);
    e->report.submitted += status == RP_OK;
    if (status != RP_OK)
        rp__executor_tasks_release(e, t);
    else if (helps)
        rp__executor_ask_help(e, t);
    else
        rp__executor_wake(e);
    pthread_mutex_unlock(&e->lock);
    return status;
}

rp_status rp__executor_take_job(rp_executor *executor, const rp_job *job, bool helps,
                                uint64_t *ticket, rp_error *err)
{
    rp_job own;
    rp_status status = RP_TAKE(&own, job, err);
    if (status == RP_OK && !own.done)
        rp__error_set_missing(err, "rp_executor_submit", "job->done", 0), status = RP_USAGE;
    rp__task *t = status == RP_OK ? get_task(executor, &status, err) : NULL;
    if (!t)
        return status;
    status = prepare(executor, t, &own, err);
    const bool is_here = status == RP_OK && !helps && !executor->on_card && own.here_ns > 0 &&
                         t->waiting.job.cpu_ns <= own.here_ns;
    if (!is_here || executor->is_bounded)
        return hand_over(executor, t, status, helps || is_here, ticket, err);
    rp__executor_here_run(executor, t, ticket);
    return RP_OK;
}

rp_status rp__executor_take_inner(rp_executor *executor, rp__task *outer, const rp_job *job,
                                  rp_error *err)
{
    rp_status status = RP_OK;
    pthread_mutex_lock(&executor->lock);
    rp__task *t = begin_task(executor);
    if (!t)
        status = refuse(executor, "too many jobs are under way", err);
    else
        rp__executor_tasks_tie(outer, t);
    pthread_mutex_unlock(&executor->lock);
    if (!t)
        return status;
    status = prepare(executor, t, job, err);
    if (status == RP_OK) {
        rp__executor_here_run(executor, t, NULL);
        return RP_OK;
    }
    pthread_mutex_lock(&executor->lock);
    rp__executor_tasks_release(executor, t);
    pthread_mutex_unlock(&executor->lock);
    return status;
}

rp_status rp_executor_submit(rp_executor *executor, const rp_job *job, uint64_t *ticket,
                             rp_error *err)
{
    if (RP_MISSING(err, executor, job) || RP_MISSING_ARRAY(err, job->query, job->query_bytes))
        return RP_USAGE;
    return rp__executor_take_job(executor, job, false, ticket, err);
}

rp_status rp_executor_cancel(rp_executor *executor, uint64_t ticket)
{
    if (RP_MISSING(NULL, executor))
        return RP_USAGE;
    rp_status status = RP_NOT_FOUND;
    pthread_mutex_lock(&executor->lock);
    rp__task *t = &executor->tasks[ticket % executor->n_tasks];
    if (ticket && rp__executor_group_stop(executor, ticket)) {
        status = RP_OK;
    } else if (ticket && t->ticket == ticket && t->place != RP_TASK_ENDING) {
        uint32_t none = RP_STOP_NONE;
        atomic_compare_exchange_strong(&t->stop, &none, RP_STOP_CANCELLED);
        rp__executor_unseat(executor, t);
        rp__executor_wake(executor);
        status = RP_OK;
    }
    pthread_mutex_unlock(&executor->lock);
    return status;
}

void rp_executor_get_report(rp_executor *executor, rp_executor_report *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp_executor_report){0};
    if (RP_MISSING(NULL, executor))
        return;
    pthread_mutex_lock(&executor->lock);
    *out = executor->report;
    out->queued = (uint32_t)executor->n_waiting;
    out->running = (uint32_t)(executor->n_live - executor->n_queued);
    out->has_card = executor->has_card;
    pthread_mutex_unlock(&executor->lock);
}
