/* strict.c: the rules of strict mode.
 *
 * Visibility is tracked per warp, with vector clocks (strict_clock.h): a store bears its warp's time. A fence releases what the
 * warp knows: atomics and prim_store_now leave that at their word, atomics, prim_look and prim_load_now find it there, and
 * the next fence of the warp that found it takes it over. A barrier shares all of this among the warps of a block: that each
 * thread fences before a barrier, and one of them has an atomic after it, is as good as a fence after the barrier. A launch
 * sees all that was written before it. Lanes of one warp are not told apart.
 * Invariant: kernels run under the lock of the emulated device, so that one fiber is here at a time. */
#include "strict/strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "strict/strict_calls.h"
#include "strict/strict_clock.h"
#include "strict/strict_kernels.h"
#include "strict/strict_memory.h"

enum {
    WARP = 32,
    WARPS_MOST = RP_FIBER_MAX / WARP,
    LINE = 16, /* bytes of an asynchronous copy */
    SHARED_LINES = (256 << 10) / LINE,
    IN_FLIGHT_LEAST = 4,
    SITES = 64,
    TEXT = 400,
};

typedef struct grid { /* a launch */
    size_t kernel;
    uint64_t begin;   /* stamp: later stores are of this launch's time */
    uint32_t base;    /* number of the warp before its first */
    uint32_t n_warps; /* of all blocks */
    uint32_t *fenced; /* time of each warp's last fence */
    uint64_t random;
    strict_table words; /* that atomics and prim_store_now wrote */
} grid;

typedef struct warp {
    uint32_t time;
    uint64_t others; /* stamp: stores of copies and of other launches are known up to here */
    strict_clock known, found,
        released; /* visible; visible after a fence; fenced by whoever wrote it */
} warp;

typedef struct copy { /* an asynchronous copy without its wait so far */
    uint32_t thread;
    unsigned char *to;
    const unsigned char *from;
} copy;

typedef struct block {
    grid *grid;
    uint32_t index, n_warps;
    uintptr_t stacks, shared;
    warp warps[WARPS_MOST];
    copy *copies;
    size_t n_copies, room;
    unsigned char is_coming[SHARED_LINES]; /* copies to each line of shared memory */
} block;

static uint64_t stamp = 1;
static uint32_t n_warps_ever;
static bool launched[RP_KERNELS_MAX];
static strict_plant planted;
static uint64_t n_planted;
static char fault_text[TEXT];
static struct {
    const char *function;
    uint32_t line;
} sites[SITES]; /* fences that were run */
static size_t n_sites;

/* ---- Faults ------------------------------------------------------------------------------------- */

static block *here(void)
{
    return rp__fiber_here.watched;
}

/* Keeps the first of them, and ends the kernel: the fiber does not go on. */
static void fault(const void *at, const char *where, const char *rule)
{
    if (!fault_text[0])
        snprintf(fault_text, sizeof fault_text, "%s, block %u, thread %u, address %p%s%s: %s",
                 rp__kernel_table_at(here()->grid->kernel)->name, (unsigned)rp__fiber_here.block,
                 (unsigned)rp__fiber_here.thread, at, where ? ", in " : "", where ? where : "",
                 rule);
    rp__fiber_trap();
}

static bool is_planted(strict_kind kind, const char *where)
{
    bool is = planted.kind == kind && !strcmp(planted.function, where);
    n_planted += is;
    return is;
}

/* The how manieth of its function's fences one is, of those that were ever run, by line. */
static int fence_number(const char *where, uint32_t line)
{
    int before = 0;
    bool is_new = true;
    for (size_t i = 0; i < n_sites; i++)
        if (!strcmp(sites[i].function, where)) {
            before += sites[i].line < line;
            is_new &= sites[i].line != line;
        }
    if (is_new && n_sites < SITES) {
        sites[n_sites].function = where;
        sites[n_sites++].line = line;
    }
    return before + 1;
}

/* ---- What a warp knows --------------------------------------------------------------------------- */

static warp *warp_here(const block *b)
{
    return (warp *)&b->warps[rp__fiber_here.thread / WARP];
}

static uint32_t id_here(const block *b)
{
    return rp__fiber_here.block * b->n_warps + rp__fiber_here.thread / WARP;
}

static bool is_of_grid(const grid *g, const strict_word *word)
{
    return word->writer > g->base && word->writer <= g->base + g->n_warps;
}

/* Whether the warp may rely on the last store to a word. */
static bool is_known(const block *b, const strict_word *word)
{
    const grid *g = b->grid;
    const warp *w = warp_here(b);
    if (word->stamp < g->begin)
        return true;
    if (!is_of_grid(g, word))
        return word->stamp <= w->others;
    uint32_t id = word->writer - g->base - 1;
    return id == id_here(b) || strict_clock_get(&w->known, id) >= word->clock;
}

static const char *why_unknown(const block *b, const strict_word *word)
{
    const grid *g = b->grid;
    if (!is_of_grid(g, word))
        return "it reads what a copy or another kernel wrote since the launch began, with no "
               "atomic "
               "or prim_load_now in between";
    return g->fenced[word->writer - g->base - 1] < word->clock
               ? "it reads what another warp wrote, and has not fenced since"
               : "it reads what another warp wrote, and that warp's fence, an atomic or prim_look, "
                 "and a fence of its own do not lie in between, in this order";
}

/* An atomic or a prim_load_now of these bytes has found what others have left there. */
static void find(block *b, const void *at, uint32_t bytes)
{
    warp *w = warp_here(b);
    for (uint32_t i = 0; i < bytes; i += 4) {
        const strict_clock *left = strict_table_at(&b->grid->words, (uintptr_t)at + i, false);
        if (left)
            strict_clock_join(&w->found, left, b->grid->n_warps);
    }
    w->others = stamp;
}

/* An atomic goes on with what others have left at the word; a store begins anew. */
static void leave(block *b, const void *at, uint32_t bytes, bool goes_on)
{
    const warp *w = warp_here(b);
    for (uint32_t i = 0; i < bytes; i += 4) {
        strict_clock *left =
            strict_table_at(&b->grid->words, (uintptr_t)at + i, w->released.at != NULL);
        if (left && goes_on)
            strict_clock_join(left, &w->released, b->grid->n_warps);
        else if (left)
            strict_clock_copy(left, &w->released, b->grid->n_warps);
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------ */

/* Memory of the block's own: stacks, which nobody checks, and shared memory. */
static bool is_own(const block *b, const void *at, size_t bytes, const char *where)
{
    uintptr_t from = (uintptr_t)at;
    if (from < b->stacks || from >= b->shared + (size_t)SHARED_LINES * LINE)
        return false;
    if (from >= b->shared && b->n_copies > 0)
        for (size_t line = (from - b->shared) / LINE; line <= (from - b->shared + bytes - 1) / LINE;
             line++)
            if (b->is_coming[line])
                fault(at, where,
                      "shared memory is used before the wait for the copy that fills it");
    return true;
}

static void check_place(const block *b, const void *at, size_t bytes, const char *where)
{
    uintptr_t from = (uintptr_t)at;
    if (from % bytes && (from < b->stacks || from >= b->shared))
        fault(at, where, "the access is not aligned to its size");
}

static void check_plain(const block *b, const void *at, size_t bytes, const char *where)
{
    size_t n;
    const strict_word *words = strict_memory_words(at, bytes, &n);
    for (size_t i = 0; words && i < n; i++)
        if (!is_known(b, &words[i]))
            fault(at, where, why_unknown(b, &words[i]));
}

static void check_cached(const block *b, const void *at, size_t bytes, const char *where)
{
    size_t n;
    const strict_word *words = strict_memory_words(at, bytes, &n);
    for (size_t i = 0; words && i < n; i++)
        if (words[i].stamp >= b->grid->begin)
            fault(at, where, "prim_load reads what was written since the launch began");
}

/* Words that others may write meanwhile, by atomics and prim_store_now: an atomic, or a prim_look, of which 8 bytes at a
 * time are whole. */
static void check_look(const block *b, const void *at, size_t bytes, bool is_whole,
                       const char *where)
{
    size_t n;
    const strict_word *words = strict_memory_words(at, bytes, &n);
    for (size_t i = 0; words && i < n; i++) {
        if (is_known(b, &words[i]))
            continue;
        if (!words[i].is_strong)
            fault(at, where, why_unknown(b, &words[i]));
        else if (!is_whole && n > 1 && words[i].stamp != words[i ^ 1].stamp)
            fault(at, where, "it reads two halves that are not of one store");
    }
}

static void record_store(const block *b, void *at, size_t bytes, bool is_strong)
{
    size_t n;
    strict_word *words = strict_memory_words(at, bytes, &n);
    const strict_word new = {.stamp = ++stamp,
                             .writer = b->grid->base + 1 + id_here(b),
                             .is_strong = is_strong,
                             .clock = warp_here(b)->time & 0x7FFFFFFF};
    for (size_t i = 0; words && i < n; i++)
        words[i] = new;
}

void strict_read(const void *at, size_t bytes, bool has_size)
{
    const block *b = here();
    if (has_size)
        check_place(b, at, bytes, NULL);
    if (!is_own(b, at, bytes, NULL))
        check_plain(b, at, bytes, NULL);
}

void strict_write(void *at, size_t bytes, bool has_size)
{
    const block *b = here();
    if (has_size)
        check_place(b, at, bytes, NULL);
    if (!is_own(b, at, bytes, NULL))
        record_store(b, at, bytes, false);
}

/* ---- Calls of prim_strict.cuh ------------------------------------------------------------------------- */

/* Now and then the others go first. */
static void pause_sometimes(void)
{
    grid *g = here()->grid;
    g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (g->random >> 62 == 0)
        rp__fiber_pause();
}

void rp__strict_fence(const char *where, uint32_t line)
{
    pause_sometimes();
    block *b = here();
    warp *w = warp_here(b);
    const uint32_t n = b->grid->n_warps, id = id_here(b);
    const int number = fence_number(where, line);
    if ((planted.number == 0 || planted.number == number) && is_planted(STRICT_NO_FENCE, where))
        return;
    strict_clock_join(&w->known, &w->found, n);
    strict_clock_copy(&w->released, &w->known, n);
    strict_clock_set(&w->released, id, w->time, n);
    b->grid->fenced[id] = w->time++;
}

/* prim_load_now is held to what a plain load is; as an atomic it finds what others have left. */
static void load_now(void *to, const void *at, uint32_t bytes, bool is_look, const char *where)
{
    rp__fiber_pause();
    block *b = here();
    if (!is_own(b, at, bytes, where)) {
        if (is_look)
            check_look(b, at, bytes, false, where);
        else
            check_plain(b, at, bytes, where);
        find(b, at, bytes);
    }
    memcpy(to, at, bytes);
}

void rp__strict_load(void *to, const void *at, uint32_t bytes, uint32_t kind, const char *where)
{
    const block *b = here();
    if (bytes == 16 && is_planted(STRICT_MISPLACED, where))
        at = (const unsigned char *)at + 8;
    check_place(b, at, bytes, where);
    if (kind == STRICT_LOAD_NOW && is_planted(STRICT_CACHED, where))
        kind = STRICT_LOAD_CACHED;
    if (kind == STRICT_LOAD_NOW || kind == STRICT_LOOK) {
        load_now(to, at, bytes, kind == STRICT_LOOK, where);
        return;
    }
    if (kind == STRICT_LOAD_CACHED)
        check_cached(b, at, bytes, where);
    else if (!is_own(b, at, bytes, where))
        check_plain(b, at, bytes, where);
    memcpy(to, at, bytes);
}

static void store(void *at, const void *from, uint32_t bytes, bool is_now)
{
    block *b = here();
    if (!is_own(b, at, bytes, NULL)) {
        record_store(b, at, bytes, is_now);
        if (is_now)
            leave(b, at, bytes, false);
    }
    memcpy(at, from, bytes);
}

void rp__strict_store(void *at, const void *from, uint32_t bytes, uint32_t is_now,
                      const char *where)
{
    check_place(here(), at, bytes, where);
    if (is_now && bytes == 8 && is_planted(STRICT_TWO_HALVES, where)) {
        store((unsigned char *)at + 4, (const unsigned char *)from + 4, 4, true);
        rp__fiber_pause();
        store(at, from, 4, true);
        return;
    }
    store(at, from, bytes, is_now);
}

static uint64_t combine(uint32_t what, uint64_t before, uint64_t value)
{
    return what == STRICT_ADD   ? before + value
           : what == STRICT_OR  ? before | value
           : what == STRICT_MAX ? (before > value ? before : value)
                                : value;
}

uint64_t rp__strict_atomic(void *at, uint32_t bytes, uint32_t what, uint64_t value,
                           const char *where)
{
    uint64_t before = 0, after;
    pause_sometimes();
    block *b = here();
    check_place(b, at, bytes, where);
    if (!is_own(b, at, bytes, where)) {
        if (what == STRICT_SWAP) /* a sum in the making may be added to, not taken */
            check_plain(b, at, bytes, where);
        check_look(b, at, bytes, true, where);
        find(b, at, bytes);
        leave(b, at, bytes, true);
        record_store(b, at, bytes, true);
    }
    memcpy(&before, at, bytes);
    after = combine(what, before, value);
    memcpy(at, &after, bytes);
    return before;
}

void rp__strict_copy16(void *to, const void *from, const char *where)
{
    block *b = here();
    check_place(b, to, LINE, where);
    check_place(b, from, LINE, where);
    check_plain(b, from, LINE, where);
    if (b->n_copies == b->room) {
        b->room = b->room ? 2 * b->room : 64;
        b->copies = realloc(b->copies, b->room * sizeof *b->copies);
        if (!b->copies)
            abort();
    }
    b->copies[b->n_copies++] = (copy){rp__fiber_here.thread, to, from};
    b->is_coming[((uintptr_t)to - b->shared) / LINE]++;
}

void rp__strict_copies_wait(const char *where)
{
    block *b = here();
    size_t left = 0;
    if (is_planted(STRICT_NO_WAIT, where))
        return;
    for (size_t i = 0; i < b->n_copies; i++) {
        const copy c = b->copies[i];
        if (c.thread == rp__fiber_here.thread) {
            memcpy(c.to, c.from, LINE);
            b->is_coming[((uintptr_t)c.to - b->shared) / LINE]--;
        } else {
            b->copies[left++] = c;
        }
    }
    b->n_copies = left;
}

/* ---- What the emulated device reports ------------------------------------------------------------ */

static void *begin_block(void *watched, const rp__fiber_place *place, const unsigned char *stacks)
{
    block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->grid = watched;
    b->index = place->block;
    b->n_warps = (place->block_size + WARP - 1) / WARP;
    b->stacks = (uintptr_t)stacks;
    b->shared = (uintptr_t)place->shared;
    for (uint32_t i = 0; i < b->n_warps; i++)
        b->warps[i] = (warp){.time = 1, .others = b->grid->begin};
    return b;
}

static void pass_barrier(void *watched)
{
    block *b = watched;
    warp *first = &b->warps[0];
    const uint32_t n = b->grid->n_warps, base = b->index * b->n_warps;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        warp *w = &b->warps[i];
        strict_clock_join(&first->known, &w->known, n);
        strict_clock_set(&first->known, base + i, w->time++, n);
        strict_clock_join(&first->found, &w->found, n);
        strict_clock_join(&first->released, &w->released, n);
        first->others = w->others > first->others ? w->others : first->others;
    }
    for (uint32_t i = 1; i < b->n_warps; i++) {
        strict_clock_copy(&b->warps[i].known, &first->known, n);
        strict_clock_copy(&b->warps[i].found, &first->found, n);
        strict_clock_copy(&b->warps[i].released, &first->released, n);
        b->warps[i].others = first->others;
    }
}

static void end_block(void *watched)
{
    block *b = watched;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        strict_clock_free(&b->warps[i].known);
        strict_clock_free(&b->warps[i].found);
        strict_clock_free(&b->warps[i].released);
    }
    free(b->copies);
    free(b);
}

static const rp__fiber_watch blocks = {begin_block, pass_barrier, end_block};

static void begin_grid(size_t kernel, rp__fiber_launch *launch)
{
    grid *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->kernel = kernel;
    g->begin = ++stamp;
    g->base = n_warps_ever;
    g->n_warps = launch->grid * ((launch->block + WARP - 1) / WARP);
    g->fenced = calloc(g->n_warps, sizeof *g->fenced);
    if (!g->fenced)
        abort();
    g->random = launch->seed;
    n_warps_ever += g->n_warps;
    launched[kernel] = true;
    launch->kernel = strict_kernels[kernel];
    launch->in_flight = IN_FLIGHT_LEAST + (uint32_t)(launch->seed % 5);
    launch->watch = &blocks;
    launch->watched = g;
}

static void end_grid(void *watched)
{
    grid *g = watched;
    strict_table_free(&g->words);
    free(g->fenced);
    free(g);
}

static void record_copy(void *at, size_t bytes)
{
    size_t n;
    strict_word *words = strict_memory_words(at, bytes, &n);
    ++stamp;
    for (size_t i = 0; words && i < n; i++)
        words[i] = (strict_word){.stamp = stamp};
}

/* ---- The whole ----------------------------------------------------------------------------------- */

void strict_begin(void)
{
    static const rp__emulated_device_watcher watcher = {
        .memory = strict_memory_add, .written = record_copy, .launch = begin_grid, .end = end_grid};
    memset(launched, 0, sizeof launched);
    rp__emulated_device_watch(&watcher);
}

void strict_plant_fault(strict_plant plant)
{
    planted = plant;
    n_planted = 0;
    fault_text[0] = 0;
}

uint64_t strict_planted(void)
{
    return n_planted;
}

const char *strict_fault(void)
{
    return fault_text;
}

bool strict_launched(uint32_t kernel)
{
    return launched[kernel];
}
