/* gpu_and.c: many ANDs at once: lays out what kernels/and_top.cu is given, and launches it.
 *
 * What goes in is one copy: what queries bring along, then states, which are zeros, first tiles and queries. What comes
 * out is another: counts, then pairs. */
#include "backend/gpu/gpu_and.h"

#include <string.h>

#include "backend/gpu/gpu_query.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    ALIGN = 256,
    WARPS = 4, /* of a block of threads */
    PHASES_MOST = 32,
    PHASE_TILES = 8192, /* of a phase, about: a few times what the device has in work */
    RANKERS = 8,        /* blocks of threads of a multiprocessor that rank */
    RANK_BLOCK = 128,   /* threads of each */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Bytes of each query in what goes in. */
enum { EACH = sizeof(karg_and_state) + sizeof(karg_and_ask) + PHASES_MOST * sizeof(uint32_t) };

static size_t in_bytes(const rp__gpu_and_limits *l)
{
    size_t all = rp__bits_align(l->bytes, ALIGN) + (size_t)l->queries * EACH;
    return rp__bits_align(all, ALIGN);
}

static size_t out_bytes(uint32_t queries, uint32_t k)
{
    return queries * (sizeof(karg_found) + k * sizeof(karg_pair));
}

static karg_and_ask *asks(const rp__gpu_and *b)
{
    size_t out = rp__bits_align(out_bytes(b->limits.queries, b->limits.k), ALIGN);
    return (karg_and_ask *)(void *)(b->host + in_bytes(&b->limits) + out);
}

static const uint8_t *answers(const rp__gpu_and *b)
{
    return b->host + in_bytes(&b->limits);
}

rp_status rp__gpu_and_open(rp__gpu_and *b, rp__device *device, const rp__gpu_and_limits *limits)
{
    const rp__driver *driver = device->driver;
    void *host = NULL;
    *b = (rp__gpu_and){.device = device, .limits = *limits};
    size_t out = rp__bits_align(out_bytes(limits->queries, limits->k), ALIGN);
    size_t notes = limits->queries * sizeof(karg_and_ask);
    size_t all = in_bytes(limits) + out;
    rp_status status = limits->most && all > limits->most ? RP_NO_MEMORY : RP_OK;
    if (status == RP_OK && !limits->is_shared)
        status = rp__device_check(device, driver->stream_create(&b->stream, RP_CU_STREAM_OWN));
    if (status == RP_OK)
        status = rp__device_check(device, driver->host_alloc(&host, all + notes, 0));
    b->host = status == RP_OK ? host : NULL;
    if (status == RP_OK)
        status = rp__device_alloc(device, all, &b->room);
    if (status != RP_OK)
        rp__gpu_and_close(b);
    return status;
}

void rp__gpu_and_close(rp__gpu_and *b)
{
    if (!b->device)
        return;
    if (b->is_busy)
        (void)rp__gpu_and_finish(b);
    rp__device_free(b->device, b->keys);
    rp__device_free(b->device, b->room);
    if (b->host)
        b->device->driver->host_free(b->host);
    if (b->stream)
        b->device->driver->stream_destroy(b->stream);
    *b = (rp__gpu_and){0};
}

/* At least so many; twice as many as there were, so that growing ends soon. */
static rp_status grow_keys(rp__gpu_and *b, uint64_t n)
{
    uint64_t taken = in_bytes(&b->limits) + out_bytes(b->limits.queries, b->limits.k);
    uint64_t most = b->limits.most ? (b->limits.most - taken) / sizeof(uint64_t) : UINT64_MAX;
    if (n <= b->n_keys)
        return RP_OK;
    if (n > most)
        return RP_NO_MEMORY;
    n = n < 2 * b->n_keys && 2 * b->n_keys <= most ? 2 * b->n_keys : n;
    rp__device_free(b->device, b->keys);
    b->keys = 0;
    b->n_keys = 0;
    rp_status status = rp__device_alloc(b->device, n * sizeof(uint64_t), &b->keys);
    b->n_keys = status == RP_OK ? n : 0;
    return status;
}

/* ---- Queries --------------------------------------------------------------------------------- */

void rp__gpu_and_begin(rp__gpu_and *b, const karg_norms *norms, uint32_t k, uint32_t begin,
                       uint32_t end)
{
    b->used = b->n_queries = b->n_tiles = b->words_most = 0;
    b->elements = 0;
    b->args = (karg_and_top){.norms = *norms, .k = k, .begin = begin, .end = end};
}

void *rp__gpu_and_put(rp__gpu_and *b, size_t bytes, uint64_t *at)
{
    size_t from = b->used, room = b->limits.bytes - from;
    if (bytes > room || rp__bits_align(bytes, 16) > room)
        return NULL;
    b->used += rp__bits_align(bytes, 16);
    *at = b->room + from;
    return b->host + from;
}

bool rp__gpu_and_add(rp__gpu_and *b, const karg_and_word *words, uint32_t n)
{
    uint64_t at, most = b->elements + words[0].n;
    if (b->n_queries == b->limits.queries || most > UINT32_MAX)
        return false;
    void *room = rp__gpu_and_put(b, n * sizeof *words, &at);
    if (!room)
        return false;
    memcpy(room, words, n * sizeof *words);
    uint32_t tiles = words[0].n / KARG_AND_TILE + (words[0].n % KARG_AND_TILE > 0);
    asks(b)[b->n_queries++] = (karg_and_ask){.word = (uint32_t)((at - b->room) / sizeof *words),
                                             .n_words = n,
                                             .keys = (uint32_t)b->elements,
                                             .n_tiles = tiles};
    b->n_tiles += tiles;
    b->words_most = n > b->words_most ? n : b->words_most;
    b->elements = most;
    return true;
}

/* ---- The device ------------------------------------------------------------------------------ */

static uint32_t phases_of(const rp__gpu_and *b)
{
    uint32_t n = b->n_tiles / (b->limits.phase ? b->limits.phase : PHASE_TILES);
    return n < 1 ? 1 : n > PHASES_MOST ? PHASES_MOST : n;
}

static void fill_firsts(const rp__gpu_and *b, uint32_t n_phases, uint32_t *out)
{
    const karg_and_ask *ask = asks(b);
    uint32_t tiles = 0;
    for (uint32_t p = 0; p < n_phases; p++)
        for (uint32_t q = 0; q < b->n_queries; q++) {
            uint64_t n = ask[q].n_tiles;
            *out++ = tiles;
            tiles += (uint32_t)(n * (p + 1) / n_phases - n * p / n_phases);
        }
}

/* What was noted of queries, behind what they brought along; returns bytes of it all. */
static size_t fill_in(rp__gpu_and *b)
{
    karg_and_top *a = &b->args;
    uint32_t n = b->n_queries, n_phases = phases_of(b);
    size_t states = rp__bits_align(b->used, ALIGN), ask = states + n * sizeof(karg_and_state);
    size_t firsts = ask + n * sizeof(karg_and_ask);
    memset(b->host + states, 0, n * sizeof(karg_and_state));
    memcpy(b->host + ask, asks(b), n * sizeof(karg_and_ask));
    fill_firsts(b, n_phases, (uint32_t *)(void *)(b->host + firsts));
    a->words = b->room;
    a->states = b->room + states;
    a->queries = b->room + ask;
    a->firsts = b->room + firsts;
    a->keys = b->keys;
    a->counts = b->room + in_bytes(&b->limits);
    a->pairs = a->counts + n * sizeof(karg_found);
    a->n_queries = n;
    a->n_tiles = b->n_tiles;
    a->n_phases = n_phases;
    a->words_most = b->words_most;
    return firsts + (size_t)n * n_phases * sizeof(uint32_t);
}

static rp_status launch(rp__gpu_and *b)
{
    const karg_and_top *a = &b->args;
    uint32_t ranks = a->k ? (a->words_most - 1) * KARG_AND_TILE * (uint32_t)sizeof(uint32_t) : 0;
    uint32_t each = KARG_AND_SHARED + ranks, warps = b->device->shared_most / each;
    warps = warps < WARPS ? warps : WARPS;
    rp__launch how = {(a->n_tiles + warps - 1) / warps, 32 * warps, warps * each};
    rp_status status = rp__device_launch(b->device, RP_KERNEL_and_top_kernel, how, a);
    uint32_t most = RANKERS * b->device->processors, keys = 1;
    while (keys < a->k)
        keys *= 2;
    how = (rp__launch){a->n_queries < most ? a->n_queries : most, RANK_BLOCK,
                       KARG_BEST_SHARED + keys * (uint32_t)sizeof(uint64_t)};
    if (status == RP_OK)
        status = rp__device_launch(b->device, RP_KERNEL_and_top_rank_kernel, how, a);
    return status;
}

static rp_status enqueue(rp__gpu_and *b)
{
    union {
        const uint8_t *in;
        uint8_t *out;
    } to = {.in = answers(b)};
    b->is_busy = true;
    rp_status status = rp__device_copy_in(b->device, b->room, b->host, fill_in(b));
    if (status == RP_OK)
        status = launch(b);
    if (status == RP_OK)
        status = rp__device_copy_out(b->device, to.out, b->args.counts,
                                     out_bytes(b->n_queries, b->args.k));
    return status;
}

rp_status rp__gpu_and_start(rp__gpu_and *b)
{
    rp_status status = grow_keys(b, b->args.k ? b->elements : 0);
    if (status != RP_OK || b->n_queries == 0)
        return status;
    rp__cu_stream other = b->device->stream;
    b->device->stream = b->stream ? b->stream : other;
    status = enqueue(b);
    b->device->stream = other;
    return status;
}

rp_status rp__gpu_and_finish(rp__gpu_and *b)
{
    if (!b->is_busy)
        return RP_OK;
    if (b->device->is_lost)
        return RP_UNAVAILABLE;
    rp__cu_stream stream = b->stream ? b->stream : b->device->stream;
    rp_status status = rp__device_check(b->device, b->device->driver->stream_wait(stream));
    b->is_busy = status != RP_OK;
    return status;
}

const rp__gpu_and_count *rp__gpu_and_count_of(const rp__gpu_and *b, uint32_t i)
{
    return (const rp__gpu_and_count *)(const void *)answers(b) + i;
}

const karg_pair *rp__gpu_and_pairs_of(const rp__gpu_and *b, uint32_t i)
{
    const karg_pair *pairs =
        (const karg_pair *)(const void *)(answers(b) + b->n_queries * sizeof(karg_found));
    return pairs + (size_t)i * b->args.k;
}

/* ---- Words ----------------------------------------------------------------------------------- */

rp_status rp__gpu_and_word(const rp__gpu_index *index, const rp__list *list, karg_word *out)
{
    const char *freqs = list->freq_code ? list->freq_code->name : "";
    if (strcmp(freqs, "optpfd") != 0 && strcmp(freqs, "bp128") != 0)
        return RP_UNAVAILABLE;
    if (!list->codec || list->codec->id != KARG_CODEC_EF128)
        return rp__gpu_query_word(index, list, out);
    *out = (karg_word){0};
    if (!rp__gpu_index_list(index, list, &out->list))
        return RP_DAMAGED;
    out->list.freq_code = strcmp(freqs, "bp128") ? KARG_CODEC_OPTPFD : KARG_CODEC_BP128;
    return RP_OK;
}

karg_word rp__gpu_and_copied(uint64_t docids, uint64_t tfs, uint32_t n)
{
    return (karg_word){.list = {.docs = docids,
                                .freqs = tfs,
                                .n = n,
                                .n_blocks = n / RP_BLOCK + (n % RP_BLOCK > 0),
                                .docs_bytes = n * (uint32_t)sizeof(uint32_t),
                                .codec = KARG_CODEC_RAW,
                                .freq_code = KARG_CODEC_RAW}};
}
