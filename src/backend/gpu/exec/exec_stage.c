/* exec_stage.c: the stage and the scratch. The stage doubles as it grows, so that growing ends soon. */
#include "backend/gpu/exec/exec_stage.h"

#include <string.h>

#include "base/bits.h"

void rp__exec_stage_open(rp__exec_stage *s, rp__device *device, rp__lease *lease)
{
    *s = (rp__exec_stage){.device = device};
    rp__persistent_kernel_open(&s->kernel, device, lease);
}

static void free_stage(rp__exec_stage *s)
{
    if (s->stage)
        s->device->driver->host_free(s->stage);
    s->stage = NULL;
    s->stage_bytes = 0;
}

void rp__exec_stage_close(rp__exec_stage *s)
{
    if (!s->device)
        return;
    rp__residency *residency = s->kernel.lease->residency;
    rp__persistent_kernel_close(&s->kernel);
    rp__scratch_free(&s->scratch, residency, s->device);
    free_stage(s);
    *s = (rp__exec_stage){0};
}

rp_status rp__exec_stage_grow(rp__exec_stage *s, size_t bytes)
{
    void *at = NULL;
    if (bytes <= s->stage_bytes)
        return RP_OK;
    bytes = bytes > 2 * s->stage_bytes ? bytes : 2 * s->stage_bytes;
    rp_status status = rp__persistent_kernel_settle(&s->kernel);
    if (status != RP_OK)
        return status;
    free_stage(s);
    status = rp__device_pin_mapped(s->device, bytes, &at, &s->stage_at);
    if (status != RP_OK)
        return status;
    s->stage = at;
    memset(at, 0, sizeof(karg_answer));
    s->stage_bytes = bytes;
    return RP_OK;
}

/* What was found of a query: nothing yet. Queries leave it so, unless they fail. It is so when this returns: kernels
 * of other streams may be next. */
static rp_status clear_found(rp__exec_stage *s)
{
    rp_status status =
        rp__device_fill(s->device, s->scratch.at, 0, sizeof(karg_found) / sizeof(uint32_t));
    return status == RP_OK ? rp__device_wait(s->device) : status;
}

rp_status rp__exec_stage_hold(rp__exec_stage *s, rp__lease *lease, size_t bytes)
{
    rp_status status = RP_OK;
    if (bytes > s->scratch.bytes) /* it is given back; the kernel may still write pairs there */
        status = rp__persistent_kernel_settle(&s->kernel);
    if (status == RP_OK)
        status = rp__scratch_hold(&s->scratch, lease, s->device, bytes);
    if (status != RP_OK || !s->scratch.is_fresh)
        return status;
    status = rp__persistent_kernel_settle(&s->kernel);
    if (status == RP_OK)
        status = clear_found(s);
    if (status != RP_OK) /* it is not clean: not enough for anybody */
        s->scratch.bytes = 0;
    return status;
}

rp_status rp__exec_stage_finish(rp__exec_stage *s)
{
    rp_status status = rp__device_wait(s->device);
    if (status == RP_OK)
        s->is_busy = false;
    return status;
}

rp_status rp__exec_stage_clean_up(rp__exec_stage *s)
{
    rp_status status = rp__persistent_kernel_settle(&s->kernel);
    if (status == RP_OK)
        status = rp__exec_stage_finish(s);
    return status == RP_OK && s->scratch.bytes ? clear_found(s) : status;
}

rp_status rp__exec_stage_use_norms(rp__exec_stage *s, uint32_t serial)
{
    rp_status status = RP_OK;
    if (s->norms != serial)
        status = rp__persistent_kernel_settle(&s->kernel);
    s->norms = serial;
    return status;
}
