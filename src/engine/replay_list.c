/* replay_list.c: a list schedule that knows all costs and troubles: what policies are compared with.
 *
 * Jobs go in the order of arrival, each to the processor that ends it first. What comes while the card is at a batch is
 * for its next one, which costs a start as any does, and holds no more than in the replay. What would miss its deadline
 * is left out, and takes no time; so is what would make others of its batch late. */
#include "base/alloc.h"
#include "engine/replay.h"

/* Jobs that the card is given at once. */
typedef struct batch {
    uint64_t begin,
        end; /* it begins with the end of the one before, or later where the card stalls */
    uint64_t start, sum; /* the longest of their starts, and their shares of a batch */
    uint64_t elements, first_deadline;
    uint32_t n;
} batch;

typedef struct schedule {
    const rp__replay_options *o;
    uint64_t *free; /* by core: from when on it has nothing to do */
    batch last;     /* that the card has been given */
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

static bool is_full(const schedule *s, const batch *b)
{
    return b->n >= RP_REPLAY_GROUP || b->elements >= s->o->elements;
}

/* The batch that the job would be in, with it; before, the last batch. False: the card does not take it. */
static bool join(const schedule *s, uint64_t arrived, const rp__replay_cost *cost, batch *out)
{
    const rp__replay_options *o = s->o;
    const uint64_t own = cost->gpu_ns - cost->batch_ns;
    const uint64_t deadline = o->deadline_ns ? arrived + o->deadline_ns : RP_POLICY_NEVER;
    if (!o->has_card || cost->gpu_ns == RP_POLICY_NEVER)
        return false;
    if (arrived >= out->begin || is_full(s, out))
        *out = (batch){.begin = later(arrived, s->last.end), .first_deadline = deadline};
    out->start = later(out->start, own);
    out->sum += cost->batch_ns;
    out->elements += cost->likely.shortest;
    out->n++;
    const uint64_t ns = out->start + out->sum;
    out->begin = start_of(o, o->stalls_card, out->begin, ns);
    out->end = out->begin + ns;
    return (!o->lose_card_ns || out->end <= o->lose_card_ns) &&
           (out->first_deadline == RP_POLICY_NEVER ||
            out->end + cost->feed_ns < out->first_deadline);
}

/* False: it would be late. */
static bool place(schedule *s, uint64_t arrived, const rp__replay_cost *cost)
{
    batch with = s->last;
    uint64_t on_core, named = RP_POLICY_NEVER;
    const uint64_t deadline = s->o->deadline_ns ? arrived + s->o->deadline_ns : RP_POLICY_NEVER;
    const uint32_t core = best_core(s, arrived, cost->cpu_ns, &on_core);
    const bool joins = join(s, arrived, cost, &with);
    const uint32_t names = joins ? best_core(s, with.end, cost->feed_ns, &named) : 0;
    if ((on_core < named ? on_core : named) >= deadline)
        return false;
    if (on_core < named) {
        s->free[core] = on_core;
    } else {
        s->last = with;
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
