/* cpu_steps.c: a flat AND step by step on the cpu.
 *
 * All candidates are kept between two steps, so that a caller can take them elsewhere. Each step walks over
 * them a block at a time, with the probes that and.c uses. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/error.h"

typedef struct steps {
    rp__cpu_run run; /* its parts are the leaves by rank */
    uint32_t *docids, *scores;
    uint32_t n, capacity;
    uint64_t elsewhere;  /* postings decoded before the candidates were put here */
    rp_gpu_counters gpu; /* what devices did until then */
    rp__candidates c;
} steps;

/* ---- Between steps --------------------------------------------------------------------------- */

static rp_status reserve(steps *s, uint32_t n)
{
    if (s->scores && n <= s->capacity)
        return RP_OK;
    s->docids = rp__arena_array(s->run.arena, n + (size_t)1, sizeof *s->docids);
    s->scores = rp__arena_array(s->run.arena, n + (size_t)1, sizeof *s->scores);
    s->capacity = n;
    return s->docids && s->scores ? RP_OK : rp__error_no_memory(s->run.err);
}

static rp_status open_steps(void *state, const rp__query *query, rp__arena *arena, void **out,
                            rp_error *err)
{
    (void)state;
    *out = NULL;
    if (query->n_ops == 0 || !rp__algorithm_is_and(query))
        return rp__error_set(err, RP_UNAVAILABLE, "only an AND of terms is answered step by step");
    steps *s = rp__arena_zero(arena, 1, sizeof *s);
    if (!s)
        return rp__error_no_memory(err);
    s->run = (rp__cpu_run){.query = query, .arena = arena, .err = err, .prune_budget = UINT64_MAX};
    rp_status status = rp__cpu_run_open(&s->run, false);
    if (status == RP_OK)
        status = rp__part_list(&s->run);
    if (status == RP_OK)
        *out = s;
    return status;
}

static void close_steps(void *run)
{
    (void)run; /* all of it is in the arena */
}

/* Runs one step, and adds it to the trace. */
typedef rp_status step_fn(steps *s, uint32_t first, uint32_t last);

static rp_status trace_step(steps *s, const char *stage, step_fn *step, uint32_t first,
                            uint32_t last)
{
    rp__trace *trace = s->run.query->trace;
    uint64_t begin = rp__trace_begin(trace), decoded = trace ? rp__cpu_run_postings(&s->run) : 0;
    rp_status status = last < s->run.n_parts ? rp__cpu_run_check(&s->run) : RP_USAGE;
    if (status == RP_OK)
        status = step(s, first, last);
    if (trace)
        rp__trace_end(trace,
                      &(rp__trace_event){.stage = stage,
                                         .processor = "cpu",
                                         .begin = begin,
                                         .elements = rp__cpu_run_postings(&s->run) - decoded});
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------- */

static rp_status start_list(steps *s, uint32_t leaf, uint32_t last)
{
    (void)last;
    rp__reader *reader = s->run.parts[leaf].reader;
    uint32_t end = s->run.query->end, n;
    const uint32_t *docids;
    rp_status status = reserve(s, reader->list.n);
    s->n = 0;
    if (status != RP_OK)
        return status;
    for (rp__reader_start(reader, s->run.query->begin);
         (n = rp__reader_postings(reader, end, &docids, NULL)) > 0 && status == RP_OK;) {
        memcpy(s->docids + s->n, docids, n * sizeof *docids);
        s->n += n;
        rp__reader_skip(reader, n);
        status = rp__cpu_run_check(&s->run);
    }
    memset(s->scores, 0, s->n * sizeof *s->scores);
    return status == RP_OK ? rp__cpu_run_check(&s->run) : status;
}

/* What becomes of a block of candidates in one list. */
typedef rp_status block_fn(steps *s, rp__part *part);

static rp_status meet_block(steps *s, rp__part *part)
{
    rp__candidates_find(&s->c, part);
    return RP_OK;
}

static rp_status score_block(steps *s, rp__part *part)
{
    return rp__candidates_add(&s->c, &s->run, part, false);
}

static rp_status narrow_block(steps *s, rp__part *part)
{
    return rp__candidates_add(&s->c, &s->run, part, true);
}

static void load_block(steps *s, uint32_t first)
{
    uint32_t n = s->n - first < RP_BLOCK ? s->n - first : RP_BLOCK;
    rp__candidates_fill(&s->c, s->docids + first, n);
    memcpy(s->c.scores, s->scores + first, n * sizeof *s->scores);
}

/* All candidates, a block at a time, through the lists of leaves first..last. */
static rp_status walk(steps *s, uint32_t first, uint32_t last, block_fn *pass)
{
    uint32_t kept = 0;
    rp_status status = RP_OK;
    for (uint32_t i = first; i <= last && status == RP_OK; i++)
        status = rp__part_probe(&s->run, &s->run.parts[i], s->n);
    for (uint32_t i = 0; i < s->n && status == RP_OK; i += RP_BLOCK) {
        load_block(s, i);
        for (uint32_t leaf = first; leaf <= last && s->c.n > 0 && status == RP_OK; leaf++)
            status = pass(s, &s->run.parts[leaf]);
        memcpy(s->docids + kept, s->c.docids, s->c.n * sizeof *s->docids);
        memcpy(s->scores + kept, s->c.scores, s->c.n * sizeof *s->scores);
        kept += s->c.n;
        if (status == RP_OK)
            status = rp__cpu_run_check(&s->run);
    }
    s->n = kept;
    return status;
}

static rp_status meet_list(steps *s, uint32_t first, uint32_t last)
{
    return walk(s, first, last, meet_block);
}

static rp_status score_list(steps *s, uint32_t first, uint32_t last)
{
    return walk(s, first, last, score_block);
}

static rp_status narrow_lists(steps *s, uint32_t first, uint32_t last)
{
    return walk(s, first, last, s->run.query->k > 0 ? narrow_block : meet_block);
}

static rp_status start(void *run, uint32_t leaf)
{
    return trace_step(run, "start", start_list, leaf, leaf);
}

static rp_status meet(void *run, uint32_t leaf)
{
    return trace_step(run, "meet", meet_list, leaf, leaf);
}

static rp_status score(void *run, uint32_t leaf)
{
    return trace_step(run, "score", score_list, leaf, leaf);
}

static rp_status narrow(void *run, uint32_t first, uint32_t last)
{
    return trace_step(run, "narrow", narrow_lists, first, last);
}

/* ---- In and out -------------------------------------------------------------------------------- */

static rp_status put_candidates(void *run, const rp__partial *partial)
{
    steps *s = run;
    rp_status status = reserve(s, partial->n);
    if (status != RP_OK)
        return status;
    if (partial->n > 0) {
        memcpy(s->docids, partial->docids, partial->n * sizeof *s->docids);
        memcpy(s->scores, partial->scores, partial->n * sizeof *s->scores);
    }
    s->n = partial->n;
    s->elsewhere = partial->postings - rp__cpu_run_postings(&s->run);
    s->gpu = partial->gpu;
    return rp__cpu_run_check(&s->run);
}

static rp_status take_candidates(void *run, rp__partial *partial)
{
    steps *s = run;
    *partial = (rp__partial){s->docids, s->scores, s->n,
                             s->elsewhere + rp__cpu_run_postings(&s->run), s->gpu};
    rp__cpu_run_note_blocks(&s->run);
    return rp__cpu_run_check(&s->run);
}

static uint32_t count_candidates(const void *run)
{
    return ((const steps *)run)->n;
}

static void report_cost(const void *run, rp__answer *answer)
{
    const steps *s = run;
    answer->postings = s->elsewhere + rp__cpu_run_postings(&s->run);
    answer->gpu = s->gpu;
    answer->fallback = RP_FALLBACK_NONE;
}

static rp_status select_best(void *run, rp__answer *answer)
{
    steps *s = run;
    rp_status status = rp__cpu_run_check(&s->run);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < s->n && s->run.query->k > 0; i++)
        rp__cpu_run_hit(&s->run, s->scores[i], s->docids[i]);
    rp__topk_finish(&s->run.topk);
    *answer = (rp__answer){
        .at = s->run.topk.at, .n = s->run.topk.n, .total = s->n, .total_is_exact = true};
    report_cost(s, answer);
    rp__cpu_run_note_blocks(&s->run);
    return RP_OK;
}

const rp__steps rp__cpu_steps_row = {
    .open = open_steps,
    .start = start,
    .meet = meet,
    .score = score,
    .narrow = narrow,
    .select = select_best,
    .count = count_candidates,
    .put = put_candidates,
    .take = take_candidates,
    .report = report_cost,
    .close = close_steps,
};
