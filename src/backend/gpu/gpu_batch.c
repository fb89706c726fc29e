/* gpu_batch.c: many queries at once: which of them a device answers, by which launch, and what comes of it.
 *
 * Flat ANDs and single words go by gpu_and.c when the batch is started, flat ORs by gpu_or.c when it is finished. Of a
 * phrase the device finds the documents that hold all its words, and the host looks into them (gpu_phrase.c). A group whose
 * lists and scratch do not fit together is cut into launches whose do: the first goes when the batch is started, the others
 * when it is finished, and a query that does not fit in any goes by gpu_query.c. What is not for the device, or fits nowhere,
 * comes back with RP_UNAVAILABLE or RP_NO_MEMORY, so that the caller asks another processor.
 * The guard of mapped memory may leave this file wherever it reads a list: what was taken by then is a lease's, which
 * gives it back when it begins again. */
#include "backend/gpu/gpu_batch.h"

#include <string.h>

#include "backend/gpu/gpu_phrase.h"
#include "base/error.h"

enum {
    QUERIES_MAX = 1024,     /* of a launch */
    PHRASES_MAX = 64,       /* and of one for phrases, which may have RP_GPU_AND_K documents each */
    ORS_MAX = 64,           /* and of one for ORs */
    BYTES_MAX = 1 << 18,    /* that queries bring along */
    ELEMENTS_MAX = 1 << 25, /* of their shortest lists, where memory is not limited */
    TRIES = 4,              /* to bring lists, where others evict them meanwhile */
};

/* What is being answered. */
typedef struct fill {
    rp__gpu_batch *b;
    rp__asked *asked;
    size_t n; /* queries */
    rp__arena *arena;
} fill;

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
    rp__gpu_or_open(&b->or, &b->device);
    rp__lease_open(&b->or_lease, index->residency, &b->device, b->device.stream, false);
    b->or.lease = &b->or_lease;
    return RP_OK;
}

void rp__gpu_batch_close(rp__gpu_batch *b)
{
    if (!b->device.context)
        return;
    (void)rp__device_enter(&b->device);
    rp__gpu_and_close(&b->all.and);
    rp__gpu_and_close(&b->phrases.and);
    rp__lease_close(&b->or_lease);
    rp__gpu_or_close(&b->or, b->index->residency);
    rp__gpu_query_close(&b->one);
    rp__device_close(&b->device);
    *b = (rp__gpu_batch){0};
}

/* For a launch of k pairs a query, and none in flight. */
static rp_status open_flight(rp__gpu_batch *b, rp__gpu_flight *to, uint32_t queries, size_t k)
{
    if (to->and.device && to->and.limits.k >= k)
        return rp__gpu_and_finish(&to->and);
    rp__gpu_and_close(&to->and);
    rp__residency *residency = b->index->residency;
    rp__gpu_and_limits limits = {.queries = queries,
                                 .elements = residency->limit ? 0 : ELEMENTS_MAX,
                                 .k = (uint32_t)k,
                                 .bytes = BYTES_MAX,
                                 .lease = &to->lease};
    rp_status status = rp__gpu_and_open(&to->and, &b->device, &limits);
    return status == RP_OK ? rp__lease_open(&to->lease, residency, &b->device, to->and.stream, true)
                           : status;
}

/* ---- Forms ----------------------------------------------------------------------------------- */

typedef enum form { FORM_ALL, FORM_ANY, FORM_PHRASE, FORM_OTHER } form;

/* One word alone is all that there are. */
static form form_of(const rp__query *query)
{
    size_t n = query->n_ops - 2, n_must = 0, n_should = 0;
    if (query->n_ops < 3 || n > KARG_WORDS_MOST)
        return FORM_OTHER;
    if (n == 1 && query->ops[1].kind == RP_OP_PHRASE)
        return FORM_PHRASE;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        if (query->ops[i].kind != RP_OP_TERM)
            return FORM_OTHER;
        n_must += query->ops[i].role == RP_MUST;
        n_should += query->ops[i].role == RP_SHOULD;
    }
    if (n_must == n || (n_should == 1 && n == 1))
        return FORM_ALL;
    return n_should == n ? FORM_ANY : FORM_OTHER;
}

/* Whether the device has what queries of this kind need, whatever their words. */
static bool is_for_device(const rp__query *query)
{
    return query->rank->ranking->kind == RP_RANK_BM25 && !query->algorithm &&
           query->k <= RP_GPU_AND_K;
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
static rp_status collect_terms(const fill *f, const rp__gpu_queue *queue, size_t n,
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

/* A lease for looking. */
static void enter(rp__lease *lease)
{
    if (rp__lease_enter(lease))
        return;
    rp__lease_acquire(lease);
    rp__lease_release(lease);
}

/* Norms that are there; *out is good for the lease, which has begun. RP_NOT_FOUND: they are not. */
static rp_status find_norms(rp__gpu_batch *b, rp__lease *lease, karg_norms *out, uint32_t *serial)
{
    bool is_there = rp__device_norms_find(&b->norms, lease, b->index, b->like, out, serial);
    if (is_there && lease->is_acquiring)
        rp__device_norms_mark(&b->norms, lease);
    return is_there ? RP_OK : RP_NOT_FOUND;
}

/* By a lease that ends. */
static rp_status bring_norms(rp__gpu_batch *b, rp__lease *lease)
{
    karg_norms norms;
    uint32_t serial;
    enter(lease);
    rp_status status = find_norms(b, lease, &norms, &serial);
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
    size_t n; /* queries */
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
        asked->status = status;
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    asked->answer.postings = count_postings(words, n);
    if (!rp__gpu_and_add(&l->to->and, words, n))
        return RP_NO_MEMORY;
    l->to->asked[l->to->and.n_queries - 1] = place;
    return RP_OK;
}

static rp_status add_queries(const launch *l)
{
    const rp__query *like = l->f->b->like;
    const rp__gpu_queue *queue = l->queue;
    uint32_t k = l->is_phrase ? RP_GPU_AND_K : (uint32_t)like->k;
    uint32_t end = like->end < like->lengths.n_docs ? like->end : like->lengths.n_docs;
    rp_status status = RP_OK;
    rp__gpu_and_begin(&l->to->and, &l->norms, k, like->begin, end);
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
    uint32_t serial, k = l->is_phrase ? RP_GPU_AND_K : (uint32_t)l->f->b->like->k;
    rp_status status = find_norms(l->f->b, &l->to->lease, &l->norms, &serial);
    return status == RP_OK ? rp__gpu_and_hold(&l->to->and, count_elements(l), (uint32_t)l->n, k)
                           : status;
}

/* Brings what is not there. RP_NOT_FOUND: others have evicted something meanwhile. */
static rp_status bring(launch *l)
{
    rp__lease *lease = &l->to->lease;
    const rp__term **terms;
    size_t n;
    rp_status status = bring_norms(l->f->b, lease);
    if (status == RP_OK)
        status = collect_terms(l->f, l->queue, l->n, &terms, &n);
    if (status != RP_OK)
        return status;
    enter(lease);
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
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        rp__lookup_lists_begin(&l->lists, lease, l->f->b->index, l->f->arena);
        status = bring(l);
        if (status == RP_OK)
            status = add_queries(l);
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
    while (queue->next < queue->n) {
        size_t k = is_phrase ? RP_GPU_AND_K : b->like->k;
        launch l = {.f = f, .to = to, .queue = queue, .is_phrase = is_phrase};
        l.n = queue->n - queue->next < max ? queue->n - queue->next : max;
        to->status = open_flight(b, to, (uint32_t)(is_phrase ? PHRASES_MAX : QUERIES_MAX), k);
        to->asked = rp__arena_array(f->arena, l.n, sizeof *to->asked);
        if (to->status == RP_OK)
            to->status = to->asked ? fill_flight(&l) : RP_NO_MEMORY;
        if (to->status == RP_OK) {
            queue->next += l.n;
            to->status = rp__gpu_and_start(&to->and);
            rp__lease_launched(&to->lease);
            return;
        }
        rp__lease_end(&to->lease);
        max = l.n / 2;
        if (to->status == RP_NO_MEMORY && l.n > 1)
            continue;
        for (size_t i = 0; i < l.n; i++) {
            uint32_t place = queue->asked[queue->next++];
            f->asked[place].status = to->status;
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
    } pairs = {.in = rp__gpu_and_pairs_of(&from->and, i)};
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    return pairs.out;
}

/* The device's pairs are the answer, where they are; those of a launch that another follows are copied. */
static void take_all(const fill *f, const rp__gpu_flight *from, bool is_last)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &f->asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        a->status = from->status;
        if (a->status != RP_OK)
            continue;
        if (count->damaged)
            a->status = RP_UNAVAILABLE;
        a->answer.at = pairs_of(from, i);
        a->answer.n = count->n_pairs;
        a->answer.total = count->n;
        if (is_last || a->answer.n == 0)
            continue;
        rp__scored *copy = rp__arena_array(f->arena, a->answer.n, sizeof *copy);
        if (copy)
            memcpy(copy, a->answer.at, a->answer.n * sizeof *copy);
        else
            a->status = RP_NO_MEMORY;
        a->answer.at = copy;
    }
}

static void take_phrases(const fill *f, const rp__gpu_flight *from)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &f->asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        bool is_found = from->status == RP_OK && !count->damaged && count->n == count->n_pairs;
        a->status = RP_UNAVAILABLE;
        if (is_found && rp__gpu_phrase_verify(&a->query, pairs_of(from, i), count->n, f->arena,
                                              &a->answer) == RP_OK)
            a->status = RP_OK;
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
            from->status = rp__gpu_and_finish(&from->and);
        if (!from->and.is_busy)
            rp__lease_end(&from->lease);
        if (is_phrase)
            take_phrases(f, from);
        else
            take_all(f, from, queue->next == queue->n);
        start_flight(f, from, queue, is_phrase);
    }
}

/* ---- Words any of which may be there ----------------------------------------------------------- */

/* A score that k documents are known to reach, by what a list says of its k-th best postings; 0: none is. */
static uint32_t known_floor(const rp__query *query, const uint8_t *kths, float weight)
{
    const double slack = 0x1p-20; /* of float arithmetic */
    uint32_t which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    double fixed = (double)weight / 255 * kths[which] * (1 - slack) - 1;
    bool is_known = query->has_bounds && query->k <= 1000;
    return is_known && fixed > 0 && fixed < 0x1p32 ? (uint32_t)fixed : 0;
}

/* A launch of ORs. */
typedef struct ors {
    const fill *f;
    rp__gpu_queue *queue;
    size_t n, n_terms; /* queries; their terms */
    const rp__term **names;
    rp__tiled_list *tiles;
    rp__gpu_or_term *terms;
    rp__gpu_or_query *queries;
    rp__lookup_lists lists;
    karg_norms norms;
    uint32_t serial;
    bool has_tiles;
} ors;

static rp_status make_arrays(ors *o)
{
    rp__arena *arena = o->f->arena;
    rp_status status = collect_terms(o->f, o->queue, o->n, &o->names, &o->n_terms);
    o->tiles = rp__arena_zero(arena, o->n_terms, sizeof *o->tiles);
    o->terms = rp__arena_zero(arena, o->n_terms, sizeof *o->terms);
    o->queries = rp__arena_zero(arena, o->n, sizeof *o->queries);
    if (status != RP_OK || !o->tiles || !o->terms || !o->queries)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < o->n_terms; i++)
        o->tiles[i].term = o->names[i];
    for (size_t q = 0, i = 0; q < o->n; q++) {
        const rp__query *query = &o->f->asked[o->queue->asked[o->queue->next + q]].query;
        o->queries[q].terms = &o->terms[i];
        for (size_t w = 1; w + 1 < query->n_ops; w++) {
            const rp__leaf *leaf = &query->leaves[query->ops[w].leaf];
            if (query->words[leaf->word].term.df == 0)
                continue;
            o->terms[i++].weight = leaf->weight.weight * rp__rank_scale(query->fraction_bits);
            o->queries[q].n_terms++;
        }
    }
    return RP_OK;
}

static rp__gpu_or_batch batch_of(const ors *o)
{
    return (rp__gpu_or_batch){.queries = o->queries,
                              .n_queries = (uint32_t)o->n,
                              .k = (uint32_t)o->f->b->like->k,
                              .n_docs = o->f->b->like->lengths.n_docs};
}

/* Lists by tiles, norms and scratch. RP_NOT_FOUND: something is not there. */
static rp_status hold_tiles(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    const rp__gpu_or_batch batch = batch_of(o);
    rp_status status = find_norms(b, &b->or_lease, &o->norms, &o->serial);
    if (status != RP_OK)
        return status;
    o->has_tiles = rp__tiled_lists_find(&b->or_lease, o->serial, o->tiles, o->n_terms);
    if (!o->has_tiles && !b->or_lease.is_acquiring)
        return RP_NOT_FOUND;
    return rp__gpu_or_hold(&b->or, &batch);
}

/* What tiles are made of; RP_UNAVAILABLE: kernels do not read it. */
static rp_status point_at_sources(ors *o)
{
    for (size_t i = 0; i < o->n_terms; i++) {
        const rp__resident *list =
            o->tiles[i].piece ? rp__lookup_lists_find(&o->lists, o->names[i]) : NULL;
        if (!o->tiles[i].piece)
            continue;
        if (!list || !list->at || !(list->reads & RP_READS_TILES))
            return list ? RP_UNAVAILABLE : RP_NOT_FOUND;
        o->tiles[i].word = list->list.word;
        memcpy(o->tiles[i].kths, list->kths, sizeof list->kths);
    }
    return RP_OK;
}

static rp_status bring_tiles(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    rp__lease *lease = &b->or_lease;
    rp_status status = bring_norms(b, lease);
    if (status != RP_OK)
        return status;
    enter(lease);
    status = rp__lookup_lists_open(&o->lists, o->names, o->n_terms);
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = hold_tiles(o);
    if (status == RP_OK && !o->has_tiles)
        status = rp__lookup_lists_take(&o->lists);
    if (status == RP_OK && !o->has_tiles)
        status = rp__tiled_lists_take(lease, o->serial, o->tiles, o->n_terms);
    rp__lease_release(lease);
    if (status != RP_OK || o->has_tiles)
        return status;
    rp__piece *records = lease->pieces[lease->n - 1];
    status = rp__lookup_lists_fill(&o->lists);
    if (status == RP_OK)
        status = point_at_sources(o);
    return status == RP_OK
               ? rp__tiled_lists_make(lease, records->at, &o->norms, o->tiles, o->n_terms)
               : status;
}

/* Queries with a floor that their lists know of. */
static void set_floors(ors *o)
{
    for (size_t q = 0, i = 0; q < o->n; q++) {
        const rp__query *query = &o->f->asked[o->queue->asked[o->queue->next + q]].query;
        for (uint32_t t = 0; t < o->queries[q].n_terms; t++, i++) {
            uint32_t floor = known_floor(query, o->tiles[i].kths, o->terms[i].weight);
            o->terms[i].list = o->tiles[i].list;
            if (floor > o->queries[q].least)
                o->queries[q].least = floor;
        }
    }
}

static rp_status run_ors(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    rp_status status = make_arrays(o);
    if (status != RP_OK)
        return status;
    rp__lookup_lists_begin(&o->lists, &b->or_lease, b->index, o->f->arena);
    status = rp__lease_enter(&b->or_lease) ? hold_tiles(o) : RP_NOT_FOUND;
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        rp__lookup_lists_begin(&o->lists, &b->or_lease, b->index, o->f->arena);
        status = bring_tiles(o);
    }
    if (status != RP_OK)
        return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
    set_floors(o);
    const rp__gpu_or_batch batch = batch_of(o);
    return rp__gpu_or_run(&b->or, &batch);
}

/* Where fewer match than are wanted, all have been found. */
static rp_status take_ors(ors *o)
{
    const karg_pair *pairs;
    const uint32_t *counts;
    const size_t k = o->f->b->like->k;
    rp__scored *out = rp__arena_array(o->f->arena, o->n * k, sizeof *out);
    rp_status status = rp__gpu_or_fetch(&o->f->b->or, &pairs, &counts);
    if (status != RP_OK || !out)
        return status == RP_OK ? RP_NO_MEMORY : status;
    memcpy(out, pairs, o->n * k * sizeof *out);
    for (size_t q = 0; q < o->n; q++) {
        rp__asked *a = &o->f->asked[o->queue->asked[o->queue->next + q]];
        a->status = counts[q] == UINT32_MAX ? RP_UNAVAILABLE : RP_OK;
        a->answer.at = out + q * k;
        a->answer.n = a->answer.total = a->status == RP_OK ? counts[q] : 0;
        a->answer.total_is_exact = a->answer.n < k;
    }
    if (!o->has_tiles)
        rp__tiled_lists_publish(&o->f->b->or_lease, o->serial, o->tiles, o->n_terms);
    return RP_OK;
}

/* Fewer at a time, where there is no memory for many; one for which there is none alone goes another way. */
static void answer_ors(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp__gpu_queue *queue = &b->any_queue;
    rp_status status = queue->n > 0 ? rp__device_enter(&b->device) : RP_OK;
    for (size_t many = ORS_MAX; queue->next < queue->n;) {
        ors o = {.f = f, .queue = queue};
        o.n = queue->n - queue->next < many ? queue->n - queue->next : many;
        if (status == RP_OK)
            status = run_ors(&o);
        if (status == RP_OK)
            status = take_ors(&o);
        if (status != RP_OK) /* what a launch that failed has left may still read the stage */
            rp__device_settle(&b->device, b->device.stream);
        rp__lease_end(&b->or_lease);
        bool is_smaller = status == RP_NO_MEMORY || status == RP_UNAVAILABLE;
        if (is_smaller && o.n > 1 && !rp__device_is_lost(&b->device)) {
            many = o.n / 2;
            status = RP_OK;
            continue;
        }
        for (size_t q = 0; q < o.n && status != RP_OK; q++) {
            uint32_t place = queue->asked[queue->next + q];
            f->asked[place].status = status;
            if (is_smaller)
                b->one_queue.asked[b->one_queue.n++] = place;
        }
        queue->next += o.n;
        status = rp__device_is_lost(&b->device) ? RP_UNAVAILABLE : RP_OK;
    }
}

/* ---- Starting and finishing ------------------------------------------------------------------ */

static rp_status begin(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp_status status = is_for_device(b->like) ? rp__device_enter(&b->device) : RP_UNAVAILABLE;
    rp__gpu_queue *queues[] = {&b->all_queue, &b->phrase_queue, &b->any_queue, &b->one_queue};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        *queues[i] = (rp__gpu_queue){.asked = rp__arena_array(f->arena, f->n, sizeof(uint32_t))};
        if (status == RP_OK && !queues[i]->asked)
            status = RP_NO_MEMORY;
    }
    bool has_lengths =
        rp__gpu_index_at(b->index, b->like->lengths.codes) != 0 && b->like->lengths.n_table > 0;
    return status == RP_OK && !has_lengths ? RP_UNAVAILABLE : status;
}

/* An OR that launches of many answer; words that the index does not know are left out. */
static bool is_for_tiles(const rp__query *query)
{
    bool is_whole = query->begin == 0 && query->end >= query->lengths.n_docs;
    return query->n_ops - 2 <= KARG_OR_TERMS && !query->exact_total && query->k > 0 && is_whole;
}

static void push(rp__gpu_queue *queue, uint32_t place)
{
    queue->asked[queue->n++] = place;
}

static rp_status sort_in(const fill *f, rp__asked *asked, uint32_t place)
{
    rp__gpu_batch *b = f->b;
    const rp__query *query = &asked->query;
    asked->answer = (rp__answer){.total_is_exact = true};
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_OK;
    if (!b->like || !is_alike(query, b->like))
        return RP_UNAVAILABLE;
    const form what = form_of(query);
    if (what == FORM_OTHER || (what == FORM_ANY && !is_for_tiles(query)))
        return RP_UNAVAILABLE;
    if (what == FORM_PHRASE && query->leaves[query->ops[1].leaf].n_words > KARG_WORDS_MOST)
        return RP_UNAVAILABLE;
    if (what == FORM_ANY) {
        size_t n_known = 0;
        for (size_t i = 0; i < query->n_words; i++) {
            asked->answer.postings += query->words[i].term.df;
            n_known += query->words[i].term.df > 0;
        }
        if (n_known > 0)
            push(&b->any_queue, place);
    } else if (are_known(query)) {
        push(what == FORM_PHRASE ? &b->phrase_queue : &b->all_queue, place);
    }
    return RP_OK;
}

void rp__gpu_batch_start(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .asked = asked, .n = n, .arena = arena};
    b->all.asked = b->phrases.asked = NULL;
    b->all_queue = b->phrase_queue = b->any_queue = b->one_queue = (rp__gpu_queue){0};
    b->like = NULL;
    for (size_t i = 0; i < n && !b->like; i++)
        if (asked[i].status == RP_OK && asked[i].query.n_ops > 0)
            b->like = &asked[i].query;
    rp_status status = b->like ? begin(&f) : RP_OK;
    for (size_t i = 0; i < n; i++)
        if (asked[i].status == RP_OK)
            asked[i].status = status == RP_OK ? sort_in(&f, &asked[i], (uint32_t)i) : status;
    start_flight(&f, &b->all, &b->all_queue, false);
    start_flight(&f, &b->phrases, &b->phrase_queue, true);
}

/* What did not fit among others. */
static void answer_one(const fill *f, rp__asked *asked)
{
    rp_error err;
    asked->status = rp__gpu_query_run(&f->b->one, &asked->query, f->arena, &asked->answer, &err);
}

void rp__gpu_batch_finish(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .asked = asked, .n = n, .arena = arena};
    answer_ors(&f);
    finish_flights(&f, &b->all, &b->all_queue, false);
    finish_flights(&f, &b->phrases, &b->phrase_queue, true);
    for (size_t i = 0; i < b->one_queue.n; i++)
        answer_one(&f, &asked[b->one_queue.asked[i]]);
}
