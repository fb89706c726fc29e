/* replay_list.c: a list schedule that knows all costs and troubles: what policies are compared with.
 *
 * Jobs go in the order of arrival, each to the processor that ends it first. A card that is busy takes one more into its
 * batch. What would miss its deadline is left out, and takes no time. */
#include "base/alloc.h"
#include "engine/replay.h"

typedef struct schedule {
    const rp__replay_options *o;
    uint64_t *free; /* by core: from when on it has nothing to do */
    uint64_t card_free;
} schedule;

/* Work of a processor that stalls is begun after that, unless it ends before. */
static uint64_t start_of(const rp__replay_options *o, bool stalls, uint64_t at, uint64_t ns)
{
    return stalls && at < o->stall_end_ns && at + ns > o->stall_begin_ns ? o->stall_end_ns : at;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The core that ends the job first, and when. */
static uint32_t best_core(const schedule *s, uint64_t arrived, uint64_t ns, uint64_t *end)
{
    uint32_t best = 0;
    *end = RP_POLICY_NEVER;
    for (uint32_t i = 0; i < s->o->cores; i++) {
        const bool stalls = i == 0 && !(s->o->stalls_card && s->o->has_card);
        const uint64_t own = start_of(s->o, stalls, later(arrived, s->free[i]), ns) + ns;
        if (own < *end) {
            *end = own;
            best = i;
        }
    }
    return best;
}

static uint64_t end_on_card(const schedule *s, uint64_t arrived, const rp__replay_cost *cost)
{
    const rp__replay_options *o = s->o;
    if (!o->has_card || cost->gpu_ns == RP_POLICY_NEVER)
        return RP_POLICY_NEVER;
    const uint64_t ns = s->card_free > arrived ? cost->batch_ns : cost->gpu_ns;
    const uint64_t end = start_of(o, o->stalls_card, later(arrived, s->card_free), ns) + ns;
    return o->lose_card_ns && end > o->lose_card_ns ? RP_POLICY_NEVER : end;
}

/* False: it would be late. */
static bool place(schedule *s, uint64_t arrived, const rp__replay_cost *cost)
{
    uint64_t on_core, named = RP_POLICY_NEVER;
    const uint64_t deadline = s->o->deadline_ns ? arrived + s->o->deadline_ns : RP_POLICY_NEVER;
    const uint32_t core = best_core(s, arrived, cost->cpu_ns, &on_core);
    const uint64_t on_card = end_on_card(s, arrived, cost);
    const uint32_t names =
        on_card == RP_POLICY_NEVER ? 0 : best_core(s, on_card, cost->feed_ns, &named);
    if ((on_core < named ? on_core : named) >= deadline)
        return false;
    if (on_core < named) {
        s->free[core] = on_core;
    } else {
        s->card_free = on_card;
        s->free[names] += cost->feed_ns; /* in a gap before it, if there is one */
    }
    return true;
}

rp_status rp__replay_list(const rp__replay_options *o, const uint64_t *arrivals, uint64_t *misses)
{
    schedule s = {.o = o};
    *misses = 0;
    if (o->n_costs == 0 || o->cores == 0)
        return RP_USAGE;
    s.free = rp__alloc_zero(o->cores, sizeof *s.free);
    if (!s.free)
        return RP_NO_MEMORY;
    for (uint64_t i = 0; i < o->jobs; i++)
        *misses += !place(&s, arrivals[i], &o->costs[i % o->n_costs]);
    rp__free(s.free);
    return RP_OK;
}
