/* cpu_run.c: the processor cpu: opens what a query reads, picks an algorithm, hands back its answer.
 *
 * Totals are exact: no algorithm here prunes. */
#include "backend/cpu/cpu_run.h"

#include "backend/rows.h"
#include "base/cpu.h"
#include "base/error.h"

static const rp__algorithm *const algorithms[] = {
    &rp__or_row, &rp__and_row, &rp__window_row, /* applies to everything */
};

const rp__algorithm *rp__cpu_run_algorithm(size_t i)
{
    return i < sizeof algorithms / sizeof algorithms[0] ? algorithms[i] : NULL;
}

static rp_status pass_limit(const rp__cpu_run *run)
{
    return rp__error_set(run->err, RP_LIMIT,
                         "the query reads more than %llu postings (max_postings); use rarer words "
                         "or raise the limit",
                         (unsigned long long)run->query->max_postings);
}

rp_status rp__cpu_run_fail(const rp__cpu_run *run, rp_status status, const rp__word *word)
{
    if (status == RP_LIMIT)
        return pass_limit(run);
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

static uint64_t count_postings(const rp__cpu_run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->query->n_words; i++)
        n += run->readers[i].cursor.decoded;
    return n;
}

rp_status rp__cpu_run_check(const rp__cpu_run *run)
{
    const rp__query *query = run->query;
    for (size_t i = 0; i < query->n_words; i++)
        if (run->readers[i].cursor.status != RP_OK)
            return rp__cpu_run_fail(run, run->readers[i].cursor.status, &query->words[i]);
    return count_postings(run) > run->budget ? pass_limit(run) : RP_OK;
}

static rp_status open_run(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    size_t k = query->k < query->lengths.n_docs ? query->k : query->lengths.n_docs;
    run->readers = rp__arena_array(run->arena, query->n_words, sizeof *run->readers);
    run->scores = rp__arena_array(run->arena, query->n_leaves, sizeof *run->scores);
    rp__scored *room = rp__arena_array(run->arena, k, sizeof *room);
    if (!run->readers || !run->scores || !room)
        return rp__error_no_memory(run->err);
    rp__topk_init(&run->topk, room, k);
    for (size_t i = 0; i < query->n_leaves; i++)
        rp__score_init(&run->scores[i], query, &query->leaves[i]);
    for (size_t i = 0; i < query->n_words; i++) {
        const rp__word *word = &query->words[i];
        rp_status status = rp__reader_open(&run->readers[i], query, word, run->arena);
        if (status != RP_OK)
            return rp__cpu_run_fail(run, status, word);
    }
    return RP_OK;
}

rp_status rp__cpu_run_by(const rp__algorithm *algorithm, const rp__query *query, rp__arena *arena,
                         rp__answer *answer, rp_error *err)
{
    rp__cpu_run run = {.query = query, .arena = arena, .err = err, .budget = query->max_postings};
    run.kernel = rp__score_kernel_find(rp__cpu_features());
    rp_status status = open_run(&run);
    if (status == RP_OK)
        status = algorithm->run(&run);
    if (status == RP_OK)
        status = rp__cpu_run_check(&run);
    if (status != RP_OK)
        return status;
    rp__topk_finish(&run.topk);
    *answer = (rp__answer){.at = run.topk.at,
                           .n = run.topk.n,
                           .total = run.total,
                           .total_is_exact = true,
                           .postings = count_postings(&run)};
    return RP_OK;
}

static rp_status probe(rp_error *err)
{
    (void)err;
    return RP_OK;
}

static rp_status run_best(const rp__query *query, rp__arena *arena, rp__answer *answer,
                          rp_error *err)
{
    *answer = (rp__answer){.total_is_exact = true};
    if (query->n_ops == 0 || query->lengths.n_docs == 0)
        return RP_OK;
    const size_t last = sizeof algorithms / sizeof algorithms[0] - 1;
    size_t i = 0;
    while (i < last && !algorithms[i]->applies(query))
        i++;
    return rp__cpu_run_by(algorithms[i], query, arena, answer, err);
}

const rp__backend rp__cpu_run_row = {"cpu", probe, run_best};
