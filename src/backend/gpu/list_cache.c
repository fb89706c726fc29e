/* list_cache.c: lists in a stretch of memory: found by key, given way by age and worth.
 *
 * Invariants: 1 pieces lie end to end over the whole stretch, and no two free ones side by side; 2 a piece is free,
 * or held, or found: one that is neither held nor found is freed at once; 3 the list by age has those that are found
 * and not held. */
#include "backend/gpu/list_cache.h"

#include "base/alloc.h"
#include "base/bits.h"

enum {
    TRIES = 8, /* of the oldest, to make a hole around; of holes of about the right size */
    LIVES = 8, /* touches a piece, on average, before all touches are halved */
    LEAST = 64,
};

/* ---- Chains ------------------------------------------------------------------------------------- */

static uint32_t size_of(uint64_t bytes)
{
    return rp__bits_width64(bytes / RP_LIST_CACHE_GRAIN) - 1;
}

/* Free pieces of about one size; the first is that of the array. */
static void link_hole(rp__list_cache *c, rp__list_piece *p)
{
    rp__list_piece **first = &c->holes[size_of(p->bytes)];
    p->is_free = true;
    p->newer = NULL;
    p->older = *first;
    if (*first)
        (*first)->newer = p;
    *first = p;
}

static void unlink_hole(rp__list_cache *c, rp__list_piece *p)
{
    if (p->newer)
        p->newer->older = p->older;
    else
        c->holes[size_of(p->bytes)] = p->older;
    if (p->older)
        p->older->newer = p->newer;
    p->older = p->newer = NULL;
    p->is_free = false;
}

static void link_newest(rp__list_cache *c, rp__list_piece *p)
{
    p->newer = NULL;
    p->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = p;
    c->newest = p;
}

static void unlink_age(rp__list_cache *c, rp__list_piece *p)
{
    *(p->older ? &p->older->newer : &c->oldest) = p->newer;
    *(p->newer ? &p->newer->older : &c->newest) = p->older;
    p->older = p->newer = NULL;
}

static rp__list_piece **chain_of(const rp__list_cache *c, const void *key)
{
    uint64_t x = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    return &c->table[(x >> 32) & (c->n_table - 1)];
}

static rp__list_piece *look_up(const rp__list_cache *c, const void *key)
{
    rp__list_piece *p = *chain_of(c, key);
    while (p && p->key != key)
        p = p->same;
    return p;
}

static void unlink_key(rp__list_cache *c, rp__list_piece *p)
{
    rp__list_piece **at = chain_of(c, p->key);
    while (*at != p)
        at = &(*at)->same;
    *at = p->same;
    p->same = NULL;
    p->is_found = false;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

static rp__list_piece *new_piece(rp__list_cache *c, rp__list_piece from)
{
    rp__list_piece *p = c->unused ? c->unused : &c->pieces[c->n_touched++];
    c->unused = c->unused ? p->same : NULL;
    *p = from;
    return p;
}

static void drop_piece(rp__list_cache *c, rp__list_piece *p)
{
    *p = (rp__list_piece){.same = c->unused};
    c->unused = p;
}

/* Takes the piece behind it in. */
static void merge(rp__list_cache *c, rp__list_piece *p)
{
    rp__list_piece *gone = p->after;
    p->bytes += gone->bytes;
    p->after = gone->after;
    if (p->after)
        p->after->before = p;
    drop_piece(c, gone);
}

/* Returns the hole that it is part of now. */
static rp__list_piece *make_free(rp__list_cache *c, rp__list_piece *p)
{
    c->in_use -= p->bytes;
    c->n--;
    if (p->after && p->after->is_free) {
        unlink_hole(c, p->after);
        merge(c, p);
    }
    if (p->before && p->before->is_free) {
        p = p->before;
        unlink_hole(c, p);
        merge(c, p);
    }
    link_hole(c, p);
    return p;
}

static rp__list_piece *find_hole(const rp__list_cache *c, uint64_t bytes)
{
    uint32_t size = size_of(bytes), tries = TRIES;
    for (rp__list_piece *p = c->holes[size]; p && tries-- > 0; p = p->older)
        if (p->bytes >= bytes)
            return p;
    while (++size < RP_LIST_CACHE_SIZES)
        if (c->holes[size])
            return c->holes[size];
    return NULL;
}

/* The first bytes of a hole. */
static rp__list_piece *cut(rp__list_cache *c, rp__list_piece *hole, const void *key, uint64_t bytes)
{
    unlink_hole(c, hole);
    rp__list_piece rest = {
        .before = hole, .after = hole->after, .at = hole->at + bytes, .bytes = hole->bytes - bytes};
    if (rest.bytes > 0) {
        rp__list_piece *p = new_piece(c, rest);
        hole->bytes = bytes;
        hole->after = p;
        if (p->after)
            p->after->before = p;
        link_hole(c, p);
    }
    hole->key = key;
    hole->holds = 1;
    c->in_use += bytes;
    c->n++;
    return hole;
}

/* ---- Giving way --------------------------------------------------------------------------------- */

static uint64_t worth_of(const rp__list_cache *c, const void *key, uint64_t bytes)
{
    return rp__list_touches_get(&c->touches, key) * bytes;
}

/* What is lost if it gives way; UINT64_MAX: it must not. */
static uint64_t price_of(const rp__list_cache *c, const rp__list_piece *p)
{
    if (!p || p->holds > 0)
        return UINT64_MAX;
    return p->is_free ? 0 : worth_of(c, p->key, p->bytes);
}

/* Pieces from *first on, `bytes` in all, around a piece that may go: always the cheaper neighbour next. False: they
 * are not worth less than `worth`. */
static bool price_hole(const rp__list_cache *c, uint64_t bytes, uint64_t worth,
                       rp__list_piece **first, rp__list_piece **last)
{
    uint64_t room = (*first)->bytes, price = price_of(c, *first);
    while (room < bytes && price < worth) {
        uint64_t left = price_of(c, (*first)->before), right = price_of(c, (*last)->after);
        if (left == UINT64_MAX && right == UINT64_MAX)
            return false;
        rp__list_piece *next = left < right ? (*first)->before : (*last)->after;
        *(left < right ? first : last) = next;
        room += next->bytes;
        price += left < right ? left : right;
    }
    return price < worth;
}

static rp__list_piece *evict(rp__list_cache *c, rp__list_piece *p)
{
    c->stats.evicted++;
    c->stats.evicted_bytes += p->bytes;
    unlink_age(c, p);
    unlink_key(c, p);
    return make_free(c, p);
}

/* Freeing one takes free neighbours in: so from the end of the last backwards, until the first is in. */
static rp__list_piece *evict_all(rp__list_cache *c, rp__list_piece *first, rp__list_piece *last)
{
    uint64_t from = first->at;
    rp__list_piece *hole = last->is_free ? last : evict(c, last);
    while (hole->at > from)
        hole = evict(c, hole->before);
    return hole;
}

static rp__list_piece *make_hole(rp__list_cache *c, uint64_t bytes, uint64_t worth)
{
    rp__list_piece *start = c->oldest;
    for (uint32_t i = 0; start && i < TRIES; i++, start = start->newer) {
        rp__list_piece *first = start, *last = start;
        if (price_hole(c, bytes, worth, &first, &last))
            return evict_all(c, first, last);
    }
    return NULL;
}

/* ---- The door ----------------------------------------------------------------------------------- */

bool rp__list_cache_open(rp__list_cache *c, uint64_t at, uint64_t bytes, size_t most)
{
    size_t n = 2 * most + 1; /* holes lie between lists */
    bytes = bytes / RP_LIST_CACHE_GRAIN * RP_LIST_CACHE_GRAIN;
    *c = (rp__list_cache){.bytes = bytes, .most = most, .n_table = 1};
    while (c->n_table < most)
        c->n_table *= 2;
    c->pieces = rp__alloc_zero(n, sizeof *c->pieces);
    c->table = rp__alloc_zero(c->n_table, sizeof(rp__list_piece *));
    bool has_touches = rp__list_touches_open(&c->touches, most);
    if (!c->pieces || !c->table || !has_touches) {
        rp__list_cache_close(c);
        return false;
    }
    if (c->bytes)
        link_hole(c, new_piece(c, (rp__list_piece){.at = at, .bytes = c->bytes}));
    return true;
}

void rp__list_cache_close(rp__list_cache *c)
{
    rp__free(c->pieces);
    rp__free(c->table);
    rp__list_touches_close(&c->touches);
    *c = (rp__list_cache){0};
}

rp__list_piece *rp__list_cache_find(rp__list_cache *c, const void *key)
{
    if (c->touches.since >= LIVES * (c->n > LEAST ? c->n : LEAST))
        rp__list_touches_halve(&c->touches);
    rp__list_touches_add(&c->touches, key);
    rp__list_piece *p = look_up(c, key);
    c->stats.hits += p != NULL;
    c->stats.misses += p == NULL;
    if (p && p->holds++ == 0)
        unlink_age(c, p);
    return p;
}

rp__list_piece *rp__list_cache_take(rp__list_cache *c, const void *key, uint64_t bytes)
{
    rp__list_piece *hole = NULL;
    if (bytes > 0 && bytes <= c->bytes) {
        bytes = rp__bits_align(bytes, RP_LIST_CACHE_GRAIN);
        hole = c->n < c->most ? find_hole(c, bytes) : NULL;
        if (!hole && key)
            hole = make_hole(c, bytes, worth_of(c, key, bytes));
    }
    c->stats.refused += hole == NULL;
    return hole ? cut(c, hole, key, bytes) : NULL;
}

void rp__list_cache_put(rp__list_cache *c, rp__list_piece *p)
{
    if (!p->key || look_up(c, p->key))
        return;
    rp__list_piece **chain = chain_of(c, p->key);
    p->same = *chain;
    *chain = p;
    p->is_found = true;
}

void rp__list_cache_let_go(rp__list_cache *c, rp__list_piece *p)
{
    if (--p->holds > 0)
        return;
    if (p->is_found)
        link_newest(c, p);
    else
        (void)make_free(c, p);
}
