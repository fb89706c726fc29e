/* exec_stage.c: the stage and the scratch. The stage doubles as it grows, so that growing ends soon. */
#include "backend/gpu/exec/exec_stage.h"

#include <string.h>

#include "base/bits.h"

void rp__exec_stage_open(rp__exec_stage *room, rp__device *device, rp__residency *residency)
{
    *room = (rp__exec_stage){.device = device};
    rp__persistent_kernel_open(&room->resident, device, residency);
}

static void free_stage(rp__exec_stage *room)
{
    if (room->stage)
        room->device->driver->host_free(room->stage);
    room->stage = NULL;
    room->stage_bytes = 0;
}

void rp__exec_stage_close(rp__exec_stage *room)
{
    if (!room->device)
        return;
    rp__residency *residency = room->resident.residency;
    rp__persistent_kernel_close(&room->resident);
    rp__scratch_free(&room->scratch, residency, room->device);
    free_stage(room);
    *room = (rp__exec_stage){0};
}

rp_status rp__exec_stage_grow_stage(rp__exec_stage *room, size_t bytes)
{
    void *at = NULL;
    if (bytes <= room->stage_bytes)
        return RP_OK;
    bytes = bytes > 2 * room->stage_bytes ? bytes : 2 * room->stage_bytes;
    rp_status status = rp__persistent_kernel_settle(&room->resident);
    if (status != RP_OK)
        return status;
    free_stage(room);
    const rp__driver *driver = room->device->driver;
    status = rp__device_pin(room->device, bytes, RP_CU_HOST_MAPPED, &at);
    room->stage = at;
    if (status == RP_OK)
        status = rp__device_check(room->device, driver->host_device(&room->stage_at, at, 0));
    if (status != RP_OK) {
        free_stage(room);
        return status;
    }
    memset(at, 0, sizeof(karg_answer));
    room->stage_bytes = bytes;
    return RP_OK;
}

/* What was found of a query: nothing yet. Queries leave it so, unless they fail. It is so when this returns: kernels
 * of other streams may be next. */
static rp_status clear_found(rp__exec_stage *room)
{
    rp_status status =
        rp__device_fill(room->device, room->scratch.at, 0, sizeof(karg_found) / sizeof(uint32_t));
    return status == RP_OK ? rp__device_wait(room->device) : status;
}

rp_status rp__exec_stage_hold(rp__exec_stage *room, rp__lease *lease, size_t bytes)
{
    rp_status status = rp__scratch_hold(&room->scratch, lease, room->device, bytes);
    if (status != RP_OK || !room->scratch.is_fresh)
        return status;
    status = rp__persistent_kernel_settle(&room->resident);
    if (status == RP_OK)
        status = clear_found(room);
    if (status != RP_OK) /* it is not clean: not enough for anybody */
        room->scratch.bytes = 0;
    return status;
}

rp_status rp__exec_stage_finish(rp__exec_stage *room)
{
    rp_status status = rp__device_wait(room->device);
    if (status == RP_OK)
        room->is_busy = false;
    return status;
}

rp_status rp__exec_stage_clean_up(rp__exec_stage *room)
{
    rp_status status = rp__persistent_kernel_settle(&room->resident);
    if (status == RP_OK)
        status = rp__exec_stage_finish(room);
    return status == RP_OK && room->scratch.bytes ? clear_found(room) : status;
}

rp_status rp__exec_stage_use_norms(rp__exec_stage *room, uint32_t serial)
{
    rp_status status = RP_OK;
    if (room->norms != serial)
        status = rp__persistent_kernel_settle(&room->resident);
    room->norms = serial;
    return status;
}
