/* operators.c: the row `operators` of the launch table: a query's lists, its operators one after the other, its answer.
 *
 * Chained, all operators are put on the stream at once, and the host waits once. Stepped, it waits after each: then the
 * next one is cut for the candidates that are left, the query may stop, and a trace has each operator's time. */
#include "backend/gpu/operators/operators.h"

#include <string.h>

#include "backend/gpu/operators/pipeline_lists.h"
#include "backend/gpu/operators/pipeline_space.h"

/* Candidates up to which `auto` lets the host select (bench/results/papers-h200.md). An OR has one for each document
 * that it scored; an AND has far fewer than its shortest list. */
enum { HOST_SELECTS_OR = 512, HOST_SELECTS_AND = 128 << 10 };

typedef rp__flight flight;

static rp__pipeline *pipe_of(const flight *f)
{
    return f->own;
}

static rp__operators *own_of(const flight *f)
{
    return &f->exec->operators;
}

static rp_status refuse(flight *f, rp_fallback why)
{
    f->why = why;
    return RP_UNAVAILABLE;
}

/* ---- Memory of the host ------------------------------------------------------------------------ */

void rp__operators_close(rp__operators *o, rp__residency *residency, rp__device *device)
{
    if (o->host)
        device->driver->host_free(o->host);
    rp__scratch_free(&o->scratch, residency, device);
    *o = (rp__operators){0};
}

/* At least so many bytes; what was there is lost. */
static rp_status grow(rp__operators *o, rp__device *device, size_t bytes)
{
    void *host = NULL;
    if (bytes <= o->host_bytes)
        return RP_OK;
    if (o->host)
        device->driver->host_free(o->host);
    o->host = NULL;
    o->host_bytes = 0;
    rp_status status = rp__device_pin(device, bytes, 0, &host);
    if (status != RP_OK)
        return status;
    o->host = host;
    o->host_bytes = bytes;
    return RP_OK;
}

rp_status rp__operators_settle(flight *f)
{
    rp__operators *o = own_of(f);
    if (o->is_busy)
        rp__device_settle(f->exec->device, f->exec->device->stream);
    o->is_busy = false;
    return RP_OK;
}

/* ---- The query --------------------------------------------------------------------------------- */

rp_status rp__operators_check(const char *spec, const rp__algorithm_use *use, rp_error *err)
{
    return rp__operator_table_check(spec, use, err);
}

static rp_status open_terms(flight *f, const rp__query *query)
{
    rp_status status = rp__launch_lists_open(f, query);
    if (status == RP_DAMAGED)
        return refuse(f, RP_FALLBACK_DAMAGED);
    return status == RP_OK ? RP_OK : rp__exec_no_memory(f);
}

/* Bounds of what there will be. */
static void bound(rp__pipeline *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++)
        sum += p->lists[i].term->list.n;
    const uint32_t n = p->lists[p->first ? 0 : p->n - 1].term->list.n;
    p->capacity = !p->is_or ? n : sum < p->n_docs ? (uint32_t)sum : p->n_docs;
    p->k = (uint32_t)(p->query->k < p->capacity ? p->query->k : p->capacity);
    p->flight->items[0]->answer.postings = sum;
}

static void choose_select(rp__pipeline *p)
{
    const uint32_t id = p->how.rows[RP_PHASE_SELECT]->id;
    const bool is_auto = id == RP_OPERATOR_AUTO;
    const uint32_t max = p->is_or ? HOST_SELECTS_OR : HOST_SELECTS_AND;
    p->by_host = id == RP_OPERATOR_HOST || (is_auto && p->capacity <= max);
    p->selects = !is_auto                ? (rp__select_id)id
                 : p->k <= RP_SELECT_MAX ? RP_SELECT_SAMPLE
                                         : RP_SELECT_RADIX;
}

/* Whether the rows that were named are for ORs. An OR intersects nothing. */
static bool runs_or(const rp__pipeline *p)
{
    const bool intersects = p->how.rows[RP_PHASE_INTERSECT]->id != RP_OPERATOR_AUTO;
    return p->how.rows[RP_PHASE_SCORE]->id != RP_OPERATOR_LOOKUP &&
           (!intersects || p->query->is_or_fallback);
}

static rp_status plan(flight *f, rp__pipeline *p)
{
    if (p->is_or && !runs_or(p))
        return refuse(f, RP_FALLBACK_ALGORITHM);
    p->n = (uint32_t)f->lists.n;
    p->lists = rp__arena_zero(f->exec->arena, p->n, sizeof *p->lists);
    if (!p->lists)
        return rp__exec_no_memory(f);
    for (uint32_t i = 0; i < p->n; i++) {
        p->lists[i].term = &f->lists.terms[i];
        p->lists[i].is_tiny = !f->lists.terms[i].list.codec;
    }
    p->accumulates = p->is_or || p->how.rows[RP_PHASE_SCORE]->id == RP_OPERATOR_ACCUMULATE;
    bound(p);
    choose_select(p);
    rp_status status = p->is_or ? RP_OK : rp__intersect_ops_plan(p);
    if (status == RP_OK)
        status = rp__pipeline_lists_plan(p);
    return status == RP_OK ? rp__pipeline_space_plan(p) : status;
}

rp_status rp__operators_begin(flight *f)
{
    return rp__operators_begin_at(f, 1);
}

rp_status rp__operators_begin_at(flight *f, uint32_t first)
{
    const rp__query *query = &f->items[0]->query;
    rp__operators *o = own_of(f);
    rp_error err;
    rp__pipeline *p = rp__arena_zero(f->exec->arena, 1, sizeof *p);
    f->own = p;
    if (!p)
        return rp__exec_no_memory(f);
    *p = (rp__pipeline){.flight = f,
                        .device = f->exec->device,
                        .query = query,
                        .begun = rp__trace_begin(query->trace),
                        .first = first,
                        .is_or = query->n_ops > 3 && query->ops[1].role == RP_SHOULD,
                        .begin = query->begin,
                        .n_docs = query->lengths.n_docs};
    p->end = query->end < p->n_docs ? query->end : p->n_docs;
    if (rp__operator_table_parse(query->algorithm, &p->how, &err) != RP_OK)
        return refuse(f, RP_FALLBACK_ALGORITHM);
    rp_status status = rp__operators_settle(f);
    if (status == RP_OK)
        status = open_terms(f, query);
    if (status == RP_OK)
        status = plan(f, p);
    if (status == RP_OK)
        status = grow(o, p->device, p->there.bytes);
    p->host = o->host;
    if (status == RP_OK)
        status = rp__pipeline_space_stage(p);
    return status == RP_DAMAGED ? refuse(f, RP_FALLBACK_DAMAGED) : status;
}

rp_status rp__operators_scratch(flight *f)
{
    return rp__scratch_hold(&own_of(f)->scratch, &f->lease, f->exec->device, pipe_of(f)->at.bytes);
}

rp_status rp__operators_find(flight *f)
{
    return rp__pipeline_lists_find(f);
}

/* ---- Operators one after the other ------------------------------------------------------------- */

static const uint32_t *report_of(const rp__pipeline *p)
{
    return (const uint32_t *)(const void *)rp__pipe_there(p, p->at.report);
}

/* How many candidates there are, by the report. */
static uint32_t count_of(const rp__pipeline *p)
{
    return p->n_counts ? report_of(p)[RP_REPORT_COUNTS + p->n_counts - 1] : p->max;
}

static bool is_damaged(const rp__pipeline *p)
{
    const uint32_t *report = report_of(p);
    karg_found found;
    uint32_t damaged = 0;
    memcpy(&found, report + RP_REPORT_FOUND, sizeof found);
    for (uint32_t i = 0; i < p->n; i++)
        damaged |= report[RP_REPORT_DAMAGED + i];
    return found.damaged || damaged || !rp__intersect_ops_is_aux_sound(p, report);
}

static rp_status fetch_report(const rp__pipeline *p)
{
    return rp__device_copy_out(p->device, rp__pipe_there(p, p->at.report), rp__pipe_report(p, 0),
                               RP_REPORT_WORDS * sizeof(uint32_t));
}

/* The report, the state of compactions and selections; and buffers of a chain, which nobody sees in between. */
static rp_status clear(rp__pipeline *p)
{
    const uint32_t n = p->n + 1 < p->n_buffers ? p->n + 1 : p->n_buffers;
    rp_status status = rp__device_fill(p->device, rp__pipe_report(p, 0), 0,
                                       (p->at.cleared - p->at.report) / sizeof(uint32_t));
    p->clean = 0;
    if (status != RP_OK || p->how.is_stepped || p->first == 0)
        return status;
    p->clean = (1U << n) - 1;
    return rp__device_fill(p->device, rp__pipe(p, p->at.docids[0]), KARG_NO_CANDIDATE,
                           (p->at.docids[n - 1] - p->at.docids[0]) / sizeof(uint32_t) +
                               p->capacity);
}

rp_status rp__operators_prepare(flight *f)
{
    rp__pipeline *p = pipe_of(f);
    p->scratch = own_of(f)->scratch.at;
    p->max = p->capacity;
    own_of(f)->is_busy = true;
    rp_status status = clear(p);
    if (status == RP_OK)
        status = rp__pipeline_lists_open(p);
    if (status == RP_OK)
        status = rp__decode_ops_run(p);
    return status == RP_OK ? rp__intersect_ops_check_aux(p) : status;
}

rp_status rp__operators_see(flight *f)
{
    rp__pipeline *p = pipe_of(f);
    rp_status status = fetch_report(p);
    if (status == RP_OK)
        status = rp__device_wait(p->device);
    if (status != RP_OK)
        return status;
    if (is_damaged(p))
        return refuse(f, RP_FALLBACK_DAMAGED);
    if (p->n_counts && !p->marks)
        p->max = count_of(p);
    return RP_OK;
}

/* Step i of a query: decode, intersections, score, select; of an OR decode, clear, score, select. */
static rp_status enqueue(flight *f, uint32_t i, uint32_t n_steps)
{
    rp__pipeline *p = pipe_of(f);
    if (i + 1 == n_steps)
        return rp__select_ops_run(p);
    if (i > 0 && i + 2 == n_steps)
        return rp__score_ops_run(p);
    if (i > 0)
        return p->is_or ? rp__score_ops_clear(p) : rp__intersect_ops_meet(p, i);
    rp_status status = rp__operators_prepare(f);
    return status == RP_OK && !p->is_or ? rp__intersect_ops_start(p, 0) : status;
}

static const char *stage_of(const rp__pipeline *p, uint32_t i, uint32_t n_steps)
{
    return i == 0             ? "decode"
           : i + 1 == n_steps ? "select"
           : i + 2 == n_steps ? "score"
           : p->is_or         ? "clear"
                              : "intersect";
}

/* What a step has left, and whether the query is to stop. */
static rp_status see_step(flight *f)
{
    rp_error err;
    rp_status status = rp__operators_see(f);
    if (status != RP_OK)
        return status;
    return f->items[0]->status = rp__stop_check(&f->items[0]->query, &err);
}

/* Elements: postings that were decoded, documents whose accumulators were cleared; else candidates that are left, documents
 * that are selected. */
static uint64_t elements_of(const rp__pipeline *p, const char *stage, const rp_gpu_counters *spent)
{
    const uint32_t n = count_of(p);
    if (strcmp(stage, "decode") == 0)
        return spent->transcoded_postings;
    if (strcmp(stage, "clear") == 0)
        return p->n_docs;
    return strcmp(stage, "select") == 0 && p->k < n ? p->k : n;
}

static void trace(rp__pipeline *p, const char *stage, uint64_t begin, const rp_gpu_counters *before)
{
    const rp_gpu_counters spent = rp__device_count_since(p->device, before);
    rp__trace_end(p->query->trace, &(rp__trace_event){.stage = stage,
                                                      .processor = "gpu",
                                                      .begin = begin,
                                                      .elements = elements_of(p, stage, &spent),
                                                      .bytes = spent.uploaded_bytes});
}

static rp_status run_steps(flight *f, rp__pipeline *p)
{
    const uint32_t n_steps = p->is_or ? 4 : p->n + 2;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n_steps && status == RP_OK; i++) {
        /* lists may have been decoded while they were leased */
        const rp_gpu_counters before = i == 0 ? f->exec->before : p->device->counters;
        const uint64_t begin = i == 0 ? p->begun : rp__trace_begin(p->query->trace);
        status = enqueue(f, i, n_steps);
        if (!p->how.is_stepped)
            continue;
        if (status == RP_OK)
            status = see_step(f);
        if (status == RP_OK)
            trace(p, stage_of(p, i, n_steps), begin, &before);
        if (p->max == 0)
            break;
    }
    return status;
}

rp_status rp__operators_launch(flight *f)
{
    rp__pipeline *p = pipe_of(f);
    rp__persistent_kernel_dismiss(&f->exec->single.stage.kernel);
    uint32_t *report = (uint32_t *)(void *)rp__pipe_there(p, p->at.report);
    report[RP_REPORT_THERE] = UINT32_MAX; /* until it is copied */
    rp_status status = run_steps(f, p);
    return status == RP_OK && !p->has_report ? fetch_report(p) : status;
}

/* ---- The answer -------------------------------------------------------------------------------- */

bool rp__operators_is_done(const flight *f)
{
    const uint32_t *there = report_of(pipe_of(f)) + RP_REPORT_THERE;
    return __atomic_load_n(there, __ATOMIC_ACQUIRE) == 0;
}

rp_status rp__operators_wait(flight *f)
{
    rp_status status = rp__device_wait(f->exec->device);
    own_of(f)->is_busy = status != RP_OK;
    return status;
}

rp_status rp__operators_take(flight *f)
{
    const rp__pipeline *p = pipe_of(f);
    rp__answer *answer = &f->items[0]->answer;
    if (is_damaged(p) || f->lists.is_damaged)
        return refuse(f, RP_FALLBACK_DAMAGED);
    answer->total = count_of(p);
    return rp__select_ops_take(p, count_of(p), answer);
}
