/* device_norms.c: tables of norms by code of length, found by their values. */
#include "backend/gpu/residency/device_norms.h"

#include <string.h>

#include "base/alloc.h"

/* What is made with norms depends on the ranking too: equal values of two rankings have two keys. */
static uint64_t hash(const float *values, uint32_t n, bool is_iiu)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return h >> 5 | (uint64_t)is_iiu << 59 | (uint64_t)RP_USE_NORMS << 60;
}

static void look(rp__device_norms *norms, const rp__query *query)
{
    uint32_t n = query->lengths.n_table;
    bool is_iiu = query->rank->ranking->kind == RP_RANK_IIU;
    if (norms->from == query->norms && norms->n == n && norms->is_iiu == is_iiu)
        return;
    *norms = (rp__device_norms){
        .from = query->norms, .n = n, .is_iiu = is_iiu, .key = hash(query->norms, n, is_iiu)};
}

bool rp__device_norms_find(rp__device_norms *norms, rp__lease *lease, const rp__gpu_index *index,
                           const rp__query *query, karg_norms *out, uint32_t *serial)
{
    look(norms, query);
    const rp__resident *e = rp__lease_find(lease, norms->key, 0);
    if (!e || e->n != norms->n)
        return false;
    if (e->serial != norms->serial && memcmp(e->values, norms->from, e->n * sizeof(float)) != 0)
        return false;
    *serial = norms->serial = e->serial;
    *out = (karg_norms){.codes = rp__gpu_index_at(index, query->lengths.codes),
                        .table = e->at,
                        .code_bytes = query->lengths.code_bytes,
                        .n_table = e->n};
    return true;
}

static rp_status upload(rp__lease *lease, const rp__device_norms *norms, const rp__piece *piece)
{
    rp__uploader *uploader;
    rp_status status = rp__lease_uploader(lease, &uploader);
    if (status != RP_OK)
        return status;
    rp__uploader_begin(uploader, piece->at);
    status = rp__uploader_put(uploader, norms->from, norms->n * sizeof(float));
    if (status == RP_OK)
        status = rp__uploader_send(uploader);
    return status == RP_OK ? rp__uploader_wait(uploader) : status;
}

rp_status rp__device_norms_bring(rp__device_norms *norms, rp__lease *lease, const rp__query *query)
{
    look(norms, query);
    const size_t bytes = norms->n * sizeof(float);
    rp__resident made = {.key = norms->key, .n = norms->n, .repr = RP_REPR_NORMS};
    rp__piece *piece;
    rp__lease_acquire(lease);
    rp_status status = rp__lease_take(lease, bytes, RP_NEED_ALL, norms->key, 0, &piece);
    rp__lease_release(lease);
    if (status == RP_OK)
        status = upload(lease, norms, piece);
    if (status == RP_OK && (made.values = rp__alloc(bytes)) == NULL)
        status = RP_NO_MEMORY;
    if (status == RP_OK) {
        memcpy(made.values, norms->from, bytes);
        made.at = piece->at;
        made.piece = piece;
        if (!rp__lease_publish(lease, &(const rp__resident *){&made}, 1))
            rp__free(made.values);
    }
    rp__lease_end(lease);
    return status;
}
