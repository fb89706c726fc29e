/* cpu_run.c: the processor cpu: opens what a query reads, picks an algorithm, hands back its answer.
 *
 * Where an algorithm prunes and the exact total is wanted, matches are counted apart: that is cheaper than
 * scoring them all. Where pruning has cost what scoring them all does, as it can if many documents
 * score alike, they are all scored: so no OR costs much more than the sum of its lists. */
#include "backend/cpu/cpu_run.h"

#include <stdatomic.h>

#include "backend/rows.h"
#include "base/cpu.h"
#include "base/error.h"

rp_status rp__cpu_run_fail(const rp__cpu_run *run, rp_status status, const rp__word *word)
{
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(run->err);
    if (status == RP_USAGE)
        return rp__error_set(run->err, status,
                             "the index has no positions, so it cannot answer phrases; build it "
                             "without --no-positions");
    return rp__error_set(run->err, status,
                         "the postings of \"%.*s\" are damaged; run 'riposte check'",
                         (int)word->text_bytes, word->text);
}

uint64_t rp__cpu_run_postings(const rp__cpu_run *run)
{
    uint64_t n = run->read;
    for (size_t i = 0; i < run->query->n_words; i++)
        n += run->readers[i].cursor.decoded;
    for (size_t i = 0; i < run->n_parts; i++)
        n += run->parts[i].probe ? run->parts[i].probe->decoded : 0;
    return n;
}

void rp__cpu_run_note_blocks(const rp__cpu_run *run)
{
    const rp__query *query = run->query;
    rp__trace *trace = query->trace;
    if (!trace || !trace->blocks || trace->words != query->words)
        return;
    trace->has_blocks = true;
    for (size_t i = 0; i < query->n_words; i++)
        trace->blocks[i] += run->readers[i].cursor.n_read;
    for (size_t i = 0; i < run->n_parts; i++)
        if (run->parts[i].probe)
            trace->blocks[run->parts[i].reader - run->readers] += run->parts[i].probe->n_read;
}

rp_status rp__cpu_run_check(const rp__cpu_run *run)
{
    const rp__query *query = run->query;
    if (query->stop && rp__stop_check(query, run->err) != RP_OK)
        return RP_INTERRUPTED;
    for (size_t i = 0; i < query->n_words; i++)
        if (run->readers[i].cursor.status != RP_OK)
            return rp__cpu_run_fail(run, run->readers[i].cursor.status, &query->words[i]);
    for (size_t i = 0; i < run->n_parts; i++) {
        const rp__part *part = &run->parts[i];
        if (part->probe && part->probe->status != RP_OK)
            return rp__cpu_run_fail(run, part->probe->status, part->reader->word);
    }
    bool is_unlimited = run->prune_budget == UINT64_MAX;
    return is_unlimited || run->searched + rp__cpu_run_postings(run) <= run->prune_budget
               ? RP_OK
               : RP_LIMIT;
}

/* Opens the lists of all words, and the scores of all leaves. */
static rp_status open_all(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    for (size_t i = 0; i < query->n_leaves; i++)
        rp__score_init(&run->scores[i], query, &query->leaves[i]);
    for (size_t i = 0; i < query->n_words; i++) {
        rp_status status = rp__reader_open(&run->readers[i], query, run->arena);
        if (status != RP_OK)
            return rp__cpu_run_fail(run, status, &query->words[i]);
    }
    return RP_OK;
}

rp_status rp__cpu_run_open(rp__cpu_run *run, bool is_lazy)
{
    const rp__query *query = run->query;
    size_t k = query->k < query->lengths.n_docs ? query->k : query->lengths.n_docs;
    run->kernel = rp__score_kernel_find(rp__cpu_features());
    run->readers = rp__arena_array(run->arena, query->n_words, sizeof *run->readers);
    run->scores = rp__arena_array(run->arena, query->n_leaves, sizeof *run->scores);
    rp__scored *room = rp__arena_array(run->arena, rp__topk_room(k), sizeof *room);
    if (!run->readers || !run->scores || !room)
        return rp__error_no_memory(run->err);
    rp__topk_init(&run->topk, room, k);
    for (size_t i = 0; i < query->n_words; i++)
        rp__reader_init(&run->readers[i], &query->words[i]);
    return is_lazy ? RP_OK : open_all(run);
}

void rp__cpu_run_start(rp__cpu_run *run)
{
    for (size_t i = 0; i < run->query->n_words; i++)
        rp__reader_start(&run->readers[i], run->query->begin);
}

void rp__cpu_run_share(rp__cpu_run *run)
{
    _Atomic uint32_t *floor = run->query->floor;
    if (!floor)
        return;
    uint32_t known = atomic_load_explicit(floor, memory_order_relaxed);
    uint32_t own = run->topk.least;
    while (own > known && !atomic_compare_exchange_weak_explicit(
                              floor, &known, own, memory_order_relaxed, memory_order_relaxed))
        ;
    rp__topk_raise(&run->topk, known);
}

/* The number of documents that match, and nothing else. */
static rp_status count_matches(const rp__query *query, rp__arena *arena, rp__answer *answer,
                               rp_error *err)
{
    rp__query count = *query;
    rp__answer counted;
    count.k = 0;
    rp_status status = rp__cpu_run_by(rp__algorithm_choose(&count), &count, arena, &counted, err);
    if (status == RP_OK) {
        answer->total = counted.total;
        answer->total_is_exact = true;
        answer->postings += counted.postings;
    }
    return status;
}

enum { MIN_PRUNE_BUDGET = 1 << 16 };

/* An algorithm that prunes may decode and search twice as many postings as the lists have; past that,
 * run_query scores all of them instead. One log query in 200 gets there (wikipassages-400k, nq-dev,
 * k = 10). An algorithm that the user chose by name has no budget. */
static uint64_t prune_budget(const rp__algorithm *algorithm, const rp__query *query)
{
    uint64_t postings = 0;
    for (size_t i = 0; i < query->n_words; i++)
        postings += query->words[i].term.df;
    return algorithm->prunes && !query->algorithm ? 2 * postings + MIN_PRUNE_BUDGET : UINT64_MAX;
}

static rp_status answer_by(const rp__algorithm *algorithm, rp__cpu_run *run, rp__answer *answer)
{
    rp_status status = rp__cpu_run_open(run, algorithm->is_lazy);
    if (status == RP_OK)
        status = algorithm->run(run);
    if (status == RP_OK)
        status = rp__cpu_run_check(run);
    if (status == RP_OK || status == RP_LIMIT || status == RP_INTERRUPTED)
        rp__cpu_run_note_blocks(run);
    if (status == RP_LIMIT)
        answer->postings = rp__cpu_run_postings(run);
    if (status != RP_OK && status != RP_INTERRUPTED)
        return status;
    rp__topk_finish(&run->topk);
    *answer =
        (rp__answer){.at = run->topk.at,
                     .n = run->topk.n,
                     .total = run->total,
                     .total_is_exact = !algorithm->prunes && !run->is_pruned && status == RP_OK,
                     .postings = rp__cpu_run_postings(run)};
    return status;
}

rp_status rp__cpu_run_by(const rp__algorithm *algorithm, const rp__query *query, rp__arena *arena,
                         rp__answer *answer, rp_error *err)
{
    rp__cpu_run run = {
        .query = query, .arena = arena, .err = err, .prune_budget = prune_budget(algorithm, query)};
    return answer_by(algorithm, &run, answer);
}

static rp_status finish(const rp__query *query, const rp__given *given, rp__arena *arena,
                        rp__answer *answer, rp_error *err)
{
    rp__cpu_run run = {
        .query = query, .arena = arena, .err = err, .given = given, .prune_budget = UINT64_MAX};
    const rp__algorithm *algorithm = rp__algorithm_is_flat(query) ? &rp__flat_row : &rp__tree_row;
    rp_status status = answer_by(algorithm, &run, answer);
    answer->postings += given->partial.postings;
    answer->gpu = given->partial.gpu;
    return status;
}

static const char *algorithm_name(size_t i)
{
    const rp__algorithm *row = rp__algorithm_at(i);
    return row ? row->name : NULL;
}

/* The row asked for, or the best. */
static rp_status choose(const rp__query *query, const rp__algorithm **out, rp_error *err)
{
    *out = query->algorithm ? rp__algorithm_find(query->algorithm) : rp__algorithm_choose(query);
    if (*out && (*out)->applies(query))
        return RP_OK;
    return rp__error_set(err, RP_USAGE,
                         "the algorithm '%s' does not answer queries of this form; "
                         "leave the choice to 'auto'",
                         query->algorithm);
}

/* Once an OR was not to be pruned. */
static rp_status score_all(const rp__query *query, rp__arena *arena, rp__arena_mark mark,
                           rp__answer *answer, rp_error *err)
{
    uint64_t wasted = answer->postings;
    rp__arena_rewind(arena, mark);
    rp_status status = rp__cpu_run_by(&rp__windows_row, query, arena, answer, err);
    answer->postings += wasted;
    return status;
}

static rp_status answer_query(const rp__query *query, rp__arena *arena, rp__answer *answer,
                              rp_error *err)
{
    const rp__algorithm *algorithm;
    rp__arena_mark mark = rp__arena_get_mark(arena);
    *answer = (rp__answer){.total_is_exact = true};
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_OK;
    rp_status status = choose(query, &algorithm, err);
    if (status == RP_OK)
        status = rp__cpu_run_by(algorithm, query, arena, answer, err);
    if (status == RP_LIMIT)
        status = score_all(query, arena, mark, answer, err);
    if (status == RP_OK && query->exact_total && !answer->total_is_exact)
        status = count_matches(query, arena, answer, err);
    return status;
}

static rp_status run_query(void *state, const rp__query *query, rp__arena *arena,
                           rp__answer *answer, rp_error *err)
{
    (void)state;
    uint64_t begin = rp__trace_begin(query->trace);
    rp_status status = answer_query(query, arena, answer, err);
    rp__trace_end(query->trace, &(rp__trace_event){.stage = "search",
                                                   .processor = "cpu",
                                                   .begin = begin,
                                                   .elements = answer->postings});
    return status;
}

static rp_status form(void *state, const rp__query *query, rp__arena *arena, rp_form *out,
                      rp_error *err)
{
    const rp__algorithm *algorithm;
    (void)state, (void)arena;
    *out = rp__form_count(query);
    out->processor = "cpu";
    out->row = "none";
    if (query->n_ops == 0)
        return RP_OK;
    rp_status status = choose(query, &algorithm, err);
    if (status == RP_OK)
        out->row = algorithm->name;
    out->can_step = rp__algorithm_is_and(query);
    return status;
}

const rp__backend rp__cpu_run_row = {.name = "cpu",
                                     .algorithm = algorithm_name,
                                     .run = run_query,
                                     .finish = finish,
                                     .form = form,
                                     .steps = &rp__cpu_steps_row};
