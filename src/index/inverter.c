/* inverter.c: an in-memory inverted file that grows a token at a time.
 *
 * A term is one 64-byte entry (short terms are inside it) behind an open hash table; its stream lives
 * in slices of doubling size, chained by a pointer at the end of each. So a token costs at most three
 * cache lines: table, entry, slice. None is near the last token's, so tokens wait in a queue and are
 * taken in together: one pass over it asks for the lines that the next pass reads.
 * Invariants: 1 a slice has SLICE_MIN << min(level, SLICE_LEVELS) bytes, the last 8 being the pointer
 * to the next; 2 w == end means that the slice is full; 3 entries never move. */
#include "index/inverter.h"

#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "index/term_sort.h"

enum {
    CHUNK = 2 << 20,
    SLOTS_MIN = 1024,
    ENTRIES_PER_CHUNK = CHUNK / 64,
    SLICE_MIN = 16,
    SLICE_LEVELS = 8, /* up to 4 KiB */
    QUEUE = 128,
    KEY_WORDS = 3,
    KEY_BYTES = 8 * KEY_WORDS,
    TERM_MOST = 255,
};

typedef struct entry {
    uint8_t *w, *end, *head;
    uint32_t last_doc, last_pos, tf; /* tf: counted without positions only */
    uint8_t level, bytes;
    uint64_t key[KEY_WORDS]; /* the term and zeros; over KEY_BYTES: a pointer to all of it */
} entry;

_Static_assert(sizeof(entry) == 64, "one cache line");

typedef struct slot {
    uint32_t hash, entry; /* entry + 1; 0: free */
} slot;

typedef struct pending {
    uint64_t key[KEY_WORDS];
    uint32_t hash, bytes, docid, position;
    uint32_t long_at; /* a term over KEY_BYTES: where in long_terms */
    bool is_new;
    entry *entry;
} pending;

struct rp__inverter {
    bool has_positions;
    slot *slots;
    size_t n_slots; /* a power of two */
    entry **entry_chunks;
    size_t n_entries, n_entry_chunks, cap_entry_chunks;
    uint8_t **chunks; /* of slices and long terms */
    size_t n_chunks, used_chunks, cap_chunks;
    uint8_t *free_at, *free_end;
    rp__sort_term *sorted;
    size_t cap_sorted;
    pending queue[QUEUE];
    size_t n_queue, n_long;
    char long_terms[QUEUE * TERM_MOST];
};

static entry *entry_at(const rp__inverter *inv, size_t i)
{
    return &inv->entry_chunks[i / ENTRIES_PER_CHUNK][i % ENTRIES_PER_CHUNK];
}

static const char *term_of(const entry *e)
{
    if (e->bytes <= KEY_BYTES)
        return (const char *)e->key;
    const char *p;
    memcpy(&p, e->key, sizeof p);
    return p;
}

rp_status rp__inverter_new(bool has_positions, rp__inverter **out)
{
    rp__inverter *inv = rp__alloc_zero(1, sizeof *inv);
    if (!inv)
        return RP_NO_MEMORY;
    inv->has_positions = has_positions;
    inv->n_slots = SLOTS_MIN;
    inv->slots = rp__alloc_random(inv->n_slots, sizeof *inv->slots);
    if (!inv->slots) {
        rp__inverter_free(inv);
        return RP_NO_MEMORY;
    }
    *out = inv;
    return RP_OK;
}

void rp__inverter_free(rp__inverter *inv)
{
    if (!inv)
        return;
    for (size_t i = 0; i < inv->n_entry_chunks; i++)
        rp__free_random(inv->entry_chunks[i], ENTRIES_PER_CHUNK, sizeof(entry));
    for (size_t i = 0; i < inv->n_chunks; i++)
        rp__free_random(inv->chunks[i], CHUNK, 1);
    rp__free(inv->entry_chunks);
    rp__free(inv->chunks);
    rp__free_random(inv->slots, inv->n_slots, sizeof *inv->slots);
    rp__free(inv->sorted);
    rp__free(inv);
}

/* n bytes, n at most CHUNK, 8-byte aligned. */
static uint8_t *take(rp__inverter *inv, size_t n)
{
    n = (n + 7) & ~(size_t)7;
    if ((size_t)(inv->free_end - inv->free_at) < n) {
        if (inv->used_chunks == inv->n_chunks) {
            if (!rp__alloc_grow(&inv->chunks, &inv->cap_chunks, inv->n_chunks + 1,
                                sizeof *inv->chunks))
                return NULL;
            uint8_t *chunk = rp__alloc_random(CHUNK, 1);
            if (!chunk)
                return NULL;
            inv->chunks[inv->n_chunks++] = chunk;
        }
        inv->free_at = inv->chunks[inv->used_chunks++];
        inv->free_end = inv->free_at + CHUNK;
    }
    uint8_t *p = inv->free_at;
    inv->free_at += n;
    return p;
}

static size_t slice_bytes(uint32_t level)
{
    return (size_t)SLICE_MIN << (level < SLICE_LEVELS ? level : SLICE_LEVELS);
}

static bool grow_stream(rp__inverter *inv, entry *e)
{
    uint32_t level = e->level + 1U;
    uint8_t *slice = take(inv, slice_bytes(level));
    if (!slice)
        return false;
    memcpy(e->end, &slice, sizeof slice);
    e->w = slice;
    e->end = slice + slice_bytes(level) - sizeof slice;
    e->level = (uint8_t)(level < SLICE_LEVELS ? level : SLICE_LEVELS);
    return true;
}

static inline bool put_byte(rp__inverter *inv, entry *e, uint8_t byte)
{
    if (e->w == e->end && !grow_stream(inv, e))
        return false;
    *e->w++ = byte;
    return true;
}

static inline bool put_varint(rp__inverter *inv, entry *e, uint32_t v)
{
    for (; v >= 0x80; v >>= 7)
        if (!put_byte(inv, e, (uint8_t)(v | 0x80)))
            return false;
    return put_byte(inv, e, (uint8_t)v);
}

static bool grow_slots(rp__inverter *inv)
{
    size_t n = inv->n_slots * 2;
    slot *slots = rp__alloc_random(n, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < inv->n_slots; i++) {
        if (inv->slots[i].entry == 0)
            continue;
        size_t at = inv->slots[i].hash & (n - 1);
        while (slots[at].entry != 0)
            at = (at + 1) & (n - 1);
        slots[at] = inv->slots[i];
    }
    rp__free_random(inv->slots, inv->n_slots, sizeof *slots);
    inv->slots = slots;
    inv->n_slots = n;
    return true;
}

static entry *new_entry(rp__inverter *inv)
{
    if (inv->n_entries == inv->n_entry_chunks * ENTRIES_PER_CHUNK) {
        if (!rp__alloc_grow(&inv->entry_chunks, &inv->cap_entry_chunks, inv->n_entry_chunks + 1,
                            sizeof *inv->entry_chunks))
            return NULL;
        entry *chunk = rp__alloc_random(ENTRIES_PER_CHUNK, sizeof *chunk);
        if (!chunk)
            return NULL;
        inv->entry_chunks[inv->n_entry_chunks++] = chunk;
    }
    return entry_at(inv, inv->n_entries);
}

static bool set_term(rp__inverter *inv, entry *e, const pending *t)
{
    e->bytes = (uint8_t)t->bytes;
    memcpy(e->key, t->key, sizeof e->key);
    if (t->bytes <= KEY_BYTES)
        return true;
    char *copy = (char *)take(inv, t->bytes);
    if (!copy)
        return false;
    memcpy(copy, inv->long_terms + t->long_at, t->bytes);
    memcpy(e->key, &copy, sizeof copy);
    return true;
}

static entry *insert(rp__inverter *inv, size_t at, const pending *t)
{
    entry *e = new_entry(inv);
    uint8_t *slice = take(inv, SLICE_MIN);
    if (!e || !slice)
        return NULL;
    *e = (entry){.w = slice, .head = slice, .end = slice + SLICE_MIN - sizeof slice};
    if (!set_term(inv, e, t))
        return NULL;
    inv->slots[at] = (slot){t->hash, (uint32_t)++inv->n_entries};
    if (inv->n_entries * 2 > inv->n_slots && !grow_slots(inv))
        return NULL;
    return e;
}

static inline bool is_same(const rp__inverter *inv, const entry *e, const pending *t)
{
    if (e->bytes != t->bytes)
        return false;
    if (t->bytes > KEY_BYTES)
        return memcmp(term_of(e), inv->long_terms + t->long_at, t->bytes) == 0;
    return ((e->key[0] ^ t->key[0]) | (e->key[1] ^ t->key[1]) | (e->key[2] ^ t->key[2])) == 0;
}

static inline entry *find(rp__inverter *inv, pending *t)
{
    size_t mask = inv->n_slots - 1, at = t->hash & mask;
    t->is_new = false;
    for (; inv->slots[at].entry != 0; at = (at + 1) & mask) {
        if (inv->slots[at].hash != t->hash)
            continue;
        entry *e = entry_at(inv, inv->slots[at].entry - 1);
        if (is_same(inv, e, t))
            return e;
    }
    t->is_new = true;
    return insert(inv, at, t);
}

/* Ends the stream's current document. */
static inline bool end_document(rp__inverter *inv, entry *e)
{
    return inv->has_positions ? put_byte(inv, e, 0) : put_varint(inv, e, e->tf);
}

static bool append_bytes(rp__inverter *inv, entry *e, const pending *t)
{
    bool ok = true;
    if (t->is_new || e->last_doc != t->docid) {
        ok = (t->is_new || end_document(inv, e)) && put_varint(inv, e, t->docid - e->last_doc);
        e->last_doc = t->docid;
        e->last_pos = UINT32_MAX;
        e->tf = 0;
    }
    if (inv->has_positions)
        ok = ok && put_varint(inv, e, t->position - e->last_pos);
    e->last_pos = t->position;
    e->tf++;
    return ok;
}

/* LEB128 of v, below 2^28, as a word of *n bytes: its length is hard to foresee, so no branch. */
static inline uint64_t spread(uint32_t v, uint32_t *n)
{
    *n = (rp__bits_width(v | 1) + 6) * 37 >> 8; /* bits / 7, rounded up */
    uint32_t x = (v & 0x7F) | (v & 0x3F80) << 1 | (v & 0x1FC000) << 2 | (v & 0xFE00000) << 3;
    return x | (0x808080U & ((1U << (8 * (*n - 1))) - 1));
}

/* Does what append_bytes does with one store where it can. The store may run into the slice's
 * pointer, which is not set before the slice is full. */
static inline bool append(rp__inverter *inv, entry *e, const pending *t)
{
    uint32_t gap = t->docid - e->last_doc, gap_bytes, position_bytes;
    uint32_t position = t->position - (gap ? UINT32_MAX : e->last_pos);
    if (t->is_new || !inv->has_positions || gap >> 28 || position >> 21)
        return append_bytes(inv, e, t);
    uint64_t doc = spread(gap, &gap_bytes) << 8; /* after the zero that ends the last document */
    uint64_t word = spread(position, &position_bytes);
    uint32_t doc_bytes = gap ? gap_bytes + 1 : 0;
    word = (gap ? doc : 0) | word << (8 * doc_bytes);
    if ((size_t)(e->end - e->w) < doc_bytes + position_bytes)
        return append_bytes(inv, e, t);
    rp__store64(e->w, word);
    e->w += doc_bytes + position_bytes;
    e->last_doc = t->docid;
    e->last_pos = t->position;
    return true;
}

static void ask_for_entry(const rp__inverter *inv, uint32_t hash)
{
    size_t mask = inv->n_slots - 1, at = hash & mask;
    while (inv->slots[at].entry != 0 && inv->slots[at].hash != hash)
        at = (at + 1) & mask;
    if (inv->slots[at].entry != 0)
        __builtin_prefetch(entry_at(inv, inv->slots[at].entry - 1), 1);
}

rp_status rp__inverter_drain(rp__inverter *inv)
{
    size_t n = inv->n_queue;
    inv->n_queue = 0;
    inv->n_long = 0;
    for (size_t i = 0; i < n; i++)
        ask_for_entry(inv, inv->queue[i].hash);
    for (size_t i = 0; i < n; i++) {
        pending *t = &inv->queue[i];
        t->entry = find(inv, t);
        if (!t->entry)
            return RP_NO_MEMORY;
        __builtin_prefetch(t->entry->w, 1);
    }
    for (size_t i = 0; i < n; i++)
        if (!append(inv, inv->queue[i].entry, &inv->queue[i]))
            return RP_NO_MEMORY;
    return RP_OK;
}

/* The last bytes of a term, from 1 to 8 of them, as a word; reads nothing outside the term. */
static inline uint64_t last_word(const char *term, uint32_t bytes, uint32_t n)
{
    if (bytes >= 8)
        return rp__load64(term + bytes - 8) >> (64 - 8 * n);
    if (n >= 4)
        return rp__load32(term) | (uint64_t)rp__load32(term + n - 4) << (8 * (n - 4));
    return (uint8_t)term[0] | (uint64_t)(uint8_t)term[n / 2] << (8 * (n / 2)) |
           (uint64_t)(uint8_t)term[n - 1] << (8 * (n - 1));
}

static inline void set_key(rp__inverter *inv, pending *t, const char *term, uint32_t bytes)
{
    t->bytes = bytes;
    if (bytes <= KEY_BYTES) {
        uint32_t last = (bytes - 1) / 8;
        t->key[1] = t->key[2] = 0;
        for (uint32_t i = 0; i < last; i++)
            t->key[i] = rp__load64(term + 8 * i);
        t->key[last] = last_word(term, bytes, bytes - 8 * last);
        return;
    }
    t->key[0] = XXH3_64bits(term, bytes);
    t->key[1] = t->key[2] = 0;
    t->long_at = (uint32_t)inv->n_long;
    memcpy(inv->long_terms + inv->n_long, term, bytes);
    inv->n_long += bytes;
}

static inline uint32_t hash_of(const pending *t)
{
    uint64_t h = (t->key[0] ^ t->bytes) * 0x9E3779B97F4A7C15U;
    h ^= t->key[1] * 0xC2B2AE3D27D4EB4FU >> 7 ^ t->key[2] * 0xD6E8FEB86659FD93U;
    return (uint32_t)((h ^ h >> 32) * 0xD6E8FEB86659FD93U >> 32);
}

rp_status rp__inverter_add(rp__inverter *inv, uint32_t docid, const char *term, uint32_t bytes,
                           uint32_t position)
{
    if (inv->n_queue == QUEUE)
        return RP_LIMIT;
    pending *t = &inv->queue[inv->n_queue++];
    set_key(inv, t, term, bytes);
    t->hash = hash_of(t);
    t->docid = docid;
    t->position = position;
    __builtin_prefetch(&inv->slots[t->hash & (inv->n_slots - 1)]);
    return RP_OK;
}

uint64_t rp__inverter_bytes(const rp__inverter *inv)
{
    return inv->n_slots * sizeof(slot) + inv->n_entry_chunks * (uint64_t)CHUNK +
           inv->n_chunks * (uint64_t)CHUNK + inv->cap_sorted * sizeof *inv->sorted;
}

/* Old slots are held until the new ones are filled. The end of a stream may take a slice more: short ones
 * of all streams at once are foreseen. */
uint64_t rp__inverter_need(const rp__inverter *inv)
{
    enum { TOKEN_MOST = (SLICE_MIN << SLICE_LEVELS) + SLICE_MIN + TERM_MOST + 1 };
    uint64_t entries = inv->n_entries + QUEUE;
    uint64_t slots = inv->n_slots * (entries * 2 > inv->n_slots ? 3 : 1);
    uint64_t entry_chunks = (entries + ENTRIES_PER_CHUNK - 1) / ENTRIES_PER_CHUNK;
    uint64_t slices = QUEUE * TOKEN_MOST + entries * 2 * SLICE_MIN;
    uint64_t unused = (uint64_t)(inv->free_end - inv->free_at);
    uint64_t slice_chunks = slices > unused ? (slices - unused + CHUNK - 1) / CHUNK : 0;
    uint64_t chunks = entry_chunks + inv->used_chunks + slice_chunks;
    return slots * sizeof(slot) + chunks * CHUNK + entries * sizeof *inv->sorted;
}

bool rp__inverter_is_empty(const rp__inverter *inv)
{
    return inv->n_entries == 0 && inv->n_queue == 0;
}

size_t rp__inverter_terms(const rp__inverter *inv)
{
    return inv->n_entries;
}

rp_status rp__inverter_sort(rp__inverter *inv)
{
    if (inv->cap_sorted < inv->n_entries) {
        rp__free(inv->sorted);
        inv->cap_sorted = 0;
        inv->sorted = rp__alloc_array(inv->n_entries, sizeof *inv->sorted);
        if (!inv->sorted)
            return RP_NO_MEMORY;
        inv->cap_sorted = inv->n_entries;
    }
    for (size_t i = 0; i < inv->n_entries; i++) {
        entry *e = entry_at(inv, i);
        if (!end_document(inv, e))
            return RP_NO_MEMORY;
        inv->sorted[i] = (rp__sort_term){rp__term_sort_prefix(term_of(e), e->bytes), term_of(e),
                                         e->bytes, (uint32_t)i};
    }
    rp__term_sort(inv->sorted, inv->n_entries);
    return RP_OK;
}

void rp__inverter_clear(rp__inverter *inv)
{
    memset(inv->slots, 0, inv->n_slots * sizeof *inv->slots);
    inv->n_entries = 0;
    inv->used_chunks = 0;
    inv->free_at = inv->free_end = NULL;
}

/* Where there are no terms the table of them may be as small as at the beginning. */
static void shrink_slots(rp__inverter *inv)
{
    slot *slots = rp__alloc_random(SLOTS_MIN, sizeof *slots);
    if (!slots)
        return;
    rp__free_random(inv->slots, inv->n_slots, sizeof *slots);
    inv->slots = slots;
    inv->n_slots = SLOTS_MIN;
}

void rp__inverter_trim(rp__inverter *inv, uint64_t limit)
{
    size_t used = (inv->n_entries + ENTRIES_PER_CHUNK - 1) / ENTRIES_PER_CHUNK;
    if (rp__inverter_bytes(inv) > limit && inv->n_entries == 0) {
        rp__free(inv->sorted);
        inv->sorted = NULL;
        inv->cap_sorted = 0;
    }
    while (rp__inverter_bytes(inv) > limit && inv->n_chunks > inv->used_chunks)
        rp__free_random(inv->chunks[--inv->n_chunks], CHUNK, 1);
    while (rp__inverter_bytes(inv) > limit && inv->n_entry_chunks > used)
        rp__free_random(inv->entry_chunks[--inv->n_entry_chunks], ENTRIES_PER_CHUNK, sizeof(entry));
    if (inv->n_entries == 0 && inv->n_slots > SLOTS_MIN && inv->n_slots * sizeof(slot) > limit / 8)
        shrink_slots(inv);
}

void rp__inverter_get(const rp__inverter *inv, size_t i, rp__inverter_term *out)
{
    enum { AHEAD = 8 };
    const entry *e = entry_at(inv, inv->sorted[i].tag);
    if (i + 2 * AHEAD < inv->n_entries) { /* terms in order lie anywhere */
        __builtin_prefetch(entry_at(inv, inv->sorted[i + 2 * AHEAD].tag));
        __builtin_prefetch(entry_at(inv, inv->sorted[i + AHEAD].tag)->head);
    }
    out->term = term_of(e);
    out->bytes = e->bytes;
    out->slice = e->head;
    out->stream_bytes = 0;
    for (uint32_t level = 0; level < e->level; level++)
        out->stream_bytes += slice_bytes(level) - sizeof(uint8_t *);
    /* Past the last level every slice has the same size, so the chain must be walked. */
    if (e->level == SLICE_LEVELS) {
        const uint8_t *slice = e->head;
        uint32_t level = 0;
        size_t bytes;
        while (level < SLICE_LEVELS)
            slice = rp__inverter_slice(slice, &level, &bytes);
        for (; slice + slice_bytes(level) - sizeof slice != e->end; out->stream_bytes += bytes)
            slice = rp__inverter_slice(slice, &level, &bytes);
    }
    out->stream_bytes += (uint64_t)(e->w - (e->end - (slice_bytes(e->level) - sizeof e->w)));
}

const uint8_t *rp__inverter_slice(const uint8_t *slice, uint32_t *level, size_t *bytes)
{
    const uint8_t *next;
    *bytes = slice_bytes(*level) - sizeof next;
    memcpy(&next, slice + *bytes, sizeof next);
    *level = *level < SLICE_LEVELS ? *level + 1 : SLICE_LEVELS;
    return next;
}
