/* tree.c: any tree of groups, evaluated over windows of docids.
 *
 * For a window, each open group has sets of documents (which its MUST, SHOULD and NOT children match)
 * and an accumulator a document; a leaf or a closed group folds its set and scores into the group
 * around it. A score may be added to a document that drops out later: CLOSE passes on the scores of
 * documents that match, and no others. Between windows, a lower bound of the next match over the
 * whole program skips what cannot match.
 * Invariants: 1 levels[i] is the i-th open group, so nothing recurses; levels[0] stands for what is
 * around the program; 2 cursors only go forward, so
 * a child may be passed over in any window; 3 scores under a NOT are never made. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum { WINDOW = 4096, WORDS = WINDOW / 64 };

typedef struct level {
    uint64_t sets[3][WORDS]; /* by role */
    uint32_t scores[WINDOW];
    size_t close;  /* the group's CLOSE */
    bool has_must; /* a MUST child has been folded: documents outside that set are lost */
    bool is_scored;
    bool needs_must; /* next_candidate: some child is a MUST, and the bounds of children so far */
    uint32_t must_next, should_next;
} level;

typedef struct machine {
    rp__cpu_run *run;
    rp__phrase_match *phrases; /* by leaf; of phrases only */
    bool *group_has_must;      /* by op, for OPEN */
    level *levels;
    uint32_t base, end;
    uint64_t set[WORDS]; /* what the last leaf or group matches in the window */
} machine;

static bool applies(const rp__query *query)
{
    (void)query;
    return true;
}

/* ---- The next document that can match -------------------------------------------------------- */

static uint32_t next_of_leaf(machine *m, const rp__op *op, uint32_t docid)
{
    const rp__leaf *leaf = &m->run->query->leaves[op->leaf];
    uint32_t next = docid;
    for (uint32_t i = 0; i < leaf->n_words; i++) {
        uint32_t got = rp__reader_next_geq(&m->run->readers[leaf->word + i], docid);
        next = got > next ? got : next;
    }
    return next;
}

static void fold_next(level *l, uint8_t role, uint32_t next)
{
    if (role == RP_MUST && next > l->must_next)
        l->must_next = next;
    if (role == RP_SHOULD && next < l->should_next)
        l->should_next = next;
}

/* A child that no bound can come from: one that is forbidden, or optional beside a MUST. */
static bool is_beside(const level *l, const rp__op *op)
{
    return op->role == RP_NOT || (op->role == RP_SHOULD && l->needs_must);
}

/* No document in [docid, result) matches. */
static uint32_t next_candidate(machine *m, uint32_t docid)
{
    const rp__query *query = m->run->query;
    uint32_t next = RP_NO_DOC;
    level *l = m->levels;
    l->needs_must = false;
    for (size_t i = 0; i < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind == RP_OP_CLOSE) {
            next = l->needs_must ? l->must_next : l->should_next;
            fold_next(--l, op->role, next);
        } else if (is_beside(l, op)) {
            i = op->kind == RP_OP_OPEN ? op->leaf : i;
        } else if (op->kind == RP_OP_OPEN) {
            l++;
            l->needs_must = m->group_has_must[i];
            l->must_next = docid;
            l->should_next = RP_NO_DOC;
        } else {
            fold_next(l, op->role, next_of_leaf(m, op, docid));
        }
    }
    return next;
}

/* Bounds sharpen each other: another round pays while it leaps over whole windows. */
static uint32_t seek_candidate(machine *m, uint32_t docid)
{
    uint32_t next = next_candidate(m, docid);
    while (next != RP_NO_DOC && next - docid >= WINDOW) {
        docid = next;
        next = next_candidate(m, docid);
    }
    return next;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static bool has_bit(const uint64_t *set, uint32_t at)
{
    return (set[at / 64] >> (at % 64)) & 1;
}
static void put_bit(uint64_t *set, uint32_t at)
{
    set[at / 64] |= UINT64_C(1) << (at % 64);
}

static uint32_t count_bits(const uint64_t *set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        n += rp__bits_count64(set[i]);
    return n;
}

/* The whole list, run by run. */
static void scan_term(machine *m, level *l, rp__reader *reader, const rp__score *score)
{
    const uint32_t *docids, *tfs = NULL;
    uint32_t fixed[RP_BLOCK], n;
    while ((n = rp__reader_postings(reader, m->end, &docids, score ? &tfs : NULL))) {
        for (uint32_t i = 0; i < n; i++)
            put_bit(m->set, docids[i] - m->base);
        if (score) {
            rp__score_many(score, docids, tfs, n, fixed);
            for (uint32_t i = 0; i < n; i++)
                l->scores[docids[i] - m->base] += fixed[i];
        }
        rp__reader_skip(reader, n);
    }
}

/* Only the documents of `filter`, by seeking each. */
static void probe_term(machine *m, level *l, rp__reader *reader, const rp__score *score,
                       const uint64_t *filter)
{
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t word = filter[w]; word; word &= word - 1) {
            uint32_t at = w * 64 + rp__bits_lowest64(word), docid = m->base + at;
            if (rp__reader_next_geq(reader, docid) != docid)
                continue;
            put_bit(m->set, at);
            if (score)
                l->scores[at] += rp__score_one(score, docid, rp__cursor_tf(&reader->cursor));
        }
}

/* Seeking a document costs about as much as scanning this many postings. */
enum { POSTINGS_A_SEEK = 8 };

static void eval_term(machine *m, level *l, const rp__op *op, const rp__score *score)
{
    const rp__query *query = m->run->query;
    rp__reader *reader = &m->run->readers[query->leaves[op->leaf].word];
    const uint64_t *filter = l->has_must ? l->sets[RP_MUST] : NULL;
    uint64_t in_window = (uint64_t)reader->list.n * WINDOW / query->lengths.n_docs;
    (void)rp__reader_next_geq(reader, m->base);
    if (filter && (uint64_t)count_bits(filter) * POSTINGS_A_SEEK < in_window)
        probe_term(m, l, reader, score, filter);
    else
        scan_term(m, l, reader, score);
}

static rp_status eval_phrase(machine *m, level *l, const rp__op *op, const rp__score *score)
{
    rp__phrase_match *phrase = &m->phrases[op->leaf];
    uint32_t docid = m->base;
    for (; (docid = rp__phrase_match_next(phrase, docid)) < m->end; docid++) {
        uint32_t at = docid - m->base, tf;
        const rp__reader *bad;
        if (l->has_must && !has_bit(l->sets[RP_MUST], at))
            continue;
        rp_status status = rp__phrase_match_count(phrase, &m->run->budget, &tf, &bad);
        if (status != RP_OK)
            return rp__cpu_run_fail(m->run, status, bad->word);
        if (tf == 0)
            continue;
        put_bit(m->set, at);
        if (score)
            l->scores[at] += rp__score_one(score, docid, tf);
    }
    return RP_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void open_level(level *l, const rp__op *open, bool is_scored)
{
    memset(l->sets, 0, sizeof l->sets);
    l->close = open->leaf;
    l->has_must = false;
    l->is_scored = is_scored;
    if (is_scored)
        memset(l->scores, 0, sizeof l->scores);
}

/* Folds m->set into the group by its role. False: no document is left in the group. */
static bool fold_set(machine *m, level *l, uint8_t role)
{
    uint64_t *to = l->sets[role], left = 0;
    bool is_narrowing = role == RP_MUST && l->has_must;
    for (uint32_t w = 0; w < WORDS; w++) {
        to[w] = is_narrowing ? to[w] & m->set[w] : to[w] | m->set[w];
        left |= to[w];
    }
    l->has_must |= role == RP_MUST;
    return role != RP_MUST || left != 0;
}

static void close_level(machine *m, const level *l)
{
    const uint64_t *in = l->sets[l->has_must ? RP_MUST : RP_SHOULD];
    for (uint32_t w = 0; w < WORDS; w++)
        m->set[w] = in[w] & ~l->sets[RP_NOT][w];
}

static void add_scores(const machine *m, level *to, const level *from)
{
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t word = m->set[w]; word; word &= word - 1) {
            uint32_t at = w * 64 + rp__bits_lowest64(word);
            to->scores[at] += from->scores[at];
        }
}

static void take_hits(machine *m, const level *l)
{
    m->run->total += count_bits(m->set);
    if (m->run->query->k == 0)
        return;
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t word = m->set[w]; word; word &= word - 1) {
            uint32_t at = w * 64 + rp__bits_lowest64(word);
            rp__cpu_run_hit(m->run, l->scores[at], m->base + at);
        }
}

static rp_status eval_leaf(machine *m, level *l, const rp__op *op)
{
    bool is_scored = l->is_scored && op->role != RP_NOT;
    const rp__score *score = is_scored ? &m->run->scores[op->leaf] : NULL;
    memset(m->set, 0, sizeof m->set);
    if (op->kind == RP_OP_PHRASE)
        return eval_phrase(m, l, op, score);
    eval_term(m, l, op, score);
    return RP_OK;
}

static rp_status eval_window(machine *m)
{
    const rp__query *query = m->run->query;
    level *l = m->levels;
    l->is_scored = query->k > 0;
    for (size_t i = 0; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind == RP_OP_OPEN) {
            bool is_scored = l->is_scored && op->role != RP_NOT;
            open_level(++l, op, is_scored);
            continue;
        }
        if (op->kind == RP_OP_CLOSE) {
            close_level(m, l);
            if (l->is_scored)
                add_scores(m, l - 1, l);
            l--;
        } else if (op->role != RP_MUST && next_of_leaf(m, op, m->base) >= m->end) {
            continue;
        } else {
            rp_status status = eval_leaf(m, l, op);
            if (status != RP_OK)
                return status;
        }
        if (!fold_set(m, l, op->role))
            i = l->close - 1; /* nothing is left: on to its CLOSE */
    }
    close_level(m, l);
    take_hits(m, l);
    return RP_OK;
}

/* ---- The run --------------------------------------------------------------------------------- */

static void find_musts(machine *m)
{
    const rp__query *query = m->run->query;
    level *l = m->levels;
    l->close = query->n_ops - 1; /* the program's own group */
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind == RP_OP_CLOSE) {
            l--;
            continue;
        }
        if (op->role == RP_MUST)
            m->group_has_must[query->ops[l->close].leaf] = true;
        if (op->kind == RP_OP_OPEN)
            (++l)->close = op->leaf;
    }
}

static rp_status open_phrases(machine *m)
{
    const rp__query *query = m->run->query;
    for (size_t i = 0; i < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind != RP_OP_PHRASE)
            continue;
        const rp__leaf *leaf = &query->leaves[op->leaf];
        rp_status status = rp__phrase_match_init(&m->phrases[op->leaf], query, leaf,
                                                 &m->run->readers[leaf->word], m->run->arena);
        if (status != RP_OK)
            return rp__cpu_run_fail(m->run, status, &query->words[leaf->word]);
    }
    return RP_OK;
}

static rp_status open_machine(machine *m)
{
    const rp__query *query = m->run->query;
    rp__arena *arena = m->run->arena;
    m->levels = rp__arena_array(arena, (size_t)query->depth + 1, sizeof *m->levels);
    m->phrases = rp__arena_array(arena, query->n_leaves, sizeof *m->phrases);
    m->group_has_must = rp__arena_zero(arena, query->n_ops, sizeof *m->group_has_must);
    if (!m->levels || !m->phrases || !m->group_has_must)
        return rp__error_no_memory(m->run->err);
    find_musts(m);
    return open_phrases(m);
}

static rp_status run_tree(rp__cpu_run *run)
{
    uint32_t end = run->query->end;
    machine m = {.run = run, .end = run->query->begin};
    rp_status status = open_machine(&m);
    rp__cpu_run_start(run);
    while (status == RP_OK && (m.base = seek_candidate(&m, m.end)) < end) {
        m.end = end - m.base > WINDOW ? m.base + WINDOW : end;
        status = eval_window(&m);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
    }
    return status;
}

const rp__algorithm rp__tree_row = {"tree", false, applies, run_tree};
