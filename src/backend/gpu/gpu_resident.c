/* gpu_resident.c: the host's side of a kernel that stays.
 *
 * Every ring has a number, and so has every launch: the kernel tells the last launch that takes no more queries. A query
 * that is put at the door just then is not taken; it goes with the next launch. */
#include "backend/gpu/gpu_resident.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"

enum {
    BURST = 1000000, /* nanoseconds between two queries that are of one burst */
    IDLE = 2000000,  /* without a query, after which it leaves, */
    LIFE = 20000000, /* and in all: who waits for the whole card waits no longer */
};

void rp__gpu_resident_open(rp__gpu_resident *r, rp__device *device)
{
    *r = (rp__gpu_resident){.device = device};
}

static void free_all(rp__gpu_resident *r)
{
    const rp__driver *driver = r->device->driver;
    if (r->stream)
        driver->stream_destroy(r->stream);
    if (r->door)
        driver->host_free(r->door);
    rp__device_free(r->device, r->echo);
    rp__gpu_resident_open(r, r->device);
}

void rp__gpu_resident_close(rp__gpu_resident *r)
{
    if (!r->device)
        return;
    (void)rp__gpu_resident_settle(r);
    free_all(r);
    *r = (rp__gpu_resident){0};
}

static rp_status make(rp__gpu_resident *r)
{
    rp__device *d = r->device;
    void *door = NULL;
    rp_status status = rp__device_check(d, d->driver->stream_create(&r->stream, RP_CU_STREAM_OWN));
    if (status == RP_OK)
        status =
            rp__device_check(d, d->driver->host_alloc(&door, sizeof(karg_door), RP_CU_HOST_MAPPED));
    r->door = door;
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->host_device(&r->door_at, door, 0));
    if (status == RP_OK)
        status = rp__device_alloc(d, sizeof(karg_door), &r->echo);
    if (status == RP_OK) {
        memset(door, 0, sizeof(karg_door));
        status = rp__device_fill(d, r->echo, 0, sizeof(karg_door) / sizeof(uint32_t));
    }
    if (status == RP_OK)
        status = rp__device_wait(d);
    if (status != RP_OK)
        free_all(r);
    return status;
}

static bool is_awake(const rp__gpu_resident *r)
{
    return r->is_there && *(const volatile uint32_t *)&r->door->left != r->launch;
}

/* An emulated device has no time: there all queries are of one burst. */
bool rp__gpu_resident_takes(rp__gpu_resident *r)
{
    uint64_t now = rp__clock_now(), since = now - r->last;
    bool is_first = r->last == 0;
    r->last = now;
    if (is_awake(r))
        return true;
    if (is_first || (since > BURST && !r->device->driver->is_emulated))
        return false;
    return rp__device_claim(r->device, &r->claim, now, LIFE) && (r->door || make(r) == RP_OK);
}

/* Words with the number beside them, in any order. */
static void ring(rp__gpu_resident *r, const karg_flat *query)
{
    volatile uint64_t *door = (volatile uint64_t *)(void *)r->door->chunks;
    const uint64_t number = (uint64_t)++r->number << 32;
    const uint32_t *words = (const uint32_t *)(const void *)query;
    const size_t n = 2 * (KARG_DOOR_HEAD + (size_t)query->n_words * KARG_DOOR_WORD);
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < n; i++)
        door[i] = number | words[i];
}

static rp_status launch(rp__gpu_resident *r, const karg_flat *query)
{
    rp__device *d = r->device;
    const uint32_t parts = (query->near[0].list.n + query->each - 1) / query->each;
    karg_stay args = {.query = *query,
                      .door = r->door_at,
                      .echo = r->echo,
                      .idle = IDLE,
                      .life = LIFE,
                      .number = r->number + 1,
                      .launch = ++r->launch};
    args.query.blocks = parts < d->processors ? parts : d->processors;
    rp_status status = rp__device_launch_on(
        d, r->stream, RP_KERNEL_and_score_stay_kernel,
        (rp__launch){d->processors, 32 * KARG_STAY_WARPS, KARG_SHARED_STAY}, &args);
    r->is_there = status == RP_OK;
    return status;
}

rp_status rp__gpu_resident_ask(rp__gpu_resident *r, const karg_flat *query)
{
    if (!is_awake(r))
        return launch(r, query);
    ring(r, query);
    return RP_OK;
}

rp_status rp__gpu_resident_wait(rp__gpu_resident *r, const karg_flat *query,
                                const volatile uint32_t *flag)
{
    rp_status status = rp__device_wait_for(r->device, r->stream, flag, query->number);
    if (status != RP_OK || *flag == query->number)
        return status;
    status = launch(r, query); /* it has left without it */
    return status == RP_OK ? rp__device_wait_for(r->device, r->stream, flag, query->number)
                           : status;
}

void rp__gpu_resident_dismiss(rp__gpu_resident *r)
{
    if (!r->is_there)
        return;
    ring(r, &(karg_flat){0});
    r->is_there = false;
    rp__device_unclaim(r->device, &r->claim);
}

rp_status rp__gpu_resident_settle(rp__gpu_resident *r)
{
    rp__gpu_resident_dismiss(r);
    return r->stream ? rp__device_wait_stream(r->device, r->stream) : RP_OK;
}
