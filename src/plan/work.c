/* work.c: an upper bound of what a query costs, from the dictionary and the query's form alone.
 *
 * The bound is known before a processor starts and is the same for all of them. A unit is one posting
 * of a list that is read whole: decoded, scored and added up, about 10 ns on a core without SIMD.
 * Everything else is weighed against it:
 * 1. A list is read whole unless each match has to be in another list, the lead, with m postings. Then
 *    it is searched for m documents. A search decodes a block at most, and a decoded posting that is
 *    not scored costs a quarter.
 * 2. A query that has groups inside groups is evaluated in windows of documents. There a list is read
 *    for a window that has a candidate, and every group costs its accumulators in every window.
 * 3. A phrase is searched for in the c documents that its rarest word and the lead allow. Each of its
 *    words is a list with c searches. It also costs a look into c documents, and its positions there.
 *    A word has at most cf - (df - c) positions in c documents, since each other posting has one.
 * 4. An exact phrase compares each position of a word at most once with a start, and a start with one
 *    position of a word only if it stood at a position of the word before. So comparisons are at most
 *    twice the positions, in whichever order words are taken.
 * 5. With slop, a start looks for each word w from 1 on. It passes at most w positions that other words
 *    have taken, and stops at the next one. Each of these w + 1 positions is compared with w taken ones.
 *    The sum over n words is (n - 1) n (n + 1) / 3 comparisons, sixteen of which make a unit.
 * Nothing here reads a list. */
#include <stdbool.h>

#include "base/error.h"
#include "plan/plan.h"

enum {
    WINDOW = 4096,        /* documents */
    UNITS_A_GROUP = 128,  /* for each window */
    UNITS_A_LIST = 4,     /* for each window that has one of its postings */
    LISTS_A_UNIT = 4,     /* that are looked at in a window */
    DECODED_A_UNIT = 4,   /* postings that are not scored */
    UNITS_A_LOOK = 4,     /* for each word of a phrase in a document */
    POSITIONS_A_UNIT = 4, /* each read, and compared twice */
    COMPARISONS_A_UNIT = 16,
    UNITS_A_MATCH = 2, /* where k is above HEAP_MOST: the k best are found by partitioning */
    HEAP_MOST = 64,
};

#define UNLED UINT64_MAX /* no list leads: nothing bounds the candidates */

typedef struct frame {
    uint64_t size; /* documents that its children so far allow */
    uint64_t led;  /* candidates that reach its children */
    uint32_t open; /* its op */
    bool has_must;
} frame;

typedef struct measure {
    const rp__query *query;
    uint64_t *sizes; /* by op: documents that it matches, at most */
    frame *frames;   /* one more than groups can be open */
    uint64_t windows;
    bool is_tree;
} measure;

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* ---- How many documents match ------------------------------------------------------------------ */

static uint64_t size_of_leaf(const rp__query *query, const rp__leaf *leaf)
{
    uint64_t df = UINT64_MAX;
    for (uint32_t i = 0; i < leaf->n_words; i++)
        df = min(df, query->words[leaf->word + i].term.df);
    return df;
}

/* All MUST children hold a match, or one of the SHOULD children does. */
static void fold_size(frame *f, uint8_t role, uint64_t size)
{
    if (role == RP_MUST) {
        f->size = f->has_must ? min(f->size, size) : size;
        f->has_must = true;
    } else if (role == RP_SHOULD && !f->has_must) {
        f->size = plus(f->size, size);
    }
}

/* Sizes of leaves and of groups, these at their OPEN; UNLED for a group that no list leads. */
static void find_sizes(measure *m)
{
    frame *f = m->frames;
    *f = (frame){0};
    for (uint32_t i = 0; i < m->query->n_ops; i++) {
        const rp__op *op = &m->query->ops[i];
        if (op->kind == RP_OP_OPEN) {
            *++f = (frame){.open = i};
        } else if (op->kind == RP_OP_CLOSE) {
            uint64_t size = min(f->size, m->query->lengths.n_docs);
            m->sizes[f->open] = f->has_must ? size : UNLED;
            fold_size(--f, op->role, size);
        } else {
            m->sizes[i] = size_of_leaf(m->query, &m->query->leaves[op->leaf]);
            fold_size(f, op->role, m->sizes[i]);
        }
    }
    m->windows = min(m->frames->size, m->query->lengths.n_docs / WINDOW + 1);
}

/* ---- What leaves cost -------------------------------------------------------------------------- */

/* A list that is searched for so many documents. */
static uint64_t search(const measure *m, uint64_t df, uint64_t candidates)
{
    uint64_t decoded = min(df, times(candidates, m->is_tree ? WINDOW : RP_BLOCK_MAX));
    return plus(decoded / DECODED_A_UNIT, candidates);
}

static uint64_t weigh_term(const measure *m, uint64_t df, uint64_t led)
{
    uint64_t in_windows = times(min(df, m->windows), UNITS_A_LIST);
    if (led == UNLED)
        return plus(df, in_windows);
    return m->is_tree ? plus(min(df, times(led, WINDOW)), in_windows) : search(m, df, led);
}

/* The positions of a word in so many documents. */
static uint64_t positions_in(const rp__term *term, uint64_t documents)
{
    uint64_t others = documents < term->df ? term->df - documents : 0;
    return term->cf > others ? term->cf - others : 0;
}

static uint64_t weigh_phrase(const measure *m, const rp__leaf *leaf, uint64_t rarest, uint64_t led)
{
    const rp__word *words = m->query->words + leaf->word;
    uint64_t n = leaf->n_words, documents = min(rarest, led), work = 0;
    for (uint64_t w = 0; w < n; w++) {
        uint64_t positions = positions_in(&words[w].term, documents);
        work = plus(work, search(m, words[w].term.df, documents));
        work = plus(work, times(documents, UNITS_A_LOOK));
        work = plus(work, positions / POSITIONS_A_UNIT);
    }
    if (leaf->slop == 0 || documents == 0)
        return work;
    uint64_t starts = positions_in(&words[0].term, documents);
    uint64_t comparisons = times(times(n, n), n) / (3 * COMPARISONS_A_UNIT);
    return plus(work, times(starts, plus(comparisons, n)));
}

/* ---- The sum ----------------------------------------------------------------------------------- */

static uint64_t weigh(measure *m)
{
    uint64_t work = m->query->k > HEAP_MOST ? times(m->frames->size, UNITS_A_MATCH) : 0;
    uint64_t visits = m->windows / LISTS_A_UNIT;
    frame *f = m->frames;
    *f = (frame){.led = UNLED};
    for (uint32_t i = 0; i < m->query->n_ops; i++) {
        const rp__op *op = &m->query->ops[i];
        if (op->kind == RP_OP_OPEN) {
            uint64_t led = min(f->led, m->sizes[i]);
            *++f = (frame){.led = led};
            work = plus(work, m->is_tree ? times(m->windows, UNITS_A_GROUP) : 0);
            continue;
        }
        if (op->kind == RP_OP_CLOSE) {
            f--;
            continue;
        }
        const rp__leaf *leaf = &m->query->leaves[op->leaf];
        work = plus(work, op->kind == RP_OP_PHRASE ? weigh_phrase(m, leaf, m->sizes[i], f->led)
                                                   : weigh_term(m, m->sizes[i], f->led));
        work = plus(work, visits);
    }
    return work;
}

/* Whether the query is evaluated in windows: it has groups inside, or phrases of which any may match. */
static bool is_tree(const rp__query *query)
{
    bool has_must = false, has_phrase = false;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind == RP_OP_OPEN)
            return true;
        has_must |= op->role == RP_MUST;
        has_phrase |= op->kind == RP_OP_PHRASE || op->role == RP_NOT;
    }
    return has_phrase && !has_must;
}

/* ---- Words alone ------------------------------------------------------------------------------- */

static bool are_words(const rp__query *query)
{
    const rp__op *ops = query->ops;
    bool are = query->n_ops > 2 && ops[0].role == RP_MUST && ops[1].role != RP_NOT;
    for (size_t i = 1; i + 1 < query->n_ops && are; i++)
        are = ops[i].kind == RP_OP_TERM && ops[i].role == ops[1].role;
    return are;
}

/* Of an AND or an OR of nothing but words: the sums that find_sizes and weigh come to, without frames. */
static uint64_t weigh_words(const rp__query *query)
{
    const bool is_and = query->ops[1].role == RP_MUST;
    const uint64_t docs = query->lengths.n_docs;
    uint64_t least = UINT64_MAX, all = 0, work = 0;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const uint64_t df = size_of_leaf(query, &query->leaves[query->ops[i].leaf]);
        least = min(least, df);
        all = plus(all, df);
    }
    const uint64_t size = min(is_and ? least : all, docs), led = is_and ? size : UNLED;
    const measure m = {.query = query, .windows = min(size, docs / WINDOW + 1)};
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const uint64_t df = size_of_leaf(query, &query->leaves[query->ops[i].leaf]);
        work = plus(work, weigh_term(&m, df, led));
        work = plus(work, m.windows / LISTS_A_UNIT);
    }
    return query->k > HEAP_MOST ? plus(work, times(size, UNITS_A_MATCH)) : work;
}

rp_status rp__work_bound(const rp__query *query, rp__arena *arena, uint64_t *work)
{
    if (are_words(query)) {
        *work = weigh_words(query);
        return RP_OK;
    }
    measure m = {.query = query, .is_tree = is_tree(query)};
    rp__arena_mark mark = rp__arena_get_mark(arena);
    m.sizes = rp__arena_array(arena, query->n_ops, sizeof *m.sizes);
    m.frames = rp__arena_array(arena, (size_t)query->depth + 1, sizeof *m.frames);
    if (!m.sizes || !m.frames)
        return RP_NO_MEMORY;
    find_sizes(&m);
    *work = weigh(&m);
    rp__arena_rewind(arena, mark);
    return RP_OK;
}

rp_status rp__work_limit(uint64_t work, const rp_search_options *options, rp_error *err)
{
    if (work <= options->max_work)
        return RP_OK;
    return rp__error_set(
        err, RP_LIMIT,
        "the query's work is %llu, more than %llu; use rarer words, shorter phrases "
        "or less slop, or raise --max-work",
        (unsigned long long)work, (unsigned long long)options->max_work);
}
