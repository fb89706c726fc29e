/* gpu_index.c: where the parts of an index lie on a device. */
#include "backend/gpu/gpu_index.h"

rp_status rp__gpu_index_open(rp__gpu_index *index, rp__device *device, const rp__segment *segment,
                             uint64_t limit)
{
    *index = (rp__gpu_index){.device = device};
    return rp__residency_get(device, segment, limit, &index->residency);
}

void rp__gpu_index_close(rp__gpu_index *index)
{
    rp__residency_drop(index->residency, index->device);
    *index = (rp__gpu_index){0};
}

uint64_t rp__gpu_index_at(const rp__gpu_index *index, const void *host)
{
    const uint8_t *p = host;
    for (size_t i = 0; p && i < index->residency->n; i++) {
        const rp__gpu_section *s = &index->residency->sections[i];
        if (p >= s->host && p <= s->host + s->bytes)
            return s->at + (uint64_t)(p - s->host);
    }
    return 0;
}

uint64_t rp__gpu_index_offsets(uint64_t wide, uint64_t narrow)
{
    return narrow ? narrow | KARG_NEAR : wide;
}

karg_list rp__gpu_index_sizes(const rp__list *list)
{
    return (karg_list){.n = list->n,
                       .n_blocks = list->n_blocks,
                       .universe = list->universe,
                       .docs_bytes = (uint32_t)list->docs_bytes,
                       .freqs_bytes = (uint32_t)list->freqs_bytes,
                       .codec = list->codec->id};
}

bool rp__gpu_index_list(const rp__gpu_index *index, const rp__list *list, karg_list *out)
{
    if (!list->codec)
        return false;
    *out = rp__gpu_index_sizes(list);
    out->docs = rp__gpu_index_at(index, list->docs);
    out->freqs = rp__gpu_index_at(index, list->freqs);
    out->last = rp__gpu_index_at(index, list->last);
    out->last_far = rp__gpu_index_at(index, list->last_far);
    out->offsets = rp__gpu_index_offsets(rp__gpu_index_at(index, list->offsets),
                                         rp__gpu_index_at(index, list->near_offsets));
    out->freq_offsets = rp__gpu_index_offsets(rp__gpu_index_at(index, list->freq_offsets),
                                              rp__gpu_index_at(index, list->near_freqs));
    out->first = rp__gpu_index_at(index, list->first);
    out->bounds = rp__gpu_index_at(index, list->bounds);
    return out->docs != 0;
}
