/* inverter.c: an in-memory inverted file that grows a token at a time.
 *
 * A term is one 64-byte entry (short terms are inside it) behind an open hash table; its stream lives
 * in slices of doubling size, chained by a pointer at the end of each. So a token costs at most three
 * cache lines, each found through the one before: table, entry, slice. Tokens are therefore taken a
 * group at a time, and the lines of a whole group are touched before any of it is added: a core waits
 * for eight lines as long as for one. (Prefetch instructions, tried in their place, changed nothing.)
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
    ENTRIES_PER_CHUNK = CHUNK / 64,
    SLICE_MIN = 16,
    SLICE_LEVELS = 8, /* up to 4 KiB */
    GROUP = 16,       /* tokens whose lines are touched together */
};

typedef struct entry {
    uint32_t hash, last_doc, last_pos, tf;
    uint8_t *w, *end, *head;
    uint8_t level, bytes;
    char term
        [22]; /* the term; a longer one: its first 8 bytes, then at [8] a pointer to all of it */
} entry;

_Static_assert(sizeof(entry) == 64, "one cache line");

typedef struct slot {
    uint32_t hash, entry; /* entry + 1; 0: free */
} slot;

/* A token on its way into the table. */
typedef struct pending {
    uint32_t hash, docid, position, bytes;
    char term[256];
} pending;

struct rp__inverter {
    bool has_positions;
    size_t n_pending;
    pending pending[GROUP];
    slot *slots;
    size_t n_slots; /* a power of two */
    entry **entry_chunks;
    size_t n_entries, n_entry_chunks, cap_entry_chunks;
    uint8_t **chunks; /* of slices and long terms */
    size_t n_chunks, used_chunks, cap_chunks;
    uint8_t *free_at, *free_end;
    rp__sort_term *sorted;
    size_t cap_sorted;
};

static entry *entry_at(const rp__inverter *inv, size_t i)
{
    return &inv->entry_chunks[i / ENTRIES_PER_CHUNK][i % ENTRIES_PER_CHUNK];
}

/* Mixes the bytes of a term, read as at most two overlapping words; longer ones go to XXH3. */
static inline uint32_t hash_term(const char *term, uint32_t bytes)
{
    uint64_t a, b;
    if (bytes > 16)
        return (uint32_t)XXH3_64bits(term, bytes);
    if (bytes >= 8) {
        a = rp__load64(term);
        b = rp__load64(term + bytes - 8);
    } else if (bytes >= 4) {
        a = rp__load32(term);
        b = rp__load32(term + bytes - 4);
    } else {
        a = (uint8_t)term[0] | (uint64_t)(uint8_t)term[bytes / 2] << 8;
        b = (uint8_t)term[bytes - 1];
    }
    uint64_t h = (a ^ 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
    h = (h ^ (h >> 32) ^ b ^ (uint64_t)bytes << 56) * 0x94D049BB133111EBU;
    return (uint32_t)(h >> 32);
}

static const char *term_of(const entry *e)
{
    if (e->bytes <= sizeof e->term)
        return e->term;
    const char *p;
    memcpy(&p, e->term + 8, sizeof p);
    return p;
}

/* Whether an entry holds the term; terms of up to 16 bytes as two overlapping words. */
static inline bool has_term(const entry *e, const char *term, uint32_t bytes)
{
    if (e->bytes != bytes)
        return false;
    if (bytes > 16)
        return memcmp(term_of(e), term, bytes) == 0;
    if (bytes >= 8)
        return rp__load64(e->term) == rp__load64(term) &&
               rp__load64(e->term + bytes - 8) == rp__load64(term + bytes - 8);
    if (bytes >= 4)
        return rp__load32(e->term) == rp__load32(term) &&
               rp__load32(e->term + bytes - 4) == rp__load32(term + bytes - 4);
    return e->term[0] == term[0] && e->term[bytes / 2] == term[bytes / 2] &&
           e->term[bytes - 1] == term[bytes - 1];
}

rp_status rp__inverter_new(bool has_positions, rp__inverter **out)
{
    rp__inverter *inv = rp__alloc_zero(1, sizeof *inv);
    if (!inv)
        return RP_NO_MEMORY;
    inv->has_positions = has_positions;
    inv->n_slots = 1024;
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

static bool set_term(rp__inverter *inv, entry *e, const char *term, uint32_t bytes)
{
    e->bytes = (uint8_t)bytes;
    if (bytes <= sizeof e->term) {
        memcpy(e->term, term, bytes);
        return true;
    }
    char *copy = (char *)take(inv, bytes);
    if (!copy)
        return false;
    memcpy(copy, term, bytes);
    memcpy(e->term, term, 8);
    memcpy(e->term + 8, &copy, sizeof copy);
    return true;
}

static entry *insert(rp__inverter *inv, size_t at, uint32_t hash, const char *term, uint32_t bytes)
{
    entry *e = new_entry(inv);
    uint8_t *slice = take(inv, SLICE_MIN);
    if (!e || !slice)
        return NULL;
    *e = (entry){.hash = hash, .w = slice, .head = slice, .end = slice + SLICE_MIN - sizeof slice};
    if (!set_term(inv, e, term, bytes))
        return NULL;
    inv->slots[at] = (slot){hash, (uint32_t)++inv->n_entries};
    if (inv->n_entries * 2 > inv->n_slots && !grow_slots(inv))
        return NULL;
    return e;
}

static inline entry *find(rp__inverter *inv, const pending *t, bool *is_new)
{
    size_t at = t->hash & (inv->n_slots - 1);
    for (; inv->slots[at].entry != 0; at = (at + 1) & (inv->n_slots - 1)) {
        if (inv->slots[at].hash != t->hash)
            continue;
        entry *e = entry_at(inv, inv->slots[at].entry - 1);
        if (has_term(e, t->term, t->bytes)) {
            *is_new = false;
            return e;
        }
    }
    *is_new = true;
    return insert(inv, at, t->hash, t->term, t->bytes);
}

/* Ends the stream's current document. */
static inline bool end_document(rp__inverter *inv, entry *e)
{
    return inv->has_positions ? put_byte(inv, e, 0) : put_varint(inv, e, e->tf);
}

/* What a token adds to its stream, when the slice has room for the longest of it. */
static inline void put_token_fast(const rp__inverter *inv, entry *e, bool is_new_doc, bool is_new,
                                  uint32_t docid, uint32_t position)
{
    uint8_t *w = e->w;
    if (is_new_doc) {
        if (!is_new)
            w = inv->has_positions ? (*w = 0, w + 1) : rp__bits_put_varint(w, e->tf);
        w = rp__bits_put_varint(w, docid - e->last_doc);
    }
    if (inv->has_positions)
        w = rp__bits_put_varint(w, position - (is_new_doc ? UINT32_MAX : e->last_pos));
    e->w = w;
}

static bool put_token(rp__inverter *inv, entry *e, bool is_new_doc, bool is_new, uint32_t docid,
                      uint32_t position)
{
    if (is_new_doc &&
        ((!is_new && !end_document(inv, e)) || !put_varint(inv, e, docid - e->last_doc)))
        return false;
    return !inv->has_positions ||
           put_varint(inv, e, position - (is_new_doc ? UINT32_MAX : e->last_pos));
}

static rp_status add_token(rp__inverter *inv, const pending *t)
{
    enum { LONGEST = 3 * 5 }; /* tf, gap of docids, gap of positions */
    bool is_new;
    entry *e = find(inv, t, &is_new);
    if (!e)
        return RP_NO_MEMORY;
    bool is_new_doc = is_new || e->last_doc != t->docid;
    if (e->end - e->w >= LONGEST)
        put_token_fast(inv, e, is_new_doc, is_new, t->docid, t->position);
    else if (!put_token(inv, e, is_new_doc, is_new, t->docid, t->position))
        return RP_NO_MEMORY;
    e->last_doc = t->docid;
    e->last_pos = t->position;
    e->tf = is_new_doc ? 1 : e->tf + 1;
    return RP_OK;
}

/* Reads a byte of every line that the group will need, level by level, so that each level's waits
 * overlap. A slot that does not hold the term is no harm: it is only a guess. */
static void touch_lines(const rp__inverter *inv)
{
    const entry *entries[GROUP];
    const uint8_t *tails[GROUP];
    uint32_t guess[GROUP];
    for (size_t i = 0; i < GROUP; i++)
        guess[i] = inv->slots[inv->pending[i].hash & (inv->n_slots - 1)].entry;
    for (size_t i = 0; i < GROUP; i++) {
        entries[i] = entry_at(inv, guess[i] ? guess[i] - 1 : 0);
        tails[i] = entries[i]->w;
    }
    for (size_t i = 0; i < GROUP; i++)
        (void)*(const volatile uint8_t *)tails[i];
}

static rp_status add_pending(rp__inverter *inv)
{
    rp_status status = RP_OK;
    if (inv->n_pending == GROUP && inv->n_entries > 0)
        touch_lines(inv);
    for (size_t i = 0; i < inv->n_pending && status == RP_OK; i++)
        status = add_token(inv, &inv->pending[i]);
    inv->n_pending = 0;
    return status;
}

rp_status rp__inverter_add(rp__inverter *inv, uint32_t docid, const char *term, uint32_t bytes,
                           uint32_t position)
{
    pending *t = &inv->pending[inv->n_pending++];
    t->hash = hash_term(term, bytes);
    t->docid = docid;
    t->position = position;
    t->bytes = bytes;
    memcpy(t->term, term, bytes);
    return inv->n_pending == GROUP ? add_pending(inv) : RP_OK;
}

uint64_t rp__inverter_bytes(const rp__inverter *inv)
{
    return inv->n_slots * sizeof(slot) + inv->n_entry_chunks * (uint64_t)CHUNK +
           inv->n_chunks * (uint64_t)CHUNK + inv->cap_sorted * sizeof *inv->sorted;
}

uint64_t rp__inverter_used(const rp__inverter *inv)
{
    return inv->n_slots * sizeof(slot) + inv->n_entries * sizeof(entry) +
           inv->used_chunks * (uint64_t)CHUNK + inv->n_entries * sizeof *inv->sorted;
}

bool rp__inverter_is_empty(const rp__inverter *inv)
{
    return inv->n_entries == 0 && inv->n_pending == 0;
}

size_t rp__inverter_terms(const rp__inverter *inv)
{
    return inv->n_entries;
}

rp_status rp__inverter_sort(rp__inverter *inv)
{
    if (add_pending(inv) != RP_OK)
        return RP_NO_MEMORY;
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
}

void rp__inverter_get(const rp__inverter *inv, size_t i, rp__inverter_term *out)
{
    const entry *e = entry_at(inv, inv->sorted[i].tag);
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
