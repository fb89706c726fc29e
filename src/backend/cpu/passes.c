/* passes.c: the k best of a flat OR, in a pass over each list, the one that can contribute most first.
 *
 * A pass looks at the documents of its list that no list before had, so a document is scored once, in the
 * pass of the part that counts most for it, and what the parts after can add bounds what it scores. After
 * the first pass, which is short, as the part that counts most is rare, the k best are nearly known: most
 * blocks of later lists are not decoded, and often whole lists are not. MaxScore goes by docids and meets
 * the k best late. What is not pruned in a list is searched for in the lists after it, and what still stands
 * then in those before. */
#include "backend/cpu/cpu_run.h"

#include "base/error.h"

typedef struct passes {
    rp__cpu_run *run;
    rp__part *parts; /* by falling most */
    size_t n, now;   /* parts; the one of this pass */
    uint64_t *rest;  /* rest[i]: the most that parts after i contribute together */
    rp__candidates c;
} passes;

static bool applies(const rp__query *query)
{
    return query->k > 0 && rp__algorithm_is_or(query);
}

/* What a document needs before what `rest` can add; 0: nothing. */
static uint32_t needed(const passes *p, uint64_t rest)
{
    uint32_t least = p->run->topk.least;
    return least > rest ? (uint32_t)(least - rest) : 0;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Stands on the next block of the list whose bound is enough; false: there is none. */
static bool find_block(const passes *p, const rp__part *part)
{
    rp__reader *reader = part->reader;
    const rp__list *list = &reader->list;
    uint32_t bound = rp__score_bound_for(part->score, needed(p, p->rest[p->now]));
    uint32_t b = reader->cursor.block;
    if (list->bounds && list->last && rp__reader_docid(reader) != RP_NO_DOC) {
        while (b < list->n_blocks && list->bounds[b] < bound)
            b++;
        if (b == list->n_blocks)
            return false;
        if (b > reader->cursor.block)
            rp__reader_next_geq(reader, list->last[b - 1] + 1);
    }
    return rp__reader_docid(reader) < p->run->query->end;
}

/* Candidates have the score of this pass's part. */
static rp_status finish_candidates(passes *p)
{
    rp__cpu_run *run = p->run;
    rp__candidates *c = &p->c;
    rp_status status = RP_OK;
    for (size_t i = p->now + 1; i < p->n && c->n > 0 && status == RP_OK; i++) {
        rp__cpu_run_search(run, c->n);
        status = rp__candidates_add(c, run, &p->parts[i], false);
        rp__candidates_cut(c, run->kernel, needed(p, p->rest[i]));
    }
    for (size_t i = 0; i < p->now && c->n > 0; i++) {
        rp__cpu_run_search(run, c->n);
        rp__candidates_drop(c, &p->parts[i]);
    }
    if (status == RP_OK)
        rp__candidates_hit(c, run);
    return status;
}

static rp_status take_block(passes *p, const rp__part *part)
{
    const uint32_t *docids, *tfs;
    uint32_t n = rp__reader_postings(part->reader, p->run->query->end, &docids, &tfs);
    if (n == 0)
        return RP_OK; /* damage, which the next check finds */
    rp__candidates_fill(&p->c, docids, n);
    rp__candidates_set(&p->c, part, tfs);
    rp__candidates_cut(&p->c, p->run->kernel, needed(p, p->rest[p->now]));
    rp__reader_skip(part->reader, n);
    return p->c.n ? finish_candidates(p) : RP_OK;
}

static rp_status run_pass(passes *p)
{
    rp__cpu_run *run = p->run;
    rp__part *part = &p->parts[p->now];
    rp_status status = RP_OK;
    for (size_t i = 0; i < p->n && status == RP_OK; i++)
        if (i != p->now)
            status = rp__part_probe(run, &p->parts[i], part->reader->list.n);
    rp__reader_start(part->reader, run->query->begin);
    while (status == RP_OK && find_block(p, part)) {
        status = take_block(p, part);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        rp__cpu_run_share(run);
    }
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

static rp_status open_passes(passes *p)
{
    rp__cpu_run *run = p->run;
    rp_status status = rp__part_list(run);
    if (status != RP_OK)
        return status;
    rp__part_bound_all(run);
    p->n = run->n_parts;
    p->parts = run->parts;
    rp__part_sort_by_most(p->parts, p->n);
    p->rest = rp__arena_zero(run->arena, p->n, sizeof *p->rest);
    if (!p->rest)
        return rp__error_no_memory(run->err);
    for (size_t i = p->n - 1; i > 0; i--)
        p->rest[i - 1] = p->rest[i] + p->parts[i].most;
    rp__part_raise(run);
    return RP_OK;
}

static rp_status run_passes(rp__cpu_run *run)
{
    passes *p = rp__arena_alloc(run->arena, sizeof *p);
    if (!p)
        return rp__error_no_memory(run->err);
    p->run = run;
    rp_status status = open_passes(p);
    for (p->now = 0; status == RP_OK && p->now < p->n; p->now++) {
        if (p->parts[p->now].most + p->rest[p->now] < run->topk.least)
            break;
        status = run_pass(p);
    }
    run->total = rp__part_least_total(run);
    return status;
}

const rp__algorithm rp__passes_row = {"passes", true, applies, run_passes, false};
