/* memory.c: the memories behind the interface, one row each.
 *
 * ideal answers in the cycle in which a request arrives; fixed after a number of core cycles;
 * random after a number drawn for each request; dram is dram.c's model, which runs by its own
 * clock: before core cycle t it has made floor(t * memory MHz / core MHz) ticks. Crossing takes
 * one core cycle each way, because the links do. Bytes are read and written when a request ends. */
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "sim/dram.h"
#include "sim/units.h"

typedef struct rp__memory_row {
    const char *name;
    rp_status (*open)(rp__memory *memory, rp_error *err);
    bool (*send)(rp__memory *memory, const rp__sim_access *access, rp__sim_clock *clock);
    void (*advance)(rp__memory *memory, rp__sim_clock *clock); /* to the end of this cycle */
    uint64_t (*next)(const rp__memory *memory,
                     const rp__sim_clock *clock); /* cycle with an event */
} rp__memory_row;

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void read_line(const uint8_t *from, size_t n_bytes, uint64_t at, uint64_t words[8])
{
    if (n_bytes - at >= 64) {
        memcpy(words, from + at, 64);
        return;
    }
    memset(words, 0, 64);
    memcpy(words, from + at, n_bytes - at);
}

static void write_line(const rp__sim_memory *m, const rp__sim_access *access)
{
    uint64_t at = access->address - m->results_at;
    if (access->mask == UINT64_MAX && m->results_bytes - at >= 64) {
        memcpy(m->results + at, access->words, 64);
        return;
    }
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (at + i < m->results_bytes)
            m->results[at + i] = ((const uint8_t *)access->words)[i];
    }
}

/* A request has ended. */
static void end(rp__memory *memory, uint32_t entry, rp__sim_clock *clock)
{
    const rp__sim_access *access = &memory->accesses[entry];
    const rp__sim_memory *m = memory->bytes;
    rp__sim_access *out = rp__link_push(&memory->out, clock);
    out->entry = entry;
    if (access->is_write)
        write_line(m, access);
    else if (access->address < m->image_bytes)
        read_line(m->image, m->image_bytes, access->address, out->words);
    else if (access->address < m->results_at)
        read_line(m->mapped, m->mapped_bytes, access->address - m->mapped_at, out->words);
    else
        read_line(m->results, m->results_bytes, access->address - m->results_at, out->words);
}

/* ---- Rows whose latency is known when a request arrives -------------------------------------- */

static rp_status open_timed(rp__memory *memory, rp_error *err)
{
    uint32_t slots = 1;
    while (slots < memory->config->mai_entries)
        slots *= 2;
    memory->mask = slots - 1;
    memory->waits = rp__alloc_array(slots, sizeof *memory->waits);
    return memory->waits ? RP_OK : rp__error_no_memory(err);
}

/* Puts a request among those that wait: after all that end no later. */
static void wait_until(rp__memory *memory, const rp__sim_access *access, uint64_t due)
{
    uint32_t i = memory->head + memory->n++;
    for (; i != memory->head && memory->waits[(i - 1) & memory->mask].due > due; i--)
        memory->waits[i & memory->mask] = memory->waits[(i - 1) & memory->mask];
    memory->waits[i & memory->mask] = (struct rp__memory_wait){due, access->entry};
}

static bool send_ideal(rp__memory *memory, const rp__sim_access *access, rp__sim_clock *clock)
{
    wait_until(memory, access, clock->now);
    return true;
}

static bool send_fixed(rp__memory *memory, const rp__sim_access *access, rp__sim_clock *clock)
{
    wait_until(memory, access, clock->now + memory->config->latency);
    return true;
}

/* splitmix64 of the request's number: no state but that number. */
static uint64_t draw(uint64_t seed, uint64_t number)
{
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + number * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static bool send_random(rp__memory *memory, const rp__sim_access *access, rp__sim_clock *clock)
{
    const rp__sim_config *config = memory->config;
    uint64_t span = (uint64_t)config->latency_max - config->latency + 1;
    uint64_t latency = config->latency + draw(config->seed, memory->order++) % span;
    wait_until(memory, access, clock->now + latency);
    return true;
}

static void advance_timed(rp__memory *memory, rp__sim_clock *clock)
{
    while (memory->n && memory->waits[memory->head & memory->mask].due <= clock->now) {
        end(memory, memory->waits[memory->head & memory->mask].entry, clock);
        memory->head++;
        memory->n--;
    }
}

static uint64_t next_timed(const rp__memory *memory, const rp__sim_clock *clock)
{
    (void)clock;
    return memory->n ? memory->waits[memory->head & memory->mask].due : RP_SIM_NEVER;
}

/* ---- DRAM ------------------------------------------------------------------------------------ */

static void override(uint32_t *value, uint32_t key)
{
    if (key)
        *value = key;
}

static rp_status open_dram(rp__memory *memory, rp_error *err)
{
    const rp__sim_config *config = memory->config;
    struct rp__dram_config dram;
    if (!rp__dram_standard_set(&dram, config->standard, config->controller))
        return rp__error_set(err, RP_USAGE, "standard, controller: there is no '%s' with '%s'",
                             config->standard, config->controller);
    override(&dram.channels, config->channels);
    override(&dram.ranks, config->ranks);
    override(&dram.read_queue, config->read_queue);
    override(&dram.write_queue, config->write_queue);
    dram.on_command = config->on_command;
    dram.context = config->context;
    const char *fault = rp__dram_map_fault(&dram);
    if (fault)
        return rp__error_set(err, RP_USAGE, "memory: %s", fault);
    memory->dram = rp__dram_new(&dram);
    memory->mhz = dram.clock_mhz;
    memory->channels = dram.channels;
    memory->burst = dram.timing.bl;
    memory->commands = dram.has_pseudo ? 2 : 1;
    return memory->dram ? RP_OK : rp__error_no_memory(err);
}

/* Ticks of the memory before a core cycle. */
static uint64_t ticks_before(const rp__memory *memory, uint64_t cycle)
{
    return cycle * memory->mhz / memory->config->core_mhz;
}

static bool send_dram(rp__memory *memory, const rp__sim_access *access, rp__sim_clock *clock)
{
    rp__dram_jump(memory->dram, ticks_before(memory, clock->now));
    if (!rp__dram_send(memory->dram, access->address, access->is_write, access->entry))
        return false;
    memory->n++;
    return true;
}

static void advance_dram(rp__memory *memory, rp__sim_clock *clock)
{
    uint32_t entry;
    if (!memory->n)
        return;
    rp__dram_jump(memory->dram, ticks_before(memory, clock->now + 1));
    while (rp__dram_take(memory->dram, &entry)) {
        end(memory, entry, clock);
        memory->n--;
    }
}

/* A cycle before which no request ends. What the memory does until then it catches up with later,
 * as with refreshes when no request is in flight. */
static uint64_t next_dram(const rp__memory *memory, const rp__sim_clock *clock)
{
    if (!memory->n)
        return RP_SIM_NEVER;
    uint64_t tick = rp__dram_next_done(memory->dram), mhz = memory->config->core_mhz;
    uint64_t cycle = (tick * mhz + memory->mhz - 1) / memory->mhz - 1;
    return cycle > clock->now ? cycle : clock->now + 1;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const rp__memory_row rows[] = {
    [RP_SIM_MEMORY_IDEAL] = {"ideal", open_timed, send_ideal, advance_timed, next_timed},
    [RP_SIM_MEMORY_FIXED] = {"fixed", open_timed, send_fixed, advance_timed, next_timed},
    [RP_SIM_MEMORY_RANDOM] = {"random", open_timed, send_random, advance_timed, next_timed},
    [RP_SIM_MEMORY_DRAM] = {"dram", open_dram, send_dram, advance_dram, next_dram},
};

rp_status rp__memory_init(rp__memory *memory, const rp__sim_config *config, rp_error *err)
{
    memory->config = config;
    memory->accesses = rp__alloc_zero(config->mai_entries, sizeof *memory->accesses);
    if (!memory->accesses ||
        rp__link_init(&memory->out, config->mai_entries, sizeof(rp__sim_access)))
        return rp__error_no_memory(err);
    memory->row = &rows[config->memory];
    return memory->row->open(memory, err);
}

void rp__memory_reset(rp__memory *memory)
{
    rp__link_reset(&memory->out);
    rp__free(memory->accesses);
    rp__free(memory->waits);
    rp__dram_free(memory->dram);
}

static bool take_requests(rp__memory *memory, rp__sim_clock *clock)
{
    const rp__sim_access *access;
    bool moved = false;
    while ((access = rp__link_head(memory->in, clock))) {
        if (!memory->row->send(memory, access, clock))
            break;
        rp__sim_access *kept = &memory->accesses[access->entry];
        kept->address = access->address;
        kept->is_write = access->is_write;
        kept->mask = access->mask;
        if (access->is_write)
            memcpy(kept->words, access->words, sizeof kept->words);
        else if (access->address < memory->bytes->image_bytes)
            __builtin_prefetch(memory->bytes->image + access->address);
        memory->counts->memory_reads += !access->is_write;
        memory->counts->memory_writes += access->is_write;
        rp__link_pop(memory->in, clock);
        moved = true;
    }
    return moved;
}

rp__turn rp__memory_step(rp__memory *memory, rp__sim_clock *clock)
{
    uint64_t ended = memory->out.pushed;
    bool moved = take_requests(memory, clock);
    memory->row->advance(memory, clock);
    moved |= memory->out.pushed != ended;
    bool is_refused = rp__link_head(memory->in, clock) != NULL;
    uint64_t next = memory->row->next(memory, clock);
    uint32_t then = is_refused || next != RP_SIM_NEVER ? RP_SIM_BUSY : RP_SIM_IDLE;
    return (rp__turn){is_refused ? clock->now + 1 : next, moved ? RP_SIM_BUSY : then, then};
}

void rp__memory_report(const rp__memory *memory, rp__sim_report *report)
{
    if (!memory->dram)
        return;
    struct rp__dram_counters counters;
    rp__dram_counters(memory->dram, &counters);
    report->memory_mhz = memory->mhz;
    report->memory_channels = memory->channels;
    report->burst_clocks = memory->burst;
    report->memory_ticks = rp__dram_now(memory->dram);
    report->row_hits = counters.hits;
    report->row_closed = counters.closed;
    report->row_conflicts = counters.conflicts;
    report->bus_busy = counters.bus_busy;
    report->column_commands = counters.rd + counters.wr;
    report->commands_saved = counters.forwarded + counters.merged + counters.joined;
    report->commands_left = counters.waiting;
    report->request_commands = memory->commands;
    report->dram_pj = counters.energy_pj;
}
