/* gpu_any.c: one OR by tiles: its lists are laid out when they are first asked for. */
#include "backend/gpu/gpu_any.h"

void rp__gpu_any_close(rp__gpu_any *any)
{
    rp__gpu_or_close(&any->or);
    rp__gpu_tiled_close(&any->tiled);
    *any = (rp__gpu_any){0};
}

/* For all lists of the index, if so much is to be had. */
static rp_status lists_bytes(rp__device *device, const rp__query *query, uint64_t most, size_t *out)
{
    uint64_t wanted =
        rp__gpu_tiled_bytes(rp__segment_get_info(query->segment), query->lengths.n_docs);
    size_t unused = 0, total;
    rp_status status = rp__device_check(device, device->driver->memory_info(&unused, &total));
    most = most ? most : unused / 4;
    *out = (size_t)(wanted < most ? wanted : most);
    return status == RP_OK && *out == 0 ? RP_NO_MEMORY : status;
}

/* Lists are laid out with norms in them. */
static rp_status open_lists(rp__gpu_any *any, rp__device *device, const rp__query *query,
                            const rp__gpu_any_query *what, uint64_t most)
{
    size_t bytes;
    if (any->tiled.device && any->table == what->norms.table)
        return RP_OK;
    rp__gpu_any_close(any);
    rp_status status = lists_bytes(device, query, most, &bytes);
    if (status != RP_OK)
        return status;
    rp__gpu_tiled_open(&any->tiled, device, what->norms, query->lengths.n_docs, bytes);
    rp__gpu_or_open(&any->or, device);
    any->table = what->norms.table;
    return RP_OK;
}

rp_status rp__gpu_any_start(rp__gpu_any *any, rp__device *device, const rp__query *query,
                            const rp__gpu_any_query *what, uint64_t most)
{
    rp__gpu_tiled_want wants[KARG_OR_TERMS];
    karg_tiled lists[KARG_OR_TERMS];
    rp__gpu_or_term terms[KARG_OR_TERMS];
    rp_status status = open_lists(any, device, query, what, most);
    for (uint32_t i = 0; i < what->n; i++)
        wants[i] = (rp__gpu_tiled_want){.key = what->keys[i], .word = what->words[i]};
    if (status == RP_OK)
        status = rp__gpu_tiled_get(&any->tiled, wants, what->n, lists);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < what->n; i++)
        terms[i] = (rp__gpu_or_term){.list = lists[i], .weight = what->words[i].weight};
    const rp__gpu_or_query one = {.terms = terms, .n_terms = what->n, .least = what->least};
    return rp__gpu_or_run(&any->or, &(rp__gpu_or_batch){.queries = &one,
                                                        .n_queries = 1,
                                                        .k = what->k,
                                                        .n_docs = query->lengths.n_docs});
}

rp_status rp__gpu_any_finish(rp__gpu_any *any, const karg_pair **pairs, uint32_t *n)
{
    const uint32_t *count;
    rp_status status = rp__gpu_or_fetch(&any->or, pairs, &count);
    *n = status == RP_OK ? *count : 0;
    return *n == UINT32_MAX ? RP_UNAVAILABLE : status;
}
