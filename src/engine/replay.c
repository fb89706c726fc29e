/* replay.c: a queueing system of cores and one card, event by event.
 *
 * Of events at the same time, ends come before arrivals, and lanes in their order. A group of jobs takes the card one
 * start, the longest of theirs, and each job's share of a batch. Then a core names each one's hits. */
#include "engine/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "plan/job_queue.h"

typedef struct job {
    rp__waiting waiting; /* first: a queue's job */
    struct job *next;
    const rp__replay_cost *cost;
    uint64_t number;
    bool on_card; /* answered there: a core has to name its hits */
} job;

typedef struct lane {
    bool is_card, is_busy;
    uint64_t end, likely_end, stalled_until;
    job *first; /* what it works on */
} lane;

typedef struct replay {
    const rp__replay_options *o;
    rp__replay_report *report;
    uint64_t *latencies, *arrivals; /* NULL: nobody asks */
    uint64_t now, next_ps, arrived, numbers;
    uint64_t held_until; /* the queues' lock */
    rp__random random;
    rp__job_queue queues[RP_QUEUES];
    lane *lanes;
    uint32_t n_lanes;
    job *jobs, *free, *ending, **ending_end;
    size_t n_queued;
    bool has_card;
} replay;

/* ---- Chance ---------------------------------------------------------------------------------- */

/* An exponential number of mean 1, in units of 2^-32, by comparing uniform ones (von Neumann 1951): no logarithm. */
static uint64_t draw_gap(rp__random *random)
{
    for (uint64_t whole = 0;; whole++) {
        const uint32_t first = (uint32_t)(rp__random_next(random) >> 32);
        uint32_t last = first;
        unsigned n = 0;
        for (;; n++) {
            const uint32_t next = (uint32_t)(rp__random_next(random) >> 32);
            if (next >= last)
                break;
            last = next;
        }
        if (n % 2 == 0)
            return (whole << 32) + first;
    }
}

/* mean * gap / 2^32. */
static uint64_t scale(uint64_t mean, uint64_t gap)
{
    const uint64_t part = gap & UINT32_MAX;
    return mean * (gap >> 32) + (mean >> 32) * part + ((mean & UINT32_MAX) * part >> 32);
}

static void next_arrival(replay *r)
{
    const rp__replay_options *o = r->o;
    const bool in_burst = r->now >= o->burst_begin_ns && r->now < o->burst_end_ns && o->burst > 1;
    const uint64_t mean = in_burst ? o->gap_ps / o->burst : o->gap_ps;
    r->next_ps += o->is_poisson ? scale(mean, draw_gap(&r->random)) : mean;
}

/* A factor from 1/wrong to wrong, in 1024ths, as often above 1 as below. */
static uint64_t distort(replay *r, uint64_t ns)
{
    if (r->o->wrong <= 1 || ns == RP_POLICY_NEVER)
        return ns;
    const uint64_t factor = 1024 + rp__random_below(&r->random, (r->o->wrong - 1) * 1024 + 1);
    return rp__random_next(&r->random) & 1 ? ns * factor / 1024 : ns * 1024 / factor;
}

/* ---- The view -------------------------------------------------------------------------------- */

static void look(const replay *r, rp__policy_view *out)
{
    *out = (rp__policy_view){.now = r->now,
                             .cores = r->o->cores,
                             .has_card = r->has_card,
                             .elements = r->o->elements,
                             .max_queued = r->o->max_queued,
                             .ratio = r->o->ratio};
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        const lane *l = &r->lanes[i];
        const uint64_t rest = l->likely_end > r->now ? l->likely_end - r->now : 0;
        if (!l->is_busy)
            continue;
        out->busy_cores += !l->is_card;
        if (l->is_card && l->likely_end < r->now)
            out->card_late_ns = r->now - l->likely_end;
        out->is_busy_card |= l->is_card;
        *(l->is_card ? &out->card_ns : &out->cores_ns) += rest;
    }
    for (int q = 0; q < RP_QUEUES; q++)
        rp__job_queue_look(&r->queues[q], &out->queues[q]);
}

/* Nanoseconds from now until the lock was had for so many quarters of the time that it is held:
 * whoever wants it waits for those before. */
static uint64_t hold(replay *r, uint64_t quarters)
{
    const uint64_t ns = r->o->held_ns * quarters / 4;
    r->held_until = (r->held_until > r->now ? r->held_until : r->now) + ns;
    return ns ? r->held_until - r->now : 0;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void end_job(replay *r, job *j, bool is_late)
{
    r->report->answered += !is_late;
    r->report->late += is_late;
    r->report->on_card += !is_late && j->on_card;
    r->report->on_cores += !is_late && !j->on_card;
    if (r->latencies)
        r->latencies[j->number] = is_late ? RP_POLICY_NEVER : r->now - j->waiting.job.arrived;
    r->report->end_ns = r->now;
    j->next = r->free;
    r->free = j;
}

static void enqueue(replay *r, job *j)
{
    j->waiting.number = r->numbers++;
    rp__job_queue_put(&r->queues[j->waiting.seat.queue], &j->waiting);
    r->n_queued++;
}

static void arrive(replay *r)
{
    const rp__replay_options *o = r->o;
    const uint64_t number = r->arrived++;
    rp__policy_view view;
    r->now = r->next_ps / 1000;
    if (r->arrivals)
        r->arrivals[number] = r->now;
    next_arrival(r);
    hold(r, 4);
    job *j = r->n_queued < o->max_queued ? r->free : NULL;
    if (j) {
        r->free = j->next;
        *j = (job){.cost = &o->costs[number % o->n_costs], .number = number};
        rp__policy_job *likely = &j->waiting.job;
        *likely = j->cost->likely;
        likely->arrived = r->now;
        likely->deadline = o->deadline_ns ? r->now + o->deadline_ns : RP_POLICY_NEVER;
        likely->cpu_ns = distort(r, likely->cpu_ns);
        likely->gpu_ns = distort(r, likely->gpu_ns);
        look(r, &view);
        j->waiting.seat = o->policy->seat(&view, likely);
    }
    if (j && j->waiting.seat.queue != RP_QUEUE_NONE) {
        enqueue(r, j);
        return;
    }
    r->report->refused++;
    if (r->latencies)
        r->latencies[number] = RP_POLICY_NEVER;
    if (j) {
        j->next = r->free;
        r->free = j;
    }
}

/* What the policy gives to a lane; NULL: nothing. */
static job *take(replay *r, bool is_card)
{
    rp__policy_view view;
    look(r, &view);
    const rp__policy_take from = r->o->policy->take(&view, is_card);
    if (from.queue == RP_QUEUE_NONE)
        return NULL;
    rp__job_queue *queue = &r->queues[from.queue];
    rp__waiting *w = rp__job_queue_first(queue, from.is_urgent ? RP_JOB_BY_URGENCY : RP_JOB_BY_KEY);
    rp__job_queue_remove(queue, w);
    r->n_queued--;
    return (job *)w;
}

/* Likewise, passing over what is late. */
static job *take_in_time(replay *r, bool is_card)
{
    for (job *j; (j = take(r, is_card));) {
        if (j->waiting.job.deadline > r->now)
            return j;
        end_job(r, j, true);
    }
    return NULL;
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

/* It has the lock first for so many quarters of a time. */
static void begin(replay *r, lane *l, uint64_t quarters, uint64_t ns, uint64_t likely_ns)
{
    l->is_busy = true;
    l->end = r->now + hold(r, quarters) + ns;
    l->likely_end = r->now + likely_ns;
    *(l->is_card ? &r->report->card_ns : &r->report->core_ns) += ns;
}

static bool begin_core(replay *r, lane *l)
{
    job *j = r->ending;
    if (l->stalled_until > r->now)
        return false;
    if (j) {
        r->ending = j->next;
        if (!r->ending)
            r->ending_end = &r->ending;
    } else {
        j = take_in_time(r, false);
    }
    if (!j)
        return false;
    l->first = j;
    j->next = NULL;
    const uint64_t left = j->waiting.job.deadline - r->now;
    if (j->on_card)
        begin(r, l, 1, j->cost->feed_ns, j->waiting.job.feed_ns);
    else
        begin(r, l, 4, j->cost->cpu_ns < left ? j->cost->cpu_ns : left, j->waiting.job.cpu_ns);
    return true;
}

static bool begin_card(replay *r, lane *l)
{
    uint64_t ns = 0, likely = 0, start = 0, likely_start = 0, elements = 0;
    uint32_t n = 0;
    job **end = &l->first;
    l->first = NULL;
    if (l->stalled_until > r->now)
        return false;
    do {
        job *j = r->has_card ? take_in_time(r, true) : NULL;
        if (!j)
            break;
        const rp__policy_job *w = &j->waiting.job;
        const uint64_t own = j->cost->gpu_ns - j->cost->batch_ns;
        const uint64_t likely_own = w->gpu_ns > w->batch_ns ? w->gpu_ns - w->batch_ns : 0;
        start = own > start ? own : start;
        likely_start = likely_own > likely_start ? likely_own : likely_start;
        ns += j->cost->batch_ns;
        likely += w->batch_ns;
        elements += w->shortest;
        *end = j;
        end = &j->next;
        n++;
    } while (r->o->policy->batches && n < RP_REPLAY_GROUP && elements < r->o->elements &&
             rp__job_queue_first(&r->queues[RP_QUEUE_GPU], RP_JOB_BY_KEY));
    *end = NULL;
    if (n == 0)
        return false;
    r->report->launches++;
    r->report->batched += n > 1 ? n : 0;
    begin(r, l, 4 + n, start + ns, likely_start + likely);
    return true;
}

/* Gives work to whoever is free, until nobody takes any. A job that was passed over may have been the one that another
 * lane waited for. */
static void dispatch(replay *r)
{
    bool has_moved = true;
    while (has_moved) {
        const uint64_t late = r->report->late;
        has_moved = false;
        for (uint32_t i = 0; i < r->n_lanes; i++)
            if (!r->lanes[i].is_busy)
                has_moved |=
                    r->lanes[i].is_card ? begin_card(r, &r->lanes[i]) : begin_core(r, &r->lanes[i]);
        has_moved |= r->report->late != late;
    }
}

static void end_lane(replay *r, lane *l)
{
    r->now = l->end;
    l->is_busy = false;
    for (job *j = l->first, *next; j; j = next) {
        next = j->next;
        if (!l->is_card) {
            end_job(r, j, r->now >= j->waiting.job.deadline);
            continue;
        }
        hold(r, 1);
        j->on_card = true;
        j->next = NULL;
        *r->ending_end = j;
        r->ending_end = &j->next;
    }
}

/* The busy lane that ends first; NULL: none is busy. */
static lane *first_end(const replay *r)
{
    lane *first = NULL;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].is_busy && (!first || r->lanes[i].end < first->end))
            first = &r->lanes[i];
    return first;
}

/* ---- Trouble --------------------------------------------------------------------------------- */

static void give_to_cores(replay *r, job *j)
{
    j->waiting.seat = rp__policy_sit(RP_QUEUE_CPU, &j->waiting.job, "the card was lost");
    enqueue(r, j);
}

/* Jobs that wait for a card that is gone, or that it has begun, are the cores'. */
static void lose_card(replay *r)
{
    lane *card = &r->lanes[r->o->cores];
    r->has_card = false;
    for (rp__waiting *w; (w = rp__job_queue_first(&r->queues[RP_QUEUE_GPU], RP_JOB_BY_KEY));) {
        rp__job_queue_remove(&r->queues[RP_QUEUE_GPU], w);
        r->n_queued--;
        give_to_cores(r, (job *)w);
    }
    for (job *j = card->is_busy ? card->first : NULL, *next; j; j = next) {
        next = j->next;
        give_to_cores(r, j);
    }
    card->is_busy = false;
}

static lane *stalling(const replay *r)
{
    return &r->lanes[r->o->stalls_card && r->o->has_card ? r->o->cores : 0];
}

/* What a lane is at when it stalls takes so much longer. */
static void stall(replay *r)
{
    const rp__replay_options *o = r->o;
    lane *l = stalling(r);
    const bool stalls = r->now >= o->stall_begin_ns && r->now < o->stall_end_ns;
    if (stalls && l->is_busy && l->stalled_until == 0)
        l->end += o->stall_end_ns - r->now;
    l->stalled_until = stalls ? o->stall_end_ns : 0;
}

/* What happens to processors at this time. */
static void trouble(replay *r)
{
    const rp__replay_options *o = r->o;
    if (r->has_card && o->lose_card_ns && r->now >= o->lose_card_ns)
        lose_card(r);
    stall(r);
}

/* ---- The run --------------------------------------------------------------------------------- */

static bool step(replay *r)
{
    lane *l = first_end(r);
    const bool has_arrivals = r->arrived < r->o->jobs;
    if (!l && !has_arrivals) {
        if (stalling(r)->stalled_until <= r->now)
            return false;
        r->now = stalling(r)->stalled_until;
    } else if (l && (!has_arrivals || l->end <= r->next_ps / 1000)) {
        end_lane(r, l);
    } else {
        arrive(r);
    }
    trouble(r);
    dispatch(r);
    return true;
}

static rp_status open_replay(replay *r)
{
    const rp__replay_options *o = r->o;
    const size_t n_jobs = o->max_queued + (size_t)o->cores + 2 * RP_REPLAY_GROUP;
    r->n_lanes = o->cores + o->has_card;
    r->lanes = rp__alloc_zero(r->n_lanes, sizeof *r->lanes);
    r->jobs = rp__alloc_zero(n_jobs, sizeof *r->jobs);
    rp_status status = r->lanes && r->jobs ? RP_OK : RP_NO_MEMORY;
    for (int q = 0; q < RP_QUEUES && status == RP_OK; q++)
        status = rp__job_queue_init(&r->queues[q], n_jobs);
    if (status != RP_OK)
        return status;
    for (size_t i = 0; i < n_jobs; i++) {
        r->jobs[i].next = r->free;
        r->free = &r->jobs[i];
    }
    r->ending_end = &r->ending;
    r->has_card = o->has_card;
    if (o->has_card)
        r->lanes[o->cores].is_card = true;
    rp__random_init(&r->random, o->seed);
    next_arrival(r);
    return RP_OK;
}

rp_status rp__replay_run(const rp__replay_options *options, uint64_t *latencies, uint64_t *arrivals,
                         rp__replay_report *report)
{
    replay r = {.o = options, .report = report, .latencies = latencies, .arrivals = arrivals};
    *report = (rp__replay_report){0};
    if (options->n_costs == 0 || options->cores == 0 || options->gap_ps == 0)
        return RP_USAGE;
    rp_status status = open_replay(&r);
    while (status == RP_OK && step(&r))
        ;
    for (int q = 0; q < RP_QUEUES; q++)
        rp__job_queue_free(&r.queues[q]);
    rp__free(r.jobs);
    rp__free(r.lanes);
    return status;
}

/* ---- The bound ------------------------------------------------------------------------------- */

/* Costs of at most 2 s, so that products fit. */
static int64_t bounded(uint64_t ns)
{
    return ns < INT32_MAX ? (int64_t)ns : INT32_MAX;
}

/* What moving a job from the cores to the card saves them, for what it costs the card. */
static int by_gain(const void *a, const void *b)
{
    const rp__replay_cost *x = *(const rp__replay_cost *const *)a,
                          *y = *(const rp__replay_cost *const *)b;
    const int64_t left = (bounded(x->cpu_ns) - bounded(x->feed_ns)) * bounded(y->batch_ns);
    const int64_t right = (bounded(y->cpu_ns) - bounded(y->feed_ns)) * bounded(x->batch_ns);
    return left > right ? -1 : left < right;
}

/* Nanoseconds of one pass over all costs, at least: cores and card end together, or the card has all that it gains from. */
static uint64_t shortest_pass(const rp__replay_cost **by, size_t n, uint32_t cores)
{
    uint64_t core = 0, card = 0;
    for (size_t i = 0; i < n; i++)
        core += by[i]->cpu_ns;
    for (size_t i = 0; i < n; i++) {
        const bool gains = by[i]->gpu_ns != RP_POLICY_NEVER && by[i]->cpu_ns > by[i]->feed_ns;
        const uint64_t saved = by[i]->cpu_ns - by[i]->feed_ns;
        if (!gains)
            continue;
        if (card + by[i]->batch_ns > (core - saved) / cores) {
            /* a fraction f of it: card + f batch = (core - f saved) / cores */
            const uint64_t gap = core / cores > card ? core / cores - card : 0;
            const uint64_t per_core = saved / cores, slope = by[i]->batch_ns + per_core;
            return core / cores - (slope ? per_core * (gap < slope ? gap : slope) / slope : 0);
        }
        core -= saved;
        card += by[i]->batch_ns;
    }
    return core / cores > card ? core / cores : card;
}

uint64_t rp__replay_bound(const rp__replay_options *o)
{
    uint64_t pass = 0;
    const rp__replay_cost **by = rp__alloc_array(o->n_costs, sizeof *by);
    if (!by || o->n_costs == 0) {
        rp__free(by);
        return 0;
    }
    for (size_t i = 0; i < o->n_costs; i++)
        by[i] = &o->costs[i];
    if (o->has_card) {
        qsort(by, o->n_costs, sizeof *by, by_gain);
        pass = shortest_pass(by, o->n_costs, o->cores);
    } else {
        for (size_t i = 0; i < o->n_costs; i++)
            pass += by[i]->cpu_ns;
        pass /= o->cores;
    }
    rp__free(by);
    return pass ? o->n_costs * 1000000000 / pass : 0;
}
