/* term_table.c: entries of the dictionary that were found before, by a hash of the term: one line of the cache each.
 *
 * The dictionary is small and slow: a term costs it a search and half a block of entries to be taken apart. Who asks many
 * queries asks for the same terms again, and from many threads. A slot is written once, by the thread that took it,
 * and read by all after it is seen to be ready; none is ever given back, and where all slots that a term may have are
 * taken the dictionary is asked. Terms that are longer than a slot has room for, or unknown, are not kept. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "index/format.h"
#include "index/segment.h"

enum {
    PLACES = 4, /* slots, side by side, that a term may have */
    SLOTS_LEAST = 1 << 8,
    EMPTY = 0,
    TAKEN = 1,
    READY = 2,
    TEXT = 16, /* bytes of a term */
};

/* The term, filled with zeros. */
typedef struct key {
    uint64_t low, high;
} key;

typedef struct slot {
    _Atomic uint8_t state;
    uint8_t bytes; /* of the term */
    bool is_tiny;
    uint32_t df;
    uint32_t at_bytes; /* of the list, by RP_LIST_UNIT; of tiny postings */
    uint64_t cf;
    union {
        uint64_t offset; /* of the list */
        const uint8_t *tiny;
    } at;
    uint64_t pos_offset, pos_bytes;
    key key;
} slot;
_Static_assert(sizeof(slot) == 64, "a line of the cache");

struct rp__term_table {
    slot *slots;
    size_t n; /* a power of two, and PLACES more */
    uint32_t shift;
};

rp_status rp__term_table_new(const rp__segment *segment, size_t max_bytes, rp__term_table **out)
{
    rp__term_table *t = rp__alloc_zero(1, sizeof *t);
    *out = t;
    if (!t)
        return RP_NO_MEMORY;
    size_t n = SLOTS_LEAST;
    for (t->shift = 56; n * sizeof(slot) < max_bytes && n / 2 < segment->info.terms; t->shift--)
        n *= 2;
    t->n = n + PLACES;
    t->slots = rp__alloc_random(t->n, sizeof *t->slots);
    if (!t->slots) {
        rp__term_table_free(t);
        *out = NULL;
        return RP_NO_MEMORY;
    }
    return RP_OK;
}

void rp__term_table_free(rp__term_table *t)
{
    if (!t)
        return;
    rp__free_random(t->slots, t->n, sizeof *t->slots);
    rp__free(t);
}

static uint64_t load_up_to_8(const uint8_t *p, size_t n)
{
    if (n == 8)
        return rp__load64(p);
    if (n >= 4)
        return rp__load32(p) | (uint64_t)rp__load32(p + n - 4) << (8 * (n - 4));
    return n == 0
               ? 0
               : p[0] | (uint64_t)p[n / 2] << (8 * (n / 2)) | (uint64_t)p[n - 1] << (8 * (n - 1));
}

/* Of 1 to TEXT bytes. */
static key key_of(const char *term, size_t bytes)
{
    const uint8_t *p = (const uint8_t *)term;
    size_t low = bytes < 8 ? bytes : 8;
    return (key){load_up_to_8(p, low), load_up_to_8(p + low, bytes - low)};
}

/* The first of the slots that it may have. */
static slot *place_of(const rp__term_table *t, key k)
{
    uint64_t h = k.low * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32 ^ k.high) * UINT64_C(0xD6E8FEB86659FD93);
    return &t->slots[h >> t->shift];
}

static void read_slot(const slot *s, rp__term *out)
{
    *out = (rp__term){.df = s->df, .cf = s->cf};
    if (s->is_tiny) {
        out->tiny = s->at.tiny;
        out->tiny_bytes = s->at_bytes;
        return;
    }
    out->list_offset = s->at.offset;
    out->list_bytes = (uint64_t)s->at_bytes * RP_LIST_UNIT;
    out->pos_offset = s->pos_offset;
    out->pos_bytes = s->pos_bytes;
}

static void write_slot(slot *s, key k, size_t bytes, const rp__term *term)
{
    s->bytes = (uint8_t)bytes;
    s->is_tiny = term->tiny != NULL;
    s->df = term->df;
    s->cf = term->cf;
    s->key = k;
    s->pos_offset = term->pos_offset;
    s->pos_bytes = term->pos_bytes;
    if (term->tiny) {
        s->at.tiny = term->tiny;
        s->at_bytes = term->tiny_bytes;
    } else {
        s->at.offset = term->list_offset;
        s->at_bytes = (uint32_t)(term->list_bytes / RP_LIST_UNIT);
    }
}

/* Another thread may keep the same term beside this one: then it is there twice. */
static void keep(slot *first, key k, size_t bytes, const rp__term *term)
{
    for (slot *s = first; s < first + PLACES; s++) {
        uint8_t state = EMPTY;
        if (!atomic_compare_exchange_strong_explicit(&s->state, &state, TAKEN, memory_order_relaxed,
                                                     memory_order_relaxed))
            continue;
        write_slot(s, k, bytes, term);
        atomic_store_explicit(&s->state, READY, memory_order_release);
        return;
    }
}

rp_status rp__term_table_find(rp__term_table *t, const rp__segment *segment, const char *term,
                              size_t bytes, rp__term *out)
{
    if (!t || bytes == 0 || bytes > TEXT)
        return rp__segment_find(segment, term, bytes, out);
    key k = key_of(term, bytes);
    slot *first = place_of(t, k);
    for (slot *s = first; s < first + PLACES; s++) {
        uint8_t state = atomic_load_explicit(&s->state, memory_order_acquire);
        if (state == EMPTY)
            break;
        if (state == READY && s->key.low == k.low && s->key.high == k.high && s->bytes == bytes) {
            read_slot(s, out);
            return RP_OK;
        }
    }
    rp_status status = rp__segment_find(segment, term, bytes, out);
    if (status == RP_OK)
        keep(first, k, bytes, out);
    return status;
}

void rp__term_table_expect(const rp__term_table *t, const char *text, size_t bytes)
{
    for (size_t begin = 0, end; t && begin < bytes; begin = end + 1) {
        for (end = begin; end < bytes && text[end] != ' '; end++)
            ;
        if (end > begin && end - begin <= TEXT)
            __builtin_prefetch(place_of(t, key_of(text + begin, end - begin)));
    }
}
