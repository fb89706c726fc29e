/* query_scheduler.c: gives a query a pair and cores, and switches the interconnect.
 *
 * Strictly first come, first served: one decision a cycle. A core belongs to one pair until its
 * query ends. Switching means: the links of a core's units get other ends, by the query's type and
 * its pair. All of them are empty then.
 * Source: Heo et al. 2020, 4.4 and Figure 12. */
#include "base/bits.h"
#include "sim/units.h"

/* ---- Descriptors ----------------------------------------------------------------------------- */

static bool is_header(const rp__query_scheduler *qs, uint64_t at)
{
    return at % 64 == 0 && rp__sim_view(qs->memory, at, 64);
}

static uint32_t address_fault(const rp__query_scheduler *qs, const rp__descriptor *d)
{
    const rp__sim_memory *m = qs->memory;
    if (!is_header(qs, d->list0) || (d->query_type != RP_SIM_SINGLE && !is_header(qs, d->list1)) ||
        d->dl_table % 4)
        return RP_SIM_BAD_ADDRESS;
    uint64_t at = d->result - m->results_at;
    if (d->result % 8 || d->result < m->results_at || at > m->results_bytes)
        return RP_SIM_BAD_ADDRESS;
    if (d->cap > m->results_bytes / 8 || rp__sim_result_bytes(d) > m->results_bytes - at)
        return RP_SIM_BAD_ADDRESS;
    return RP_SIM_OK;
}

static uint32_t fault_of(const rp__query_scheduler *qs, const rp__descriptor *d)
{
    bool is_range = d->flags == RP_SIM_RANGE && d->query_type == RP_SIM_OR;
    if (d->query_type > RP_SIM_OR || (d->flags && !is_range))
        return RP_SIM_BAD_TYPE;
    if (d->n_cores == 0 || d->n_cores > qs->config->cores)
        return RP_SIM_BAD_CORES;
    return address_fault(qs, d);
}

/* ---- The interconnect ------------------------------------------------------------------------ */

static uint16_t unit_of(const rp__core *core, uint32_t kind)
{
    static const uint8_t places[RP_SIM_KINDS] = {
        [RP_SIM_KIND_DCU] = 0,      [RP_SIM_KIND_SU] = 2,    [RP_SIM_KIND_BSU] = 4,
        [RP_SIM_KIND_L1_FETCH] = 5, [RP_SIM_KIND_MERGE] = 6, [RP_SIM_KIND_WRITE_BACK] = 7};
    return (uint16_t)(core->first_unit + places[kind]);
}

/* Who is at the other ends of a core's links while it works for this pair. */
static void wire(rp__query_scheduler *qs, rp__core *core, uint32_t type, uint32_t pair)
{
    uint16_t reader = qs->pair_units[pair][0], scheduler = qs->pair_units[pair][1];
    for (uint16_t i = 0; i < 2; i++) {
        rp__dcu *dcu = &core->dcus[i];
        bool is_l1 = type == RP_SIM_AND && i == 1;
        uint16_t fetch = unit_of(core, RP_SIM_KIND_L1_FETCH);
        dcu->in.producer = (uint8_t)(is_l1 ? fetch : scheduler);
        dcu->request.consumer = dcu->lines.producer = (uint8_t)(is_l1 ? fetch : reader);
        uint16_t su = (uint16_t)(unit_of(core, RP_SIM_KIND_SU) + i);
        uint32_t after = i ? RP_SIM_KIND_MERGE : RP_SIM_KIND_BSU;
        dcu->out.consumer = (uint8_t)(type == RP_SIM_AND ? unit_of(core, after) : su);
        uint16_t lane = (uint16_t)(unit_of(core, RP_SIM_KIND_WRITE_BACK) + i);
        core->sus[i].out.consumer =
            (uint8_t)(type == RP_SIM_SINGLE ? lane : unit_of(core, RP_SIM_KIND_MERGE));
        core->write_backs[i].done.consumer = (uint8_t)(scheduler);
        core->write_backs[i].threshold.consumer = (uint8_t)(scheduler);
    }
}

static void wake_core(const rp__core *core, rp__sim_clock *clock)
{
    for (uint32_t i = 0; i < core->n_units; i++)
        rp__sim_wake(clock, core->first_unit + i);
}

static void open_cores(rp__query_scheduler *qs, rp__sim_clock *clock)
{
    const rp__descriptor *d = &qs->switching.descriptor;
    uint32_t rank = 0;
    for (uint32_t cores = qs->switching.cores; cores; cores &= cores - 1) {
        rp__core *core = &qs->cores[__builtin_ctz(cores)];
        wire(qs, core, d->query_type, qs->switch_pair);
        core->setup.open = clock->now + 1;
        core->setup.close = RP_SIM_NEVER;
        core->setup.query_type = d->query_type;
        core->setup.dl_table = d->dl_table;
        core->setup.result = d->result;
        core->setup.cap = d->cap;
        core->setup.rank = rank++;
        bool is_range = d->flags & RP_SIM_RANGE;
        core->setup.first_doc = is_range ? (uint32_t)d->reserved : 0;
        core->setup.end_doc = is_range ? d->reserved >> 32 : RP_SIM_NEVER;
        wake_core(core, clock);
    }
}

static void close_cores(rp__query_scheduler *qs, uint32_t mask, rp__sim_clock *clock)
{
    for (uint32_t cores = mask; cores; cores &= cores - 1) {
        rp__core *core = &qs->cores[__builtin_ctz(cores)];
        core->setup.close = clock->now + 1;
        wake_core(core, clock);
    }
    qs->busy_cores &= ~mask;
}

/* ---- Queries --------------------------------------------------------------------------------- */

static uint32_t cores_for(const rp__query_scheduler *qs, const rp__descriptor *d)
{
    uint32_t n = d->n_cores, free = qs->config->cores - rp__bits_count64(qs->busy_cores);
    if (qs->config->mode == RP_SIM_MODE_INTRA)
        n = qs->config->cores;
    if (qs->config->mode == RP_SIM_MODE_INTER || d->query_type == RP_SIM_OR)
        n = 1;
    if (qs->config->shrink && n > free)
        n = free;
    return n && n <= free ? n : 0;
}

static bool complete(rp__query_scheduler *qs, const rp__completion *record, rp__sim_clock *clock)
{
    if (!rp__link_space(&qs->done, clock))
        return false;
    *(rp__completion *)rp__link_push(&qs->done, clock) = *record;
    return true;
}

static bool refuse(rp__query_scheduler *qs, const rp__sim_command *command, uint32_t status,
                   rp__sim_clock *clock)
{
    rp__completion record = {.tag = command->descriptor.tag,
                             .status = status,
                             .arrival = command->arrival,
                             .start = clock->now,
                             .end = clock->now};
    if (!complete(qs, &record, clock))
        return false;
    rp__link_pop(qs->in, clock);
    return true;
}

static bool assign(rp__query_scheduler *qs, rp__sim_clock *clock)
{
    const rp__sim_command *command = rp__link_head(qs->in, clock);
    if (!command || qs->switch_due != RP_SIM_NEVER)
        return false;
    uint32_t fault = fault_of(qs, &command->descriptor);
    if (fault)
        return refuse(qs, command, fault, clock);
    uint32_t n = cores_for(qs, &command->descriptor), all = (1U << qs->config->cores) - 1;
    uint32_t pairs = all & ~qs->busy_pairs, free = all & ~qs->busy_cores, mask = 0;
    if (!n || !pairs)
        return false;
    for (; n; n--, free &= free - 1)
        mask |= free & -free;
    qs->switch_pair = (uint32_t)__builtin_ctz(pairs);
    qs->busy_pairs |= 1U << qs->switch_pair;
    qs->busy_cores |= mask;
    qs->switching = (rp__sim_assignment){command->descriptor, mask};
    qs->switch_due = clock->now + qs->config->switch_latency;
    qs->running[qs->switch_pair] = (rp__completion){.tag = command->descriptor.tag,
                                                    .arrival = command->arrival,
                                                    .start = clock->now,
                                                    .cores = mask};
    rp__link_pop(qs->in, clock);
    return true;
}

static bool hand_over(rp__query_scheduler *qs, rp__sim_clock *clock)
{
    if (qs->switch_due > clock->now || !rp__link_space(&qs->assign[qs->switch_pair], clock))
        return false;
    open_cores(qs, clock);
    *(rp__sim_assignment *)rp__link_push(&qs->assign[qs->switch_pair], clock) = qs->switching;
    qs->switch_due = RP_SIM_NEVER;
    return true;
}

static bool take_finish(rp__query_scheduler *qs, rp__sim_clock *clock)
{
    for (uint32_t busy = qs->busy_pairs; busy; busy &= busy - 1) {
        uint32_t pair = (uint32_t)__builtin_ctz(busy);
        const rp__sim_finish *finish = rp__link_head(qs->finish[pair], clock);
        if (!finish)
            continue;
        rp__completion *record = &qs->running[pair];
        record->status = finish->status;
        record->n_results = finish->n_results;
        record->first = finish->first;
        record->last = finish->last;
        record->end = clock->now;
        if (!complete(qs, record, clock))
            return false;
        close_cores(qs, record->cores, clock);
        qs->busy_pairs &= ~(1U << pair);
        rp__link_pop(qs->finish[pair], clock);
        return true;
    }
    return false;
}

rp__turn rp__query_scheduler_step(rp__query_scheduler *qs, rp__sim_clock *clock)
{
    bool moved = hand_over(qs, clock);
    bool decided = take_finish(qs, clock) || assign(qs, clock);
    if (moved || decided)
        return rp__turn_busy(clock);
    uint32_t spent = RP_SIM_IDLE;
    if (qs->switch_due != RP_SIM_NEVER)
        spent = RP_SIM_BUSY;
    else if (rp__link_head(qs->in, clock))
        spent = RP_SIM_WAIT_OUT;
    else if (qs->busy_pairs)
        spent = RP_SIM_WAIT_IN;
    return (rp__turn){qs->switch_due, spent, spent};
}
