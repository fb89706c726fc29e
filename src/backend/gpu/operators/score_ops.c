/* score_ops.c: the phase score: candidates are looked up in each list; or every posting of each list is added to an
 * accumulator a document, whose sums the candidates have (Ding). Of an OR, accumulated documents are the candidates. */
#include "backend/gpu/operators/pipeline.h"

#include "backend/gpu/gpu_list.h"

enum { WARPS = 4 };

static rp__kernel_id scoring(const rp__pipeline *p, rp__kernel_id kernel)
{
    return rp__launch_lists_kernel(p->flight, kernel);
}

/* ---- Look-ups ---------------------------------------------------------------------------------- */

rp_status rp__score_ops_look_up(rp__pipeline *p, rp__score_look look)
{
    const bool is_scored = look.has_scores || look.adds;
    karg_candidates args = {.docids = p->candidates,
                            .scores = look.has_scores ? rp__pipe(p, rp__pipe_scores_at(p)) : 0,
                            .to_docids = rp__pipe_next(p),
                            .to_scores = is_scored ? rp__pipe_next_scores(p) : 0,
                            .count = rp__pipe_count(p),
                            .state = rp__pipe(p, p->at.state),
                            .found = rp__pipe_report(p, RP_REPORT_FOUND),
                            .norms = p->flight->lists.norms,
                            .n = p->max,
                            .end = p->n_docs,
                            .tiles = (p->max + 32 * WARPS - 1) / (32 * WARPS),
                            .n_words = look.n,
                            .drops = look.drops,
                            .adds = look.adds};
    const rp__launch how = {args.tiles, 32 * WARPS,
                            KARG_SCRATCH * sizeof(uint32_t) + WARPS * KARG_SHARED_TERM};
    for (uint32_t i = 0; i < look.n; i++)
        args.near[i] = p->lists[look.first + i].word;
    rp_status status = rp__pipe_clear_next(p);
    if (status == RP_OK)
        status =
            rp__device_launch(p->device, scoring(p, RP_KERNEL_step_and_narrow_kernel), how, &args);
    rp__pipe_turn(p);
    p->n_counts++;
    return status;
}

static rp_status look_up_all(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK; i += KARG_INLINE_TERMS) {
        const uint32_t n = p->n - i < KARG_INLINE_TERMS ? p->n - i : KARG_INLINE_TERMS;
        status = rp__score_ops_look_up(
            p,
            (rp__score_look){.first = i, .n = n, .has_scores = i > 0, .drops = true, .adds = true});
    }
    return status;
}

/* ---- Probes ------------------------------------------------------------------------------------ */

/* Whether a list is read in a form that look-ups do not read. */
static bool needs_probes(const rp__pipeline *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->lists[i].form == RP_PIPE_STORED && !rp__gpu_list_has_docids(&p->lists[i].term->list))
            return true;
    return false;
}

static karg_probe_list probe_list(const rp__pipeline *p, const rp__pipe_list *l)
{
    karg_probe_list out = {.list = l->word.list, .weight = l->word.weight};
    if (l->form == RP_PIPE_STORED && l->is_ding) {
        out.chosen = rp__pipe(p, l->chosen);
        out.tiles = rp__pipe(p, l->tiles);
        out.n_chosen = l->stored.n;
        out.n_tiles = l->n_tiles;
    }
    return out;
}

/* Candidates are in all lists, so none is dropped. */
static rp_status probe_all(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK; i += KARG_INLINE_TERMS) {
        karg_probe args = {.docids = p->candidates,
                           .scores = rp__pipe(p, rp__pipe_scores_at(p)),
                           .found = rp__pipe_report(p, RP_REPORT_FOUND),
                           .norms = p->flight->lists.norms,
                           .n = p->max,
                           .n_docs = p->n_docs,
                           .n_lists = p->n - i < KARG_INLINE_TERMS ? p->n - i : KARG_INLINE_TERMS,
                           .adds = i > 0};
        for (uint32_t j = 0; j < args.n_lists; j++)
            args.lists[j] = probe_list(p, &p->lists[i + j]);
        status = rp__device_launch(p->device, scoring(p, RP_KERNEL_score_probe_kernel),
                                   rp__pipe_grid(p, p->max), &args);
    }
    return status;
}

/* ---- Accumulators ------------------------------------------------------------------------------ */

/* A list may have frequencies though the query has no scores: then there are no sums to add them to. */
static rp_status add_list(rp__pipeline *p, uint32_t i)
{
    const karg_term *word = &p->lists[i].word;
    const karg_accumulate args = {.docids = word->list.docs,
                                  .tfs = p->query->k > 0 ? word->list.freqs : 0,
                                  .sums = rp__pipe(p, p->at.sums),
                                  .marks = p->is_or ? rp__pipe(p, p->at.marks[0]) : 0,
                                  .norms = p->flight->lists.norms,
                                  .n = word->list.n,
                                  .begin = p->begin,
                                  .end = p->end,
                                  .weight = word->weight};
    return rp__device_launch(p->device, scoring(p, RP_KERNEL_score_accumulate_kernel),
                             rp__pipe_grid(p, args.n), &args);
}

rp_status rp__score_ops_clear(rp__pipeline *p)
{
    const size_t words = rp__bits_align(p->n_docs, 128) / 32;
    rp_status status =
        p->query->k > 0 ? rp__device_fill(p->device, rp__pipe(p, p->at.sums), 0, p->n_docs) : RP_OK;
    if (status == RP_OK && p->is_or)
        status = rp__device_fill(p->device, rp__pipe(p, p->at.marks[0]), 0, words);
    return status;
}

static rp_status accumulate(rp__pipeline *p)
{
    rp_status status = p->is_or ? RP_OK : rp__score_ops_clear(p);
    for (uint32_t i = 0; i < p->n && status == RP_OK; i++)
        status = add_list(p, i);
    if (status != RP_OK || !p->is_or)
        return status;
    p->marks = rp__pipe(p, p->at.marks[0]);
    return rp__intersect_ops_list(p);
}

static rp_status gather(rp__pipeline *p)
{
    const karg_gather args = {.docids = p->candidates,
                              .scores = rp__pipe(p, rp__pipe_scores_at(p)),
                              .sums = rp__pipe(p, p->at.sums),
                              .n = p->max,
                              .n_docs = p->n_docs};
    return rp__device_launch(p->device, RP_KERNEL_score_gather_kernel, rp__pipe_grid(p, args.n),
                             &args);
}

/* Scores are in the buffer before the next one, as candidates are that an operator has written. */
rp_status rp__score_ops_run(rp__pipeline *p)
{
    if (!p->accumulates && p->query->k > 0)
        return needs_probes(p) ? probe_all(p) : look_up_all(p);
    if (!p->is_or && p->query->k == 0)
        return RP_OK;
    rp_status status = accumulate(p);
    return status == RP_OK && p->query->k > 0 ? gather(p) : status;
}
