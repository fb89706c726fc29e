/* device_heap.c: one range of device memory as pieces that lie end to end.
 *
 * Invariants: 1 pieces cover the whole range, in the order of their addresses, and no two free ones are neighbours; 2 a
 * piece is in the chain of its size class exactly while it is free; 3 what is not free never has more bytes than the
 * range, so a budget that is the range cannot be passed. */
#include "backend/gpu/residency/device_heap.h"

#include "base/alloc.h"
#include "base/bits.h"

enum {
    BLOCK = 256,  /* records of pieces that are allocated at a time */
    TRIES = 8,    /* holes of about the right size that are looked at */
    WINDOWS = 64, /* runs that an eviction compares, where there are so many */
    LIVES = 8,    /* touches a kept piece, on average, before all are halved */
    MIN_LIVES = 64,
    FLOOR = 16,    /* the unit of the floor */
    LOOKS = 16,    /* one of so many that offer too little looks all the same */
    HALVE_OF = 16, /* counters to a touch, at most, before that: halving reads them all */
};

/* ---- Records ------------------------------------------------------------------------------------- */

static bool add_records(rp__device_heap *h)
{
    rp__piece *block = rp__alloc_zero(BLOCK, sizeof *block);
    if (!block || !rp__alloc_grow(&h->blocks, &h->cap_blocks, h->n_blocks + 1, sizeof block)) {
        rp__free(block);
        return false;
    }
    h->blocks[h->n_blocks++] = block;
    for (size_t i = 0; i < BLOCK; i++) {
        block[i].next = h->unused;
        h->unused = &block[i];
    }
    return true;
}

static rp__piece *new_record(rp__device_heap *h)
{
    if (!h->unused && !add_records(h))
        return NULL;
    rp__piece *p = h->unused;
    h->unused = p->next;
    p->before = p->after = p->previous = p->next = NULL;
    p->state =
        RP_PIECE_FREE; /* the rest is set when it is kept; readers may still mark it as used */
    return p;
}

static void drop_record(rp__device_heap *h, rp__piece *p)
{
    p->next = h->unused;
    h->unused = p;
}

/* ---- Holes --------------------------------------------------------------------------------------- */

static uint32_t class_of(uint64_t bytes)
{
    return rp__bits_width64(bytes / RP_DEVICE_HEAP_GRAIN) - 1;
}

static void link_hole(rp__device_heap *h, rp__piece *p)
{
    rp__piece **first = &h->holes[class_of(p->bytes)];
    p->state = RP_PIECE_FREE;
    p->previous = NULL;
    p->next = *first;
    if (*first)
        (*first)->previous = p;
    *first = p;
}

static void unlink_hole(rp__device_heap *h, rp__piece *p)
{
    if (p->previous)
        p->previous->next = p->next;
    else
        h->holes[class_of(p->bytes)] = p->next;
    if (p->next)
        p->next->previous = p->previous;
    p->previous = p->next = NULL;
}

/* Takes the piece behind it in; neither is in a chain. */
static void merge(rp__device_heap *h, rp__piece *p)
{
    rp__piece *gone = p->after;
    p->bytes += gone->bytes;
    p->after = gone->after;
    if (p->after)
        p->after->before = p;
    if (h->hand == gone)
        h->hand = p;
    drop_record(h, gone);
}

/* Cuts a piece that is in no chain; the rest, if there is one, becomes free. */
static bool cut(rp__device_heap *h, rp__piece *p, uint64_t bytes)
{
    if (p->bytes == bytes)
        return true;
    rp__piece *rest = new_record(h);
    if (!rest)
        return false;
    rest->at = p->at + bytes;
    rest->bytes = p->bytes - bytes;
    rest->before = p;
    rest->after = p->after;
    if (p->after)
        p->after->before = rest;
    p->after = rest;
    p->bytes = bytes;
    if (rest->after && rest->after->state == RP_PIECE_FREE) {
        unlink_hole(h, rest->after);
        merge(h, rest);
    }
    link_hole(h, rest);
    return true;
}

static rp__piece *find_hole(const rp__device_heap *h, uint64_t bytes)
{
    uint32_t size = class_of(bytes), tries = TRIES;
    rp__piece *best = NULL;
    for (rp__piece *p = h->holes[size]; p && tries-- > 0; p = p->next)
        if (p->bytes >= bytes && (!best || p->bytes < best->bytes))
            best = p;
    while (!best && ++size < RP_DEVICE_HEAP_CLASSES)
        best = h->holes[size];
    if (best) /* else one of about the size may be further down */
        return best;
    for (rp__piece *p = h->holes[class_of(bytes)]; p && !best; p = p->next)
        best = p->bytes >= bytes ? p : NULL;
    return best;
}

/* ---- Opening and closing ------------------------------------------------------------------------- */

bool rp__device_heap_open(rp__device_heap *h, uint64_t base, uint64_t bytes, size_t lists,
                          rp__device_heap_owner owner)
{
    bytes = bytes / RP_DEVICE_HEAP_GRAIN * RP_DEVICE_HEAP_GRAIN;
    *h = (rp__device_heap){.base = base, .bytes = bytes, .owner = owner};
    bool is_open = rp__admission_open(&h->touches, lists) && add_records(h);
    rp__piece *all = is_open && bytes > 0 ? new_record(h) : NULL;
    if (all) {
        all->at = base;
        all->bytes = bytes;
        h->first = h->hand = all;
        link_hole(h, all);
    }
    if (!is_open)
        rp__device_heap_close(h);
    return is_open;
}

void rp__device_heap_close(rp__device_heap *h)
{
    for (size_t i = 0; i < h->n_blocks; i++)
        rp__free(h->blocks[i]);
    rp__free(h->blocks);
    rp__admission_close(&h->touches);
    *h = (rp__device_heap){0};
}

/* ---- Taking and giving --------------------------------------------------------------------------- */

static void count_in(rp__device_heap *h, uint64_t bytes)
{
    h->in_use += bytes;
    if (h->in_use > h->stats.peak)
        h->stats.peak = h->in_use;
}

static uint64_t grains(uint64_t bytes)
{
    return rp__bits_align(bytes > 0 ? bytes : 1, RP_DEVICE_HEAP_GRAIN);
}

rp__piece *rp__device_heap_take(rp__device_heap *h, uint64_t bytes)
{
    if (bytes > h->bytes)
        return NULL;
    bytes = grains(bytes);
    rp__piece *p = find_hole(h, bytes);
    if (!p)
        return NULL;
    unlink_hole(h, p);
    if (!cut(h, p, bytes)) {
        link_hole(h, p);
        return NULL;
    }
    p->state = RP_PIECE_TAKEN;
    atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
    count_in(h, p->bytes);
    return p;
}

void rp__device_heap_trim(rp__device_heap *h, rp__piece *p, uint64_t bytes)
{
    uint64_t before = p->bytes;
    if (cut(h, p, grains(bytes)))
        h->in_use -= before - p->bytes;
}

void rp__device_heap_keep(rp__device_heap *h, rp__piece *p, uint64_t key, uint32_t cost,
                          void *owner)
{
    p->state = RP_PIECE_KEPT;
    p->key = key;
    p->cost = cost;
    p->owner = owner;
    atomic_store_explicit(&p->used, 0, memory_order_relaxed);
    h->n_kept++;
}

void rp__device_heap_give(rp__device_heap *h, rp__piece *p)
{
    h->in_use -= p->bytes;
    h->n_kept -= p->state == RP_PIECE_KEPT;
    if (p->after && p->after->state == RP_PIECE_FREE) {
        unlink_hole(h, p->after);
        merge(h, p);
    }
    if (p->before && p->before->state == RP_PIECE_FREE) {
        p = p->before;
        unlink_hole(h, p);
        merge(h, p);
    }
    link_hole(h, p);
}

/* ---- Eviction ------------------------------------------------------------------------------------ */

void rp__device_heap_touch(rp__device_heap *h, uint64_t key)
{
    rp__admission_add(&h->touches, key);
}

/* Old use is forgotten. */
static void age(rp__device_heap *h)
{
    const size_t kept = h->n_kept > MIN_LIVES ? h->n_kept : MIN_LIVES;
    const uint64_t since = atomic_load_explicit(&h->touches.since, memory_order_relaxed);
    if (since >= LIVES * kept && since >= h->touches.n / HALVE_OF)
        rp__admission_halve(&h->touches);
}

uint64_t rp__device_heap_value(const rp__device_heap *h, uint64_t key, uint32_t cost,
                               uint64_t bytes)
{
    return (uint64_t)rp__admission_get(&h->touches, key) * cost * bytes;
}

/* Of scratch, its key is what it is worth. */
static uint64_t known_price(const rp__device_heap *h, const rp__piece *p)
{
    if (p->state == RP_PIECE_FREE)
        return 0;
    return p->cost == 0 ? p->key : rp__device_heap_value(h, p->key, p->cost, p->bytes);
}

/* False: it must not go. One that was used since the last look counts as touched. */
static bool price_of(rp__device_heap *h, rp__piece *p, rp__device_heap_spared spared,
                     uint64_t *price)
{
    const uint64_t mark = atomic_load_explicit(&p->mark, memory_order_relaxed);
    *price = 0;
    if (p->state == RP_PIECE_FREE)
        return true;
    if (p->state == RP_PIECE_TAKEN || mark >= spared.from || p->found == spared.found)
        return false;
    if (atomic_exchange_explicit(&p->used, 0, memory_order_relaxed))
        rp__device_heap_touch(h, p->key);
    *price = known_price(h, p);
    return true;
}

/* Neighbours from `first` to `last`, and what they are worth; as large as wanted once bytes are. */
typedef struct window {
    rp__piece *first, *last;
    uint64_t bytes, price;
} window;

/* Without pieces at its beginning that it need not have. */
static void shrink(const rp__device_heap *h, window *w, uint64_t bytes)
{
    while (w->first != w->last && w->bytes - w->first->bytes >= bytes) {
        uint64_t price = known_price(h, w->first);
        w->bytes -= w->first->bytes;
        w->price = w->price > price ? w->price - price : 0;
        w->first = w->first->after;
    }
}

/* Slides over all pieces from the hand on, and once around. */
static window find_run(rp__device_heap *h, uint64_t bytes, rp__device_heap_spared spared)
{
    window best = {0}, w = {0};
    rp__piece *p = h->hand;
    uint32_t n = 0;
    bool is_around = false;
    while (p && (n < WINDOWS || !best.first)) {
        uint64_t price;
        bool may_go = price_of(h, p, spared, &price);
        if (!may_go)
            w = (window){0};
        else if (!w.first)
            w = (window){.first = p};
        if (may_go) {
            w.last = p;
            w.bytes += p->bytes;
            w.price += price;
        }
        if (w.first && w.bytes >= bytes) {
            shrink(h, &w, bytes);
            n++;
            if (!best.first || w.price < best.price)
                best = w;
        }
        h->hand = p;
        p = p->after;
        if (!p && !is_around) { /* the run that was begun ends with the range */
            p = h->first;
            w = (window){0};
            is_around = true;
        }
    }
    return best;
}

/* Whether it is not worth looking for a run: that takes longer than all else. */
static bool is_hopeless(rp__device_heap *h, uint64_t bytes, uint64_t value)
{
    if (value / bytes >= h->floor / FLOOR || value > UINT64_MAX / FLOOR)
        return false;
    return ++h->n_passed % LOOKS != 0;
}

rp__piece *rp__device_heap_evict(rp__device_heap *h, uint64_t bytes, uint64_t value,
                                 rp__device_heap_spared spared)
{
    if (bytes > h->bytes)
        return NULL;
    if (is_hopeless(h, bytes, value))
        return NULL;
    age(h);
    window w = find_run(h, grains(bytes), spared);
    if (w.first)
        h->floor = (3 * h->floor + FLOOR * (w.price / w.bytes)) / 4;
    if (!w.first || w.price >= value)
        return NULL;
    rp__piece *end = w.last->after;
    uint64_t largest = 0;
    for (rp__piece *p = w.first; p != end; p = p->after) {
        if (p->state == RP_PIECE_FREE) {
            unlink_hole(h, p);
            count_in(h, p->bytes);
            continue;
        }
        h->n_kept--;
        h->stats.evicted++;
        h->stats.evicted_bytes += p->bytes;
        h->owner.evict(h->owner.arg, p);
        uint64_t its = atomic_load_explicit(&p->mark, memory_order_seq_cst);
        largest = its > largest ? its : largest;
    }
    while (w.first->after != end)
        merge(h, w.first);
    w.first->state = RP_PIECE_TAKEN;
    atomic_store_explicit(&w.first->mark, largest, memory_order_relaxed);
    return w.first;
}
