/* and_group.c: ANDs and phrases that share a launch: which lists they read, and what comes of it. */
#include "backend/gpu/exec/and_group.h"

#include <string.h>

#include "backend/gpu/exec/phrase_verify.h"

enum {
    BYTES_MAX = 1 << 18, /* of their terms */
    PAIRS_MAX = 1 << 17, /* of all of them: pinning memory for more takes longer than it saves */
};

typedef rp__flight flight;

static bool is_phrase(const flight *f)
{
    return f->row->id == RP_LAUNCH_PHRASE_BATCH;
}

static rp__fused_and *batch_of(const flight *f)
{
    return is_phrase(f) ? &f->exec->phrases : &f->exec->ands;
}

/* Pairs of a query; all documents of a phrase are wanted, up to a limit. */
static uint32_t pairs_of(const flight *f)
{
    return is_phrase(f) ? RP_FUSED_AND_PHRASE : (uint32_t)f->exec->prototype->k;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

/* The batch is made for the pairs that are wanted, and made anew where they are more. A query alone has one of its own
 * size. */
rp_status rp__and_group_begin(flight *f)
{
    rp__fused_and *b = batch_of(f);
    rp__residency *residency = f->exec->index->residency;
    const uint32_t queries = f->exec->in_group ? f->row->max_queries : 1;
    const size_t all = (size_t)queries * pairs_of(f), pairs = all < PAIRS_MAX ? all : PAIRS_MAX;
    rp_status status = RP_OK;
    f->own = rp__arena_array(f->exec->arena, f->n, sizeof(rp__batch_item *));
    if (!f->own)
        return rp__exec_no_memory(f);
    if (!b->device || b->limits.pairs < pairs) {
        rp__fused_and_close(b);
        rp__fused_and_limits limits = {
            .queries = queries,
            .elements = residency->limit ? 0 : RP_LAUNCH_ELEMENTS_MAX,
            .k = pairs_of(f),
            .pairs = pairs,
            .bytes = f->exec->in_group ? BYTES_MAX : KARG_MAX_TERMS * sizeof(karg_and_term),
            .lease = &f->lease};
        status = rp__fused_and_open(b, f->exec->device, &limits);
        if (status == RP_OK)
            rp__lease_open(&f->lease, residency, f->exec->device, b->stream, true);
    }
    return status == RP_OK ? rp__fused_and_finish(b) : status;
}

/* Postings of the shortest lists; of all that were added, where they share the launch. */
static uint64_t count_elements(const flight *f)
{
    const rp__exec_queue *queue = &f->exec->queues[f->row->id];
    uint64_t sum = 0;
    if (f->items == queue->items && f->n == queue->n)
        return queue->elements;
    for (size_t i = 0; i < f->n; i++) {
        const rp__query *query = &f->items[i]->query;
        uint32_t shortest = UINT32_MAX;
        for (size_t w = 0; w < query->n_words; w++)
            if (query->words[w].term.df < shortest)
                shortest = query->words[w].term.df;
        sum += shortest;
    }
    return sum;
}

rp_status rp__and_group_scratch(flight *f)
{
    return rp__fused_and_hold(batch_of(f), count_elements(f), (uint32_t)f->n, pairs_of(f));
}

/* As many queries as their pairs have room for, and as are likely to fit: most lists are there already, or are read as
 * they are stored. */
size_t rp__and_group_fit(const rp__exec *exec, rp__batch_item *const *items, size_t n)
{
    enum { SPARSE_GAP = 64, LIKELY = 4 };
    const rp__residency *r = exec->index->residency;
    const size_t k = exec->prototype->k, max = k ? PAIRS_MAX / k : n;
    uint64_t bytes = 0;
    n = n < max ? n : max;
    for (size_t i = 0; i < n && r->is_scarce; i++) {
        const rp__query *query = &items[i]->query;
        for (size_t w = 0; w < query->n_words; w++) {
            const rp__term *term = &query->words[w].term;
            bytes += r->is_whole ? 0 : term->list_bytes;
            bytes += r->n_docs / (term->df + 1) < SPARSE_GAP ? 0 : 2 * sizeof(uint32_t) * term->df;
        }
        if (i > 0 && bytes / LIKELY > rp__lease_share(r))
            return i;
    }
    return n;
}

/* All terms of the launch. */
rp_status rp__and_group_name_lists(flight *f)
{
    rp__launch_lists *l = &f->lists;
    size_t max = 0;
    for (size_t i = 0; i < f->n; i++)
        max += f->items[i]->query.n_words;
    l->names = rp__arena_array(f->exec->arena, max, sizeof *l->names);
    l->n_names = 0;
    if (!l->names)
        return rp__exec_no_memory(f);
    for (size_t i = 0; i < f->n; i++)
        for (size_t w = 0; w < f->items[i]->query.n_words; w++)
            l->names[l->n_names++] = &f->items[i]->query.words[w].term;
    return RP_OK;
}

/* ---- Queries ------------------------------------------------------------------------------------ */

/* The lists of a query a few after that one will be looked up soon. Those that have slots are expected since the query was
 * added. */
static void look_ahead(const flight *f, size_t i)
{
    enum { AHEAD = 4 };
    if (f->lists.lookup.has_slots)
        return;
    for (size_t far = 0; far < 2; far++) {
        size_t at = i + (far + 1) * AHEAD;
        const rp__query *query = at < f->n ? &f->items[at]->query : NULL;
        for (size_t w = 0; query && w < query->n_words; w++)
            rp__lookup_lists_expect(&f->lists.lookup, &query->words[w].term, far);
    }
}

/* Puts a term among n, the shortest list first. RP_DAMAGED: kernels cannot have its list. */
static rp_status put_term(const flight *f, const rp__term *term, float weight, karg_and_term *terms,
                          uint32_t n)
{
    rp__slot_list list;
    if (!rp__lookup_lists_look(&f->lists.lookup, term, &list))
        return RP_NOT_FOUND;
    if (!list.at)
        return RP_DAMAGED;
    for (; n > 0 && terms[n - 1].n > list.n; n--)
        terms[n] = terms[n - 1];
    terms[n] = (karg_and_term){list.at, weight, list.n};
    return RP_OK;
}

/* Terms of a phrase weigh nothing, so that documents come by rising docid. */
static rp_status put_terms(const flight *f, const rp__query *query, karg_and_term *terms,
                           uint32_t *n)
{
    float scale = rp__rank_scale(query->fraction_bits);
    rp_status status = RP_OK;
    if (is_phrase(f)) {
        const rp__leaf *leaf = &query->leaves[query->ops[1].leaf];
        for (*n = 0; *n < leaf->n_words && status == RP_OK; ++*n)
            status = put_term(f, &query->words[leaf->word + *n].term, 0, terms, *n);
        return status;
    }
    for (*n = 0; *n < query->n_ops - 2 && status == RP_OK; ++*n) {
        const rp__leaf *leaf = &query->leaves[query->ops[*n + 1].leaf];
        status =
            put_term(f, &query->words[leaf->word].term, leaf->weight.weight * scale, terms, *n);
    }
    return status;
}

/* Postings that may be decoded: of the shortest list, and of others at most a block a document. */
static uint64_t count_postings(const karg_and_term *terms, uint32_t n)
{
    uint64_t sum = 0, max = n > 0 ? (uint64_t)terms[0].n * RP_BLOCK : 0;
    for (uint32_t i = 0; i < n; i++)
        sum += i == 0 || terms[i].n < max ? terms[i].n : max;
    return sum;
}

/* A query with a list that kernels cannot have is left out. */
static rp_status add_query(const flight *f, rp__batch_item *item)
{
    karg_and_term here[KARG_MAX_TERMS];
    rp__batch_item **added = f->own;
    rp__fused_and *b = batch_of(f);
    karg_and_term *next = rp__fused_and_next(b), *terms = next ? next : here;
    uint32_t n = 0;
    rp_status status = put_terms(f, &item->query, terms, &n);
    if (status == RP_DAMAGED) {
        rp__exec_refuse(item, RP_FALLBACK_DAMAGED);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    item->answer.postings = count_postings(terms, n);
    added[b->n_queries] = item;
    return rp__fused_and_add(b, terms, n) ? RP_OK : RP_NO_MEMORY;
}

rp_status rp__and_group_find(flight *f)
{
    const rp__query *query = f->exec->prototype;
    uint32_t end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    rp_status status = RP_OK;
    rp__fused_and_begin(batch_of(f), &f->lists.norms, pairs_of(f), query->begin, end);
    batch_of(f)->is_iiu = rp__launch_lists_are_iiu(f);
    for (size_t i = 0; i < f->n && status == RP_OK; i++) {
        look_ahead(f, i);
        status = add_query(f, f->items[i]);
    }
    return status;
}

/* ---- The launch, and answers -------------------------------------------------------------------- */

rp_status rp__and_group_launch(flight *f)
{
    rp__fused_and *b = batch_of(f);
    rp__persistent_kernel_dismiss(&f->exec->single.stage.kernel); /* the launch would wait for it */
    rp_status status = rp__fused_and_start(b);
    return status == RP_OK && !f->exec->in_group ? rp__fused_and_await(b) : status;
}

bool rp__and_group_is_done(const flight *f)
{
    return rp__fused_and_is_done(batch_of(f));
}

rp_status rp__and_group_wait(flight *f)
{
    rp_status status = rp__fused_and_finish(batch_of(f));
    f->exec->start_ns += rp__fused_and_start_ns(batch_of(f));
    return status;
}

static rp__scored *scored_of(const flight *f, uint32_t i)
{
    union {
        const karg_pair *in;
        rp__scored *out;
    } pairs = {.in = rp__fused_and_pairs_of(batch_of(f), i)};
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    return pairs.out;
}

/* The device's pairs are the answer where they are, of the last launch of a group; others are copied. */
rp_status rp__and_group_take(flight *f)
{
    const rp__exec_queue *queue = &f->exec->queues[RP_LAUNCH_AND_BATCH];
    const bool is_kept = f->exec->in_group && queue->next == queue->n;
    rp__batch_item **added = f->own;
    for (uint32_t i = 0; i < batch_of(f)->n_queries; i++) {
        rp__answer *answer = &added[i]->answer;
        const rp__fused_and_count *count = rp__fused_and_count_of(batch_of(f), i);
        answer->at = scored_of(f, i);
        answer->n = count->n_pairs;
        answer->total = count->n;
        if (count->damaged)
            rp__exec_refuse(added[i], RP_FALLBACK_DAMAGED);
        if (is_kept || answer->n == 0 || count->damaged)
            continue;
        rp__scored *copy = rp__arena_array(f->exec->arena, answer->n, sizeof *copy);
        if (copy)
            memcpy(copy, answer->at, answer->n * sizeof *copy);
        else
            rp__exec_refuse(added[i], RP_FALLBACK_HOST_MEMORY);
        answer->at = copy;
    }
    return RP_OK;
}

static rp_fallback take_phrase(const flight *f, uint32_t i, rp__batch_item *item)
{
    const rp__fused_and_count *count = rp__fused_and_count_of(batch_of(f), i);
    if (count->damaged)
        return RP_FALLBACK_DAMAGED;
    if (count->n != count->n_pairs)
        return RP_FALLBACK_PHRASE;
    rp_status status =
        rp__phrase_verify(&item->query, scored_of(f, i), count->n, f->exec->arena, &item->answer);
    return status == RP_OK          ? RP_FALLBACK_NONE
           : status == RP_NO_MEMORY ? RP_FALLBACK_HOST_MEMORY
                                    : RP_FALLBACK_DAMAGED;
}

rp_status rp__and_group_take_phrases(flight *f)
{
    rp__batch_item **added = f->own;
    for (uint32_t i = 0; i < batch_of(f)->n_queries; i++)
        rp__exec_refuse(added[i], take_phrase(f, i, added[i]));
    return RP_OK;
}

rp_status rp__and_group_settle(flight *f)
{
    return rp__fused_and_settle(batch_of(f));
}
