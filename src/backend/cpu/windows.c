/* windows.c: a flat OR of words, list by list over windows of docids.
 *
 * A window has an accumulator and a mark for each document, small enough for the first-level cache;
 * whole runs of postings are scored and added. Stretches of RP_STRETCH documents that were touched are
 * remembered in one word, so that sparse windows cost what their postings cost, not their width. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum { WINDOW = 64 * RP_STRETCH };

typedef struct window {
    uint64_t touched; /* a bit a stretch */
    uint32_t base;
    uint32_t scores[WINDOW];
    uint8_t marks[WINDOW]; /* 1: the document matches */
} window;

static rp__reader *reader_of(const rp__cpu_run *run, size_t op)
{
    return &run->readers[run->query->leaves[run->query->ops[op].leaf].word];
}

static uint32_t first_docid(const rp__cpu_run *run)
{
    uint32_t first = RP_NO_DOC;
    for (size_t i = 1; i + 1 < run->query->n_ops; i++)
        if (rp__reader_docid(reader_of(run, i)) < first)
            first = rp__reader_docid(reader_of(run, i));
    return first;
}

static void add_list(window *w, rp__reader *reader, const rp__score *score, uint32_t end)
{
    const uint32_t *docids, *tfs;
    uint32_t fixed[RP_BLOCK], n;
    uint64_t touched = 0;
    while ((n = rp__reader_postings(reader, end, &docids, &tfs))) {
        rp__score_many(score, docids, tfs, n, fixed);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = docids[i] - w->base;
            w->scores[at] += fixed[i];
            w->marks[at] = 1;
            touched |= UINT64_C(1) << (at / RP_STRETCH);
        }
        rp__reader_skip(reader, n);
    }
    w->touched |= touched;
}

/* Marks are 0 or 1, eight to a word: bytes of the sum stay below 256, and the product adds them up. */
static uint32_t count_marks(const uint8_t *marks)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < RP_STRETCH; i += 8)
        sum += rp__load64(marks + i);
    return (uint32_t)((sum * UINT64_C(0x0101010101010101)) >> 56);
}

/* Once only some scores can enter, marks need not be looked at: a document that does not match has 0. */
static void take_stretch(rp__cpu_run *run, window *w, uint32_t at)
{
    uint32_t *scores = w->scores + at;
    uint8_t *marks = w->marks + at;
    run->total += count_marks(marks);
    if (run->topk.least > 0) {
        uint64_t above = run->kernel->at_least(scores, run->topk.least);
        for (; above; above &= above - 1) {
            uint32_t i = rp__bits_lowest64(above);
            rp__cpu_run_hit(run, scores[i], w->base + at + i);
        }
    } else {
        for (uint32_t i = 0; i < RP_STRETCH; i++)
            if (marks[i])
                rp__cpu_run_hit(run, scores[i], w->base + at + i);
    }
    memset(scores, 0, RP_STRETCH * sizeof *scores);
    memset(marks, 0, RP_STRETCH);
}

static rp_status run_windows(rp__cpu_run *run)
{
    const rp__query *query = run->query;
    window *w = rp__arena_zero(run->arena, 1, sizeof *w);
    if (!w)
        return rp__error_no_memory(run->err);
    rp__cpu_run_start(run);
    while ((w->base = first_docid(run)) < query->end) {
        uint32_t end = query->end - w->base > WINDOW ? w->base + WINDOW : query->end;
        for (size_t i = 1; i + 1 < query->n_ops; i++)
            add_list(w, reader_of(run, i), &run->scores[query->ops[i].leaf], end);
        for (; w->touched; w->touched &= w->touched - 1)
            take_stretch(run, w, rp__bits_lowest64(w->touched) * RP_STRETCH);
        rp_status status = rp__cpu_run_check(run);
        if (status != RP_OK)
            return status;
    }
    return RP_OK;
}

const rp__algorithm rp__windows_row = {"windows", false, rp__algorithm_is_or, run_windows, false};
