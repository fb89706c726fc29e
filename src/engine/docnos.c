/* docnos.c: whether each document of an index has a docno of its own.
 *
 * Two ids can only meet if one of them is altered. So the altered ones go into a table, and all others that
 * have a '_' are looked up in it. Where too many are altered for the table, the ids are taken in several
 * turns, by their hash. */
#include "engine/docnos.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { SLOTS_MOST = 1 << 22, SHOWN = 100 };

typedef struct table {
    const rp_index *index;
    uint32_t docs;
    uint32_t *slots;      /* docid + 1, 0 is free; at most half full */
    uint64_t n_slots;     /* a power of two */
    uint64_t turns, turn; /* ids whose hash is `turn` modulo `turns` count */
    uint64_t altered;
    bool has_pair;
    char pair[2][SHOWN + 1];
} table;

typedef struct name {
    const char *at;
    size_t n;
} name;

static bool is_altered(name id)
{
    for (size_t i = 0; i < id.n; i++)
        if (rp__docnos_byte(id.at[i]) != id.at[i])
            return true;
    return false;
}

/* FNV-1a of the docno, then mixed: the low bits choose a slot, the high ones a turn. */
static uint64_t hash_of(name id)
{
    uint64_t h = 0xCBF29CE484222325U;
    for (size_t i = 0; i < id.n; i++)
        h = (h ^ (unsigned char)rp__docnos_byte(id.at[i])) * 0x100000001B3U;
    return h ^ h >> 29;
}

static bool is_same_docno(name a, name b)
{
    bool is_same = a.n == b.n;
    for (size_t i = 0; is_same && i < a.n; i++)
        is_same = rp__docnos_byte(a.at[i]) == rp__docnos_byte(b.at[i]);
    return is_same;
}

static void note_pair(table *t, name a, name b)
{
    t->has_pair = true;
    memcpy(t->pair[0], a.at, a.n < SHOWN ? a.n : SHOWN);
    memcpy(t->pair[1], b.at, b.n < SHOWN ? b.n : SHOWN);
}

/* The document of this docno; otherwise adds it, if it is altered. */
static rp_status look_up(table *t, uint32_t docid, name id, bool adds)
{
    uint64_t hash = hash_of(id), at = hash & (t->n_slots - 1);
    if ((hash >> 32) % t->turns != t->turn)
        return RP_OK;
    for (; t->slots[at] != 0; at = (at + 1) & (t->n_slots - 1)) {
        name other;
        if (rp__segment_doc_id(t->index->segment, t->slots[at] - 1, &other.at, &other.n) != RP_OK)
            return RP_DAMAGED;
        if (is_same_docno(id, other)) {
            note_pair(t, other, id);
            return RP_OK;
        }
    }
    if (adds)
        t->slots[at] = docid + 1;
    return RP_OK;
}

static rp_status run_count(void *arg)
{
    table *t = arg;
    for (uint32_t d = 0; d < t->docs; d++) {
        name id;
        if (rp__segment_doc_id(t->index->segment, d, &id.at, &id.n) != RP_OK)
            return RP_DAMAGED;
        t->altered += is_altered(id);
    }
    return RP_OK;
}

/* All altered ids, then all others. */
static rp_status run_turn(void *arg)
{
    table *t = arg;
    for (int adds = 1; adds >= 0; adds--)
        for (uint32_t d = 0; d < t->docs && !t->has_pair; d++) {
            name id;
            if (rp__segment_doc_id(t->index->segment, d, &id.at, &id.n) != RP_OK)
                return RP_DAMAGED;
            bool is_next = adds ? is_altered(id) : memchr(id.at, '_', id.n) && !is_altered(id);
            if (is_next && look_up(t, d, id, adds) != RP_OK)
                return RP_DAMAGED;
        }
    return RP_OK;
}

/* Turns of a quarter of the slots each: by chance one has more, but not twice as many. */
static void set_size(table *t)
{
    t->n_slots = 16;
    while (t->n_slots < SLOTS_MOST && t->n_slots < 4 * t->altered)
        t->n_slots *= 2;
    t->turns = 1 + 4 * t->altered / (SLOTS_MOST + 1);
}

static rp_status check(table *t, rp_error *err)
{
    rp_status status = rp__index_handle_guard(t->index, run_count, t);
    set_size(t);
    t->slots = rp__alloc_array(t->n_slots, sizeof *t->slots);
    if (!t->slots)
        return rp__error_no_memory(err);
    for (; status == RP_OK && t->turn < t->turns && !t->has_pair; t->turn++) {
        memset(t->slots, 0, t->n_slots * sizeof *t->slots);
        status = rp__index_handle_guard(t->index, run_turn, t);
    }
    rp__free(t->slots);
    if (status != RP_OK)
        return rp__error_set(err, RP_DAMAGED, "the index is damaged; run 'riposte check' on it");
    if (t->has_pair)
        return rp__error_set(err, RP_INPUT,
                             "the documents \"%s\" and \"%s\" have one docno in a run, where "
                             "blanks become '_'; give one of them another id",
                             t->pair[0], t->pair[1]);
    return RP_OK;
}

rp_status rp__docnos_check(const rp_index *index, rp_error *err)
{
    table t = {.index = index, .docs = (uint32_t)rp__segment_get_info(index->segment)->docs};
    return check(&t, err);
}
