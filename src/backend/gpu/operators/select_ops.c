/* select_ops.c: the phase select: the k best candidates, on the device or by the host, and how they come back. */
#include "backend/gpu/operators/pipeline.h"

#include <string.h>

enum {
    COPIED_WHOLE = 64 << 10
}; /* bytes up to which candidates are copied with all that lies about them */

/* From an offset up to another. */
static rp_status copy_out(const rp__pipeline *p, size_t from, size_t to)
{
    return rp__device_copy_out(p->device, rp__pipe_there(p, from), rp__pipe(p, from), to - from);
}

/* What was selected lies before the report. */
static rp_status copy_with_report(rp__pipeline *p)
{
    p->has_report = true;
    return copy_out(p, p->at.out, p->at.report + RP_REPORT_WORDS * sizeof(uint32_t));
}

/* Of one list alone, or of bits, they are not in a buffer. */
static bool has_buffer(const rp__pipeline *p)
{
    return p->candidates >= rp__pipe(p, p->at.docids[0]) &&
           p->candidates < rp__pipe(p, p->at.report);
}

/* All candidates, and more. */
static rp_status select_by_host(rp__pipeline *p)
{
    const size_t bytes = p->max * sizeof(uint32_t), scores = rp__pipe_scores_at(p);
    rp_status status;
    p->there_docids = has_buffer(p) ? (size_t)(p->candidates - p->scratch) : p->at.docids[p->half];
    if (has_buffer(p) && p->at.report - p->at.out <= COPIED_WHOLE)
        return copy_with_report(p);
    status =
        rp__device_copy_out(p->device, rp__pipe_there(p, p->there_docids), p->candidates, bytes);
    return status == RP_OK ? copy_out(p, scores, scores + bytes) : status;
}

/* Behind the last candidate. */
static rp_status pad(const rp__pipeline *p, rp__cu_ptr scores)
{
    const karg_pad args = {.docids = p->candidates,
                           .scores = scores,
                           .count = rp__pipe_report(p, RP_REPORT_COUNTS + p->n_counts - 1),
                           .n = p->max};
    if (p->n_counts == 0)
        return RP_OK;
    return rp__device_launch(p->device, RP_KERNEL_select_pad_kernel, rp__pipe_grid(p, p->max),
                             &args);
}

static rp_status select_there(rp__pipeline *p, uint32_t k)
{
    const karg_select args = {.scores = rp__pipe(p, rp__pipe_scores_at(p)),
                              .docids = p->candidates,
                              .out = rp__pipe(p, p->at.pairs),
                              .counts = rp__pipe_report(p, RP_REPORT_SELECTED),
                              .scratch = rp__pipe(p, p->at.select),
                              .n = p->max,
                              .k = k,
                              .n_queries = 1,
                              .capacity = rp__select_table_capacity(p->max, k)};
    rp_status status = pad(p, args.scores);
    if (status == RP_OK)
        status = rp__select_table_run(p->selects, p->device, args);
    return status == RP_OK ? copy_with_report(p) : status;
}

rp_status rp__select_ops_run(rp__pipeline *p)
{
    const uint32_t k = p->k < p->max ? p->k : p->max;
    if (k == 0)
        return RP_OK;
    return p->by_host ? select_by_host(p) : select_there(p, k);
}

/* ---- The answer -------------------------------------------------------------------------------- */

static rp_status take_all(const rp__pipeline *p, uint32_t n, size_t k, rp__answer *answer)
{
    const uint32_t *docids = (const uint32_t *)(const void *)(rp__pipe_there(p, p->there_docids));
    const uint32_t *scores =
        (const uint32_t *)(const void *)(rp__pipe_there(p, rp__pipe_scores_at(p)));
    rp__scored *buffer = rp__arena_array(p->flight->exec->arena, rp__topk_room(k), sizeof *buffer);
    rp__topk topk;
    if (!buffer)
        return rp__exec_no_memory(p->flight);
    rp__topk_init(&topk, buffer, k);
    for (uint32_t i = 0; i < n; i++)
        if (scores[i] >= topk.least)
            rp__topk_push(&topk, scores[i], docids[i]);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    return RP_OK;
}

rp_status rp__select_ops_take(const rp__pipeline *p, uint32_t n, rp__answer *answer)
{
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    const size_t k = p->k < n ? p->k : n;
    answer->n = k;
    if (k == 0)
        return RP_OK;
    if (p->by_host)
        return take_all(p, n, k, answer);
    answer->at = rp__arena_array(p->flight->exec->arena, k, sizeof *answer->at);
    if (!answer->at)
        return rp__exec_no_memory(p->flight);
    memcpy(answer->at, rp__pipe_there(p, p->at.pairs), k * sizeof *answer->at);
    return RP_OK;
}
