/* gpu_batch.c: many queries at once: which of them a device answers, by which launch, and what comes of it.
 *
 * Flat ANDs and single words go by gpu_and.c when the batch is started, flat ORs by gpu_ors.c when it is finished,
 * because they take turns with those of other threads. Of a phrase the device finds the documents that hold all
 * its words, and the host looks into them (gpu_phrase.c). What is not for the device, or does not fit, comes back with
 * RP_UNAVAILABLE, so that the caller asks another processor.
 * The guard of mapped memory may leave this file wherever it reads a list: until then nothing is asked of the
 * device, and its memory is the batch's. */
#include "backend/gpu/gpu_batch.h"

#include <string.h>

#include "backend/gpu/gpu_phrase.h"
#include "base/error.h"

enum {
    QUERIES_MOST = 1024,  /* of a launch */
    PHRASES_MOST = 64,    /* and of one for phrases, which may have RP_GPU_AND_K documents each */
    BYTES_MOST = 1 << 18, /* that queries bring along */
    ELEMENTS_MOST = 1 << 25, /* of their shortest lists, where memory is not limited */
};

/* What is being filled: all queries of a batch are alike but for their words. */
typedef struct fill {
    rp__gpu_batch *b;
    const rp__query *like;
    size_t n; /* queries */
    rp__arena *arena;
} fill;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Once for all batches: it takes longer than a batch. */
static rp_status load_kernels(rp__device *device)
{
    rp_status status = rp__device_enter(device);
    if (status == RP_OK)
        status = rp__device_load(device, RP_KERNEL_and_top_kernel);
    return status == RP_OK ? rp__device_load(device, RP_KERNEL_and_top_rank_kernel) : status;
}

rp_status rp__gpu_batch_open(rp__gpu_batch *b, rp__gpu_words *words, rp__gpu_ors *ors,
                             uint64_t most, rp_error *err)
{
    rp__device *device = words->index->device;
    *b = (rp__gpu_batch){.index = words->index, .words = words, .ors = ors, .most = most};
    rp_status status = load_kernels(device);
    if (status == RP_OK)
        status = rp__device_twin(&b->device, device, err);
    if (status == RP_OK)
        memcpy(b->device.functions, device->functions, sizeof b->device.functions);
    return status;
}

void rp__gpu_batch_close(rp__gpu_batch *b)
{
    if (!b->device.context)
        return;
    (void)rp__device_enter(&b->device);
    rp__gpu_and_close(&b->all.and);
    rp__gpu_and_close(&b->phrases.and);
    rp__gpu_norms_free(&b->norms, &b->device);
    rp__device_close(&b->device);
    *b = (rp__gpu_batch){0};
}

/* Room for a launch, and none in flight. Launches share what memory there is. */
static rp_status open_flight(rp__gpu_batch *b, rp__gpu_flight *to, uint32_t queries, size_t k)
{
    uint64_t table = b->norms.args.n_table * sizeof(float);
    if (to->and.device && to->and.limits.k >= k)
        return rp__gpu_and_finish(&to->and);
    rp__gpu_and_close(&to->and);
    if (b->most && b->most / 2 <= table)
        return RP_NO_MEMORY;
    rp__gpu_and_limits limits = {.queries = queries,
                                 .elements = b->most ? 0 : ELEMENTS_MOST,
                                 .k = (uint32_t)k,
                                 .bytes = BYTES_MOST,
                                 .most = b->most ? b->most / 2 - table : 0};
    return rp__gpu_and_open(&to->and, &b->device, &limits);
}

/* The first query of a launch. */
static rp_status begin_flight(const fill *f, rp__gpu_flight *to, uint32_t queries, size_t k)
{
    const rp__query *like = f->like;
    uint32_t end = like->end < like->lengths.n_docs ? like->end : like->lengths.n_docs;
    if (to->asked)
        return RP_OK;
    rp_status status = open_flight(f->b, to, queries, k);
    if (status != RP_OK)
        return status;
    rp__gpu_and_begin(&to->and, &f->b->norms.args, (uint32_t)k, like->begin, end);
    to->asked = rp__arena_array(f->arena, f->n, sizeof *to->asked);
    return to->asked ? RP_OK : RP_NO_MEMORY;
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
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->words[query->leaves[query->ops[i].leaf].word].term.df == 0)
            return false;
    return true;
}

/* Puts a word among n, the shortest list first. */
static rp_status put_word(const fill *f, const rp__term *term, float weight, karg_and_word *words,
                          uint32_t n)
{
    const rp__gpu_slot *slot = rp__gpu_words_find(f->b->words, term);
    if (!slot || !slot->at)
        return RP_UNAVAILABLE;
    for (; n > 0 && words[n - 1].n > slot->n; n--)
        words[n] = words[n - 1];
    words[n] = (karg_and_word){slot->at, weight, slot->n};
    return RP_OK;
}

static rp_status collect(const fill *f, const rp__query *query, karg_and_word *words, uint32_t *n)
{
    float scale = rp__rank_scale(query->fraction_bits);
    rp_status status = RP_OK;
    for (*n = 0; *n < query->n_ops - 2 && status == RP_OK; ++*n) {
        const rp__leaf *leaf = &query->leaves[query->ops[*n + 1].leaf];
        status =
            put_word(f, &query->words[leaf->word].term, leaf->weight.weight * scale, words, *n);
    }
    return status;
}

static rp_status add_words(rp__gpu_flight *to, rp__asked *asked, uint32_t place,
                           const karg_and_word *words, uint32_t n)
{
    asked->answer.postings = count_postings(words, n);
    if (!rp__gpu_and_add(&to->and, words, n))
        return RP_NO_MEMORY;
    to->asked[to->and.n_queries - 1] = place;
    return RP_OK;
}

static rp_status add_all(const fill *f, rp__gpu_flight *to, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    karg_and_word words[KARG_WORDS_MOST];
    uint32_t n;
    if (!are_known(query))
        return RP_OK;
    rp_status status = begin_flight(f, to, QUERIES_MOST, query->k);
    if (status == RP_OK)
        status = collect(f, query, words, &n);
    if (status != RP_OK)
        return status;
    return add_words(to, asked, place, words, n);
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

/* The device's pairs are the answer, where they lie. */
static void take_all(const rp__gpu_flight *from, rp__asked *asked)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        a->status = from->status;
        if (a->status == RP_OK && count->damaged)
            a->status = RP_UNAVAILABLE;
        a->answer.at = pairs_of(from, i);
        a->answer.n = count->n_pairs;
        a->answer.total = count->n;
    }
}

/* ---- Phrases --------------------------------------------------------------------------------- */

/* Words weigh nothing, so that documents come by rising docid. */
static rp_status add_phrase(const fill *f, rp__gpu_flight *to, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    const rp__leaf *leaf = &query->leaves[query->ops[1].leaf];
    karg_and_word words[KARG_WORDS_MOST];
    for (uint32_t i = 0; i < leaf->n_words; i++)
        if (query->words[leaf->word + i].term.df == 0)
            return RP_OK;
    rp_status status = leaf->n_words <= KARG_WORDS_MOST
                           ? begin_flight(f, to, PHRASES_MOST, RP_GPU_AND_K)
                           : RP_UNAVAILABLE;
    for (uint32_t i = 0; i < leaf->n_words && status == RP_OK; i++)
        status = put_word(f, &query->words[leaf->word + i].term, 0, words, i);
    return status == RP_OK ? add_words(to, asked, place, words, leaf->n_words) : status;
}

static void take_phrases(const rp__gpu_flight *from, rp__asked *asked, rp__arena *arena)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        bool is_found = from->status == RP_OK && !count->damaged && count->n == count->n_pairs;
        a->status = RP_UNAVAILABLE;
        if (is_found && rp__gpu_phrase_verify(&a->query, pairs_of(from, i), count->n, arena,
                                              &a->answer) == RP_OK)
            a->status = RP_OK;
    }
}

/* ---- Words any of which may be there ----------------------------------------------------------- */

/* A score that k documents are known to reach, by what a list says of its k-th best postings; 0: none is. */
static uint32_t known_floor(const rp__query *query, const rp__gpu_word *word, float weight)
{
    const double slack = 0x1p-20; /* of float arithmetic */
    uint32_t which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    double fixed = (double)weight / 255 * word->kths[which] * (1 - slack) - 1;
    bool is_known = query->has_bounds && query->k <= 1000;
    return is_known && fixed > 0 && fixed < 0x1p32 ? (uint32_t)fixed : 0;
}

/* Kernels of ORs read fewer codecs. */
static rp_status open_term(const fill *f, const rp__query *query, const rp__leaf *leaf,
                           rp__gpu_ors_term *out, uint32_t *least)
{
    const rp__gpu_slot *slot = rp__gpu_words_find(f->b->words, &query->words[leaf->word].term);
    if (!slot || !slot->at || slot->word->word.list.codec == KARG_CODEC_EF128)
        return RP_UNAVAILABLE;
    const rp__gpu_word *word = slot->word;
    float weight = leaf->weight.weight * rp__rank_scale(query->fraction_bits);
    uint32_t floor = known_floor(query, word, weight);
    *out = (rp__gpu_ors_term){slot->key, &word->word, weight};
    *least = floor > *least ? floor : *least;
    return RP_OK;
}

/* Words that the index does not know are left out. */
static rp_status add_any(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    rp__gpu_batch_any *any = &f->b->any;
    bool is_whole = query->begin == 0 && query->end >= query->lengths.n_docs;
    if (query->n_ops - 2 > KARG_OR_TERMS || query->exact_total || query->k == 0 || !is_whole)
        return RP_UNAVAILABLE;
    rp__gpu_ors_term *terms = rp__arena_array(f->arena, query->n_ops - 2, sizeof *terms);
    rp__gpu_ors_query new = {.terms = terms};
    rp_status status = terms ? RP_OK : RP_NO_MEMORY;
    for (size_t i = 1; i + 1 < query->n_ops && status == RP_OK; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i].leaf];
        uint32_t df = query->words[leaf->word].term.df;
        asked->answer.postings += df;
        if (df > 0)
            status = open_term(f, query, leaf, &terms[new.n_terms++], &new.least);
    }
    if (status != RP_OK || new.n_terms == 0)
        return status;
    any->asked[any->n] = place;
    any->queries[any->n++] = new;
    return RP_OK;
}

/* Where fewer match than are wanted, all have been found. */
static void take_any(const rp__gpu_batch_any *from, rp__asked *asked)
{
    for (size_t i = 0; i < from->n; i++) {
        rp__asked *a = &asked[from->asked[i]];
        a->status = from->queries[i].status;
        if (a->status != RP_OK)
            continue;
        a->answer.at = from->queries[i].at;
        a->answer.n = a->answer.total = from->queries[i].n;
        a->answer.total_is_exact = a->answer.n < a->query.k;
    }
}

/* ---- Starting and finishing ------------------------------------------------------------------ */

static rp_status begin(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp_status status = is_for_device(f->like) ? rp__device_enter(&b->device) : RP_UNAVAILABLE;
    if (status == RP_OK)
        status = rp__gpu_norms_put(&b->norms, &b->device, b->index, f->like, b->most);
    b->any.like = f->like;
    b->any.asked = rp__arena_array(f->arena, f->n, sizeof *b->any.asked);
    b->any.queries = rp__arena_array(f->arena, f->n, sizeof *b->any.queries);
    if (status == RP_OK && (!b->any.asked || !b->any.queries))
        status = RP_NO_MEMORY;
    return status;
}

static rp_status add(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    asked->answer = (rp__answer){.total_is_exact = true};
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_OK;
    if (!f->like || !is_alike(query, f->like))
        return RP_UNAVAILABLE;
    switch (form_of(query)) {
    case FORM_ALL:
        return add_all(f, &f->b->all, asked, place);
    case FORM_ANY:
        return add_any(f, asked, place);
    case FORM_PHRASE:
        return add_phrase(f, &f->b->phrases, asked, place);
    default:
        return RP_UNAVAILABLE;
    }
}

/* The lists of a query a few after that one will be asked for soon. */
static void look_ahead(const fill *f, const rp__asked *asked, size_t i)
{
    enum { AHEAD = 4 };
    if (i + AHEAD >= f->n || asked[i + AHEAD].status != RP_OK)
        return;
    const rp__query *query = &asked[i + AHEAD].query;
    for (size_t w = 0; w < query->n_words; w++)
        rp__gpu_words_expect(f->b->words, &query->words[w].term);
}

/* Lists that nobody has asked for before go to the device, all at once. Queries whose lists do not are refused when
 * they are added. */
static rp_status send_lists(const fill *f, const rp__asked *asked, size_t n)
{
    size_t n_new = 0, most = 0;
    for (size_t i = 0; i < n; i++)
        most += asked[i].status == RP_OK ? asked[i].query.n_words : 0;
    const rp__term **new = rp__arena_array(f->arena, most, sizeof *new);
    for (size_t i = 0; i < n && new; i++) {
        look_ahead(f, asked, i);
        for (size_t w = 0; asked[i].status == RP_OK && w < asked[i].query.n_words; w++) {
            const rp__term *term = &asked[i].query.words[w].term;
            if (term->df > 0 && !rp__gpu_words_find(f->b->words, term))
                new[n_new++] = term;
        }
    }
    if (n_new == 0)
        return RP_OK;
    (void)rp__gpu_words_add(f->b->words, f->like->segment, new, n_new, f->arena);
    return rp__device_enter(&f->b->device); /* it has one of its own */
}

void rp__gpu_batch_start(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .n = n, .arena = arena};
    b->all.asked = b->phrases.asked = NULL;
    b->any.n = 0;
    for (size_t i = 0; i < n && !f.like; i++)
        if (asked[i].status == RP_OK && asked[i].query.n_ops > 0)
            f.like = &asked[i].query;
    rp_status status = f.like ? begin(&f) : RP_OK;
    if (status == RP_OK && f.like)
        status = send_lists(&f, asked, n);
    for (size_t i = 0; i < n; i++)
        if (asked[i].status == RP_OK)
            asked[i].status = status == RP_OK ? add(&f, &asked[i], (uint32_t)i) : status;
    if (b->all.asked)
        b->all.status = rp__gpu_and_start(&b->all.and);
    if (b->phrases.asked)
        b->phrases.status = rp__gpu_and_start(&b->phrases.and);
}

static void wait_for(rp__gpu_batch *b, rp__gpu_flight *f)
{
    if (f->status == RP_OK)
        f->status = rp__device_enter(&b->device);
    if (f->status == RP_OK)
        f->status = rp__gpu_and_finish(&f->and);
}

/* Waits for all before anything is read that may be mapped. */
void rp__gpu_batch_finish(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    (void)n;
    if (b->any.n > 0) {
        rp__gpu_ors_run(b->ors, b->any.like, b->any.queries, b->any.n, arena);
        take_any(&b->any, asked);
    }
    if (b->all.asked) {
        wait_for(b, &b->all);
        take_all(&b->all, asked);
    }
    if (b->phrases.asked) {
        wait_for(b, &b->phrases);
        take_phrases(&b->phrases, asked, arena);
    }
}
