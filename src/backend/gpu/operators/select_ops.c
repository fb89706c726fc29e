/* select_ops.c: the phase select: the k best candidates, on the device or by the host, and how they come back. */
#include "backend/gpu/operators/pipeline.h"

#include <string.h>

static rp_status copy_out(const rp__pipeline *p, size_t to, rp__cu_ptr from, size_t bytes)
{
    return rp__device_copy_out(p->device, p->host + to, from, bytes);
}

/* All candidates, and more. */
static rp_status select_by_host(const rp__pipeline *p)
{
    const size_t bytes = p->max * sizeof(uint32_t);
    rp_status status = copy_out(p, p->there.docids, p->candidates, bytes);
    return status == RP_OK
               ? copy_out(p, p->there.scores, rp__pipe(p, p->at.scores[1 - p->half]), bytes)
               : status;
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

static rp_status select_there(const rp__pipeline *p, uint32_t k)
{
    const karg_select args = {.scores = rp__pipe(p, p->at.scores[1 - p->half]),
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
        status = rp__device_fill(p->device, args.scratch, 0, KARG_SELECT_ZEROS);
    if (status == RP_OK)
        status = rp__select_table_run(p->selects, p->device, args);
    return status == RP_OK ? copy_out(p, p->there.pairs, args.out, k * sizeof(karg_pair)) : status;
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
    const uint32_t *docids = (const uint32_t *)(const void *)(p->host + p->there.docids);
    const uint32_t *scores = (const uint32_t *)(const void *)(p->host + p->there.scores);
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
    memcpy(answer->at, p->host + p->there.pairs, k * sizeof *answer->at);
    return RP_OK;
}
