/* fused_and.c: many ANDs at once: lays out what kernels/fused/and_batch_topk.cu is given, and launches it.
 *
 * What goes in is one copy: where the parts of queries begin, then what queries bring along. Counts
 * and pairs the kernels write to the host's memory themselves, and in the end a number that the host
 * looks for: so nothing is copied out, and the driver is not asked. Where there are many parts they
 * come in phases, in each of which every query has its share: so queries walk through documents
 * together, and find lists that they share in the cache. */
#include "backend/gpu/exec/fused_and.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"

enum {
    ALIGN = 256,
    ELEMENTS = 1 << 22,
    WARPS = 2, /* of a block of threads */
    PHASES_MAX = 32,
    PHASE = 8192, /* parts of a phase, about: a few times what the device has in work */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Of the host's memory: what goes in, but for parts, then what comes out. Of the device's: states, how many queries are
 * answered, then what goes in: what queries bring along, where their parts begin, and parts. Terms and starts go by one
 * copy, so that starts move to the end of the terms before it. */
static size_t starts_at(const rp__fused_and_limits *l)
{
    return rp__bits_align(l->bytes, ALIGN);
}

static size_t parts_at(const rp__fused_and_limits *l)
{
    return starts_at(l) + rp__bits_align((l->queries + 1) * sizeof(karg_and_start), ALIGN);
}

static size_t parts_bytes(const rp__fused_and_limits *l)
{
    return rp__bits_align((l->elements / KARG_AND_TILE + l->queries) * sizeof(karg_and_part),
                          ALIGN);
}

static size_t states_bytes(const rp__fused_and_limits *l)
{
    return rp__bits_align(l->queries * sizeof(karg_and_state), ALIGN) + ALIGN;
}

static size_t scratch_bytes(const rp__fused_and_limits *l)
{
    return states_bytes(l) + parts_at(l) + parts_bytes(l);
}

/* Behind the word that tells that it is there. */
static size_t out_bytes(const rp__fused_and_limits *l)
{
    return rp__bits_align(ALIGN + l->queries * sizeof(karg_found) + l->pairs * sizeof(karg_pair),
                          ALIGN);
}

static karg_and_start *starts_of(const rp__fused_and *b)
{
    return (karg_and_start *)(void *)(b->host + starts_at(&b->limits));
}

static const volatile uint32_t *ended(const rp__fused_and *b)
{
    return (const volatile uint32_t *)(const void *)(b->host + parts_at(&b->limits));
}

static const uint8_t *answers(const rp__fused_and *b)
{
    return b->host + parts_at(&b->limits) + ALIGN;
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Calls of the device go by the batch's stream until they are given back to the other one. */
static rp__cu_stream enter(rp__fused_and *b)
{
    rp__cu_stream other = b->device->stream;
    b->device->stream = b->stream ? b->stream : other;
    return other;
}

static void leave(rp__fused_and *b, rp__cu_stream other)
{
    b->device->stream = other;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static rp_status clear_states(rp__fused_and *b)
{
    rp__cu_stream other = enter(b);
    rp_status status =
        rp__device_fill(b->device, b->scratch.at, 0, states_bytes(&b->limits) / sizeof(uint32_t));
    leave(b, other);
    return status;
}

/* States that were not held before are anybody's bytes. */
static rp_status lease_scratch(rp__fused_and *b)
{
    rp_status status =
        rp__scratch_hold(&b->scratch, b->limits.lease, b->device, scratch_bytes(&b->limits));
    b->is_dirty = b->is_dirty || (status == RP_OK && b->scratch.is_fresh);
    return status;
}

rp_status rp__fused_and_open(rp__fused_and *b, rp__device *device,
                             const rp__fused_and_limits *limits)
{
    const rp__driver *driver = device->driver;
    void *host = NULL;
    *b = (rp__fused_and){.device = device, .limits = *limits};
    b->limits.elements = limits->elements ? limits->elements : ELEMENTS;
    b->limits.pairs = limits->pairs ? limits->pairs : (size_t)limits->queries * limits->k;
    size_t all = parts_at(&b->limits) + out_bytes(&b->limits);
    rp_status status = RP_OK;
    if (!limits->is_shared)
        status = rp__device_check(device, driver->stream_create(&b->stream, RP_CU_STREAM_OWN));
    if (status == RP_OK)
        status = rp__device_pin_mapped(device, all, &host, &b->mapped);
    b->host = host;
    if (status == RP_OK && !limits->lease)
        status = lease_scratch(b);
    if (status == RP_OK)
        memset(b->host + parts_at(&b->limits), 0, sizeof(uint32_t));
    if (status != RP_OK)
        rp__fused_and_close(b);
    return status;
}

void rp__fused_and_close(rp__fused_and *b)
{
    if (!b->device)
        return;
    if (b->is_busy)
        (void)rp__fused_and_finish(b);
    rp__residency *residency = b->limits.lease ? b->limits.lease->residency : NULL;
    rp__device_settle(b->device, b->stream ? b->stream : b->device->stream);
    if (residency)
        rp__lease_close(b->limits.lease);
    rp__scratch_free(&b->keys, residency, b->device);
    rp__scratch_free(&b->scratch, residency, b->device);
    if (b->host)
        b->device->driver->host_free(b->host);
    if (b->parts)
        b->device->driver->host_free(b->parts);
    if (b->stream)
        b->device->driver->stream_destroy(b->stream);
    *b = (rp__fused_and){0};
}

/* Of plain memory a half more, so that growing ends soon. */
static rp_status hold_keys(rp__fused_and *b, uint64_t parts, uint32_t k)
{
    const uint64_t each = KARG_AND_TILE + (k > KARG_AND_RANKED ? KARG_AND_RANK_KEPT : 0);
    const size_t bytes = parts * each * sizeof(uint64_t);
    if (bytes == 0 || k == 0)
        return RP_OK;
    bool is_plain = !b->limits.lease && bytes > b->keys.bytes;
    return rp__scratch_hold(&b->keys, b->limits.lease, b->device,
                            is_plain ? bytes + bytes / 2 : bytes);
}

rp_status rp__fused_and_hold(rp__fused_and *b, uint64_t elements, uint32_t queries, uint32_t k)
{
    uint64_t parts = elements / KARG_AND_TILE + queries;
    rp_status status = lease_scratch(b);
    return status == RP_OK ? hold_keys(b, parts, k) : status;
}

/* ---- Queries --------------------------------------------------------------------------------- */

void rp__fused_and_begin(rp__fused_and *b, const karg_norms *norms, uint32_t k, uint32_t begin,
                         uint32_t end)
{
    b->used = b->n_queries = b->n_parts = 0;
    b->elements = 0;
    b->args = (karg_and_topk){
        .norms = *norms, .k = k, .begin = begin, .end = end, .number = b->args.number};
}

void *rp__fused_and_put(rp__fused_and *b, size_t bytes, uint64_t *at)
{
    size_t from = b->used, scratch = b->limits.bytes - b->used;
    if (bytes > scratch || rp__bits_align(bytes, 16) > scratch)
        return NULL;
    b->used += rp__bits_align(bytes, 16);
    *at = b->scratch.at + states_bytes(&b->limits) + from;
    return b->host + from;
}

karg_and_term *rp__fused_and_next(const rp__fused_and *b)
{
    const bool is_enough = KARG_MAX_TERMS * sizeof(karg_and_term) <= b->limits.bytes - b->used;
    return is_enough ? (karg_and_term *)(void *)(b->host + b->used) : NULL;
}

bool rp__fused_and_add(rp__fused_and *b, const karg_and_term *words, uint32_t n)
{
    uint64_t at, limit = b->elements + words[0].n;
    uint32_t word = (uint32_t)(b->used / sizeof *words);
    if (b->n_queries == b->limits.queries || limit > b->limits.elements ||
        (b->n_queries + (size_t)1) * b->args.k > b->limits.pairs)
        return false;
    void *scratch = rp__fused_and_put(b, n * sizeof *words, &at);
    if (!scratch)
        return false;
    if (scratch != words)
        memcpy(scratch, words, n * sizeof *words);
    /* a list of nothing has a part, so that there is an answer */
    uint32_t parts = words[0].n ? (words[0].n - 1) / KARG_AND_TILE + 1 : 1;
    starts_of(b)[b->n_queries++] = (karg_and_start){b->n_parts, word + n * KARG_AND_TERMS};
    b->n_parts += parts;
    b->elements = limit;
    return true;
}

/* ---- The device ------------------------------------------------------------------------------ */

static uint32_t count_phases(const rp__fused_and *b)
{
    uint32_t n = b->n_parts / (b->limits.phase ? b->limits.phase : PHASE);
    return n < 1 ? 1 : n > PHASES_MAX ? PHASES_MAX : n;
}

static void fill_parts(const rp__fused_and *b, uint32_t phases, karg_and_part *out)
{
    const karg_and_start *of = starts_of(b);
    for (uint32_t p = 0; p < phases; p++)
        for (uint32_t q = 0; q < b->n_queries; q++) {
            uint64_t all = of[q + 1].part - of[q].part, end = all * (p + 1) / phases;
            for (uint64_t i = all * p / phases; i < end; i++)
                *out++ = (karg_and_part){q, of[q].part + (uint32_t)i};
        }
}

/* Where everything is, but for what goes in. */
static void fill_args(rp__fused_and *b)
{
    karg_and_topk *a = &b->args;
    starts_of(b)[b->n_queries] = (karg_and_start){b->n_parts, 0};
    a->states = b->scratch.at;
    a->answered = b->scratch.at + states_bytes(&b->limits) - ALIGN;
    a->keys = b->keys.at;
    a->ended = b->mapped + parts_at(&b->limits);
    a->counts = a->ended + ALIGN;
    a->pairs = a->counts + b->n_queries * sizeof(karg_found);
    a->n_queries = b->n_queries;
    a->n_parts = b->n_parts;
    a->number++;
}

/* Parts of large batches, whose memory is taken when there is one. */
static rp_status send_parts(rp__fused_and *b, uint32_t phases, uint64_t to)
{
    void *host = b->parts;
    if (!host) {
        size_t bytes = parts_bytes(&b->limits);
        rp_status status = rp__device_pin(b->device, bytes, 0, &host);
        b->parts = host;
        if (status != RP_OK)
            return status;
    }
    fill_parts(b, phases, b->parts);
    return rp__device_copy_in(b->device, to, b->parts, b->n_parts * sizeof(karg_and_part));
}

/* What queries brought along goes to the device. */
static rp_status send(rp__fused_and *b)
{
    const uint32_t phases = count_phases(b);
    const uint64_t in = b->scratch.at + states_bytes(&b->limits);
    const size_t starts = (b->n_queries + (size_t)1) * sizeof(karg_and_start);
    rp_status status = RP_OK;
    b->args.terms = in;
    b->args.starts = in + b->used;
    b->args.parts = phases > 1 ? in + parts_at(&b->limits) : 0;
    if (phases > 1)
        status = send_parts(b, phases, b->args.parts);
    memmove(b->host + b->used, starts_of(b), starts);
    return status == RP_OK ? rp__device_copy_in(b->device, in, b->host, b->used + starts) : status;
}

/* As many blocks as keys can ask for: those that have none leave at once. */
static rp_status launch_rank(rp__fused_and *b)
{
    const karg_and_topk *a = &b->args;
    uint32_t keys = 1;
    while (keys < a->k)
        keys *= 2;
    keys += keys < KARG_AND_RANK_KEYS ? KARG_AND_RANK_KEYS : 0;
    rp__launch how = {a->n_parts / KARG_AND_RANK_PARTS + a->n_queries, KARG_AND_RANK_BLOCK,
                      KARG_TOPK_SHARED + keys * (uint32_t)sizeof(uint64_t)};
    return rp__device_launch(b->device, RP_KERNEL_and_batch_topk_rank_kernel, how, a);
}

/* States are clean again when all kernels of a batch have ended. */
static rp_status launch(rp__fused_and *b)
{
    const karg_and_topk *a = &b->args;
    b->is_dirty = true;
    b->is_launched = false;
    uint32_t each = KARG_AND_SHARED + (a->k ? KARG_AND_SCORES : 0);
    rp__launch how = {(a->n_parts + WARPS - 1) / WARPS, 32 * WARPS, WARPS * each};
    const rp__kernel_id kernel =
        rp__kernel_table_scoring(RP_KERNEL_and_batch_topk_kernel, b->is_iiu);
    rp_status status = rp__device_launch(b->device, kernel, how, a);
    if (status == RP_OK && a->k > KARG_AND_RANKED)
        status = launch_rank(b);
    b->is_launched = status == RP_OK;
    return status;
}

static rp_status enqueue(rp__fused_and *b)
{
    fill_args(b);
    rp_status status = b->is_dirty ? clear_states(b) : RP_OK;
    if (status == RP_OK)
        status = send(b);
    return status == RP_OK ? launch(b) : status;
}

/* By whichever thread has the card's queue. */
static void run_job(rp__device_job *job)
{
    rp__fused_and *b = (rp__fused_and *)(void *)((uint8_t *)job - offsetof(rp__fused_and, job));
    rp__cu_stream other = enter(b);
    b->started = enqueue(b);
    leave(b, other);
    b->given = rp__clock_now();
    if (b->limits.lease)
        rp__lease_launched(b->limits.lease);
}

rp_status rp__fused_and_start(rp__fused_and *b)
{
    rp_status status = hold_keys(b, b->n_parts, b->args.k);
    if (status != RP_OK || b->n_queries == 0)
        return status;
    b->is_busy = true;
    b->started = RP_OK;
    b->job.run = run_job;
    b->submitted = rp__clock_now();
    rp__device_submit(b->device, &b->job);
    return RP_OK;
}

rp_status rp__fused_and_await(rp__fused_and *b)
{
    if (b->device)
        rp__device_await(b->device, &b->job);
    return b->started;
}

uint64_t rp__fused_and_start_ns(const rp__fused_and *b)
{
    return b->given > b->submitted ? b->given - b->submitted : 0;
}

rp_status rp__fused_and_again(rp__fused_and *b)
{
    b->is_busy = true;
    return launch(b);
}

/* By the number that the kernel leaves; one that has ended without it has failed. */
rp_status rp__fused_and_finish(rp__fused_and *b)
{
    if (!b->is_busy)
        return RP_OK;
    rp_status started = rp__fused_and_await(b);
    if (b->device->is_lost)
        return RP_UNAVAILABLE;
    rp__cu_stream other = enter(b);
    rp_status status = rp__device_wait_for(b->device, b->device->stream, ended(b), b->args.number);
    leave(b, other);
    b->is_busy = status != RP_OK;
    if (status == RP_OK && started != RP_OK)
        status = started;
    else if (status == RP_OK && *ended(b) != b->args.number)
        status = RP_UNAVAILABLE;
    b->is_dirty = b->is_dirty && !(status == RP_OK && b->is_launched);
    return status;
}

bool rp__fused_and_is_done(const rp__fused_and *b)
{
    if (!b->is_busy || b->device->is_lost)
        return true;
    if (__atomic_load_n(ended(b), __ATOMIC_ACQUIRE) == b->args.number)
        return true;
    rp__cu_stream stream = b->stream ? b->stream : b->device->stream;
    return b->device->driver->stream_query(stream) != RP_CU_NOT_READY;
}

rp_status rp__fused_and_settle(rp__fused_and *b)
{
    if (!b->is_busy)
        return RP_OK;
    (void)rp__fused_and_await(b);
    rp__device_settle(b->device, b->stream ? b->stream : b->device->stream);
    b->is_busy = rp__device_is_lost(b->device);
    return b->is_busy ? RP_UNAVAILABLE : RP_OK;
}

const rp__fused_and_count *rp__fused_and_count_of(const rp__fused_and *b, uint32_t i)
{
    return (const rp__fused_and_count *)(const void *)answers(b) + i;
}

const karg_pair *rp__fused_and_pairs_of(const rp__fused_and *b, uint32_t i)
{
    const karg_pair *pairs =
        (const karg_pair *)(const void *)(answers(b) + b->n_queries * sizeof(karg_found));
    return pairs + (size_t)i * b->args.k;
}
