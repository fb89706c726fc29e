/* tree.c: any tree of groups, evaluated over windows of docids, children in the order of op_order.c.
 *
 * For a window, each open group has sets of documents (which its MUST, SHOULD and NOT children match)
 * and an accumulator a document; a leaf or a closed group folds its set and scores into the group
 * around it. A score may be added to a document that drops out later: CLOSE passes on the scores of
 * documents that match, and no others. Between windows, a lower bound of the next match over the
 * whole program skips what cannot match.
 * Invariants: 1 levels[i] is the i-th open group, so nothing recurses; levels[0] stands for what is
 * around the program; 2 cursors and probes only go forward, so a child may be passed over in any
 * window; 3 scores under a NOT are never made; 4 what must match comes first among the children of a
 * group, so that its set filters the others, and those of groups inside. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "backend/cpu/bitset.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

enum { WINDOW = 4096, WORDS = WINDOW / 64 };
_Static_assert(RP_STRETCH == 64, "a word of a set is a stretch of scores");

typedef struct level {
    uint64_t sets[3][WORDS]; /* by role */
    uint32_t scores[WINDOW];
    size_t close;  /* the group's CLOSE */
    bool has_must; /* a MUST child has been folded */
    /* The MUST set of this group, or of one around: documents outside are lost. NULL: none is. */
    const uint64_t *filter;
    uint32_t left; /* documents in it */
    bool is_scored;
    bool needs_must; /* next_candidate: some child is a MUST, and the bounds of children so far */
    uint32_t must_next, should_next;
} level;

typedef struct machine {
    rp__cpu_run *run;
    const rp__op *ops; /* the program, in another order */
    const rp__bitset_kernel *bits;
    rp__phrase_match *phrases; /* by leaf; of phrases only */
    bool *group_has_must;      /* by op, for OPEN */
    level *levels;
    uint32_t base, end;
    uint32_t
        given_at; /* of the documents that are given, the first that is not before the window */
    uint64_t set[WORDS]; /* what the last leaf or group matches in the window */
    rp__candidates c;    /* documents that a phrase may be in */
} machine;

static bool applies(const rp__query *query)
{
    (void)query;
    return true;
}

/* ---- The next document that can match -------------------------------------------------------- */

/* That of a word, or of the rarest word of a phrase. */
static rp__reader *reader_of(const machine *m, const rp__op *op)
{
    uint32_t word = m->run->query->leaves[op->leaf].word;
    return &m->run->readers[op->kind == RP_OP_PHRASE ? word + m->phrases[op->leaf].order[0] : word];
}

static uint32_t next_of_leaf(machine *m, const rp__op *op, uint32_t docid)
{
    return rp__reader_next_geq(reader_of(m, op), docid);
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

/* A term that all documents which are given have, and are scored with. */
static bool is_met(const machine *m, const rp__op *op)
{
    const rp__given *given = m->run->given;
    return given && op->kind == RP_OP_TERM && given->met[op->leaf];
}

/* Of the documents that are given, the first that is not below; docids rise from call to call. */
static uint32_t next_given(machine *m, uint32_t docid)
{
    const rp__partial *given = &m->run->given->partial;
    while (m->given_at < given->n && given->docids[m->given_at] < docid)
        m->given_at++;
    return m->given_at < given->n ? given->docids[m->given_at] : RP_NO_DOC;
}

/* No document in [docid, result) matches. */
static uint32_t next_candidate(machine *m, uint32_t docid)
{
    const rp__query *query = m->run->query;
    uint32_t next = RP_NO_DOC;
    level *l = m->levels;
    l->needs_must = false;
    for (size_t i = 0; i < query->n_ops; i++) {
        const rp__op *op = &m->ops[i];
        if (op->kind == RP_OP_CLOSE) {
            next = l->needs_must ? l->must_next : l->should_next;
            fold_next(--l, op->role, next);
        } else if (is_beside(l, op) || is_met(m, op)) {
            i = op->kind == RP_OP_OPEN ? op->leaf : i;
        } else if (op->kind == RP_OP_OPEN) {
            l++;
            l->needs_must = m->group_has_must[i];
            l->must_next = i == 0 && m->run->given ? next_given(m, docid) : docid;
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

static void put_bit(uint64_t *set, uint32_t at)
{
    set[at / 64] |= UINT64_C(1) << (at % 64);
}

static bool has_bit(const uint64_t *set, uint32_t at)
{
    return (set[at / 64] >> (at % 64)) & 1;
}

/* Rising docids of a set that has none above them. A word is stored without being loaded, which would have to
 * wait for the store before. */
static void put_bits(uint64_t *set, const uint32_t *docids, uint32_t n, uint32_t base)
{
    uint32_t w = (docids[0] - base) / 64;
    uint64_t word = set[w];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = docids[i] - base;
        word = at / 64 == w ? word : 0;
        w = at / 64;
        set[w] = word |= UINT64_C(1) << (at % 64);
    }
}

/* to = to & with; how many that are. `to` may be `with`. */
static uint32_t meet(const machine *m, uint64_t *to, const uint64_t *with)
{
    return (uint32_t)m->bits->meet(to, (const uint8_t *)to, (const uint8_t *)with, WORDS);
}

/* The whole list, run by run. */
static void scan_term(machine *m, level *l, rp__reader *reader, const rp__score *score)
{
    const uint32_t *docids, *tfs = NULL;
    uint32_t fixed[RP_BLOCK], n;
    while ((n = rp__reader_postings(reader, m->end, &docids, score ? &tfs : NULL))) {
        put_bits(m->set, docids, n, m->base);
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

/* Whether documents of the filter are better sought in the list than the list scanned. */
static bool is_sought(const machine *m, const level *l, const rp__list *list)
{
    uint64_t in_window = (uint64_t)list->n * WINDOW / m->run->query->lengths.n_docs;
    return l->filter && (uint64_t)l->left * POSTINGS_A_SEEK < in_window;
}

static void eval_term(machine *m, level *l, const rp__op *op, const rp__score *score)
{
    rp__reader *reader = reader_of(m, op);
    (void)rp__reader_next_geq(reader, m->base);
    if (is_sought(m, l, &reader->list))
        probe_term(m, l, reader, score, l->filter);
    else
        scan_term(m, l, reader, score);
}

/* ---- Phrases --------------------------------------------------------------------------------- */

/* What the phrase has of m->c, which are searched for its words from the i-th on. */
static rp_status look_into(machine *m, level *l, rp__phrase_match *phrase, uint32_t i,
                           const rp__score *score)
{
    rp__candidates *c = &m->c;
    rp__phrase_match_find(phrase, i, c);
    for (uint32_t j = 0; j < c->n; j++) {
        uint32_t at = c->docids[j] - m->base, tf;
        const rp__reader *bad;
        rp__phrase_match_stand(phrase, c->slots[j]);
        rp_status status = rp__phrase_match_count(phrase, &tf, &bad);
        if (status != RP_OK)
            return rp__cpu_run_fail(m->run, status, bad->word);
        if (tf == 0)
            continue;
        put_bit(m->set, at);
        if (score)
            l->scores[at] += rp__score_one(score, c->docids[j], tf);
    }
    return RP_OK;
}

/* Documents of the filter, all its words sought. */
static rp_status probe_phrase(machine *m, level *l, rp__phrase_match *phrase,
                              const rp__score *score)
{
    uint32_t docids[RP_BLOCK], n = 0;
    rp_status status = RP_OK;
    for (uint32_t w = 0; w < WORDS && status == RP_OK; w++) {
        for (uint64_t word = l->filter[w]; word; word &= word - 1)
            docids[n++] = m->base + w * 64 + rp__bits_lowest64(word);
        if (n > RP_BLOCK - 64 || w + 1 == WORDS) {
            rp__candidates_fill(&m->c, docids, n);
            status = look_into(m, l, phrase, 0, score);
            n = 0;
        }
    }
    return status;
}

static void keep_filtered(machine *m, const uint64_t *filter)
{
    rp__candidates *c = &m->c;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        c->kept[n] = i;
        n += has_bit(filter, c->docids[i] - m->base);
    }
    rp__candidates_keep(c, n);
}

/* Documents of its rarest word, the others sought. */
static rp_status scan_phrase(machine *m, level *l, rp__phrase_match *phrase, rp__reader *reader,
                             const rp__score *score)
{
    const uint32_t *docids;
    uint32_t n;
    rp_status status = RP_OK;
    (void)rp__reader_next_geq(reader, m->base);
    while (status == RP_OK && (n = rp__reader_postings(reader, m->end, &docids, NULL))) {
        uint32_t first = rp__cursor_rank(&reader->cursor);
        for (uint32_t slot = 0; slot < n; slot++)
            phrase->found[0][slot] = first + slot;
        rp__candidates_fill(&m->c, docids, n);
        if (l->filter)
            keep_filtered(m, l->filter);
        status = look_into(m, l, phrase, 1, score);
        rp__reader_skip(reader, n);
    }
    return status;
}

static rp_status eval_phrase(machine *m, level *l, const rp__op *op, const rp__score *score)
{
    rp__phrase_match *phrase = &m->phrases[op->leaf];
    rp__reader *reader = reader_of(m, op);
    if (reader->list.n > 0 && is_sought(m, l, &reader->list))
        return probe_phrase(m, l, phrase, score);
    return scan_phrase(m, l, phrase, reader, score);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Opens the group l + 1 inside l. */
static void open_level(level *l, const rp__op *open)
{
    level *new = l + 1;
    memset(new->sets, 0, sizeof new->sets);
    new->close = open->leaf;
    new->has_must = false;
    new->filter = l->filter;
    new->left = l->left;
    new->is_scored = l->is_scored && open->role != RP_NOT;
    if (new->is_scored)
        memset(new->scores, 0, sizeof new->scores);
}

/* The program's own group has documents that are given, and their scores, to begin with. False: it has none. */
static bool put_given(machine *m, level *l)
{
    const rp__partial *given = &m->run->given->partial;
    (void)next_given(m, m->base);
    l->left = 0;
    for (uint32_t i = m->given_at; i < given->n && given->docids[i] < m->end; i++) {
        const uint32_t at = given->docids[i] - m->base;
        put_bit(l->sets[RP_MUST], at);
        if (l->is_scored)
            l->scores[at] = given->scores[i];
        l->left++;
    }
    l->filter = l->sets[RP_MUST];
    l->has_must = m->group_has_must[0]; /* otherwise its one child decides */
    return l->left > 0;
}

/* Takes m->set away from what must match, and lets m->set be what is left. */
static void take_away(machine *m, level *l)
{
    for (uint32_t w = 0; w < WORDS; w++)
        m->set[w] = l->sets[RP_MUST][w] & ~m->set[w];
}

/* Folds m->set into the group by its role. False: no document is left in the group. */
static bool fold_set(machine *m, level *l, uint8_t role)
{
    if (role == RP_NOT && l->has_must) {
        take_away(m, l);
        role = RP_MUST;
    }
    if (role != RP_MUST) {
        m->bits->unite(l->sets[role], (const uint8_t *)m->set, WORDS);
        return true;
    }
    if (!l->has_must)
        memcpy(l->sets[RP_MUST], l->filter ? l->filter : m->set, sizeof m->set);
    l->left = meet(m, l->sets[RP_MUST], m->set);
    l->filter = l->sets[RP_MUST];
    l->has_must = true;
    return l->left > 0;
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
    m->run->total += meet(m, m->set, m->set);
    if (m->run->query->k == 0)
        return;
    for (uint32_t w = 0; w < WORDS; w++) {
        uint64_t word = m->set[w];
        if (word)
            word &= m->run->kernel->at_least(l->scores + w * RP_STRETCH, m->run->topk.least);
        for (; word; word &= word - 1) {
            uint32_t at = w * 64 + rp__bits_lowest64(word);
            rp__cpu_run_hit(m->run, l->scores[at], m->base + at);
        }
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
    l->filter = NULL;
    for (size_t i = 0; i + 1 < query->n_ops; i++) {
        const rp__op *op = &m->ops[i];
        if (op->kind == RP_OP_OPEN) {
            open_level(l++, op);
            if (i == 0 && m->run->given && !put_given(m, l))
                i = l->close - 1;
            continue;
        }
        if (is_met(m, op))
            continue;
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
        const rp__op *op = &m->ops[i];
        if (op->kind == RP_OP_CLOSE) {
            l--;
            continue;
        }
        if (op->role == RP_MUST)
            m->group_has_must[m->ops[l->close].leaf] = true;
        if (op->kind == RP_OP_OPEN)
            (++l)->close = op->leaf;
    }
}

/* Finds its documents by probes, but for those of its rarest word, which may be scanned too. */
static rp_status open_phrase(machine *m, rp__phrase_match *phrase, const rp__leaf *leaf)
{
    rp__cpu_run *run = m->run;
    rp__reader *readers = &run->readers[leaf->word];
    rp_status status = rp__phrase_match_init(phrase, run->query, leaf, readers, run->arena);
    if (status == RP_OK)
        status = rp__phrase_match_open(phrase, &run->parts[leaf->word]);
    if (status != RP_OK)
        return rp__cpu_run_fail(run, status, readers->word);
    uint32_t n = readers[phrase->order[0]].list.n;
    for (uint32_t i = 0; i < phrase->n_distinct && n > 0 && status == RP_OK; i++)
        status = rp__part_probe(run, &phrase->parts[phrase->order[i]], n);
    return status;
}

/* Makes all leaves ready for the first document asked about. */
static rp_status open_leaves(machine *m)
{
    const rp__query *query = m->run->query;
    rp_status status = rp__part_words(m->run);
    for (size_t i = 0; i < query->n_ops && status == RP_OK; i++) {
        const rp__op *op = &m->ops[i];
        if (op->kind == RP_OP_PHRASE)
            status = open_phrase(m, &m->phrases[op->leaf], &query->leaves[op->leaf]);
        if (status == RP_OK && (op->kind == RP_OP_PHRASE || op->kind == RP_OP_TERM) &&
            !is_met(m, op))
            rp__reader_start(reader_of(m, op), query->begin);
    }
    return status;
}

static rp_status open_machine(machine *m)
{
    const rp__query *query = m->run->query;
    rp__arena *arena = m->run->arena;
    m->levels = rp__arena_array(arena, (size_t)query->depth + 1, sizeof *m->levels);
    m->phrases = rp__arena_array(arena, query->n_leaves, sizeof *m->phrases);
    m->group_has_must = rp__arena_zero(arena, query->n_ops, sizeof *m->group_has_must);
    m->ops = rp__op_order(query, arena);
    m->bits = rp__bitset_find(rp__cpu_features());
    if (!m->levels || !m->phrases || !m->group_has_must || !m->ops)
        return rp__error_no_memory(m->run->err);
    find_musts(m);
    return open_leaves(m);
}

static rp_status run_tree(rp__cpu_run *run)
{
    uint32_t end = run->query->end;
    machine *m = rp__arena_alloc(run->arena, sizeof *m);
    if (!m)
        return rp__error_no_memory(run->err);
    m->run = run;
    m->end = run->query->begin;
    m->given_at = 0;
    rp_status status = open_machine(m);
    while (status == RP_OK && (m->base = seek_candidate(m, m->end)) < end) {
        m->end = end - m->base > WINDOW ? m->base + WINDOW : end;
        status = eval_window(m);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
    }
    return status;
}

const rp__algorithm rp__tree_row = {"tree", false, applies, run_tree, false};
