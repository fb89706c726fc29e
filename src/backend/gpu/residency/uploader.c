/* uploader.c: from mapped memory by way of a pinned stage in two halves. Only this file reads what is mapped, never
 * the driver: the guard would leave it with its locks held. */
#include "backend/gpu/residency/uploader.h"

#include <string.h>

#include "base/bits.h"

enum {
    PINNED = 1 << 16, /* of which the user's memory is a multiple */
};

rp_status rp__uploader_open(rp__uploader *f, rp__device *device, size_t half)
{
    const rp__driver *driver = device->driver;
    void *stage = NULL;
    *f = (rp__uploader){.device = device, .half_bytes = half};
    rp_status status = rp__device_pin(device, 2 * half, 0, &stage);
    f->stage = stage;
    for (uint32_t i = 0; status == RP_OK && i < 2; i++)
        status = rp__device_check(device, driver->event_create(&f->sent[i], RP_CU_EVENT_UNTIMED));
    if (status == RP_OK)
        status = rp__device_check(device, driver->stream_create(&f->stream, RP_CU_STREAM_OWN));
    if (status != RP_OK)
        rp__uploader_close(f);
    return status;
}

void rp__uploader_close(rp__uploader *f)
{
    if (!f->device)
        return;
    if (f->stream)
        rp__device_settle(f->device, f->stream);
    const rp__driver *driver = f->device->driver;
    if (f->stream)
        driver->stream_destroy(f->stream);
    for (uint32_t i = 0; i < 2; i++)
        if (f->sent[i])
            driver->event_destroy(f->sent[i]);
    if (f->stage)
        driver->host_free(f->stage);
    if (f->pinned)
        driver->host_free(f->pinned);
    *f = (rp__uploader){0};
}

void rp__uploader_begin(rp__uploader *f, rp__cu_ptr to)
{
    f->used = f->first;
    f->to = to;
}

rp_status rp__uploader_send(rp__uploader *f)
{
    rp__device *d = f->device;
    size_t n = f->used - f->first;
    if (rp__device_is_lost(d) || n == 0)
        return d->is_lost ? RP_UNAVAILABLE : RP_OK;
    const uint8_t *from = f->stage + f->half * f->half_bytes + f->first;
    f->is_copying = true;
    f->first = f->used;
    rp_status status = rp__device_check(d, d->driver->copy_in(f->to, from, n, f->stream));
    f->to += n;
    f->bytes += n;
    d->counters.uploaded_bytes += n;
    return status;
}

/* The full half is on its way as a whole. */
static rp_status turn(rp__uploader *f)
{
    rp__device *d = f->device;
    rp_status status = rp__uploader_send(f);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->event_record(f->sent[f->half], f->stream));
    if (status != RP_OK)
        return status;
    f->is_sent[f->half] = true;
    f->half ^= 1;
    f->used = f->first = 0;
    return RP_OK;
}

/* Room in a half that no copy reads any more. */
static rp_status reserve(rp__uploader *f)
{
    rp_status status = f->used == f->half_bytes ? turn(f) : RP_OK;
    if (status == RP_OK && f->is_sent[f->half])
        status = rp__device_wait_event(f->device, f->sent[f->half]);
    if (status == RP_OK)
        f->is_sent[f->half] = false;
    return status;
}

rp_status rp__uploader_put(rp__uploader *f, const void *from, size_t bytes)
{
    const uint8_t *p = from;
    while (bytes > 0) {
        rp_status status = reserve(f);
        if (status != RP_OK)
            return status;
        size_t n = bytes < f->half_bytes - f->used ? bytes : f->half_bytes - f->used;
        memcpy(f->stage + f->half * f->half_bytes + f->used, p, n);
        f->used += n;
        p += n;
        bytes -= n;
    }
    return RP_OK;
}

rp_status rp__uploader_pin(rp__uploader *f, size_t bytes, uint8_t **out)
{
    rp_status status = RP_OK;
    if (bytes > f->pinned_bytes) {
        if (f->pinned)
            f->device->driver->host_free(f->pinned);
        f->pinned = NULL;
        f->pinned_bytes = rp__bits_align(2 * bytes, PINNED); /* so that growing ends soon */
        status = rp__device_pin(f->device, f->pinned_bytes, 0, &f->pinned);
    }
    if (status != RP_OK)
        f->pinned_bytes = 0;
    *out = f->pinned;
    return status;
}

rp_status rp__uploader_wait(rp__uploader *f)
{
    if (!f->is_copying)
        return RP_OK;
    rp_status status = rp__device_wait_stream(f->device, f->stream);
    if (status != RP_OK)
        return status;
    f->is_copying = f->is_sent[0] = f->is_sent[1] = false;
    f->used = f->first = 0;
    return RP_OK;
}
