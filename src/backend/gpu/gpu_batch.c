/* gpu_batch.c: many queries at once. */
#include "backend/gpu/gpu_batch.h"

rp_status rp__gpu_batch_open(rp__gpu_batch *batch, const rp__gpu_index *index, uint64_t most,
                             rp_error *err)
{
    const rp__device *device = index->device;
    *batch = (rp__gpu_batch){0};
    rp_status status = rp__device_open(&batch->device, device->driver, (int)device->handle, err);
    if (status == RP_OK)
        rp__gpu_query_open(&batch->query, &batch->device, index, most);
    return status;
}

void rp__gpu_batch_close(rp__gpu_batch *batch)
{
    if (!batch->device.context)
        return;
    (void)rp__device_enter(&batch->device);
    rp__gpu_query_close(&batch->query);
    rp__device_close(&batch->device);
}

void rp__gpu_batch_start(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena)
{
    (void)batch, (void)asked, (void)n, (void)arena;
}

void rp__gpu_batch_finish(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena)
{
    rp_error err;
    for (size_t i = 0; i < n; i++)
        if (asked[i].status == RP_OK)
            asked[i].status =
                rp__gpu_query_run(&batch->query, &asked[i].query, arena, &asked[i].answer, &err);
}
