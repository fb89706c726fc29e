/* persistent_kernel.c: the host's side of a persistent kernel.
 *
 * Every ring has a number, and so has every launch: the kernel tells the last launch that takes no more queries. A query
 * that arrives in the mailbox just then is not taken; it goes with the next launch. */
#include "backend/gpu/exec/persistent_kernel.h"

#include <string.h>

#include "base/clock.h"

enum {
    BURST = 200000,  /* nanoseconds between two queries that are of one burst */
    IDLE = 200000,   /* without a query, after which it leaves, */
    LIFE = 5000000,  /* and in all: launches of others wait no longer */
    ALONE = 1000000, /* since somebody else used the card */
    RINGS = 1 << 30, /* after which numbers begin again: a greater one is always a later one */
};

void rp__persistent_kernel_open(rp__persistent_kernel *r, rp__device *device, rp__lease *lease)
{
    *r = (rp__persistent_kernel){.device = device, .lease = lease};
}

static void free_all(rp__persistent_kernel *r)
{
    const rp__driver *driver = r->device->driver;
    rp__lease_follow(r->lease, NULL);
    if (r->stream)
        driver->stream_destroy(r->stream);
    if (r->mailbox)
        driver->host_free(r->mailbox);
    rp__residency_give(r->lease->residency, r->piece);
    rp__persistent_kernel_open(r, r->device, r->lease);
}

void rp__persistent_kernel_close(rp__persistent_kernel *r)
{
    if (!r->device)
        return;
    rp__persistent_kernel_dismiss(r);
    if (r->stream)
        (void)rp__device_wait_stream(r->device, r->stream);
    free_all(r);
    *r = (rp__persistent_kernel){0};
}

/* Nothing was counted, and nothing is rung. Where this fails nobody knows what is counted. */
static rp_status clear_echo(rp__persistent_kernel *r)
{
    r->is_unclear = true;
    r->ring = (karg_mail){0};
    rp_status status =
        rp__device_fill(r->device, r->echo, 0, sizeof(karg_mailbox) / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_wait(r->device);
    r->is_unclear = status != RP_OK;
    return status;
}

static rp_status make(rp__persistent_kernel *r)
{
    rp__device *d = r->device;
    void *mailbox = NULL;
    r->piece = rp__residency_take_spare(r->lease->residency, sizeof(karg_mailbox));
    if (!r->piece)
        return RP_NO_MEMORY;
    r->echo = r->piece->at;
    rp_status status = rp__device_check(d, d->driver->stream_create(&r->stream, RP_CU_STREAM_OWN));
    if (status == RP_OK)
        status = rp__device_pin_mapped(d, sizeof(karg_mailbox), &mailbox, &r->mailbox_at);
    r->mailbox = mailbox;
    rp__lease_follow(r->lease, r->stream);
    if (status == RP_OK) {
        memset(mailbox, 0, sizeof(karg_mailbox));
        status = clear_echo(r);
    }
    if (status != RP_OK)
        free_all(r);
    return status;
}

static bool is_awake(const rp__persistent_kernel *r)
{
    return r->is_there && *(const volatile uint32_t *)&r->mailbox->left != r->launch;
}

/* Nothing is rung, with any number. */
static rp_status begin_again(rp__persistent_kernel *r)
{
    rp_status status = rp__persistent_kernel_settle(r);
    if (status == RP_OK && r->mailbox)
        memset(r->mailbox->chunks, 0, sizeof r->mailbox->chunks);
    if (status == RP_OK)
        r->number = 0;
    return status;
}

/* An emulated device has no time: there all queries are of one burst. */
bool rp__persistent_kernel_takes(rp__persistent_kernel *r, uint32_t postings)
{
    uint64_t now = rp__clock_now(), since = now - r->last;
    bool is_first = r->last == 0;
    r->last = now;
    if (postings >> KARG_COUNT_BITS || r->device->processors > KARG_PERSISTENT_BLOCKS)
        return false;
    if (!rp__device_is_alone(r->device, now, ALONE) ||
        (r->number > RINGS && begin_again(r) != RP_OK))
        return false;
    if (r->is_unclear && rp__persistent_kernel_settle(r) != RP_OK)
        return false;
    if (is_awake(r))
        return true;
    if (is_first || (since > BURST && !r->device->driver->is_emulated))
        return false;
    return r->mailbox || make(r) == RP_OK;
}

/* Words with the number beside them, in any order. */
static void ring(rp__persistent_kernel *r)
{
    uint64_t *mailbox = (uint64_t *)(void *)r->mailbox->chunks;
    const uint64_t number = (uint64_t)++r->number << 32;
    const uint8_t *record = (const uint8_t *)&r->ring;
    r->ring.n_chunks = KARG_MAIL_HEAD + r->ring.query.n_terms * KARG_MAIL_TERM;
    const size_t n = 2 * (size_t)r->ring.n_chunks;
    uint32_t word;
    for (size_t i = 0; i < n; i++) {
        memcpy(&word, record + i * sizeof word, sizeof word);
        __atomic_store_n(&mailbox[i], number | word, __ATOMIC_RELEASE);
    }
}

/* The kernel before it may have left by itself, with the number of a ring that never came: so one is left out. */
static rp_status launch(rp__persistent_kernel *r)
{
    rp__device *d = r->device;
    const karg_query *query = &r->ring.query;
    const uint32_t parts =
        (query->inline_terms[0].list.n + query->docs_per_warp - 1) / query->docs_per_warp;
    karg_persistent args = {.first = r->ring,
                            .mailbox = r->mailbox_at,
                            .echo = r->echo,
                            .idle = IDLE,
                            .life = LIFE,
                            .number = ++r->number + 1,
                            .launch = ++r->launch};
    const rp__kernel_id kernel =
        rp__kernel_table_scoring(RP_KERNEL_and_single_persistent_kernel, r->is_iiu);
    args.first.query.blocks = parts < d->processors ? parts : d->processors;
    rp_status status =
        rp__device_launch_on(d, r->stream, kernel,
                             (rp__launch){d->processors, 32 * RP_PERSISTENT_KERNEL_WARPS,
                                          RP_PERSISTENT_KERNEL_WARPS * KARG_SHARED_PERSISTENT_WARP +
                                              KARG_SHARED_PERSISTENT},
                             &args);
    r->is_there = status == RP_OK;
    return status;
}

/* What the query reads was found by now: if it is not what the kernel may have read at the same address, memory was
 * taken for it since. */
rp_status rp__persistent_kernel_ask(rp__persistent_kernel *r, const karg_query *query, bool is_iiu)
{
    const uint64_t n_taken = r->lease->residency->n_taken;
    if (n_taken != r->n_taken || is_iiu != r->is_iiu)
        rp__persistent_kernel_dismiss(r);
    r->n_taken = n_taken;
    r->is_iiu = is_iiu;
    r->ring.query = *query;
    if (!is_awake(r))
        return launch(r);
    ring(r);
    return RP_OK;
}

/* What the counter says, which goes on from there. */
static void read_counts(rp__persistent_kernel *r, const karg_answer *there, karg_answer *out)
{
    const uint32_t mask = (1U << KARG_COUNT_BITS) - 1;
    uint64_t now = (uint64_t)there->n_pairs << 32 | there->n, all = now - r->ring.base;
    *out = (karg_answer){.n = (uint32_t)all & mask,
                         .n_pairs = (uint32_t)(all >> KARG_COUNT_BITS) & mask,
                         .damaged = (uint32_t)(all >> 2 * KARG_COUNT_BITS) & 255,
                         .number = there->number};
    r->ring.base = now;
    r->ring.written += (uint32_t)(all >> (2 * KARG_COUNT_BITS + 8));
}

rp_status rp__persistent_kernel_wait(rp__persistent_kernel *r, const karg_answer *there,
                                     karg_answer *out)
{
    const volatile uint32_t *flag = &there->number;
    const uint32_t number = r->ring.query.number;
    rp_status status = rp__device_wait_for(r->device, r->stream, flag, number);
    if (status == RP_OK && *flag != number) { /* it has left without it */
        status = launch(r);
        if (status == RP_OK)
            status = rp__device_wait_for(r->device, r->stream, flag, number);
    }
    if (status != RP_OK || *flag != number)
        return status == RP_OK ? RP_UNAVAILABLE : status;
    read_counts(r, there, out);
    return RP_OK;
}

/* Each half has its number, which comes with it. */
static bool is_whole(const volatile karg_chunk *pair, uint32_t number)
{
    return __atomic_load_n(&pair->number, __ATOMIC_ACQUIRE) == number &&
           __atomic_load_n(&pair->number_too, __ATOMIC_ACQUIRE) == number;
}

static rp_status wait_for_pair(const rp__persistent_kernel *r, const volatile karg_chunk *pair,
                               uint32_t number)
{
    rp_status status = rp__device_wait_for(r->device, r->stream, &pair->number, number);
    if (status == RP_OK)
        status = rp__device_wait_for(r->device, r->stream, &pair->number_too, number);
    return status == RP_OK && !is_whole(pair, number) ? RP_UNAVAILABLE : status;
}

rp_status rp__persistent_kernel_pairs(const rp__persistent_kernel *r, uint32_t n, karg_pair *out)
{
    const uint32_t number = r->ring.query.number;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        const volatile karg_chunk *pair = &r->mailbox->pairs[i];
        if (!is_whole(pair, number)) /* most are, by now */
            status = wait_for_pair(r, pair, number);
        out[i] = (karg_pair){.score = pair->a, .docid = pair->b};
    }
    return status;
}

void rp__persistent_kernel_dismiss(rp__persistent_kernel *r)
{
    if (!r->is_there)
        return;
    r->ring.query.n_terms = 0;
    ring(r);
    r->is_there = false;
}

/* Whatever it counted of a query that nobody waited for does not count. */
rp_status rp__persistent_kernel_settle(rp__persistent_kernel *r)
{
    rp__persistent_kernel_dismiss(r);
    if (!r->mailbox)
        return RP_OK;
    rp_status status = rp__device_wait_stream(r->device, r->stream);
    return status == RP_OK ? clear_echo(r) : status;
}
