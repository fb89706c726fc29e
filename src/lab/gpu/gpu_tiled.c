/* gpu_tiled.c: a table of lists laid out by tiles, and the memory they lie in, which is given out from its
 * beginning to its end and then from its beginning again. Kernels that still read what was there run before
 * those that write it, because all are asked for on one stream. */
#include "lab/gpu/gpu_tiled.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { ALIGN = 256, WARPS = 8, SLOTS_LEAST = 1024 };

void rp__gpu_tiled_open(rp__gpu_tiled *tiled, rp__device *device, karg_norms norms, uint32_t n_docs,
                        size_t most)
{
    *tiled = (rp__gpu_tiled){.device = device, .norms = norms, .n_docs = n_docs, .most = most};
    tiled->n_tiles = ((n_docs - 1) >> KARG_OR_TILE) + 1;
}

static void free_stage(rp__gpu_tiled *tiled)
{
    if (tiled->stage)
        tiled->device->driver->host_free(tiled->stage);
    rp__device_free(tiled->device, tiled->records);
    tiled->stage = NULL;
    tiled->records = 0;
    tiled->stage_bytes = 0;
}

void rp__gpu_tiled_close(rp__gpu_tiled *tiled)
{
    if (!tiled->device)
        return;
    free_stage(tiled);
    rp__device_free(tiled->device, tiled->room);
    if (tiled->sent)
        tiled->device->driver->event_destroy(tiled->sent);
    rp__free(tiled->slots);
    *tiled = (rp__gpu_tiled){0};
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Where the key is, or goes. */
static rp__gpu_tiled_slot *find(const rp__gpu_tiled *tiled, uint64_t key)
{
    size_t mask = tiled->n_slots - 1,
           at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
    while (tiled->slots[at].key != 0 && tiled->slots[at].key != key)
        at = (at + 1) & mask;
    return &tiled->slots[at];
}

static rp_status grow_table(rp__gpu_tiled *tiled, size_t more)
{
    rp__gpu_tiled old = *tiled;
    size_t n = old.n_slots ? old.n_slots : SLOTS_LEAST;
    while (n < 2 * (old.n_lists + more))
        n *= 2;
    if (n == old.n_slots)
        return RP_OK;
    rp__gpu_tiled_slot *slots = rp__alloc_zero(n, sizeof *slots);
    if (!slots)
        return RP_NO_MEMORY;
    tiled->slots = slots;
    tiled->n_slots = n;
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].key)
            *find(tiled, old.slots[i].key) = old.slots[i];
    rp__free(old.slots);
    return RP_OK;
}

static void forget_all(rp__gpu_tiled *tiled)
{
    memset(tiled->slots, 0, tiled->n_slots * sizeof *tiled->slots);
    tiled->n_lists = 0;
    tiled->used = 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What is 0 at first: cells, and what was found out about the list's bytes. */
static size_t zero_bytes(const rp__gpu_tiled *tiled)
{
    return rp__bits_align((tiled->n_tiles + (size_t)1) * sizeof(karg_cell) + sizeof(karg_found),
                          ALIGN);
}
static size_t array_bytes(uint32_t n, size_t each)
{
    return rp__bits_align(n * each + 16, ALIGN);
}
static size_t list_bytes(const rp__gpu_tiled *tiled, uint32_t n)
{
    return zero_bytes(tiled) + array_bytes(n, sizeof(uint16_t)) + array_bytes(n, sizeof(float));
}

/* Lists that are to be laid out, in the order of the table's slots that were made for them. */
typedef struct fresh {
    karg_term *words;
    karg_tiled *lists;
    uint32_t n, n_blocks;
    uint64_t postings;
    size_t bytes;
} fresh;

static rp_status make_stage(rp__gpu_tiled *tiled, size_t n)
{
    const rp__driver *driver = tiled->device->driver;
    size_t bytes = n * (sizeof(karg_term) + sizeof(karg_tiled));
    void *stage = NULL;
    rp_status status = RP_OK;
    if (!tiled->sent)
        status = rp__device_check(tiled->device, driver->event_create(&tiled->sent, 0));
    else
        status = rp__device_wait_event(tiled->device, tiled->sent);
    if (status != RP_OK || bytes <= tiled->stage_bytes)
        return status;
    free_stage(tiled);
    status = rp__device_pin(tiled->device, 2 * bytes, 0, &stage);
    tiled->stage = stage;
    if (status == RP_OK)
        status = rp__device_alloc(tiled->device, 2 * bytes, &tiled->records);
    if (status == RP_OK)
        tiled->stage_bytes = 2 * bytes;
    return status;
}

/* ---- Laying out ------------------------------------------------------------------------------ */

/* Slots of lists that are not there yet, each once; their arrays have no place so far. */
static fresh collect(rp__gpu_tiled *tiled, const rp__gpu_tiled_want *want, size_t n)
{
    fresh f = {.words = (karg_term *)(void *)tiled->stage};
    f.lists = (karg_tiled *)(void *)(f.words + n);
    for (size_t i = 0; i < n; i++) {
        rp__gpu_tiled_slot *slot = find(tiled, want[i].key);
        if (slot->key)
            continue;
        *slot = (rp__gpu_tiled_slot){want[i].key, {.n = want[i].word.list.n}};
        tiled->n_lists++;
        f.words[f.n] = want[i].word;
        f.words[f.n].before = f.n_blocks;
        f.lists[f.n] = slot->list;
        f.n_blocks += (slot->list.n + KARG_BLOCK - 1) / KARG_BLOCK;
        f.postings += slot->list.n;
        f.bytes += list_bytes(tiled, slot->list.n);
        slot->list.zero = ++f.n; /* for place() */
    }
    return f;
}

/* Cells of all come first, so that one fill clears them. */
static void place(rp__gpu_tiled *tiled, fresh *f)
{
    rp__cu_ptr cells = tiled->room + tiled->used, at = cells + f->n * zero_bytes(tiled);
    for (uint32_t i = 0; i < f->n; i++, cells += zero_bytes(tiled)) {
        karg_tiled *list = &f->lists[i];
        list->cells = cells;
        list->found = cells + zero_bytes(tiled) - sizeof(karg_found);
        list->places = at;
        list->ratios = at + array_bytes(list->n, sizeof(uint16_t));
        at = list->ratios + array_bytes(list->n, sizeof(float));
    }
    tiled->used += f->bytes;
}

static rp_status launch(rp__gpu_tiled *tiled, const fresh *f, size_t n)
{
    rp__device *device = tiled->device;
    const size_t words = n * sizeof(karg_term), all = words + f->n * sizeof(karg_tiled);
    karg_build_tiled args = {.terms = tiled->records,
                             .lists = tiled->records + words,
                             .norms = tiled->norms,
                             .n_lists = f->n,
                             .n_blocks = f->n_blocks,
                             .n_docs = tiled->n_docs,
                             .n_tiles = tiled->n_tiles};
    rp__launch how = {.grid = (f->n_blocks + WARPS - 1) / WARPS,
                      .block = 32 * WARPS,
                      .shared = WARPS * 2 * KARG_BLOCK * sizeof(uint32_t)};
    rp_status status = rp__device_copy_in(device, tiled->records, tiled->stage, all);
    if (status == RP_OK)
        status =
            rp__device_check(device, device->driver->event_record(tiled->sent, device->stream));
    if (status == RP_OK)
        status = rp__device_fill(device, f->lists[0].cells, 0, f->n * zero_bytes(tiled) / 4);
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_build_tiled_kernel, how, &args);
    device->counters.transcoded_postings += status == RP_OK ? f->postings : 0;
    return status;
}

/* Slots know where their lists are once these have a place. */
static void tell(rp__gpu_tiled *tiled, const rp__gpu_tiled_want *want, size_t n, const fresh *f,
                 karg_tiled *out)
{
    for (size_t i = 0; i < n; i++) {
        karg_tiled *list = &find(tiled, want[i].key)->list;
        if (list->zero && f->lists)
            *list = f->lists[list->zero - 1];
        out[i] = *list;
    }
}

static bool are_there(const rp__gpu_tiled *tiled, const rp__gpu_tiled_want *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (find(tiled, want[i].key)->key == 0)
            return false;
    return true;
}

static rp_status make_room(rp__gpu_tiled *tiled, size_t n)
{
    rp_status status = RP_OK;
    if (!tiled->room)
        status = rp__device_alloc(tiled->device, tiled->most, &tiled->room);
    return status == RP_OK ? make_stage(tiled, n) : status;
}

rp_status rp__gpu_tiled_get(rp__gpu_tiled *tiled, const rp__gpu_tiled_want *want, size_t n,
                            karg_tiled *out)
{
    fresh f = {0};
    rp_status status = grow_table(tiled, n);
    if (status == RP_OK && are_there(tiled, want, n)) {
        tell(tiled, want, n, &f, out);
        return RP_OK;
    }
    if (status == RP_OK)
        status = make_room(tiled, n);
    if (status != RP_OK)
        return status;
    f = collect(tiled, want, n);
    if (f.bytes > tiled->most - tiled->used) {
        forget_all(tiled);
        f = collect(tiled, want, n);
    }
    if (f.bytes <= tiled->most) {
        place(tiled, &f);
        status = f.n ? launch(tiled, &f, n) : RP_OK;
        tell(tiled, want, n, &f, out);
    } else {
        status = RP_NO_MEMORY;
    }
    if (status != RP_OK)
        forget_all(tiled);
    return status;
}
