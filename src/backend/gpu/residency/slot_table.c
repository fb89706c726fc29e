/* slot_table.c: writing slots. A version is odd from before the first change to after the last. */
#include "backend/gpu/residency/slot_table.h"

#include "base/alloc.h"

enum {
    SLOTS_MIN = 1 << 10,
    SLOTS_MAX = 1 << 20, /* 32 MiB; of more lists, those that came last have slots */
    GONE = 1,            /* no list has this key */
};

static size_t count_all(const rp__slot_table *t)
{
    return t->n + RP_SLOT_WINDOW;
}

bool rp__slot_table_open(rp__slot_table *t, uint64_t lists)
{
    t->n = SLOTS_MIN;
    while (t->n < 2 * lists && t->n < SLOTS_MAX)
        t->n *= 2;
    t->slots = rp__alloc_random(count_all(t), sizeof *t->slots);
    return t->slots != NULL;
}

void rp__slot_table_close(rp__slot_table *t)
{
    rp__free_random(t->slots, count_all(t), sizeof *t->slots);
    *t = (rp__slot_table){0};
}

/* Each change is a release: who sees one of them also sees that the version is odd. */
static void write_slot(rp__list_slot *s, uint64_t key, uint64_t at, uint32_t n)
{
    const uint32_t version = atomic_load_explicit(&s->version, memory_order_relaxed);
    atomic_store_explicit(&s->version, version + 1, memory_order_relaxed);
    atomic_store_explicit(&s->at, at, memory_order_release);
    atomic_store_explicit(&s->n, n, memory_order_release);
    atomic_store_explicit(&s->key, key, memory_order_seq_cst);
    atomic_store_explicit(&s->version, version + 2, memory_order_release);
}

static uint64_t key_of(const rp__list_slot *s)
{
    return atomic_load_explicit(&s->key, memory_order_relaxed);
}

void rp__slot_table_put(const rp__slot_table *t, uint64_t key, uint64_t at, uint32_t n)
{
    if (!t->slots)
        return;
    rp__list_slot *first = rp__slot_table_first(t, key), *s = first;
    while (s < first + RP_SLOT_WINDOW && key_of(s) > GONE)
        s++;
    write_slot(s < first + RP_SLOT_WINDOW ? s : first, key, at, n);
}

void rp__slot_table_remove(const rp__slot_table *t, uint64_t key)
{
    if (!t->slots)
        return;
    rp__list_slot *first = rp__slot_table_first(t, key);
    for (rp__list_slot *s = first; s < first + RP_SLOT_WINDOW; s++)
        if (key_of(s) == key)
            write_slot(s, GONE, 0, 0);
}
