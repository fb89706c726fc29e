/* maxscore.c: the k best of a flat OR, by MaxScore, a block of documents at a time.
 *
 * Parts stand in rising order of what they can contribute. As many of the first as cannot lift a document
 * into the k best all together are not essential: only documents of the others, the essential parts, need to
 * be looked at. While one part is essential, its blocks are candidates as they are; while several are, their
 * scores are added up over a window of docids. Candidates that the rest cannot lift far enough are dropped,
 * the others searched for in the rest, the part that can add most first. The least score that enters rises
 * on the way, and starts from what lists say of their k-th best posting.
 * Block-max MaxScore (bmm) does the same window by window, with what the blocks in the window say parts can
 * contribute there: other parts may be essential in each, and windows that cannot hold a hit are passed. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum { WINDOW = 64 * RP_STRETCH };

typedef struct walk {
    rp__cpu_run *run;
    rp__part *parts; /* by rising `here`, which is `most` but for bmm */
    size_t n;
    size_t essential; /* the first part that is */
    uint64_t *rest;   /* rest[i]: the most that parts before i contribute together */
    uint32_t at;      /* documents below it are done */
    rp__candidates c;
    uint64_t touched; /* stretches of the window */
    uint32_t base;    /* of the window */
    uint32_t scores[WINDOW];
    uint8_t marks[WINDOW]; /* 1: the document matches; while any score may enter */
} walk;

static bool applies(const rp__query *query)
{
    return query->k > 0 && rp__algorithm_is_or(query);
}

/* ---- What is essential ----------------------------------------------------------------------- */

/* What the essential parts have to contribute for a document to enter; 0: anything may. */
static uint32_t needed(const walk *w)
{
    uint32_t least = w->run->topk.least;
    uint64_t rest = w->rest[w->essential];
    return least > rest ? (uint32_t)(least - rest) : 0;
}

static void find_essential(walk *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->rest[i + 1] = w->rest[i] + w->parts[i].here;
    w->essential = 0;
    while (w->essential < w->n && w->rest[w->essential + 1] < w->run->topk.least)
        w->essential++;
}

/* By rising `here`. Few parts change places from one window to the next. */
static void sort_parts(walk *w)
{
    for (size_t i = 1; i < w->n; i++) {
        rp__part part = w->parts[i];
        size_t j = i;
        for (; j > 0 && w->parts[j - 1].here > part.here; j--)
            w->parts[j] = w->parts[j - 1];
        w->parts[j] = part;
    }
}

/* A part that is no longer essential is probed from now on. */
static rp_status move_essential(walk *w)
{
    rp__cpu_run_share(w->run);
    rp_status status = RP_OK;
    while (status == RP_OK && w->essential < w->n &&
           w->rest[w->essential + 1] < w->run->topk.least) {
        rp__part *part = &w->parts[w->essential++];
        status = rp__part_probe(w->run, part, part->reader->list.n / 64);
    }
    return status;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Searches for the candidates, which have the scores of the essential parts, in the rest. */
static rp_status finish_candidates(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = RP_OK;
    for (size_t i = w->essential; i > 0 && w->c.n > 0 && status == RP_OK; i--) {
        uint64_t below = w->rest[i];
        uint32_t least = run->topk.least;
        rp__candidates_cut(&w->c, run->kernel, least > below ? (uint32_t)(least - below) : 0);
        rp__cpu_run_search(run, w->c.n);
        if (w->c.n > 0)
            status = rp__candidates_add(&w->c, run, &w->parts[i - 1], false);
    }
    if (status == RP_OK)
        rp__candidates_hit(&w->c, run);
    return status;
}

/* ---- One essential part ---------------------------------------------------------------------- */

/* Stands on the next block of the list whose bound is enough. */
static void find_block(walk *w, rp__part *part)
{
    rp__reader *reader = part->reader;
    const rp__list *list = &reader->list;
    uint32_t bound = rp__score_bound_for(part->score, needed(w)), b = reader->cursor.block;
    if (!list->bounds || !list->last || bound == 0 || rp__reader_docid(reader) == RP_NO_DOC)
        return;
    while (b < list->n_blocks && list->bounds[b] < bound)
        b++;
    if (b == reader->cursor.block)
        return;
    rp__reader_next_geq(reader, b < list->n_blocks ? list->last[b - 1] + 1 : w->run->query->end);
}

static rp_status take_block(walk *w, rp__part *part)
{
    rp__reader *reader = part->reader;
    rp__candidates *c = &w->c;
    const uint32_t *docids, *tfs;
    find_block(w, part);
    uint32_t n = rp__reader_postings(reader, w->run->query->end, &docids, &tfs);
    if (n == 0) {
        w->at = w->run->query->end;
        return RP_OK;
    }
    w->at = docids[n - 1] + 1;
    rp__candidates_fill(c, docids, n);
    rp__candidates_set(c, part, tfs);
    rp__candidates_cut(c, w->run->kernel, needed(w));
    rp__reader_skip(reader, n);
    return finish_candidates(w);
}

/* ---- Several ---------------------------------------------------------------------------------- */

static uint32_t first_docid(const walk *w)
{
    uint32_t first = RP_NO_DOC;
    for (size_t i = w->essential; i < w->n; i++) {
        uint32_t docid = rp__reader_docid(w->parts[i].reader);
        first = docid < first ? docid : first;
    }
    return first;
}

static void add_list(walk *w, const rp__part *part, bool are_marked)
{
    const uint32_t *docids, *tfs;
    uint32_t fixed[RP_BLOCK], n;
    uint64_t touched = 0;
    while ((n = rp__reader_postings(part->reader, w->at, &docids, &tfs))) {
        rp__score_many(part->score, docids, tfs, n, fixed);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = docids[i] - w->base;
            w->scores[at] += fixed[i];
            touched |= UINT64_C(1) << (at / RP_STRETCH);
        }
        for (uint32_t i = 0; are_marked && i < n; i++)
            w->marks[docids[i] - w->base] = 1;
        rp__reader_skip(part->reader, n);
    }
    w->touched |= touched;
}

static uint64_t marks_of(const uint8_t *marks)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < RP_STRETCH; i++)
        set |= (uint64_t)marks[i] << i;
    return set;
}

static void take_stretch(walk *w, uint32_t at, uint32_t need)
{
    rp__candidates *c = &w->c;
    uint32_t *scores = w->scores + at;
    uint64_t set = need ? w->run->kernel->at_least(scores, need) : marks_of(w->marks + at);
    for (; set; set &= set - 1) {
        uint32_t i = rp__bits_lowest64(set);
        c->docids[c->n] = w->base + at + i;
        c->scores[c->n++] = scores[i];
    }
    memset(scores, 0, RP_STRETCH * sizeof *scores);
    if (!need)
        memset(w->marks + at, 0, RP_STRETCH);
}

/* Documents from w->base on and before w->at. */
static rp_status take_window(walk *w)
{
    uint32_t need = needed(w);
    rp_status status = RP_OK;
    for (size_t i = w->essential; i < w->n; i++)
        add_list(w, &w->parts[i], need == 0);
    w->c.n = 0;
    w->c.has_norms = false;
    for (; w->touched && status == RP_OK; w->touched &= w->touched - 1) {
        take_stretch(w, rp__bits_lowest64(w->touched) * RP_STRETCH, need);
        if (w->c.n > RP_BLOCK - RP_STRETCH || (w->touched & (w->touched - 1)) == 0) {
            status = finish_candidates(w);
            w->c.n = 0;
            w->c.has_norms = false;
        }
    }
    return status;
}

/* The window that begins with the next document of an essential part. */
static rp_status take_next_window(walk *w)
{
    uint32_t end = w->run->query->end;
    w->base = first_docid(w);
    w->at = w->base < end && end - w->base > WINDOW ? w->base + WINDOW : end;
    return w->base < end ? take_window(w) : RP_OK;
}

/* ---- Bounds of blocks ------------------------------------------------------------------------ */

/* What the part's blocks in the window allow. */
static void bound_part(const walk *w, rp__part *part)
{
    const rp__list *list = &part->reader->list;
    part->here = part->most;
    if (!list->bounds || !list->last)
        return;
    while (part->block < list->n_blocks && list->last[part->block] < w->base)
        part->block++;
    uint32_t to = part->block;
    while (to < list->n_blocks && (to == part->block || list->last[to - 1] < w->at - 1))
        to++;
    part->here = 0;
    if (to > part->block)
        part->here = rp__score_bound(part->score, rp__list_bound_max(list, part->block, to));
}

/* The window that follows, if it can hold a hit. */
static rp_status take_bounded_window(walk *w)
{
    uint32_t end = w->run->query->end;
    w->base = w->at;
    w->at = end - w->base > WINDOW ? w->base + WINDOW : end;
    for (size_t i = 0; i < w->n; i++)
        bound_part(w, &w->parts[i]);
    sort_parts(w);
    find_essential(w);
    for (size_t i = w->essential; i < w->n; i++)
        rp__reader_next_geq(w->parts[i].reader, w->base);
    return take_window(w);
}

/* ---- The run --------------------------------------------------------------------------------- */

static rp_status open_walk(walk *w)
{
    rp__cpu_run *run = w->run;
    rp_status status = rp__part_list(run);
    if (status != RP_OK)
        return status;
    rp__part_bound_all(run);
    w->parts = run->parts;
    w->n = run->n_parts;
    w->at = run->query->begin;
    w->rest = rp__arena_array(run->arena, w->n + 1, sizeof *w->rest);
    if (!w->rest)
        return rp__error_no_memory(run->err);
    for (size_t i = 0; i < w->n; i++)
        w->parts[i].here = w->parts[i].most;
    sort_parts(w);
    w->rest[0] = 0;
    rp__part_raise(run);
    find_essential(w);
    return RP_OK;
}

static rp_status run_maxscore(rp__cpu_run *run)
{
    walk *w = rp__arena_zero(run->arena, 1, sizeof *w);
    if (!w)
        return rp__error_no_memory(run->err);
    w->run = run;
    rp_status status = open_walk(w);
    size_t first = w->essential;
    w->essential = 0;
    if (status == RP_OK)
        status = move_essential(w);
    for (size_t i = first; i < w->n; i++)
        rp__reader_start(w->parts[i].reader, run->query->begin);
    while (status == RP_OK && w->at < run->query->end && w->essential < w->n) {
        bool is_one = w->essential + 1 == w->n;
        status = is_one ? take_block(w, &w->parts[w->n - 1]) : take_next_window(w);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        if (status == RP_OK)
            status = move_essential(w);
    }
    run->total = rp__part_least_total(run);
    return status;
}

static rp_status run_bmm(rp__cpu_run *run)
{
    walk *w = rp__arena_zero(run->arena, 1, sizeof *w);
    if (!w)
        return rp__error_no_memory(run->err);
    w->run = run;
    rp_status status = open_walk(w);
    for (size_t i = 0; i < w->n && status == RP_OK; i++)
        status = rp__part_probe(run, &w->parts[i], w->parts[i].reader->list.n / 64);
    rp__cpu_run_start(run);
    while (status == RP_OK && w->at < run->query->end) {
        status = take_bounded_window(w);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        rp__cpu_run_share(run);
    }
    run->total = rp__part_least_total(run);
    return status;
}

const rp__algorithm rp__maxscore_row = {"maxscore", true, applies, run_maxscore, false};
const rp__algorithm rp__maxscore_bmm_row = {"bmm", true, applies, run_bmm, false};
