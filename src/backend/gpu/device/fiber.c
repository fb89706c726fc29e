/* fiber.c: the blocks of a kernel, and the threads of each, every one a fiber with a stack of its own.
 *
 * A fiber runs until it waits or ends; then the next one that can go on does, in an order drawn anew for each
 * round. So what a kernel may not rely on, the order of its threads between barriers, differs from seed to
 * seed. A round in which nobody can go on is a fault of the kernel.
 * Invariant: a fiber that waits goes on once *waits_for differs from what it saw. */
#include "backend/gpu/device/fiber.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    STACK = 128 << 10,
    STRIDE = STACK + (4 << 10) +
             17 * 64, /* stacks that lay alike would share a few sets of the caches */
    SHARED_MAX = 256 << 10,
    WIDTHS = 3,
    TILE_MIN = 8,
    TILES = RP_FIBER_MAX / TILE_MIN,
    IDLE_NS = 100000, /* that pass each time a block is idle */
};

void rp__fiber_switch(void **save, void *load);
rp__fiber_place rp__fiber_here;

typedef struct fiber {
    void *stack_pointer;
    const uint64_t *waits_for;
    uint64_t saw;
    bool is_over, is_idle;
} fiber;

typedef struct tile {
    uint64_t turn; /* exchanges so far */
    uint32_t here; /* threads that have come to the next */
    uint64_t values[2][32];
} tile;

typedef struct rp__fiber_block {
    struct rp__fiber_block *next; /* of those that are idle, or to be used again */
    rp__fiber_launch launch;
    rp__fiber_place place;
    unsigned char *stacks; /* of the fibers, and behind them the shared memory */
    uint64_t barrier;      /* barriers passed */
    uint32_t here, running, now;
    uint32_t tried, ran; /* fibers of this round's order; turns that they had */
    uint64_t random, clock, turns;
    bool is_trapped;
    void *scheduler; /* its stack pointer */
#if defined(__SANITIZE_ADDRESS__)
    const void *scheduler_stack;
    size_t scheduler_bytes;
    bool by_scheduler; /* whose stack the fiber that goes on comes from */
#endif
    fiber fibers[RP_FIBER_MAX];   /* cleared as far as a launch uses them; all before is cleared */
    uint32_t order[RP_FIBER_MAX]; /* of the round */
    tile tiles[WIDTHS][TILES];
} block;

static block *running, *spare;

/* ---- Switching ----------------------------------------------------------------------------------- */

static bool can_run(const fiber *f)
{
    return !f->is_over && !f->is_idle && (!f->waits_for || *f->waits_for != f->saw);
}

/* Whether some fiber has the next turn of this round: then it is `now`. */
static bool pick_fiber(block *b)
{
    while (b->tried < b->launch.block && !b->is_trapped) {
        uint32_t i = b->order[b->tried++];
        if (!can_run(&b->fibers[i]))
            continue;
        b->now = i;
        b->fibers[i].waits_for = NULL;
        b->ran++;
        rp__fiber_here.thread = i;
        return true;
    }
    return false;
}

/* Sanitizers want to know on which stack they are; the scheduler's is that of whoever goes on with the block. */
#if defined(__SANITIZE_ADDRESS__)
static void arrive(block *b, void *fake)
{
    const void *stack;
    size_t bytes;
    __sanitizer_finish_switch_fiber(fake, &stack, &bytes);
    if (b->by_scheduler) {
        b->scheduler_stack = stack;
        b->scheduler_bytes = bytes;
    }
}
#endif

static void to_fibers(block *b)
{
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    b->by_scheduler = true;
    __sanitizer_start_switch_fiber(&fake, b->stacks + (size_t)b->now * STRIDE, STACK);
    rp__fiber_switch(&b->scheduler, b->fibers[b->now].stack_pointer);
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#else
    rp__fiber_switch(&b->scheduler, b->fibers[b->now].stack_pointer);
#endif
}

/* To the fiber that has the next turn, or where there is none to the scheduler. */
static void leave_fiber(block *b, bool ends)
{
    void **save = &b->fibers[b->now].stack_pointer;
    bool is_fiber = pick_fiber(b);
    void *load = is_fiber ? b->fibers[b->now].stack_pointer : b->scheduler;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    b->by_scheduler = false;
    if (is_fiber)
        __sanitizer_start_switch_fiber(ends ? NULL : &fake, b->stacks + (size_t)b->now * STRIDE,
                                       STACK);
    else
        __sanitizer_start_switch_fiber(ends ? NULL : &fake, b->scheduler_stack, b->scheduler_bytes);
    rp__fiber_switch(save, load);
    arrive(b, fake);
#else
    (void)ends;
    rp__fiber_switch(save, load);
#endif
}

static void pass_barrier(block *b)
{
    b->here = 0;
    b->barrier++;
    if (b->launch.watch)
        b->launch.watch->barrier(b->place.watched);
}

static void begin(void)
{
    block *b = running;
#if defined(__SANITIZE_ADDRESS__)
    arrive(b, NULL);
#endif
    b->launch.kernel(b->launch.args);
    b->fibers[b->now].is_over = true;
    b->running--;
    if (b->here > 0 && b->here == b->running) /* those left wait for nobody else */
        pass_barrier(b);
    leave_fiber(b, true);
    __builtin_unreachable();
}

/* What rp__fiber_switch finds on a stack that was never left: room for registers, then where to begin. */
static void prepare(block *b, uint32_t i)
{
    unsigned char *top = b->stacks + (size_t)i * STRIDE + STACK;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(top - STACK, STACK); /* what the fiber before has left */
#endif
    void *entry;
    void (*function)(void) = begin;
    memcpy(&entry, &function, sizeof entry);
#if defined(__x86_64__)
    void **at = (void **)(void *)top - 2; /* as after a call: 8 bytes off alignment */
    *at = entry;
    at -= 6;
    memset(at, 0, 6 * sizeof *at);
#else
    void **at = (void **)(void *)(top - 160);
    memset(at, 0, 160);
    at[11] = entry; /* x30 */
#endif
    b->fibers[i] = (fiber){.stack_pointer = at};
}

/* ---- Scheduling ---------------------------------------------------------------------------------- */

static uint64_t draw(block *b)
{
    b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return b->random >> 33;
}

/* One turn for each that can go on, in an order of its own. How many had one. */
static uint32_t run_round(block *b)
{
    for (uint32_t i = 0; i < b->launch.block; i++) {
        uint32_t j = (uint32_t)(draw(b) % (i + 1));
        b->order[i] = b->order[j];
        b->order[j] = i;
    }
    b->tried = b->ran = 0;
    if (pick_fiber(b))
        to_fibers(b);
    return b->ran;
}

/* Whether some thread is idle; from now on none is. */
static bool wake(block *b)
{
    bool was_idle = false;
    for (uint32_t i = 0; i < b->launch.block; i++) {
        was_idle |= b->fibers[i].is_idle;
        b->fibers[i].is_idle = false;
    }
    return was_idle;
}

/* A round of a block. RP_FIBER_RUNNING: it has not ended. */
static rp__fiber_end run_turn(block *b)
{
    running = b;
    rp__fiber_here = b->place;
    uint32_t ran = run_round(b);
    running = NULL;
    b->turns += ran;
    if (b->is_trapped)
        return RP_FIBER_STUCK;
    if (b->running == 0)
        return RP_FIBER_DONE;
    if (ran == 0)
        return wake(b) ? RP_FIBER_IDLE : RP_FIBER_STUCK;
    return b->launch.turns && b->turns > b->launch.turns ? RP_FIBER_ENDLESS : RP_FIBER_RUNNING;
}

/* ---- Blocks -------------------------------------------------------------------------------------- */

/* Stacks and a block's state, which are used again. */
static block *get_block(void)
{
    block *b = spare;
    if (b) {
        spare = b->next;
        return b;
    }
    size_t stacks = (size_t)RP_FIBER_MAX * STRIDE;
    void *at = mmap(NULL, stacks + SHARED_MAX + sizeof(block), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    b = (block *)(void *)((unsigned char *)at + stacks + SHARED_MAX);
    b->stacks = at;
    return b;
}

static void put_block(block *b, block **list)
{
    b->next = *list;
    *list = b;
}

static void drop_blocks(block **list)
{
    while (*list) {
        block *b = *list;
        *list = b->next;
        if (b->launch.watch)
            b->launch.watch->end(b->place.watched);
        put_block(b, &spare);
    }
}

/* Of a full tile every value is written before it is read. */
static void clear_tiles(block *b)
{
    for (uint32_t w = 0; w < WIDTHS; w++) {
        uint32_t width = 32u >> w, full = b->launch.block / width;
        for (uint32_t i = 0; i < full; i++)
            b->tiles[w][i].turn = b->tiles[w][i].here = 0;
        if (b->launch.block % width)
            memset(&b->tiles[w][full], 0, sizeof b->tiles[w][full]);
    }
}

static block *begin_block(const rp__fiber_launch *launch, uint32_t index)
{
    enum { POISON = 0xDD };
    if (launch->block > RP_FIBER_MAX || launch->shared_bytes > SHARED_MAX)
        return NULL;
    block *b = get_block();
    if (!b)
        return NULL;
    unsigned char *stacks = b->stacks, *shared = stacks + (size_t)RP_FIBER_MAX * STRIDE;
    memset(b, 0, offsetof(block, fibers));
    memset(shared, POISON, launch->shared_bytes);
    b->launch = *launch;
    b->stacks = stacks;
    b->running = launch->block;
    b->random = launch->seed * UINT64_C(0x9E3779B97F4A7C15) + index + 1;
    clear_tiles(b);
    for (uint32_t i = 0; i < launch->block; i++)
        prepare(b, i);
    b->place = (rp__fiber_place){
        .block = index, .block_size = launch->block, .grid_size = launch->grid, .shared = shared};
    if (launch->watch)
        b->place.watched = launch->watch->begin(launch->watched, &b->place, stacks);
    return b;
}

/* ---- Grids --------------------------------------------------------------------------------------- */

void rp__fiber_drop(rp__fiber_grid *g)
{
    drop_blocks(&g->in_flight);
    drop_blocks(&g->idle);
}

/* Begins blocks until as many as may be are in flight. Returns how many are; 0 also where one cannot begin. */
static uint32_t fill(rp__fiber_grid *g)
{
    uint32_t n = 0;
    for (const block *b = g->in_flight; b; b = b->next)
        n++;
    for (; n < g->launch.in_flight && g->begun < g->launch.grid; n++) {
        uint64_t index = ((uint64_t)g->first + g->begun++) % g->launch.grid;
        block *b = begin_block(&g->launch, (uint32_t)index);
        if (!b) {
            g->begun--;
            rp__fiber_drop(g);
            return 0;
        }
        put_block(b, &g->in_flight);
    }
    return n;
}

/* The block that has the next turn: the only one, or one that the seed picks. */
static block *pick_block(rp__fiber_grid *g, uint32_t n)
{
    block **at = &g->in_flight;
    if (g->launch.in_flight > 1) {
        g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (uint64_t i = (g->random >> 33) % n; i > 0; i--)
            at = &(*at)->next;
    }
    block *b = *at;
    *at = b->next;
    return b;
}

rp__fiber_end rp__fiber_run(rp__fiber_grid *g)
{
    uint32_t n;
    g->in_flight = g->idle;
    g->idle = NULL;
    while ((n = fill(g)) > 0) {
        block *b = pick_block(g, n);
        rp__fiber_end end = run_turn(b);
        if (end == RP_FIBER_IDLE) {
            b->clock += IDLE_NS;
            b->turns = 0;
        }
        put_block(b, end == RP_FIBER_IDLE ? &g->idle : &g->in_flight);
        if (end == RP_FIBER_STUCK || end == RP_FIBER_ENDLESS) {
            rp__fiber_drop(g);
            return end;
        }
        if (end == RP_FIBER_DONE) {
            block *done = b;
            g->in_flight = b->next;
            done->next = NULL;
            drop_blocks(&done);
        }
    }
    if (g->begun < g->launch.grid)
        return RP_FIBER_STUCK;
    return g->idle ? RP_FIBER_IDLE : RP_FIBER_DONE;
}

/* ---- For kernels --------------------------------------------------------------------------------- */

static void wait_while(const uint64_t *what, uint64_t saw)
{
    block *b = running;
    fiber *f = &b->fibers[b->now];
    f->waits_for = what;
    f->saw = saw;
    leave_fiber(b, false);
}

void rp__fiber_sync(void)
{
    block *b = running;
    uint64_t saw = b->barrier;
    if (++b->here == b->running)
        pass_barrier(b);
    wait_while(&b->barrier, saw); /* others go first now and then, the last to come too */
}

const uint64_t *rp__fiber_exchange(uint32_t width, uint64_t value)
{
    block *b = running;
    uint32_t thread = rp__fiber_here.thread, first = thread / width * width;
    uint32_t n = b->launch.block - first < width ? b->launch.block - first : width;
    tile *t = &b->tiles[width == 32 ? 0 : width == 16 ? 1 : 2][thread / width];
    uint64_t turn = t->turn;
    t->values[turn & 1][thread - first] = value;
    if (++t->here == n) {
        t->here = 0;
        t->turn++;
    } else {
        wait_while(&t->turn, turn);
    }
    return t->values[turn & 1];
}

void rp__fiber_pause(void)
{
    leave_fiber(running, false);
}

void rp__fiber_idle(void)
{
    block *b = running;
    b->fibers[b->now].is_idle = true;
    leave_fiber(b, false);
}

uint64_t rp__fiber_clock(void)
{
    return running->clock;
}

void rp__fiber_trap(void)
{
    block *b = running;
    b->is_trapped = true;
    leave_fiber(b, false);
}
