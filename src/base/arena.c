/* arena.c: chunks from alloc.c, handed out from front to back. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum { ALIGN = RP_ARENA_ALIGN, CHUNK = 64 * 1024 };

void rp__arena_init(rp__arena *arena, size_t cap_bytes)
{
    *arena = (rp__arena){.cap = cap_bytes};
}

static rp__arena_chunk *take_spare(rp__arena *arena, size_t bytes)
{
    for (rp__arena_chunk **p = &arena->spare; *p; p = &(*p)->next) {
        if ((*p)->cap < bytes)
            continue;
        rp__arena_chunk *chunk = *p;
        *p = chunk->next;
        return chunk;
    }
    return NULL;
}

static void free_spare(rp__arena *arena)
{
    rp__arena_chunk *chunk = arena->spare;
    arena->spare = chunk->next;
    arena->held -= chunk->cap;
    rp__free(chunk);
}

/* Chunks that are kept for reuse and too small for it make way: the cap holds for them too. */
static rp__arena_chunk *new_chunk(rp__arena *arena, size_t bytes)
{
    size_t cap = bytes > CHUNK ? bytes : CHUNK;
    while (arena->spare && arena->held + cap > arena->cap)
        free_spare(arena);
    rp__arena_chunk *chunk = rp__alloc(sizeof *chunk + cap + ALIGN);
    if (!chunk)
        return NULL;
    uintptr_t begin = ((uintptr_t)(chunk + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    *chunk = (rp__arena_chunk){.cap = cap, .at = (uint8_t *)begin};
    arena->held += cap;
    return chunk;
}

void *rp__arena_alloc_slow(rp__arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGN)
        return NULL;
    size_t n = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (n == 0)
        n = ALIGN;
    if (n > arena->cap - arena->used)
        return NULL;
    rp__arena_chunk *chunk = take_spare(arena, n);
    if (!chunk)
        chunk = new_chunk(arena, n);
    if (!chunk)
        return NULL;
    chunk->used = n;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used += n;
    return chunk->at;
}

void *rp__arena_array(rp__arena *arena, size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL : rp__arena_alloc(arena, bytes);
}

void *rp__arena_zero(rp__arena *arena, size_t n, size_t size)
{
    void *p = rp__arena_array(arena, n, size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

char *rp__arena_copy(rp__arena *arena, const void *bytes, size_t n)
{
    char *p = n == SIZE_MAX ? NULL : rp__arena_alloc(arena, n + 1);
    if (!p)
        return NULL;
    if (n)
        memcpy(p, bytes, n);
    p[n] = 0;
    return p;
}

rp__arena_mark rp__arena_get_mark(const rp__arena *arena)
{
    return (rp__arena_mark){arena->chunks, arena->chunks ? arena->chunks->used : 0, arena->used};
}

void rp__arena_rewind(rp__arena *arena, rp__arena_mark mark)
{
    while (arena->chunks != mark.chunk) {
        rp__arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        chunk->next = arena->spare;
        arena->spare = chunk;
    }
    if (arena->chunks)
        arena->chunks->used = mark.chunk_used;
    arena->used = mark.used;
}

void rp__arena_clear(rp__arena *arena)
{
    rp__arena_rewind(arena, (rp__arena_mark){0});
}

void rp__arena_reset(rp__arena *arena)
{
    rp__arena_clear(arena);
    while (arena->spare)
        free_spare(arena);
}
