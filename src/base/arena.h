/* base/arena.h: memory that is given back all at once, with a cap on the whole.
 *
 * One thread at a time. A query's scratch lives in one arena; its cap is the query's memory
 * limit. */
#ifndef RP_BASE_ARENA_H
#define RP_BASE_ARENA_H

#include <stddef.h>

typedef struct rp__arena_chunk rp__arena_chunk;

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
/* 64-byte aligned; NULL: cap or no memory */
void *rp__arena_alloc(rp__arena *arena, size_t bytes);
void *rp__arena_array(rp__arena *arena, size_t n, size_t size); /* overflow checked */
void *rp__arena_zero(rp__arena *arena, size_t n, size_t size);
char *rp__arena_copy(rp__arena *arena, const void *bytes, size_t n); /* with a NUL behind */
rp__arena_mark rp__arena_get_mark(const rp__arena *arena);
void rp__arena_rewind(rp__arena *arena, rp__arena_mark mark);
void rp__arena_clear(rp__arena *arena); /* all handed out is void; the memory is kept for reuse */
void rp__arena_reset(rp__arena *arena); /* gives everything back to the system */

#endif
