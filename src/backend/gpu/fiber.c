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
    TILES = RP_FIBER_MOST / TILE_LEAST
};

void rp__fiber_switch(void **save, void *load);
__thread rp__fiber_place rp__fiber_here;

typedef struct fiber {
    void *stack_pointer;
    const uint64_t *waits_for;
    uint64_t saw;
    bool is_over;
} fiber;

typedef struct tile {
    uint64_t turn; /* exchanges so far */
    uint32_t here; /* threads that have come to the next */
    uint64_t values[2][32];
} tile;

typedef struct block {
    const rp__fiber_launch *launch;
    unsigned char *stacks; /* of the fibers, and behind them the shared memory */
    fiber fibers[RP_FIBER_MOST];
    tile tiles[WIDTHS][TILES];
    uint64_t barrier; /* barriers passed */
    uint32_t here, alive, now;
    uint64_t random;
    bool is_trapped;
    void *scheduler; /* its stack pointer */
#if defined(__SANITIZE_ADDRESS__)
    const void *scheduler_stack;
    size_t scheduler_bytes;
#endif
} block;

static __thread block *running;

/* ---- Switching ----------------------------------------------------------------------------------- */

/* Sanitizers want to know on which stack they are. */
static void leave_for(void **save, void *load, const void *stack, size_t bytes, bool ends)
{
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    __sanitizer_start_switch_fiber(ends ? NULL : &fake, stack, bytes);
    rp__fiber_switch(save, load);
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#else
    (void)stack, (void)bytes, (void)ends;
    rp__fiber_switch(save, load);
#endif
}

static void to_scheduler(block *b, bool ends)
{
#if defined(__SANITIZE_ADDRESS__)
    leave_for(&b->fibers[b->now].stack_pointer, b->scheduler, b->scheduler_stack,
              b->scheduler_bytes, ends);
#else
    leave_for(&b->fibers[b->now].stack_pointer, b->scheduler, NULL, 0, ends);
#endif
}

static void begin(void)
{
    block *b = running;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &b->scheduler_stack, &b->scheduler_bytes);
#endif
    b->launch->kernel(b->launch->args);
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
    return !f->is_over && (!f->waits_for || *f->waits_for != f->saw);
}

static void resume(block *b, uint32_t i)
{
    b->now = i;
    b->fibers[i].waits_for = NULL;
    rp__fiber_here.thread = i;
    leave_for(&b->scheduler, b->fibers[i].stack_pointer, b->stacks + (size_t)i * STACK, STACK,
              false);
}

/* One turn for each that can go on, in an order of its own. How many had one. */
static uint32_t run_round(block *b)
{
    uint32_t n = b->launch->block, order[RP_FIBER_MOST] = {0}, ran = 0;
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

static rp__fiber_end run_all(block *b)
{
    uint64_t turns = 0;
    while (b->alive > 0) {
        uint32_t ran = run_round(b);
        turns += ran;
        if (ran == 0 || b->is_trapped)
            return RP_FIBER_STUCK;
        if (b->launch->turns && turns > b->launch->turns)
            return RP_FIBER_ENDLESS;
    }
    return RP_FIBER_DONE;
}

/* Stacks and the block's state, kept for the next one; a thread's own. */
static block *get_block(void)
{
    static __thread block *kept;
    if (kept)
        return kept;
    size_t stacks = (size_t)RP_FIBER_MOST * STACK;
    void *at = mmap(NULL, stacks + SHARED_MOST + sizeof(block), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    kept = (block *)(void *)((unsigned char *)at + stacks + SHARED_MOST);
    kept->stacks = at;
    return kept;
}

rp__fiber_end rp__fiber_run(const rp__fiber_launch *launch, uint32_t index)
{
    enum { POISON = 0xDD };
    block *b = get_block();
    if (!b || launch->block > RP_FIBER_MOST || launch->shared_bytes > SHARED_MOST)
        return RP_FIBER_STUCK;
    unsigned char *stacks = b->stacks, *shared = stacks + (size_t)RP_FIBER_MOST * STACK;
    memset(b, 0, sizeof *b);
    memset(shared, POISON, launch->shared_bytes);
    b->launch = launch;
    b->stacks = stacks;
    b->alive = launch->block;
    b->random = launch->seed * UINT64_C(0x9E3779B97F4A7C15) + index + 1;
    for (uint32_t i = 0; i < launch->block; i++)
        prepare(b, i);
    rp__fiber_here = (rp__fiber_place){
        .block = index, .block_size = launch->block, .grid_size = launch->grid, .shared = shared};
    running = b;
    rp__fiber_end end = run_all(b);
    running = NULL;
    return end;
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
    uint32_t n = b->launch->block - first < width ? b->launch->block - first : width;
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

void rp__fiber_trap(void)
{
    block *b = running;
    b->is_trapped = true;
    to_scheduler(b, false);
}
