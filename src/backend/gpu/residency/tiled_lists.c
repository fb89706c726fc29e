/* tiled_lists.c: the representation `tiled`: memory, the launch of build_tiled.cu, and who finds it. */
#include "backend/gpu/residency/tiled_lists.h"

#include <string.h>

#include "base/bits.h"

enum { ALIGN = 256, WARPS = 8 };

static uint32_t n_tiles(const rp__residency *r)
{
    return ((r->n_docs - 1) >> KARG_OR_TILE) + 1;
}

/* What is 0 at first: cells, and what was found out about the list's bytes. */
static uint64_t zero_bytes(const rp__residency *r)
{
    return rp__bits_align((n_tiles(r) + (uint64_t)1) * sizeof(karg_cell) + sizeof(karg_found),
                          ALIGN);
}

static karg_tiled place(const rp__residency *r, uint32_t n, rp__cu_ptr at)
{
    karg_tiled out = {.cells = at, .n = n};
    out.found = at + zero_bytes(r) - sizeof(karg_found);
    out.places = at + zero_bytes(r);
    out.ratios = out.places + rp__bits_align((uint64_t)n * sizeof(uint16_t) + 16, ALIGN);
    return out;
}

bool rp__tiled_lists_find(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n)
{
    bool is_there = true;
    for (size_t i = 0; i < n; i++) {
        const rp__resident *e =
            rp__lease_find(lease, rp__residency_key(lists[i].term, RP_USE_TILED), norms);
        lists[i].piece = NULL;
        lists[i].list = e ? e->list.tiled : (karg_tiled){0};
        if (e)
            memcpy(lists[i].kths, e->kths, sizeof e->kths);
        is_there = is_there && e;
    }
    return is_there;
}

/* A term may be there twice. */
static bool find_twin(rp__tiled_list *lists, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (lists[k].term->list_offset == lists[i].term->list_offset &&
            lists[k].term->tiny == lists[i].term->tiny) {
            lists[i].list = lists[k].list;
            return true;
        }
    return false;
}

static rp_status take_one(rp__lease *lease, rp__tiled_list *t)
{
    rp__residency *r = lease->residency;
    const rp__repr *repr = &rp__reprs[RP_REPR_TILED];
    const karg_list list = {.n = t->term->df};
    uint64_t key = rp__residency_key(t->term, RP_USE_TILED);
    rp__device_heap_touch(&r->heap, key);
    rp_status status = rp__lease_take(lease, repr->bytes(&list, r->n_docs), RP_NEED_WORTH, key,
                                      repr->cost, &t->piece);
    if (status == RP_OK)
        t->list = place(r, list.n, t->piece->at);
    return status;
}

rp_status rp__tiled_lists_take(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n)
{
    rp_status status = RP_OK;
    (void)rp__tiled_lists_find(lease, norms, lists, n);
    for (size_t i = 0; status == RP_OK && i < n; i++)
        if (!lists[i].list.cells && !find_twin(lists, i))
            status = take_one(lease, &lists[i]);
    if (status != RP_OK)
        return status;
    rp__piece *records;
    return rp__lease_take(lease, n * (sizeof(karg_term) + sizeof(karg_tiled)), RP_NEED_ALL, 0, 0,
                          &records);
}

/* Words of all that are to be made, then where they go. */
static rp_status send_records(rp__lease *lease, rp__cu_ptr to, const rp__tiled_list *lists,
                              size_t n, karg_build_tiled *args)
{
    rp__uploader *uploader;
    rp_status status = rp__lease_uploader(lease, &uploader);
    if (status != RP_OK)
        return status;
    rp__uploader_begin(uploader, to);
    args->terms = to;
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        karg_term word = lists[i].word;
        if (!lists[i].piece)
            continue;
        word.before = args->n_blocks;
        args->n_blocks += (word.list.n + KARG_BLOCK - 1) / KARG_BLOCK;
        args->n_lists++;
        lease->device->counters.transcoded_postings += word.list.n;
        status = rp__uploader_put(uploader, &word, sizeof word);
    }
    args->lists = to + args->n_lists * sizeof(karg_term);
    for (size_t i = 0; status == RP_OK && i < n; i++)
        if (lists[i].piece)
            status = rp__uploader_put(uploader, &lists[i].list, sizeof lists[i].list);
    return status == RP_OK ? rp__lease_upload(lease) : status;
}

rp_status rp__tiled_lists_make(rp__lease *lease, rp__cu_ptr records, const karg_norms *norms,
                               bool is_iiu, rp__tiled_list *lists, size_t n)
{
    rp__device *device = lease->device;
    const rp__residency *r = lease->residency;
    karg_build_tiled args = {.norms = *norms, .n_docs = r->n_docs, .n_tiles = n_tiles(r)};
    rp_status status = send_records(lease, records, lists, n, &args);
    for (size_t i = 0; status == RP_OK && i < n; i++)
        if (lists[i].piece)
            status = rp__device_check(
                device, device->driver->fill32(lists[i].list.cells, 0,
                                               zero_bytes(r) / sizeof(uint32_t), lease->stream));
    rp__launch how = {.grid = (args.n_blocks + WARPS - 1) / WARPS,
                      .block = 32 * WARPS,
                      .shared = WARPS * 2 * KARG_BLOCK * sizeof(uint32_t)};
    const rp__kernel_id kernel = rp__kernel_table_scoring(RP_KERNEL_build_tiled_kernel, is_iiu);
    return status == RP_OK ? rp__device_launch_on(device, lease->stream, kernel, how, &args)
                           : status;
}

void rp__tiled_lists_publish(rp__lease *lease, uint32_t norms, const rp__tiled_list *lists,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const rp__tiled_list *t = &lists[i];
        rp__resident made = {.key = rp__residency_key(t->term, RP_USE_TILED),
                             .piece = t->piece,
                             .n = t->list.n,
                             .norms = norms,
                             .repr = RP_REPR_TILED,
                             .list.tiled = t->list};
        memcpy(made.kths, t->kths, sizeof made.kths);
        if (t->piece)
            (void)rp__lease_publish(lease, &(const rp__resident *){&made}, 1);
    }
}
