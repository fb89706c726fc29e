/* gpu_batch.c: many queries at once: which of them a device answers, by which launch, and what comes of it.
 *
 * Flat ANDs and single words go by fused_and.c when the batch is started, flat ORs by fused_or.c when it is finished. Of a
 * phrase the device finds the documents that hold all its words, and the host looks into them (phrase_verify.c). A group whose
 * lists and scratch do not fit together is cut into launches whose do: the first goes when the batch is started, the others
 * when it is finished, and a query that does not fit in any goes by gpu_query.c. What is not for the device, or fits nowhere,
 * comes back with RP_UNAVAILABLE or RP_NO_MEMORY and the reason, so that the caller asks another processor. Work for the
 * group is counted with the first query of it that the device is asked for.
 * The guard of mapped memory may leave this file wherever it reads a list: what was taken by then is a lease's, which
 * gives it back when it begins again. */
#include "backend/gpu/gpu_batch.h"

#include <string.h>

#include "backend/gpu/exec/phrase_verify.h"
#include "base/error.h"

enum {
    QUERIES_MAX = 1024,  /* of a launch */
    PHRASES_MAX = 64,    /* and of one for phrases, which may have RP_FUSED_AND_K documents each */
    BYTES_MAX = 1 << 18, /* that queries bring along */
    ELEMENTS_MAX = 1 << 25, /* of their shortest lists, where memory is not limited */
    TRIES = 4,              /* to bring lists, where others evict them meanwhile */
};

typedef rp__gpu_group fill;

/* RP_FALLBACK_NONE: nothing has failed. */
rp_fallback rp__gpu_batch_reason(rp__gpu_batch *b, rp_status status)
{
    return status == RP_OK ? RP_FALLBACK_NONE : rp__device_fallback(&b->device, status);
}

void rp__gpu_batch_refuse(rp__asked *asked, rp_fallback why)
{
    bool is_memory = why == RP_FALLBACK_MEMORY || why == RP_FALLBACK_HOST_MEMORY;
    asked->answer.fallback = why;
    asked->status = why == RP_FALLBACK_NONE ? RP_OK : is_memory ? RP_NO_MEMORY : RP_UNAVAILABLE;
}

void rp__gpu_batch_drop_stopped(const fill *f, rp__gpu_queue *queue)
{
    if (f->b->has_stops)
        queue->n = queue->next +
                   rp__stop_drop(f->asked, queue->asked + queue->next, queue->n - queue->next);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Once for all batches: it takes longer than a batch. */
static rp_status load_kernels(rp__device *device)
{
    rp_status status = rp__device_enter(device);
    if (status == RP_OK)
        status = rp__device_load(device, RP_KERNEL_and_top_kernel);
    return status == RP_OK ? rp__device_load(device, RP_KERNEL_and_top_rank_kernel) : status;
}

rp_status rp__gpu_batch_open(rp__gpu_batch *b, const rp__gpu_index *index, rp_error *err)
{
    *b = (rp__gpu_batch){.index = index};
    rp_status status = load_kernels(index->device);
    if (status == RP_OK)
        status = rp__device_twin(&b->device, index->device, err);
    if (status != RP_OK)
        return status;
    memcpy(b->device.functions, index->device->functions, sizeof b->device.functions);
    rp__gpu_query_open(&b->one, &b->device, index);
    rp__fused_or_open(&b->or, &b->device);
    rp__lease_open(&b->or_lease, index->residency, &b->device, b->device.stream, false);
    b->or.lease = &b->or_lease;
    return RP_OK;
}

void rp__gpu_batch_close(rp__gpu_batch *b)
{
    if (!b->device.context)
        return;
    (void)rp__device_enter(&b->device);
    rp__fused_and_close(&b->all.and);
    rp__fused_and_close(&b->phrases.and);
    rp__lease_close(&b->or_lease);
    rp__fused_or_close(&b->or, b->index->residency);
    rp__gpu_query_close(&b->one);
    rp__device_close(&b->device);
    *b = (rp__gpu_batch){0};
}

/* For a launch of k pairs a query, and none in flight. */
static rp_status open_flight(rp__gpu_batch *b, rp__gpu_flight *to, uint32_t queries, size_t k)
{
    if (to->and.device && to->and.limits.k >= k)
        return rp__fused_and_finish(&to->and);
    rp__fused_and_close(&to->and);
    rp__residency *residency = b->index->residency;
    rp__fused_and_limits limits = {.queries = queries,
                                   .elements = residency->limit ? 0 : ELEMENTS_MAX,
                                   .k = (uint32_t)k,
                                   .bytes = BYTES_MAX,
                                   .lease = &to->lease};
    rp_status status = rp__fused_and_open(&to->and, &b->device, &limits);
    return status == RP_OK ? rp__lease_open(&to->lease, residency, &b->device, to->and.stream, true)
                           : status;
}

/* ---- Forms ----------------------------------------------------------------------------------- */

typedef enum form { FORM_ALL, FORM_ANY, FORM_PHRASE, FORM_LONG, FORM_OTHER } form;

/* One word alone is all that there are. */
static form form_of(const rp__query *query)
{
    size_t n = query->n_ops - 2, n_must = 0, n_should = 0;
    if (query->n_ops < 3)
        return FORM_OTHER;
    if (n == 1 && query->ops[1].kind == RP_OP_PHRASE)
        return FORM_PHRASE;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        if (query->ops[i].kind != RP_OP_TERM)
            return FORM_OTHER;
        n_must += query->ops[i].role == RP_MUST;
        n_should += query->ops[i].role == RP_SHOULD;
    }
    if (n_must != n && n_should != n)
        return FORM_OTHER;
    if (n > KARG_WORDS_MOST)
        return FORM_LONG;
    return n_must == n || n == 1 ? FORM_ALL : FORM_ANY;
}

/* Whether the device has what queries of this kind need, whatever their words. */
static rp_fallback check_kind(const fill *f)
{
    const rp__query *query = f->b->like;
    if (query->rank->ranking->kind != RP_RANK_BM25)
        return RP_FALLBACK_RANKING;
    if (query->algorithm)
        return RP_FALLBACK_ALGORITHM;
    if (query->k > RP_FUSED_AND_K)
        return RP_FALLBACK_K;
    bool has_lengths =
        rp__gpu_index_at(f->b->index, query->lengths.codes) && query->lengths.n_table > 0;
    return has_lengths ? RP_FALLBACK_NONE : RP_FALLBACK_LENGTHS;
}

static bool is_alike(const rp__query *a, const rp__query *b)
{
    return a->k == b->k && a->begin == b->begin && a->end == b->end && a->norms == b->norms &&
           a->rank == b->rank && a->algorithm == b->algorithm;
}

/* ---- Terms ----------------------------------------------------------------------------------- */

/* The terms of a query that the index knows. */
static const rp__term *term_of(const rp__query *query, size_t i)
{
    return query->words[i].term.df > 0 ? &query->words[i].term : NULL;
}

/* Of n queries of a queue from its next one on. */
rp_status rp__gpu_batch_terms(const fill *f, const rp__gpu_queue *queue, size_t n,
                              const rp__term ***out, size_t *n_out)
{
    size_t max = 0;
    *n_out = 0;
    for (size_t i = 0; i < n; i++)
        max += f->asked[queue->asked[queue->next + i]].query.n_words;
    *out = rp__arena_array(f->arena, max, sizeof **out);
    for (size_t i = 0; i < n && *out; i++) {
        const rp__query *query = &f->asked[queue->asked[queue->next + i]].query;
        for (size_t w = 0; w < query->n_words; w++)
            if (term_of(query, w))
                (*out)[(*n_out)++] = term_of(query, w);
    }
    return *out ? RP_OK : RP_NO_MEMORY;
}

/* The lists of a query a few after that one will be asked for soon. */
static void look_ahead(const fill *f, const rp__gpu_queue *queue, const rp__lookup_lists *lists,
                       size_t i)
{
    enum { AHEAD = 4 };
    for (size_t far = 0; far < 2; far++) {
        size_t at = i + (far + 1) * AHEAD;
        const rp__query *query = at < queue->n ? &f->asked[queue->asked[at]].query : NULL;
        for (size_t w = 0; query && w < query->n_words; w++)
            if (term_of(query, w))
                rp__lookup_lists_expect(lists, term_of(query, w), far);
    }
}

/* Norms that are there; *out is good for the lease, which has begun. RP_NOT_FOUND: they are not. */
rp_status rp__gpu_batch_find_norms(rp__gpu_batch *b, rp__lease *lease, karg_norms *out,
                                   uint32_t *serial)
{
    bool is_there = rp__device_norms_find(&b->norms, lease, b->index, b->like, out, serial);
    if (is_there && lease->is_acquiring)
        rp__device_norms_mark(&b->norms, lease);
    return is_there ? RP_OK : RP_NOT_FOUND;
}

/* By a lease that ends. */
rp_status rp__gpu_batch_bring_norms(rp__gpu_batch *b, rp__lease *lease)
{
    karg_norms norms;
    uint32_t serial;
    rp__lease_begin(lease);
    rp_status status = rp__gpu_batch_find_norms(b, lease, &norms, &serial);
    rp__lease_end(lease);
    return status == RP_OK ? RP_OK : rp__device_norms_bring(&b->norms, lease, b->like);
}

/* ---- Words that all must be there ------------------------------------------------------------ */

/* Postings that may be decoded: of the shortest list, and of others at most a block a document. */
static uint64_t count_postings(const karg_and_word *words, uint32_t n)
{
    uint64_t sum = 0, most = n > 0 ? (uint64_t)words[0].n * RP_BLOCK : 0;
    for (uint32_t i = 0; i < n; i++)
        sum += i == 0 || words[i].n < most ? words[i].n : most;
    return sum;
}

static bool are_known(const rp__query *query)
{
    for (size_t i = 0; i < query->n_words; i++)
        if (query->words[i].term.df == 0)
            return false;
    return true;
}

/* A launch that is filled. */
typedef struct launch {
    const fill *f;
    rp__gpu_flight *to;
    rp__gpu_queue *queue;
    bool is_phrase;
    bool has_ors; /* lists of the group's ORs come along, as one launch brings them all */
    size_t n;     /* queries */
    rp__lookup_lists lists;
    karg_norms norms;
} launch;

/* Puts a word among n, the shortest list first. */
static rp_status put_word(const launch *l, const rp__term *term, float weight, karg_and_word *words,
                          uint32_t n)
{
    const rp__resident *list = rp__lookup_lists_find(&l->lists, term);
    if (!list || !list->at)
        return list ? RP_UNAVAILABLE : RP_NOT_FOUND;
    for (; n > 0 && words[n - 1].n > list->n; n--)
        words[n] = words[n - 1];
    words[n] = (karg_and_word){list->at, weight, list->n};
    return RP_OK;
}

/* Words of a phrase weigh nothing, so that documents come by rising docid. */
static rp_status put_words(const launch *l, const rp__query *query, karg_and_word *words,
                           uint32_t *n)
{
    float scale = rp__rank_scale(query->fraction_bits);
    rp_status status = RP_OK;
    if (l->is_phrase) {
        const rp__leaf *leaf = &query->leaves[query->ops[1].leaf];
        for (*n = 0; *n < leaf->n_words && status == RP_OK; ++*n)
            status = put_word(l, &query->words[leaf->word + *n].term, 0, words, *n);
        return status;
    }
    for (*n = 0; *n < query->n_ops - 2 && status == RP_OK; ++*n) {
        const rp__leaf *leaf = &query->leaves[query->ops[*n + 1].leaf];
        status =
            put_word(l, &query->words[leaf->word].term, leaf->weight.weight * scale, words, *n);
    }
    return status;
}

/* RP_NOT_FOUND: a list is not there. A query with a list that kernels cannot have is left out. */
static rp_status add_query(const launch *l, uint32_t place)
{
    rp__asked *asked = &l->f->asked[place];
    karg_and_word words[KARG_WORDS_MOST];
    uint32_t n = 0;
    rp_status status = put_words(l, &asked->query, words, &n);
    if (status == RP_UNAVAILABLE) {
        rp__gpu_batch_refuse(asked, RP_FALLBACK_DAMAGED);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    asked->answer.postings = count_postings(words, n);
    if (!rp__fused_and_add(&l->to->and, words, n))
        return RP_NO_MEMORY;
    l->to->asked[l->to->and.n_queries - 1] = place;
    return RP_OK;
}

static rp_status add_queries(const launch *l)
{
    const rp__query *like = l->f->b->like;
    const rp__gpu_queue *queue = l->queue;
    uint32_t k = l->is_phrase ? RP_FUSED_AND_K : (uint32_t)like->k;
    uint32_t end = like->end < like->lengths.n_docs ? like->end : like->lengths.n_docs;
    rp_status status = RP_OK;
    rp__fused_and_begin(&l->to->and, &l->norms, k, like->begin, end);
    for (size_t i = 0; i < l->n && status == RP_OK; i++) {
        look_ahead(l->f, queue, &l->lists, queue->next + i);
        status = add_query(l, queue->asked[queue->next + i]);
    }
    return status;
}

/* Postings of the shortest lists. */
static uint64_t count_elements(const launch *l)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->n; i++) {
        const rp__query *query = &l->f->asked[l->queue->asked[l->queue->next + i]].query;
        uint32_t shortest = UINT32_MAX;
        for (size_t w = 0; w < query->n_words; w++)
            if (query->words[w].term.df < shortest)
                shortest = query->words[w].term.df;
        sum += shortest;
    }
    return sum;
}

/* Norms and scratch; RP_NOT_FOUND: something is not there. */
static rp_status hold(launch *l)
{
    uint32_t serial, k = l->is_phrase ? RP_FUSED_AND_K : (uint32_t)l->f->b->like->k;
    rp_status status = rp__gpu_batch_find_norms(l->f->b, &l->to->lease, &l->norms, &serial);
    return status == RP_OK ? rp__fused_and_hold(&l->to->and, count_elements(l), (uint32_t)l->n, k)
                           : status;
}

/* Terms of the launch, and of the group's ORs if they come along, in the order of queries. */
static rp_status name_lists(const launch *l, const rp__term ***out, size_t *n)
{
    const fill *f = l->f;
    if (!l->has_ors)
        return rp__gpu_batch_terms(f, l->queue, l->n, out, n);
    rp__gpu_queue both = {.asked = rp__arena_array(f->arena, f->n, sizeof(uint32_t))};
    const rp__gpu_queue *any = &f->b->any_queue;
    size_t i = l->queue->next, j = 0, end = i + l->n;
    while (both.asked && (i < end || j < any->n)) {
        bool is_any = i == end || (j < any->n && any->asked[j] < l->queue->asked[i]);
        both.asked[both.n++] = is_any ? any->asked[j++] : l->queue->asked[i++];
    }
    return both.asked ? rp__gpu_batch_terms(f, &both, both.n, out, n) : RP_NO_MEMORY;
}

/* Brings what is not there. RP_NOT_FOUND: others have evicted something meanwhile. */
static rp_status bring(launch *l)
{
    rp__lease *lease = &l->to->lease;
    const rp__term **terms;
    size_t n;
    rp_status status = rp__gpu_batch_bring_norms(l->f->b, lease);
    if (status == RP_OK)
        status = name_lists(l, &terms, &n);
    if (status != RP_OK)
        return status;
    rp__lease_begin(lease);
    status = rp__lookup_lists_open(&l->lists, terms, n);
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = hold(l);
    if (status == RP_OK)
        status = rp__lookup_lists_take(&l->lists);
    rp__lease_release(lease);
    return status == RP_OK ? rp__lookup_lists_fill(&l->lists) : status;
}

/* Fast, if all is there; otherwise it is brought first. */
static rp_status fill_flight(launch *l)
{
    rp__lease *lease = &l->to->lease;
    rp__lookup_lists_begin(&l->lists, lease, l->f->b->index, l->f->arena);
    rp_status status = rp__lease_enter(lease) ? hold(l) : RP_NOT_FOUND;
    if (status == RP_OK)
        status = add_queries(l);
    l->has_ors = !l->is_phrase && l->f->b->any_queue.n > 0;
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        rp__lookup_lists_begin(&l->lists, lease, l->f->b->index, l->f->arena);
        status = bring(l);
        if (status == RP_OK)
            status = add_queries(l);
        if (status == RP_NO_MEMORY && l->has_ors)
            status = RP_NOT_FOUND;
        l->has_ors = false;
    }
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

/* The next queries of a queue, fewer where they do not fit together. One that does not fit alone goes to those that are
 * answered one at a time. */
static void start_flight(const fill *f, rp__gpu_flight *to, rp__gpu_queue *queue, bool is_phrase)
{
    rp__gpu_batch *b = f->b;
    size_t max = is_phrase ? PHRASES_MAX : QUERIES_MAX;
    to->asked = NULL;
    rp__gpu_batch_drop_stopped(f, queue);
    while (queue->next < queue->n) {
        size_t k = is_phrase ? RP_FUSED_AND_K : b->like->k;
        launch l = {.f = f, .to = to, .queue = queue, .is_phrase = is_phrase};
        l.n = queue->n - queue->next < max ? queue->n - queue->next : max;
        to->status = open_flight(b, to, (uint32_t)(is_phrase ? PHRASES_MAX : QUERIES_MAX), k);
        to->asked = rp__arena_array(f->arena, l.n, sizeof *to->asked);
        if (to->status == RP_OK)
            to->status = to->asked ? fill_flight(&l) : RP_NO_MEMORY;
        if (to->status == RP_OK) {
            queue->next += l.n;
            to->status = rp__fused_and_start(&to->and);
            rp__lease_launched(&to->lease);
            return;
        }
        rp__lease_end(&to->lease);
        max = l.n / 2;
        if (to->status == RP_NO_MEMORY && l.n > 1)
            continue;
        for (size_t i = 0; i < l.n; i++) {
            uint32_t place = queue->asked[queue->next++];
            rp__gpu_batch_refuse(&f->asked[place], rp__gpu_batch_reason(b, to->status));
            if (!is_phrase && to->status == RP_NO_MEMORY)
                b->one_queue.asked[b->one_queue.n++] = place;
        }
        max = is_phrase ? PHRASES_MAX : QUERIES_MAX;
        to->asked = NULL;
    }
}

static rp__scored *pairs_of(const rp__gpu_flight *from, uint32_t i)
{
    union {
        const karg_pair *in;
        rp__scored *out;
    } pairs = {.in = rp__fused_and_pairs_of(&from->and, i)};
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    return pairs.out;
}

/* The device's pairs are the answer, where they are; those of a launch that another follows are copied. */
static void take_all(const fill *f, const rp__gpu_flight *from, bool is_last)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &f->asked[from->asked[i]];
        const rp__fused_and_count *count = rp__fused_and_count_of(&from->and, i);
        rp__gpu_batch_refuse(a, rp__gpu_batch_reason(f->b, from->status));
        if (a->status != RP_OK)
            continue;
        rp__gpu_batch_refuse(a, count->damaged ? RP_FALLBACK_DAMAGED : RP_FALLBACK_NONE);
        a->answer.at = pairs_of(from, i);
        a->answer.n = count->n_pairs;
        a->answer.total = count->n;
        if (is_last || a->answer.n == 0)
            continue;
        rp__scored *copy = rp__arena_array(f->arena, a->answer.n, sizeof *copy);
        if (copy)
            memcpy(copy, a->answer.at, a->answer.n * sizeof *copy);
        else
            rp__gpu_batch_refuse(a, RP_FALLBACK_HOST_MEMORY);
        a->answer.at = copy;
    }
}

/* What is there to be looked into. */
static rp_fallback check_found(const fill *f, const rp__gpu_flight *from,
                               const rp__fused_and_count *count)
{
    if (from->status != RP_OK || count->damaged)
        return from->status != RP_OK ? rp__gpu_batch_reason(f->b, from->status)
                                     : RP_FALLBACK_DAMAGED;
    return count->n == count->n_pairs ? RP_FALLBACK_NONE : RP_FALLBACK_PHRASE;
}

static void take_phrases(const fill *f, const rp__gpu_flight *from)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &f->asked[from->asked[i]];
        const rp__fused_and_count *count = rp__fused_and_count_of(&from->and, i);
        rp_fallback why = check_found(f, from, count);
        rp_status status = RP_OK;
        if (!why)
            status =
                rp__phrase_verify(&a->query, pairs_of(from, i), count->n, f->arena, &a->answer);
        if (status != RP_OK)
            why = status == RP_NO_MEMORY ? RP_FALLBACK_HOST_MEMORY : RP_FALLBACK_DAMAGED;
        rp__gpu_batch_refuse(a, why);
    }
}

/* Waits for a launch before anything is read that may be mapped, and goes on with the next one. */
static void finish_flights(const fill *f, rp__gpu_flight *from, rp__gpu_queue *queue,
                           bool is_phrase)
{
    rp__gpu_batch *b = f->b;
    while (from->asked) {
        if (from->status == RP_OK)
            from->status = rp__device_enter(&b->device);
        if (from->status == RP_OK)
            from->status = rp__fused_and_finish(&from->and);
        if (!from->and.is_busy)
            rp__lease_end(&from->lease);
        if (is_phrase)
            take_phrases(f, from);
        else
            take_all(f, from, queue->next == queue->n);
        start_flight(f, from, queue, is_phrase);
    }
}

/* ---- Starting and finishing ------------------------------------------------------------------ */

static rp_fallback begin(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp_fallback why = check_kind(f);
    if (!why)
        why = rp__gpu_batch_reason(b, rp__device_enter(&b->device));
    rp__gpu_queue *queues[] = {&b->all_queue, &b->phrase_queue, &b->any_queue, &b->one_queue};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        *queues[i] = (rp__gpu_queue){.asked = rp__arena_array(f->arena, f->n, sizeof(uint32_t))};
        if (!why && !queues[i]->asked)
            why = RP_FALLBACK_HOST_MEMORY;
    }
    return why;
}

/* What kernels of ORs do not do. */
static rp_fallback check_any(const rp__query *query)
{
    bool is_whole = query->begin == 0 && query->end >= query->lengths.n_docs;
    if (query->n_ops - 2 > KARG_OR_TERMS)
        return RP_FALLBACK_TERMS;
    if (query->exact_total || query->k == 0)
        return RP_FALLBACK_EXACT_TOTAL;
    return is_whole ? RP_FALLBACK_NONE : RP_FALLBACK_RANGE;
}

static void push(rp__gpu_queue *queue, uint32_t place)
{
    queue->asked[queue->n++] = place;
}

/* Words that the index does not know are left out. */
static rp_fallback add_any(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    rp_fallback why = check_any(query);
    size_t n_known = 0;
    if (why)
        return why;
    for (size_t i = 0; i < query->n_words; i++) {
        asked->answer.postings += query->words[i].term.df;
        n_known += query->words[i].term.df > 0;
    }
    if (n_known > 0)
        push(&f->b->any_queue, place);
    return RP_FALLBACK_NONE;
}

static rp_fallback add(const fill *f, rp__asked *asked, uint32_t place)
{
    rp__gpu_batch *b = f->b;
    const rp__query *query = &asked->query;
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_FALLBACK_NONE;
    if (!b->like || !is_alike(query, b->like))
        return RP_FALLBACK_GROUP;
    const form what = form_of(query);
    bool is_long =
        what == FORM_PHRASE && query->leaves[query->ops[1].leaf].n_words > KARG_WORDS_MOST;
    if (what == FORM_LONG || is_long)
        return RP_FALLBACK_TERMS;
    if (what == FORM_ANY)
        return add_any(f, asked, place);
    if (what != FORM_ALL && what != FORM_PHRASE)
        return RP_FALLBACK_FORM;
    if (are_known(query))
        push(what == FORM_PHRASE ? &b->phrase_queue : &b->all_queue, place);
    return RP_FALLBACK_NONE;
}

void rp__gpu_batch_start(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .asked = asked, .n = n, .arena = arena};
    const rp_gpu_counters before = b->device.counters;
    b->all.asked = b->phrases.asked = NULL;
    b->all_queue = b->phrase_queue = b->any_queue = b->one_queue = (rp__gpu_queue){0};
    b->first = NULL;
    b->has_stops = false;
    for (size_t i = 0; i < n && !b->first; i++)
        if (asked[i].status == RP_OK && asked[i].query.n_ops > 0)
            b->first = &asked[i];
    b->like = b->first ? &b->first->query : NULL;
    rp_fallback why = b->like ? begin(&f) : RP_FALLBACK_NONE;
    for (size_t i = 0; i < n; i++) {
        asked[i].answer = (rp__answer){.total_is_exact = true};
        b->has_stops = b->has_stops || asked[i].query.stop;
        if (asked[i].status == RP_OK)
            rp__gpu_batch_refuse(&asked[i], why ? why : add(&f, &asked[i], (uint32_t)i));
    }
    start_flight(&f, &b->all, &b->all_queue, false);
    start_flight(&f, &b->phrases, &b->phrase_queue, true);
    if (b->first)
        b->first->answer.gpu = rp__device_count_since(&b->device, &before);
}

/* A flight whose device was lost is over, too. */
static bool is_over(const rp__gpu_batch *b, const rp__gpu_flight *flight)
{
    return !flight->asked || !flight->and.is_busy || b->device.is_lost ||
           b->device.driver->stream_query(flight->and.stream) == RP_CU_OK;
}

bool rp__gpu_batch_poll(rp__gpu_batch *b)
{
    const rp__gpu_queue *queues[] = {&b->all_queue, &b->phrase_queue, &b->any_queue, &b->one_queue};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++)
        if (queues[i]->next < queues[i]->n)
            return false;
    return rp__device_enter(&b->device) != RP_OK ||
           (is_over(b, &b->all) && is_over(b, &b->phrases));
}

/* What did not fit among others. */
static void answer_one(const fill *f, rp__asked *asked)
{
    rp_error err;
    const rp_gpu_counters before = asked->answer.gpu;
    asked->status = rp__gpu_query_run(&f->b->one, &asked->query, f->arena, &asked->answer, &err);
    rp__answer_count(&asked->answer.gpu, &before);
}

void rp__gpu_batch_finish(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .asked = asked, .n = n, .arena = arena};
    const rp_gpu_counters before = b->device.counters;
    rp__gpu_batch_ors_run(&f);
    finish_flights(&f, &b->all, &b->all_queue, false);
    finish_flights(&f, &b->phrases, &b->phrase_queue, true);
    const rp_gpu_counters spent = rp__device_count_since(&b->device, &before);
    if (b->first)
        rp__answer_count(&b->first->answer.gpu, &spent);
    for (size_t i = 0; i < b->one_queue.n; i++)
        answer_one(&f, &asked[b->one_queue.asked[i]]);
}
