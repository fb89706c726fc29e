/* gpu_index.c: the sections of an index on a device. Loading is a copy: kernels read the bytes of the files. */
#include "backend/gpu/gpu_index.h"

#include <string.h>

#include "base/bits.h"

enum { STAGE = 8 << 20 }; /* bytes that are copied at once */

/* The driver must not be the one that meets a page which cannot be read: the guard would leave it with its locks
 * held. */
static rp_status copy_section(rp__gpu_index *index, rp__cu_ptr at, const uint8_t *host,
                              size_t bytes)
{
    rp_status status = RP_OK;
    for (size_t from = 0; status == RP_OK && from < bytes; from += STAGE) {
        size_t n = bytes - from < STAGE ? bytes - from : STAGE;
        memcpy(index->stage, host + from, n);
        status = rp__device_copy_in(index->device, at + from, index->stage, n);
        if (status == RP_OK)
            status = rp__device_wait(index->device);
    }
    return status;
}

static rp_status add_section(rp__gpu_index *index, const uint8_t *host, size_t bytes, uint64_t most)
{
    rp__cu_ptr at;
    if (most && bytes + RP_PAD > most - index->bytes)
        return RP_NO_MEMORY;
    rp_status status = rp__device_alloc(index->device, bytes + RP_PAD, &at);
    if (status != RP_OK)
        return status;
    index->sections[index->n].host = host;
    index->sections[index->n].bytes = bytes;
    index->sections[index->n++].at = at;
    index->bytes += bytes + RP_PAD;
    return copy_section(index, at, host, bytes + RP_PAD);
}

static void free_stage(rp__gpu_index *index)
{
    if (index->stage)
        index->device->driver->host_free(index->stage);
    index->stage = NULL;
}

rp_status rp__gpu_index_open(rp__gpu_index *index, rp__device *device, const rp__segment *segment,
                             uint64_t most)
{
    const uint8_t *host;
    size_t bytes;
    void *stage = NULL;
    *index = (rp__gpu_index){.device = device};
    rp_status status = rp__device_check(device, device->driver->host_alloc(&stage, STAGE, 0));
    index->stage = status == RP_OK ? stage : NULL;
    for (size_t i = 0; status == RP_OK && rp__segment_section(segment, i, &host, &bytes); i++)
        status = add_section(index, host, bytes, most);
    if (status == RP_OK)
        free_stage(index);
    else
        rp__gpu_index_close(index);
    return status;
}

void rp__gpu_index_close(rp__gpu_index *index)
{
    for (size_t i = 0; i < index->n; i++)
        rp__device_free(index->device, index->sections[i].at);
    free_stage(index);
    *index = (rp__gpu_index){0};
}

uint64_t rp__gpu_index_at(const rp__gpu_index *index, const void *host)
{
    const uint8_t *p = host;
    for (size_t i = 0; p && i < index->n; i++)
        if (p >= index->sections[i].host && p <= index->sections[i].host + index->sections[i].bytes)
            return index->sections[i].at + (uint64_t)(p - index->sections[i].host);
    return 0;
}

bool rp__gpu_index_list(const rp__gpu_index *index, const rp__list *list, karg_list *out)
{
    if (!list->codec)
        return false;
    *out = (karg_list){.docs = rp__gpu_index_at(index, list->docs),
                       .freqs = rp__gpu_index_at(index, list->freqs),
                       .last = rp__gpu_index_at(index, list->last),
                       .last_far = rp__gpu_index_at(index, list->last_far),
                       .offsets = rp__gpu_index_at(index, list->offsets),
                       .freq_offsets = rp__gpu_index_at(index, list->freq_offsets),
                       .first = rp__gpu_index_at(index, list->first),
                       .bounds = rp__gpu_index_at(index, list->bounds),
                       .n = list->n,
                       .n_blocks = list->n_blocks,
                       .universe = list->universe,
                       .docs_bytes = (uint32_t)list->docs_bytes,
                       .freqs_bytes = (uint32_t)list->freqs_bytes,
                       .codec = list->codec->id};
    return out->docs != 0;
}
