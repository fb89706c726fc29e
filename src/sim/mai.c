/* mai.c: the memory access interface: a table of requests in flight, and who made them.
 *
 * Ports take turns. A request gets an entry until its response, or the acknowledgement of its
 * write, goes back. An address outside the memory gets an answer without data from here. A page
 * that the TLB lacks costs dependent reads, during which nothing else is accepted.
 * Source: Heo et al. 2020, 4.1. */
#include <string.h>

#include "base/alloc.h"
#include "sim/units.h"

rp_status rp__mai_init(rp__mai *mai, const rp__sim_config *config)
{
    uint32_t n = config->mai_entries;
    mai->entries = rp__alloc_zero(n, sizeof *mai->entries);
    mai->free_entries = rp__alloc_array(n, sizeof *mai->free_entries);
    mai->bad = rp__alloc_array(n, sizeof *mai->bad);
    if (!mai->entries || !mai->free_entries || !mai->bad ||
        rp__link_init(&mai->to_memory, config->mai_out, sizeof(rp__sim_access)))
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        mai->free_entries[mai->n_free++] = n - 1 - i;
    mai->config = config;
    return rp__tlb_init(&mai->tlb, config);
}

void rp__mai_reset(rp__mai *mai)
{
    rp__free(mai->entries);
    rp__free(mai->free_entries);
    rp__free(mai->bad);
    rp__link_reset(&mai->to_memory);
    rp__tlb_reset(&mai->tlb);
}

void rp__mai_count_fill(rp__mai *mai, uint64_t now)
{
    uint32_t n = mai->config->mai_entries, fill = n - mai->n_free;
    if (fill != mai->fill) {
        mai->fill = fill;
        mai->bucket = (fill * (RP_SIM_MAI_BUCKETS - 1) + n - 1) / n;
    }
    mai->counts->mai_fill[mai->bucket] += now - mai->seen;
    mai->seen = now;
    if (fill > mai->counts->mai_max_fill)
        mai->counts->mai_max_fill = fill;
}

/* ---- Returning ------------------------------------------------------------------------------- */

static void free_entry(rp__mai *mai, uint32_t i)
{
    mai->free_entries[mai->n_free++] = i;
    mai->counts->mai_freed++;
}

static void end_walk_step(rp__mai *mai, uint32_t entry)
{
    mai->walk_waits = false;
    mai->walk_left--;
    free_entry(mai, entry);
    if (mai->walk_left)
        return;
    mai->is_walking = false;
    rp__tlb_add(&mai->tlb, mai->walk_address);
}

/* Gives a response to its unit; NULL words: the address was bad. */
static bool respond(rp__mai *mai, uint32_t i, const uint64_t words[8], rp__sim_clock *clock)
{
    const rp__mai_entry *entry = &mai->entries[i];
    if (!entry->port) {
        end_walk_step(mai, i);
        return true;
    }
    if (!rp__link_space(&entry->port->response, clock))
        return false;
    rp__sim_line *line = rp__link_push(&entry->port->response, clock);
    line->tag = entry->tag;
    line->is_bad = !words;
    if (!words)
        memset(line->words, 0, sizeof line->words);
    else if (!entry->is_write)
        memcpy(line->words, words, sizeof line->words);
    free_entry(mai, i);
    return true;
}

static bool return_one(rp__mai *mai, rp__sim_clock *clock)
{
    const rp__sim_access *access = rp__link_head(mai->from_memory, clock);
    if (access) {
        if (!respond(mai, access->entry, access->words, clock))
            return false;
        rp__link_pop(mai->from_memory, clock);
        return true;
    }
    if (!mai->n_bad || !respond(mai, mai->bad[0], NULL, clock))
        return false;
    mai->n_bad--;
    memmove(mai->bad, mai->bad + 1, mai->n_bad * sizeof *mai->bad);
    return true;
}

/* ---- Accepting ------------------------------------------------------------------------------- */

static bool is_inside(const rp__mai *mai, const rp__sim_request *request)
{
    const rp__sim_memory *m = mai->memory;
    if (!request->is_write && rp__sim_view(m, request->address, 1))
        return true;
    return request->address >= m->results_at && request->address - m->results_at < m->results_bytes;
}

static uint32_t take_entry(rp__mai *mai, rp__sim_port *port, uint32_t tag, bool is_write)
{
    uint32_t i = mai->free_entries[--mai->n_free];
    mai->entries[i] = (rp__mai_entry){.port = port, .tag = tag, .is_write = is_write};
    mai->counts->mai_allocated++;
    return i;
}

static void send(rp__mai *mai, uint32_t entry, const rp__sim_request *request, rp__sim_clock *clock)
{
    rp__sim_access *access = rp__link_push(&mai->to_memory, clock);
    access->address = request->address;
    access->entry = entry;
    access->is_write = request->is_write;
    access->mask = request->mask;
    if (request->is_write)
        memcpy(access->words, request->words, sizeof access->words);
    mai->counts->requests[request->traffic]++;
    mai->counts->bytes[request->traffic] += request->bytes;
}

/* A read of the page table: its place depends on the page and the level. */
static bool walk(rp__mai *mai, rp__sim_clock *clock)
{
    if (mai->walk_waits || !mai->n_free || !rp__link_space(&mai->to_memory, clock))
        return false;
    uint64_t page = mai->walk_address >> mai->tlb.page_bits;
    uint64_t lines = (mai->memory->image_bytes + 63) / 64;
    uint64_t line = lines ? (page / 8 + 977 * (uint64_t)mai->walk_left) % lines : 0;
    rp__sim_request request = {.address = 64 * line, .traffic = RP_SIM_TRAFFIC_WALK, .bytes = 8};
    send(mai, take_entry(mai, NULL, 0, false), &request, clock);
    mai->walk_waits = true;
    return true;
}

/* The next port whose turn it is and that has a request; n_ports: none. */
static uint32_t next_port(rp__mai *mai, const rp__sim_clock *clock)
{
    uint64_t after = mai->next_port ? mai->ready >> mai->next_port << mai->next_port : mai->ready;
    for (uint32_t part = 0; part < 2; part++) {
        for (uint64_t left = part ? mai->ready & ~after : after; left; left &= left - 1) {
            uint32_t p = (uint32_t)__builtin_ctzll(left);
            if (rp__link_head(&mai->ports[p]->request, clock))
                return p;
            if (rp__link_is_empty(&mai->ports[p]->request))
                mai->ready &= ~(UINT64_C(1) << p);
        }
    }
    return mai->n_ports;
}

static bool accept_one(rp__mai *mai, rp__sim_clock *clock)
{
    if (!mai->n_free || !rp__link_space(&mai->to_memory, clock))
        return false;
    uint32_t p = next_port(mai, clock);
    if (p == mai->n_ports)
        return false;
    rp__sim_port *port = mai->ports[p];
    const rp__sim_request *request = rp__link_head(&port->request, clock);
    if (!request)
        return false;
    if (!is_inside(mai, request)) {
        mai->bad[mai->n_bad++] = take_entry(mai, port, request->tag, request->is_write);
        mai->counts->mai_refused++;
    } else {
        mai->counts->tlb_lookups++;
        if (!rp__tlb_find(&mai->tlb, request->address)) {
            mai->counts->tlb_misses++;
            mai->is_walking = true;
            mai->walk_left = mai->config->tlb_walk;
            mai->walk_address = request->address;
            return true;
        }
        send(mai, take_entry(mai, port, request->tag, request->is_write), request, clock);
    }
    rp__link_pop(&port->request, clock);
    mai->next_port = p + 1 < mai->n_ports ? p + 1 : 0;
    return true;
}

rp__turn rp__mai_step(rp__mai *mai, rp__sim_clock *clock)
{
    rp__mai_count_fill(mai, clock->now);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < mai->config->mai_return && return_one(mai, clock); i++)
        moved++;
    if (mai->is_walking)
        moved += walk(mai, clock);
    for (uint32_t i = 0; i < mai->config->mai_accept && !mai->is_walking; i++) {
        if (!accept_one(mai, clock))
            break;
        moved++;
    }
    bool is_filled = mai->n_free < mai->config->mai_entries;
    bool has_request = next_port(mai, clock) != mai->n_ports;
    bool has_more =
        has_request || mai->is_walking || mai->n_bad || rp__link_head(mai->from_memory, clock);
    if (moved && has_more)
        return rp__turn_busy(clock);
    uint32_t spent = has_request ? RP_SIM_WAIT_OUT : is_filled ? RP_SIM_WAIT_MEMORY : RP_SIM_IDLE;
    return (rp__turn){RP_SIM_NEVER, moved ? RP_SIM_BUSY : spent, spent};
}
