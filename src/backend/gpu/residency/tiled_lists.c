/* tiled_lists.c: the representation `tiled`: memory, the launches of build_tiled.cu and build_cells.cu, and who
 * finds it. */
#include "backend/gpu/residency/tiled_lists.h"

#include <string.h>

#include "base/bits.h"

enum {
    ALIGN = 256,
    WARPS = 8,
    CELL_PARTS = 16, /* thread blocks of a list whose directory is read */
};

/* ---- Bytes -------------------------------------------------------------------------------------- */

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

uint64_t rp__tiled_lists_bytes(const rp__residency *r, const rp__term *term)
{
    const karg_list list = {.n = term->df};
    return rp__reprs[RP_REPR_TILED].bytes(&list, r->n_docs);
}

uint64_t rp__tiled_lists_cell_bytes(const rp__residency *r)
{
    return zero_bytes(r) + sizeof(karg_or_stored);
}

/* Cells at `cells`, the rest of it at `rest`. */
static karg_tiled place(const rp__residency *r, uint32_t n, rp__cu_ptr cells, rp__cu_ptr rest)
{
    karg_tiled out = {.cells = cells, .n = n};
    out.found = cells + zero_bytes(r) - sizeof(karg_found);
    out.places = rest;
    out.ratios = out.places + rp__bits_align((uint64_t)n * sizeof(uint16_t) + 16, ALIGN);
    return out;
}

/* ---- Finding and taking ------------------------------------------------------------------------- */

bool rp__tiled_lists_find(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n)
{
    bool is_there = true;
    for (size_t i = 0; i < n; i++) {
        const rp__resident *e =
            rp__lease_find(lease, rp__residency_key(lists[i].term, RP_USE_TILED), norms);
        lists[i].piece = NULL;
        lists[i].is_fresh = false;
        lists[i].list = e ? e->list.tiled : (karg_tiled){0};
        if (e)
            memcpy(lists[i].kths, e->kths, sizeof e->kths);
        is_there = is_there && e;
    }
    return is_there;
}

/* The same list, earlier in the launch; NULL: there is none. */
static const rp__tiled_list *twin_of(const rp__tiled_list *lists, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (lists[k].term->list_offset == lists[i].term->list_offset &&
            lists[k].term->tiny == lists[i].term->tiny)
            return &lists[k];
    return NULL;
}

/* To stay. RP_NO_MEMORY: for this launch alone. */
static rp_status take_one(rp__lease *lease, const rp__tiled_use *use, rp__tiled_list *t)
{
    rp__residency *r = lease->residency;
    const uint64_t bytes = rp__tiled_lists_bytes(r, t->term);
    const uint64_t key = rp__residency_key(t->term, RP_USE_TILED);
    rp_status status = rp__lease_take_made(lease, bytes, key, rp__reprs[RP_REPR_TILED].cost,
                                           !use->in_group, &t->piece);
    if (status != RP_NOT_FOUND) /* else it is taken again */
        rp__device_heap_touch(&r->heap, key);
    if (status == RP_OK)
        t->list = place(r, t->term->df, t->piece->at, t->piece->at + zero_bytes(r));
    return status;
}

/* Of what is made of n lists; lists that are read as they are stored have theirs behind them. */
static uint64_t made_record_bytes(size_t n)
{
    return n * (sizeof(karg_term) + sizeof(karg_tiled));
}

static bool is_read_stored(const rp__tiled_list *t)
{
    return t->is_fresh && t->is_stored;
}

static uint64_t record_bytes(const rp__tiled_list *lists, size_t n)
{
    uint64_t bytes = made_record_bytes(n);
    for (size_t i = 0; i < n; i++)
        bytes += is_read_stored(&lists[i]) ? sizeof(karg_or_stored) : 0;
    return rp__bits_align(bytes, ALIGN);
}

uint64_t rp__tiled_lists_need(rp__lease *lease, const rp__tiled_use *use, rp__tiled_list *lists,
                              size_t n)
{
    const rp__residency *r = lease->residency;
    uint64_t bytes = 0;
    (void)rp__tiled_lists_find(lease, use->norms, lists, n);
    for (size_t i = 0; i < n; i++) {
        lists[i].is_fresh = !lists[i].list.cells && !twin_of(lists, i);
        if (lists[i].is_fresh)
            bytes += lists[i].is_stored ? zero_bytes(r) : rp__tiled_lists_bytes(r, lists[i].term);
    }
    return bytes + record_bytes(lists, n);
}

/* Records; then, of lists that do not stay, all cells, and the rest of each. */
rp_status rp__tiled_lists_take(rp__lease *lease, rp__tiled_use *use, rp__tiled_list *lists,
                               size_t n, rp__cu_ptr *at)
{
    const rp__residency *r = lease->residency;
    rp_status status = RP_OK;
    use->records = *at;
    rp__cu_ptr cells = *at + record_bytes(lists, n), rest = cells;
    rp__cu_ptr stored = *at + made_record_bytes(n);
    for (size_t i = 0; i < n; i++)
        rest += lists[i].is_fresh ? zero_bytes(r) : 0;
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        rp__tiled_list *t = &lists[i];
        const rp__tiled_list *twin = t->is_fresh || t->list.cells ? NULL : twin_of(lists, i);
        if (twin)
            t->list = twin->list;
        if (!t->is_fresh)
            continue;
        if (t->is_stored) {
            t->list = place(r, t->term->df, cells, stored);
            t->list.ratios = 0;
            stored += sizeof(karg_or_stored);
            cells += zero_bytes(r);
            continue;
        }
        status = take_one(lease, use, t);
        if (status != RP_NO_MEMORY)
            continue;
        t->list = place(r, t->term->df, cells, rest);
        cells += zero_bytes(r);
        rest += rp__tiled_lists_bytes(r, t->term) - zero_bytes(r);
        status = RP_OK;
    }
    *at = rest;
    return status;
}

/* ---- Making ------------------------------------------------------------------------------------- */

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
        if (!lists[i].is_fresh || lists[i].is_stored)
            continue;
        word.before = args->n_blocks;
        args->n_blocks += (word.list.n + KARG_BLOCK - 1) / KARG_BLOCK;
        args->n_lists++;
        lease->device->counters.transcoded_postings += word.list.n;
        status = rp__uploader_put(uploader, &word, sizeof word);
    }
    args->lists = to + args->n_lists * sizeof(karg_term);
    for (size_t i = 0; status == RP_OK && i < n; i++)
        if (lists[i].is_fresh && !lists[i].is_stored)
            status = rp__uploader_put(uploader, &lists[i].list, sizeof lists[i].list);
    return status;
}

/* Records of those that are read as they are stored. */
static rp_status send_stored(rp__lease *lease, const karg_build_tiled *made,
                             const rp__tiled_list *lists, size_t n, rp__cu_ptr to,
                             uint32_t *n_stored)
{
    rp_status status = rp__uploader_send(&lease->uploader);
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        const rp__tiled_list *t = &lists[i];
        const karg_or_stored record = {.term = t->word,
                                       .norms = made->norms,
                                       .cells = t->list.cells,
                                       .found = t->list.found,
                                       .n_docs = made->n_docs,
                                       .n_tiles = made->n_tiles};
        if (!is_read_stored(t))
            continue;
        if ((*n_stored)++ == 0)
            rp__uploader_begin(&lease->uploader, to);
        status = rp__uploader_put(&lease->uploader, &record, sizeof record);
    }
    return status == RP_OK ? rp__lease_upload(lease) : status;
}

static rp_status clear(rp__lease *lease, rp__cu_ptr at, uint64_t bytes)
{
    rp__device *device = lease->device;
    return rp__device_check(device,
                            device->driver->fill32(at, 0, bytes / sizeof(uint32_t), lease->stream));
}

/* Cells of lists that do not stay lie together. */
static rp_status clear_cells(rp__lease *lease, const rp__tiled_use *use,
                             const rp__tiled_list *lists, size_t n)
{
    const uint64_t each = zero_bytes(lease->residency);
    const rp__cu_ptr from = use->records + record_bytes(lists, n);
    rp__cu_ptr end = from;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        const rp__tiled_list *t = &lists[i];
        if (t->is_fresh && t->piece)
            status = clear(lease, t->list.cells, each);
        else if (t->is_fresh && t->list.cells + each > end)
            end = t->list.cells + each;
    }
    return status == RP_OK && end > from ? clear(lease, from, end - from) : status;
}

rp_status rp__tiled_lists_make(rp__lease *lease, const rp__tiled_use *use, const karg_norms *norms,
                               bool is_iiu, rp__tiled_list *lists, size_t n)
{
    const rp__residency *r = lease->residency;
    karg_build_tiled args = {.norms = *norms, .n_docs = r->n_docs, .n_tiles = n_tiles(r)};
    karg_build_cells cells = {.lists = use->records + made_record_bytes(n), .parts = CELL_PARTS};
    uint32_t n_stored = 0;
    rp_status status = send_records(lease, use->records, lists, n, &args);
    if (status == RP_OK)
        status = send_stored(lease, &args, lists, n, cells.lists, &n_stored);
    if (status == RP_OK)
        status = clear_cells(lease, use, lists, n);
    const rp__launch of_cells = {.grid = n_stored * CELL_PARTS, .block = 32 * WARPS};
    if (status == RP_OK)
        status = rp__device_launch_on(lease->device, lease->stream, RP_KERNEL_build_cells_kernel,
                                      of_cells, &cells);
    rp__launch how = {.grid = (args.n_blocks + WARPS - 1) / WARPS,
                      .block = 32 * WARPS,
                      .shared = WARPS * 2 * KARG_BLOCK * sizeof(uint32_t)};
    const rp__kernel_id kernel = rp__kernel_table_scoring(RP_KERNEL_build_tiled_kernel, is_iiu);
    return status == RP_OK ? rp__device_launch_on(lease->device, lease->stream, kernel, how, &args)
                           : status;
}

void rp__tiled_lists_publish(rp__lease *lease, const rp__tiled_use *use,
                             const rp__tiled_list *lists, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const rp__tiled_list *t = &lists[i];
        rp__resident made = {.key = rp__residency_key(t->term, RP_USE_TILED),
                             .piece = t->piece,
                             .n = t->list.n,
                             .norms = use->norms,
                             .repr = RP_REPR_TILED,
                             .list.tiled = t->list};
        memcpy(made.kths, t->kths, sizeof made.kths);
        if (t->piece)
            (void)rp__lease_publish(lease, &(const rp__resident *){&made}, 1);
    }
}
