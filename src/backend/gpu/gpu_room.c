/* gpu_room.c: the stage, the room and the table of norms. What grows doubles, so that growing ends soon. */
#include "backend/gpu/gpu_room.h"

#include <string.h>

#include "base/bits.h"

void rp__gpu_room_open(rp__gpu_room *room, rp__device *device, uint64_t most)
{
    *room = (rp__gpu_room){.device = device, .most = most};
    rp__gpu_resident_open(&room->resident, device);
}

static void free_stage(rp__gpu_room *room)
{
    if (room->stage)
        room->device->driver->host_free(room->stage);
    room->stage = NULL;
    room->stage_bytes = 0;
}

void rp__gpu_room_close(rp__gpu_room *room)
{
    if (!room->device)
        return;
    rp__gpu_resident_close(&room->resident);
    rp__device_free(room->device, room->at);
    rp__device_free(room->device, room->table);
    free_stage(room);
    *room = (rp__gpu_room){0};
}

rp_status rp__gpu_room_grow_stage(rp__gpu_room *room, size_t bytes)
{
    void *at = NULL;
    if (bytes <= room->stage_bytes)
        return RP_OK;
    bytes = bytes > 2 * room->stage_bytes ? bytes : 2 * room->stage_bytes;
    rp_status status = rp__gpu_resident_settle(&room->resident);
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
static rp_status clear_found(rp__gpu_room *room)
{
    rp_status status =
        rp__device_fill(room->device, room->at, 0, sizeof(karg_found) / sizeof(uint32_t));
    return status == RP_OK ? rp__device_wait(room->device) : status;
}

rp_status rp__gpu_room_grow(rp__gpu_room *room, size_t bytes)
{
    if (bytes <= room->bytes)
        return RP_OK;
    size_t twice = 2 * room->bytes, most = SIZE_MAX;
    if (room->most)
        most = room->most - room->n_table * sizeof(float);
    if (bytes > most)
        return RP_NO_MEMORY;
    bytes = bytes < twice && twice <= most ? twice : bytes;
    rp_status status = rp__gpu_resident_settle(&room->resident);
    if (status != RP_OK)
        return status;
    rp__device_free(room->device, room->at);
    room->at = 0;
    room->bytes = 0;
    status = rp__device_alloc(room->device, bytes, &room->at);
    if (status == RP_OK)
        status = clear_found(room);
    if (status == RP_OK)
        room->bytes = bytes;
    return status;
}

rp_status rp__gpu_room_finish(rp__gpu_room *room)
{
    rp_status status = rp__device_wait(room->device);
    if (status == RP_OK)
        room->is_busy = false;
    return status;
}

rp_status rp__gpu_room_clean_up(rp__gpu_room *room)
{
    rp_status status = rp__gpu_resident_settle(&room->resident);
    if (status == RP_OK)
        status = rp__gpu_room_finish(room);
    return status == RP_OK && room->bytes ? clear_found(room) : status;
}

bool rp__gpu_room_has_norms(const rp__gpu_room *room, const rp__query *query)
{
    return room->norms == query->norms && room->n_table == query->lengths.n_table;
}

rp_status rp__gpu_room_put_norms(rp__gpu_room *room, const rp__query *query)
{
    const uint32_t n = query->lengths.n_table;
    const size_t bytes = n * sizeof(float);
    if (rp__gpu_room_has_norms(room, query))
        return RP_OK;
    if (room->most && bytes > room->most)
        return RP_NO_MEMORY;
    rp_status status = rp__gpu_resident_settle(&room->resident);
    if (status != RP_OK)
        return status;
    rp__device_free(room->device, room->table);
    room->table = 0;
    room->norms = NULL;
    status = rp__gpu_room_grow_stage(room, RP_GPU_ROOM_STAGED + bytes);
    if (status == RP_OK)
        status = rp__device_alloc(room->device, rp__bits_align(bytes, 16), &room->table);
    if (status != RP_OK)
        return status;
    memcpy(room->stage + RP_GPU_ROOM_STAGED, query->norms, bytes);
    room->is_busy = true;
    status = rp__device_copy_in(room->device, room->table, room->stage + RP_GPU_ROOM_STAGED, bytes);
    if (status == RP_OK)
        status = rp__gpu_room_finish(room);
    if (status == RP_OK) {
        room->norms = query->norms;
        room->n_table = n;
    }
    return status;
}
