/* flat.c: words and phrases in one group, some of which every match holds: +a b -c, +"a b" +c.
 *
 * Blocks of the shortest list that has all matches are taken through steps, a leaf each: words that must
 * be there, words that must not, phrases that must or must not, from short lists to long ones; so positions
 * are decoded for what is left, and no others. Then the total is known, and what is optional is added to
 * documents that it can lift into the k best. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/error.h"

typedef struct step {
    rp__part *part;           /* of its first word */
    rp__phrase_match *phrase; /* NULL: a word */
    uint8_t role;
    uint64_t most, after; /* it contributes at most; those after it do together */
    uint64_t key;         /* by which steps are sorted */
} step;

typedef struct walk {
    rp__cpu_run *run;
    step *steps;
    size_t n_steps, n_needed; /* those that decide which documents match come first */
    rp__part *lead;           /* the list that has all matches; NULL: they are given */
    uint32_t n_lead;          /* documents of it, or given */
    bool scores_lead;         /* it is the first step: no need to search it */
    rp__candidates c, sub;    /* sub: those that hold the words of a phrase */
} walk;

/* ---- Steps ----------------------------------------------------------------------------------- */

/* One optional child alone is not optional. */
static uint8_t role_of(const rp__query *query, const rp__op *op)
{
    for (size_t i = 1; i + 1 < query->n_ops && op->role == RP_SHOULD; i++)
        if (&query->ops[i] != op && query->ops[i].role != RP_NOT)
            return RP_SHOULD;
    return op->role == RP_NOT ? RP_NOT : RP_MUST;
}

static uint64_t key_of(const step *s)
{
    static const uint64_t by_role[] = {[RP_MUST] = 0, [RP_NOT] = 1, [RP_SHOULD] = 4};
    uint64_t df =
        s->phrase ? s->phrase->readers[s->phrase->order[0]].list.n : s->part->reader->list.n;
    return (by_role[s->role] + (s->phrase && s->role != RP_SHOULD ? 2 : 0)) << 32 | df;
}

static rp_status open_phrase(walk *w, step *s, const rp__leaf *leaf)
{
    rp__cpu_run *run = w->run;
    s->phrase = rp__arena_alloc(run->arena, sizeof *s->phrase);
    rp_status status =
        s->phrase ? rp__phrase_match_init(s->phrase, run->query, leaf, s->part->reader, run->arena)
                  : RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__phrase_match_open(s->phrase, s->part);
    return status == RP_OK ? RP_OK : rp__cpu_run_fail(run, status, s->part->reader->word);
}

static rp_status open_step(walk *w, step *s, const rp__op *op)
{
    const rp__query *query = w->run->query;
    const rp__leaf *leaf = &query->leaves[op->leaf];
    *s = (step){.part = &w->run->parts[leaf->word], .role = role_of(query, op)};
    rp_status status = RP_OK;
    s->most = s->part->score->most;
    if (op->kind == RP_OP_PHRASE)
        status = open_phrase(w, s, leaf);
    else if (s->part->reader->list.n > 0) {
        rp__part_bound(w->run, s->part);
        s->most = s->part->most;
    }
    if (status == RP_OK)
        s->key = key_of(s);
    return status;
}

/* The shortest list of a leaf: that of a phrase is of its rarest word. */
static rp__part *shortest_of(const step *s)
{
    return s->phrase ? &s->part[s->phrase->order[0]] : s->part;
}

static rp_status list_steps(walk *w)
{
    const rp__query *query = w->run->query;
    size_t n = query->n_ops - 2;
    w->steps = rp__arena_array(w->run->arena, n, sizeof *w->steps);
    w->n_steps = w->n_needed = 0;
    if (!w->steps)
        return rp__error_no_memory(w->run->err);
    for (size_t i = 0; i < n; i++) {
        step new;
        if (w->run->given && w->run->given->met[query->ops[i + 1].leaf])
            continue; /* it is scored already */
        rp_status status = open_step(w, &new, &query->ops[i + 1]);
        if (status != RP_OK)
            return status;
        if (shortest_of(&new)->reader->list.n == 0 && new.role != RP_MUST)
            continue; /* nobody has it */
        size_t j = w->n_steps++;
        for (; j > 0 && w->steps[j - 1].key > new.key; j--)
            w->steps[j] = w->steps[j - 1];
        w->steps[j] = new;
        w->n_needed += new.role != RP_SHOULD;
    }
    return RP_OK;
}

/* A flat query has a leaf that must be there. */
static void choose_lead(walk *w)
{
    size_t first = 0;
    w->lead = NULL;
    w->scores_lead = false;
    if (w->run->given) {
        w->n_lead = w->run->given->partial.n;
        return;
    }
    while (w->steps[first].role != RP_MUST)
        first++;
    w->lead = shortest_of(&w->steps[first]);
    for (size_t i = first + 1; i < w->n_needed; i++) {
        rp__part *part = shortest_of(&w->steps[i]);
        if (w->steps[i].role == RP_MUST && part->reader->list.n < w->lead->reader->list.n)
            w->lead = part;
    }
    w->scores_lead = !w->steps[0].phrase && w->lead == w->steps[0].part;
    w->n_lead = w->lead->reader->list.n;
}

static rp_status open_probes(walk *w, const step *s)
{
    rp_status status = RP_OK;
    if (!s->phrase)
        return rp__part_probe(w->run, s->part, w->n_lead);
    for (uint32_t i = 0; i < s->phrase->n_distinct && status == RP_OK; i++)
        status = rp__part_probe(w->run, &s->part[s->phrase->order[i]], w->n_lead);
    return status;
}

static rp_status open_walk(walk *w)
{
    rp_status status = rp__part_words(w->run);
    if (status == RP_OK)
        status = list_steps(w);
    if (status != RP_OK)
        return status;
    choose_lead(w);
    for (size_t i = w->scores_lead; i < w->n_steps && status == RP_OK; i++)
        if (w->n_lead > 0)
            status = open_probes(w, &w->steps[i]);
    uint64_t after = 0;
    for (size_t i = w->n_steps; i-- > w->n_needed; after += w->steps[i].most)
        w->steps[i].after = after;
    if (w->lead)
        rp__reader_start(w->lead->reader, w->run->query->begin);
    return status;
}

/* ---- Documents ------------------------------------------------------------------------------- */

/* Names in c.kept those that hold the phrase, and adds what it contributes. */
static rp_status look_into(walk *w, const step *s, uint32_t *m)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = &w->c, *sub = &w->sub;
    bool is_scored = run->query->k > 0 && s->role != RP_NOT;
    *m = 0;
    rp__candidates_fill(sub, c->docids, c->n);
    rp__phrase_match_find(s->phrase, 0, sub);
    for (uint32_t j = 0; j < sub->n; j++) {
        const rp__reader *bad;
        uint32_t tf, slot = sub->slots[j];
        rp__phrase_match_stand(s->phrase, slot);
        rp_status status = rp__phrase_match_count(s->phrase, &tf, &bad);
        if (status != RP_OK)
            return rp__cpu_run_fail(run, status, bad->word);
        if (tf > 0)
            c->kept[(*m)++] = slot;
        if (tf > 0 && is_scored)
            c->scores[slot] += rp__score_one(s->part->score, sub->docids[j], tf);
    }
    return RP_OK;
}

static rp_status take_phrase(walk *w, const step *s)
{
    uint32_t m;
    rp_status status = look_into(w, s, &m);
    if (status != RP_OK || s->role == RP_SHOULD)
        return status;
    if (s->role == RP_NOT)
        rp__candidates_remove(&w->c, m);
    else
        rp__candidates_keep(&w->c, m);
    return RP_OK;
}

static rp_status take_step(walk *w, const step *s)
{
    if (s->phrase)
        return take_phrase(w, s);
    if (s->role != RP_NOT)
        return rp__candidates_add(&w->c, w->run, s->part, s->role == RP_MUST);
    rp__candidates_drop(&w->c, s->part);
    return RP_OK;
}

/* Adds what is optional, and hands in those that enter. */
static rp_status score(walk *w, uint32_t first)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = &w->c;
    rp_status status = w->scores_lead ? rp__candidates_score(c, run, w->lead, first) : RP_OK;
    for (size_t i = w->n_needed; i < w->n_steps && c->n > 0 && status == RP_OK; i++) {
        const step *s = &w->steps[i];
        uint32_t least = run->topk.least;
        if (least > s->most + s->after)
            rp__candidates_cut(c, run->kernel, (uint32_t)(least - s->most - s->after));
        status = take_step(w, s);
    }
    for (uint32_t i = 0; i < c->n && status == RP_OK; i++)
        rp__cpu_run_hit(run, c->scores[i], c->docids[i]);
    return status;
}

/* Hits among candidates; where the lead is not scored yet, it has them from rank `first` on. */
static rp_status take_candidates(walk *w, uint32_t first)
{
    rp__candidates *c = &w->c;
    rp_status status = RP_OK;
    for (size_t i = w->scores_lead; i < w->n_needed && c->n > 0 && status == RP_OK; i++)
        status = take_step(w, &w->steps[i]);
    if (status != RP_OK)
        return status;
    w->run->total += c->n;
    if (c->n > 0 && w->run->query->k > 0)
        status = score(w, first);
    return status == RP_OK ? rp__cpu_run_check(w->run) : status;
}

/* Documents that are given, a block at a time. */
static rp_status run_given(walk *w)
{
    const rp__partial *given = &w->run->given->partial;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < given->n && status == RP_OK; i += RP_BLOCK) {
        const uint32_t n = given->n - i < RP_BLOCK ? given->n - i : RP_BLOCK;
        rp__candidates_fill(&w->c, given->docids + i, n);
        memcpy(w->c.scores, given->scores + i, n * sizeof *given->scores);
        status = take_candidates(w, 0);
    }
    return status;
}

static rp_status run_flat(rp__cpu_run *run)
{
    walk *w = rp__arena_alloc(run->arena, sizeof *w);
    if (!w)
        return rp__error_no_memory(run->err);
    w->run = run;
    rp_status status = open_walk(w);
    const uint32_t *docids;
    if (status == RP_OK && run->given)
        return run_given(w);
    while (status == RP_OK) {
        rp__reader *reader = w->lead->reader;
        uint32_t n = rp__reader_postings(reader, run->query->end, &docids, NULL);
        if (n == 0)
            break;
        rp__candidates_fill(&w->c, docids, n);
        status = take_candidates(w, rp__cursor_rank(&reader->cursor));
        rp__reader_skip(reader, n);
        rp__cpu_run_share(run);
    }
    return status;
}

const rp__algorithm rp__flat_row = {"flat", false, rp__algorithm_is_flat, run_flat, false};
