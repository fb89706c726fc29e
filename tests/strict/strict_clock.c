/* strict_clock.c: vector clocks of warps, and a hash table of them by address. */
#include "strict/strict_clock.h"

#include <stdlib.h>
#include <string.h>

typedef struct strict_entry {
    uintptr_t address; /* 0: free */
    strict_clock clock;
} strict_entry;

static void *zeros(size_t n, size_t bytes)
{
    void *at = calloc(n, bytes);
    if (!at)
        abort();
    return at;
}

static void make(strict_clock *clock, uint32_t n)
{
    if (!clock->at)
        clock->at = zeros(n, sizeof *clock->at);
}

void strict_clock_join(strict_clock *to, const strict_clock *from, uint32_t n)
{
    if (!from->at)
        return;
    make(to, n);
    for (uint32_t i = 0; i < n; i++)
        to->at[i] = from->at[i] > to->at[i] ? from->at[i] : to->at[i];
}

void strict_clock_copy(strict_clock *to, const strict_clock *from, uint32_t n)
{
    if (!from->at) {
        strict_clock_free(to);
        return;
    }
    make(to, n);
    memcpy(to->at, from->at, n * sizeof *to->at);
}

void strict_clock_set(strict_clock *clock, uint32_t warp, uint32_t number, uint32_t n)
{
    make(clock, n);
    clock->at[warp] = number;
}

uint32_t strict_clock_get(const strict_clock *clock, uint32_t warp)
{
    return clock->at ? clock->at[warp] : 0;
}

void strict_clock_free(strict_clock *clock)
{
    free(clock->at);
    clock->at = NULL;
}

static strict_entry *find(const strict_table *table, uintptr_t address)
{
    uint32_t i = (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (;; i++) {
        strict_entry *entry = &table->entries[i & (table->room - 1)];
        if (entry->address == address || entry->address == 0)
            return entry;
    }
}

static void grow(strict_table *table)
{
    strict_table old = *table;
    table->room = old.room ? 2 * old.room : 64;
    table->entries = zeros(table->room, sizeof *table->entries);
    for (uint32_t i = 0; i < old.room; i++)
        if (old.entries[i].address)
            *find(table, old.entries[i].address) = old.entries[i];
    free(old.entries);
}

strict_clock *strict_table_at(strict_table *table, uintptr_t address, bool is_made)
{
    if (is_made && 2 * table->n >= table->room)
        grow(table);
    if (table->room == 0)
        return NULL;
    strict_entry *entry = find(table, address);
    if (entry->address == 0) {
        if (!is_made)
            return NULL;
        entry->address = address;
        table->n++;
    }
    return &entry->clock;
}

void strict_table_free(strict_table *table)
{
    for (uint32_t i = 0; i < table->room; i++)
        strict_clock_free(&table->entries[i].clock);
    free(table->entries);
    *table = (strict_table){0};
}
