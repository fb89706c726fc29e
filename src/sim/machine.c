/* machine.c: builds the machine and owns its time.
 *
 * Two clocks give the same cycle for every event. `all` evaluates every unit every cycle, in an
 * order that the caller gives. `awake` evaluates a unit only when one of its links changed or its
 * timer is due, jumps over cycles in which nobody is awake, and counts a sleeper's cycles when it
 * wakes, under the class of its last step. units.h has the rule that makes both equal. Runs of
 * alike cycles are made at once (run_ahead.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "sim/units.h"

enum { DOORBELL_DEPTH = 2, PAIR_DEPTH = 2, MAX_BLOCK = 2048 };
enum { SECOND_DCU = 1, MERGE = 6 }; /* units of a core, from its first */

typedef struct unit {
    rp__turn (*step)(void *state, rp__sim_clock *clock);
    void *state;
    uint32_t kind, index, spent; /* spent: class of the last step */
    uint64_t counted;            /* cycles before this one are in `cycles` */
    uint64_t timer;
    rp__sim_alarm alarm;
    uint64_t cycles[RP_SIM_CLASSES];
} unit;

typedef struct pair {
    rp__block_reader reader;
    rp__block_scheduler scheduler;
} pair;

/* Cycles of a core that are made later, at once. */
typedef struct run {
    uint64_t start;                   /* the first of them */
    uint64_t mask[RP_SIM_WAKE_WORDS]; /* the core's second decompression unit and merge unit */
    uint32_t dcu;                     /* the number of the former */
    uint32_t docids[RP_SIM_RUN];      /* that it decodes */
} run;

struct rp__machine {
    rp__sim_config config;
    rp__sim_memory bytes;
    rp__sim_clock clock;
    rp__sim_counts counts;
    rp__host host;
    rp__command_queue queue;
    rp__query_scheduler scheduler;
    rp__mai mai;
    rp__memory memory;
    pair pairs[RP_SIM_MAX_CORES];
    rp__core cores[RP_SIM_MAX_CORES];
    unit units[RP_SIM_MAX_UNITS];
    uint32_t n_units;
    uint32_t order[RP_SIM_MAX_UNITS];
    bool is_ordered, is_hung;
    rp__descriptor *descriptors;
    size_t n_descriptors, descriptors_cap, completions_cap;
    uint64_t evaluations, next_timer; /* next_timer: no unit's is earlier */
    run runs[RP_SIM_MAX_CORES];
    uint32_t running;                   /* cores that are in a run */
    uint64_t merges[RP_SIM_WAKE_WORDS]; /* all merge units */
    uint64_t timed[RP_SIM_WAKE_WORDS];  /* units that have a timer */
};

/* ---- Building -------------------------------------------------------------------------------- */

#define STEP(name)                                                                                 \
    static rp__turn step_##name(void *state, rp__sim_clock *clock)                                 \
    {                                                                                              \
        return rp__##name##_step(state, clock);                                                    \
    }
STEP(host)
STEP(command_queue)
STEP(query_scheduler)
STEP(mai)
STEP(memory)
STEP(block_reader)
STEP(block_scheduler)
STEP(dcu)
STEP(su)
STEP(bsu)
STEP(l1_fetch)
STEP(merge_unit)
STEP(write_back)
#undef STEP

static rp__turn (*const steps[])(void *state, rp__sim_clock *clock) = {
    [RP_SIM_KIND_HOST] = step_host,
    [RP_SIM_KIND_COMMAND_QUEUE] = step_command_queue,
    [RP_SIM_KIND_QUERY_SCHEDULER] = step_query_scheduler,
    [RP_SIM_KIND_MAI] = step_mai,
    [RP_SIM_KIND_MEMORY] = step_memory,
    [RP_SIM_KIND_BLOCK_READER] = step_block_reader,
    [RP_SIM_KIND_BLOCK_SCHEDULER] = step_block_scheduler,
    [RP_SIM_KIND_DCU] = step_dcu,
    [RP_SIM_KIND_SU] = step_su,
    [RP_SIM_KIND_BSU] = step_bsu,
    [RP_SIM_KIND_L1_FETCH] = step_l1_fetch,
    [RP_SIM_KIND_MERGE] = step_merge_unit,
    [RP_SIM_KIND_WRITE_BACK] = step_write_back,
};

static uint16_t add_unit(rp__machine *m, uint32_t kind, uint32_t index, void *state)
{
    m->units[m->n_units] = (unit){.step = steps[kind],
                                  .state = state,
                                  .kind = kind,
                                  .index = index,
                                  .timer = RP_SIM_NEVER,
                                  .alarm = rp__sim_alarm_of(m->n_units)};
    rp__sim_wake(&m->clock, m->n_units);
    return (uint16_t)m->n_units++;
}

static rp_status make_link(rp__link *link, uint32_t depth, size_t item, uint32_t producer,
                           uint32_t consumer)
{
    rp_status status = rp__link_init(link, depth, item);
    link->producer = rp__sim_alarm_of(producer);
    link->consumer = rp__sim_alarm_of(consumer);
    return status;
}

/* A link of postings after a pipe, with room for those that are in the pipe or wait for it. */
static rp_status make_out(rp__link *link, uint32_t depth, uint32_t ahead, uint32_t producer)
{
    rp_status status = rp__link_init_ahead(link, depth, ahead, sizeof(rp__sim_posting));
    link->producer = rp__sim_alarm_of(producer);
    return status;
}

/* A port with at most in_flight responses to come. */
static rp_status make_port(rp__machine *m, rp__sim_port *port, uint32_t owner, uint32_t in_flight)
{
    uint32_t i = m->mai.n_ports++;
    m->mai.ports[i] = port;
    rp_status status = make_link(&port->request, m->config.port_depth, sizeof(rp__sim_request),
                                 owner, RP_SIM_KIND_MAI);
    port->request.ready = &m->mai.ready;
    port->request.ready_bit = UINT64_C(1) << i;
    return status ? status
                  : make_link(&port->response, in_flight, sizeof(rp__sim_line), RP_SIM_KIND_MAI,
                              owner);
}

/* The units that exist once have their kind's number. */
static rp_status make_front(rp__machine *m, rp_error *err)
{
    const rp__sim_config *c = &m->config;
    add_unit(m, RP_SIM_KIND_HOST, 0, &m->host);
    add_unit(m, RP_SIM_KIND_COMMAND_QUEUE, 0, &m->queue);
    add_unit(m, RP_SIM_KIND_QUERY_SCHEDULER, 0, &m->scheduler);
    add_unit(m, RP_SIM_KIND_MAI, 0, &m->mai);
    add_unit(m, RP_SIM_KIND_MEMORY, 0, &m->memory);
    if (make_link(&m->host.doorbell, DOORBELL_DEPTH, sizeof(rp__descriptor), RP_SIM_KIND_HOST,
                  RP_SIM_KIND_COMMAND_QUEUE) ||
        make_link(&m->queue.out, c->command_queue, sizeof(rp__sim_command),
                  RP_SIM_KIND_COMMAND_QUEUE, RP_SIM_KIND_QUERY_SCHEDULER) ||
        make_link(&m->scheduler.done, DOORBELL_DEPTH, sizeof(rp__completion),
                  RP_SIM_KIND_QUERY_SCHEDULER, RP_SIM_KIND_HOST) ||
        rp__mai_init(&m->mai, c))
        return rp__error_no_memory(err);
    m->queue.doorbell = &m->host.doorbell;
    m->host.done = &m->scheduler.done;
    m->scheduler.config = c;
    m->scheduler.memory = &m->bytes;
    m->scheduler.in = &m->queue.out;
    m->scheduler.cores = m->cores;
    m->scheduler.switch_due = RP_SIM_NEVER;
    m->mai.memory = m->memory.bytes = &m->bytes;
    m->mai.counts = m->memory.counts = &m->counts;
    m->mai.to_memory.producer = rp__sim_alarm_of(RP_SIM_KIND_MAI);
    m->mai.to_memory.consumer = rp__sim_alarm_of(RP_SIM_KIND_MEMORY);
    m->memory.in = &m->mai.to_memory;
    rp_status status = rp__memory_init(&m->memory, c, err);
    m->memory.out.producer = rp__sim_alarm_of(RP_SIM_KIND_MEMORY);
    m->memory.out.consumer = rp__sim_alarm_of(RP_SIM_KIND_MAI);
    m->mai.from_memory = &m->memory.out;
    return status;
}

static rp_status make_array(const rp__sim_config *c, rp__sim_array *a)
{
    a->lines = rp__alloc_zero(c->bsch_lines, sizeof *a->lines);
    a->has_arrived = rp__alloc_zero(c->bsch_lines, sizeof *a->has_arrived);
    return a->lines && a->has_arrived ? RP_OK : RP_NO_MEMORY;
}

static rp_status make_reader(rp__machine *m, uint32_t i, uint16_t scheduler)
{
    const rp__sim_config *c = &m->config;
    rp__block_reader *r = &m->pairs[i].reader;
    uint16_t reader = (uint16_t)(scheduler - 1);
    r->config = c;
    r->counts = &m->counts;
    r->cores = m->cores;
    r->entries = rp__alloc_zero(c->br_entries, sizeof *r->entries);
    if (!r->entries || make_link(&r->open, PAIR_DEPTH, sizeof(rp__sim_open), scheduler, reader) ||
        make_link(&r->closed, PAIR_DEPTH, 1, reader, scheduler))
        return RP_NO_MEMORY;
    return make_port(m, &r->port, reader, c->br_entries);
}

static rp_status make_scheduler(rp__machine *m, uint32_t i, uint16_t unit_number)
{
    const rp__sim_config *c = &m->config;
    rp__block_scheduler *s = &m->pairs[i].scheduler;
    s->config = c;
    s->memory = &m->bytes;
    s->counts = &m->counts;
    s->cores = m->cores;
    s->reader = &m->pairs[i].reader;
    s->assign = &m->scheduler.assign[i];
    m->scheduler.finish[i] = &s->finish;
    for (uint32_t k = 0; k < 2; k++)
        if (make_array(c, &s->lists[k].skips) || make_array(c, &s->lists[k].metas) ||
            make_array(c, &s->lists[k].bounds))
            return RP_NO_MEMORY;
    if (make_link(&m->scheduler.assign[i], PAIR_DEPTH, sizeof(rp__sim_assignment),
                  RP_SIM_KIND_QUERY_SCHEDULER, unit_number) ||
        make_link(&s->finish, PAIR_DEPTH, sizeof(rp__sim_finish), unit_number,
                  RP_SIM_KIND_QUERY_SCHEDULER))
        return RP_NO_MEMORY;
    return make_port(m, &s->port, unit_number, 5 * c->bsch_lines);
}

static rp_status make_pair(rp__machine *m, uint32_t i)
{
    uint16_t reader = add_unit(m, RP_SIM_KIND_BLOCK_READER, i, &m->pairs[i].reader);
    uint16_t scheduler = add_unit(m, RP_SIM_KIND_BLOCK_SCHEDULER, i, &m->pairs[i].scheduler);
    m->scheduler.pair_units[i][0] = reader;
    m->scheduler.pair_units[i][1] = scheduler;
    rp_status status = make_reader(m, i, scheduler);
    return status ? status : make_scheduler(m, i, scheduler);
}

static rp_status make_dcu(rp__machine *m, rp__core *core, uint32_t i, uint16_t unit_number)
{
    const rp__sim_config *c = &m->config;
    rp__dcu *dcu = &core->dcus[i];
    dcu->config = c;
    dcu->setup = &core->setup;
    dcu->counts = &m->counts;
    dcu->pipe.latency = c->dcu_latency;
    if (make_link(&dcu->in, c->dispatch_depth, sizeof(rp__sim_block), 0, unit_number) ||
        make_link(&dcu->request, c->dcu_lines, sizeof(rp__sim_line_request), unit_number, 0) ||
        make_link(&dcu->lines, c->dcu_lines, sizeof(rp__sim_line), 0, unit_number) ||
        make_out(&dcu->out, c->dcu_out, c->dcu_latency, unit_number))
        return RP_NO_MEMORY;
    if (c->bp128 && !(dcu->gaps = rp__alloc(MAX_BLOCK * sizeof *dcu->gaps)))
        return RP_NO_MEMORY;
    dcu->in.wake_fill = c->dispatch_depth - 1; /* block schedulers leave a place free */
    return RP_OK;
}

static rp_status make_su(rp__machine *m, rp__core *core, uint32_t i, uint16_t unit_number)
{
    const rp__sim_config *c = &m->config;
    rp__su *su = &core->sus[i];
    su->config = c;
    su->setup = &core->setup;
    su->memory = &m->bytes;
    su->counts = &m->counts;
    su->lane = i;
    su->from_dcu = &core->dcus[i].out;
    su->from_merge = &core->merge_unit.to_su[i];
    su->pipe.latency = c->su_latency;
    su->missing = RP_SIM_NEVER;
    su->n_lines = c->su_lines;
    su->n_fifo = c->su_fifo;
    su->dl = c->dl;
    su->fifo = rp__alloc_zero(c->su_fifo, sizeof *su->fifo);
    su->lines = rp__alloc_zero(c->su_lines, sizeof *su->lines);
    if (!su->fifo || !su->lines ||
        make_out(&su->out, c->su_out, c->su_latency + c->su_fifo, unit_number))
        return RP_NO_MEMORY;
    return make_port(m, &su->port, unit_number, c->su_lines);
}

static rp_status make_search(rp__machine *m, rp__core *core, uint16_t bsu, uint16_t fetch,
                             uint16_t merge)
{
    const rp__sim_config *c = &m->config;
    rp__bsu *b = &core->bsu;
    rp__l1_fetch *f = &core->l1_fetch;
    b->config = f->config = c;
    b->setup = f->setup = &core->setup;
    b->counts = f->counts = &m->counts;
    b->in = &core->dcus[0].out;
    b->line_at = RP_SIM_NEVER;
    b->stream.lines = rp__alloc_zero(c->bsch_lines, sizeof *b->stream.lines);
    b->stream.has_arrived = rp__alloc_zero(c->bsch_lines, sizeof *b->stream.has_arrived);
    if (!b->stream.lines || !b->stream.has_arrived)
        return RP_NO_MEMORY;
    f->in = &b->out;
    f->block = &core->dcus[1].in;
    f->request = &core->dcus[1].request;
    f->lines = &core->dcus[1].lines;
    f->current = -1;
    if (make_link(&b->out, c->candidates, sizeof(rp__sim_posting), bsu, fetch) ||
        make_link(&f->out, c->merge_out, sizeof(rp__sim_posting), fetch, merge))
        return RP_NO_MEMORY;
    rp_status status = make_port(m, &b->port, bsu, c->bsch_lines);
    return status ? status : make_port(m, &f->port, fetch, c->dcu_lines + 1);
}

static rp_status make_merge(rp__machine *m, rp__core *core, uint16_t unit_number)
{
    const rp__sim_config *c = &m->config;
    rp__merge_unit *u = &core->merge_unit;
    u->setup = &core->setup;
    u->candidates = &core->l1_fetch.out;
    u->blocks = &core->dcus[1].out;
    u->config = c;
    u->done_block = u->abandoned = -1;
    core->dcus[1].abandon = &u->abandon;
    if (make_link(&u->abandon, PAIR_DEPTH, sizeof(uint32_t), unit_number, core->first_unit + 1U))
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < 2; i++) {
        u->from_su[i] = &core->sus[i].out;
        if (make_link(&u->to_su[i], c->merge_out, sizeof(rp__sim_posting), unit_number,
                      core->first_unit + 2 + i))
            return RP_NO_MEMORY;
    }
    return make_link(&u->out, c->merge_out, sizeof(rp__sim_posting), unit_number,
                     core->first_unit + 7U);
}

static rp_status make_lane(rp__machine *m, rp__core *core, uint32_t i, uint16_t unit_number)
{
    rp__write_back *lane = &core->write_backs[i];
    lane->config = &m->config;
    lane->setup = &core->setup;
    lane->counts = &m->counts;
    lane->from_su = &core->sus[i].out;
    lane->from_merge = &core->merge_unit.out;
    lane->is_second = i == 1;
    lane->best = rp__alloc_zero(m->config.topk + 1U, sizeof *lane->best);
    if (!lane->best)
        return RP_NO_MEMORY;
    if (make_link(&lane->threshold, PAIR_DEPTH, sizeof(uint32_t), unit_number, 0) ||
        make_link(&lane->done, PAIR_DEPTH, sizeof(rp__sim_lane_end), unit_number, 0))
        return RP_NO_MEMORY;
    return make_port(m, &lane->port, unit_number, m->config.mai_entries);
}

/* The order of these units is query_scheduler.c's too. */
static rp_status make_core(rp__machine *m, uint32_t i)
{
    rp__core *core = &m->cores[i];
    uint16_t at = (uint16_t)m->n_units;
    core->first_unit = at;
    core->n_units = 9;
    core->setup.open = RP_SIM_NEVER;
    m->runs[i].dcu = at + SECOND_DCU;
    m->runs[i].mask[(at + SECOND_DCU) / 64] |= UINT64_C(1) << (at + SECOND_DCU) % 64;
    m->runs[i].mask[(at + MERGE) / 64] |= UINT64_C(1) << (at + MERGE) % 64;
    m->merges[(at + MERGE) / 64] |= UINT64_C(1) << (at + MERGE) % 64;
    for (uint32_t k = 0; k < 2; k++)
        add_unit(m, RP_SIM_KIND_DCU, 2 * i + k, &core->dcus[k]);
    for (uint32_t k = 0; k < 2; k++)
        add_unit(m, RP_SIM_KIND_SU, 2 * i + k, &core->sus[k]);
    add_unit(m, RP_SIM_KIND_BSU, i, &core->bsu);
    add_unit(m, RP_SIM_KIND_L1_FETCH, i, &core->l1_fetch);
    add_unit(m, RP_SIM_KIND_MERGE, i, &core->merge_unit);
    for (uint32_t k = 0; k < 2; k++)
        add_unit(m, RP_SIM_KIND_WRITE_BACK, 2 * i + k, &core->write_backs[k]);
    for (uint16_t k = 0; k < 2; k++)
        if (make_dcu(m, core, k, (uint16_t)(at + k)) ||
            make_su(m, core, k, (uint16_t)(at + 2 + k)) ||
            make_lane(m, core, k, (uint16_t)(at + 7 + k)))
            return RP_NO_MEMORY;
    rp_status status =
        make_search(m, core, (uint16_t)(at + 4), (uint16_t)(at + 5), (uint16_t)(at + MERGE));
    return status ? status : make_merge(m, core, (uint16_t)(at + MERGE));
}

static bool is_placed(const rp__sim_memory *m)
{
    uint64_t end = m->image_bytes;
    if (m->mapped_bytes) {
        if (m->mapped_at % 64 || m->mapped_at < end || m->mapped_at > UINT64_MAX / 2)
            return false;
        end = m->mapped_at + m->mapped_bytes;
    }
    return m->results_at % 64 == 0 && m->results_at >= end && m->results_at <= UINT64_MAX / 2;
}

rp_status rp__machine_new(const rp__sim_config *config, const rp__sim_memory *memory,
                          rp__machine **out, rp_error *err)
{
    *out = NULL;
    rp_status status = rp__sim_config_check(config, err);
    if (status)
        return status;
    if (!is_placed(memory))
        return rp__error_set(err, RP_USAGE, "the parts of the memory overlap or are misaligned");
    rp__machine *m = rp__alloc_zero(1, sizeof *m);
    if (!m)
        return rp__error_no_memory(err);
    m->config = *config;
    m->next_timer = RP_SIM_NEVER;
    m->bytes = *memory;
    status = make_front(m, err);
    for (uint32_t i = 0; i < config->cores && !status; i++)
        if (make_pair(m, i) || make_core(m, i))
            status = rp__error_no_memory(err);
    if (status) {
        rp__machine_free(m);
        return status;
    }
    *out = m;
    return RP_OK;
}

static void free_port(rp__sim_port *port)
{
    rp__link_reset(&port->request);
    rp__link_reset(&port->response);
}

static void free_array(rp__sim_array *a)
{
    rp__free(a->lines);
    rp__free(a->has_arrived);
}

static void free_pair(pair *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        rp__sim_list *list = &p->scheduler.lists[i];
        free_array(&list->skips);
        free_array(&list->metas);
        free_array(&list->bounds);
    }
    rp__free(p->reader.entries);
    rp__link_reset(&p->reader.open);
    rp__link_reset(&p->reader.closed);
    rp__link_reset(&p->scheduler.finish);
    free_port(&p->reader.port);
    free_port(&p->scheduler.port);
}

static void free_core(rp__core *core)
{
    for (uint32_t i = 0; i < 2; i++) {
        rp__dcu *dcu = &core->dcus[i];
        rp__link_reset(&dcu->in);
        rp__link_reset(&dcu->request);
        rp__link_reset(&dcu->lines);
        rp__link_reset(&dcu->out);
        rp__free(dcu->gaps);
        rp__free(core->sus[i].fifo);
        rp__free(core->sus[i].lines);
        rp__link_reset(&core->sus[i].out);
        free_port(&core->sus[i].port);
        rp__link_reset(&core->merge_unit.to_su[i]);
        rp__link_reset(&core->write_backs[i].done);
        rp__link_reset(&core->write_backs[i].threshold);
        rp__free(core->write_backs[i].best);
        free_port(&core->write_backs[i].port);
    }
    rp__link_reset(&core->merge_unit.out);
    rp__link_reset(&core->merge_unit.abandon);
    rp__link_reset(&core->bsu.out);
    rp__link_reset(&core->l1_fetch.out);
    free_port(&core->bsu.port);
    rp__free(core->bsu.stream.lines);
    rp__free(core->bsu.stream.has_arrived);
    free_port(&core->l1_fetch.port);
}

void rp__machine_free(rp__machine *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < RP_SIM_MAX_CORES; i++) {
        free_pair(&m->pairs[i]);
        free_core(&m->cores[i]);
        rp__link_reset(&m->scheduler.assign[i]);
    }
    rp__link_reset(&m->host.doorbell);
    rp__link_reset(&m->queue.out);
    rp__link_reset(&m->scheduler.done);
    rp__mai_reset(&m->mai);
    rp__memory_reset(&m->memory);
    rp__free(m->descriptors);
    rp__free(m->host.completions);
    rp__free(m);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Tells who listens what the unit did up to `now`. */
static __attribute__((noinline)) void tell(const rp__machine *m, const unit *u, uint64_t now)
{
    if (now > u->counted)
        m->config.on_spent(m->config.spent_context, (uint32_t)(u - m->units), u->spent, u->counted,
                           now - u->counted);
}

/* Adds the cycles before `now` that are not counted yet to the class that the unit has had since.
 * */
static inline void count(const rp__machine *m, unit *u, uint64_t now)
{
    if (m->config.on_spent)
        tell(m, u, now);
    u->cycles[u->spent] += now - u->counted;
    u->counted = now;
}

/* From this cycle on the unit has another class. Cycles of one class in a row are counted at their
 * end. */
static inline void spend(const rp__machine *m, unit *u, uint32_t spent, uint64_t now)
{
    if (spent == u->spent)
        return;
    count(m, u, now);
    u->spent = spent;
}

static inline void set_timer(rp__machine *m, unit *u, uint64_t timer)
{
    uint64_t *timed = &m->timed[u->alarm.word];
    u->timer = timer;
    *timed = timer == RP_SIM_NEVER ? *timed & ~u->alarm.bit : *timed | u->alarm.bit;
    m->next_timer = timer < m->next_timer ? timer : m->next_timer;
}

/* A unit has another class, or another timer. */
static __attribute__((noinline)) void heed(rp__machine *m, unit *u, uint32_t spent, uint32_t then,
                                           uint64_t timer)
{
    spend(m, u, spent, m->clock.now);
    spend(m, u, then, m->clock.now + 1);
    if (timer != u->timer)
        set_timer(m, u, timer);
}

/* Evaluates a unit. Returns whether it is evaluated in the next cycle too. */
static inline bool evaluate(rp__machine *m, unit *u)
{
    const rp__turn turn = u->step(u->state, &m->clock);
    const bool again = turn.wake == m->clock.now + 1;
    const uint64_t timer = again ? RP_SIM_NEVER : turn.wake;
    if (turn.spent != u->spent || turn.then != turn.spent || timer != u->timer)
        heed(m, u, turn.spent, turn.then, timer);
    return again;
}

static void run_cycle_all(rp__machine *m)
{
    memset(m->clock.wake, 0, sizeof m->clock.wake);
    for (uint32_t i = 0; i < m->n_units; i++)
        if (evaluate(m, &m->units[m->order[i]]))
            rp__sim_wake(&m->clock, m->order[i]);
    m->evaluations += m->n_units;
    m->clock.now++;
}

static bool is_complete(const rp__machine *m)
{
    return m->host.n_completions == m->n_descriptors;
}

/* Wakes units whose timer is due. next_timer may name a cycle in which none is any more. */
static void take_timers(rp__machine *m, uint64_t awake[RP_SIM_WAKE_WORDS])
{
    m->next_timer = RP_SIM_NEVER;
    for (uint32_t w = 0; w < RP_SIM_WAKE_WORDS; w++)
        for (uint64_t left = m->timed[w]; left; left &= left - 1) {
            uint64_t timer = m->units[64 * w + rp__bits_lowest64(left)].timer;
            if (timer <= m->clock.now)
                awake[w] |= left & -left;
            else if (timer < m->next_timer)
                m->next_timer = timer;
        }
}

/* Ends a core's run with the cycle before this one: its units are awake again. */
static void end_run(rp__machine *m, uint32_t i)
{
    run *r = &m->runs[i];
    rp__run_ahead_make(&m->cores[i], r->docids, r->start, (uint32_t)(m->clock.now - r->start),
                       &m->clock);
    m->running &= ~(1U << i);
    set_timer(m, &m->units[r->dcu], RP_SIM_NEVER);
}

static void begin_run(rp__machine *m, uint32_t i, uint32_t cycles)
{
    run *r = &m->runs[i];
    const uint64_t now = m->clock.now;
    unit *dcu = &m->units[r->dcu];
    spend(m, dcu, RP_SIM_BUSY, now);
    spend(m, dcu + MERGE - SECOND_DCU, RP_SIM_BUSY, now);
    r->start = now;
    m->running |= 1U << i;
    set_timer(m, dcu, now + cycles);
    m->evaluations++;
}

/* Cores whose second decompression unit and merge unit are awake, or woken from a run: these units
 * are taken out of `awake` if a run begins. */
static void take_runs(rp__machine *m, uint64_t awake[RP_SIM_WAKE_WORDS])
{
    for (uint32_t i = 0; i < m->config.cores; i++) {
        const uint64_t *mask = m->runs[i].mask;
        const uint64_t low = awake[0] & mask[0], high = awake[1] & mask[1];
        if (!(low | high))
            continue;
        if (m->running >> i & 1U) {
            end_run(m, i);
            awake[0] |= mask[0];
            awake[1] |= mask[1];
        } else if (low != mask[0] || high != mask[1]) {
            continue;
        }
        uint32_t cycles = rp__run_ahead_look(&m->cores[i], m->runs[i].docids, &m->clock);
        if (cycles) {
            begin_run(m, i, cycles);
            awake[0] &= ~mask[0];
            awake[1] &= ~mask[1];
        }
    }
}

/* Evaluates the units of a word of `awake`. */
static inline void evaluate_word(rp__machine *m, uint32_t w, uint64_t awake)
{
    uint64_t again = awake;
    for (uint64_t left = awake; left; left &= left - 1) {
        m->evaluations++;
        if (!evaluate(m, &m->units[64 * w + rp__bits_lowest64(left)]))
            again ^= left & -left;
    }
    m->clock.wake[w] |= again;
}

static inline void run_cycle_awake(rp__machine *m)
{
    uint64_t awake[RP_SIM_WAKE_WORDS] = {m->clock.wake[0], m->clock.wake[1]};
    m->clock.wake[0] = m->clock.wake[1] = 0;
    if (m->next_timer <= m->clock.now)
        take_timers(m, awake);
    if (m->running || (awake[0] & m->merges[0]) | (awake[1] & m->merges[1]))
        take_runs(m, awake);
    if (awake[0])
        evaluate_word(m, 0, awake[0]);
    if (awake[1])
        evaluate_word(m, 1, awake[1]);
    m->clock.now++;
    if (!(m->clock.wake[0] | m->clock.wake[1]) && !is_complete(m)) {
        uint64_t limit = m->clock.last_move + m->config.watchdog + 1;
        m->clock.now = m->next_timer < limit ? m->next_timer : limit;
    }
}

static void count_up_to_now(rp__machine *m)
{
    for (uint32_t i = 0; i < m->n_units; i++)
        count(m, &m->units[i], m->clock.now);
    rp__mai_count_fill(&m->mai, m->clock.now);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

uint32_t rp__machine_units(const rp__machine *m)
{
    return m->n_units;
}

rp_status rp__machine_set_order(rp__machine *m, const uint32_t *order)
{
    m->is_ordered = order != NULL;
    if (order)
        memcpy(m->order, order, m->n_units * sizeof *order);
    return RP_OK;
}

rp_status rp__machine_submit(rp__machine *m, const rp__descriptor *descriptor)
{
    size_t n = m->n_descriptors;
    if (!rp__alloc_grow(&m->descriptors, &m->descriptors_cap, n + 1, sizeof *m->descriptors) ||
        !rp__alloc_grow(&m->host.completions, &m->completions_cap, n + 1,
                        sizeof *m->host.completions))
        return RP_NO_MEMORY;
    m->descriptors[m->n_descriptors++] = *descriptor;
    m->host.descriptors = m->descriptors;
    m->host.n = m->n_descriptors;
    rp__sim_wake(&m->clock, RP_SIM_KIND_HOST);
    return RP_OK;
}

/* Whether the i-th query is among the first n completions. Queries with one tag count in order. */
static bool has_completed(const rp__machine *m, size_t i, size_t n)
{
    uint32_t tag = m->descriptors[i].tag;
    size_t left = 0;
    for (size_t j = 0; j <= i; j++)
        left += m->descriptors[j].tag == tag;
    for (size_t j = 0; j < n && left; j++)
        left -= m->host.completions[j].tag == tag;
    return !left;
}

static rp_status hang(rp__machine *m, rp_error *err)
{
    size_t n = m->host.n_completions;
    m->is_hung = true;
    for (size_t i = 0; i < m->n_descriptors && !is_complete(m); i++)
        if (!has_completed(m, i, n))
            m->host.completions[m->host.n_completions++] = (rp__completion){
                .tag = m->descriptors[i].tag, .status = RP_SIM_HUNG, .end = m->clock.now};
    char text[160];
    rp__machine_describe(m, text, sizeof text);
    return rp__error_set(err, RP_LIMIT, "no progress for %u cycles: %s", m->config.watchdog, text);
}

rp_status rp__machine_run(rp__machine *m, rp_error *err)
{
    if (m->is_hung)
        return rp__error_set(err, RP_LIMIT, "the machine hangs since its last run");
    if (m->clock.last_move < m->clock.now)
        m->clock.last_move = m->clock.now;
    while (!is_complete(m) && m->clock.now <= m->clock.last_move + m->config.watchdog) {
        if (m->is_ordered)
            run_cycle_all(m);
        else
            run_cycle_awake(m);
    }
    count_up_to_now(m);
    return is_complete(m) ? RP_OK : hang(m, err);
}

const rp__completion *rp__machine_completions(const rp__machine *m, size_t *n)
{
    *n = m->host.n_completions;
    return m->host.completions;
}

size_t rp__machine_describe(const rp__machine *m, char *text, size_t cap)
{
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < m->n_units; i++) {
        const unit *u = &m->units[i];
        int more = snprintf(text + n, cap - n, "%s%s %u %s", i ? ", " : "",
                            rp__sim_stats_kind(u->kind), u->index, rp__sim_stats_class(u->spent));
        if (more < 0 || (size_t)more >= cap - n)
            break;
        n += (size_t)more;
    }
    return n;
}

void rp__machine_report(const rp__machine *m, rp__sim_report *report)
{
    *report = (rp__sim_report){.cycles = m->clock.now,
                               .queries = m->host.n_completions,
                               .n_units = m->n_units,
                               .counts = m->counts,
                               .evaluations = m->evaluations};
    for (uint32_t i = 0; i < m->n_units; i++) {
        report->units[i].kind = m->units[i].kind;
        report->units[i].index = m->units[i].index;
        memcpy(report->units[i].cycles, m->units[i].cycles, sizeof m->units[i].cycles);
    }
    rp__memory_report(&m->memory, report);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* An AND: each block of list0 has its own place and its count. */
static rp_status gather_blocks(const rp__machine *m, const rp__descriptor *d, uint64_t n,
                               rp__result_slot *dst)
{
    const uint8_t *at = m->bytes.results + (d->result - m->bytes.results_at);
    const uint8_t *counts = at + 8 * d->cap;
    rp__list_header header;
    memcpy(&header, rp__sim_view(&m->bytes, d->list0, sizeof header), sizeof header);
    uint64_t slot = 0, total = 0;
    for (uint32_t b = 0; b < d->n_blocks0; b++) {
        uint64_t meta = rp__load64(rp__sim_view(&m->bytes, rp__sim_meta_at(&header, b), 8));
        uint32_t count = counts[2 * (uint64_t)b] | (uint32_t)counts[2 * (uint64_t)b + 1] << 8;
        if (count > n - total || slot + count > d->cap)
            return RP_DAMAGED;
        memcpy(dst + total, at + 8 * slot, 8 * (size_t)count);
        total += count;
        slot += meta >> 10 & 2047;
    }
    return total == n ? RP_OK : RP_DAMAGED;
}

rp_status rp__machine_results(const rp__machine *m, const rp__descriptor *d,
                              const rp__completion *completion, rp__result_slot *dst)
{
    if (completion->status != RP_SIM_OK || completion->n_results > d->cap)
        return RP_DAMAGED;
    const uint8_t *at = m->bytes.results + (d->result - m->bytes.results_at);
    if (m->config.topk) {
        uint64_t lanes = d->query_type == RP_SIM_SINGLE ? 2 : 1;
        lanes *= rp__bits_count64(completion->cores);
        return rp__lane_topk_gather(at, lanes * m->config.topk, completion->n_results, dst);
    }
    if (d->query_type == RP_SIM_AND)
        return gather_blocks(m, d, completion->n_results, dst);
    if (completion->n_results)
        memcpy(dst, at, 8 * (size_t)completion->n_results);
    return RP_OK;
}
