/* gpu_norms.c: a table of norms by code of length, copied once. */
#include "backend/gpu/gpu_norms.h"

#include <string.h>

/* The stage goes last: a copy that nobody saw end may read it. */
void rp__gpu_norms_free(rp__gpu_norms *norms, rp__device *device)
{
    rp__device_free(device, norms->table);
    if (norms->stage)
        device->driver->host_free(norms->stage);
    *norms = (rp__gpu_norms){0};
}

static rp_status copy_table(rp__gpu_norms *norms, rp__device *device, const float *from,
                            size_t bytes)
{
    void *stage = NULL;
    rp_status status = rp__device_alloc(device, bytes, &norms->table);
    if (status == RP_OK) {
        status = rp__device_pin(device, bytes, 0, &stage);
        norms->stage = stage;
    }
    if (status != RP_OK)
        return status;
    memcpy(stage, from, bytes);
    status = rp__device_copy_in(device, norms->table, stage, bytes);
    return status == RP_OK ? rp__device_wait(device) : status;
}

rp_status rp__gpu_norms_put(rp__gpu_norms *norms, rp__device *device, const rp__gpu_index *index,
                            const rp__query *query, uint64_t most)
{
    const rp__lengths *lengths = &query->lengths;
    size_t bytes = lengths->n_table * sizeof(float);
    if (norms->from == query->norms && norms->args.n_table == lengths->n_table)
        return RP_OK;
    uint64_t codes = rp__gpu_index_at(index, lengths->codes);
    if (codes == 0 || bytes == 0)
        return RP_UNAVAILABLE;
    rp__gpu_norms_free(norms, device);
    if (most && bytes > most)
        return RP_NO_MEMORY;
    rp_status status = copy_table(norms, device, query->norms, bytes);
    if (status != RP_OK)
        return status;
    norms->from = query->norms;
    norms->args = (karg_norms){.codes = codes,
                               .table = norms->table,
                               .code_bytes = lengths->code_bytes,
                               .n_table = lengths->n_table};
    return RP_OK;
}
