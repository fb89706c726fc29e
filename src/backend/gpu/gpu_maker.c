/* gpu_maker.c: a stage of pinned memory, filled from front to back; what lies side by side there and on the device goes
 * by one copy. Which lists are damaged comes back to the front of the stage, when all of it was read. */
#include "backend/gpu/gpu_maker.h"

#include <string.h>

#include "base/bits.h"

enum {
    STAGE = 1 << 19, /* bytes that are copied at a time */
    GAP = 16,        /* bytes that may lie between what is copied together */
    GRAIN = 1 << 16, /* bytes by which memory of chains grows */
};
_Static_assert(RP_GPU_MAKER_LISTS * sizeof(uint32_t) <= STAGE / 2, "flags fit");

rp_status rp__gpu_maker_enter(rp__gpu_maker *m, const rp__device *of)
{
    rp_error err;
    void *stage = NULL;
    rp_status status = m->device.context ? RP_OK : rp__device_twin(&m->device, of, &err);
    if (status == RP_OK)
        status = rp__device_enter(&m->device);
    if (status == RP_OK && m->is_busy)
        status = rp__device_wait(&m->device);
    if (status == RP_OK && !m->stage) {
        status = rp__device_pin(&m->device, STAGE, 0, &stage);
        m->stage = stage;
    }
    m->is_busy = m->is_busy || status == RP_OK;
    m->from = m->n = 0;
    m->to = 0;
    return status;
}

void rp__gpu_maker_close(rp__gpu_maker *m)
{
    if (!m->device.context)
        return;
    (void)rp__device_enter(&m->device);
    rp__device_free(&m->device, m->scratch);
    if (m->records)
        m->device.driver->host_free(m->records);
    if (m->stage)
        m->device.driver->host_free(m->stage);
    rp__device_close(&m->device);
}

static rp_status flush(rp__gpu_maker *m)
{
    rp_status status = rp__device_copy_in(&m->device, m->to, m->stage + m->from, m->n);
    m->from += m->n;
    m->to += m->n;
    m->n = 0;
    return status;
}

/* Waits where the stage is full. */
rp_status rp__gpu_maker_send(rp__gpu_maker *m, uint64_t to, const void *from, size_t bytes)
{
    const uint8_t *at = from;
    uint64_t gap = to - (m->to + m->n);
    rp_status status = RP_OK;
    if (gap < GAP && gap < STAGE - m->from - m->n) {
        m->n += gap;
    } else {
        status = flush(m);
        m->to = to;
    }
    while (bytes > 0 && status == RP_OK) {
        if (m->from + m->n == STAGE) {
            status = flush(m);
            if (status == RP_OK)
                status = rp__device_wait(&m->device);
            m->from = 0;
        }
        size_t room = STAGE - m->from - m->n, n = bytes < room ? bytes : room;
        memcpy(m->stage + m->from + m->n, at, n);
        m->n += n;
        at += n;
        bytes -= n;
    }
    return status;
}

rp_status rp__gpu_maker_clear(rp__gpu_maker *m, uint64_t at, uint64_t bytes)
{
    return rp__device_fill(&m->device, at, 0, bytes / sizeof(uint32_t));
}

/* Memory for a chain; nothing is in work. */
static rp_status grow(rp__gpu_maker *m, rp__transcode_sizes needs)
{
    rp_status status = RP_OK;
    if (needs.host > m->records_bytes) {
        if (m->records)
            m->device.driver->host_free(m->records);
        m->records = NULL;
        m->records_bytes = 0;
        size_t bytes = rp__bits_align(needs.host, GRAIN);
        status = rp__device_pin(&m->device, bytes, 0, &m->records);
        m->records_bytes = status == RP_OK ? bytes : 0;
    }
    if (status == RP_OK && needs.device > m->scratch_bytes) {
        rp__device_free(&m->device, m->scratch);
        m->scratch = 0;
        m->scratch_bytes = 0;
        size_t bytes = rp__bits_align(needs.device, GRAIN);
        status = rp__device_alloc(&m->device, bytes, &m->scratch);
        m->scratch_bytes = status == RP_OK ? bytes : 0;
    }
    return status;
}

static rp_status transcode(rp__gpu_maker *m, const rp__transcode_list *lists, size_t n)
{
    size_t bytes = n * sizeof(uint32_t);
    rp__transcode_sizes needs = rp__transcode_needs(lists, n);
    rp_status status = grow(m, (rp__transcode_sizes){needs.host, needs.device + bytes});
    rp__transcode to = {.device = &m->device,
                        .stream = m->device.stream,
                        .host = m->records,
                        .scratch = m->scratch,
                        .damaged = m->scratch + needs.device};
    if (status == RP_OK)
        status = rp__transcode_run(&to, lists, n);
    return status == RP_OK ? rp__device_copy_out(&m->device, m->stage, to.damaged, bytes) : status;
}

rp_status rp__gpu_maker_run(rp__gpu_maker *m, const rp__transcode_list *lists, size_t n,
                            const uint32_t **damaged)
{
    rp_status status = flush(m);
    if (status == RP_OK && n)
        status = transcode(m, lists, n);
    if (status == RP_OK)
        status = rp__device_wait(&m->device);
    m->is_busy = status != RP_OK;
    m->from = n * sizeof(uint32_t);
    *damaged = (const uint32_t *)(const void *)m->stage;
    return status;
}
