/* base/arena.h: memory that is given back all at once, with a cap on the whole.
 *
 * One thread at a time. A query's scratch lives in one arena; its cap is the query's memory
 * limit. */
#ifndef RP_BASE_ARENA_H
#define RP_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { RP_ARENA_ALIGN = 64 };

typedef struct rp__arena_chunk {
    struct rp__arena_chunk *next;
    size_t cap, used;
    unsigned char *at; /* aligned */
} rp__arena_chunk;

typedef struct rp__arena {
    rp__arena_chunk *chunks, *spare;
    size_t used, cap; /* bytes handed out; most that may be */
    size_t held;      /* bytes of all chunks */
} rp__arena;

typedef struct rp__arena_mark {
    rp__arena_chunk *chunk;
    size_t chunk_used, used;
} rp__arena_mark;

void rp__arena_init(rp__arena *arena, size_t cap_bytes);
/* rp__arena_alloc where the first chunk has no room for so many bytes. */
void *rp__arena_alloc_slow(rp__arena *arena, size_t bytes);

/* 64-byte aligned; NULL: cap or no memory */
static inline void *rp__arena_alloc(rp__arena *arena, size_t bytes)
{
    const size_t align = RP_ARENA_ALIGN, n = ((bytes ? bytes : 1) + align - 1) & ~(align - 1);
    rp__arena_chunk *chunk = arena->chunks;
    if (bytes > SIZE_MAX - align || !chunk || n > chunk->cap - chunk->used ||
        n > arena->cap - arena->used)
        return rp__arena_alloc_slow(arena, bytes);
    void *p = chunk->at + chunk->used;
    chunk->used += n;
    arena->used += n;
    return p;
}

void *rp__arena_array(rp__arena *arena, size_t n, size_t size); /* overflow checked */
void *rp__arena_zero(rp__arena *arena, size_t n, size_t size);
char *rp__arena_copy(rp__arena *arena, const void *bytes, size_t n); /* with a NUL behind */
rp__arena_mark rp__arena_get_mark(const rp__arena *arena);
void rp__arena_rewind(rp__arena *arena, rp__arena_mark mark);
void rp__arena_clear(rp__arena *arena); /* all handed out is void; the memory is kept for reuse */
void rp__arena_reset(rp__arena *arena); /* gives everything back to the system */

#endif
