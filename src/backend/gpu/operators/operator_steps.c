/* operator_steps.c: operators that are asked for one at a time.
 *
 * Leaves are ranks; terms that the index does not know come first, and have no list. The host waits after each step, so
 * it knows how many candidates there are. */
#include "backend/gpu/operators/operator_steps.h"

#include <string.h>

#include "backend/gpu/operators/pipeline.h"
#include "base/error.h"

typedef struct step_run {
    rp__exec *exec;
    rp__flight *flight; /* NULL: the index knows none of the terms */
    rp__persistent_kernel *persistent;
    const rp__query *query;
    rp__arena *arena;
    rp_error *err;
    uint32_t n_leaves, n_empty; /* of these, without lists */
    bool is_leased, has_candidates, is_scored;
    uint32_t n;            /* candidates */
    uint64_t postings;     /* decoded for the query so far */
    rp_gpu_counters spent; /* and what devices did */
} step_run;

static rp__pipeline *pipe_of(const step_run *r)
{
    return r->flight->own;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

static rp_status refuse(const step_run *r, rp_fallback why)
{
    return rp__error_set(r->err, RP_UNAVAILABLE, "the gpu does not take steps of this query: %s",
                         rp_fallback_text(why));
}

/* Of rows that have candidates other than docids, or scores other than look-ups. */
static bool has_steps(const rp__operator_choice *how)
{
    const uint32_t id = how->rows[RP_PHASE_INTERSECT]->id;
    const bool is_row = id < RP_INTERSECTS;
    return how->rows[RP_PHASE_SCORE]->id != RP_OPERATOR_ACCUMULATE &&
           !(is_row && rp__intersect_table[id].needs & RP_INTERSECT_A_BITS);
}

static rp_status explain(const step_run *r, rp_status status)
{
    const rp__flight *f = r->flight;
    if (status == RP_DAMAGED || (status == RP_UNAVAILABLE && f->why))
        return refuse(r, f->why ? f->why : RP_FALLBACK_DAMAGED);
    if (status == RP_UNAVAILABLE)
        return rp__error_set(r->err, status, "%s", r->exec->device->fault.text);
    if (status == RP_NO_MEMORY)
        return rp__error_set(r->err, status, "the gpu has no memory left for a step of this query");
    return status;
}

/* The one flight of the exec. */
static rp_status begin(step_run *r)
{
    rp__exec *e = r->exec;
    rp__flight *f = &e->lanes[RP_LANE_SINGLE];
    e->one = (rp__batch_item){.query = *r->query};
    e->first = &e->one;
    e->prototype = &e->one.query;
    f->row = &rp__launch_table[RP_LAUNCH_OPERATORS];
    f->items = rp__arena_array(r->arena, 1, sizeof *f->items);
    if (!f->items)
        return rp__error_no_memory(r->err);
    f->items[0] = &e->one;
    f->n = 1;
    f->why = RP_FALLBACK_NONE;
    f->lists = (rp__launch_lists){0};
    r->flight = f;
    return explain(r, rp__operators_begin_at(f, 0));
}

rp_status rp__operator_steps_open(rp__exec *exec, rp__persistent_kernel *persistent,
                                  const rp__query *query, rp__arena *arena, void **run,
                                  rp_error *err)
{
    rp__operator_choice how;
    step_run *r = rp__arena_zero(arena, 1, sizeof *r);
    *run = NULL;
    if (!r)
        return rp__error_no_memory(err);
    *r = (step_run){.exec = exec,
                    .persistent = persistent,
                    .query = query,
                    .arena = arena,
                    .err = err,
                    .n_leaves = (uint32_t)(query->n_ops - 2)};
    rp_status status = rp__operator_table_parse(query->algorithm, &how, err);
    if (status == RP_OK && !has_steps(&how))
        status = refuse(r, RP_FALLBACK_FORM);
    if (status != RP_OK)
        return status;
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        r->n_empty += query->words[query->leaves[query->ops[i].leaf].word].term.df == 0;
    rp__exec_begin(exec, 1, false, arena);
    if (r->n_empty < r->n_leaves)
        status = rp__device_enter(exec->device) == RP_OK ? begin(r) : RP_UNAVAILABLE;
    if (status == RP_OK)
        *run = r;
    return status;
}

/* ---- The lease ----------------------------------------------------------------------------------- */

/* The device has no candidates any more. */
static void end_lease(step_run *r)
{
    if (r->is_leased)
        rp__lease_end(&r->flight->lease);
    r->is_leased = false;
    r->has_candidates = false;
}

void rp__operator_steps_close(void *run)
{
    step_run *r = run;
    if (!r->flight)
        return;
    if (rp__device_enter(r->exec->device) == RP_OK)
        (void)rp__operators_settle(r->flight);
    rp__lease_end(&r->flight->lease);
    r->flight->n = 0;
}

/* All lists, decoded. */
static rp_status lease(step_run *r)
{
    r->has_candidates = true;
    r->is_scored = false;
    r->n = 0;
    if (r->is_leased || !r->flight)
        return RP_OK;
    rp_status status = rp__launch_lists_lease(r->flight);
    if (status != RP_OK)
        return status;
    r->is_leased = true;
    status = rp__operators_prepare(r->flight);
    r->postings += r->exec->one.answer.postings;
    if (status == RP_OK)
        status = rp__operators_see(r->flight);
    if (status == RP_OK)
        rp__launch_lists_publish(r->flight);
    return status;
}

/* Candidates that an operator has left. */
static rp_status see(step_run *r)
{
    rp__pipeline *p = pipe_of(r);
    rp_status status = rp__operators_see(r->flight);
    p->n_counts = 0;
    p->marks = 0;
    r->n = status == RP_OK ? p->max : 0;
    return status;
}

/* ---- Around a step ------------------------------------------------------------------------------- */

typedef rp_status step_fn(step_run *r, uint32_t first, uint32_t last, void *what);

/* Runs one step, counts what it did, and adds it to the trace. */
static rp_status take_step(step_run *r, const char *stage, step_fn *step, uint32_t first,
                           uint32_t last, void *what)
{
    rp__device *d = r->exec->device;
    const rp_gpu_counters before = d->counters;
    const uint64_t begin = rp__trace_begin(r->query->trace), decoded = r->postings;
    rp_status status = last < r->n_leaves ? rp__stop_check(r->query, r->err) : RP_USAGE;
    if (status == RP_OK) {
        status = rp__device_enter(d);
        if (status == RP_OK) {
            rp__persistent_kernel_dismiss(r->persistent);
            status = step(r, first, last, what);
        }
        status = r->flight ? explain(r, status) : status;
    }
    const rp_gpu_counters spent = rp__device_count_since(d, &before);
    rp__answer_count(&r->spent, &spent);
    rp__trace_end(r->query->trace, &(rp__trace_event){.stage = stage,
                                                      .processor = "gpu",
                                                      .begin = begin,
                                                      .elements = r->postings - decoded,
                                                      .bytes = spent.uploaded_bytes});
    return status;
}

/* Of the candidates that there are. */
static rp_status go_on(step_run *r, const char *stage, step_fn *step, uint32_t first, uint32_t last,
                       void *what)
{
    return r->has_candidates ? take_step(r, stage, step, first, last, what) : RP_USAGE;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

static rp_status start_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    rp_status status = lease(r);
    if (status != RP_OK || leaf < r->n_empty)
        return status;
    status = rp__intersect_ops_start(pipe_of(r), leaf - r->n_empty);
    return status == RP_OK ? see(r) : status;
}

/* Some lists, the first of which may be none. */
static rp_status look_up(step_run *r, uint32_t first, uint32_t last, bool drops, bool adds)
{
    rp_status status = RP_OK;
    if (first < r->n_empty && drops)
        r->n = 0;
    for (uint32_t i = first < r->n_empty ? r->n_empty : first;
         i <= last && r->n > 0 && status == RP_OK; i += KARG_INLINE_TERMS) {
        const uint32_t n = last - i + 1 < KARG_INLINE_TERMS ? last - i + 1 : KARG_INLINE_TERMS;
        status = rp__score_ops_look_up(pipe_of(r), (rp__score_look){.first = i - r->n_empty,
                                                                    .n = n,
                                                                    .has_scores = r->is_scored,
                                                                    .drops = drops,
                                                                    .adds = adds});
        r->is_scored = r->is_scored || adds;
        if (status == RP_OK)
            status = see(r);
        if (status == RP_OK)
            status = rp__stop_check(r->query, r->err);
    }
    return status;
}

static rp_status meet_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    if (r->is_scored || leaf < r->n_empty)
        return look_up(r, leaf, leaf, true, false);
    if (r->n == 0)
        return RP_OK;
    rp_status status = rp__intersect_ops_meet(pipe_of(r), leaf - r->n_empty);
    return status == RP_OK ? see(r) : status;
}

static rp_status score_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    return r->query->k > 0 ? look_up(r, leaf, leaf, false, true) : RP_OK;
}

static rp_status narrow_lists(step_run *r, uint32_t first, uint32_t last, void *what)
{
    (void)what;
    return look_up(r, first, last, true, r->query->k > 0);
}

static rp_status clear_scores(step_run *r)
{
    rp__pipeline *p = pipe_of(r);
    if (r->is_scored)
        return RP_OK;
    return rp__device_fill(p->device, rp__pipe(p, p->at.scores[1 - p->half]), 0, r->n);
}

static rp_status select_best(step_run *r, uint32_t first, uint32_t last, void *what)
{
    rp__answer *answer = what;
    rp_status status = RP_OK;
    (void)first, (void)last;
    *answer = (rp__answer){.total = r->n, .total_is_exact = true};
    if (r->n > 0 && r->query->k > 0) {
        status = clear_scores(r);
        if (status == RP_OK)
            status = rp__select_ops_run(pipe_of(r));
        if (status == RP_OK)
            status = rp__device_wait(r->exec->device);
        if (status == RP_OK)
            status = rp__select_ops_take(pipe_of(r), r->n, answer);
    }
    if (status == RP_OK)
        end_lease(r);
    return status;
}

static bool has_scores(const rp__partial *partial)
{
    for (uint32_t i = 0; i < partial->n; i++)
        if (partial->scores[i])
            return true;
    return false;
}

static rp_status put_partial(step_run *r, uint32_t first, uint32_t last, void *what)
{
    const rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = lease(r);
    if (status != RP_OK || partial->n == 0 || !r->flight)
        return status;
    rp__pipeline *p = pipe_of(r);
    const size_t bytes = partial->n * sizeof(uint32_t);
    p->candidates = rp__pipe(p, p->at.docids[p->half]);
    status = rp__device_copy_in(p->device, p->candidates, partial->docids, bytes);
    if (status == RP_OK && r->query->k > 0)
        status = rp__device_copy_in(p->device, rp__pipe(p, p->at.scores[p->half]), partial->scores,
                                    bytes);
    p->half = 1 - p->half;
    p->max = r->n = partial->n;
    p->n_counts = 0;
    p->marks = 0;
    r->is_scored = r->query->k > 0 && has_scores(partial);
    return status == RP_OK ? rp__device_wait(p->device) : status;
}

static rp_status copy_out(const step_run *r, uint32_t *docids, uint32_t *scores)
{
    const rp__pipeline *p = pipe_of(r);
    const size_t bytes = r->n * sizeof(uint32_t);
    rp_status status = rp__device_copy_out(p->device, docids, p->candidates, bytes);
    if (status == RP_OK && r->is_scored)
        status =
            rp__device_copy_out(p->device, scores, rp__pipe(p, p->at.scores[1 - p->half]), bytes);
    return status == RP_OK ? rp__device_wait(p->device) : status;
}

static rp_status take_partial(step_run *r, uint32_t first, uint32_t last, void *what)
{
    rp__partial *partial = what;
    (void)first, (void)last;
    partial->docids = rp__arena_array(r->arena, r->n + (size_t)1, sizeof *partial->docids);
    partial->scores = rp__arena_zero(r->arena, r->n + (size_t)1, sizeof *partial->scores);
    partial->n = r->n;
    rp_status status = partial->docids && partial->scores ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK && r->n > 0)
        status = copy_out(r, partial->docids, partial->scores);
    if (status == RP_OK)
        end_lease(r);
    return status;
}

rp_status rp__operator_steps_start(void *run, uint32_t leaf)
{
    return take_step(run, "start", start_list, leaf, leaf, NULL);
}

rp_status rp__operator_steps_meet(void *run, uint32_t leaf)
{
    return go_on(run, "intersect", meet_list, leaf, leaf, NULL);
}

rp_status rp__operator_steps_score(void *run, uint32_t leaf)
{
    return go_on(run, "score", score_list, leaf, leaf, NULL);
}

rp_status rp__operator_steps_narrow(void *run, uint32_t first, uint32_t last)
{
    return go_on(run, "narrow", narrow_lists, first, last, NULL);
}

rp_status rp__operator_steps_select(void *run, rp__answer *answer)
{
    step_run *r = run;
    rp_status status = go_on(r, "select", select_best, 0, 0, answer);
    answer->postings = r->postings;
    answer->gpu = r->spent;
    return status;
}

rp_status rp__operator_steps_put(void *run, const rp__partial *partial)
{
    step_run *r = run;
    rp__partial copy = *partial;
    r->postings = partial->postings;
    r->spent = partial->gpu;
    return take_step(r, "put", put_partial, 0, 0, &copy);
}

rp_status rp__operator_steps_take(void *run, rp__partial *partial)
{
    step_run *r = run;
    rp_status status = go_on(r, "take", take_partial, 0, 0, partial);
    partial->postings = r->postings;
    partial->gpu = r->spent;
    return status;
}
