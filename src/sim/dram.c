/* dram.c: main memory as the machine sees it: requests in, requests done, time.
 *
 * Splits an address, hands its column commands to the channel's controller, and lets a channel
 * sleep until its next step: skipping changes no result, because a controller that issued nothing
 * knows when it first can, and a request that arrives wakes it. */
#include "sim/dram.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sim/dram_channel.h"

struct rp__dram {
    struct rp__dram_config config;
    struct rp__dram_rules rules;
    const struct rp__dram_controller *row;
    struct rp__dram_map map;
    uint64_t now, next; /* steps done; nothing happens before step `next` */
    uint32_t outstanding, done_head, n_done, done_mask;
    struct rp__dram_done *done; /* a ring, as large as what may be outstanding */
    struct rp__dram_channel *channels;
};

static uint32_t power_above(uint32_t n)
{
    return 1U << rp__bits_width(n - 1);
}

/* Entries of one channel: all that wait, and as many again on their way. */
static uint32_t pool_size(const struct rp__dram_config *config)
{
    uint32_t banks = config->ranks * config->groups * config->banks;
    return config->read_queue + config->write_queue + banks * (config->bank_queue + 1) +
           2 * (config->timing.cl + config->timing.bl) + 64;
}

static bool ring_init(struct rp__dram_ring *ring, uint32_t n)
{
    uint32_t size = power_above(n);
    ring->at = rp__alloc_array(size, sizeof *ring->at);
    ring->mask = size - 1;
    return ring->at != NULL;
}

static void place_banks(struct rp__dram_channel *c, const struct rp__dram_config *config)
{
    c->n_ranks = config->ranks;
    c->n_groups = config->groups;
    c->banks_of_rank = config->groups * config->banks;
    c->n_banks = c->banks_of_rank * config->ranks;
    for (uint32_t i = 0; i < c->n_banks; i++) {
        c->banks[i].rank = (uint8_t)(i / c->banks_of_rank);
        c->banks[i].group = (uint8_t)(i / config->banks);
        c->banks[i].bank = (uint8_t)(i % config->banks);
        c->ranks[c->banks[i].rank].banks |= 1ULL << i;
    }
}

/* The step of the first of a ring. */
static uint64_t first_due(const struct rp__dram_ring *ring)
{
    return ring->n ? ring->at[ring->head].step : RP__DRAM_NEVER;
}

/* A read that waits for its command ends no earlier than one that is issued when the controller
 * wakes. */
static void set_next(struct rp__dram_channel *c)
{
    const uint64_t due = rp__dram_min(first_due(&c->quick), first_due(&c->data));
    c->next = rp__dram_min(c->wake, due);
    c->next_done = rp__dram_min(c->wake + c->rules->read_delay, due);
}

static bool channel_init(struct rp__dram *dram, uint32_t index)
{
    const struct rp__dram_config *config = &dram->config;
    struct rp__dram_channel *c = &dram->channels[index];
    uint32_t n = pool_size(config);
    c->rules = &dram->rules;
    c->config = config;
    c->index = index;
    place_banks(c, config);
    rp__dram_queue_init(&c->reads, config->read_queue);
    rp__dram_queue_init(&c->writes, config->write_queue);
    c->read_head = c->read_tail = c->write_head = c->write_tail = RP__DRAM_NONE;
    c->next_refresh =
        c->rules->refi / (dram->row->is_staggered ? c->n_ranks : 1) + dram->row->first_refresh;
    c->wake = c->next_refresh;
    set_next(c);
    c->visited = 0;
    c->plan.entry = RP__DRAM_NONE;
    c->pool = rp__alloc_array(n, sizeof *c->pool);
    if (!c->pool || !ring_init(&c->data, n) || !ring_init(&c->quick, n)) {
        return false;
    }
    c->free_entry = RP__DRAM_NONE;
    for (uint32_t i = n; i-- > 0;) {
        rp__dram_queue_release(c, (uint16_t)i);
    }
    return true;
}

struct rp__dram *rp__dram_new(const struct rp__dram_config *config)
{
    const struct rp__dram_controller *row = rp__dram_standard_controller(config->controller);
    struct rp__dram *dram;
    if (!row || rp__dram_map_fault(config) || !(dram = rp__alloc_zero(1, sizeof *dram))) {
        return NULL;
    }
    dram->config = *config;
    dram->row = row;
    rp__dram_bank_rules(config, &dram->rules);
    rp__dram_map_set(config, &dram->map);
    dram->next = RP__DRAM_NEVER;
    dram->done_mask = power_above(config->channels * pool_size(config)) - 1;
    dram->done = rp__alloc_array(dram->done_mask + 1, sizeof *dram->done);
    dram->channels = rp__alloc_zero(config->channels, sizeof *dram->channels);
    bool is_ok = dram->done && dram->channels;
    for (uint32_t i = 0; is_ok && i < config->channels; i++) {
        is_ok = channel_init(dram, i);
        dram->next = rp__dram_min(dram->next, dram->channels[i].next);
    }
    if (!is_ok) {
        rp__dram_free(dram);
        return NULL;
    }
    return dram;
}

void rp__dram_free(struct rp__dram *dram)
{
    if (!dram) {
        return;
    }
    for (uint32_t i = 0; dram->channels && i < dram->config.channels; i++) {
        rp__free(dram->channels[i].pool);
        rp__free(dram->channels[i].data.at);
        rp__free(dram->channels[i].quick.at);
    }
    rp__free(dram->channels);
    rp__free(dram->done);
    rp__free(dram);
}

static uint32_t field(const struct rp__dram_map *map, uint64_t address, enum rp__dram_field f)
{
    return (uint32_t)(address >> map->shift[f]) & map->mask[f];
}

static void find_place(const struct rp__dram *dram, uint64_t address, struct rp__dram_place *out)
{
    const struct rp__dram_map *map = &dram->map;
    uint32_t rank = field(map, address, RP__DRAM_RA) + field(map, address, RP__DRAM_PC);
    out->channel = field(map, address, RP__DRAM_CH);
    out->bank =
        (rank * dram->config.groups + field(map, address, RP__DRAM_BG)) * dram->config.banks +
        field(map, address, RP__DRAM_BA);
    out->row = field(map, address, RP__DRAM_RO);
    out->column = field(map, address, RP__DRAM_CO);
}

/* A request was taken over. */
static void wake_channel(struct rp__dram *dram, struct rp__dram_channel *c)
{
    if (!dram->row->sets_wake || dram->config.never_sleeps) {
        c->wake = dram->now + 1;
    }
    set_next(c);
    dram->next = rp__dram_min(dram->next, c->next);
}

/* A write is done when it was taken over. */
static void acknowledge(struct rp__dram *dram, struct rp__dram_channel *c, uint32_t tag,
                        uint64_t accepted)
{
    uint64_t delay = (uint64_t)(dram->row->answer_delay - 1) * dram->config.steps + 1;
    struct rp__dram_due due = {.step = dram->now + delay,
                               .accepted = accepted,
                               .tag = tag,
                               .entry = RP__DRAM_NONE,
                               .is_write = true};
    rp__dram_queue_ring_push(&c->quick, &due);
}

static bool send_half(struct rp__dram *dram, struct rp__dram_channel *c,
                      struct rp__dram_place *place, uint32_t half, bool is_write, uint32_t tag,
                      uint16_t *entry)
{
    struct rp__dram_place half_place = *place;
    half_place.column = place->column * 2 + half;
    if (!dram->row->accept(c, &half_place, is_write, tag, dram->now, entry)) {
        return false;
    }
    wake_channel(dram, c);
    return true;
}

/* Both halves of a request; the first may have been taken before. */
static bool send_halves(struct rp__dram *dram, struct rp__dram_channel *c,
                        struct rp__dram_place *place, bool is_write, uint32_t tag,
                        uint64_t *accepted)
{
    uint16_t entry = RP__DRAM_NONE;
    if (!c->has_half) {
        if (!send_half(dram, c, place, 0, is_write, tag, &entry)) {
            return false;
        }
        c->has_half = true;
        c->half_is_done = false;
        c->half_place = *place;
        c->half_is_write = is_write;
        c->half_accepted = dram->now;
        c->half_entry = entry;
        if (!is_write) {
            c->pool[entry].mate = RP__DRAM_UNSENT;
        }
    } else if (c->half_is_write != is_write || c->half_place.bank != place->bank ||
               c->half_place.row != place->row || c->half_place.column != place->column) {
        return false;
    }
    if (!send_half(dram, c, place, 1, is_write, tag, &entry)) {
        return false;
    }
    c->has_half = false;
    *accepted = c->half_accepted;
    if (!is_write) {
        c->pool[entry].accepted = c->half_accepted;
        if (!c->half_is_done) {
            c->pool[entry].mate = c->half_entry;
            c->pool[c->half_entry].mate = entry;
        }
    }
    return true;
}

bool rp__dram_send(struct rp__dram *dram, uint64_t address, bool is_write, uint32_t tag)
{
    struct rp__dram_place place;
    uint64_t accepted = dram->now;
    uint16_t entry = RP__DRAM_NONE;
    find_place(dram, address, &place);
    struct rp__dram_channel *c = &dram->channels[place.channel];
    if (dram->outstanding > dram->done_mask || c->quick.n + 3 > c->quick.mask + 1) {
        return false; /* a request may add two forwarded halves, or an acknowledgement */
    }
    if (dram->config.has_pseudo ? !send_halves(dram, c, &place, is_write, tag, &accepted)
                                : !dram->row->accept(c, &place, is_write, tag, dram->now, &entry)) {
        return false;
    }
    if (is_write) {
        acknowledge(dram, c, tag, accepted);
        c->counters.writes++;
    } else {
        c->counters.reads++;
    }
    wake_channel(dram, c);
    dram->outstanding++;
    return true;
}

/* A half whose other half is still on its way ends here. */
static bool is_whole(struct rp__dram_channel *c, const struct rp__dram_entry *e)
{
    if (e->mate == RP__DRAM_UNSENT) {
        c->half_is_done = true;
    } else if (e->mate != RP__DRAM_ALONE) {
        c->pool[e->mate].mate = RP__DRAM_ALONE;
    }
    return e->mate == RP__DRAM_ALONE;
}

static bool is_due(const struct rp__dram *dram, const struct rp__dram_ring *ring)
{
    return ring->n && ring->at[ring->head].step <= dram->now;
}

static void deliver(struct rp__dram *dram, struct rp__dram_channel *c, struct rp__dram_ring *ring)
{
    while (is_due(dram, ring)) {
        const struct rp__dram_due *due = &ring->at[ring->head];
        struct rp__dram_done done = {.tag = due->tag,
                                     .is_write = due->is_write,
                                     .accepted = due->accepted,
                                     .done = dram->now};
        bool is_done = true;
        if (!due->is_write) {
            const struct rp__dram_entry *e = &c->pool[due->entry];
            done.tag = e->tag;
            done.accepted = e->accepted;
            is_done = is_whole(c, e);
            c->counters.read_latency += is_done ? dram->now - e->accepted : 0;
            c->counters.last_step = dram->now;
            rp__dram_queue_release(c, due->entry);
        }
        if (is_done) {
            dram->done[(dram->done_head + dram->n_done++) & dram->done_mask] = done;
        }
        ring->head = (ring->head + 1) & ring->mask;
        ring->n--;
    }
}

static void step_channel(struct rp__dram *dram, struct rp__dram_channel *c)
{
    if (is_due(dram, &c->quick)) {
        deliver(dram, c, &c->quick);
    }
    if (is_due(dram, &c->data)) {
        deliver(dram, c, &c->data);
    }
    if (c->wake <= dram->now) {
        dram->row->tick(c, dram->now);
        c->wake = dram->config.never_sleeps ? dram->now + 1 : c->wake;
    }
    set_next(c);
}

/* Makes step dram->next of the first channel in which something happens then. */
static void step_first(struct rp__dram *dram)
{
    struct rp__dram_channel *first = dram->channels;
    uint64_t others = RP__DRAM_NEVER; /* nothing happens in the others before this step */
    for (uint32_t i = 1; i < dram->config.channels; i++) {
        struct rp__dram_channel *c = &dram->channels[i];
        const bool is_first = c->next < first->next;
        others = rp__dram_min(others, is_first ? first->next : c->next);
        first = is_first ? c : first;
    }
    step_channel(dram, first);
    dram->next = rp__dram_min(others, first->next);
}

static void run_to(struct rp__dram *dram, uint64_t step)
{
    while (dram->next <= step) {
        dram->now = dram->next;
        step_first(dram);
    }
    dram->now = step;
}

void rp__dram_tick(struct rp__dram *dram)
{
    run_to(dram, dram->now + dram->config.steps);
}

bool rp__dram_take_done(struct rp__dram *dram, struct rp__dram_done *out)
{
    if (!dram->n_done) {
        return false;
    }
    *out = dram->done[dram->done_head];
    dram->done_head = (dram->done_head + 1) & dram->done_mask;
    dram->n_done--;
    dram->outstanding--;
    return true;
}

bool rp__dram_take(struct rp__dram *dram, uint32_t *tag)
{
    struct rp__dram_done done;
    if (!rp__dram_take_done(dram, &done)) {
        return false;
    }
    *tag = done.tag;
    return true;
}

uint64_t rp__dram_now(const struct rp__dram *dram)
{
    return dram->now / dram->config.steps;
}

uint64_t rp__dram_next_event(const struct rp__dram *dram)
{
    return (dram->next + dram->config.steps - 1) / dram->config.steps;
}

uint64_t rp__dram_next_done(const struct rp__dram *dram)
{
    uint64_t next = RP__DRAM_NEVER;
    for (uint32_t i = 0; i < dram->config.channels; i++) {
        next = rp__dram_min(next, dram->channels[i].next_done);
    }
    return (next + dram->config.steps - 1) / dram->config.steps;
}

void rp__dram_jump(struct rp__dram *dram, uint64_t cycle)
{
    uint64_t step = cycle * dram->config.steps;
    if (dram->now < step) {
        run_to(dram, step);
    }
}

static void add(struct rp__dram_counters *sum, const struct rp__dram_counters *c)
{
    sum->reads += c->reads;
    sum->writes += c->writes;
    sum->forwarded += c->forwarded;
    sum->merged += c->merged;
    sum->joined += c->joined;
    sum->hits += c->hits;
    sum->closed += c->closed;
    sum->conflicts += c->conflicts;
    sum->act += c->act;
    sum->pre += c->pre;
    sum->rd += c->rd;
    sum->wr += c->wr;
    sum->ref += c->ref;
    sum->read_latency += c->read_latency;
    sum->last_step = rp__dram_max(sum->last_step, c->last_step);
}

/* Entries that are in use. */
static uint64_t count_waiting(const struct rp__dram *dram, const struct rp__dram_channel *c)
{
    uint64_t n = pool_size(&dram->config);
    for (uint16_t i = c->free_entry; i != RP__DRAM_NONE; i = c->pool[i].older) {
        n--;
    }
    return n;
}

void rp__dram_counters(const struct rp__dram *dram, struct rp__dram_counters *out)
{
    *out = (struct rp__dram_counters){0};
    for (uint32_t i = 0; i < dram->config.channels; i++) {
        add(out, &dram->channels[i].counters);
        out->waiting += count_waiting(dram, &dram->channels[i]);
        out->energy_pj += rp__dram_energy_pj(&dram->channels[i], dram->now);
    }
    out->bus_busy = (out->rd + out->wr) * dram->config.timing.bl;
    out->bytes = (out->rd + out->wr) * (dram->config.has_pseudo ? 32 : 64);
}
