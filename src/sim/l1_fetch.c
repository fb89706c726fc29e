/* l1_fetch.c: fetches the blocks of list1 that candidates need, past the block reader.
 *
 * A candidate with another block than the last one: read the block's metadata, send the block to
 * the second decompression unit. That unit's line requests become reads; it gets its lines in
 * order. A block is never fetched again while candidates have it.
 * Source: Heo et al. 2020, 4.2. */
#include <string.h>

#include "sim/units.h"

enum { META_TAG = 255 };

/* ---- Lines for the decompression unit -------------------------------------------------------- */

static bool request_line(rp__l1_fetch *fetch, rp__sim_clock *clock)
{
    const rp__sim_line_request *request = rp__link_head(fetch->request, clock);
    if (!request || fetch->n == fetch->config->dcu_lines ||
        !rp__link_space(&fetch->port.request, clock))
        return false;
    uint32_t slot = (fetch->head + fetch->n++) % fetch->config->dcu_lines;
    fetch->has_arrived[slot] = false;
    rp__sim_read(&fetch->port, clock, request->line << 6, slot, RP_SIM_TRAFFIC_L1,
                 (uint8_t)((request->bits + 7) / 8));
    rp__link_pop(fetch->request, clock);
    return true;
}

static bool pass_line(rp__l1_fetch *fetch, rp__sim_clock *clock)
{
    if (!fetch->n || !fetch->has_arrived[fetch->head] || !rp__link_space(fetch->lines, clock))
        return false;
    *(rp__sim_line *)rp__link_push(fetch->lines, clock) = fetch->kept[fetch->head];
    fetch->head = (fetch->head + 1) % fetch->config->dcu_lines;
    fetch->n--;
    return true;
}

/* ---- Metadata -------------------------------------------------------------------------------- */

static uint64_t meta_at(const rp__l1_fetch *fetch, const rp__sim_candidate *candidate)
{
    return rp__sim_meta_at(&fetch->setup->list1, candidate->block);
}

/* Bytes of the metadata in its first line. */
static uint32_t in_first_line(uint64_t at)
{
    uint32_t n = 64 - (uint32_t)(at & 63);
    return n < 8 ? n : 8;
}

static bool request_meta(rp__l1_fetch *fetch, const rp__sim_candidate *candidate,
                         rp__sim_clock *clock)
{
    uint64_t at = meta_at(fetch, candidate);
    uint32_t first = in_first_line(at);
    if (!rp__link_space(&fetch->port.request, clock))
        return false;
    rp__sim_read(&fetch->port, clock, fetch->parts ? at + 8 : at, META_TAG, RP_SIM_TRAFFIC_L1,
                 (uint8_t)(fetch->parts ? 8 - first : first));
    fetch->is_reading = true;
    return true;
}

static void take_meta(rp__l1_fetch *fetch, const rp__sim_line *line, uint64_t at)
{
    uint32_t first = in_first_line(at);
    const uint8_t *bytes = (const uint8_t *)line->words;
    if (!fetch->parts)
        memcpy(&fetch->meta, bytes + (at & 63), first);
    else
        memcpy((uint8_t *)&fetch->meta + first, bytes, 8 - first);
    fetch->parts++;
    fetch->is_reading = false;
    fetch->has_meta = fetch->parts == (first < 8 ? 2U : 1U);
}

static bool take_lines(rp__l1_fetch *fetch, rp__sim_clock *clock)
{
    const rp__sim_line *line;
    bool moved = false;
    while ((line = rp__link_head(&fetch->port.response, clock))) {
        if (line->is_bad)
            rp__sim_blame(&fetch->status, RP_SIM_BAD_ADDRESS);
        if (line->tag == META_TAG) {
            const rp__sim_candidate *candidate = rp__link_head(fetch->in, clock);
            if (candidate) /* it waits there until its metadata have come */
                take_meta(fetch, line, meta_at(fetch, candidate));
        } else {
            fetch->kept[line->tag] = *line;
            fetch->has_arrived[line->tag] = true;
        }
        rp__link_pop(&fetch->port.response, clock);
        moved = true;
    }
    return moved;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* A paired list's metadata come with the candidate. */
static bool has_meta_with_it(const rp__l1_fetch *fetch)
{
    return fetch->setup->list1.flags & RP_SIM_PAIRED;
}

static bool dispatch(rp__l1_fetch *fetch, const rp__sim_candidate *candidate, rp__sim_clock *clock)
{
    const rp__list_header *h = &fetch->setup->list1;
    uint64_t meta = has_meta_with_it(fetch) ? candidate->meta : fetch->meta, offset = meta >> 21;
    rp__sim_block block = rp__sim_block_of(h, meta);
    block.bit = 8 * h->payload_at + offset;
    block.number = candidate->block;
    block.base = candidate->base;
    if (!rp__link_space(fetch->block, clock))
        return false;
    fetch->is_sound =
        block.n && offset <= h->payload_bits && block.n_bits <= h->payload_bits - offset;
    if (fetch->is_sound)
        *(rp__sim_block *)rp__link_push(fetch->block, clock) = block;
    else
        rp__sim_blame(&fetch->status, RP_SIM_BAD_LIST);
    fetch->counts->l1_blocks++;
    fetch->counts->l1_postings += fetch->is_sound ? block.n : 0;
    fetch->current = candidate->block;
    fetch->has_meta = false;
    fetch->parts = 0;
    return true;
}

static bool pass(rp__l1_fetch *fetch, const rp__sim_candidate *candidate, rp__sim_clock *clock)
{
    if (!rp__link_space(&fetch->out, clock))
        return false;
    rp__sim_candidate *out = rp__link_push(&fetch->out, clock);
    *out = *candidate;
    if (!fetch->is_sound)
        out->posting.flags = (uint8_t)(out->posting.flags | RP_SIM_NONE);
    rp__link_pop(fetch->in, clock);
    return true;
}

static bool pass_end(rp__l1_fetch *fetch, const rp__sim_candidate *candidate, rp__sim_clock *clock)
{
    if (!rp__link_space(&fetch->out, clock) || !rp__link_space(fetch->block, clock))
        return false;
    *(rp__sim_block *)rp__link_push(fetch->block, clock) =
        (rp__sim_block){.is_end = true, .status = fetch->status};
    pass(fetch, candidate, clock);
    fetch->current = -1;
    fetch->status = RP_SIM_OK;
    return true;
}

static bool advance(rp__l1_fetch *fetch, rp__sim_clock *clock)
{
    const rp__sim_candidate *candidate = rp__link_head(fetch->in, clock);
    if (!candidate || fetch->is_reading)
        return false;
    if (candidate->posting.flags & RP_SIM_END)
        return pass_end(fetch, candidate, clock);
    if (candidate->posting.flags & RP_SIM_NONE || (int64_t)candidate->block == fetch->current)
        return pass(fetch, candidate, clock);
    return fetch->has_meta || has_meta_with_it(fetch) ? dispatch(fetch, candidate, clock)
                                                      : request_meta(fetch, candidate, clock);
}

rp__turn rp__l1_fetch_step(rp__l1_fetch *fetch, rp__sim_clock *clock)
{
    bool is_open = rp__sim_is_open(fetch->setup, clock);
    if (!is_open || fetch->setup->query_type != RP_SIM_AND)
        return rp__turn_sleep(RP_SIM_IDLE);
    bool moved = pass_line(fetch, clock);
    moved |= take_lines(fetch, clock);
    moved |= advance(fetch, clock);
    moved |= request_line(fetch, clock);
    if (moved)
        return rp__turn_busy(clock);
    uint32_t spent = fetch->is_reading || (fetch->n && !fetch->has_arrived[fetch->head])
                         ? RP_SIM_WAIT_MEMORY
                     : rp__link_head(fetch->in, clock) ? RP_SIM_WAIT_OUT
                                                       : RP_SIM_WAIT_IN;
    return rp__turn_sleep(spent);
}
