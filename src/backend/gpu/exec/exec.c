/* exec.c: queries into rows, rows into launches, launches into answers.
 *
 * Launches that are detached go when the exec launches; of a group, the others go when it is collected, because they keep
 * their lease until then. A launch that does not fit is halved. A query that does not fit alone goes to the row that
 * needs least, or is refused. All work is counted with the first query. */
#include "backend/gpu/exec/exec.h"

#include "base/error.h"

typedef rp__flight flight;

/* ---- Opening ------------------------------------------------------------------------------------- */

void rp__exec_open(rp__exec *e, rp__device *device, const rp__gpu_index *index)
{
    rp__residency *residency = index->residency;
    *e = (rp__exec){.device = device, .index = index};
    for (size_t i = 0; i < RP_LANES; i++)
        e->lanes[i].exec = e;
    rp__lease_open(&e->lanes[RP_LANE_SINGLE].lease, residency, device, device->stream, false);
    rp__lease_open(&e->lanes[RP_LANE_OR].lease, residency, device, device->stream, false);
    rp__lease_open(&e->lanes[RP_LANE_PARA].lease, residency, device, device->stream, false);
    rp__exec_stage_open(&e->single.stage, device, &e->lanes[RP_LANE_SINGLE].lease);
    rp__fused_or_open(&e->ors, device);
    rp__para_launch_open(&e->para, device);
    e->ors.lease = &e->lanes[RP_LANE_OR].lease;
}

/* What goes by the card's queue has the device until then. */
static void await_queue(rp__exec *e)
{
    (void)rp__fused_and_await(&e->ands);
    (void)rp__fused_and_await(&e->phrases);
}

void rp__exec_close(rp__exec *e)
{
    if (!e->device)
        return;
    rp__exec_abandon(e);
    (void)rp__persistent_kernel_settle(&e->single.stage.kernel);
    rp__device_settle(e->device, e->device->stream);
    rp__exec_stage_close(&e->single.stage); /* first: freeing other memory waits for its kernel */
    rp__fused_and_close(&e->ands);          /* with their leases */
    rp__fused_and_close(&e->phrases);
    rp__lease_close(&e->lanes[RP_LANE_PARA].lease);
    rp__lease_close(&e->lanes[RP_LANE_OR].lease);
    rp__lease_close(&e->lanes[RP_LANE_SINGLE].lease);
    rp__fused_or_close(&e->ors, e->index->residency);
    rp__para_launch_close(&e->para, e->index->residency);
    rp__operators_close(&e->operators, e->index->residency, e->device);
    *e = (rp__exec){0};
}

/* ---- Refusing ------------------------------------------------------------------------------------ */

void rp__exec_refuse(rp__batch_item *item, rp_fallback why)
{
    bool is_memory = why == RP_FALLBACK_MEMORY || why == RP_FALLBACK_HOST_MEMORY;
    item->answer.fallback = why;
    item->status = why == RP_FALLBACK_NONE ? RP_OK : is_memory ? RP_NO_MEMORY : RP_UNAVAILABLE;
}

rp_status rp__exec_no_memory(flight *f)
{
    f->why = RP_FALLBACK_HOST_MEMORY;
    return RP_NO_MEMORY;
}

/* Nothing of a launch that failed is left on the device, nor is its lease. */
static void give_up(flight *f)
{
    if (f->row->settle(f) == RP_OK)
        rp__lease_end(&f->lease);
    f->n = 0;
}

static bool is_left(const flight *f)
{
    return f->row && (f->n > 0 || f->lease.is_begun);
}

void rp__exec_abandon(rp__exec *e)
{
    bool is_entered = false;
    await_queue(e);
    for (size_t i = 0; i < RP_LANES; i++) {
        if (!is_left(&e->lanes[i]))
            continue;
        if (!is_entered)
            (void)rp__device_enter(e->device);
        is_entered = true;
        give_up(&e->lanes[i]);
    }
}

/* ---- Adding -------------------------------------------------------------------------------------- */

void rp__exec_begin(rp__exec *e, size_t max, bool in_group, rp__arena *arena)
{
    rp__exec_abandon(e);
    e->arena = arena;
    e->max = max;
    e->in_group = in_group;
    e->why = RP_FALLBACK_NONE;
    e->has_stops = false;
    e->first = NULL;
    e->prototype = NULL;
    e->before = e->device->counters;
    e->start_ns = 0;
    for (size_t i = 0; i < RP_LAUNCHES; i++)
        e->queues[i] = (rp__exec_queue){.fits = e->queues[i].fits};
}

static bool is_alike(const rp__query *a, const rp__query *b)
{
    return a->k == b->k && a->begin == b->begin && a->end == b->end && a->norms == b->norms &&
           a->rank == b->rank && a->algorithm == b->algorithm;
}

static rp_fallback check_first(rp__exec *e, rp__batch_item *item)
{
    e->first = item;
    e->prototype = &item->query;
    rp_fallback why = rp__launch_policy_check(&item->query);
    bool has_lengths = rp__gpu_index_at(e->index, item->query.lengths.codes) != 0;
    return why || has_lengths ? why : RP_FALLBACK_LENGTHS;
}

static rp_fallback push(rp__exec *e, rp__launch_id id, rp__batch_item *item, uint32_t shortest)
{
    rp__exec_queue *queue = &e->queues[id];
    if (!queue->items)
        queue->items = rp__arena_array(e->arena, e->max, sizeof(rp__batch_item *));
    if (!queue->items)
        return RP_FALLBACK_HOST_MEMORY;
    queue->items[queue->n++] = item;
    queue->elements += shortest;
    return RP_FALLBACK_NONE;
}

/* Its lists are looked up when all are added. */
static void expect_lists(const rp__exec *e, const rp__query *query)
{
    const rp__slot_table *slots = &e->index->residency->slots;
    for (size_t i = 0; slots->slots && i < query->n_words; i++)
        rp__slot_table_expect(slots, rp__residency_key(&query->words[i].term, RP_USE_LOOKUP));
}

static rp_fallback add(rp__exec *e, rp__batch_item *item)
{
    const rp__query *query = &item->query;
    uint32_t shortest;
    rp_fallback why;
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_FALLBACK_NONE;
    if (!e->first)
        e->why = check_first(e, item);
    if (e->why)
        return e->why;
    if (!is_alike(query, e->prototype))
        return RP_FALLBACK_GROUP;
    const size_t max_ranked = rp__launch_policy_max_ranked(e->device->shared_max);
    if (e->in_group && query->k <= max_ranked && rp__launch_policy_is_group_and(query, &shortest)) {
        expect_lists(e, query);
        return push(e, RP_LAUNCH_AND_BATCH, item, shortest);
    }
    rp__launch_request request =
        rp__launch_policy_request(query, e->index->residency->is_whole, e->in_group);
    request.max_ranked = max_ranked;
    const rp__launch_row *row = rp__launch_policy_choose(&request, &why);
    return row ? push(e, row->id, item, request.shortest) : why;
}

void rp__exec_add(rp__exec *e, rp__batch_item *item)
{
    rp__answer_clear(&item->answer);
    item->answer.total_is_exact = true;
    e->has_stops = e->has_stops || item->query.stop;
    rp_fallback why = item->status == RP_OK ? add(e, item) : RP_FALLBACK_NONE;
    if (why)
        rp__exec_refuse(item, why);
}

/* ---- Launching ----------------------------------------------------------------------------------- */

/* Where a query goes that its row has no memory for; NULL: nowhere, as one whose algorithm was chosen.
 * Tiles are no way for queries of which too many documents are near the best, either. */
static const rp__launch_row *find_other(const flight *f, const rp__batch_item *item)
{
    rp__device *device = f->exec->device;
    bool is_crowded = f->row->lane == RP_LANE_OR && f->status == RP_UNAVAILABLE;
    if (f->why || f->row->lane == RP_LANE_SINGLE || f->row->algorithm ||
        rp__device_is_lost(device) || !(f->status == RP_NO_MEMORY || is_crowded))
        return NULL;
    const rp__launch_request request = rp__launch_policy_request(&item->query, false, false);
    const rp__launch_row *last = rp__launch_policy_last(request.shape);
    return last && request.n_terms <= last->max_terms ? last : NULL;
}

/* n queries of a launch that failed go another way, or are refused. */
static void fail(flight *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rp__batch_item *item = f->items[i];
        if (item->status != RP_OK)
            continue;
        const rp__launch_row *other = find_other(f, item);
        rp_fallback why = f->why ? f->why : rp__device_fallback(f->exec->device, f->status);
        rp__exec_refuse(item, other ? push(f->exec, other->id, item, 0) : why);
    }
}

/* Drops what is to stop before it is part of a launch. */
static void drop_stopped(const rp__exec *e, rp__exec_queue *queue)
{
    size_t n = queue->next;
    rp_error err;
    if (!e->has_stops)
        return;
    for (size_t i = n; i < queue->n; i++) {
        rp__batch_item *item = queue->items[i];
        item->status = rp__stop_check(&item->query, &err);
        if (item->status == RP_OK)
            queue->items[n++] = item;
    }
    queue->n = n;
}

/* RP_INTERRUPTED: a launch of one query has its lists, and the query is to stop. */
static rp_status check_stop(const flight *f)
{
    rp_error err;
    if (!f->exec->has_stops || f->n > 1)
        return RP_OK;
    return f->items[0]->status = rp__stop_check(&f->items[0]->query, &err);
}

static rp_status try_launch(flight *f)
{
    f->status = f->row->begin(f);
    if (f->status == RP_OK)
        f->status = rp__launch_lists_lease(f);
    if (f->status == RP_OK)
        f->status = check_stop(f);
    if (f->status == RP_OK)
        f->status = f->row->launch(f);
    return f->status;
}

/* After a launch of n: one that fitted may be twice as large the next time. */
static void learn(rp__exec_queue *queue, const rp__launch_row *row, size_t n, bool has_fitted)
{
    const size_t next = has_fitted ? 2 * n : n / 2;
    if (!has_fitted || (queue->fits && n == queue->fits))
        queue->fits = next < row->max_queries ? next : 0;
}

/* The next queries of a row, fewer where they do not fit together. */
static void start(rp__exec *e, rp__launch_id id)
{
    const rp__launch_row *row = &rp__launch_table[id];
    rp__exec_queue *queue = &e->queues[id];
    flight *f = &e->lanes[row->lane];
    if (queue->next == queue->n)
        return;
    await_queue(e);
    drop_stopped(e, queue);
    while (queue->next < queue->n) {
        const size_t left = queue->n - queue->next;
        const size_t max = queue->fits ? queue->fits : row->max_queries;
        f->row = row;
        f->items = queue->items + queue->next;
        f->n = left < max ? left : max;
        if (row->fit)
            f->n = row->fit(e, f->items, f->n);
        const size_t n = f->n;
        f->why = RP_FALLBACK_NONE;
        f->lists = (rp__launch_lists){0};
        const bool is_launched = try_launch(f) == RP_OK;
        if (is_launched || n > 1)
            learn(queue, row, n, is_launched);
        if (is_launched) {
            queue->next += n;
            return;
        }
        give_up(f);
        if (n > 1 && !f->why && (f->status == RP_NO_MEMORY || f->status == RP_DAMAGED))
            continue;
        queue->next += n;
        fail(f, n);
    }
}

static bool is_any(const rp__exec *e)
{
    bool is_queued = false;
    for (size_t i = 0; i < RP_LAUNCHES; i++)
        is_queued = is_queued || e->queues[i].n > 0;
    return is_queued;
}

static void refuse_all(rp__exec *e, rp_status status)
{
    for (size_t i = 0; i < RP_LAUNCHES; i++)
        for (rp__exec_queue *queue = &e->queues[i]; queue->next < queue->n; queue->next++)
            rp__exec_refuse(queue->items[queue->next], rp__device_fallback(e->device, status));
}

static void count(rp__exec *e)
{
    if (e->first)
        e->first->answer.gpu = rp__device_count_since(e->device, &e->before);
}

void rp__exec_launch(rp__exec *e)
{
    rp_status status = is_any(e) ? rp__device_enter(e->device) : RP_OK;
    if (status != RP_OK)
        refuse_all(e, status);
    for (size_t i = 0; i < RP_LAUNCHES; i++)
        if (!e->in_group || rp__launch_table[i].is_detached)
            start(e, (rp__launch_id)i);
    if (!e->in_group) /* of a group, the queue may still have the device */
        count(e);
}

/* ---- Collecting ---------------------------------------------------------------------------------- */

bool rp__exec_is_done(rp__exec *e)
{
    if (e->ands.job.is_queued || e->phrases.job.is_queued) /* the queue has the device */
        return false;
    if (is_any(e) && rp__device_enter(e->device) != RP_OK)
        return true;
    for (size_t i = 0; i < RP_LAUNCHES; i++)
        if (e->queues[i].next < e->queues[i].n)
            return false;
    for (size_t i = 0; i < RP_LANES; i++)
        if (e->lanes[i].n > 0 && !e->lanes[i].row->is_done(&e->lanes[i]))
            return false;
    return true;
}

/* The lease ends before anything is read that may be mapped. */
static void collect(flight *f)
{
    const size_t n = f->n;
    f->status = f->row->wait(f);
    if (f->status != RP_OK) {
        give_up(f);
        fail(f, n);
        return;
    }
    rp__launch_lists_publish(f);
    rp__lease_end(&f->lease);
    f->status = f->row->take(f);
    f->n = 0;
    if (f->status != RP_OK)
        fail(f, n);
}

void rp__exec_collect(rp__exec *e)
{
    /* ORs of a group are given to the device while it still answers ANDs */
    static const rp__launch_id order[] = {
        RP_LAUNCH_OR_MAXSCORE,   RP_LAUNCH_OR_LONG,        RP_LAUNCH_AND_BATCH,
        RP_LAUNCH_PHRASE_BATCH,  RP_LAUNCH_AND_PERSISTENT, RP_LAUNCH_AND_SINGLE,
        RP_LAUNCH_OR_ACCUMULATE, RP_LAUNCH_PARA,           RP_LAUNCH_OPERATORS};
    if (!is_any(e))
        return;
    await_queue(e);
    (void)rp__device_enter(e->device); /* where this fails, so does what follows */
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        flight *f = &e->lanes[rp__launch_table[order[i]].lane];
        for (;;) {
            if (f->n == 0)
                start(e, order[i]);
            if (f->n == 0)
                break;
            collect(f);
        }
    }
    count(e);
}

/* ---- One query ----------------------------------------------------------------------------------- */

static rp_status explain(const rp__exec *e, rp_error *err)
{
    const rp_fallback why = e->one.answer.fallback;
    const rp_status status = e->one.status;
    if (status == RP_OK)
        return RP_OK;
    if (status == RP_INTERRUPTED)
        return rp__error_set(err, status, "the query was stopped");
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (why == RP_FALLBACK_FAULT || why == RP_FALLBACK_DEADLINE)
        return rp__error_set(err, status, "%s", e->device->fault.text);
    return rp__error_set(err, status, "the gpu does not answer this query: %s",
                         rp_fallback_text(why));
}

rp_status rp__exec_start(rp__exec *e, const rp__query *query, rp__arena *arena, rp_error *err)
{
    e->one = (rp__batch_item){.query = *query};
    rp__exec_begin(e, 1, false, arena);
    rp__exec_add(e, &e->one);
    rp__exec_launch(e);
    return explain(e, err);
}

rp_status rp__exec_finish(rp__exec *e, rp__answer *answer, rp_error *err)
{
    rp__exec_collect(e);
    *answer = e->one.answer;
    if (e->one.status == RP_OK)
        e->one.status = rp__stop_check(&e->one.query, err);
    return explain(e, err);
}

rp_status rp__exec_run(rp__exec *e, const rp__query *query, rp__arena *arena, rp__answer *answer,
                       rp_error *err)
{
    rp_status status = rp__exec_start(e, query, arena, err);
    if (status == RP_OK)
        return rp__exec_finish(e, answer, err);
    rp__exec_tell(e, answer);
    return status;
}

void rp__exec_tell(const rp__exec *e, rp__answer *answer)
{
    answer->gpu = e->one.answer.gpu;
    answer->fallback = e->one.answer.fallback;
}
