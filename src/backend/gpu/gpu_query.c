/* gpu_query.c: flat ANDs and ORs on a device, one at a time, from the words of a query to its answer.
 *
 * The host opens the lists and tells the kernel where they lie, in the launch's own record; the device finds the
 * documents, scores them, and writes the best of them into memory of the host, where a number says that they are
 * there. So a query is one launch, and one look at a word; in a burst of ANDs, a kernel is there already. Lists in codecs
 * that the kernel does not read are transcoded first, if they are not there yet; tiny ones, which lie in the dictionary,
 * are decoded here.
 * The guard of mapped memory may leave this wherever it reads a list: until then nothing is asked of the device, and its
 * memory is the state's. */
#include "backend/gpu/gpu_query.h"

#include "backend/gpu/gpu_asked.h"
#include "base/error.h"

typedef rp__gpu_asked run;

void rp__gpu_query_open(rp__gpu_query *q, rp__device *device, const rp__gpu_index *index)
{
    *q = (rp__gpu_query){.device = device, .index = index};
    rp__exec_stage_open(&q->room, device, index->residency);
    rp__lease_open(&q->lease, index->residency, device, device->stream, false);
    rp__fused_or_open(&q->or, device);
    q->or.lease = &q->lease;
}

void rp__gpu_query_close(rp__gpu_query *q)
{
    if (!q->device)
        return;
    rp__residency *residency = q->index->residency;
    rp__device_settle(q->device, q->device->stream);
    rp__lease_close(&q->lease);
    rp__fused_or_close(&q->or, residency);
    rp__exec_stage_close(&q->room);
    *q = (rp__gpu_query){0};
}

/* ORs whose documents are not all counted are asked by tiles. */
static bool is_for_tiles(const run *r)
{
    enum { K_MOST = 1000 };
    const rp__query *query = r->query;
    return r->is_or && !query->exact_total && query->k > 0 && query->k <= K_MOST &&
           r->n <= KARG_OR_TERMS && query->begin == 0 && r->end == query->lengths.n_docs;
}

static bool has_transcoded(const run *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->words[i].is_transcoded)
            return true;
    return false;
}

/* An AND whose record is all that the device has to be told, over lists that stay where they are. Others may be evicted,
 * and a kernel that stays may keep what it has read there. */
static bool is_for_resident(const run *r)
{
    return r->q->index->residency->is_whole && !r->is_or && r->n <= KARG_WORDS_NEAR &&
           !r->is_copied && !has_transcoded(r) && r->query->k <= KARG_ANSWER_MOST &&
           rp__persistent_kernel_takes(&r->q->room.resident, r->words[0].list.n);
}

/* The stage, then the device's memory, then what it is to read; lists that are there by tiles are not read. */
static rp_status ask_in_form(run *r)
{
    rp__gpu_staged_lay_out(r);
    r->is_resident = is_for_resident(r);
    rp__gpu_staged_place(r);
    r->args = (karg_flat){0};
    rp_status status = rp__exec_stage_grow_stage(&r->q->room, rp__gpu_staged_end(r));
    if (status == RP_OK)
        status = rp__gpu_asked_lease(r);
    if (status == RP_OK)
        status = rp__stop_check(r->query, &r->own);
    if (status == RP_OK && !r->has_tiles)
        status = rp__gpu_staged_fill(r);
    return status == RP_OK ? rp__gpu_launched_start(r) : status;
}

/* Nothing of a query that failed is left on the device, nor is its lease. */
static rp_status give_up(rp__gpu_query *q, rp_status status)
{
    rp_status cleaned = q->room.is_busy ? rp__exec_stage_clean_up(&q->room) : RP_OK;
    if (cleaned == RP_OK)
        rp__lease_end(&q->lease);
    return status;
}

/* What is not told by tiles, because it does not fit, or takes too long, is by scores of all documents. */
static rp_status ask_again(run *r, rp_status status)
{
    if (!r->is_tiled || (status != RP_UNAVAILABLE && status != RP_NO_MEMORY) || r->own.text[0])
        return status;
    status = r->q->room.is_busy ? rp__exec_stage_clean_up(&r->q->room) : RP_OK;
    r->is_tiled = r->has_tiles = false;
    return status == RP_OK ? ask_in_form(r) : status;
}

static rp_status ask(run *r)
{
    rp_status status = rp__stop_check(r->query, &r->own);
    if (status == RP_OK)
        status = rp__gpu_asked_open(r);
    if (status != RP_OK || r->most == 0)
        return status;
    r->is_tiled = is_for_tiles(r);
    return ask_again(r, ask_in_form(r));
}

static rp_fallback find_reason(const run *r, rp_status status)
{
    if (r->fallback || status == RP_INTERRUPTED)
        return r->fallback;
    return r->own.text[0] ? RP_FALLBACK_HOST_MEMORY : rp__device_fallback(r->q->device, status);
}

/* Why not, if nobody said so yet. */
static rp_status explain(const run *r, rp_status status, rp_error *err)
{
    if (status == RP_OK)
        return RP_OK;
    r->q->fallback = find_reason(r, status);
    if (r->own.text[0])
        return rp__error_set(err, status, "%s", r->own.text);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "%s", r->q->device->fault.text);
}

rp_status rp__gpu_query_start(rp__gpu_query *q, const rp__query *query, rp__arena *arena,
                              rp_error *err)
{
    run *r = rp__arena_zero(arena, 1, sizeof *r);
    q->asked = NULL;
    q->before = q->device->counters;
    q->fallback = r ? RP_FALLBACK_NONE : RP_FALLBACK_HOST_MEMORY;
    if (!r)
        return rp__error_no_memory(err);
    r->q = q;
    r->query = query;
    r->arena = arena;
    bool is_empty = query->n_ops == 0 || query->begin >= query->end;
    rp_status status = is_empty ? RP_OK : rp__device_enter(q->device);
    if (status == RP_OK && q->room.is_busy)
        status = rp__exec_stage_clean_up(&q->room);
    if (status == RP_OK) /* of a query that the guard left, or that nobody finished */
        rp__lease_end(&q->lease);
    if (status == RP_OK && !is_empty)
        status = ask(r);
    if (status == RP_OK)
        q->asked = r;
    return explain(r, status == RP_OK ? RP_OK : give_up(q, status), err);
}

rp_status rp__gpu_query_finish(rp__gpu_query *q, rp__answer *answer, rp_error *err)
{
    run *r = q->asked;
    *answer = (rp__answer){.total_is_exact = true};
    q->asked = NULL;
    rp__gpu_query_tell(q, answer);
    if (!r || r->most == 0)
        return RP_OK;
    rp_status status = rp__device_enter(q->device);
    if (status == RP_OK && r->is_tiled)
        status = ask_again(r, rp__gpu_answered_take_tiles(r, answer));
    if (status == RP_OK && !r->is_tiled)
        status = rp__gpu_answered_take(r, answer);
    if (status == RP_OK) {
        rp__gpu_asked_publish(r);
        status = rp__stop_check(r->query, &r->own);
    }
    status = explain(r, give_up(q, status), err);
    rp__gpu_query_tell(q, answer);
    return status;
}

void rp__gpu_query_tell(const rp__gpu_query *q, rp__answer *answer)
{
    answer->gpu = rp__device_count_since(q->device, &q->before);
    answer->fallback = q->fallback;
}

rp_status rp__gpu_query_run(rp__gpu_query *q, const rp__query *query, rp__arena *arena,
                            rp__answer *answer, rp_error *err)
{
    rp_status status = rp__gpu_query_start(q, query, arena, err);
    if (status == RP_OK)
        return rp__gpu_query_finish(q, answer, err);
    rp__gpu_query_tell(q, answer);
    return status;
}
