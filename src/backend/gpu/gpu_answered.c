/* gpu_answered.c: the answer of a query, from what the device wrote into the host's memory. */
#include "backend/gpu/gpu_asked.h"

#include <string.h>

#include "base/error.h"

typedef rp__gpu_asked run;

/* More pairs than the answer has, to what is staged. */
static rp_status fetch_all(const run *r, size_t n)
{
    rp__exec_stage *room = &r->q->room;
    rp_status status =
        rp__exec_stage_grow_stage(room, RP_EXEC_STAGE_STAGED + n * sizeof(karg_pair));
    room->is_busy = true;
    if (status == RP_OK)
        status = rp__device_copy_out(room->device, room->stage + RP_EXEC_STAGE_STAGED,
                                     room->scratch.at + r->pairs, n * sizeof(karg_pair));
    return status == RP_OK ? rp__exec_stage_finish(room) : status;
}

static rp_status keep_best(run *r, const uint8_t *from, size_t n, rp__answer *answer)
{
    const karg_pair *pairs = (const karg_pair *)(const void *)from;
    size_t k = r->query->k < n ? r->query->k : n;
    rp__topk topk;
    rp__scored *room = rp__arena_array(r->arena, rp__topk_room(k), sizeof *room);
    if (!room)
        return rp__error_no_memory(&r->own);
    rp__topk_init(&topk, room, k);
    for (size_t i = 0; i < n; i++)
        if (pairs[i].score >= topk.least)
            rp__topk_push(&topk, pairs[i].score, pairs[i].docid);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return RP_OK;
}

/* Waits for the number that is written last. */
static rp_status wait_for_answer(const run *r, karg_answer *out)
{
    rp__exec_stage *room = &r->q->room;
    const karg_answer *there = (const karg_answer *)(const void *)room->stage;
    if (r->is_resident)
        return rp__persistent_kernel_wait(&room->resident, there, out);
    rp_status status =
        rp__device_wait_for(room->device, room->device->stream, &there->number, r->args.number);
    if (status != RP_OK)
        return status;
    memcpy(out, there, sizeof *out);
    return out->number == r->args.number ? RP_OK : RP_UNAVAILABLE;
}

/* All pairs of an answer: those of a resident kernel come by themselves. */
static rp_status take_all(run *r, uint32_t n, rp__answer *answer)
{
    const rp__exec_stage *room = &r->q->room;
    if (!r->is_resident)
        return keep_best(r, room->stage + sizeof(karg_answer), n, answer);
    karg_pair *pairs = rp__arena_array(r->arena, n, sizeof *pairs);
    if (!pairs)
        return rp__error_no_memory(&r->own);
    rp_status status = rp__persistent_kernel_pairs(&room->resident, n, pairs);
    r->q->room.is_busy = status != RP_OK;
    return status == RP_OK ? keep_best(r, (const uint8_t *)pairs, n, answer) : status;
}

rp_status rp__gpu_answered_take_tiles(run *r, rp__answer *answer)
{
    const karg_pair *pairs;
    uint32_t n;
    rp_status status = rp__fused_or_fetch_one(&r->q->or, &pairs, &n);
    if (status != RP_OK)
        return status;
    r->q->room.is_busy = false;
    *answer = (rp__answer){.total = n, .postings = r->postings};
    return keep_best(r, (const uint8_t *)pairs, n, answer);
}

rp_status rp__gpu_answered_take(run *r, rp__answer *answer)
{
    karg_answer got;
    rp_status status = wait_for_answer(r, &got);
    if (status != RP_OK)
        return status;
    r->q->room.is_busy = false;
    if (got.damaged)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_DAMAGED);
    *answer = (rp__answer){.total = got.n, .total_is_exact = true, .postings = r->postings};
    if (r->query->k == 0)
        return RP_OK;
    const rp__exec_stage *room = &r->q->room;
    if (got.n_pairs <= KARG_ANSWER_ALL)
        return take_all(r, got.n_pairs, answer);
    if (r->query->k <= KARG_ANSWER_MOST)
        return keep_best(r, room->stage + sizeof got,
                         got.n_pairs < r->query->k ? got.n_pairs : r->query->k, answer);
    status = fetch_all(r, got.n_pairs);
    return status == RP_OK ? keep_best(r, room->stage + RP_EXEC_STAGE_STAGED, got.n_pairs, answer)
                           : status;
}
