/* emulated_memory.c: pieces of an emulated device's memory, each of pages of its own.
 *
 * The pages of a piece given back wait for the next of that size, so that devices which come and go do not ask the
 * system for the same pages again. Until then nobody can read them, as if they were gone.
 * Under ASan what the pages have before and behind a piece is poisoned. Callers hold the device's lock. */
#include "backend/gpu/device/emulated_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes)   __asan_poison_memory_region(at, bytes)
#define UNPOISON(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define POISON(at, bytes)   ((void)(at), (void)(bytes))
#define UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { PAGE = 4096, LARGE_PAGE = 2 << 20, SPARES = 16, SPARE_MAX = 16 << 20 };

typedef struct range { /* of whole pages, and one behind them that is never readable */
    unsigned char *at; /* NULL: none */
    size_t bytes;
} range;

typedef struct rp__emulated_piece {
    struct rp__emulated_piece *next;
    range range;
    unsigned char *at; /* its end is on the last page of the range */
    size_t bytes;      /* asked for */
    bool is_open;
} piece;

static range spares[SPARES];
static size_t oldest; /* the spare that goes next, where all are in use */

/* ---- Ranges -------------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* A large page is opened and closed at once, where small ones are one by one. */
static range map_range(size_t bytes)
{
    size_t large = bytes % LARGE_PAGE ? 0 : LARGE_PAGE, all = bytes + PAGE + large;
    unsigned char *at =
        mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return (range){NULL, 0};
    if (large) {
        size_t before = round_up((uintptr_t)at, LARGE_PAGE) - (uintptr_t)at;
        if (before > 0)
            munmap(at, before);
        at += before;
        if (before < large)
            munmap(at + bytes + PAGE, large - before);
        madvise(at, bytes, MADV_HUGEPAGE); /* a wish; all is well without */
    }
    return (range){at, bytes};
}

static range take_range(size_t bytes)
{
    for (size_t i = 0; i < SPARES; i++)
        if (spares[i].at && spares[i].bytes == bytes) {
            range found = spares[i];
            spares[i].at = NULL;
            return found;
        }
    return map_range(bytes);
}

/* It is closed. */
static void give_range(range r)
{
    size_t i = 0;
    while (i < SPARES && spares[i].at)
        i++;
    if (i == SPARES && r.bytes <= SPARE_MAX) {
        i = oldest;
        oldest = (oldest + 1) % SPARES;
        munmap(spares[i].at, spares[i].bytes + PAGE);
    }
    if (r.bytes <= SPARE_MAX)
        spares[i] = r;
    else
        munmap(r.at, r.bytes + PAGE);
}

/* ---- Pieces -------------------------------------------------------------------------------------- */

void *rp__emulated_memory_take(rp__emulated_memory *m, size_t bytes, size_t *pages)
{
    piece *p = rp__alloc(sizeof *p);
    *pages = round_up(bytes, PAGE);
    size_t unit = *pages < LARGE_PAGE / 2 ? PAGE : LARGE_PAGE;
    range r = p ? take_range(round_up(bytes, unit)) : (range){NULL, 0};
    if (!r.at) {
        rp__free(p);
        return NULL;
    }
    size_t before = r.bytes - *pages;
    *p = (piece){
        .next = m->pieces, .range = r, .at = r.at + before, .bytes = bytes, .is_open = m->is_host};
    mprotect(r.at, r.bytes, PROT_READ | PROT_WRITE);
    memset(p->at, 0xCD, *pages);
    if (!m->is_host)
        mprotect(r.at, r.bytes, PROT_NONE);
    POISON(r.at, before);
    POISON(p->at + bytes, *pages - bytes);
    m->pieces = p;
    m->used += bytes;
    return p->at;
}

bool rp__emulated_memory_give(rp__emulated_memory *m, void *at)
{
    piece **p = &m->pieces;
    while (*p && (*p)->at != at)
        p = &(*p)->next;
    piece *gone = *p;
    if (!gone)
        return false;
    if (gone->is_open)
        mprotect(gone->range.at, gone->range.bytes, PROT_NONE);
    *p = gone->next;
    m->used -= gone->bytes;
    UNPOISON(gone->range.at, gone->range.bytes);
    give_range(gone->range);
    rp__free(gone);
    return true;
}

void *rp__emulated_memory_any(const rp__emulated_memory *m)
{
    return m->pieces ? m->pieces->at : NULL;
}

static void protect(piece *p, bool is_open)
{
    if (p->is_open != is_open)
        mprotect(p->range.at, p->range.bytes, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
    p->is_open = is_open;
}

void rp__emulated_memory_open(rp__emulated_memory *m)
{
    for (piece *p = m->pieces; p; p = p->next)
        protect(p, true);
}

void rp__emulated_memory_open_at(rp__emulated_memory *m, const void *at, size_t bytes)
{
    const uintptr_t from = (uintptr_t)at;
    for (piece *p = m->pieces; p; p = p->next)
        if (from < (uintptr_t)p->at + p->bytes && (uintptr_t)p->at < from + bytes)
            protect(p, true);
}

void rp__emulated_memory_close(rp__emulated_memory *m)
{
    for (piece *p = m->pieces; p; p = p->next)
        protect(p, false);
}
