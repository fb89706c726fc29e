/* machine_new.c: builds the machine: its units, and the links between them. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sim/machine.h"

enum { DOORBELL_DEPTH = 2, PAIR_DEPTH = 2, MAX_BLOCK = 2048 };

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
    m->units[m->n_units] = (rp__unit){.step = steps[kind], .state = state, .timer = RP_SIM_NEVER};
    m->unit_counts[m->n_units] = (rp__unit_counts){.kind = kind, .index = index};
    rp__sim_wake(&m->clock, m->n_units);
    return (uint16_t)m->n_units++;
}

static rp_status make_link(rp__link *link, uint32_t depth, size_t item, uint32_t producer,
                           uint32_t consumer)
{
    rp_status status = rp__link_init(link, depth, item);
    link->producer = (uint8_t)(producer);
    link->consumer = (uint8_t)(consumer);
    return status;
}

/* A link of postings after a pipe, with room for those that are in the pipe or wait for it. */
static rp_status make_out(rp__link *link, uint32_t depth, uint32_t ahead, uint32_t producer)
{
    rp_status status = rp__link_init_ahead(link, depth, ahead, sizeof(rp__sim_posting));
    link->producer = (uint8_t)(producer);
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
    port->request.ready_bit = (uint8_t)i;
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
    m->mai.to_memory.producer = (uint8_t)(RP_SIM_KIND_MAI);
    m->mai.to_memory.consumer = (uint8_t)(RP_SIM_KIND_MEMORY);
    m->memory.in = &m->mai.to_memory;
    rp_status status = rp__memory_init(&m->memory, c, err);
    m->memory.out.producer = (uint8_t)(RP_SIM_KIND_MEMORY);
    m->memory.out.consumer = (uint8_t)(RP_SIM_KIND_MAI);
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
    rp__sim_pipe_init(&dcu->pipe, c->dcu_latency);
    if (make_link(&dcu->in, c->dispatch_depth, sizeof(rp__sim_block), 0, unit_number) ||
        make_link(&dcu->request, c->dcu_lines, sizeof(rp__sim_line_request), unit_number, 0) ||
        make_link(&dcu->lines, c->dcu_lines, sizeof(rp__sim_line), 0, unit_number) ||
        make_out(&dcu->out, c->dcu_out, c->dcu_latency, unit_number))
        return RP_NO_MEMORY;
    if (c->bp128 && !(dcu->gaps = rp__alloc(MAX_BLOCK * sizeof *dcu->gaps)))
        return RP_NO_MEMORY;
    dcu->in.wake_fill = (uint16_t)(c->dispatch_depth - 1); /* block schedulers leave a place free */
    return RP_OK;
}

static rp_status make_su(rp__machine *m, rp__core *core, uint32_t i, uint16_t unit_number)
{
    const rp__sim_config *c = &m->config;
    rp__su *su = &core->sus[i];
    su->setup = &core->setup;
    su->memory = &m->bytes;
    su->counts = &m->counts;
    su->lane = i;
    su->from_dcu = &core->dcus[i].out;
    su->from_merge = &core->merge_unit.to_su[i];
    rp__sim_pipe_init(&su->pipe, c->su_latency);
    su->missing = RP_SIM_NEVER;
    su->n_lines = c->su_lines;
    su->n_fifo = c->su_fifo;
    su->dl = c->dl;
    su->fifo = rp__alloc_zero(c->su_fifo, sizeof *su->fifo);
    su->lines = rp__alloc_zero(c->su_lines, sizeof *su->lines);
    su->words = rp__alloc_zero(c->su_lines, sizeof *su->words);
    if (!su->fifo || !su->lines || !su->words ||
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
    if (make_link(&b->out, c->candidates, sizeof(rp__sim_candidate), bsu, fetch) ||
        make_link(&f->out, c->merge_out, sizeof(rp__sim_candidate), fetch, merge))
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
    if (make_link(&u->abandon, PAIR_DEPTH, sizeof(uint32_t), unit_number,
                  core->first_unit + (uint32_t)RP_SIM_SECOND_DCU))
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < 2; i++) {
        u->from_su[i] = &core->sus[i].out;
        if (make_link(&u->to_su[i], c->merge_out, sizeof(rp__sim_posting), unit_number,
                      core->first_unit + RP_SIM_FIRST_SU + i))
            return RP_NO_MEMORY;
    }
    return make_link(&u->out, c->merge_out, sizeof(rp__sim_posting), unit_number,
                     core->first_unit + (uint32_t)RP_SIM_FIRST_LANE);
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
    core->n_units = RP_SIM_CORE_UNITS;
    core->setup.open = RP_SIM_NEVER;
    m->runs[i].dcu = at + RP_SIM_SECOND_DCU;
    m->runs[i].mask[(at + RP_SIM_SECOND_DCU) / 64] |= UINT64_C(1) << (at + RP_SIM_SECOND_DCU) % 64;
    m->runs[i].mask[(at + RP_SIM_MERGE) / 64] |= UINT64_C(1) << (at + RP_SIM_MERGE) % 64;
    m->watched[(at + RP_SIM_MERGE) / 64] |= UINT64_C(1) << (at + RP_SIM_MERGE) % 64;
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
            make_su(m, core, k, (uint16_t)(at + RP_SIM_FIRST_SU + k)) ||
            make_lane(m, core, k, (uint16_t)(at + RP_SIM_FIRST_LANE + k)))
            return RP_NO_MEMORY;
    rp_status status = make_search(m, core, (uint16_t)(at + RP_SIM_BSU),
                                   (uint16_t)(at + RP_SIM_L1_FETCH), (uint16_t)(at + RP_SIM_MERGE));
    return status ? status : make_merge(m, core, (uint16_t)(at + RP_SIM_MERGE));
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
    void *block = rp__alloc_zero(1, sizeof(rp__machine) + _Alignof(rp__machine));
    if (!block)
        return rp__error_no_memory(err);
    const uintptr_t past = (uintptr_t)block % _Alignof(rp__machine);
    rp__machine *m = (rp__machine *)((uint8_t *)block + (_Alignof(rp__machine) - past));
    m->block = block;
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
