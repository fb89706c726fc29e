/* gpu_case_or.c: ORs of three lists: the k best documents, by tiles of docids in shared memory, and by one
 * accumulator a document (Ding) with a selection after it; lists laid out by tiles.
 *
 * In a row, `codec` is k, and `option` says what is drawn and how it runs. */
#include "lab/gpu/gpu_case_or.h"

#include <math.h>
#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_lists.h"
#include "lab/gpu/gpu_case_select.h"
#include "lab/gpu/gpu_tiled.h"
#include "rank/rank.h"

enum {
    SKIPS = 1,   /* what cannot enter the k best is passed over */
    ONE = 2,     /* one query, not a batch */
    SMALLER = 4, /* 8.8M documents, not 25.2M */
    CLUSTERED =
        8,      /* a word's documents lie together, and those of a query's words near each other */
    WIDE = 16,  /* codes of norms have two bytes */
    CODED = 32, /* lists are in bp128 */
    EF = 64,    /* in ef128, if they are coded, */
    GAPS = 128, /* or in optpfd, */
    OPTPFD = 256,  /* and frequencies in optpfd, not bp128; */
    DAMAGED = 512, /* and some bytes changed: there is no answer, and no fault */
};
enum { CLASSES = 3, QUERIES = 16, LISTS = CLASSES * QUERIES };
enum { N_DOCS = 25200000, N_SMALLER = 8800000, SMALL = 1 << 20, WINDOW = 1 << 14, WIDEN = 5 };

/* Logarithms are looked up: there are many postings. */
typedef struct falling {
    double at[1 << 14];
} falling;

typedef struct list {
    uint32_t *docids, *tfs, *last;
    uint16_t *places; /* laid out by a core, when it is timed */
    float *ratios;
    uint32_t n, room;
    uint32_t reached[256]; /* postings by tf/(tf+K), rounded down */
} list;

typedef struct ors {
    uint32_t n_docs, k, n_queries, n_terms, n_table;
    rp__rank rank;
    list lists[LISTS];
    karg_list records[LISTS];
    rp__gpu_case_lists coded;
    falling falling;
    rp__fused_or_term terms[CLASSES * QUERIES];
    rp__weight weights[CLASSES * QUERIES];
    uint32_t lists_of[CLASSES * QUERIES];
    rp__gpu_tiled_want want[CLASSES * QUERIES];
    rp__fused_or_query queries[QUERIES];
    uint16_t *lengths; /* codes */
    unsigned char *codes;
    float *table;
    uint32_t *scores; /* of a window */
    rp__scored *want_pairs, *got;
    uint32_t want_n[QUERIES], got_n[QUERIES];
    karg_norms norms;
    rp__gpu_tiled tiled;
    rp__fused_or mailbox;
    rp__fused_or_batch batch;
    rp__cu_ptr on_arrays, on_codes, on_table;
    rp__cu_ptr on_scores, on_scratch, on_out,
        on_counts; /* of those that have an accumulator a document */
    uint64_t postings;
} ors;

static rp_status run_global(const rp__gpu_case *row, rp__device *device, void *state);
static rp_status run_lay(const rp__gpu_case *row, rp__device *device, void *state);

static void free_ors(const rp__gpu_case *row, rp__device *device, void *state)
{
    ors *o = state;
    (void)row;
    if (!o)
        return;
    for (uint32_t l = 0; l < LISTS; l++) {
        list *at = &o->lists[l];
        void *here[] = {at->docids, at->tfs, at->last, at->places, at->ratios};
        for (uint32_t i = 0; i < sizeof here / sizeof here[0]; i++)
            rp__free(here[i]);
    }
    rp__cu_ptr on[] = {o->on_arrays,  o->on_codes, o->on_table, o->on_scores,
                       o->on_scratch, o->on_out,   o->on_counts};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
        rp__device_free(device, on[i]);
    void *here[] = {o->lengths, o->codes, o->table, o->scores, o->want_pairs, o->got};
    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++)
        rp__free(here[i]);
    rp__gpu_case_lists_free(&o->coded, device);
    rp__gpu_tiled_close(&o->tiled);
    rp__fused_or_close(&o->mailbox, NULL);
    rp__free(o);
}

/* ---- Data ---------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random ^ *random >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 16;
}

static void fill_falling(falling *f)
{
    for (uint32_t i = 0; i < 1 << 14; i++)
        f->at[i] = -log((i + 0.5) * 0x1p-14);
}

/* Exponentially distributed, 1 on average. */
static double draw_falling(const falling *f, uint64_t *random)
{
    return f->at[draw(random) & 0x3FFF];
}

/* Lengths from 12 words on, most of them short. */
static rp_status draw_lengths(const rp__gpu_case *row, ors *o, uint64_t seed)
{
    uint64_t random = seed + 3;
    o->n_table = row->option & WIDE ? 3000 : 200;
    const uint32_t apart = row->option & WIDE ? 1 : 15;
    o->rank = (rp__rank){.ranking = rp__ranking_at(0), .k1 = 1.2, .b = 0.75};
    o->rank.stats = (rp__rank_stats){o->n_docs, 400ULL * o->n_docs, 12 + apart * o->n_table};
    o->lengths = rp__alloc_array(o->n_docs, sizeof *o->lengths);
    o->codes = rp__alloc_array(o->n_docs, 2);
    o->table = rp__alloc_array(o->n_table, sizeof *o->table);
    if (!o->lengths || !o->codes || !o->table)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < o->n_table; i++)
        o->table[i] = rp__rank_norm(&o->rank, 12 + apart * i);
    for (uint32_t i = 0; i < o->n_docs; i++) {
        double x = draw_falling(&o->falling, &random) * 400 / apart;
        o->lengths[i] = (uint16_t)(x < o->n_table ? x : o->n_table - 1);
        if (row->option & WIDE)
            memcpy(o->codes + 2 * (size_t)i, &o->lengths[i], 2);
        else
            o->codes[i] = (unsigned char)o->lengths[i];
    }
    return RP_OK;
}

/* How much denser than on average lists of this query are in a stretch of docids: 1 where they are uniform. */
static double density_of(const rp__gpu_case *row, uint32_t stretch, uint32_t query)
{
    if (!(row->option & CLUSTERED))
        return 1;
    uint64_t random = (uint64_t)stretch * 1009 + query;
    draw(&random);
    double u = ((double)(draw(&random) & UINT32_MAX) + 0.5) * 0x1p-32;
    return 0.45 / sqrt(u) < 6 ? 0.45 / sqrt(u) : 6; /* about 0.85 on average, some 6 */
}

static void add_posting(ors *o, list *l, uint32_t docid, double frequent, uint64_t *random)
{
    uint32_t tf = 1 + (uint32_t)(draw_falling(&o->falling, random) * frequent);
    float t = (float)tf, ratio = t / (t + o->table[o->lengths[docid]]);
    l->reached[rp__rank_reached(ratio)]++;
    l->docids[l->n] = l->last[l->n / KARG_BLOCK] = docid;
    l->tfs[l->n++] = tf;
}

static rp_status allocate_list(list *l, uint32_t room)
{
    l->room = room;
    l->docids = rp__alloc_array(room + 4, sizeof *l->docids);
    l->tfs = rp__alloc_array(room + 4, sizeof *l->tfs);
    l->last = rp__alloc_array(room / KARG_BLOCK + 1, sizeof *l->last);
    return l->docids && l->tfs && l->last ? RP_OK : RP_NO_MEMORY;
}

/* Words are more frequent in the documents of a stretch where they are in many. */
static rp_status draw_list(const rp__gpu_case *row, ors *o, uint32_t number, double share,
                           uint64_t seed)
{
    list *l = &o->lists[number];
    uint64_t random = seed * 131 + number;
    rp_status status = allocate_list(l, (uint32_t)(1.2 * share * o->n_docs) + 64);
    if (status != RP_OK)
        return status;
    uint32_t docid = UINT32_MAX, stretch = UINT32_MAX;
    double frequent = 0, per = 0;
    while (l->n < l->room) {
        if ((docid + 1) >> 14 != stretch) {
            stretch = (docid + 1) >> 14;
            double dense = density_of(row, stretch, number % QUERIES), p = share * dense;
            frequent = 0.6 * sqrt(dense);
            per = -1 / log1p(p < 0.9 ? -p : -0.9);
        }
        double gap = draw_falling(&o->falling, &random) * per;
        if (gap >= (double)(o->n_docs - 1 - docid))
            break;
        docid += 1 + (uint32_t)gap;
        add_posting(o, l, docid, frequent, &random);
    }
    return RP_OK;
}

static void bind_term(ors *o, uint32_t at, uint32_t number, double boost)
{
    uint32_t df = o->lists[number].n ? o->lists[number].n : 1;
    uint64_t cf = 2ULL * df;
    o->weights[at] = rp__rank_weight(&o->rank, &df, &cf, 1, boost);
    o->terms[at].weight = o->weights[at].weight * 0x1p20F;
    o->lists_of[at] = number;
}

/* What the k-th best posting of a list reaches enters the k best at least: as an index knows it for some k. */
static uint32_t least_of(const ors *o, uint32_t term, uint32_t n_terms)
{
    uint32_t least = 0;
    for (uint32_t t = term; t < term + n_terms; t++) {
        const list *l = &o->lists[o->lists_of[t]];
        uint32_t ratio = 256, better = 0;
        while (ratio > 0 && better < o->k)
            better += l->reached[--ratio];
        double fixed = (double)o->terms[t].weight / 255 * ratio * (1 - 0x1p-20) - 1;
        if (better >= o->k && fixed > least)
            least = (uint32_t)fixed;
    }
    return least;
}

/* One list of each size; of few documents, one query has one term, one a word twice, one a word that counts for
 * nothing, and of one nothing is known beforehand. */
static void bind_queries(ors *o)
{
    for (uint32_t q = 0; q < o->n_queries; q++) {
        bool is_odd = o->n_docs < SMALL;
        rp__fused_or_query *query = &o->queries[q];
        *query = (rp__fused_or_query){o->terms + o->n_terms, is_odd && q == 1 ? 1 : CLASSES, 0};
        for (uint32_t t = 0; t < query->n_terms; t++, o->n_terms++) {
            uint32_t class = CLASSES - 1 - (is_odd && q == 2 ? t / 2 : t);
            bind_term(o, o->n_terms, class * QUERIES + q, is_odd && q % 4 == 3 && t == 2 ? 0 : 1);
            o->postings += o->lists[class * QUERIES + q].n;
        }
        if (!is_odd || q != 0)
            query->min_score = least_of(o, o->n_terms - query->n_terms, query->n_terms);
    }
}

/* ---- The answer ---------------------------------------------------------------------------------- */

/* A score of 0 is one too: those that match are marked. */
static void add_window(ors *o, const rp__fused_or_query *q, uint32_t *ranks, uint32_t begin,
                       uint32_t end, unsigned char *matches)
{
    const size_t first = (size_t)(q->terms - o->terms);
    memset(o->scores, 0, WINDOW * sizeof *o->scores);
    memset(matches, 0, WINDOW);
    for (uint32_t t = 0; t < q->n_terms; t++) {
        const list *l = &o->lists[o->lists_of[first + t]];
        const float weight = o->weights[first + t].weight;
        for (; ranks[t] < l->n && l->docids[ranks[t]] < end; ranks[t]++) {
            uint32_t docid = l->docids[ranks[t]];
            float norm = o->table[o->lengths[docid]];
            o->scores[docid - begin] +=
                rp__rank_fix(rp__rank_bm25(weight, norm, l->tfs[ranks[t]]), 0x1p20F);
            matches[docid - begin] = 1;
        }
    }
}

static void answer_query(ors *o, uint32_t number, rp__scored *room, unsigned char *matches)
{
    uint32_t ranks[CLASSES] = {0};
    rp__topk topk;
    rp__topk_init(&topk, room, o->k);
    for (uint32_t begin = 0; begin < o->n_docs; begin += WINDOW) {
        uint32_t end = o->n_docs - begin < WINDOW ? o->n_docs : begin + WINDOW;
        add_window(o, &o->queries[number], ranks, begin, end, matches);
        for (uint32_t i = 0; i < end - begin; i++)
            if (o->scores[i] >= topk.least && matches[i])
                rp__topk_push(&topk, o->scores[i], begin + i);
    }
    rp__topk_finish(&topk);
    o->want_n[number] = (uint32_t)topk.n;
    memcpy(o->want_pairs + (size_t)number * o->k, topk.at, topk.n * sizeof *topk.at);
}

static rp_status answer(ors *o)
{
    rp__scored *room = rp__alloc_array(rp__topk_room(o->k), sizeof *room);
    unsigned char *matches = rp__alloc_array(WINDOW, 1);
    bool is_there = room && matches;
    for (uint32_t q = 0; is_there && q < o->n_queries; q++)
        answer_query(o, q, room, matches);
    rp__free(room);
    rp__free(matches);
    return is_there ? RP_OK : RP_NO_MEMORY;
}

static rp_status allocate_answer(ors *o)
{
    size_t pairs = (size_t)o->n_queries * o->k;
    o->scores = rp__alloc_array(WINDOW, sizeof *o->scores);
    o->want_pairs = rp__alloc_array(pairs, sizeof *o->want_pairs);
    o->got = rp__alloc_array(pairs, sizeof *o->got);
    return o->scores && o->want_pairs && o->got ? RP_OK : RP_NO_MEMORY;
}

static rp_status answer_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                             double *times)
{
    (void)row, (void)peer, (void)times;
    return answer(state);
}

/* Decodes lists, if they are coded, and makes places and ratios of them. */
static rp_status lay_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                          double *times)
{
    ors *o = state;
    rp_status status = RP_OK;
    (void)peer, (void)times;
    if (row->option & CODED)
        status = rp__gpu_case_lists_decode(&o->coded, RP_GPU_CASE_DOCIDS | RP_GPU_CASE_FREQS);
    for (uint32_t i = 0; i < LISTS && status == RP_OK; i++) {
        list *l = &o->lists[i];
        if (!l->places)
            l->places = rp__alloc_array(l->n + 1, sizeof *l->places);
        if (!l->ratios)
            l->ratios = rp__alloc_array(l->n + 1, sizeof *l->ratios);
        if (!l->places || !l->ratios)
            return RP_NO_MEMORY;
        for (uint32_t k = 0; k < l->n; k++) {
            float tf = (float)l->tfs[k];
            l->places[k] = (uint16_t)l->docids[k];
            l->ratios[k] = tf / (tf + o->table[o->lengths[l->docids[k]]]);
        }
    }
    return status;
}

/* ---- On the device ------------------------------------------------------------------------------- */

static rp_status bring(rp__device *device, const void *from, size_t bytes, rp__cu_ptr *to)
{
    rp_status status = rp__device_alloc(device, bytes + 16, to);
    return status == RP_OK && from ? rp__device_copy_in(device, *to, from, bytes) : status;
}

/* Arrays begin at multiples of 16 bytes and have as many after them. */
static uint64_t room_of(uint64_t bytes)
{
    return (bytes + 31) / 16 * 16;
}

static rp_status bring_list(rp__device *device, const list *l, rp__cu_ptr *at, karg_list *out)
{
    const uint32_t blocks = (l->n + KARG_BLOCK - 1) / KARG_BLOCK;
    const void *from[3] = {l->docids, l->tfs, l->last};
    const uint64_t bytes[3] = {4ULL * l->n, 4ULL * l->n, 4ULL * blocks};
    rp__cu_ptr to[3];
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < 3 && status == RP_OK; i++, *at += room_of(bytes[i - 1])) {
        to[i] = *at;
        status = rp__device_copy_in(device, to[i], from[i], bytes[i]);
    }
    *out = (karg_list){.docs = to[0],
                       .freqs = to[1],
                       .last = blocks > 1 ? to[2] : 0,
                       .n = l->n,
                       .n_blocks = blocks,
                       .docs_bytes = 4 * l->n,
                       .freqs_bytes = 4 * l->n};
    return status;
}

/* Uncompressed, as they are laid out from, and as one accumulator a document reads them. */
static rp_status bring_lists(rp__device *device, ors *o)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < LISTS; i++)
        bytes += 2 * room_of(4ULL * o->lists[i].n) + room_of(4ULL * o->lists[i].n / KARG_BLOCK + 4);
    rp_status status = bring(device, NULL, bytes, &o->on_arrays);
    rp__cu_ptr at = o->on_arrays;
    for (uint32_t i = 0; i < LISTS && status == RP_OK; i++) {
        status = bring_list(device, &o->lists[i], &at, &o->records[i]);
        o->records[i].universe = o->n_docs;
        o->records[i].codec = o->records[i].freq_code = KARG_CODEC_RAW;
    }
    return status;
}

/* Encodes the lists; raw ones stay as they are. */
static rp_status code_lists(const rp__gpu_case *row, rp__device *device, ors *o)
{
    const rp__codec *plain = rp__codec_find(row->option & EF     ? "ef128"
                                            : row->option & GAPS ? "optpfd"
                                                                 : "bp128",
                                            0);
    const rp__codec codec = rp__codec_with_freqs(
        plain, rp__block_code_find(row->option & OPTPFD ? "optpfd" : "bp128", 0));
    karg_list coded[LISTS];
    uint32_t places[LISTS], n = 0;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < LISTS && status == RP_OK; i++) {
        const list *l = &o->lists[i];
        places[i] = n;
        if (l->n)
            status = rp__gpu_case_lists_add(&o->coded, &codec, l->docids, l->tfs, l->n, o->n_docs);
        n += l->n > 0;
    }
    if (status == RP_OK && n && row->option & DAMAGED)
        rp__gpu_case_lists_damage(&o->coded, o->n_docs);
    if (status == RP_OK && n)
        status = rp__gpu_case_lists_send(&o->coded, device, 0, 64);
    if (status == RP_OK && n)
        status = rp__device_copy_out(device, coded, o->coded.at_lists, n * sizeof coded[0]);
    if (status == RP_OK)
        status = rp__device_wait(device);
    for (uint32_t i = 0; i < LISTS && status == RP_OK; i++)
        if (o->lists[i].n) {
            o->records[i] = coded[places[i]];
            o->records[i].codec = plain->id;
            o->records[i].freq_code = row->option & OPTPFD ? KARG_CODEC_OPTPFD : KARG_CODEC_BP128;
        }
    return status;
}

static rp_status bring_norms(const rp__gpu_case *row, rp__device *device, ors *o)
{
    const uint32_t code_bytes = row->option & WIDE ? 2 : 1;
    rp_status status = bring(device, o->codes, (size_t)o->n_docs * code_bytes, &o->on_codes);
    if (status == RP_OK)
        status = bring(device, o->table, o->n_table * sizeof *o->table, &o->on_table);
    o->norms = (karg_norms){o->on_codes, o->on_table, code_bytes, o->n_table};
    return status;
}

/* Lists as the index has them, and as they are laid out. */
static rp_status lay_lists(const rp__gpu_case *row, rp__device *device, ors *o)
{
    karg_tiled tiled[CLASSES * QUERIES];
    size_t most = 1 << 20;
    for (uint32_t t = 0; t < o->n_terms; t++) {
        const uint32_t number = o->lists_of[t];
        o->want[t] = (rp__gpu_tiled_want){number + 1, {.list = o->records[number]}};
        most += 6ULL * o->records[number].n + 4096 + 8ULL * (o->n_docs >> KARG_OR_TILE);
    }
    rp__gpu_tiled_open(&o->tiled, device, o->norms, o->n_docs, most);
    rp_status status = rp__gpu_tiled_get(&o->tiled, o->want, o->n_terms, tiled);
    for (uint32_t t = 0; t < o->n_terms; t++)
        o->terms[t].list = tiled[t];
    o->batch = (rp__fused_or_batch){.queries = o->queries,
                                    .n_queries = o->n_queries,
                                    .k = o->k,
                                    .n_docs = o->n_docs,
                                    .scores_all = !(row->option & SKIPS)};
    rp__fused_or_open(&o->mailbox, device);
    return status == RP_OK ? rp__device_wait(device) : status;
}

/* Of those that have an accumulator a document. */
static rp_status bring_scores(rp__device *device, ors *o)
{
    rp_status status = bring(device, NULL, 4ULL * o->n_docs, &o->on_scores);
    if (status == RP_OK)
        status = bring(device, NULL, 4 * KARG_SELECT_ZEROS + 4ULL * o->n_docs, &o->on_scratch);
    if (status == RP_OK)
        status = rp__device_fill(device, o->on_scratch, 0, KARG_SELECT_ZEROS);
    if (status == RP_OK)
        status = bring(device, NULL, o->k * sizeof(karg_pair), &o->on_out);
    return status == RP_OK ? bring(device, NULL, sizeof(uint32_t), &o->on_counts) : status;
}

static rp_status draw_all(const rp__gpu_case *row, ors *o, uint64_t seed)
{
    static const double shares[CLASSES] = {4.0 / 25.2, 1.0 / 25.2, 0.5 / 25.2};
    fill_falling(&o->falling);
    rp_status status = draw_lengths(row, o, seed);
    for (uint32_t l = 0; l < LISTS && status == RP_OK; l++)
        if (l % QUERIES < o->n_queries)
            status = draw_list(row, o, l, shares[l / QUERIES], seed);
    if (status != RP_OK)
        return status;
    bind_queries(o);
    status = allocate_answer(o);
    return status == RP_OK ? answer(o) : status;
}

static rp_status make_ors(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                          void **state)
{
    ors *o = rp__alloc_zero(1, sizeof *o);
    *state = o;
    if (!o)
        return RP_NO_MEMORY;
    const uint64_t most = row->option & SMALLER ? N_SMALLER : N_DOCS;
    const uint64_t docs = n < SMALL ? WIDEN * n : n; /* several tiles, if not many */
    o->n_docs = (uint32_t)(docs < most ? docs : most) + (n == 0);
    o->k = row->codec;
    o->n_queries = row->option & ONE ? 1 : n < SMALL ? 5 : QUERIES;
    rp_status status = draw_all(row, o, seed);
    if (status == RP_OK)
        status = bring_lists(device, o);
    if (status == RP_OK && row->option & CODED)
        status = code_lists(row, device, o);
    if (status == RP_OK)
        status = bring_norms(row, device, o);
    if (status == RP_OK)
        status = lay_lists(row, device, o);
    if (status == RP_OK && row->run == run_global)
        status = bring_scores(device, o);
    if (status != RP_OK) {
        free_ors(row, device, o);
        *state = NULL;
    }
    return status;
}

/* ---- Running ------------------------------------------------------------------------------------- */

static rp_status run_tile(const rp__gpu_case *row, rp__device *device, void *state)
{
    ors *o = state;
    (void)row, (void)device;
    return rp__fused_or_run(&o->mailbox, &o->batch);
}

/* Host to host: from when the device has nothing to do until the answer is here. */
static rp_status run_whole(const rp__gpu_case *row, rp__device *device, void *state)
{
    ors *o = state;
    karg_tiled tiled[CLASSES * QUERIES];
    const karg_pair *pairs;
    const uint32_t *counts;
    (void)row;
    rp_status status = rp__device_wait(device);
    if (status == RP_OK)
        status = rp__gpu_tiled_get(&o->tiled, o->want, o->n_terms, tiled);
    for (uint32_t t = 0; t < o->n_terms; t++)
        o->terms[t].list = tiled[t];
    if (status == RP_OK)
        status = rp__fused_or_run(&o->mailbox, &o->batch);
    return status == RP_OK ? rp__fused_or_fetch(&o->mailbox, &pairs, &counts) : status;
}

/* Lists are other ones each time, to those who keep them. */
static rp_status run_lay(const rp__gpu_case *row, rp__device *device, void *state)
{
    ors *o = state;
    karg_tiled tiled[CLASSES * QUERIES];
    (void)row;
    rp_status status = rp__device_wait(device);
    for (uint32_t t = 0; t < o->n_terms; t++)
        o->want[t].key += LISTS;
    if (status == RP_OK)
        status = rp__gpu_tiled_get(&o->tiled, o->want, o->n_terms, tiled);
    for (uint32_t t = 0; t < o->n_terms; t++)
        o->terms[t].list = tiled[t];
    return status;
}

/* Ding's: one accumulator a document, one launch a list, then the best of all. */
static rp_status run_global(const rp__gpu_case *row, rp__device *device, void *state)
{
    const ors *o = state;
    (void)row;
    rp_status status = rp__device_fill(device, o->on_scores, 0, o->n_docs);
    for (uint32_t t = 0; t < o->n_terms && status == RP_OK; t++) {
        const karg_list *l = &o->records[o->lists_of[t]];
        karg_score args = {.docids = l->docs,
                           .tfs = l->freqs,
                           .scores = o->on_scores,
                           .norms = o->norms,
                           .n = l->n,
                           .n_docs = o->n_docs,
                           .weight = o->terms[t].weight};
        status = rp__device_launch(device, (rp__kernel_id)RP_KERNEL_score_bm25_kernel,
                                   (rp__launch){l->n / 1024 + 1, 256, 0}, &args);
    }
    karg_select best = {.scores = o->on_scores,
                        .out = o->on_out,
                        .counts = o->on_counts,
                        .scratch = o->on_scratch,
                        .n = o->n_docs,
                        .k = o->k,
                        .n_queries = 1,
                        .min_score = 1};
    return status == RP_OK ? rp__gpu_case_select_sample(device, best) : status;
}

/* ---- Checking ------------------------------------------------------------------------------------ */

static rp_status compare(const rp__gpu_case *row, const ors *o, rp_error *what)
{
    for (uint32_t q = 0; q < o->n_queries; q++) {
        size_t at = (size_t)q * o->k;
        if (o->got_n[q] != o->want_n[q])
            return rp__error_set(what, RP_DAMAGED, "%s: query %u has %u, not %u", row->name, q,
                                 o->got_n[q], o->want_n[q]);
        for (uint32_t i = 0; i < o->want_n[q]; i++)
            if (memcmp(&o->got[at + i], &o->want_pairs[at + i], sizeof *o->got) != 0)
                return rp__error_set(what, RP_DAMAGED, "%s: query %u, %u: %u of %u, not %u of %u",
                                     row->name, q, i, o->got[at + i].fixed, o->got[at + i].docid,
                                     o->want_pairs[at + i].fixed, o->want_pairs[at + i].docid);
    }
    return RP_OK;
}

/* Whatever was found is a document. */
static rp_status bear(const rp__gpu_case *row, const ors *o, rp_error *what)
{
    for (uint32_t q = 0; q < o->n_queries; q++)
        for (uint32_t i = 0; i < o->got_n[q] && o->got_n[q] != UINT32_MAX && i < o->k; i++)
            if (o->got[(size_t)q * o->k + i].docid >= o->n_docs)
                return rp__error_set(what, RP_DAMAGED, "%s: query %u, %u: no document", row->name,
                                     q, i);
    return RP_OK;
}

/* Of those that have an accumulator a document. */
static rp_status fetch_global(rp__device *device, ors *o)
{
    rp_status status = rp__device_copy_out(device, o->got, o->on_out, o->k * sizeof *o->got);
    if (status == RP_OK)
        status = rp__device_copy_out(device, o->got_n, o->on_counts, sizeof o->got_n[0]);
    return status == RP_OK ? rp__device_wait(device) : status;
}

static rp_status fetch(const rp__gpu_case *row, rp__device *device, ors *o)
{
    const karg_pair *pairs;
    const uint32_t *counts;
    if (row->run == run_global)
        return fetch_global(device, o);
    rp_status status = row->run == run_lay ? rp__fused_or_run(&o->mailbox, &o->batch) : RP_OK;
    if (status == RP_OK)
        status = rp__fused_or_fetch(&o->mailbox, &pairs, &counts);
    if (status != RP_OK)
        return status;
    memcpy(o->got, pairs, (size_t)o->n_queries * o->k * sizeof *o->got);
    memcpy(o->got_n, counts, o->n_queries * sizeof *counts);
    return RP_OK;
}

static rp_status check_ors(const rp__gpu_case *row, rp__device *device, void *state, rp_error *what)
{
    ors *o = state;
    rp_status status = fetch(row, device, o);
    if (status != RP_OK)
        return status;
    return row->option & DAMAGED ? bear(row, o, what) : compare(row, o, what);
}

/* A place and a ratio a posting; laid out, they are written, and before that docids, frequencies and codes read. */
static void cost_ors(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                     uint64_t *elements)
{
    const ors *o = state;
    *bytes = 6 * o->postings;
    if (row->run == run_lay || row->run == run_global)
        *bytes += 8 * o->postings + (row->option & WIDE ? 2ULL : 1ULL) * o->n_docs;
    *elements = o->postings;
}

#define CASE(title, how, best, options, beside, here)                                              \
    {                                                                                              \
        .area = "or", .name = title, .make = make_ors, .run = how, .check = check_ors,             \
        .free = free_ors, .cost = cost_ors, .codec = best, .option = options, .twin = beside,      \
        .cpu = here                                                                                \
    }
#define ROW(title, how, best, options, beside) CASE(title, how, best, options, beside, answer_here)
#define LAY(title, options)                                                                        \
    CASE(title, run_lay, 10, options, NULL, (options)&DAMAGED ? NULL : lay_here)

const rp__gpu_case rp__gpu_case_or[] = {
    ROW("tile, all of one", run_tile, 10, ONE, "per-range shared accumulators + top-10"),
    ROW("tile, all of one, end to end", run_whole, 10, ONE, NULL),
    ROW("tile, all of 16", run_tile, 10, 0, NULL),
    ROW("tile, skips, one", run_tile, 10, ONE | SKIPS | CLUSTERED, NULL),
    ROW("tile, skips, one, end to end", run_whole, 10, ONE | SKIPS | CLUSTERED, NULL),
    ROW("tile, skips, 16", run_tile, 10, SKIPS | CLUSTERED, NULL),
    ROW("tile, skips, 16 uniform", run_tile, 10, SKIPS, NULL),
    ROW("tile, skips, wide codes", run_tile, 10, SKIPS | CLUSTERED | WIDE, NULL),
    ROW("tile, skips, top 1000", run_tile, 1000, SKIPS | CLUSTERED, NULL),
    ROW("tile, skips, 8.8M", run_tile, 10, SKIPS | CLUSTERED | SMALLER, "bm25x kernels"),
    LAY("lay, raw", 0),
    LAY("lay, bp128", CODED),
    LAY("lay, bp128+optpfd", CODED | OPTPFD),
    LAY("lay, ef128+optpfd", CODED | EF | OPTPFD),
    LAY("lay, optpfd+optpfd", CODED | GAPS | OPTPFD),
    LAY("lay, ef128+optpfd, damaged", CODED | EF | OPTPFD | DAMAGED),
    LAY("lay, optpfd, damaged", CODED | GAPS | DAMAGED),
    LAY("lay, bp128+optpfd, damaged", CODED | OPTPFD | DAMAGED),
    ROW("global, one", run_global, 10, ONE, "global accumulators"),
    {0},
};
