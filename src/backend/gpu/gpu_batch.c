/* gpu_batch.c: many queries at once: which of them a device answers, by which launch, and what comes of it.
 *
 * Flat ANDs and single words go by gpu_and.c. What is not for the device, or does not fit, comes back with
 * RP_UNAVAILABLE, so that the caller asks another processor.
 * The guard of mapped memory may leave this file wherever it reads a list: until then nothing is asked of the
 * device, and its memory is the batch's. */
#include "backend/gpu/gpu_batch.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum {
    QUERIES_MOST = 1024,  /* of a launch */
    BYTES_MOST = 2 << 20, /* that its queries bring along */
};

/* What is being filled: all queries of a batch are alike but for their words. */
typedef struct fill {
    rp__gpu_batch *b;
    const rp__query *like;
    rp__arena *arena;
    karg_norms norms;
    uint32_t end; /* of the documents asked about that there are */
} fill;

/* ---- Memory ---------------------------------------------------------------------------------- */

rp_status rp__gpu_batch_open(rp__gpu_batch *b, const rp__gpu_index *index, uint64_t most,
                             rp_error *err)
{
    const rp__device *device = index->device;
    *b = (rp__gpu_batch){.index = index, .most = most};
    rp_status status = rp__device_open(&b->device, device->driver, (int)device->handle, err);
    if (status == RP_OK)
        status = rp__gpu_words_open(&b->words, index);
    if (status != RP_OK)
        rp__gpu_batch_close(b);
    return status;
}

void rp__gpu_batch_close(rp__gpu_batch *b)
{
    if (!b->device.context)
        return;
    (void)rp__device_enter(&b->device);
    rp__gpu_and_close(&b->all.and);
    rp__device_free(&b->device, b->table);
    rp__gpu_words_close(&b->words);
    rp__device_close(&b->device);
    *b = (rp__gpu_batch){0};
}

/* Norms are the searcher's, and do not change while it lives. They are copied before anything is in flight. */
static rp_status put_norms(rp__gpu_batch *b, const rp__query *query)
{
    uint32_t n = query->lengths.n_table;
    size_t bytes = n * sizeof(float);
    void *stage = NULL;
    if (b->norms == query->norms && b->n_table == n)
        return RP_OK;
    if (b->most && bytes > b->most)
        return RP_NO_MEMORY;
    rp__device_free(&b->device, b->table);
    b->norms = NULL;
    b->table = 0;
    rp_status status = rp__device_alloc(&b->device, bytes, &b->table);
    if (status == RP_OK)
        status = rp__device_check(&b->device, b->device.driver->host_alloc(&stage, bytes, 0));
    if (status != RP_OK)
        return status;
    memcpy(stage, query->norms, bytes);
    status = rp__device_copy_in(&b->device, b->table, stage, bytes);
    if (status == RP_OK)
        status = rp__device_wait(&b->device);
    b->device.driver->host_free(stage);
    b->norms = status == RP_OK ? query->norms : NULL;
    b->n_table = n;
    return status;
}

/* Room for launches whose queries want k documents, and none in flight. */
static rp_status open_flight(rp__gpu_batch *b, rp__gpu_flight *f, uint32_t queries, size_t k)
{
    if (f->and.device && f->and.limits.k >= k)
        return rp__gpu_and_finish(&f->and);
    rp__gpu_and_close(&f->and);
    uint64_t table = b->n_table * sizeof(float);
    rp__gpu_and_limits limits = {
        .queries = queries, .k = (uint32_t)k, .bytes = BYTES_MOST, .most = b->most};
    if (b->most && b->most <= table)
        return RP_NO_MEMORY;
    limits.most -= b->most ? table : 0;
    return rp__gpu_and_open(&f->and, &b->device, &limits);
}

/* ---- Forms ----------------------------------------------------------------------------------- */

typedef enum form { FORM_ALL, FORM_OTHER } form;

/* One word alone is all that there are. */
static form form_of(const rp__query *query)
{
    size_t n_must = 0, n_should = 0;
    if (query->n_ops < 3 || query->n_ops - 2 > KARG_WORDS_MOST)
        return FORM_OTHER;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        if (query->ops[i].kind != RP_OP_TERM)
            return FORM_OTHER;
        n_must += query->ops[i].role == RP_MUST;
        n_should += query->ops[i].role == RP_SHOULD;
    }
    return n_must == query->n_ops - 2 || (n_should == 1 && query->n_ops == 3) ? FORM_ALL
                                                                              : FORM_OTHER;
}

/* Whether the device has what queries of this kind need, whatever their words. */
static bool is_for_device(const rp__gpu_batch *b, const rp__query *query)
{
    return query->rank->ranking->kind == RP_RANK_BM25 && !query->algorithm &&
           query->k <= RP_GPU_AND_K && query->lengths.n_table > 0 &&
           rp__gpu_index_at(b->index, query->lengths.codes) != 0;
}

static bool is_alike(const rp__query *a, const rp__query *b)
{
    return a->k == b->k && a->begin == b->begin && a->end == b->end && a->norms == b->norms &&
           a->rank == b->rank && a->algorithm == b->algorithm;
}

/* ---- Words that all must be there ------------------------------------------------------------ */

/* Postings that may be decoded: of the shortest list, and of others at most a block a document. */
static uint64_t count_postings(const karg_and_word *words, uint32_t n)
{
    uint64_t sum = 0, most = (uint64_t)words[0].n * RP_BLOCK;
    for (uint32_t i = 0; i < n; i++)
        sum += i == 0 || words[i].n < most ? words[i].n : most;
    return sum;
}

/* The query's words, the shortest list first; n 0: one of them is nowhere. */
static rp_status collect(const fill *f, const rp__query *query, rp__gpu_and *to,
                         karg_and_word *words, uint32_t *n)
{
    float scale = rp__rank_scale(query->fraction_bits);
    *n = 0;
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->words[query->leaves[query->ops[i].leaf].word].term.df == 0)
            return RP_OK;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i].leaf];
        const rp__term *term = &query->words[leaf->word].term;
        rp__gpu_word *word;
        rp_status status = rp__gpu_words_find(&f->b->words, query->segment, term, f->arena, &word);
        if (status == RP_OK)
            status = rp__gpu_words_put(&f->b->words, query->segment, term, f->arena, to, word);
        if (status != RP_OK)
            return status;
        uint32_t j = (*n)++;
        for (; j > 0 && words[j - 1].n > word->n; j--)
            words[j] = words[j - 1];
        words[j] = (karg_and_word){word->at, leaf->weight.weight * scale, word->n};
    }
    return RP_OK;
}

static rp_status add_all(const fill *f, rp__gpu_flight *to, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    karg_and_word words[KARG_WORDS_MOST];
    uint32_t n;
    rp_status status = collect(f, query, &to->and, words, &n);
    asked->answer = (rp__answer){.total_is_exact = true};
    if (status != RP_OK || n == 0)
        return status;
    asked->answer.postings = count_postings(words, n);
    if (asked->answer.postings > query->max_postings)
        return RP_UNAVAILABLE; /* another tells whether it does */
    if (!rp__gpu_and_add(&to->and, words, n))
        return RP_NO_MEMORY;
    to->asked[to->and.n_queries - 1] = place;
    return RP_OK;
}

/* The device's pairs are the answer, where they lie. */
static void take_all(const rp__gpu_flight *from, rp__asked *asked)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        union {
            const karg_pair *in;
            rp__scored *out;
        } pairs = {.in = rp__gpu_and_pairs_of(&from->and, i)};
        _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
        a->status = from->status;
        if (a->status == RP_OK && count->damaged)
            a->status = RP_UNAVAILABLE;
        a->answer.at = pairs.out;
        a->answer.n = count->n_pairs;
        a->answer.total = count->n;
    }
}

/* ---- Starting and finishing ------------------------------------------------------------------ */

static rp_status begin(fill *f, size_t n)
{
    rp__gpu_batch *b = f->b;
    const rp__lengths *lengths = &f->like->lengths;
    rp_status status = is_for_device(b, f->like) ? rp__device_enter(&b->device) : RP_UNAVAILABLE;
    if (status == RP_OK)
        status = put_norms(b, f->like);
    if (status == RP_OK)
        status = open_flight(b, &b->all, QUERIES_MOST, f->like->k);
    if (status != RP_OK)
        return status;
    f->norms = (karg_norms){.codes = rp__gpu_index_at(b->index, lengths->codes),
                            .table = b->table,
                            .code_bytes = lengths->code_bytes,
                            .n_table = lengths->n_table};
    f->end = f->like->end < lengths->n_docs ? f->like->end : lengths->n_docs;
    b->all.asked = rp__arena_array(f->arena, n, sizeof *b->all.asked);
    rp__gpu_words_begin(&b->words);
    rp__gpu_and_begin(&b->all.and, &f->norms, (uint32_t)f->like->k, f->like->begin, f->end);
    return b->all.asked ? RP_OK : RP_NO_MEMORY;
}

static rp_status add(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    asked->answer = (rp__answer){.total_is_exact = true};
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_OK;
    if (!is_alike(query, f->like))
        return RP_UNAVAILABLE;
    return form_of(query) == FORM_ALL ? add_all(f, &f->b->all, asked, place) : RP_UNAVAILABLE;
}

void rp__gpu_batch_start(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .arena = arena};
    b->all.and.n_queries = 0;
    for (size_t i = 0; i < n && !f.like; i++)
        if (asked[i].status == RP_OK && asked[i].query.n_ops > 0)
            f.like = &asked[i].query;
    rp_status status = f.like ? begin(&f, n) : RP_OK;
    for (size_t i = 0; i < n; i++)
        if (asked[i].status == RP_OK)
            asked[i].status = status == RP_OK ? add(&f, &asked[i], (uint32_t)i) : status;
    if (status == RP_OK && f.like)
        b->all.status = rp__gpu_and_start(&b->all.and);
}

void rp__gpu_batch_finish(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    (void)n, (void)arena;
    if (b->all.and.n_queries == 0)
        return;
    if (b->all.status == RP_OK)
        b->all.status = rp__device_enter(&b->device);
    if (b->all.status == RP_OK)
        b->all.status = rp__gpu_and_finish(&b->all.and);
    take_all(&b->all, asked);
}
