/* backend/gpu/residency/slot_table.h: interior of residency: where the lists are that groups look
 * up, each in half a line of the cache.
 *
 * It is a cache of the residency's entries, for where nothing is scarce: an entry that is linked
 * may have a slot, and one that is unlinked has none. So what holds for finding an entry under a
 * lease holds for finding its slot. Readers take no lock: they see by a slot's version that it was
 * written meanwhile, and look for the entry instead. Writers have the residency's lock. */
#ifndef RP_BACKEND_GPU_RESIDENCY_SLOT_TABLE_H
#define RP_BACKEND_GPU_RESIDENCY_SLOT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_SLOT_WINDOW = 8 }; /* slots where a key may be, from its own on */

typedef struct rp__list_slot {
    _Atomic uint64_t key; /* 0: it never had one; 1: its entry is gone */
    _Atomic uint64_t at;  /* as rp__resident's */
    _Atomic uint32_t n;
    _Atomic uint32_t version; /* odd while it is written */
    uint64_t unused;
} rp__list_slot;

/* All zero: there is none, and nothing is found. */
typedef struct rp__slot_table {
    rp__list_slot *slots; /* `n`, a power of two, and those of the last one's window */
    size_t n;
} rp__slot_table;

/* What a slot says. */
typedef struct rp__slot_list {
    uint64_t at;
    uint32_t n;
} rp__slot_list;

/* For about so many lists. False: no memory. */
bool rp__slot_table_open(rp__slot_table *table, uint64_t lists);
void rp__slot_table_close(rp__slot_table *table); /* all zero is fine */

/* Under the lock. Where there is no place, another key loses its slot. */
void rp__slot_table_put(const rp__slot_table *table, uint64_t key, uint64_t at, uint32_t n);
void rp__slot_table_remove(const rp__slot_table *table, uint64_t key);

static inline rp__list_slot *rp__slot_table_first(const rp__slot_table *table, uint64_t key)
{
    return &table->slots[(size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (table->n - 1)];
}

/* It will be looked up soon. */
static inline void rp__slot_table_expect(const rp__slot_table *table, uint64_t key)
{
    __builtin_prefetch(rp__slot_table_first(table, key));
}

/* False: it has no slot now. The key is read after the lease's epoch was stored, as entries are. */
static inline bool rp__slot_table_find(const rp__slot_table *table, uint64_t key,
                                       rp__slot_list *out)
{
    const rp__list_slot *slot = rp__slot_table_first(table, key);
    for (const rp__list_slot *end = slot + RP_SLOT_WINDOW; slot < end; slot++) {
        const uint32_t version = atomic_load_explicit(&slot->version, memory_order_acquire);
        const uint64_t its = atomic_load_explicit(&slot->key, memory_order_seq_cst);
        if (its == 0)
            return false;
        if (its != key)
            continue;
        out->at = atomic_load_explicit(&slot->at, memory_order_acquire);
        out->n = atomic_load_explicit(&slot->n, memory_order_acquire);
        return version % 2 == 0 &&
               version == atomic_load_explicit(&slot->version, memory_order_relaxed);
    }
    return false;
}

#endif
