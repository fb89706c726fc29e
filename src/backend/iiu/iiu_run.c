/* iiu_run.c: the processor iiu: queries answered by the simulated machine (Heo et al. 2020).
 *
 * A query alone has all cores of the machine; queries of a batch have one core each and are in flight
 * together. The k best are chosen here, on the host, as in the paper. Under a ranking that is not iiu
 * the hits are the CPU's, and the machine must have found the same documents. */
#include "backend/iiu/iiu_round.h"
#include "backend/rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { IN_FLIGHT = 64 }; /* queries of a batch that the machine has at a time */

static const char *no_algorithm(size_t i)
{
    (void)i;
    return NULL;
}

/* ---- State ----------------------------------------------------------------------------------- */

static void close_round(void *state)
{
    rp__iiu_round *round = state;
    rp__iiu_memory_close(&round->memory);
    rp__free(round->results);
    rp__free(round);
}

static rp_status open_round(const rp__segment *segment, uint32_t mode, void **out, rp_error *err)
{
    rp__iiu_round *round = rp__alloc_zero(1, sizeof *round);
    if (!round)
        return rp__error_no_memory(err);
    *out = round;
    rp__sim_config_init(&round->config);
    round->config.mode = mode;
    return rp__iiu_memory_open(&round->memory, segment, err);
}

static rp_status attach(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err)
{
    (void)place;
    return open_round(segment, RP_SIM_MODE_INTRA, state, err);
}

static rp_status batch_new(void *state, void **batch, rp_error *err)
{
    const rp__iiu_round *of = state;
    rp_status status = open_round(of->memory.segment, RP_SIM_MODE_INTER, batch, err);
    if (status == RP_OK)
        return RP_OK;
    if (*batch)
        close_round(*batch);
    *batch = NULL;
    return status;
}

/* ---- The k best ------------------------------------------------------------------------------ */

static rp_status select_best(const rp__query *query, const rp__iiu_operand *found, rp__arena *arena,
                             rp__answer *answer)
{
    const size_t k = query->k < found->n ? query->k : found->n;
    rp__scored *scratch = rp__arena_array(arena, rp__topk_room(k) + 1, sizeof *scratch);
    rp__topk topk;
    if (!scratch)
        return RP_NO_MEMORY;
    rp__topk_init(&topk, scratch, k);
    for (uint32_t i = 0; i < found->n; i++) {
        const rp__result_slot *at = &found->at[i];
        if (at->doc < query->begin || at->doc >= query->end)
            continue;
        answer->total++;
        if (k > 0)
            rp__topk_push(&topk, at->score, at->doc);
    }
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return RP_OK;
}

/* ---- Other rankings -------------------------------------------------------------------------- */

/* Whether both have found the same documents, each of them once. */
static rp_status compare_sets(const rp__query *query, const rp__iiu_operand *found,
                              const rp__answer *cpu, rp__arena *arena, rp_error *err)
{
    uint8_t *seen = rp__arena_zero(arena, query->lengths.n_docs / 8 + 1, 1);
    uint64_t same = 0;
    if (!seen)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < found->n; i++)
        seen[found->at[i].doc / 8] |= (uint8_t)(1U << found->at[i].doc % 8);
    for (size_t i = 0; i < cpu->n; i++)
        same += seen[cpu->at[i].docid / 8] >> cpu->at[i].docid % 8 & 1;
    if (same == found->n && cpu->total == found->n)
        return RP_OK;
    return rp__error_set(err, RP_DAMAGED,
                         "the iiu found %u documents, the cpu %llu, and %llu of them are the same; "
                         "run 'riposte check', and if it finds nothing, report this",
                         found->n, (unsigned long long)cpu->total, (unsigned long long)same);
}

static rp_status answer_by_cpu(const rp__query *query, const rp__iiu_operand *found,
                               rp__arena *arena, rp__answer *answer, rp_error *err)
{
    rp__query all = *query;
    all.k = found->n > 0 ? found->n : 1;
    all.exact_total = true;
    all.algorithm = NULL;
    all.floor = NULL;
    all.trace = NULL;
    *answer = (rp__answer){0};
    rp_status status = rp__backend_find("cpu")->run(NULL, &all, arena, answer, err);
    if (status == RP_OK)
        status = compare_sets(query, found, answer, arena, err);
    if (answer->n > query->k)
        answer->n = query->k;
    return status;
}

static rp_status finish(const rp__iiu_eval *eval, rp__answer *answer, rp_error *err)
{
    const rp__iiu_operand *found = rp__iiu_eval_result(eval);
    rp_status status = eval->has_own_scores
                           ? select_best(eval->query, found, eval->arena, answer)
                           : answer_by_cpu(eval->query, found, eval->arena, answer, err);
    answer->total_is_exact = true;
    answer->postings = eval->postings;
    answer->iiu.hits_are_cpus = !eval->has_own_scores;
    return status;
}

/* ---- One query ------------------------------------------------------------------------------- */

static rp_status answer_query(rp__iiu_round *round, const rp__query *query, rp__arena *arena,
                              rp__answer *answer, rp_error *err)
{
    rp__iiu_eval eval;
    bool is_done = false;
    rp_status status = rp__iiu_eval_begin(&eval, query, arena, err);
    if (status == RP_OK)
        status = rp__iiu_memory_set_dl(&round->memory, &eval.rank);
    while (status == RP_OK) {
        rp__iiu_turn turn = {.eval = &eval};
        status = rp__stop_check(query, err);
        if (status == RP_OK)
            status = rp__iiu_eval_step(&eval, &is_done);
        if (status != RP_OK || is_done)
            break;
        status = rp__iiu_round_run(round, &turn, 1, err);
        if (status == RP_OK && turn.status != RP_OK)
            status = rp__error_set(err, turn.status, "%s", turn.err.text);
    }
    return status == RP_OK ? finish(&eval, answer, err) : status;
}

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    rp__iiu_round *round = state;
    round->counters = (rp_iiu_counters){0};
    *answer = (rp__answer){0};
    rp_status status = answer_query(round, query, arena, answer, err);
    round->counters.hits_are_cpus = answer->iiu.hits_are_cpus;
    answer->iiu = round->counters;
    if (status == RP_NO_MEMORY)
        answer->fallback = RP_FALLBACK_HOST_MEMORY;
    return status;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void batch_start(void *batch, rp__batch_item *items, size_t n, rp__arena *arena)
{
    (void)batch, (void)items, (void)n, (void)arena;
}

/* Another processor may answer where memory was short, and the caller may stop a query. All else is a
 * failure of the query. */
static void fail(rp__batch_item *item, rp_status status, const rp_error *err, rp__arena *arena)
{
    item->status = status;
    if (status == RP_OK || status == RP_NO_MEMORY || status == RP_INTERRUPTED)
        return;
    const char *why = err->code == status ? err->text : rp_status_text(status);
    const size_t bytes = strlen(why) + 1;
    char *text = rp__arena_array(arena, bytes, 1);
    if (text)
        memcpy(text, why, bytes);
    item->answer.failure = text ? text : "the iiu failed";
}

static void begin_item(rp__iiu_round *round, rp__batch_item *item, rp__iiu_turn *turn,
                       rp__arena *arena)
{
    rp_status status = rp__iiu_eval_begin(turn->eval, &item->query, arena, &turn->err);
    if (status == RP_OK)
        status = rp__iiu_memory_set_dl(&round->memory, &turn->eval->rank);
    fail(item, status, &turn->err, arena);
}

/* Brings a query to its next operation. What is over has a turn that does not run. */
static void advance(rp__batch_item *item, rp__iiu_turn *turn, bool *is_done, rp__arena *arena)
{
    rp_status status = item->status;
    if (status == RP_OK && turn->status == RP_OK)
        turn->status = rp__stop_check(&item->query, &turn->err);
    if (status == RP_OK && turn->status == RP_OK && !*is_done)
        turn->status = rp__iiu_eval_step(turn->eval, is_done);
    if (status == RP_OK)
        fail(item, turn->status, &turn->err, arena);
    turn->status = item->status != RP_OK ? item->status : *is_done ? RP_NOT_FOUND : RP_OK;
}

/* All turns that wait, until none is left. */
static void run_turns(rp__iiu_round *round, rp__batch_item *items, rp__iiu_turn *turns, size_t n,
                      rp__arena *arena)
{
    bool is_done[IN_FLIGHT] = {false}, goes_on = true;
    rp_error err;
    while (goes_on) {
        goes_on = false;
        for (size_t i = 0; i < n; i++) {
            if (is_done[i])
                turns[i].status = RP_OK;
            advance(&items[i], &turns[i], &is_done[i], arena);
            goes_on = goes_on || turns[i].status == RP_OK;
        }
        rp_status status = goes_on ? rp__iiu_round_run(round, turns, n, &err) : RP_OK;
        for (size_t i = 0; i < n && status != RP_OK; i++) {
            turns[i].status = status;
            turns[i].err = err;
        }
    }
}

static void run_group(rp__iiu_round *round, rp__batch_item *items, size_t n, rp__arena *arena)
{
    rp__iiu_eval evals[IN_FLIGHT];
    rp__iiu_turn turns[IN_FLIGHT];
    for (size_t i = 0; i < n; i++) {
        turns[i] = (rp__iiu_turn){.eval = &evals[i]};
        if (items[i].status == RP_OK)
            begin_item(round, &items[i], &turns[i], arena);
    }
    run_turns(round, items, turns, n, arena);
    for (size_t i = 0; i < n; i++)
        if (items[i].status == RP_OK)
            fail(&items[i], finish(&evals[i], &items[i].answer, &turns[i].err), &turns[i].err,
                 arena);
}

static void batch_finish(void *batch, rp__batch_item *items, size_t n, rp__arena *arena)
{
    rp__iiu_round *round = batch;
    round->counters = (rp_iiu_counters){0};
    for (size_t i = 0; i < n; i += IN_FLIGHT)
        run_group(round, items + i, n - i < IN_FLIGHT ? n - i : IN_FLIGHT, arena);
    for (size_t i = 0; i < n; i++)
        if (items[i].status == RP_OK) {
            const bool hits_are_cpus = items[i].answer.iiu.hits_are_cpus;
            items[i].answer.iiu = round->counters;
            items[i].answer.iiu.hits_are_cpus = hits_are_cpus;
            break; /* the work for all is counted with the first */
        }
}

const rp__backend rp__iiu_run_row = {
    .name = "iiu",
    .algorithm = no_algorithm,
    .attach = attach,
    .detach = close_round,
    .run = run,
    .batch_new = batch_new,
    .batch_free = close_round,
    .batch_start = batch_start,
    .batch_finish = batch_finish,
};
