/* executor.c: jobs cancelled, waited for, and counted; queues under one lock.
 *
 * How they come is in executor_submit.c. What answers them is in executor_core.c and executor_card.c, which are the threads' loops. Which queue a task waits in, and who
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
#include "base/thread.h"
#include "engine/algorithm_choice.h"
#include "plan/cost.h"

enum { QUEUED = 1024, ELEMENTS = 1 << 20, SPIN_US = 1000, MOMENT_NS = 50000, CORES_AWAKE = 4 };

/* ---- Lanes and queues ----------------------------------------------------------------------- */

void rp__executor_lock(rp_executor *e)
{
    rp__thread_lock(&e->lock);
}

void rp__executor_set_busy(rp__lane *lane, bool is_busy)
{
    lane->executor->n_busy += (size_t)is_busy - (size_t)lane->state->is_busy;
    lane->state->is_busy = is_busy;
}

void rp__executor_set_idle(rp__lane *lane, bool is_idle)
{
    if (!lane->is_card)
        lane->executor->n_idle_cores += (size_t)is_idle - (size_t)lane->state->is_idle;
    lane->state->is_idle = is_idle;
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

/* What is said of a task that has a seat. */
static void note_seat(rp__task *task, uint64_t now)
{
    task->seated = now;
    rp_outcome *o = &task->outcome;
    rp__executor_leave(task, now);
    o->reason = task->waiting.seat.reason;
    if (task->n_decisions < RP_DECISIONS)
        task->decisions[task->n_decisions++] =
            (rp__decision){.reason = o->reason, .began = task->seated};
}

static void enqueue(rp_executor *e, rp__task *task, uint64_t now)
{
    task->waiting.number = e->numbers++;
    task->place = RP_TASK_QUEUED;
    task->group_k = task->steps.is_on || task->whole ? SIZE_MAX : task->bound.k;
    note_seat(task, now);
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

static void begin(rp__task *task, bool is_card, uint64_t now)
{
    task->place = RP_TASK_TAKEN;
    task->on_card = is_card;
    task->taken = now;
    if (now >= task->waiting.job.deadline) { /* the timer may not have run yet */
        uint32_t none = RP_STOP_NONE;
        atomic_compare_exchange_strong(&task->stop, &none, RP_STOP_DEADLINE);
    }
}

/* False: the policy refuses it. */
static bool choose_seat(rp_executor *e, rp__task *task, uint64_t now)
{
    rp__policy_view view;
    rp__executor_look(e, now, &view);
    task->waiting.seat = e->policy->seat(&view, &task->waiting.job);
    if (task->waiting.seat.queue == RP_QUEUE_NONE)
        return false;
    choose_steps(e, task);
    return true;
}

bool rp__executor_seat(rp_executor *e, rp__task *task)
{
    const uint64_t now = rp__clock_now();
    if (!choose_seat(e, task, now))
        return false;
    if (task->waiting.seat.cores == 0 || !rp__executor_share(e, task))
        enqueue(e, task, now);
    return true;
}

bool rp__executor_seat_alone(rp_executor *e, rp__task *task, bool *begun)
{
    const uint64_t now = rp__clock_now();
    const bool is_alone = e->n_busy == 0 && e->n_queued == 0 && !e->ending.first;
    *begun = false;
    if (!choose_seat(e, task, now))
        return false;
    *begun = is_alone && e->n_idle_cores > 0 && task->waiting.seat.queue == RP_QUEUE_CPU &&
             task->waiting.seat.cores == 0;
    if (*begun) {
        note_seat(task, now);
        begin(task, false, now);
    } else if (task->waiting.seat.cores == 0 || !rp__executor_share(e, task)) {
        enqueue(e, task, now);
    }
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
    begin(task, is_card, now);
}

void rp__executor_note_begin(rp__task *task)
{
    rp_outcome *o = &task->outcome;
    o->queued_ns += task->taken - task->seated;
    o->estimated_ns = task->on_card ? task->waiting.job.gpu_ns : task->waiting.job.cpu_ns;
    task->decisions[task->n_decisions - 1] =
        (rp__decision){.processor = task->on_card ? "gpu" : "cpu",
                       .reason = o->reason,
                       .began = task->taken,
                       .queued_ns = task->taken - task->seated,
                       .estimated_ns = o->estimated_ns};
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
    rp_executor *e = lane->executor;
    rp__executor_set_idle(lane, false);
    atomic_store(&lane->wake, 1);
    if (!atomic_load(&lane->sleeps))
        return;
    if (e->n_woken < RP_EXECUTOR_WOKEN)
        e->woken[e->n_woken++] = lane;
    else
        rp__futex_wake_one(&lane->wake);
}

void rp__executor_unlock(rp_executor *e)
{
    rp__lane *woken[RP_EXECUTOR_WOKEN];
    const size_t n = e->n_woken;
    for (size_t i = 0; i < n; i++)
        woken[i] = e->woken[i];
    e->n_woken = 0;
    pthread_mutex_unlock(&e->lock);
    for (size_t i = 0; i < n; i++)
        rp__futex_wake_one(&woken[i]->wake);
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

static bool has_idle(const rp_executor *e, bool is_card)
{
    return is_card ? e->n_lanes > e->n_cores && e->states[e->n_cores].is_idle : e->n_idle_cores > 0;
}

/* What a policy sees is looked at only where a lane waits and no job does that is to end. */
void rp__executor_wake(rp_executor *e)
{
    rp__policy_view view = {.cores = 0};
    if (e->n_queued == 0 && !e->ending.first)
        return;
    for (int is_card = 0; is_card < 2; is_card++) {
        bool has_work = !is_card && e->ending.first;
        if (!has_idle(e, is_card) || (!has_work && e->n_queued == 0))
            continue;
        if (!has_work && view.cores == 0)
            rp__executor_look(e, rp__clock_now(), &view);
        if (!has_work)
            has_work = e->policy->take(&view, is_card != 0).queue != RP_QUEUE_NONE;
        rp__lane *idle = has_work ? rp__executor_find_idle(e, is_card != 0) : NULL;
        if (idle)
            rp__executor_wake_lane(idle);
    }
}

/* Looks for work: every lane for a moment; then the card's and one of four of the cores', so that
 * the others take no time of those that work. More than one, since several queries come while one
 * core answers, and to wake a core that sleeps may take longer than to answer one. */
static bool stand_by(rp__lane *lane)
{
    rp_executor *e = lane->executor;
    if (rp__futex_spin(&lane->wake, 0, e->spin_ns < MOMENT_NS ? e->spin_ns : MOMENT_NS))
        return true;
    if (lane->is_card)
        return rp__futex_spin(&lane->wake, 0, e->spin_ns);
    const bool has_place =
        atomic_fetch_add(&e->n_standing_by, 1) < (e->n_cores + CORES_AWAKE - 1) / CORES_AWAKE;
    const bool has_work = has_place && rp__futex_spin(&lane->wake, 0, e->spin_ns);
    atomic_fetch_sub(&e->n_standing_by, 1);
    return has_work;
}

void rp__executor_idle(rp__lane *lane)
{
    rp_executor *e = lane->executor;
    atomic_store(&lane->wake, 0);
    rp__executor_set_idle(lane, true);
    rp__executor_unlock(e);
    if (!stand_by(lane)) {
        atomic_store(&lane->sleeps, 1);
        while (atomic_load(&lane->wake) == 0)
            rp__futex_wait(&lane->wake, 0, RP_POLICY_NEVER);
        atomic_store(&lane->sleeps, 0);
    }
    rp__executor_lock(e);
    rp__executor_set_idle(lane, false);
}

/* ---- Making and ending ----------------------------------------------------------------------- */

static rp_status check_options(const rp_executor_options *o, const rp__policy **policy,
                               rp_error *err)
{
    rp_search_options search;
    rp_status status = RP_TAKE(&search, o->search, err);
    if (status != RP_OK)
        return status;
    const char *name = o->policy ? o->policy : rp_policy_default(search.algorithm);
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
    return rp__algorithm_choice_place(search.algorithm, *policy, err);
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
    if (rp__algorithm_choice_is_gpu(own.algorithm)) {
        e->algorithm = e->on_card ? e->on_card->algorithm : NULL;
        own.algorithm = NULL;
    }
    if (status == RP_OK)
        status = rp_searcher_new(e->index, &own, &e->plain, err);
    if (status != RP_OK)
        return status;
    if (rp__term_table_new(e->index->segment, RP_TERM_TABLE_LARGE, &e->terms) != RP_OK)
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
    e->n_tasks = e->max_queued + 2 * e->n_cores + 2 * RP_EXECUTOR_GROUP + RP_EXECUTOR_HOMES;
    e->tasks = rp__alloc_zero(e->n_tasks, sizeof *e->tasks);
    status = e->tasks ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK)
        rp__executor_tasks_free_all(e);
    for (int q = 0; q < RP_QUEUES && status == RP_OK; q++)
        status = rp__job_queue_init(&e->queues[q], e->n_tasks);
    if (status == RP_OK) {
        rp__executor_lock(e); /* lanes look at nothing before all are there */
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
    atomic_store(&e->next_deadline, RP_POLICY_NEVER);
    rp__executor_kept_open(e);
    rp__thread_lock_init(&e->lock);
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++)
        rp__thread_lock_init(&e->homes[i].lock);
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
    rp__executor_lock(executor);
    atomic_store(&executor->is_drained, true);
    while (executor->n_live > 0 || atomic_load(&executor->n_here) > 0)
        pthread_cond_wait(&executor->ended, &executor->lock);
    pthread_mutex_unlock(&executor->lock);
    rp__executor_kept_drain(executor);
    return RP_OK;
}

static void stop_threads(rp_executor *e)
{
    rp__executor_lock(e);
    e->is_over = true;
    for (size_t i = 0; i < e->n_lanes; i++)
        rp__executor_wake_lane(&e->lanes[i]);
    pthread_cond_signal(&e->timer_moved);
    rp__executor_unlock(e);
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
    rp__executor_kept_close(executor);
    pthread_cond_destroy(&executor->timer_moved);
    pthread_cond_destroy(&executor->ended);
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++)
        pthread_mutex_destroy(&executor->homes[i].lock);
    pthread_mutex_destroy(&executor->lock);
    rp__free(executor);
}

/* ---- Cancelling and counting ------------------------------------------------------------------- */

rp_status rp_executor_cancel(rp_executor *executor, uint64_t ticket)
{
    if (RP_MISSING(NULL, executor))
        return RP_USAGE;
    rp_status status = RP_NOT_FOUND;
    rp__executor_lock(executor);
    rp__task *t = &executor->tasks[ticket % executor->n_tasks];
    if (ticket && rp__executor_group_stop(executor, ticket)) {
        status = RP_OK;
    } else if (ticket && rp__executor_kept_cancel(executor, ticket)) {
        status = RP_OK;
    } else if (ticket && t->ticket == ticket && t->place != RP_TASK_ENDING) {
        uint32_t none = RP_STOP_NONE;
        atomic_compare_exchange_strong(&t->stop, &none, RP_STOP_CANCELLED);
        rp__executor_unseat(executor, t);
        rp__executor_wake(executor);
        status = RP_OK;
    }
    rp__executor_unlock(executor);
    return status;
}

void rp_executor_get_report(rp_executor *executor, rp_executor_report *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp_executor_report){0};
    if (RP_MISSING(NULL, executor))
        return;
    rp__executor_lock(executor);
    *out = executor->report;
    out->queued = (uint32_t)executor->n_waiting;
    out->running = (uint32_t)(executor->n_live - executor->n_queued);
    out->has_card = executor->has_card;
    rp__executor_kept_report(executor, out);
    pthread_mutex_unlock(&executor->lock);
}
