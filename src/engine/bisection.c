/* bisection.c: recursive graph bisection without recursion: level by level, every node of a level is
 * halved, and the halves are the nodes of the next.
 * Source: Dhulipala et al. 2016, sec. 4; the two halves are parted by selection instead of sorting both.
 *
 * A node is a stretch of documents. Its terms are numbered anew, and those that only one of its documents
 * has are dropped, because they cost the same wherever it goes: so numbers are small, and a node's tables fit
 * into a cache that the whole would not. Documents stay where they are while a node is at work; only the
 * half that they belong to changes.
 * All numbers are integers, logarithms too, so sums do not depend on the order they are made in.
 * Invariants: 1 a node's terms lie in its own stretch of the array, its children's in the same stretch of
 * the other; 2 left holds half of a node's documents, rounded up, after every iteration. */
#include "engine/bisection.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/thread.h"

enum {
    ITERATIONS = 20,
    LEAF = 16,
    FRACTION = 14, /* bits of a logarithm behind the point: a term counts for less than 2^20 */
    SUM_TERMS = 1 << 11, /* so many such numbers add up in 32 bits */
    KEY_MOST = 1 << 30,
    LIVELY = 6, /* iterations in which any gain counts; then two must gain more and more */
    STAY = 1 << (FRACTION - 1),
    SHARE = 1024, /* documents that a thread takes at a time in a node that all work on */
    TERM_SHARE = 1 << 15,
};
#define NONE UINT32_MAX

typedef struct node {
    uint32_t low, n; /* documents; n 0: none */
    uint32_t n_terms;
    uint64_t base; /* where its terms begin */
} node;

/* Tables by term of a node. */
typedef struct tables {
    uint32_t *all, *left; /* documents that have it: of the node, of its left half */
    int32_t *from_left,
        *from_right; /* how much better it is for a document of that half to be right */
} tables;

typedef struct bisection {
    const rp__bisection *b;
    uint32_t *order;
    rp__bisection_doc *docs[2]; /* of this level, and of the next */
    uint32_t *terms[2];
    uint32_t
        *keys; /* by document: the greater, the more it belongs right; the lowest bit: its half */
    uint8_t *is_right;
    int32_t *steps; /* steps[d]: (d+1) log2(d+2) - d log2(d+1); steps[-1] is 0 */
    int32_t *steps_memory;
    node *nodes, *children;
    size_t n_nodes;
    tables *tables; /* one a worker */
    uint32_t iterations, leaf;
    atomic_size_t next; /* node, or share of one */
    atomic_bool has_failed, is_stopped;
    _Atomic uint64_t done; /* documents halved, of all levels */
    uint64_t of;
    _Atomic uint64_t passed, passed_levels; /* postings: by iterations, by nodes */
    rp__bisection_stats stats;
} bisection;

/* ---- Logarithms -------------------------------------------------------------------------------- */

/* log2 by a series, in double: no library's, which may differ in the last bit. x is at least 1. */
static double log2_of(uint32_t x)
{
    uint32_t e = rp__bits_width(x) - 1;
    double m = (double)x / (double)(1ULL << e), z, square, sum = 0;
    if (m > 1.4142135623730951) {
        m /= 2;
        e++;
    }
    z = (m - 1) / (m + 1);
    square = z * z;
    for (int k = 21; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return e + 2 * z * sum * 1.4426950408889634;
}

static void fill_steps(bisection *s)
{
    double before = 0; /* d log2(d+1) */
    s->steps = s->steps_memory + 1;
    s->steps[-1] = 0;
    for (uint32_t d = 0; d <= s->b->n_docs; d++) {
        double after = (d + 1.0) * log2_of(d + 2);
        s->steps[d] = (int32_t)((after - before) * (1 << FRACTION));
        before = after;
    }
}

/* ---- One node ---------------------------------------------------------------------------------- */

/* A node at work, by one thread or by all. */
typedef struct work {
    bisection *s;
    const node *node;
    const rp__bisection_doc *docs; /* the node's */
    const uint32_t *terms;
    uint32_t *keys;
    uint8_t *is_right;
    tables t;
    uint32_t n_left;
    uint64_t postings;
    bool is_watched; /* by the calling thread */
    /* Where the halves part: documents with smaller keys are left, and so many of those with this one. */
    uint32_t key, n_equal;
    uint32_t moved;
    int32_t stay; /* how much more than nothing a document must gain to move */
} work;

static void count_document(const work *w, uint32_t *counts, uint32_t i, uint32_t by)
{
    const uint32_t *term = w->terms + w->docs[i].begin, *end = term + w->docs[i].n;
    for (; term < end; term++)
        counts[*term] += by;
}

static void count_all(work *w)
{
    const node *n = w->node;
    memset(w->t.all, 0, n->n_terms * sizeof *w->t.all);
    memset(w->t.left, 0, n->n_terms * sizeof *w->t.left);
    for (uint32_t i = 0; i < w->n_left; i++)
        count_document(w, w->t.left, i, 1);
    for (uint32_t i = w->n_left; i < n->n; i++)
        count_document(w, w->t.all, i, 1);
    for (uint32_t t = 0; t < n->n_terms; t++)
        w->t.all[t] += w->t.left[t];
}

static void weigh_terms(const work *w, uint32_t from, uint32_t to)
{
    const int32_t *steps = w->s->steps;
    for (uint32_t t = from; t < to; t++) {
        int64_t left = w->t.left[t], right = (int64_t)w->t.all[t] - left;
        w->t.from_left[t] = steps[right] - steps[left - 1];
        w->t.from_right[t] = steps[right - 1] - steps[left];
    }
}

/* Four sums, so that no addition waits for the one before. Gathers of AVX2 and AVX-512 were tried: loads
 * one by one are faster, or as fast, in the sizes of table that were tried. */
static int32_t sum_some(const int32_t *weights, const uint32_t *terms, uint32_t n)
{
    int32_t a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += weights[terms[i]];
        b += weights[terms[i + 1]];
        c += weights[terms[i + 2]];
        d += weights[terms[i + 3]];
    }
    for (; i < n; i++)
        a += weights[terms[i]];
    return a + b + c + d;
}

static int32_t sum_of(const int32_t *weights, const uint32_t *terms, uint32_t n)
{
    int64_t sum = 0;
    for (; n > SUM_TERMS; n -= SUM_TERMS, terms += SUM_TERMS)
        sum += sum_some(weights, terms, SUM_TERMS);
    sum += sum_some(weights, terms, n);
    return sum > KEY_MOST ? KEY_MOST : sum < -KEY_MOST ? -KEY_MOST : (int32_t)sum;
}

static void weigh_documents(const work *w, uint32_t from, uint32_t to)
{
    const int32_t *weights[2] = {w->t.from_left, w->t.from_right};
    for (uint32_t i = from; i < to; i++) {
        const rp__bisection_doc *d = &w->docs[i];
        int32_t sum = sum_of(weights[w->is_right[i]], w->terms + d->begin, d->n);
        sum += w->is_right[i] ? w->stay : -w->stay;
        w->keys[i] = ((uint32_t)sum ^ 1U << 31) & ~1U;
        w->keys[i] |= w->is_right[i];
    }
}

/* The n_left-th smallest key, a digit at a time. Where sums are equal a document stays. */
static void part(work *w)
{
    enum { DIGIT = 8 };
    uint32_t left = w->n_left, known = 0, mask = 0;
    for (uint32_t shift = 32; shift > 0;) {
        uint32_t counts[1 << DIGIT] = {0}, digit = 0;
        shift -= DIGIT;
        for (uint32_t i = 0; i < w->node->n; i++)
            if ((w->keys[i] & mask) == known)
                counts[w->keys[i] >> shift & ((1 << DIGIT) - 1)]++;
        for (; counts[digit] < left; digit++)
            left -= counts[digit];
        known |= digit << shift;
        mask |= ((1U << DIGIT) - 1) << shift;
    }
    w->key = known;
    w->n_equal = left;
}

/* At most half of a half moves: where more would, the halves are alike, and to change all that they hold
 * would change nothing. */
static void exchange(work *w)
{
    uint32_t most = w->n_left / 2 + 1, to[2] = {0, 0};
    w->moved = 0;
    for (uint32_t i = 0; i < w->node->n; i++) {
        bool is_equal = w->keys[i] == w->key && w->n_equal > 0;
        bool is_right = w->keys[i] >= w->key && !is_equal;
        w->n_equal -= is_equal;
        if (is_right == w->is_right[i] || to[is_right]++ >= most)
            continue;
        w->is_right[i] = is_right;
        w->moved++;
        count_document(w, w->t.left, i, is_right ? (uint32_t)-1 : 1U);
    }
}

static void run_weigh_terms(void *arg, uint32_t worker)
{
    const work *w = arg;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&w->s->next, 1) * TERM_SHARE) < w->node->n_terms;) {
        size_t end = i + TERM_SHARE < w->node->n_terms ? i + TERM_SHARE : w->node->n_terms;
        weigh_terms(w, (uint32_t)i, (uint32_t)end);
    }
}

static void run_weigh_documents(void *arg, uint32_t worker)
{
    const work *w = arg;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&w->s->next, 1) * SHARE) < w->node->n;) {
        size_t end = i + SHARE < w->node->n ? i + SHARE : w->node->n;
        weigh_documents(w, (uint32_t)i, (uint32_t)end);
    }
}

static void weigh_together(work *w)
{
    atomic_store(&w->s->next, 0);
    rp_status status = rp__thread_run(w->s->b->threads, run_weigh_terms, w);
    atomic_store(&w->s->next, 0);
    if (status == RP_OK)
        status = rp__thread_run(w->s->b->threads, run_weigh_documents, w);
    if (status != RP_OK)
        atomic_store(&w->s->has_failed, true);
}

static bool is_over(const bisection *s)
{
    return atomic_load_explicit(&s->has_failed, memory_order_relaxed) ||
           atomic_load_explicit(&s->is_stopped, memory_order_relaxed);
}

static void report(bisection *s)
{
    const rp__bisection *b = s->b;
    uint64_t done = atomic_load_explicit(&s->done, memory_order_relaxed);
    if (b->on_progress && !b->on_progress(b->progress_arg, done, s->of))
        atomic_store(&s->is_stopped, true);
}

/* Documents that are like each other would change places for ever, each for the sake of where the other
 * was: what a move must gain rises until nothing moves. */
static bool begin_iteration(work *w, uint32_t i)
{
    w->stay = i > LIVELY ? (int32_t)(i - LIVELY) * STAY : 0;
    return i < w->s->iterations && !is_over(w->s);
}

/* False: nothing has moved. */
static bool end_iteration(work *w)
{
    atomic_fetch_add_explicit(&w->s->passed, w->postings, memory_order_relaxed);
    part(w);
    exchange(w);
    if (w->is_watched && w->node->n > SHARE)
        report(w->s);
    return w->moved > 0;
}

static void iterate_alone(work *w)
{
    for (uint32_t i = 0; begin_iteration(w, i); i++) {
        weigh_terms(w, 0, w->node->n_terms);
        weigh_documents(w, 0, w->node->n);
        if (!end_iteration(w))
            return;
    }
}

static void iterate_together(work *w)
{
    for (uint32_t i = 0; begin_iteration(w, i); i++) {
        weigh_together(w);
        if (is_over(w->s) || !end_iteration(w))
            return;
    }
}

/* ---- Children ---------------------------------------------------------------------------------- */

/* New numbers for the terms that at least two documents of a half have; returns how many. */
static uint32_t number_terms(const work *w, bool is_right, uint32_t *numbers)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < w->node->n_terms; t++) {
        uint32_t has = is_right ? w->t.all[t] - w->t.left[t] : w->t.left[t];
        numbers[t] = has > 1 ? n++ : NONE;
    }
    return n;
}

/* Writes the half's documents from `low` on and their terms from `base` on; returns where those end. */
static uint64_t write_half(const work *w, bool is_right, node *child)
{
    uint32_t *numbers = (uint32_t *)w->t.from_left; /* the weights have done their work */
    rp__bisection_doc *doc = w->s->docs[1] + child->low;
    uint32_t *out = w->s->terms[1] + child->base;
    child->n_terms = number_terms(w, is_right, numbers);
    for (uint32_t i = 0; i < w->node->n; i++) {
        if (w->is_right[i] != is_right)
            continue;
        const uint32_t *term = w->terms + w->docs[i].begin, *end = term + w->docs[i].n;
        uint32_t *begin = out;
        for (; term < end; term++) {
            *out = numbers[*term];
            out += *out != NONE;
        }
        *doc++ = (rp__bisection_doc){(uint64_t)(begin - w->s->terms[1]), (uint32_t)(out - begin),
                                     w->docs[i].docid};
    }
    return (uint64_t)(out - w->s->terms[1]);
}

static work begin_node(bisection *s, const node *n, uint32_t worker)
{
    work w = {.s = s,
              .node = n,
              .docs = s->docs[0] + n->low,
              .terms = s->terms[0],
              .keys = s->keys + n->low,
              .is_right = s->is_right + n->low,
              .t = s->tables[worker],
              .n_left = (n->n + 1) / 2};
    for (uint32_t i = 0; i < n->n; i++) {
        w.is_right[i] = i >= w.n_left;
        w.postings += w.docs[i].n;
    }
    count_all(&w);
    return w;
}

static void end_node(const work *w, node children[2])
{
    const node *n = w->node;
    children[0] = (node){.low = n->low, .n = w->n_left, .base = n->base};
    children[1] = (node){.low = n->low + w->n_left, .n = n->n - w->n_left};
    children[1].base = write_half(w, false, &children[0]);
    write_half(w, true, &children[1]);
    atomic_fetch_add_explicit(&w->s->done, n->n, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->s->passed_levels, w->postings, memory_order_relaxed);
}

/* ---- Levels ------------------------------------------------------------------------------------ */

static void run_nodes(void *arg, uint32_t worker)
{
    bisection *s = arg;
    for (size_t i; !is_over(s) && (i = atomic_fetch_add(&s->next, 1)) < s->n_nodes;) {
        work w = begin_node(s, &s->nodes[i], worker);
        w.is_watched = worker + 1 == s->b->threads;
        iterate_alone(&w);
        end_node(&w, &s->children[2 * i]);
        if (w.is_watched)
            report(s);
    }
}

/* Few nodes have all threads each; of many, each thread takes one. */
static void halve_level(bisection *s)
{
    uint32_t threads = s->b->threads;
    if (s->n_nodes >= threads) {
        atomic_store(&s->next, 0);
        if (rp__thread_run(threads, run_nodes, s) != RP_OK)
            atomic_store(&s->has_failed, true);
        return;
    }
    for (size_t i = 0; i < s->n_nodes && !is_over(s); i++) {
        work w = begin_node(s, &s->nodes[i], 0);
        w.is_watched = true;
        iterate_together(&w);
        end_node(&w, &s->children[2 * i]);
        report(s);
    }
}

/* Children that are large enough become nodes; the others are in their final order. */
static void take_children(bisection *s)
{
    size_t n = 0;
    for (size_t i = 0; i < 2 * s->n_nodes; i++) {
        const node *c = &s->children[i];
        if (c->n > s->leaf) {
            s->nodes[n++] = *c;
            continue;
        }
        for (uint32_t d = 0; d < c->n; d++)
            s->order[c->low + d] = s->docs[1][c->low + d].docid;
    }
    s->n_nodes = n;
    rp__bisection_doc *docs = s->docs[0];
    uint32_t *terms = s->terms[0];
    s->docs[0] = s->docs[1];
    s->docs[1] = docs;
    s->terms[0] = s->terms[1];
    s->terms[1] = terms;
}

static uint32_t count_levels(uint32_t n, uint32_t leaf)
{
    uint32_t levels = 0;
    for (; n > leaf; n = (n + 1) / 2)
        levels++;
    return levels;
}

static void halve_all(bisection *s)
{
    s->n_nodes = s->b->n_docs > s->leaf;
    s->nodes[0] = (node){.n = s->b->n_docs, .n_terms = s->b->n_terms};
    s->of = (uint64_t)count_levels(s->b->n_docs, s->leaf) * s->b->n_docs;
    for (uint32_t i = 0; s->n_nodes == 0 && i < s->b->n_docs; i++)
        s->order[i] = s->b->docs[i].docid;
    for (; s->n_nodes > 0 && !is_over(s); s->stats.levels++) {
        halve_level(s);
        if (!is_over(s))
            take_children(s);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static size_t most_nodes(const rp__bisection *b)
{
    uint32_t leaf = b->leaf ? b->leaf : LEAF;
    return (size_t)b->n_docs / (leaf / 2 + 1) + 2;
}

uint64_t rp__bisection_bytes(const rp__bisection *b)
{
    uint64_t docs = b->n_docs, per_term = sizeof(uint32_t) * 2 + sizeof(int32_t) * 2;
    uint64_t per_doc =
        sizeof(rp__bisection_doc) + sizeof(uint32_t) + sizeof(uint8_t) + sizeof(int32_t);
    return b->postings * sizeof(uint32_t) + (docs + 2) * per_doc +
           3 * most_nodes(b) * sizeof(node) + b->threads * (b->n_terms * per_term + sizeof(tables));
}

static bool get_tables(tables *t, uint32_t n)
{
    t->all = rp__alloc_array(n, sizeof *t->all);
    t->left = rp__alloc_array(n, sizeof *t->left);
    t->from_left = rp__alloc_array(n, sizeof *t->from_left);
    t->from_right = rp__alloc_array(n, sizeof *t->from_right);
    return t->all && t->left && t->from_left && t->from_right;
}

static bool get_memory(bisection *s, rp__bisection_doc **docs, uint32_t **terms)
{
    const rp__bisection *b = s->b;
    size_t n = b->n_docs;
    *docs = rp__alloc_array(n, sizeof **docs);
    *terms = rp__alloc_array((size_t)b->postings, sizeof **terms);
    s->keys = rp__alloc_array(n, sizeof *s->keys);
    s->is_right = rp__alloc(n);
    s->steps_memory = rp__alloc_array(n + 2, sizeof *s->steps_memory);
    s->nodes = rp__alloc_array(most_nodes(b), sizeof *s->nodes);
    s->children = rp__alloc_array(2 * most_nodes(b), sizeof *s->children);
    s->tables = rp__alloc_zero(b->threads, sizeof *s->tables);
    bool has = *docs && *terms && s->keys && s->is_right && s->steps_memory && s->nodes &&
               s->children && s->tables;
    for (uint32_t i = 0; has && i < b->threads; i++)
        has = get_tables(&s->tables[i], b->n_terms);
    return has;
}

static void give_back(bisection *s, rp__bisection_doc *docs, uint32_t *terms)
{
    for (uint32_t i = 0; s->tables && i < s->b->threads; i++) {
        rp__free(s->tables[i].all);
        rp__free(s->tables[i].left);
        rp__free(s->tables[i].from_left);
        rp__free(s->tables[i].from_right);
    }
    rp__free(s->tables);
    rp__free(s->children);
    rp__free(s->nodes);
    rp__free(s->steps_memory);
    rp__free(s->is_right);
    rp__free(s->keys);
    rp__free(terms);
    rp__free(docs);
}

rp_status rp__bisection_run(const rp__bisection *b, uint32_t *order, rp__bisection_stats *stats)
{
    bisection s = {.b = b, .order = order};
    rp__bisection_doc *docs = NULL;
    uint32_t *terms = NULL;
    s.iterations = b->iterations ? b->iterations : ITERATIONS;
    s.leaf = b->leaf ? b->leaf : LEAF;
    bool has = get_memory(&s, &docs, &terms);
    if (has) {
        s.docs[0] = b->docs;
        s.docs[1] = docs;
        s.terms[0] = b->terms;
        s.terms[1] = terms;
        fill_steps(&s);
        halve_all(&s);
        s.stats.passed_iterations = atomic_load(&s.passed);
        s.stats.passed_levels = atomic_load(&s.passed_levels);
    }
    if (stats)
        *stats = s.stats;
    give_back(&s, docs, terms);
    if (!has || atomic_load(&s.has_failed))
        return RP_NO_MEMORY;
    return atomic_load(&s.is_stopped) ? RP_INTERRUPTED : RP_OK;
}
