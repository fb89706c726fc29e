/* order_bp.c: the order of recursive graph bisection: turns lists of documents into documents with terms.
 *
 * Terms that few documents have tell little for what they cost, and those that most have tell nothing; both are left
 * out. The rest are numbered by falling df, so that those which all documents ask for lie together.
 * What is decoded twice must be the same both times: it is checked, because the file may change. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "engine/bisection.h"
#include "engine/order.h"

enum { DF_LEAST = 4, ARENA_BYTES = 1 << 20 };

typedef struct graph {
    const rp__order_job *job;
    rp__bisection b;
    uint32_t least, most; /* df of the terms that count */
    uint32_t longest;
    uint32_t *numbers; /* of the terms that count, in the order of the dictionary */
    uint32_t *docids;  /* of one list */
    rp__arena arena;
    rp__term_iter iter;
} graph;

static bool counts(const graph *g, const rp__term *entry)
{
    return entry->df >= g->least && entry->df <= g->most;
}

/* RP_NOT_FOUND after the last. */
static rp_status next_term(graph *g)
{
    rp_status status;
    do
        status = rp__term_iter_next(&g->iter);
    while (status == RP_OK && !counts(g, &g->iter.entry));
    return status;
}

static rp_status run_measure(void *arg)
{
    graph *g = arg;
    rp_status status = rp__term_iter_start(&g->iter, g->job->from, "", 0);
    while (status == RP_OK && (status = next_term(g)) == RP_OK) {
        const rp__term *entry = &g->iter.entry;
        g->b.postings += entry->df;
        g->b.n_terms++;
        g->longest = entry->df > g->longest ? entry->df : g->longest;
    }
    return status == RP_NOT_FOUND ? RP_OK : status;
}

/* Numbers by falling df: how many terms have more documents, and the same before this one. */
static rp_status number_terms(graph *g, uint32_t *with_df)
{
    uint32_t n = 0, sum = 0;
    rp_status status = rp__term_iter_start(&g->iter, g->job->from, "", 0);
    while (status == RP_OK && (status = next_term(g)) == RP_OK) {
        if (n == g->b.n_terms || g->iter.entry.df > g->longest)
            return RP_DAMAGED;
        g->numbers[n++] = g->iter.entry.df;
        with_df[g->iter.entry.df]++;
    }
    if (status != RP_NOT_FOUND || n != g->b.n_terms)
        return RP_DAMAGED;
    for (uint32_t df = g->longest + 1; df-- > 0;) {
        uint32_t count = with_df[df];
        with_df[df] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        g->numbers[i] = with_df[g->numbers[i]]++;
    return RP_OK;
}

static rp_status decode(graph *g, uint32_t *n)
{
    rp__list list;
    const rp__term *entry = &g->iter.entry;
    rp__arena_clear(&g->arena);
    rp_status status = entry->df <= g->longest
                           ? rp__segment_list(g->job->from, entry, &g->arena, &list)
                           : RP_DAMAGED;
    *n = entry->df;
    return status == RP_OK ? rp__list_decode(&list, g->docids, NULL) : status;
}

/* How many terms each document has. */
static rp_status run_count(void *arg)
{
    graph *g = arg;
    uint32_t n;
    rp_status status = number_terms(g, g->docids);
    if (status == RP_OK)
        status = rp__term_iter_start(&g->iter, g->job->from, "", 0);
    while (status == RP_OK && (status = next_term(g)) == RP_OK) {
        status = decode(g, &n);
        for (uint32_t i = 0; status == RP_OK && i < n; i++)
            g->b.docs[g->docids[i]].n++;
    }
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status place_documents(graph *g)
{
    uint64_t sum = 0;
    for (uint32_t d = 0; d < g->b.n_docs; d++) {
        rp__bisection_doc *doc = &g->b.docs[d];
        doc->docid = d;
        doc->begin = sum;
        sum += doc->n;
        doc->n = 0;
    }
    return sum == g->b.postings ? RP_OK : RP_DAMAGED;
}

static bool put_term(graph *g, uint32_t docid, uint32_t number)
{
    rp__bisection_doc *doc = &g->b.docs[docid];
    uint64_t end = docid + 1 < g->b.n_docs ? doc[1].begin : g->b.postings;
    uint64_t at = doc->begin + doc->n;
    if (at >= end)
        return false;
    g->b.terms[at] = number;
    doc->n++;
    return true;
}

static rp_status run_fill(void *arg)
{
    graph *g = arg;
    uint32_t n, term = 0;
    rp_status status = rp__term_iter_start(&g->iter, g->job->from, "", 0);
    for (; status == RP_OK && (status = next_term(g)) == RP_OK; term++) {
        status = term < g->b.n_terms ? decode(g, &n) : RP_DAMAGED;
        for (uint32_t i = 0; status == RP_OK && i < n; i++)
            if (!put_term(g, g->docids[i], g->numbers[term]))
                status = RP_DAMAGED;
    }
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status damaged(rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "the index is damaged; run 'riposte check' on it");
}

static rp_status fill(graph *g, rp_error *err)
{
    const rp__bisection *b = &g->b;
    uint64_t room = (uint64_t)g->longest + RP_BLOCK_CAPACITY;
    uint64_t bytes = b->postings * sizeof *b->terms + b->n_docs * sizeof *b->docs +
                     (b->n_terms + room) * sizeof(uint32_t) + ARENA_BYTES + rp__bisection_bytes(b);
    rp_status status = rp__order_need(g->job, bytes, err);
    if (status != RP_OK)
        return status;
    g->b.docs = rp__alloc_zero(b->n_docs, sizeof *b->docs);
    g->b.terms = rp__alloc_array((size_t)b->postings, sizeof *b->terms);
    g->numbers = rp__alloc_array(b->n_terms, sizeof *g->numbers);
    g->docids = rp__alloc_zero((size_t)room, sizeof *g->docids);
    if (!g->b.docs || !g->b.terms || !g->numbers || !g->docids)
        return rp__error_no_memory(err);
    status = rp__mapping_guard(run_count, g);
    if (status == RP_OK)
        status = place_documents(g);
    if (status == RP_OK)
        status = rp__mapping_guard(run_fill, g);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return status == RP_OK ? RP_OK : damaged(err);
}

static rp_status bisect(graph *g, rp_error *err)
{
    rp__recode_watch watch = *g->job->watch;
    watch.phase = "bisecting";
    g->b.on_progress = rp__recode_report;
    g->b.progress_arg = &watch;
    rp_status status = rp__bisection_run(&g->b, g->job->order, NULL);
    if (status == RP_INTERRUPTED)
        return rp__error_set(err, status, "interrupted; nothing was changed");
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}

rp_status rp__order_bp(const rp__order_job *job, rp_error *err)
{
    graph g = {.job = job, .b = {.n_docs = job->n, .threads = job->o.threads}};
    g.least = DF_LEAST;
    g.most = job->n - job->n / 10;
    rp__arena_init(&g.arena, ARENA_BYTES);
    rp_status status = rp__mapping_guard(run_measure, &g) == RP_OK ? RP_OK : damaged(err);
    if (status == RP_OK)
        status = fill(&g, err);
    rp__free(g.numbers);
    rp__free(g.docids);
    rp__arena_reset(&g.arena);
    if (status == RP_OK)
        status = bisect(&g, err);
    rp__free(g.b.docs);
    rp__free(g.b.terms);
    return status;
}
