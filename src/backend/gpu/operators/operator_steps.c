/* operator_steps.c: operators one at a time.
 *
 * Leaves are ranks; terms that the index does not know come first, and have no list. The host waits after each step, so
 * it knows how many candidates there are. */
#include "backend/gpu/operators/operator_steps.h"

#include <string.h>

#include "backend/gpu/operators/pipeline.h"
#include "base/error.h"

typedef struct step_run {
    rp__step_run base;
    rp__exec *exec;
    rp__flight *flight; /* NULL: the index knows none of the terms */
    uint32_t n_empty;   /* leaves without lists */
    bool is_leased, is_scored;
    uint32_t n; /* candidates */
} step_run;

static step_run *of(rp__step_run *run)
{
    return (step_run *)(void *)run;
}

static rp__pipeline *pipe_of(const step_run *r)
{
    return r->flight->own;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

/* Of rows that have candidates other than docids, or scores other than look-ups. */
static bool has_steps(const rp__operator_choice *how)
{
    const uint32_t id = how->rows[RP_PHASE_INTERSECT]->id;
    const bool is_row = id < RP_INTERSECTS;
    return how->rows[RP_PHASE_SCORE]->id != RP_OPERATOR_ACCUMULATE &&
           !(is_row && rp__intersect_table[id].needs & RP_INTERSECT_A_BITS);
}

/* The one flight of the exec. */
static rp_status begin(step_run *r)
{
    rp__exec *e = r->exec;
    rp__flight *f = &e->lanes[RP_LANE_SINGLE];
    e->one = (rp__batch_item){.query = *r->base.query};
    e->first = &e->one;
    e->prototype = &e->one.query;
    f->row = &rp__launch_table[RP_LAUNCH_OPERATORS];
    f->items = rp__arena_array(r->base.arena, 1, sizeof *f->items);
    if (!f->items)
        return rp__error_no_memory(r->base.err);
    f->items[0] = &e->one;
    f->n = 1;
    f->why = RP_FALLBACK_NONE;
    f->lists = (rp__launch_lists){0};
    r->flight = f;
    r->base.why = &f->why;
    return rp__step_run_explain(&r->base, rp__operators_begin_at(f, 0));
}

static rp__step start_list, meet_list, score_list, narrow_lists, select_best, put_partial,
    take_partial;
static uint32_t count_candidates(const rp__step_run *run);
static void close_run(rp__step_run *run);

static const rp__step_row row = {.start = start_list,
                                 .meet = meet_list,
                                 .score = score_list,
                                 .narrow = narrow_lists,
                                 .select = select_best,
                                 .put = put_partial,
                                 .take = take_partial,
                                 .count = count_candidates,
                                 .close = close_run};

rp_status rp__operator_steps_open(rp__exec *exec, rp__persistent_kernel *persistent,
                                  const rp__query *query, rp__arena *arena, void **run,
                                  rp_error *err)
{
    rp__operator_choice how;
    step_run *r = rp__arena_zero(arena, 1, sizeof *r);
    *run = NULL;
    if (!r)
        return rp__error_no_memory(err);
    *r = (step_run){.base = {.row = &row,
                             .device = exec->device,
                             .persistent = persistent,
                             .query = query,
                             .arena = arena,
                             .err = err,
                             .n_leaves = (uint32_t)(query->n_ops - 2)},
                    .exec = exec};
    rp_status status = rp__operator_table_parse(query->algorithm, &how, err);
    if (status == RP_OK && !has_steps(&how))
        status = rp__step_run_refuse(&r->base, RP_FALLBACK_FORM);
    if (status != RP_OK)
        return status;
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        r->n_empty += query->words[query->leaves[query->ops[i].leaf].word].term.df == 0;
    rp__exec_begin(exec, 1, false, arena);
    if (r->n_empty < r->base.n_leaves)
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
    r->base.has_candidates = false;
}

static void close_run(rp__step_run *run)
{
    step_run *r = of(run);
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
    r->base.has_candidates = true;
    r->is_scored = false;
    r->n = 0;
    if (r->is_leased || !r->flight)
        return RP_OK;
    rp_status status = rp__launch_lists_lease(r->flight);
    if (status != RP_OK)
        return status;
    r->is_leased = true;
    status = rp__operators_prepare(r->flight);
    r->base.postings += r->exec->one.answer.postings;
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

/* ---- Steps --------------------------------------------------------------------------------------- */

static rp_status start_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
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
            status = rp__stop_check(r->base.query, r->base.err);
    }
    return status;
}

static rp_status meet_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)last, (void)what;
    if (r->is_scored || leaf < r->n_empty)
        return look_up(r, leaf, leaf, true, false);
    if (r->n == 0)
        return RP_OK;
    rp_status status = rp__intersect_ops_meet(pipe_of(r), leaf - r->n_empty);
    return status == RP_OK ? see(r) : status;
}

static rp_status score_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)last, (void)what;
    return r->base.query->k > 0 ? look_up(r, leaf, leaf, false, true) : RP_OK;
}

static rp_status narrow_lists(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)what;
    return look_up(r, first, last, true, r->base.query->k > 0);
}

static rp_status clear_scores(step_run *r)
{
    rp__pipeline *p = pipe_of(r);
    if (r->is_scored)
        return RP_OK;
    return rp__device_fill(p->device, rp__pipe(p, rp__pipe_scores_at(p)), 0, r->n);
}

static rp_status select_best(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    rp__answer *answer = what;
    rp_status status = RP_OK;
    (void)first, (void)last;
    *answer = (rp__answer){.total = r->n, .total_is_exact = true};
    if (r->n > 0 && r->base.query->k > 0) {
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

static uint32_t count_candidates(const rp__step_run *run)
{
    return ((const step_run *)(const void *)run)->n;
}

static rp_status put_partial(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    const rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = lease(r);
    if (status != RP_OK || partial->n == 0 || !r->flight)
        return status;
    rp__pipeline *p = pipe_of(r);
    const size_t bytes = partial->n * sizeof(uint32_t);
    status = rp__device_copy_in(p->device, rp__pipe_next(p), partial->docids, bytes);
    if (status == RP_OK && r->base.query->k > 0)
        status = rp__device_copy_in(p->device, rp__pipe_next_scores(p), partial->scores, bytes);
    rp__pipe_turn(p);
    p->max = r->n = partial->n;
    p->n_counts = 0;
    p->marks = 0;
    r->is_scored = r->base.query->k > 0 && rp__step_run_has_scores(partial);
    return status == RP_OK ? rp__device_wait(p->device) : status;
}

static rp_status copy_out(const step_run *r, uint32_t *docids, uint32_t *scores)
{
    const rp__pipeline *p = pipe_of(r);
    const size_t bytes = r->n * sizeof(uint32_t);
    rp_status status = rp__device_copy_out(p->device, docids, p->candidates, bytes);
    if (status == RP_OK && r->is_scored)
        status = rp__device_copy_out(p->device, scores, rp__pipe(p, rp__pipe_scores_at(p)), bytes);
    return status == RP_OK ? rp__device_wait(p->device) : status;
}

static rp_status take_partial(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = rp__step_run_alloc(run, r->n, partial);
    if (status == RP_OK && r->n > 0)
        status = copy_out(r, partial->docids, partial->scores);
    if (status == RP_OK)
        end_lease(r);
    return status;
}
