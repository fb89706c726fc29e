/* gpu_batch.c: many queries at once: which of them a device answers, by which launch, and what comes of it.
 *
 * Flat ANDs and single words go by gpu_and.c when the batch is started, flat ORs by gpu_ors.c when it is finished,
 * because they take turns with those of other threads. Of a phrase the device finds the documents that hold all
 * its words, and the host looks into them (gpu_phrase.c). What is not for the device, or does not fit, comes back with
 * RP_UNAVAILABLE or RP_NO_MEMORY and the reason, so that the caller asks another processor. Work for the group is
 * counted with the first query of it that the device is asked for, work for its ORs with the first OR.
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
    rp_fallback missing; /* why lists that nobody has asked for before may not be there */
} fill;

/* RP_FALLBACK_NONE: nothing has failed. */
static rp_fallback reason_of(rp__gpu_batch *b, rp_status status)
{
    return status == RP_OK ? RP_FALLBACK_NONE : rp__device_fallback(&b->device, status);
}

static void set_status(rp__asked *asked, rp_fallback why)
{
    bool is_memory = why == RP_FALLBACK_MEMORY || why == RP_FALLBACK_HOST_MEMORY;
    asked->answer.fallback = why;
    asked->status = why == RP_FALLBACK_NONE ? RP_OK : is_memory ? RP_NO_MEMORY : RP_UNAVAILABLE;
}

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
static rp_fallback begin_flight(const fill *f, rp__gpu_flight *to, uint32_t queries, size_t k)
{
    const rp__query *like = f->like;
    uint32_t end = like->end < like->lengths.n_docs ? like->end : like->lengths.n_docs;
    if (to->asked)
        return RP_FALLBACK_NONE;
    rp_status status = open_flight(f->b, to, queries, k);
    if (status != RP_OK)
        return reason_of(f->b, status);
    rp__gpu_and_begin(&to->and, &f->b->norms.args, (uint32_t)k, like->begin, end);
    to->asked = rp__arena_array(f->arena, f->n, sizeof *to->asked);
    return to->asked ? RP_FALLBACK_NONE : RP_FALLBACK_HOST_MEMORY;
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
    const rp__query *query = f->like;
    if (query->rank->ranking->kind != RP_RANK_BM25)
        return RP_FALLBACK_RANKING;
    if (query->algorithm)
        return RP_FALLBACK_ALGORITHM;
    if (query->k > RP_GPU_AND_K)
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
static rp_fallback put_word(const fill *f, const rp__term *term, float weight, karg_and_word *words,
                            uint32_t n)
{
    const rp__gpu_slot *slot = rp__gpu_words_find(f->b->words, term);
    if (!slot || !slot->at) {
        rp_fallback why = slot ? (rp_fallback)slot->fallback : f->missing;
        return why ? why : RP_FALLBACK_MEMORY;
    }
    for (; n > 0 && words[n - 1].n > slot->n; n--)
        words[n] = words[n - 1];
    words[n] = (karg_and_word){slot->at, weight, slot->n};
    return RP_FALLBACK_NONE;
}

static rp_fallback collect(const fill *f, const rp__query *query, karg_and_word *words, uint32_t *n)
{
    float scale = rp__rank_scale(query->fraction_bits);
    rp_fallback why = RP_FALLBACK_NONE;
    for (*n = 0; *n < query->n_ops - 2 && !why; ++*n) {
        const rp__leaf *leaf = &query->leaves[query->ops[*n + 1].leaf];
        why = put_word(f, &query->words[leaf->word].term, leaf->weight.weight * scale, words, *n);
    }
    return why;
}

static rp_fallback add_words(rp__gpu_flight *to, rp__asked *asked, uint32_t place,
                             const karg_and_word *words, uint32_t n)
{
    asked->answer.postings = count_postings(words, n);
    if (!rp__gpu_and_add(&to->and, words, n))
        return RP_FALLBACK_BATCH;
    to->asked[to->and.n_queries - 1] = place;
    return RP_FALLBACK_NONE;
}

static rp_fallback add_all(const fill *f, rp__gpu_flight *to, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    karg_and_word words[KARG_WORDS_MOST];
    uint32_t n;
    if (!are_known(query))
        return RP_FALLBACK_NONE;
    rp_fallback why = begin_flight(f, to, QUERIES_MOST, query->k);
    if (!why)
        why = collect(f, query, words, &n);
    return why ? why : add_words(to, asked, place, words, n);
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
        set_status(a, from->fallback   ? from->fallback
                      : count->damaged ? RP_FALLBACK_DAMAGED
                                       : RP_FALLBACK_NONE);
        a->answer.at = pairs_of(from, i);
        a->answer.n = count->n_pairs;
        a->answer.total = count->n;
    }
}

/* ---- Phrases --------------------------------------------------------------------------------- */

/* Words weigh nothing, so that documents come by rising docid. */
static rp_fallback add_phrase(const fill *f, rp__gpu_flight *to, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    const rp__leaf *leaf = &query->leaves[query->ops[1].leaf];
    karg_and_word words[KARG_WORDS_MOST];
    for (uint32_t i = 0; i < leaf->n_words; i++)
        if (query->words[leaf->word + i].term.df == 0)
            return RP_FALLBACK_NONE;
    rp_fallback why = leaf->n_words <= KARG_WORDS_MOST
                          ? begin_flight(f, to, PHRASES_MOST, RP_GPU_AND_K)
                          : RP_FALLBACK_TERMS;
    for (uint32_t i = 0; i < leaf->n_words && !why; i++)
        why = put_word(f, &query->words[leaf->word + i].term, 0, words, i);
    return why ? why : add_words(to, asked, place, words, leaf->n_words);
}

/* What is there to be looked into. */
static rp_fallback check_found(const rp__gpu_flight *from, const rp__gpu_and_count *count)
{
    if (from->fallback || count->damaged)
        return from->fallback ? from->fallback : RP_FALLBACK_DAMAGED;
    return count->n == count->n_pairs ? RP_FALLBACK_NONE : RP_FALLBACK_PHRASE;
}

static void take_phrases(const rp__gpu_flight *from, rp__asked *asked, rp__arena *arena)
{
    for (uint32_t i = 0; i < from->and.n_queries; i++) {
        rp__asked *a = &asked[from->asked[i]];
        const rp__gpu_and_count *count = rp__gpu_and_count_of(&from->and, i);
        rp_fallback why = check_found(from, count);
        rp_status status = RP_OK;
        if (!why)
            status =
                rp__gpu_phrase_verify(&a->query, pairs_of(from, i), count->n, arena, &a->answer);
        if (status != RP_OK)
            why = status == RP_NO_MEMORY ? RP_FALLBACK_HOST_MEMORY : RP_FALLBACK_DAMAGED;
        set_status(a, why);
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
static rp_fallback open_term(const fill *f, const rp__query *query, const rp__leaf *leaf,
                             rp__gpu_ors_term *out, uint32_t *least)
{
    const rp__gpu_slot *slot = rp__gpu_words_find(f->b->words, &query->words[leaf->word].term);
    if (!slot || !slot->at) {
        rp_fallback why = slot ? (rp_fallback)slot->fallback : f->missing;
        return why ? why : RP_FALLBACK_MEMORY;
    }
    if (slot->word->word.list.codec == KARG_CODEC_EF128)
        return RP_FALLBACK_CODEC;
    const rp__gpu_word *word = slot->word;
    float weight = leaf->weight.weight * rp__rank_scale(query->fraction_bits);
    uint32_t floor = known_floor(query, word, weight);
    *out = (rp__gpu_ors_term){slot->key, &word->word, weight};
    *least = floor > *least ? floor : *least;
    return RP_FALLBACK_NONE;
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

/* Words that the index does not know are left out. */
static rp_fallback add_any(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    rp__gpu_batch_any *any = &f->b->any;
    rp_fallback why = check_any(query);
    if (why)
        return why;
    rp__gpu_ors_term *terms = rp__arena_array(f->arena, query->n_ops - 2, sizeof *terms);
    rp__gpu_ors_query new = {.terms = terms};
    why = terms ? RP_FALLBACK_NONE : RP_FALLBACK_HOST_MEMORY;
    for (size_t i = 1; i + 1 < query->n_ops && !why; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i].leaf];
        uint32_t df = query->words[leaf->word].term.df;
        asked->answer.postings += df;
        if (df > 0)
            why = open_term(f, query, leaf, &terms[new.n_terms++], &new.least);
    }
    if (why || new.n_terms == 0)
        return why;
    any->asked[any->n] = place;
    any->queries[any->n++] = new;
    return RP_FALLBACK_NONE;
}

/* Where fewer match than are wanted, all have been found. */
static void take_any(const rp__gpu_batch_any *from, rp__asked *asked)
{
    for (size_t i = 0; i < from->n; i++) {
        rp__asked *a = &asked[from->asked[i]];
        a->status = from->queries[i].status;
        a->answer.fallback = from->queries[i].fallback;
        if (a->status != RP_OK)
            continue;
        a->answer.at = from->queries[i].at;
        a->answer.n = a->answer.total = from->queries[i].n;
        a->answer.total_is_exact = a->answer.n < a->query.k;
    }
}

/* ---- Starting and finishing ------------------------------------------------------------------ */

static rp_fallback begin(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp_fallback why = check_kind(f);
    if (!why)
        why = reason_of(b, rp__device_enter(&b->device));
    if (!why)
        why = reason_of(b, rp__gpu_norms_put(&b->norms, &b->device, b->index, f->like, b->most));
    b->any.like = f->like;
    b->any.asked = rp__arena_array(f->arena, f->n, sizeof *b->any.asked);
    b->any.queries = rp__arena_array(f->arena, f->n, sizeof *b->any.queries);
    if (!why && (!b->any.asked || !b->any.queries))
        why = RP_FALLBACK_HOST_MEMORY;
    return why;
}

static rp_fallback add(const fill *f, rp__asked *asked, uint32_t place)
{
    const rp__query *query = &asked->query;
    if (query->n_ops == 0 || query->begin >= query->end)
        return RP_FALLBACK_NONE;
    if (!f->like || !is_alike(query, f->like))
        return RP_FALLBACK_GROUP;
    switch (form_of(query)) {
    case FORM_ALL:
        return add_all(f, &f->b->all, asked, place);
    case FORM_ANY:
        return add_any(f, asked, place);
    case FORM_PHRASE:
        return add_phrase(f, &f->b->phrases, asked, place);
    case FORM_LONG:
        return RP_FALLBACK_TERMS;
    default:
        return RP_FALLBACK_FORM;
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
static rp_fallback send_lists(fill *f, const rp__asked *asked, size_t n, rp_gpu_counters *counters)
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
    f->missing = RP_FALLBACK_HOST_MEMORY; /* unless there is an array for them */
    if (n_new == 0)
        return RP_FALLBACK_NONE;
    rp_status status =
        rp__gpu_words_add(f->b->words, f->like->segment, new, n_new, f->arena, counters);
    f->missing = status == RP_OK ? RP_FALLBACK_MEMORY : reason_of(f->b, status);
    return reason_of(f->b, rp__device_enter(&f->b->device)); /* it has one of its own */
}

static void start_flights(rp__gpu_batch *b)
{
    if (b->all.asked)
        b->all.fallback = reason_of(b, rp__gpu_and_start(&b->all.and));
    if (b->phrases.asked)
        b->phrases.fallback = reason_of(b, rp__gpu_and_start(&b->phrases.and));
}

void rp__gpu_batch_start(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    fill f = {.b = b, .n = n, .arena = arena};
    rp_gpu_counters before = b->device.counters, spent = {0};
    rp__asked *first = NULL;
    b->all.asked = b->phrases.asked = NULL;
    b->any.n = 0;
    for (size_t i = 0; i < n && !first; i++)
        if (asked[i].status == RP_OK && asked[i].query.n_ops > 0)
            first = &asked[i];
    f.like = first ? &first->query : NULL;
    rp_fallback why = f.like ? begin(&f) : RP_FALLBACK_NONE;
    if (!why && f.like)
        why = send_lists(&f, asked, n, &spent);
    for (size_t i = 0; i < n; i++) {
        asked[i].answer = (rp__answer){.total_is_exact = true};
        if (asked[i].status == RP_OK)
            set_status(&asked[i], why ? why : add(&f, &asked[i], (uint32_t)i));
    }
    start_flights(b);
    if (!first)
        return;
    first->answer.gpu = rp__device_count_since(&b->device, &before);
    rp__answer_count(&first->answer.gpu, &spent);
}

static void wait_for(rp__gpu_batch *b, rp__gpu_flight *f)
{
    if (!f->fallback)
        f->fallback = reason_of(b, rp__device_enter(&b->device));
    if (!f->fallback)
        f->fallback = reason_of(b, rp__gpu_and_finish(&f->and));
}

/* Waits for all before anything is read that may be mapped. */
void rp__gpu_batch_finish(rp__gpu_batch *b, rp__asked *asked, size_t n, rp__arena *arena)
{
    (void)n;
    if (b->any.n > 0) {
        rp__gpu_ors_run(b->ors, b->any.like, b->any.queries, b->any.n, arena,
                        &asked[b->any.asked[0]].answer.gpu);
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
