/* fiber.c: the threads of one block of a kernel, each a fiber with a stack of its own.
 *
 * A fiber runs until it waits or ends; then the next one that can go on does, in an order drawn anew for each
 * round. So what a kernel may not rely on, the order of its threads between barriers, differs from seed to
 * seed. A round in which nobody can go on is a fault of the kernel.
 * Invariant: a fiber that waits goes on once *waits_for differs from what it saw. */
#include "backend/gpu/fiber.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    STACK = 128 << 10,
    SHARED_MOST = 256 << 10,
    WIDTHS = 3,
    TILE_LEAST = 8,
    TILES = RP_FIBER_MOST / TILE_LEAST,
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
    fiber fibers[RP_FIBER_MOST];
    tile tiles[WIDTHS][TILES];
    uint64_t barrier; /* barriers passed */
    uint32_t here, alive, now;
    uint64_t random, clock;
    bool is_trapped;
    void *scheduler; /* its stack pointer */
#if defined(__SANITIZE_ADDRESS__)
    const void *scheduler_stack;
    size_t scheduler_bytes;
#endif
} block;

static block *running, *spare;

/* ---- Switching ----------------------------------------------------------------------------------- */

/* Sanitizers want to know on which stack they are; the scheduler's is that of whoever goes on with the block. */
static void to_fiber(block *b, uint32_t i)
{
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    __sanitizer_start_switch_fiber(&fake, b->stacks + (size_t)i * STACK, STACK);
    rp__fiber_switch(&b->scheduler, b->fibers[i].stack_pointer);
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#else
    rp__fiber_switch(&b->scheduler, b->fibers[i].stack_pointer);
#endif
}

static void to_scheduler(block *b, bool ends)
{
    void **save = &b->fibers[b->now].stack_pointer;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    __sanitizer_start_switch_fiber(ends ? NULL : &fake, b->scheduler_stack, b->scheduler_bytes);
    rp__fiber_switch(save, b->scheduler);
    __sanitizer_finish_switch_fiber(fake, &b->scheduler_stack, &b->scheduler_bytes);
#else
    (void)ends;
    rp__fiber_switch(save, b->scheduler);
#endif
}

static void begin(void)
{
    block *b = running;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &b->scheduler_stack, &b->scheduler_bytes);
#endif
    b->launch.kernel(b->launch.args);
    b->fibers[b->now].is_over = true;
    b->alive--;
    if (b->here > 0 && b->here == b->alive) { /* those left wait for nobody else */
        b->here = 0;
        b->barrier++;
    }
    to_scheduler(b, true);
    __builtin_unreachable();
}

/* What rp__fiber_switch finds on a stack that was never left: room for registers, then where to begin. */
static void prepare(block *b, uint32_t i)
{
    unsigned char *top = b->stacks + (size_t)(i + 1) * STACK;
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

static bool can_run(const fiber *f)
{
    return !f->is_over && !f->is_idle && (!f->waits_for || *f->waits_for != f->saw);
}

static void resume(block *b, uint32_t i)
{
    b->now = i;
    b->fibers[i].waits_for = NULL;
    rp__fiber_here.thread = i;
    to_fiber(b, i);
}

/* One turn for each that can go on, in an order of its own. How many had one. */
static uint32_t run_round(block *b)
{
    uint32_t n = b->launch.block, order[RP_FIBER_MOST] = {0}, ran = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)(draw(b) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t k = 0; k < n && !b->is_trapped; k++)
        if (can_run(&b->fibers[order[k]])) {
            resume(b, order[k]);
            ran++;
        }
    return ran;
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

static rp__fiber_end run_all(block *b)
{
    uint64_t turns = 0;
    running = b;
    rp__fiber_here = b->place;
    while (b->alive > 0) {
        uint32_t ran = run_round(b);
        turns += ran;
        if (b->is_trapped)
            return RP_FIBER_STUCK;
        if (ran == 0)
            return wake(b) ? RP_FIBER_IDLE : RP_FIBER_STUCK;
        if (b->launch.turns && turns > b->launch.turns)
            return RP_FIBER_ENDLESS;
    }
    return RP_FIBER_DONE;
}

/* Stacks and a block's state, which are used again. */
static block *get_block(void)
{
    block *b = spare;
    if (b) {
        spare = b->next;
        return b;
    }
    size_t stacks = (size_t)RP_FIBER_MOST * STACK;
    void *at = mmap(NULL, stacks + SHARED_MOST + sizeof(block), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    b = (block *)(void *)((unsigned char *)at + stacks + SHARED_MOST);
    b->stacks = at;
    return b;
}

/* To `idle`, if it is; else it can be used again. */
static rp__fiber_end put_block(block *b, rp__fiber_end end, block **idle)
{
    block **list = end == RP_FIBER_IDLE ? idle : &spare;
    running = NULL;
    b->clock += IDLE_NS;
    b->next = *list;
    *list = b;
    return end;
}

rp__fiber_end rp__fiber_run(const rp__fiber_launch *launch, uint32_t index, rp__fiber_block **idle)
{
    enum { POISON = 0xDD };
    if (launch->block > RP_FIBER_MOST || launch->shared_bytes > SHARED_MOST)
        return RP_FIBER_STUCK;
    block *b = get_block();
    if (!b)
        return RP_FIBER_STUCK;
    unsigned char *stacks = b->stacks, *shared = stacks + (size_t)RP_FIBER_MOST * STACK;
    memset(b, 0, sizeof *b);
    memset(shared, POISON, launch->shared_bytes);
    b->launch = *launch;
    b->stacks = stacks;
    b->alive = launch->block;
    b->random = launch->seed * UINT64_C(0x9E3779B97F4A7C15) + index + 1;
    for (uint32_t i = 0; i < launch->block; i++)
        prepare(b, i);
    b->place = (rp__fiber_place){
        .block = index, .block_size = launch->block, .grid_size = launch->grid, .shared = shared};
    return put_block(b, run_all(b), idle);
}

rp__fiber_end rp__fiber_go_on(rp__fiber_block **idle)
{
    block *turn = *idle;
    rp__fiber_end end = RP_FIBER_DONE;
    *idle = NULL;
    while (turn && (end == RP_FIBER_DONE || end == RP_FIBER_IDLE)) {
        block *b = turn;
        turn = b->next;
        end = put_block(b, run_all(b), idle);
    }
    rp__fiber_drop(&turn);
    return end == RP_FIBER_DONE && *idle ? RP_FIBER_IDLE : end;
}

void rp__fiber_drop(rp__fiber_block **idle)
{
    while (*idle) {
        block *b = *idle;
        *idle = b->next;
        b->next = spare;
        spare = b;
    }
}

/* ---- For kernels --------------------------------------------------------------------------------- */

static void wait_while(const uint64_t *what, uint64_t saw)
{
    block *b = running;
    fiber *f = &b->fibers[b->now];
    f->waits_for = what;
    f->saw = saw;
    to_scheduler(b, false);
}

void rp__fiber_sync(void)
{
    block *b = running;
    uint64_t saw = b->barrier;
    if (++b->here == b->alive) {
        b->here = 0;
        b->barrier++;
    }
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
    to_scheduler(running, false);
}

void rp__fiber_idle(void)
{
    block *b = running;
    b->fibers[b->now].is_idle = true;
    to_scheduler(b, false);
}

uint64_t rp__fiber_clock(void)
{
    return running->clock;
}

void rp__fiber_trap(void)
{
    block *b = running;
    b->is_trapped = true;
    to_scheduler(b, false);
}
