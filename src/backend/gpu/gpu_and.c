/* gpu_and.c: many ANDs at once: lays out what kernels/and_top.cu is given, and launches it.
 *
 * What goes in is one copy: what queries bring along, then their states, then parts. Counts and pairs the kernels write
 * to the host's memory themselves: they are few, and a copy more would have to be waited for. Where there are many parts they come in phases, in each of which every query has its share: so queries
 * walk through documents together, and find lists that they share in the cache. */
#include "backend/gpu/gpu_and.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    ALIGN = 256,
    ELEMENTS = 1 << 22,
    WARPS = 2, /* of a block of threads */
    PHASES_MOST = 32,
    PHASE = 8192,     /* parts of a phase, about: a few times what the device has in work */
    RANKERS = 8,      /* blocks of threads of a multiprocessor that rank */
    RANK_BLOCK = 128, /* threads of each */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What is noted of a query until the batch starts. */
typedef struct note {
    uint32_t word, n_words, n_parts, keys;
} note;

static size_t in_bytes(const rp__gpu_and_limits *l)
{
    size_t parts = l->elements / KARG_AND_TILE + l->queries;
    size_t states = l->queries * sizeof(karg_and_state);
    return rp__bits_align(rp__bits_align(l->bytes, ALIGN) + states + parts * sizeof(karg_and_part),
                          ALIGN);
}

static size_t out_bytes(uint32_t queries, uint32_t k)
{
    return queries * (sizeof(karg_found) + k * sizeof(karg_pair));
}

static note *notes(const rp__gpu_and *b)
{
    size_t out = rp__bits_align(out_bytes(b->limits.queries, b->limits.k), ALIGN);
    return (note *)(void *)(b->host + in_bytes(&b->limits) + out);
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
    b->limits.elements = limits->elements ? limits->elements : ELEMENTS;
    size_t out = rp__bits_align(out_bytes(limits->queries, limits->k), ALIGN);
    size_t all = in_bytes(&b->limits) + out;
    rp_status status = limits->most && in_bytes(&b->limits) > limits->most ? RP_NO_MEMORY : RP_OK;
    if (status == RP_OK && !limits->is_shared)
        status = rp__device_check(device, driver->stream_create(&b->stream, RP_CU_STREAM_OWN));
    if (status == RP_OK)
        status =
            rp__device_check(device, driver->host_alloc(&host, all + limits->queries * sizeof(note),
                                                        RP_CU_HOST_MAPPED));
    b->host = host; /* also where another thread has lost the card meanwhile */
    if (status == RP_OK)
        status = rp__device_check(device, driver->host_device(&b->mapped, host, 0));
    if (status == RP_OK)
        status = rp__device_alloc(device, in_bytes(&b->limits), &b->room);
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
    uint64_t left = b->limits.most - in_bytes(&b->limits);
    uint64_t most = b->limits.most ? left / sizeof(uint64_t) : UINT64_MAX;
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
    b->used = b->n_queries = b->n_parts = 0;
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
    if (b->n_queries == b->limits.queries || most > b->limits.elements)
        return false;
    void *room = rp__gpu_and_put(b, n * sizeof *words, &at);
    if (!room)
        return false;
    memcpy(room, words, n * sizeof *words);
    /* a list of nothing has a part, so that there is an answer */
    uint32_t parts = words[0].n ? (words[0].n - 1) / KARG_AND_TILE + 1 : 1;
    notes(b)[b->n_queries++] = (note){.word = (uint32_t)((at - b->room) / sizeof *words),
                                      .n_words = n,
                                      .n_parts = parts,
                                      .keys = (uint32_t)b->elements};
    b->n_parts += parts;
    b->elements = most;
    return true;
}

/* ---- The device ------------------------------------------------------------------------------ */

static void fill_states(const rp__gpu_and *b, karg_and_state *out)
{
    const note *of = notes(b);
    for (uint32_t q = 0; q < b->n_queries; q++)
        out[q] = (karg_and_state){.n_parts = of[q].n_parts, .keys = of[q].keys};
}

static void fill_parts(const rp__gpu_and *b, karg_and_part *out)
{
    const note *of = notes(b);
    uint32_t n = b->n_parts / (b->limits.phase ? b->limits.phase : PHASE);
    uint32_t phases = n < 1 ? 1 : n > PHASES_MOST ? PHASES_MOST : n;
    for (uint32_t p = 0; p < phases; p++)
        for (uint32_t q = 0; q < b->n_queries; q++) {
            uint64_t all = of[q].n_parts, end = all * (p + 1) / phases;
            for (uint64_t i = all * p / phases; i < end; i++)
                *out++ = (karg_and_part){q, (uint32_t)i, of[q].word, of[q].n_words};
        }
}

/* What was noted of queries, behind what they brought along; returns bytes of it all. */
static size_t fill_in(rp__gpu_and *b)
{
    karg_and_top *a = &b->args;
    size_t states = rp__bits_align(b->used, ALIGN);
    size_t parts = states + b->n_queries * sizeof(karg_and_state);
    fill_states(b, (karg_and_state *)(void *)(b->host + states));
    fill_parts(b, (karg_and_part *)(void *)(b->host + parts));
    a->words = b->room;
    a->states = b->room + states;
    a->parts = b->room + parts;
    a->keys = b->keys;
    a->counts = b->mapped + in_bytes(&b->limits);
    a->pairs = a->counts + b->n_queries * sizeof(karg_found);
    a->n_queries = b->n_queries;
    a->n_parts = b->n_parts;
    return parts + b->n_parts * sizeof(karg_and_part);
}

static rp_status launch_rank(rp__gpu_and *b)
{
    const karg_and_top *a = &b->args;
    uint32_t most = RANKERS * b->device->processors, keys = 1;
    while (keys < a->k)
        keys *= 2;
    rp__launch how = {a->n_queries < most ? a->n_queries : most, RANK_BLOCK,
                      KARG_BEST_SHARED + keys * (uint32_t)sizeof(uint64_t)};
    return rp__device_launch(b->device, RP_KERNEL_and_top_rank_kernel, how, a);
}

static rp_status launch(rp__gpu_and *b)
{
    const karg_and_top *a = &b->args;
    uint32_t each = KARG_AND_SHARED + (a->k ? KARG_AND_SCORES : 0);
    rp__launch how = {(a->n_parts + WARPS - 1) / WARPS, 32 * WARPS, WARPS * each};
    rp_status status = rp__device_launch(b->device, RP_KERNEL_and_top_kernel, how, a);
    return status == RP_OK && a->k > KARG_AND_RANKED ? launch_rank(b) : status;
}

static rp_status enqueue(rp__gpu_and *b)
{
    b->is_busy = true;
    rp_status status = rp__device_copy_in(b->device, b->room, b->host, fill_in(b));
    return status == RP_OK ? launch(b) : status;
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

rp_status rp__gpu_and_again(rp__gpu_and *b)
{
    const karg_and_top *a = &b->args;
    rp_status status = rp__device_copy_in(b->device, a->states, b->host + (a->states - b->room),
                                          a->n_queries * sizeof(karg_and_state));
    b->is_busy = true;
    return status == RP_OK ? launch(b) : status;
}

rp_status rp__gpu_and_finish(rp__gpu_and *b)
{
    if (!b->is_busy)
        return RP_OK;
    if (b->device->is_lost)
        return RP_UNAVAILABLE;
    rp__cu_stream stream = b->stream ? b->stream : b->device->stream;
    rp_status status = rp__device_wait_stream(b->device, stream);
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
    uint8_t id = list->codec ? list->codec->id : 0;
    if (strcmp(freqs, "optpfd") != 0 && strcmp(freqs, "bp128") != 0)
        return RP_UNAVAILABLE;
    if (id == KARG_CODEC_OPTPFD || id == KARG_CODEC_RICE) /* other kernels read these */
        return RP_UNAVAILABLE;
    if (!list->codec || list->codec->id != KARG_CODEC_EF128)
        return rp__gpu_list_word(index, list, out);
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
