/* gpu_ranges.c: a query cut by docids, and the answers put together. A document is in one range, so totals add up and
 * the best of all are among the best of each. */
#include "backend/gpu/gpu_ranges.h"

#include "base/error.h"

/* A card's range, equal but for one document. */
static rp__query range_of(const rp__query *query, size_t i, size_t n)
{
    rp__query part = *query;
    uint64_t end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    uint64_t docs = end > query->begin ? end - query->begin : 0;
    part.begin = (uint32_t)(query->begin + docs * i / n);
    part.end = (uint32_t)(query->begin + docs * (i + 1) / n);
    return part;
}

static rp_status merge(const rp__answer *parts, size_t n, size_t k, rp__arena *arena,
                       rp__answer *answer, rp_error *err)
{
    rp__topk topk;
    size_t all = 0;
    *answer = (rp__answer){.total_is_exact = true};
    for (size_t i = 0; i < n; i++) {
        all += parts[i].n;
        answer->total += parts[i].total;
        answer->total_is_exact = answer->total_is_exact && parts[i].total_is_exact;
        answer->postings += parts[i].postings;
    }
    k = k < all ? k : all;
    if (k == 0)
        return RP_OK;
    rp__scored *buffer = rp__arena_array(arena, rp__topk_room(k), sizeof *buffer);
    if (!buffer)
        return rp__error_no_memory(err);
    rp__topk_init(&topk, buffer, k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < parts[i].n; j++)
            if (parts[i].at[j].fixed >= topk.least)
                rp__topk_push(&topk, parts[i].at[j].fixed, parts[i].at[j].docid);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return RP_OK;
}

/* What the first n cards did, those too that nobody waits for, and why one of them did not answer. */
static void tell_all(rp__gpu_card *const *cards, size_t n, rp__answer *answer)
{
    rp__answer part;
    answer->gpu = (rp_gpu_counters){0};
    answer->fallback = RP_FALLBACK_NONE;
    for (size_t i = 0; i < n; i++) {
        rp__exec_tell(&cards[i]->exec, &part);
        rp__answer_count(&answer->gpu, &part.gpu);
        answer->fallback = answer->fallback ? answer->fallback : part.fallback;
    }
}

rp_status rp__gpu_ranges_run(rp__gpu_card *const *cards, size_t n, const rp__query *query,
                             rp__arena *arena, rp__answer *answer, rp_error *err)
{
    if (n == 1)
        return rp__exec_run(&cards[0]->exec, query, arena, answer, err);
    rp__query *ranges = rp__arena_array(arena, n, sizeof *ranges);
    rp__answer *answers = rp__arena_array(arena, n, sizeof *answers);
    rp_status status = ranges && answers ? RP_OK : rp__error_no_memory(err);
    size_t n_started = 0;
    for (; status == RP_OK && n_started < n; n_started++) {
        ranges[n_started] = range_of(query, n_started, n);
        status = rp__exec_start(&cards[n_started]->exec, &ranges[n_started], arena, err);
    }
    for (size_t i = 0; status == RP_OK && i < n; i++)
        status = rp__exec_finish(&cards[i]->exec, &answers[i], err);
    if (status == RP_OK)
        status = merge(answers, n, query->k, arena, answer, err);
    tell_all(cards, n_started, answer);
    if (status != RP_OK && status != RP_INTERRUPTED && !answer->fallback)
        answer->fallback = RP_FALLBACK_HOST_MEMORY;
    for (size_t i = 0; status != RP_OK && i < n_started; i++)
        rp__exec_abandon(&cards[i]->exec);
    return status;
}
