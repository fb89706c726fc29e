/* stored_lists.c: stored lists while a query needs them.
 *
 * Invariants: 1 no lock is held while mapped memory is read: the guard would leave with it; 2 a piece is the lease's before
 * it is filled, so that wherever the guard leaves, the lease gives it back; 3 it is found by others only once the host
 * has seen that its bytes are there. Two that want the same list at the same time may both upload it: nobody waits for
 * somebody whom the guard may have called away. */
#include "backend/gpu/residency/stored_lists.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "backend/gpu/residency/list_checks.h"
#include "base/bits.h"

enum { ALIGN = 16 };

/* ---- Addresses ---------------------------------------------------------------------------------- */

/* The list's bytes, then its karg_term. */
static uint64_t word_at(const rp__term *term)
{
    return rp__bits_align(term->list_bytes + RP_PAD, ALIGN);
}

uint64_t rp__stored_lists_bytes(const rp__term *term)
{
    return word_at(term) + sizeof(karg_term);
}

/* 0 of NULL, and of what is not inside. */
static uint64_t part_at(const uint8_t *list, uint64_t bytes, const void *part, rp__cu_ptr at)
{
    const uint8_t *p = part;
    return p && p >= list && p <= list + bytes ? at + (uint64_t)(p - list) : 0;
}

karg_list rp__stored_lists_at(const rp__residency *r, const rp__list *list, const rp__term *term,
                              rp__cu_ptr at)
{
    const uint8_t *from = r->lists + term->list_offset;
    const uint64_t bytes = term->list_bytes;
    karg_list out = rp__gpu_index_sizes(list);
    out.docs = part_at(from, bytes, list->docs, at);
    out.freqs = part_at(from, bytes, list->freqs, at);
    out.last = part_at(from, bytes, list->last, at);
    out.last_far = part_at(from, bytes, list->last_far, at);
    out.offsets = rp__gpu_index_offsets(part_at(from, bytes, list->offsets, at),
                                        part_at(from, bytes, list->near_offsets, at));
    out.freq_offsets = rp__gpu_index_offsets(part_at(from, bytes, list->freq_offsets, at),
                                             part_at(from, bytes, list->near_freqs, at));
    out.first = part_at(from, bytes, list->first, at);
    out.bounds = part_at(from, bytes, list->bounds, at);
    return out;
}

/* ---- What is there already ---------------------------------------------------------------------- */

static bool find_one(rp__lease *lease, rp__stored_list *s)
{
    const rp__resident *e = rp__lease_find(lease, rp__residency_key(s->term, RP_USE_STORED), 0);
    s->piece = NULL;
    s->twin = NULL;
    s->is_taken = false;
    if (!e)
        return false;
    s->piece = e->piece;
    s->made.at = e->at;
    /* by the entry, which stays as it is: the piece may be evicted, and its record another's */
    s->at = rp__stored_lists_at(lease->residency, s->list, s->term, e->at - word_at(s->term));
    return true;
}

rp_status rp__stored_lists_find(const rp__gpu_index *index, rp__lease *lease,
                                rp__stored_list *lists, size_t n)
{
    bool is_sound = true, is_there = true;
    for (size_t i = 0; i < n; i++)
        if (index->residency->is_whole)
            is_sound = rp__gpu_index_list(index, lists[i].list, &lists[i].at) && is_sound;
        else
            is_there = find_one(lease, &lists[i]) && is_there;
    return !is_sound ? RP_DAMAGED : is_there ? RP_OK : RP_NOT_FOUND;
}

/* ---- Some blocks of a list ----------------------------------------------------------------------- */

static bool can_be_partial(const rp__stored_list *s, const rp__list *among)
{
    return among && !s->whole && !s->piece && rp__partial_list_can(s->list) &&
           s->list->docs != among->docs && among->n <= s->list->n_blocks;
}

static rp_status read_docids(const rp__list *among, rp__arena *arena, const uint32_t **out)
{
    uint32_t *docids = rp__arena_array(arena, (size_t)among->n + RP_BLOCK_CAPACITY, sizeof *docids);
    *out = docids;
    return docids ? rp__list_decode(among, docids, NULL) : RP_NO_MEMORY;
}

/* Counts that it was used. */
static bool is_new(rp__residency *r, const rp__stored_list *s)
{
    uint64_t key = rp__residency_key(s->term, RP_USE_STORED);
    rp__device_heap_touch(&r->heap, key);
    return rp__admission_get(&r->heap.touches, key) <= 1;
}

/* That its directory is damaged is remembered. */
static rp_status plan_blocks(rp__residency *r, rp__stored_list *s, const uint32_t *docids,
                             uint32_t n, rp__arena *arena)
{
    rp_status status = rp__partial_list_plan(&s->partial, s->list, true, docids, n, arena);
    if (status == RP_DAMAGED)
        rp__list_checks_keep(r, s->term, RP_VERDICT_DAMAGED);
    return status;
}

rp_status rp__stored_lists_plan(rp__lease *lease, rp__stored_list *lists, size_t n,
                                const rp__list *among, rp__arena *arena)
{
    const uint32_t *docids = NULL;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        rp__stored_list *s = &lists[i];
        s->is_new = is_new(lease->residency, s);
        s->is_partial = can_be_partial(s, among);
        if (!s->is_partial)
            continue;
        if (!docids) {
            status = read_docids(among, arena, &docids);
            rp__gpu_list_count_decoded(among, &lease->device->counters);
        }
        if (status == RP_OK)
            status = plan_blocks(lease->residency, s, docids, among->n, arena);
        s->is_partial = status == RP_OK;
        status = status == RP_NOT_FOUND ? RP_OK : status; /* it is not worth it */
    }
    return status;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

/* A term may be there twice. */
static bool find_twin(rp__stored_list *lists, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (k != i && lists[k].is_taken && lists[k].term->list_offset == lists[i].term->list_offset)
            lists[i].twin = &lists[k];
    return lists[i].twin;
}

static uint64_t bytes_of(const rp__stored_list *s)
{
    return rp__bits_align(s->is_partial ? s->partial.bytes : rp__stored_lists_bytes(s->term),
                          RP_DEVICE_HEAP_GRAIN);
}

/* As a whole, if it is worth it, or else, whole or some blocks, for this launch alone. */
static rp_status take_one(rp__lease *lease, rp__stored_list *s, rp__cu_ptr *at)
{
    uint64_t key = rp__residency_key(s->term, RP_USE_STORED);
    rp_status status = RP_NO_MEMORY;
    if (!(s->is_partial && s->is_new))
        status = rp__lease_take(lease, rp__stored_lists_bytes(s->term), RP_NEED_WORTH, key,
                                rp__reprs[RP_REPR_STORED].cost, &s->piece);
    s->is_admitted = status == RP_OK;
    s->is_partial = s->is_partial && !s->is_admitted;
    s->is_taken = s->is_admitted || status == RP_NO_MEMORY;
    s->place = s->piece ? s->piece->at : *at;
    if (status != RP_NO_MEMORY)
        return status;
    *at += bytes_of(s);
    return RP_OK;
}

/* Of those that are not there; n: all are. */
static size_t longest_of(const rp__stored_list *lists, size_t n)
{
    size_t longest = n;
    for (size_t i = 0; i < n; i++)
        if (!lists[i].piece && !lists[i].is_taken && !lists[i].twin &&
            (longest == n || lists[i].term->list_bytes > lists[longest].term->list_bytes))
            longest = i;
    return longest;
}

/* Those that are there are found first, so that none of them is evicted for another. */
uint64_t rp__stored_lists_need(rp__lease *lease, rp__stored_list *lists, size_t n)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += find_one(lease, &lists[i]) ? 0 : bytes_of(&lists[i]);
    return bytes;
}

/* The longest first, while there are long runs. */
rp_status rp__stored_lists_take(rp__lease *lease, rp__stored_list *lists, size_t n, rp__cu_ptr *at)
{
    const rp__residency *r = lease->residency;
    rp_status status = RP_OK;
    for (size_t i; status == RP_OK && (i = longest_of(lists, n)) < n;) {
        rp__stored_list *s = &lists[i];
        if (!find_twin(lists, n, i)) {
            status = take_one(lease, s, at);
            continue;
        }
        s->place = s->twin->place;
        s->is_partial = s->twin->is_partial;
        s->at = rp__stored_lists_at(r, s->list, s->term, s->place);
    }
    return status;
}

/* ---- Bytes -------------------------------------------------------------------------------------- */

/* The list as it is, and its karg_term, which only kernels of batches read. */
static rp_status put_whole(rp__lease *lease, rp__uploader *uploader, rp__stored_list *s)
{
    static const uint8_t zeros[RP_PAD + ALIGN];
    const uint64_t bytes = s->term->list_bytes;
    s->at = rp__stored_lists_at(lease->residency, s->list, s->term, s->place);
    s->made = (rp__resident){.key = rp__residency_key(s->term, RP_USE_STORED),
                             .at = s->place + word_at(s->term),
                             .piece = s->piece,
                             .n = s->list->n,
                             .repr = RP_REPR_STORED};
    s->made.reads = rp__gpu_list_reads(s->list, &s->at, &s->made.list.word);
    if (s->list->kths)
        memcpy(s->made.kths, s->list->kths, sizeof s->made.kths);
    rp__uploader_begin(uploader, s->place);
    rp_status status =
        rp__uploader_put(uploader, lease->residency->lists + s->term->list_offset, bytes);
    if (status == RP_OK)
        status = rp__uploader_put(uploader, zeros, word_at(s->term) - bytes);
    if (status == RP_OK)
        status = rp__uploader_put(uploader, &s->made.list.word, sizeof(karg_term));
    return status == RP_OK ? rp__uploader_send(uploader) : status;
}

rp_status rp__stored_lists_put(rp__lease *lease, rp__stored_list *s, rp__arena *arena)
{
    rp__uploader *uploader;
    rp__residency *r = lease->residency;
    if (!s->is_taken)
        return RP_OK;
    rp_status status = rp__lease_uploader(lease, &uploader);
    uint64_t before = uploader->bytes;
    if (status == RP_OK)
        status = s->is_partial
                     ? rp__partial_list_put(&s->partial, uploader, s->place, arena, &s->at)
                     : put_whole(lease, uploader, s);
    atomic_fetch_add_explicit(&r->stats.uploaded, uploader->bytes - before, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->stats.partial, s->is_partial, memory_order_relaxed);
    return status;
}

rp_status rp__stored_lists_fill(rp__lease *lease, rp__stored_list *lists, size_t n,
                                rp__arena *arena)
{
    rp_status status = RP_OK;
    bool is_any = false;
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        is_any = is_any || lists[i].is_taken;
        status = rp__stored_lists_put(lease, &lists[i], arena);
    }
    for (size_t i = 0; status == RP_OK && i < n; i++)
        if (lists[i].twin)
            lists[i].at = lists[i].twin->at;
    return status == RP_OK && is_any ? rp__lease_upload(lease) : status;
}

void rp__stored_lists_publish(rp__lease *lease, const rp__stored_list *lists, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const rp__stored_list *s = &lists[i];
        if (s->is_taken && s->is_admitted)
            (void)rp__lease_publish(lease, &(const rp__resident *){&s->made}, 1);
    }
}
