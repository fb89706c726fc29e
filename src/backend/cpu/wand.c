/* wand.c: a flat OR of words, document at a time, by the bounds of whole lists.
 *
 * Lists stand in the order of their docids. The pivot is the first list whose bound, added to those of the
 * lists before it, reaches what a document must score to enter: no document before the pivot's can. Once all
 * lists before it have come to that document, it is scored.
 * Source: Broder et al. 2003, Efficient query evaluation using a two-level retrieval process. */
#include "backend/cpu/wand.h"

#include "base/error.h"

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Plain arrays are short: their best posting is looked for. */
static uint32_t best_of_arrays(const rp__list *list, const rp__score *score)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t fixed = rp__score_one(score, list->docids[i], list->tfs[i]);
        best = fixed > best ? fixed : best;
    }
    return best;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Brings the list of this place, which went on, to where it belongs; or drops it where it is past the
 * query's end. */
static void sink(rp__wand *w, size_t i)
{
    rp__wand_list *list = w->order[i];
    bool is_past = list->docid >= w->run->query->end;
    for (; i + 1 < w->n && (is_past || w->order[i + 1]->docid < list->docid); i++)
        w->order[i] = w->order[i + 1];
    w->order[i] = list;
    w->n -= is_past;
}

/* Adds a list in front, and brings it to where it belongs. */
static void add_list(rp__wand *w, rp__wand_list *list, const rp__part *part)
{
    *list = (rp__wand_list){.reader = part->reader, .score = part->score, .bound = part->most};
    list->docid = rp__reader_docid(part->reader);
    if (!part->reader->list.bounds)
        list->bound = best_of_arrays(&part->reader->list, part->score);
    for (size_t i = w->n++; i > 0; i--)
        w->order[i] = w->order[i - 1];
    w->order[0] = list;
    sink(w, 0);
}

rp_status rp__wand_open(rp__wand *w, rp__cpu_run *run)
{
    rp_status status = rp__part_list(run);
    if (status != RP_OK)
        return status;
    rp__part_bound_all(run);
    rp__wand_list *lists = rp__arena_array(run->arena, run->n_parts, sizeof *lists);
    *w = (rp__wand){.run = run};
    w->order = rp__arena_array(run->arena, run->n_parts, sizeof *w->order);
    if (!lists || !w->order)
        return rp__error_no_memory(run->err);
    rp__part_raise(run);
    rp__cpu_run_share(run);
    rp__cpu_run_start(run);
    for (size_t i = 0; i < run->n_parts; i++)
        add_list(w, &lists[i], &run->parts[i]);
    return RP_OK;
}

size_t rp__wand_pivot(const rp__wand *w)
{
    uint32_t least = w->run->topk.least;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        sum += w->order[i]->bound;
        if (sum >= least)
            return i;
    }
    return w->n;
}

/* ---- Going on -------------------------------------------------------------------------------- */

void rp__wand_move(rp__wand *w, size_t i, uint32_t docid)
{
    rp__wand_list *list = w->order[i];
    list->docid = rp__reader_next_geq(list->reader, docid);
    sink(w, i);
}

void rp__wand_gather(rp__wand *w, size_t pivot)
{
    uint32_t docid = w->order[pivot]->docid;
    while (w->order[pivot]->docid == docid)
        pivot--;
    rp__wand_move(w, pivot, docid);
}

void rp__wand_pass(rp__wand *w)
{
    uint32_t docid = w->order[0]->docid;
    size_t n = 0;
    for (; n < w->n && w->order[n]->docid == docid; n++)
        w->order[n]->docid = rp__cursor_next(&w->order[n]->reader->cursor);
    while (n > 0)
        sink(w, --n);
}

uint32_t rp__wand_score(rp__wand_list *list)
{
    return rp__score_one(list->score, list->docid, rp__cursor_tf(&list->reader->cursor));
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The first document is the pivot's. */
static void take_document(rp__wand *w)
{
    uint32_t docid = w->order[0]->docid, fixed = 0;
    for (size_t i = 0; i < w->n && w->order[i]->docid == docid; i++)
        fixed += rp__wand_score(w->order[i]);
    rp__cpu_run_hit(w->run, fixed, docid);
    w->run->total++;
    rp__wand_pass(w);
}

static rp_status run_wand(rp__cpu_run *run)
{
    const uint32_t steps_between_checks = 1024;
    rp__wand w;
    rp_status status = rp__wand_open(&w, run);
    size_t pivot;
    for (uint32_t steps = 1; status == RP_OK && (pivot = rp__wand_pivot(&w)) < w.n; steps++) {
        if (w.order[0]->docid == w.order[pivot]->docid)
            take_document(&w);
        else
            rp__wand_gather(&w, pivot);
        if (steps % steps_between_checks)
            continue;
        rp__cpu_run_share(run);
        status = rp__cpu_run_check(run);
    }
    return status;
}

const rp__algorithm rp__wand_row = {"wand", true, rp__algorithm_is_or, run_wand, false};
