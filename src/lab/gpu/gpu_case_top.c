/* gpu_case_top.c: cases of many ANDs at once over lists as an index has them, by fused_and.h: 2 to 6 words, drawn like
 * those of a query log: the shortest list of a query has so many docids on average, the others are a few times to a
 * few dozen times as long.
 *
 * Row fields: width: GOV or GOV2, a shape; codec: of lists; of those of a docid in so many, or denser, bitmap, or, with
 * DERIVED, bits that were derived of it; option: pairs wanted, how batches are run, and that density. n is the sum of
 * the shortest lists of a batch. What is timed is kernels alone, or, in turns and pipelines, many batches by the wall:
 * from the host's call to the host's answer, copies included. */
#include "lab/gpu/gpu_case_top.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "codec/codec.h"
#include "lab/gpu/gpu_case_lists.h"

enum {
    TRANSCODED = 1 << 12, /* of a row's codec */
    WORDS_MOST = 6,
    LISTS_MOST = 256,
    TABLE = 256,
    SCALE_BITS = 20,
    SAMPLE = 64,             /* queries that are checked, of many */
    STREAMS = 3,             /* batches in work at a time */
    BATCHES = 1000,          /* of a run that is timed from end to end, */
    IN_TURN = 100,           /* and of one in which the next waits for the answer */
    ELEMENTS_MOST = 1 << 30, /* or fewer, of so many elements in all */
    SMALL = 4096,            /* documents of a small case */
};

/* How a row's batches are run: one, kernels alone; many, each when the one before is answered; many, some at a time. */
typedef enum mode { ONE, TURNS, PIPELINE } mode;

typedef struct shape {
    uint32_t docs, mean;
    uint32_t n_lists; /* of a large case, half of them short */
    const char *freqs;
} shape;

static const shape shapes[] = {{1053372, 8600, 256, "optpfd"}, {25200000, 112000, 96, "bp128"}};
enum { GOV, GOV2 };

typedef struct list {
    uint32_t *docids, *tfs, n;
    uint8_t *bytes;
    size_t used;   /* of them */
    uint64_t word; /* its karg_term in device memory */
    float weight;
} list;

typedef struct query {
    uint32_t lists[WORDS_MOST], n;
} query;

typedef struct top {
    shape shape;
    uint32_t k, dense, codec, n_queries, in_batch;
    mode mode;
    bool is_transcoded;
    list lists[LISTS_MOST];
    karg_term words[LISTS_MOST];
    query *queries;
    uint32_t *here; /* docids that a core finds, when it is timed */
    uint8_t *codes;
    float norms[TABLE];
    rp__cu_ptr memory[2 * LISTS_MOST + 3];
    size_t n_memory;
    rp__fused_and batches[STREAMS];
    karg_norms at_norms;
    uint64_t elements, random;
} top;

static uint32_t draw(top *t, uint32_t below)
{
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((t->random >> 33) * below >> 31);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* About n docids in even steps with some noise: rising, below the number of documents. */
static rp_status draw_list(top *t, list *l, uint32_t n)
{
    uint32_t step = t->shape.docs / n;
    l->docids = rp__alloc_array(n, sizeof *l->docids);
    l->tfs = rp__alloc_array(n, sizeof *l->tfs);
    if (!l->docids || !l->tfs)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t noise = draw(t, UINT32_MAX / 2);
        l->docids[i] = i * step + noise % step;
        l->tfs[i] = 1 + (noise >> 16 & 3 ? 0 : noise >> 18 & 7);
    }
    l->n = n;
    l->weight = 0.5F + (float)draw(t, 1000) / 200;
    return RP_OK;
}

static rp_status encode(list *l, const rp__codec *codec, size_t *used)
{
    size_t most = rp__list_blocks_bound(codec, l->n);
    uint32_t *ends = rp__alloc_array(most, sizeof *ends);
    uint32_t *scratch = rp__alloc_array(rp__list_scratch(codec, l->n), sizeof *scratch);
    uint8_t *bounds = rp__alloc_zero(most, 1);
    l->bytes = rp__alloc_zero(rp__list_bound(codec, l->n) + RP_PAD, 1);
    rp_status status = ends && scratch && bounds && l->bytes ? RP_OK : RP_NO_MEMORY;
    rp__list_parts parts = {.ends = ends, .bounds = bounds};
    if (status == RP_OK) {
        parts.n_blocks = rp__list_cut(codec, NULL, l->docids, l->tfs, l->n, scratch, ends);
        status = rp__list_encode(codec, l->docids, l->tfs, l->n, &parts, scratch, l->bytes, used);
    }
    rp__free(ends);
    rp__free(scratch);
    rp__free(bounds);
    return status;
}

static rp_status put(top *t, rp__device *device, const void *data, size_t bytes, uint64_t *at)
{
    rp__cu_ptr memory;
    rp_status status = rp__device_alloc(device, bytes + RP_PAD, &memory);
    if (status != RP_OK)
        return status;
    t->memory[t->n_memory++] = memory;
    *at = memory;
    return rp__device_copy_in(device, memory, data, bytes);
}

static bool is_dense(const top *t, const list *l)
{
    return (uint64_t)l->n * t->dense >= t->shape.docs;
}

static rp__codec codec_of(const top *t, const list *l)
{
    uint32_t features = rp__cpu_features();
    uint32_t id = is_dense(t, l) && !t->is_transcoded ? KARG_CODEC_BITMAP : t->codec;
    return rp__codec_with_freqs(rp__codec_by_id((uint8_t)id, features),
                                rp__block_code_find(t->shape.freqs, features));
}

static rp_status transcode(top *t, rp__device *device, uint32_t i)
{
    karg_term word = t->words[i];
    size_t bits = rp__transcode_term_bits_bytes(&word.list);
    rp__cu_ptr room;
    rp_status status =
        rp__device_alloc(device, bits + rp__transcode_term_array_bytes(word.list.n), &room);
    if (status != RP_OK)
        return status;
    t->memory[t->n_memory++] = room;
    return rp__gpu_case_lists_bits(device, &word, room, room + bits, &t->words[i]);
}

/* As an index of that list alone has it. */
static rp_status put_list(top *t, rp__device *device, uint32_t i)
{
    rp__residency residency = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = device, .residency = &residency};
    list *l = &t->lists[i];
    rp__codec codec = codec_of(t, l);
    rp__list opened;
    uint64_t at = 0;
    rp_status status = encode(l, &codec, &l->used);
    if (status == RP_OK)
        status = put(t, device, l->bytes, l->used + RP_PAD, &at);
    if (status == RP_OK)
        status = rp__list_open(&codec, l->bytes, l->used, l->n, t->shape.docs, false, &opened);
    if (status != RP_OK)
        return status;
    residency.sections[0] = (rp__gpu_section){.host = l->bytes, .bytes = l->used, .at = at};
    status = rp__gpu_list_lookup(&index, &opened, &t->words[i]);
    return status == RP_OK && t->is_transcoded && is_dense(t, l) ? transcode(t, device, i) : status;
}

/* From short to long: half of them serve as the shortest of a query. */
static rp_status make_lists(top *t, rp__device *device, uint64_t n)
{
    uint32_t mean = t->shape.mean, docs = t->shape.docs;
    uint64_t at = 0, most = n / 2 + 1;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < t->shape.n_lists && status == RP_OK; i++) {
        bool is_short = i < t->shape.n_lists / 2;
        uint64_t size = mean / 2 + draw(t, mean + 1);
        size = is_short ? size : size * (4 + draw(t, 28));
        size = is_short && size > most ? most : size;
        size = size > docs / 2 ? docs / 2 : size;
        status = draw_list(t, &t->lists[i], (uint32_t)size);
        if (status == RP_OK)
            status = put_list(t, device, i);
    }
    if (status == RP_OK)
        status = put(t, device, t->words, t->shape.n_lists * sizeof *t->words, &at);
    for (uint32_t i = 0; i < t->shape.n_lists; i++)
        t->lists[i].word = at + i * sizeof *t->words;
    return status;
}

static rp_status make_norms(top *t, rp__device *device)
{
    t->codes = rp__alloc_array(t->shape.docs, 1);
    if (!t->codes)
        return RP_NO_MEMORY;
    for (uint32_t d = 0; d < t->shape.docs; d++)
        t->codes[d] = (uint8_t)(d * 2654435761U >> 24);
    for (uint32_t i = 0; i < TABLE; i++)
        t->norms[i] = 0.3F + (float)i / 90;
    t->at_norms = (karg_norms){.code_bytes = 1, .n_table = TABLE};
    rp_status status = put(t, device, t->codes, t->shape.docs, &t->at_norms.codes);
    if (status == RP_OK)
        status = put(t, device, t->norms, sizeof t->norms, &t->at_norms.table);
    return status;
}

/* ---- Queries --------------------------------------------------------------------------------- */

static bool has(const query *q, uint32_t l)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (q->lists[i] == l)
            return true;
    return false;
}

/* Two to six lists, the shortest first. */
static void draw_query(top *t, query *q)
{
    uint32_t half = t->shape.n_lists / 2, n = 2 + draw(t, WORDS_MOST - 1);
    *q = (query){.lists = {draw(t, half)}, .n = 1};
    while (q->n < n) {
        uint32_t new = half + draw(t, half), j = q->n;
        if (has(q, new))
            continue;
        for (; j > 0 && t->lists[q->lists[j - 1]].n > t->lists[new].n; j--)
            q->lists[j] = q->lists[j - 1];
        q->lists[j] = new;
        q->n++;
    }
}

static rp_status make_queries(top *t, uint64_t n)
{
    uint64_t mean = t->shape.mean < n / 2 + 1 ? t->shape.mean : n / 2 + 1;
    t->in_batch = (uint32_t)(n / mean + 1);
    t->n_queries = t->mode == ONE ? t->in_batch : t->in_batch * (n > 1000000 ? 64 : 2);
    t->queries = rp__alloc_array(t->n_queries, sizeof *t->queries);
    if (!t->queries)
        return RP_NO_MEMORY;
    for (uint32_t q = 0; q < t->n_queries; q++) {
        draw_query(t, &t->queries[q]);
        t->elements += t->lists[t->queries[q].lists[0]].n;
    }
    return RP_OK;
}

/* Whether all lists have the i-th docid of the shortest, and its score. */
static bool matches(const top *t, const query *q, uint32_t i, uint32_t *score)
{
    uint32_t docid = t->lists[q->lists[0]].docids[i];
    float norm = t->norms[t->codes[docid]];
    *score = 0;
    for (uint32_t w = 0; w < q->n; w++) {
        const list *l = &t->lists[q->lists[w]];
        uint32_t rank = w ? rp__gpu_case_lists_rank(l->docids, l->n, docid) : i;
        if (rank == UINT32_MAX)
            return false;
        *score +=
            rp__rank_fix(rp__rank_bm25(l->weight, norm, l->tfs[rank]), rp__rank_scale(SCALE_BITS));
    }
    return true;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static rp_status open_batches(top *t, rp__device *device)
{
    uint32_t n = t->mode == ONE || t->mode == TURNS ? 1 : STREAMS;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < t->shape.n_lists / 2; i++)
        longest = longest > t->lists[i].n ? longest : t->lists[i].n;
    rp__fused_and_limits limits = {.queries = t->in_batch,
                                   .elements = t->in_batch * longest,
                                   .k = t->k,
                                   .bytes = t->in_batch * WORDS_MOST * sizeof(karg_and_term),
                                   .phase = t->shape.docs == SMALL ? 4 : 0,
                                   .is_shared = t->mode == ONE};
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        status = rp__fused_and_open(&t->batches[i], device, &limits);
    return status;
}

static rp_status start_batch(top *t, rp__fused_and *b, uint32_t first)
{
    const float scale = rp__rank_scale(SCALE_BITS);
    rp__fused_and_begin(b, &t->at_norms, t->k, 0, t->shape.docs);
    for (uint32_t i = 0; i < t->in_batch; i++) {
        const query *q = &t->queries[first + i];
        karg_and_term words[WORDS_MOST];
        for (uint32_t w = 0; w < q->n; w++) {
            const list *l = &t->lists[q->lists[w]];
            words[w] = (karg_and_term){l->word, l->weight * scale, l->n};
        }
        if (!rp__fused_and_add(b, words, q->n))
            return RP_LIMIT;
    }
    return rp__fused_and_start(b);
}

static uint64_t elements_per_batch(const top *t)
{
    return t->n_queries > 0 ? t->elements * t->in_batch / t->n_queries : 0;
}

static uint32_t batches_of(const top *t)
{
    uint32_t most = t->shape.docs == SMALL ? STREAMS + 1 : t->mode == TURNS ? IN_TURN : BATCHES;
    uint64_t enough = ELEMENTS_MOST / (elements_per_batch(t) + 1) + 1;
    return t->mode == ONE ? 1 : enough < most ? (uint32_t)enough : most;
}

static rp_status run_top(const rp__gpu_case *row, rp__device *device, void *state)
{
    top *t = state;
    (void)row;
    if (t->mode == ONE)
        return rp__fused_and_again(&t->batches[0]);
    uint32_t n = batches_of(t), streams = t->mode == TURNS ? 1 : STREAMS, first = 0;
    rp_status status = rp__device_wait(device);
    for (uint32_t i = 0; i < n && status == RP_OK; i++, first += t->in_batch) {
        rp__fused_and *b = &t->batches[i % streams];
        first = first + t->in_batch > t->n_queries ? 0 : first;
        status = rp__fused_and_finish(b);
        if (status == RP_OK)
            status = start_batch(t, b, first);
        if (status == RP_OK && t->mode == TURNS)
            status = rp__fused_and_finish(b);
    }
    for (uint32_t s = 0; s < streams && status == RP_OK; s++)
        status = rp__fused_and_finish(&t->batches[s]);
    return status;
}

/* ---- The case -------------------------------------------------------------------------------- */

static void free_top(const rp__gpu_case *row, rp__device *device, void *state)
{
    top *t = state;
    (void)row;
    if (!t)
        return;
    for (size_t i = 0; i < STREAMS; i++)
        rp__fused_and_close(&t->batches[i]);
    for (size_t i = 0; i < t->n_memory; i++)
        rp__device_free(device, t->memory[i]);
    for (uint32_t i = 0; i < LISTS_MOST; i++) {
        rp__free(t->lists[i].docids);
        rp__free(t->lists[i].tfs);
        rp__free(t->lists[i].bytes);
    }
    rp__free(t->codes);
    rp__free(t->here);
    rp__free(t->queries);
    rp__free(t);
}

static rp_status make_top(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                          void **state)
{
    top *t = rp__alloc_zero(1, sizeof *t);
    *state = t;
    if (!t)
        return RP_NO_MEMORY;
    t->shape = shapes[row->width];
    t->k = row->option & 0xFFFF;
    t->mode = (mode)(row->option >> 16 & 0xF);
    t->dense = row->option >> 20;
    t->codec = row->codec & 255;
    t->is_transcoded = row->codec & TRANSCODED;
    t->random = seed + 1;
    if (n <= 1000000)
        t->shape = (shape){.docs = SMALL, .mean = 300, .n_lists = 16, .freqs = t->shape.freqs};
    rp_status status = make_lists(t, device, n);
    if (status == RP_OK)
        status = make_norms(t, device);
    if (status == RP_OK)
        status = make_queries(t, n);
    if (status == RP_OK)
        status = open_batches(t, device);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK)
        status = start_batch(t, &t->batches[0], 0);
    if (status == RP_OK)
        status = rp__fused_and_finish(&t->batches[0]);
    if (status != RP_OK) {
        free_top(row, device, t);
        *state = NULL;
    }
    return status;
}

/* Of so many queries one is checked. */
static uint32_t sampled_each(const top *t)
{
    return t->n_queries > SAMPLE ? t->n_queries / SAMPLE : 1;
}

/* The CPU's answer beside the device's. */
static rp_status compare(const top *t, const rp__gpu_case *row, const rp__fused_and *b,
                         uint32_t first, uint32_t i, rp_error *what)
{
    const query *q = &t->queries[first + i];
    const rp__fused_and_count *count = rp__fused_and_count_of(b, i);
    const karg_pair *pairs = rp__fused_and_pairs_of(b, i);
    uint32_t n = t->lists[q->lists[0]].n, total = 0, score;
    rp__topk best;
    rp__scored *room = rp__alloc_array(rp__topk_room(t->k + 1), sizeof *room);
    if (!room)
        return RP_NO_MEMORY;
    rp__topk_init(&best, room, t->k);
    for (uint32_t d = 0; d < n; d++)
        if (matches(t, q, d, &score) && ++total && t->k)
            rp__topk_push(&best, score, t->lists[q->lists[0]].docids[d]);
    rp__topk_finish(&best);
    bool is_right = count->n == total && count->n_pairs == best.n && !count->damaged;
    for (uint32_t p = 0; p < best.n && is_right; p++)
        is_right = pairs[p].score == best.at[p].fixed && pairs[p].docid == best.at[p].docid;
    rp__free(room);
    if (is_right)
        return RP_OK;
    return rp__error_set(what, RP_DAMAGED, "%s: query %u has %u documents, not %u", row->name,
                         first + i, count->n, total);
}

/* Every batch of queries once more. */
static rp_status check_top(const rp__gpu_case *row, rp__device *device, void *state, rp_error *what)
{
    top *t = state;
    rp__fused_and *b = &t->batches[0];
    uint32_t each = sampled_each(t);
    rp_status status = rp__device_wait(device);
    for (uint32_t first = 0; first < t->n_queries && status == RP_OK; first += t->in_batch) {
        status = rp__fused_and_finish(b);
        if (status == RP_OK)
            status = start_batch(t, b, first);
        if (status == RP_OK)
            status = rp__fused_and_finish(b);
        for (uint32_t i = 0; i < t->in_batch && status == RP_OK; i++)
            if ((first + i) % each == 0)
                status = compare(t, row, b, first, i, what);
    }
    return status;
}

static void cost_top(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                     uint64_t *elements)
{
    const top *t = state;
    (void)row;
    uint64_t rounds = batches_of(t);
    *elements = t->mode == ONE ? t->elements : rounds * elements_per_batch(t);
    *bytes = 4 * *elements;
}

/* ---- On a core ------------------------------------------------------------------------------- */

/* A query's documents, list by list, as the device has them in its codec; to t->here. */
static rp_status intersect_query(top *t, const query *q, const rp__gpu_peer *peer, uint32_t *n)
{
    const list *shortest = &t->lists[q->lists[0]];
    rp_status status = RP_OK;
    memcpy(t->here, shortest->docids, shortest->n * sizeof *t->here);
    *n = shortest->n;
    for (uint32_t w = 1; w < q->n && status == RP_OK; w++) {
        const list *l = &t->lists[q->lists[w]];
        rp__codec codec = codec_of(t, l);
        rp__list opened;
        status = rp__list_open(&codec, l->bytes, l->used, l->n, t->shape.docs, false, &opened);
        if (status == RP_OK)
            status = peer->intersect(t->here, *n, &opened, t->here, n);
    }
    return status;
}

/* Scores them; frequencies are looked up in arrays. */
static rp_status rank_query(top *t, const query *q, uint32_t n)
{
    const list *shortest = &t->lists[q->lists[0]];
    rp__topk best;
    rp__scored *room = rp__alloc_array(rp__topk_room(t->k + 1), sizeof *room);
    uint32_t score;
    if (!room)
        return RP_NO_MEMORY;
    rp__topk_init(&best, room, t->k);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = rp__gpu_case_lists_rank(shortest->docids, shortest->n, t->here[i]);
        if (rank < shortest->n && matches(t, q, rank, &score))
            rp__topk_push(&best, score, t->here[i]);
    }
    rp__topk_finish(&best);
    rp__free(room);
    return RP_OK;
}

/* The queries that are checked. */
static rp_status answer_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                             double *times)
{
    top *t = state;
    uint64_t sampled = 0, bytes, elements;
    uint32_t n;
    rp_status status = RP_OK;
    if (!t->here)
        t->here = rp__alloc_array(t->shape.docs, sizeof *t->here);
    if (!t->here)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < t->n_queries && status == RP_OK; i += sampled_each(t)) {
        const query *q = &t->queries[i];
        sampled += t->lists[q->lists[0]].n;
        status = intersect_query(t, q, peer, &n);
        if (status == RP_OK && t->k)
            status = rank_query(t, q, n);
    }
    cost_top(row, t, &bytes, &elements);
    *times = (double)elements / (double)sampled;
    return status;
}

#define TOP(title, shape_, codec_, dense, mode_, k)                                                \
    {                                                                                              \
        .area = "batch", .name = (title), .make = make_top, .run = run_top, .check = check_top,    \
        .free = free_top, .cost = cost_top, .kernel = RP_KERNEL_and_batch_topk_kernel,             \
        .width = (shape_), .codec = (codec_),                                                      \
        .option = (k) | (uint32_t)(mode_) << 16 | (dense) << 20, .cpu = answer_here                \
    }

const rp__gpu_case rp__gpu_case_top[] = {
    TOP("and gov raw", GOV, KARG_CODEC_RAW, 0, ONE, 0),
    TOP("and gov bp128", GOV, KARG_CODEC_BP128, 0, ONE, 0),
    TOP("and gov bp128 bitmaps", GOV, KARG_CODEC_BP128, 8, ONE, 0),
    TOP("and gov bp128 derived", GOV, KARG_CODEC_BP128 | TRANSCODED, 32, ONE, 0),
    TOP("and gov ef128", GOV, KARG_CODEC_EF128, 0, ONE, 0),
    TOP("and gov2 bp128 bitmaps", GOV2, KARG_CODEC_BP128, 8, ONE, 0),
    TOP("and gov2 bp128 derived", GOV2, KARG_CODEC_BP128 | TRANSCODED, 64, ONE, 0),
    TOP("top10 gov bp128 bitmaps", GOV, KARG_CODEC_BP128, 8, ONE, 10),
    TOP("top10 gov bp128 derived", GOV, KARG_CODEC_BP128 | TRANSCODED, 32, ONE, 10),
    TOP("top10 gov ef128 bitmaps", GOV, KARG_CODEC_EF128, 8, ONE, 10),
    TOP("top1000 gov bp128 bitmaps", GOV, KARG_CODEC_BP128, 8, ONE, 1000),
    TOP("top10 gov2 bp128 bitmaps", GOV2, KARG_CODEC_BP128, 8, ONE, 10),
    TOP("top10 gov2 bp128 derived", GOV2, KARG_CODEC_BP128 | TRANSCODED, 64, ONE, 10),
    TOP("top100 gov2 bp128 derived", GOV2, KARG_CODEC_BP128 | TRANSCODED, 64, ONE, 100),
    TOP("top1000 gov2 bp128 derived", GOV2, KARG_CODEC_BP128 | TRANSCODED, 64, ONE, 1000),
    TOP("turns and gov bp128 derived", GOV, KARG_CODEC_BP128 | TRANSCODED, 32, TURNS, 0),
    TOP("turns top10 gov bp128 bitmaps", GOV, KARG_CODEC_BP128, 8, TURNS, 10),
    TOP("turns top10 gov bp128 derived", GOV, KARG_CODEC_BP128 | TRANSCODED, 32, TURNS, 10),
    TOP("pipeline top10 gov bp128 bitmaps", GOV, KARG_CODEC_BP128, 8, PIPELINE, 10),
    TOP("pipeline top10 gov bp128 derived", GOV, KARG_CODEC_BP128 | TRANSCODED, 32, PIPELINE, 10),
    {0},
};
