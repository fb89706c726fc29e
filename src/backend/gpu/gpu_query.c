/* gpu_query.c: flat ANDs and ORs on a device, one at a time, from the words of a query to its answer.
 *
 * The host opens the lists and tells the kernel where they lie, in the launch's own record; the device finds the
 * documents, scores them, and writes the best of them into memory of the host, where a number says that they are
 * there. So a query is one launch, and one look at a word. Lists in codecs that the kernel does not read, if they are
 * not long, and tiny ones, which lie in the dictionary, are decoded here; few bytes are read where that leaves them.
 * The guard of mapped memory may leave this file wherever it reads a list: until then nothing is asked of
 * the device, and its memory is the state's. */
#include "backend/gpu/gpu_query.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "codec/codec.h"

enum {
    COPIED_MOST = 1 << 20, /* postings of a list that is decoded here */
    READ_MOST = 4096, /* bytes that the device reads from the host's memory, and has no copy of */
    WARPS = 4,        /* of a block of threads */
    AND_WARPS = 20,   /* of a multiprocessor, among which an AND is shared out */
    WIDE_MOST = 9,    /* words of one whose warps share them */
    GATHERERS = 16,   /* blocks of threads of a multiprocessor that gather */
    ALIGN = 256,
    ANSWER = sizeof(karg_answer) + KARG_ANSWER_MOST * sizeof(karg_pair),
    STAGED = (ANSWER + ALIGN - 1) / ALIGN * ALIGN, /* where in the stage what is staged begins */
};

typedef struct rp__gpu_asked run; /* a query, from start to finish */

/* A word on its way to the device. */
typedef struct word {
    rp__list list;
    const rp__leaf *leaf;
    bool copies_docids, copies_tfs;
    size_t docids, tfs; /* where among what is staged, if copied */
    karg_list at;       /* on the device, unless all is copied */
} word;

struct rp__gpu_asked {
    rp__gpu_query *q;
    const rp__query *query;
    rp__arena *arena;
    rp_error own; /* why not */
    bool is_or;
    word *words; /* the shortest list first */
    uint32_t n;
    uint32_t end;      /* of the documents asked about that there are */
    uint64_t postings; /* that may be decoded */
    uint64_t most;     /* documents that may match */
    size_t staged; /* bytes, from STAGED on in the stage, and in the room behind what was found */
    size_t pairs, scores; /* where in the room; marks are behind scores */
    size_t bytes;         /* of the room */
    bool is_copied;       /* what is staged */
    bool is_tiled;        /* an OR by gpu_any.h */
    karg_flat args;
};

static rp_status refuse(run *r, const char *why)
{
    return rp__error_set(&r->own, RP_UNAVAILABLE, "the gpu does not answer this query: %s", why);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void rp__gpu_query_open(rp__gpu_query *q, rp__device *device, const rp__gpu_index *index,
                        uint64_t most)
{
    *q = (rp__gpu_query){.device = device, .index = index, .most = most};
    rp__gpu_hold_open(&q->hold, device, index);
}

static void free_stage(rp__gpu_query *q)
{
    if (q->stage)
        q->device->driver->host_free(q->stage);
    q->stage = NULL;
    q->stage_bytes = 0;
}

void rp__gpu_query_close(rp__gpu_query *q)
{
    if (!q->device)
        return;
    rp__gpu_hold_close(&q->hold);
    rp__gpu_any_close(&q->any);
    rp__device_free(q->device, q->room);
    rp__device_free(q->device, q->table);
    free_stage(q);
    *q = (rp__gpu_query){0};
}

/* At least so many bytes; twice as many as there were, so that growing ends soon. */
static rp_status grow_stage(rp__gpu_query *q, size_t bytes)
{
    void *at = NULL;
    if (bytes <= q->stage_bytes)
        return RP_OK;
    bytes = bytes > 2 * q->stage_bytes ? bytes : 2 * q->stage_bytes;
    free_stage(q);
    const rp__driver *driver = q->device->driver;
    rp_status status =
        rp__device_check(q->device, driver->host_alloc(&at, bytes, RP_CU_HOST_MAPPED));
    if (status != RP_OK)
        return status;
    memset(at, 0, sizeof(karg_answer));
    q->stage = at;
    status = rp__device_check(q->device, driver->host_device(&q->stage_at, at, 0));
    if (status == RP_OK)
        q->stage_bytes = bytes;
    else
        free_stage(q);
    return status;
}

/* What was found of a query: nothing yet. Queries leave it so, unless they fail. */
static rp_status clear_found(rp__gpu_query *q)
{
    return rp__device_fill(q->device, q->room, 0, sizeof(karg_found) / sizeof(uint32_t));
}

static rp_status grow_room(rp__gpu_query *q, size_t bytes)
{
    if (bytes <= q->room_bytes)
        return RP_OK;
    size_t twice = 2 * q->room_bytes, most = SIZE_MAX;
    if (q->most)
        most = q->most - q->n_table * sizeof(float);
    if (bytes > most)
        return RP_NO_MEMORY;
    bytes = bytes < twice && twice <= most ? twice : bytes;
    rp__device_free(q->device, q->room);
    q->room = 0;
    q->room_bytes = 0;
    rp_status status = rp__device_alloc(q->device, bytes, &q->room);
    if (status == RP_OK)
        status = clear_found(q);
    if (status == RP_OK)
        q->room_bytes = bytes;
    return status;
}

static rp_status finish(rp__gpu_query *q)
{
    rp_status status = rp__device_wait(q->device);
    if (status == RP_OK)
        q->is_busy = false;
    return status;
}

/* After a query that failed, or that nobody finished: it may still read the stage. */
static rp_status clean_up(rp__gpu_query *q)
{
    rp_status status = finish(q);
    return status == RP_OK && q->room_bytes ? clear_found(q) : status;
}

/* Norms are the searcher's, and do not change while it lives. */
static rp_status put_norms(rp__gpu_query *q, const rp__query *query)
{
    uint32_t n = query->lengths.n_table;
    if (q->norms == query->norms && q->n_table == n)
        return RP_OK;
    if (q->most && n * sizeof(float) > q->most)
        return RP_NO_MEMORY;
    rp__gpu_any_close(&q->any); /* which has them in its lists */
    rp__device_free(q->device, q->table);
    q->table = 0;
    q->norms = NULL;
    rp_status status = grow_stage(q, STAGED + n * sizeof(float));
    if (status == RP_OK)
        status = rp__device_alloc(q->device, rp__bits_align(n * sizeof(float), 16), &q->table);
    if (status != RP_OK)
        return status;
    memcpy(q->stage + STAGED, query->norms, n * sizeof(float));
    q->is_busy = true;
    status = rp__device_copy_in(q->device, q->table, q->stage + STAGED, n * sizeof(float));
    if (status == RP_OK)
        status = finish(q);
    if (status == RP_OK) {
        q->norms = query->norms;
        q->n_table = n;
    }
    return status;
}

/* ---- What the query reads -------------------------------------------------------------------- */

static bool are_words(const rp__query *query, uint8_t role)
{
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->ops[i].kind != RP_OP_TERM || query->ops[i].role != role)
            return false;
    return query->n_ops > 2 && query->n_ops - 2 <= KARG_WORDS_MOST;
}

/* One word alone is an AND. */
static rp_status check_form(run *r)
{
    const rp__query *query = r->query;
    bool is_any = are_words(query, RP_SHOULD);
    r->is_or = is_any && query->n_ops > 3;
    if (!is_any && !are_words(query, RP_MUST))
        return refuse(r, "it is not words alone that all must be there, or any");
    if (query->rank->ranking->kind != RP_RANK_BM25)
        return refuse(r, "its ranking is not BM25");
    if (query->algorithm)
        return refuse(r, "it asks for an algorithm of the cpu");
    if (!rp__gpu_index_at(r->q->index, query->lengths.codes) || query->lengths.n_table == 0)
        return refuse(r, "the index has no lengths");
    r->end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    return RP_OK;
}

static bool is_named(const rp__block_code *code, const char *name)
{
    return code && !strcmp(code->name, name);
}

/* Whether kernels read the list where it lies. */
static bool are_docids_read(const rp__list *list)
{
    static const uint8_t read[] = {KARG_CODEC_RAW,  KARG_CODEC_BP128, KARG_CODEC_OPTPFD,
                                   KARG_CODEC_RICE, KARG_CODEC_EF128, KARG_CODEC_BITMAP};
    return list->codec && memchr(read, list->codec->id, sizeof read);
}

bool rp__gpu_query_has_tfs(const rp__list *list)
{
    return list->codec &&
           (is_named(list->freq_code, "optpfd") || is_named(list->freq_code, "bp128"));
}

static rp_status open_word(run *r, const rp__leaf *leaf, word *out)
{
    const rp__term *term = &r->query->words[leaf->word].term;
    *out = (word){.leaf = leaf};
    if (term->df == 0)
        return RP_OK;
    rp_status status = rp__segment_list(r->query->segment, term, r->arena, &out->list);
    if (status == RP_DAMAGED)
        return refuse(r, "a list is damaged");
    out->copies_docids = !are_docids_read(&out->list);
    out->copies_tfs = r->query->k > 0 && !rp__gpu_query_has_tfs(&out->list);
    if (status == RP_OK && (out->copies_docids || out->copies_tfs) && out->list.n > COPIED_MOST)
        return refuse(r, "a long list is in a codec that the gpu does not read");
    return status;
}

/* An OR goes without words that the index does not know. */
static rp_status open_words(run *r)
{
    const rp__query *query = r->query;
    size_t n = query->n_ops - 2;
    r->words = rp__arena_array(r->arena, n, sizeof *r->words);
    if (!r->words)
        return rp__error_no_memory(&r->own);
    for (size_t i = 0; i < n; i++) {
        word new;
        rp_status status = open_word(r, &query->leaves[query->ops[i + 1].leaf], &new);
        if (status != RP_OK)
            return status;
        if (r->is_or && new.list.n == 0)
            continue;
        uint32_t j = r->n++;
        for (; j > 0 && r->words[j - 1].list.n > new.list.n; j--)
            r->words[j] = r->words[j - 1];
        r->words[j] = new;
    }
    return RP_OK;
}

/* Of an OR all lists are decoded; of an AND the shortest, and of others at most a block a document, or what is
 * decoded here. */
static uint64_t postings_of(const run *r, const word *w)
{
    uint64_t shortest = r->words[0].list.n;
    bool is_coded = w->list.codec && w->list.codec->id != KARG_CODEC_BITMAP;
    uint64_t most = is_coded ? shortest * RP_BLOCK : shortest;
    return r->is_or || w->copies_docids || most > w->list.n ? w->list.n : most;
}

static rp_status check_limit(run *r)
{
    uint64_t asked = r->end > r->query->begin ? r->end - r->query->begin : 0;
    r->most = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        r->postings += postings_of(r, &r->words[i]);
        r->most += i == 0 || r->is_or ? r->words[i].list.n : 0;
    }
    r->most = r->most < asked ? r->most : asked;
    if (r->postings > r->query->max_postings)
        return refuse(r, "it may read more than max_postings");
    return RP_OK;
}

/* ---- Lists on the device ----------------------------------------------------------------------- */

/* Those that kernels read there, frequencies with the docids even where nothing is scored; what an AND asks of other
 * lists concerns documents of the shortest one. */
static rp_status want_lists(run *r)
{
    rp__gpu_want *wants = rp__arena_array(r->arena, r->n, sizeof *wants);
    size_t n = 0;
    if (!wants)
        return rp__error_no_memory(&r->own);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->words[i].list.codec && !(r->words[i].copies_docids && r->words[i].copies_tfs))
            wants[n++] =
                (rp__gpu_want){.list = &r->words[i].list, .freqs = !r->words[i].copies_tfs};
    rp_status status =
        rp__gpu_hold_want(&r->q->hold, wants, n, r->is_or ? NULL : &r->words[0].list, r->arena);
    for (uint32_t i = 0, j = 0; status == RP_OK && j < n; i++)
        if (wants[j].list == &r->words[i].list)
            r->words[i].at = wants[j++].at;
    return status == RP_DAMAGED ? refuse(r, "a list is damaged") : status;
}

/* ---- What is staged: words, where there are many; lists that are copied ------------------------- */

static void lay_out(run *r)
{
    bool is_near = r->n <= KARG_WORDS_NEAR;
    r->staged = is_near ? 0 : rp__bits_align(r->n * sizeof(karg_word), ALIGN);
    for (uint32_t i = 0; i < r->n; i++) {
        word *w = &r->words[i];
        size_t bytes =
            rp__bits_align((w->list.n + (size_t)RP_BLOCK_ROOM) * sizeof(uint32_t), ALIGN);
        w->docids = r->staged;
        r->staged += w->copies_docids ? bytes : 0;
        w->tfs = r->staged;
        r->staged += w->copies_tfs ? bytes : 0;
    }
    size_t asked = r->is_or && !r->is_tiled ? r->end - r->query->begin : 0;
    size_t pairs = r->query->k && !r->is_tiled ? r->most : 0;
    r->is_copied = !is_near || r->staged > READ_MOST;
    r->pairs = ALIGN + (r->is_copied ? r->staged : 0);
    r->scores = rp__bits_align(r->pairs + pairs * sizeof(karg_pair), ALIGN);
    r->bytes = r->scores + (asked + (asked + 31) / 32) * sizeof(uint32_t);
}

/* Where the device has what is staged. */
static uint64_t staged_at(const run *r, size_t at)
{
    return (r->is_copied ? r->q->room + ALIGN : r->q->stage_at + STAGED) + at;
}

static uint32_t *staged_words(const run *r, size_t at)
{
    return (uint32_t *)(void *)(r->q->stage + STAGED + at);
}

static rp_status decode_tfs(const rp__list *list, uint32_t *out)
{
    rp_status status = RP_OK;
    for (uint32_t f = 0; status == RP_OK && (uint64_t)f * RP_BLOCK < list->n; f++)
        status = rp__list_freqs(list, f, out + (size_t)f * RP_BLOCK);
    return status;
}

static uint32_t freq_code_of(const rp__list *list)
{
    return is_named(list->freq_code, "bp128") ? KARG_CODEC_BP128 : KARG_CODEC_OPTPFD;
}

/* Bits are words of 32 to the kernels; a list of them that is not dense is raw. */
static rp_status point_at_bits(const rp__list *list, karg_word *out)
{
    enum { HEAD = 8 };
    rp__bitmap_view bits;
    out->list.docs += HEAD;
    if (!rp__bitmap_bits(list, &bits)) {
        out->list.codec = KARG_CODEC_RAW;
        return list->docs_bytes < HEAD + list->n * sizeof(uint32_t) ? RP_DAMAGED : RP_OK;
    }
    out->hints = out->list.docs + 8 * (uint64_t)bits.n_words;
    out->base = bits.base;
    out->n_words = 2 * bits.n_words;
    return RP_OK;
}

/* As rp__gpu_query_word, of a list that lies at `at`. */
static rp_status point_at(const rp__list *list, const karg_list *at, karg_word *out)
{
    *out = (karg_word){.list = *at};
    if (!are_docids_read(list))
        return RP_UNAVAILABLE;
    out->list.freq_code = freq_code_of(list);
    if (out->list.codec == KARG_CODEC_BITMAP)
        return point_at_bits(list, out);
    bool is_short =
        out->list.codec == KARG_CODEC_RAW && list->docs_bytes < list->n * sizeof(uint32_t);
    return is_short ? RP_DAMAGED : RP_OK;
}

rp_status rp__gpu_query_word(const rp__gpu_index *index, const rp__list *list, karg_word *out)
{
    karg_list at;
    return rp__gpu_index_list(index, list, &at) ? point_at(list, &at, out) : RP_DAMAGED;
}

static uint32_t count_blocks(const word *w)
{
    return (w->list.n + RP_BLOCK - 1) / RP_BLOCK;
}

/* A list that is decoded here is raw; its frequencies may stay where they are. */
static rp_status copy_docids(const run *r, const word *w, karg_word *out)
{
    const rp__list *list = &w->list;
    *out = (karg_word){.list = {.docs = staged_at(r, w->docids),
                                .docs_bytes = list->n * (uint32_t)sizeof(uint32_t),
                                .freqs = w->at.freqs,
                                .freqs_bytes = w->at.freqs_bytes,
                                .freq_offsets = w->at.freq_offsets,
                                .freq_code = freq_code_of(list),
                                .codec = KARG_CODEC_RAW,
                                .n = list->n,
                                .n_blocks = count_blocks(w),
                                .universe = UINT32_MAX}};
    return rp__list_decode(list, staged_words(r, w->docids), NULL);
}

static rp_status stage_word(run *r, const word *w, karg_word *out)
{
    rp_status status = w->copies_docids ? copy_docids(r, w, out) : point_at(&w->list, &w->at, out);
    out->weight = w->leaf->weight.weight * rp__rank_scale(r->query->fraction_bits);
    if (status == RP_OK && w->copies_tfs) {
        status = decode_tfs(&w->list, staged_words(r, w->tfs));
        out->list.freq_code = KARG_CODEC_RAW;
        out->list.freqs = staged_at(r, w->tfs);
    }
    return status == RP_DAMAGED ? refuse(r, "a list is damaged") : status;
}

static rp_status stage_words(run *r)
{
    bool is_near = r->n <= KARG_WORDS_NEAR;
    karg_word *words = is_near ? r->args.near : (karg_word *)(void *)staged_words(r, 0);
    rp_status status = RP_OK;
    for (uint32_t i = 0; status == RP_OK && i < r->n; i++) {
        status = stage_word(r, &r->words[i], &words[i]);
        words[i].before = r->args.n_blocks;
        r->args.n_blocks += count_blocks(&r->words[i]);
    }
    return status;
}

/* ---- The device ------------------------------------------------------------------------------ */

/* A score that k documents are known to reach, by what the lists say of their k-th best postings; 0: none is. */
static uint32_t known_floor(const run *r)
{
    const rp__query *query = r->query;
    const double slack = 0x1p-20; /* of float arithmetic */
    bool is_whole = query->begin == 0 && r->end == query->lengths.n_docs;
    uint32_t floor = 0, which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    if (!query->has_bounds || !is_whole || query->k > 1000 || !(r->is_or || r->n == 1))
        return 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const word *w = &r->words[i];
        double weight = (double)w->leaf->weight.weight * rp__rank_scale(query->fraction_bits);
        double fixed = w->list.kths ? weight / 255 * w->list.kths[which] * (1 - slack) - 1 : 0;
        if (fixed > floor && fixed < 0x1p32)
            floor = (uint32_t)fixed;
    }
    return floor;
}

/* Few documents a warp, but not more warps than there is room for at a time. */
static void share_out(run *r)
{
    const uint32_t warps = AND_WARPS * r->q->device->processors, n = r->words[0].list.n;
    r->args.is_wide = r->n > 2 && r->n <= WIDE_MOST && (uint64_t)n * (r->n - 1) <= warps;
    r->args.each = 1;
    while (r->args.each < 32 && n / r->args.each > warps)
        r->args.each *= 2;
}

/* All but the words. */
static void fill_args(run *r)
{
    rp__gpu_query *q = r->q;
    const rp__lengths *lengths = &r->query->lengths;
    size_t asked = r->is_or ? r->end - r->query->begin : 0;
    karg_flat *args = &r->args;
    args->words = staged_at(r, 0);
    args->found = q->room;
    args->pairs = r->query->k ? q->room + r->pairs : 0;
    args->scores = q->room + r->scores;
    args->marks = args->scores + asked * sizeof(uint32_t);
    args->answer = q->stage_at;
    args->norms = (karg_norms){.codes = rp__gpu_index_at(q->index, lengths->codes),
                               .table = q->table,
                               .code_bytes = lengths->code_bytes,
                               .n_table = lengths->n_table};
    args->n_words = r->n;
    args->begin = r->query->begin;
    args->end = r->end;
    args->least = known_floor(r);
    share_out(r);
    args->k = (uint32_t)(r->query->k < UINT32_MAX ? r->query->k : UINT32_MAX);
    args->number = ++q->number;
}

/* What the last block of threads ranks in is never less. */
static uint32_t shared_of(uint32_t bytes)
{
    const uint32_t least = KARG_BEST_SHARED + KARG_ANSWER_MOST * (uint32_t)sizeof(uint64_t);
    return bytes > least ? bytes : least;
}

static rp_status launch_and(const run *r)
{
    const karg_flat *args = &r->args;
    uint32_t parts = (r->words[0].list.n + args->each - 1) / args->each;
    uint32_t warps = args->is_wide ? r->n - 1 : WARPS;
    rp__launch how = {
        .grid = args->is_wide ? parts : (parts + WARPS - 1) / WARPS,
        .block = warps * 32,
        .shared = shared_of(warps * (KARG_SHARED_AND + r->n * (uint32_t)KARG_SHARED_RANKS))};
    return rp__device_launch(r->q->device,
                             r->n <= KARG_WORDS_NEAR ? RP_KERNEL_and_score_kernel
                                                     : RP_KERNEL_and_score_many_kernel,
                             how, args);
}

static rp_status launch_or(const run *r)
{
    rp__device *device = r->q->device;
    const karg_flat *args = &r->args;
    uint32_t asked = args->end - args->begin, grid = (asked + 32 * WARPS - 1) / (32 * WARPS);
    uint32_t most = GATHERERS * device->processors;
    rp__launch how = {(args->n_blocks + WARPS - 1) / WARPS, WARPS * 32,
                      WARPS * RP_BLOCK * (uint32_t)sizeof(uint32_t)};
    rp_status status = rp__device_fill(device, args->scores, 0, asked + (asked + 31) / 32);
    if (status == RP_OK)
        status = rp__device_launch(device,
                                   r->n <= KARG_WORDS_NEAR ? RP_KERNEL_or_score_kernel
                                                           : RP_KERNEL_or_score_many_kernel,
                                   how, args);
    how = (rp__launch){grid < most ? grid : most, WARPS * 32, shared_of(0)};
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_or_score_gather_kernel, how, args);
    return status;
}

/* ORs whose documents are not all counted are asked by tiles. */
static bool is_for_tiles(const run *r)
{
    enum { K_MOST = 1000 };
    const rp__query *query = r->query;
    return r->q->index->share->is_whole && r->is_or && !query->exact_total && query->k > 0 &&
           query->k <= K_MOST && r->n <= KARG_OR_TERMS && query->begin == 0 &&
           r->end == query->lengths.n_docs;
}

/* A list is told by where the index has it, and so is a tiny one. */
static uint64_t key_of(const run *r, const word *w)
{
    const rp__term *term = &r->query->words[w->leaf->word].term;
    return (uint64_t)(uintptr_t)(w->list.codec ? w->list.docs : term->tiny);
}

static rp_status launch_tiles(run *r)
{
    uint64_t keys[KARG_OR_TERMS];
    const bool is_near = r->n <= KARG_WORDS_NEAR;
    rp__gpu_any_query what = {
        .words = is_near ? r->args.near : (const karg_word *)(const void *)staged_words(r, 0),
        .keys = keys,
        .n = r->n,
        .k = r->args.k,
        .least = r->args.least,
        .norms = r->args.norms};
    for (uint32_t i = 0; i < r->n; i++)
        keys[i] = key_of(r, &r->words[i]);
    return rp__gpu_any_start(&r->q->any, r->q->device, r->query, &what, r->q->most / 2);
}

static rp_status ask_device(run *r)
{
    rp__gpu_query *q = r->q;
    rp_status status = RP_OK;
    fill_args(r);
    q->is_busy = true;
    if (r->is_copied)
        status = rp__device_copy_in(q->device, q->room + ALIGN, q->stage + STAGED, r->staged);
    if (status == RP_OK)
        status = r->is_tiled ? launch_tiles(r) : r->is_or ? launch_or(r) : launch_and(r);
    return status;
}

/* More pairs than the answer has, to what is staged. */
static rp_status fetch_all(const run *r, size_t n)
{
    rp__gpu_query *q = r->q;
    rp_status status = grow_stage(q, STAGED + n * sizeof(karg_pair));
    q->is_busy = true;
    if (status == RP_OK)
        status = rp__device_copy_out(q->device, q->stage + STAGED, q->room + r->pairs,
                                     n * sizeof(karg_pair));
    return status == RP_OK ? finish(q) : status;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static rp_status keep_best(run *r, const uint8_t *from, size_t n, rp__answer *answer)
{
    const karg_pair *pairs = (const karg_pair *)(const void *)from;
    size_t k = r->query->k < n ? r->query->k : n;
    rp__topk topk;
    rp__scored *room = rp__arena_array(r->arena, rp__topk_room(k), sizeof *room);
    if (!room)
        return rp__error_no_memory(&r->own);
    rp__topk_init(&topk, room, k);
    for (size_t i = 0; i < n; i++)
        if (pairs[i].score >= topk.least)
            rp__topk_push(&topk, pairs[i].score, pairs[i].docid);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return RP_OK;
}

/* Waits for the number that is written last. */
static rp_status wait_for_answer(const run *r, karg_answer *out)
{
    rp__gpu_query *q = r->q;
    karg_answer *there = (karg_answer *)(void *)q->stage;
    rp_status status = rp__device_wait_for(q->device, &there->number, r->args.number);
    if (status != RP_OK)
        return status;
    q->is_busy = false;
    memcpy(out, there, sizeof *out);
    return out->number == r->args.number ? RP_OK : RP_UNAVAILABLE;
}

static rp_status take_tiles(run *r, rp__answer *answer)
{
    const karg_pair *pairs;
    uint32_t n;
    rp_status status = rp__gpu_any_finish(&r->q->any, &pairs, &n);
    if (status != RP_OK)
        return status;
    r->q->is_busy = false;
    *answer = (rp__answer){.total = n, .postings = r->postings};
    return keep_best(r, (const uint8_t *)pairs, n, answer);
}

static rp_status take_answer(run *r, rp__answer *answer)
{
    karg_answer got;
    rp_status status = wait_for_answer(r, &got);
    if (status != RP_OK)
        return status;
    if (got.damaged)
        return refuse(r, "a list is damaged");
    *answer = (rp__answer){.total = got.n, .total_is_exact = true, .postings = r->postings};
    if (r->query->k == 0)
        return RP_OK;
    if (got.n_pairs <= KARG_ANSWER_ALL)
        return keep_best(r, r->q->stage + sizeof got, got.n_pairs, answer);
    if (r->query->k <= KARG_ANSWER_MOST)
        return keep_best(r, r->q->stage + sizeof got,
                         got.n_pairs < r->query->k ? got.n_pairs : r->query->k, answer);
    status = fetch_all(r, got.n_pairs);
    return status == RP_OK ? keep_best(r, r->q->stage + STAGED, got.n_pairs, answer) : status;
}

/* Memory for all of it. */
static rp_status make_room(run *r)
{
    rp_status status = put_norms(r->q, r->query);
    if (status == RP_OK)
        status = grow_stage(r->q, STAGED + r->staged);
    if (status == RP_OK)
        status = grow_room(r->q, r->bytes);
    return status;
}

static rp_status ask_in_form(run *r)
{
    lay_out(r);
    r->args = (karg_flat){0};
    rp_status status = make_room(r);
    if (status == RP_OK)
        status = stage_words(r);
    return status == RP_OK ? ask_device(r) : status;
}

/* What is not told by tiles, because it does not fit, or takes too long, is by scores of all documents. */
static rp_status ask_again(run *r, rp_status status)
{
    if (!r->is_tiled || (status != RP_UNAVAILABLE && status != RP_NO_MEMORY) || r->own.text[0])
        return status;
    status = r->q->is_busy ? clean_up(r->q) : RP_OK;
    r->is_tiled = false;
    return status == RP_OK ? ask_in_form(r) : status;
}

static rp_status ask(run *r)
{
    rp_status status = check_form(r);
    if (status == RP_OK)
        status = open_words(r);
    if (status == RP_OK)
        status = check_limit(r);
    if (status != RP_OK || r->most == 0)
        return status;
    status = want_lists(r);
    if (status != RP_OK)
        return status;
    r->is_tiled = is_for_tiles(r);
    return ask_again(r, ask_in_form(r));
}

/* Why not, if nobody said so yet. */
static rp_status explain(const run *r, rp_status status, rp_error *err)
{
    if (status == RP_OK)
        return RP_OK;
    if (r->own.text[0])
        return rp__error_set(err, status, "%s", r->own.text);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "%s", r->q->device->fault.text);
}

rp_status rp__gpu_query_start(rp__gpu_query *q, const rp__query *query, rp__arena *arena,
                              rp_error *err)
{
    run *r = rp__arena_zero(arena, 1, sizeof *r);
    q->asked = NULL;
    if (!r)
        return rp__error_no_memory(err);
    r->q = q;
    r->query = query;
    r->arena = arena;
    bool is_empty = query->n_ops == 0 || query->begin >= query->end;
    rp_status status = is_empty ? RP_OK : rp__device_enter(q->device);
    if (status == RP_OK && q->is_busy)
        status = clean_up(q);
    if (status == RP_OK) /* of a query that the guard left, or that nobody finished */
        rp__gpu_hold_done(&q->hold);
    if (status == RP_OK && !is_empty)
        status = ask(r);
    if (status == RP_OK)
        q->asked = r;
    return explain(r, status, err);
}

rp_status rp__gpu_query_finish(rp__gpu_query *q, rp__answer *answer, rp_error *err)
{
    run *r = q->asked;
    *answer = (rp__answer){.total_is_exact = true};
    q->asked = NULL;
    if (!r || r->most == 0)
        return RP_OK;
    rp_status status = rp__device_enter(q->device);
    if (status == RP_OK && r->is_tiled)
        status = ask_again(r, take_tiles(r, answer));
    if (status == RP_OK && !r->is_tiled)
        status = take_answer(r, answer);
    if (!q->is_busy)
        rp__gpu_hold_done(&q->hold);
    return explain(r, status, err);
}

rp_status rp__gpu_query_run(rp__gpu_query *q, const rp__query *query, rp__arena *arena,
                            rp__answer *answer, rp_error *err)
{
    rp_status status = rp__gpu_query_start(q, query, arena, err);
    return status == RP_OK ? rp__gpu_query_finish(q, answer, err) : status;
}
