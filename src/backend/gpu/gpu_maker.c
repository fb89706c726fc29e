/* gpu_maker.c: a stage of pinned memory, filled from front to back; what lies side by side there and on the device goes
 * by one copy. What the kernel found comes back to the front of the stage, when all of it was read. */
#include "backend/gpu/gpu_maker.h"

#include <string.h>

enum {
    STAGE = 1 << 19, /* bytes that are copied at a time */
    GAP = 16,        /* bytes that may lie between what is copied together */
};
_Static_assert(RP_GPU_MAKER_LISTS * sizeof(karg_found) <= STAGE / 2, "what was found fits");

static uint64_t found_at(const rp__gpu_maker *m)
{
    return m->making + RP_GPU_MAKER_LISTS * sizeof(karg_made);
}

rp_status rp__gpu_maker_enter(rp__gpu_maker *m, const rp__device *of)
{
    const size_t bytes = RP_GPU_MAKER_LISTS * (sizeof(karg_made) + sizeof(karg_found));
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
    if (status == RP_OK && !m->making)
        status = rp__device_alloc(&m->device, bytes, &m->making);
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
    rp__device_free(&m->device, m->making);
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

rp_status rp__gpu_maker_run(rp__gpu_maker *m, const karg_made *lists, uint32_t n, uint32_t n_blocks,
                            const karg_found **found)
{
    size_t bytes = n * sizeof(karg_found);
    rp_status status = n ? rp__gpu_maker_send(m, m->making, lists, n * sizeof *lists) : RP_OK;
    if (status == RP_OK)
        status = rp__gpu_maker_clear(m, found_at(m), bytes);
    if (status == RP_OK)
        status = flush(m);
    if (status == RP_OK)
        status = rp__gpu_derive_make(&m->device, m->making, found_at(m), n, n_blocks);
    if (status == RP_OK)
        status = rp__device_copy_out(&m->device, m->stage, found_at(m), bytes);
    if (status == RP_OK)
        status = rp__device_wait(&m->device);
    m->is_busy = status != RP_OK;
    m->from = bytes;
    *found = (const karg_found *)(const void *)m->stage;
    return status;
}
