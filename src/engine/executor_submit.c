/* executor_submit.c: a job on its way to a queue: parsed and bound by who submits it, or bound before.
 *
 * Binding needs no lock, and takes longer than all that does. Where a job waits is the policy's. */
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/algorithm_choice.h"
#include "engine/executor.h"
#include "plan/cost.h"

typedef struct bind_job {
    const rp_executor *executor;
    rp__task *task;
    const rp__executor_ready *ready; /* NULL: its text is bound */
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

/* All that is read of them where there are none: lists are most of their memory. */
static void forget_steps(rp__task_steps *steps)
{
    steps->is_on = steps->moves = steps->by_card = false;
    steps->n_met = 0;
    steps->partial = (rp__partial){0};
    steps->lists.n = 0;
    steps->lists.is_all = false;
}

/* What a bound query has of its task. */
static rp_status own_query(const rp_executor *e, rp__task *t, rp__auto_shape shape)
{
    t->bound.stop = &t->stop;
    t->bound.rank = t->rank;
    rp__query_trace_bind(t->searcher,
                         e->algorithm ? &t->searcher->trace : rp__query_trace_get(t->searcher),
                         &t->bound);
    t->shape = shape;
    forget_steps(&t->steps);
    t->waiting.job.meet_ns = 0;
    t->waiting.job.prunes_whole = shape == RP_AUTO_OR;
    return find_lists(e, t, shape);
}

/* Estimates are of the card's own choice: what an algorithm that was named cannot do, the card says. */
static void let_card_refuse(rp__policy_job *job)
{
    if (job->gpu_ns == RP_POLICY_NEVER)
        job->gpu_ns = job->batch_ns = job->cpu_ns;
}

/* What was bound before, and is read alone. */
static rp_status copy_ready(const bind_job *b)
{
    rp__task *t = b->task;
    const uint64_t arrived = t->waiting.job.arrived, deadline = t->waiting.job.deadline;
    rp__arena_clear(&t->searcher->arena);
    t->bound = b->ready->query;
    t->waiting.job = b->ready->job;
    t->waiting.job.arrived = arrived;
    t->waiting.job.deadline = deadline;
    return own_query(b->executor, t, b->ready->shape);
}

static rp_status run_bind(void *arg)
{
    bind_job *b = arg;
    rp__task *t = b->task;
    rp__cost_facts facts;
    if (b->ready)
        return copy_ready(b);
    rp_status status =
        rp__searcher_bind(t->searcher, t->text, t->bytes, t->mode, &t->bound, &b->err);
    if (status != RP_OK)
        return status;
    rp__cost_look(&t->bound, &facts);
    if (t->costs)
        rp__cost_measure(&t->bound, &facts);
    rp__cost_estimate(t->costs, &facts, &t->waiting.job);
    if (b->executor->algorithm)
        let_card_refuse(&t->waiting.job);
    return own_query(b->executor, t, facts.shape);
}

static rp_status bind(const rp_executor *e, rp__task *task, const rp__executor_ready *ready,
                      rp_error *err)
{
    bind_job b = {.executor = e, .task = task, .ready = ready};
    return rp__searcher_guard(task->searcher, run_bind, &b, &b.err, err);
}

rp_status rp__executor_submit_bind(const rp_executor *e, rp__task *task, rp_error *err)
{
    return bind(e, task, NULL, err);
}

/* But for the text of an error, which is empty. */
static void forget_outcome(rp_outcome *o)
{
    o->status = o->err.code = RP_OK;
    o->err.text[0] = 0;
    memset(&o->hits, 0, sizeof *o - offsetof(rp_outcome, hits));
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

/* What the job asks in place of the options, by which the algorithm was checked. */
static rp_status check_algorithm(const rp_executor *e, rp_mode mode, size_t k, rp_error *err)
{
    const rp_search_options *o = &e->plain->options;
    if (!e->algorithm || (mode == o->mode && k == o->k + o->from))
        return RP_OK;
    return rp__algorithm_choice_check(e->on_card, e->on_card->backend, e->algorithm, mode, k, err);
}

rp_status rp__executor_submit_prepare(rp_executor *e, rp__task *t, const rp_job *job,
                                      const rp__executor_ready *ready, uint64_t arrived,
                                      rp_error *err)
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
    const rp_mode mode = job->mode ? *job->mode : o->mode;
    if (check_algorithm(e, mode, k + from, err) != RP_OK)
        return RP_USAGE;
    if (!t->searcher && rp__searcher_branch(e->plain, &t->searcher) != RP_OK)
        return rp__error_no_memory(err);
    const bool traces = o->trace || job->trace;
    if (keep_text(t, job) != RP_OK ||
        ((traces || e->algorithm) && rp__query_trace_new(t->searcher) != RP_OK))
        return rp__error_no_memory(err);
    rp_search_options *own = &t->searcher->options;
    t->rank = &e->plain->rank;
    t->costs = e->costs ? &e->costs->model : NULL;
    own->k = k;
    own->from = from;
    own->trace = traces;
    own->mode = mode;
    own->total = job->total ? *job->total : o->total;
    own->plain = o->plain || job->plain;
    t->mode = own->mode == RP_MODE_ANDOR ? RP_MODE_AND : own->mode;
    t->answer = t->first = (rp__answer){.total_is_exact = true};
    t->has_answer = t->on_card = false;
    t->fallback = RP_FALLBACK_NONE;
    t->spent = (rp_gpu_counters){0};
    forget_outcome(&t->outcome);
    t->n_decisions = 0;
    t->taken = 0;
    rp__query_trace_begin(t->searcher);
    t->parts = t->whole = NULL;
    t->done = job->done;
    t->arg = job->arg;
    atomic_store(&t->stop, RP_STOP_NONE);
    t->waiting.job.arrived = arrived;
    return bind(e, t, ready, err);
}

void rp__executor_submit_tell(const rp__task *t, uint64_t *ticket)
{
    if (ticket)
        __atomic_store_n(ticket, t->ticket, __ATOMIC_RELEASE);
}

uint64_t rp__executor_submit_deadline(uint64_t arrived, uint64_t deadline_ns)
{
    return deadline_ns && deadline_ns < RP_POLICY_NEVER - arrived ? arrived + deadline_ns
                                                                  : RP_POLICY_NEVER;
}

/* Of a task that the timer does not know. */
static rp_status prepare(rp_executor *e, rp__task *t, const rp_job *job,
                         const rp__executor_ready *ready, rp_error *err)
{
    const uint64_t now = rp__clock_now();
    rp_status status = rp__executor_submit_prepare(e, t, job, ready, now, err);
    t->waiting.job.deadline = rp__executor_submit_deadline(now, job->deadline_ns);
    return status;
}

static rp_status refuse(rp_executor *e, const char *why, rp_error *err)
{
    e->report.refused++;
    return rp__error_set(err, RP_BUSY, "the query was refused: %s", why);
}

static const char too_many[] = "too many jobs wait";

/* With the lock: whether one more is taken. */
static rp_status check_room(rp_executor *e, rp_error *err)
{
    if (e->is_drained)
        return rp__error_set(err, RP_USAGE, "the executor is drained: it takes no more jobs");
    return e->n_waiting >= e->max_queued ? refuse(e, too_many, err) : RP_OK;
}

rp__task *rp__executor_submit_begin(rp_executor *e, rp_status *status, rp_error *err)
{
    *status = check_room(e, err);
    rp__task *t = *status == RP_OK ? rp__executor_tasks_take(e) : NULL;
    if (*status == RP_OK && !t)
        *status = refuse(e, too_many, err);
    return t;
}

/* A task that the timer knows; NULL: why not. */
static rp__task *get_limited(rp_executor *e, uint64_t deadline, rp_status *status, rp_error *err)
{
    rp__executor_lock(e);
    rp__task *t = rp__executor_submit_begin(e, status, err);
    if (t)
        rp__executor_timer_limit(e, t, deadline);
    rp__executor_unlock(e);
    return t;
}

/* A task of one's own that is not enlisted yet; NULL: why not. The executor's lock is needed only
 * where it is refused. */
static rp__task *get_task(rp_executor *e, rp_status *status, rp_error *err)
{
    const bool is_full = atomic_load_explicit(&e->n_waiting, memory_order_relaxed) >= e->max_queued;
    rp__task *t = is_full ? NULL : rp__executor_tasks_find_free(e);
    if (t)
        return t;
    rp__executor_lock(e);
    t = rp__executor_submit_begin(e, status, err);
    rp__executor_unlock(e);
    return t;
}

/* With the lock. From now on the executor knows the task, unless it takes no more. */
static rp_status enlist(rp_executor *e, rp__task *t, rp_error *err)
{
    rp_status status = check_room(e, err);
    if (status == RP_OK)
        rp__executor_tasks_enlist(e, t);
    return status;
}

/* With the lock. */
static void give_up(rp_executor *e, rp__task *t)
{
    if (t->ticket)
        rp__executor_tasks_release(e, t);
    else
        rp__executor_tasks_give_back(e, t);
}

/* A task that is bound, unless `status` says otherwise, to its queue. */
static rp_status hand_over(rp_executor *e, rp__task *t, rp_status status, bool helps,
                           uint64_t *ticket, rp_error *err)
{
    bool begun = false;
    rp__executor_lock(e);
    if (status == RP_OK && !t->ticket)
        status = enlist(e, t, err);
    if (status == RP_OK)
        rp__executor_submit_tell(t, ticket);
    if (status == RP_OK && t->waiting.job.deadline != RP_POLICY_NEVER)
        rp__executor_timer_add(e, t);
    const bool is_refused = status == RP_OK && !(helps ? rp__executor_seat_alone(e, t, &begun)
                                                       : rp__executor_seat(e, t));
    if (is_refused)
        status = refuse(e, t->waiting.seat.reason, err);
    if (status == RP_OK && atomic_load(&t->stop)) /* its time was over before it had a queue */
        rp__executor_unseat(e, t);
    e->report.submitted += status == RP_OK;
    if (status != RP_OK)
        give_up(e, t);
    else if (begun)
        rp__executor_ask_begun(e, t);
    else if (helps)
        rp__executor_ask_help(e, t);
    else
        rp__executor_wake(e);
    rp__executor_unlock(e);
    return status;
}

/* A short job is answered by the calling thread. */
static rp_status submit_here(rp_executor *e, const rp_job *job, uint64_t *ticket, rp_error *err)
{
    rp_status status = RP_OK;
    if (rp__executor_kept_answer(e, job, ticket, &status, err))
        return status;
    const uint64_t now = rp__clock_now();
    rp__task *t = get_limited(e, rp__executor_submit_deadline(now, job->deadline_ns), &status, err);
    if (!t)
        return status;
    status = rp__executor_submit_prepare(e, t, job, NULL, now, err);
    if (status != RP_OK || t->waiting.job.cpu_ns > job->here_ns)
        return hand_over(e, t, status, false, ticket, err);
    rp__executor_here_run(e, t, ticket);
    return RP_OK;
}

rp_status rp__executor_submit_job(rp_executor *executor, const rp_job *job,
                                  const rp__executor_ready *ready, bool helps, uint64_t *ticket,
                                  rp_error *err)
{
    rp_status status = RP_OK;
    const bool may_be_here = !helps && !ready && !executor->on_card && job->here_ns > 0;
    if (may_be_here && !executor->is_bounded)
        return submit_here(executor, job, ticket, err);
    rp__task *t = get_task(executor, &status, err);
    if (!t)
        return status;
    status = prepare(executor, t, job, ready, err);
    const bool is_short = may_be_here && t->waiting.job.cpu_ns <= job->here_ns;
    return hand_over(executor, t, status, helps || is_short, ticket, err);
}

rp_status rp_executor_submit(rp_executor *executor, const rp_job *job, uint64_t *ticket,
                             rp_error *err)
{
    if (RP_MISSING(err, executor, job) || RP_MISSING_ARRAY(err, job->query, job->query_bytes))
        return RP_USAGE;
    rp_job own;
    rp_status status = RP_TAKE(&own, job, err);
    if (status == RP_OK && !own.done)
        rp__error_set_missing(err, "rp_executor_submit", "job->done", 0), status = RP_USAGE;
    return status == RP_OK ? rp__executor_submit_job(executor, &own, NULL, false, ticket, err)
                           : status;
}

/* ---- Bound before ------------------------------------------------------------------------------ */

rp_status rp__executor_submit_ahead(rp_executor *executor, const rp_job *job, rp__arena *arena,
                                    rp__executor_ready *out, rp_error *err)
{
    rp_status status = RP_OK;
    rp__task *t = get_task(executor, &status, err);
    if (!t)
        return status;
    status = prepare(executor, t, job, NULL, err);
    *out = (rp__executor_ready){.query = t->bound, .job = t->waiting.job, .shape = t->shape};
    if (status == RP_OK && rp__query_keep(&out->query, arena) != RP_OK)
        status = rp__error_no_memory(err);
    rp__executor_lock(executor);
    give_up(executor, t);
    rp__executor_unlock(executor);
    return status;
}

rp_status rp__executor_submit_ready(rp_executor *executor, const rp_job *job,
                                    const rp__executor_ready *ready, rp_error *err)
{
    return rp__executor_submit_job(executor, job, ready, false, NULL, err);
}
