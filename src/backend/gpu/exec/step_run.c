/* step_run.c: around a step: whether it may be taken, what it did, and why it failed. */
#include "backend/gpu/exec/step_run.h"

#include "base/error.h"

rp_status rp__step_run_refuse(const rp__step_run *r, rp_fallback why)
{
    return rp__error_set(r->err, RP_UNAVAILABLE, "the gpu does not take steps of this query: %s",
                         rp_fallback_text(why));
}

rp_status rp__step_run_explain(const rp__step_run *r, rp_status status)
{
    const rp_fallback why = r->why ? *r->why : RP_FALLBACK_NONE;
    if (status == RP_DAMAGED || (status == RP_UNAVAILABLE && why))
        return rp__step_run_refuse(r, why ? why : RP_FALLBACK_DAMAGED);
    if (status == RP_NO_MEMORY)
        return rp__error_set(r->err, status, "the gpu has no memory left for a step of this query");
    return status == RP_UNAVAILABLE ? rp__error_set(r->err, status, "%s", r->device->fault.text)
                                    : status;
}

/* Runs one step, counts what it did, and adds it to the trace. */
static rp_status take_step(rp__step_run *r, const char *stage, rp__step *step, uint32_t first,
                           uint32_t last, void *what)
{
    const rp_gpu_counters before = r->device->counters;
    const uint64_t begin = rp__trace_begin(r->query->trace), decoded = r->postings;
    rp_status status = last < r->n_leaves ? rp__stop_check(r->query, r->err) : RP_USAGE;
    if (status == RP_OK)
        status = rp__step_run_explain(r, rp__device_enter(r->device));
    if (status == RP_OK) {
        rp__persistent_kernel_dismiss(r->persistent);
        status = rp__step_run_explain(r, step(r, first, last, what));
    }
    const rp_gpu_counters spent = rp__device_count_since(r->device, &before);
    rp__answer_count(&r->spent, &spent);
    rp__trace_end(r->query->trace, &(rp__trace_event){.stage = stage,
                                                      .processor = "gpu",
                                                      .begin = begin,
                                                      .elements = r->postings - decoded,
                                                      .bytes = spent.uploaded_bytes});
    return r->status = status;
}

/* Of the candidates that there are. */
static rp_status go_on(rp__step_run *r, const char *stage, rp__step *step, uint32_t first,
                       uint32_t last, void *what)
{
    return r->has_candidates ? take_step(r, stage, step, first, last, what) : RP_USAGE;
}

rp_status rp__step_run_start(void *run, uint32_t leaf)
{
    rp__step_run *r = run;
    return take_step(r, "start", r->row->start, leaf, leaf, NULL);
}

rp_status rp__step_run_meet(void *run, uint32_t leaf)
{
    rp__step_run *r = run;
    return go_on(r, "meet", r->row->meet, leaf, leaf, NULL);
}

rp_status rp__step_run_score(void *run, uint32_t leaf)
{
    rp__step_run *r = run;
    return go_on(r, "score", r->row->score, leaf, leaf, NULL);
}

rp_status rp__step_run_narrow(void *run, uint32_t first, uint32_t last)
{
    rp__step_run *r = run;
    return go_on(r, "narrow", r->row->narrow, first, last, NULL);
}

uint32_t rp__step_run_count(const void *run)
{
    const rp__step_run *r = run;
    return r->has_candidates ? r->row->count(r) : 0;
}

/* A query that was stopped, or asked for a step that there is not, is nothing that a device could not do. */
void rp__step_run_report(const void *run, rp__answer *answer)
{
    const rp__step_run *r = run;
    const bool has_failed =
        r->status == RP_UNAVAILABLE || r->status == RP_NO_MEMORY || r->status == RP_DAMAGED;
    const rp_fallback why = r->why ? *r->why : RP_FALLBACK_NONE;
    answer->postings = r->postings;
    answer->gpu = r->spent;
    answer->fallback = !has_failed ? RP_FALLBACK_NONE
                       : why       ? why
                                   : rp__device_fallback(r->device, r->status);
}

rp_status rp__step_run_select(void *run, rp__answer *answer)
{
    rp__step_run *r = run;
    rp_status status = go_on(r, "select", r->row->select, 0, 0, answer);
    rp__step_run_report(r, answer);
    return status;
}

rp_status rp__step_run_put(void *run, const rp__partial *partial)
{
    rp__step_run *r = run;
    rp__partial copy = *partial;
    r->postings = partial->postings;
    r->spent = partial->gpu;
    return take_step(r, "put", r->row->put, 0, 0, &copy);
}

rp_status rp__step_run_take(void *run, rp__partial *partial)
{
    rp__step_run *r = run;
    rp_status status = go_on(r, "take", r->row->take, 0, 0, partial);
    partial->postings = r->postings;
    partial->gpu = r->spent;
    return status;
}

bool rp__step_run_has_scores(const rp__partial *partial)
{
    for (uint32_t i = 0; i < partial->n; i++)
        if (partial->scores[i])
            return true;
    return false;
}

rp_status rp__step_run_alloc(const rp__step_run *run, uint32_t n, rp__partial *out)
{
    out->docids = rp__arena_array(run->arena, n + (size_t)1, sizeof *out->docids);
    out->scores = rp__arena_zero(run->arena, n + (size_t)1, sizeof *out->scores);
    out->n = n;
    return out->docids && out->scores ? RP_OK : RP_NO_MEMORY;
}

void rp__step_run_close(void *run)
{
    rp__step_run *r = run;
    r->row->close(r);
}
