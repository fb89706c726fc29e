/* strict/strict_memory.h: who wrote each word of device and pinned memory last.
 *
 * Words are 4 bytes. Memory that was never announced has no records: stacks, arguments, tables. */
#ifndef STRICT_STRICT_MEMORY_H
#define STRICT_STRICT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct strict_word {
    /* of the store: later ones have greater numbers, and one store has one; 0: never written */
    uint64_t stamp;
    uint32_t writer; /* the warp, counted over all launches; 0: a copy or a fill */
    uint32_t is_strong : 1, clock : 31; /* by an atomic or a prim_store_now; the warp's own time */
} strict_word;

void strict_memory_add(void *at, size_t bytes); /* 0 bytes: what begins there is gone */
/* The records of the words that hold the bytes, and how many they are; NULL: this memory has
 * none. */
strict_word *strict_memory_words(const void *at, size_t bytes, size_t *n);

#endif
