/* bsu.c: the binary search unit: the block of list1 that may have a docid of list0.
 *
 * Docids rise, so most are in the block of the last search: one cycle. Otherwise the traversal
 * cache gives the steps that the last search and this one share, up to the first whose direction
 * differs; each further step reads one skip value. A docid before list1's first or after its last
 * is dropped. Source: Heo et al. 2020, 4.3 and Figure 11. */
#include <string.h>

#include "base/bits.h"
#include "sim/units.h"

static int64_t middle(const rp__bsu *bsu)
{
    return (bsu->lo + bsu->hi) >> 1;
}

/* One step down: the skip value at the middle is known. */
static void descend(rp__bsu *bsu, uint32_t value, uint64_t meta, uint32_t doc)
{
    int64_t mid = middle(bsu);
    bool is_right = value <= doc;
    if (bsu->depth < bsu->config->traversal) {
        bsu->levels[bsu->depth] = (rp__bsu_level){meta, value, is_right};
        bsu->n_levels = bsu->depth + 1;
    }
    bsu->depth++;
    if (is_right) {
        bsu->lo = mid + 1;
        bsu->base = value;
        bsu->meta = meta;
    } else {
        bsu->hi = mid - 1;
        bsu->next_skip = value;
    }
}

/* Replays the cached levels, as one comparison of all of them: stops after the first that turns the
 * other way than last time. */
static void replay(rp__bsu *bsu, uint32_t doc)
{
    uint32_t n = bsu->n_levels;
    bsu->lo = 0;
    bsu->hi = (int64_t)bsu->setup->list1.n_blocks - 1;
    bsu->next_skip = RP_SIM_NEVER;
    bsu->depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool was_right = bsu->levels[i].is_right;
        bsu->n_levels = i;
        descend(bsu, bsu->levels[i].value, bsu->levels[i].meta, doc);
        bsu->counts->levels_cached++;
        if (bsu->levels[i].is_right != was_right)
            break;
    }
}

static void begin_search(rp__bsu *bsu, uint32_t doc)
{
    replay(bsu, doc);
    bsu->is_searching = true;
    bsu->counts->searches++;
}

/* ---- Reading a skip value -------------------------------------------------------------------- */

static bool is_paired(const rp__bsu *bsu)
{
    return bsu->setup->list1.flags & RP_SIM_PAIRED;
}

static uint64_t value_at(const rp__bsu *bsu)
{
    return rp__sim_skip_at(&bsu->setup->list1, (uint64_t)middle(bsu));
}

/* Bytes of the value that lie in its first line. */
static uint32_t in_first_line(uint64_t at)
{
    uint32_t n = 64 - (uint32_t)(at & 63);
    return n < 4 ? n : 4;
}

/* One read is in flight at a time, so the port has space. */
static void request_value(rp__bsu *bsu, rp__sim_clock *clock)
{
    uint64_t at = value_at(bsu);
    uint32_t first = in_first_line(at);
    rp__sim_read(&bsu->port, clock, bsu->parts ? at + 4 : at, 0, RP_SIM_TRAFFIC_SKIP,
                 (uint8_t)(bsu->parts ? 4 - first : first + (is_paired(bsu) ? 8 : 0)));
    bsu->is_reading = true;
}

/* Takes a line; true: the value is complete. */
static bool take_part(rp__bsu *bsu, const uint64_t words[8])
{
    uint64_t at = value_at(bsu);
    uint32_t first = in_first_line(at);
    const uint8_t *bytes = (const uint8_t *)words;
    if (!bsu->parts)
        memcpy(&bsu->value_bytes, bytes + (at & 63), first);
    else
        memcpy((uint8_t *)&bsu->value_bytes + first, bytes, 4 - first);
    bsu->parts++;
    return bsu->parts == (first < 4 ? 2U : 1U);
}

/* A paired list has the metadata in the same line. */
static void use_value(rp__bsu *bsu, uint32_t doc)
{
    const uint8_t *bytes = (const uint8_t *)bsu->line;
    uint64_t meta = is_paired(bsu) ? rp__load64(bytes + (value_at(bsu) & 63) + 8) : 0;
    descend(bsu, (uint32_t)bsu->value_bytes, meta, doc);
    bsu->parts = 0;
}

/* With a line buffer, values of the line read last cost a cycle and no read. */
static bool use_kept_line(rp__bsu *bsu, uint32_t doc)
{
    uint64_t at = value_at(bsu);
    if (!bsu->config->bsu_line || bsu->line_at != at >> 6 || in_first_line(at) < 4)
        return false;
    take_part(bsu, bsu->line);
    use_value(bsu, doc);
    bsu->counts->levels_cached++;
    return true;
}

static bool take_line(rp__bsu *bsu, uint32_t doc, rp__sim_clock *clock)
{
    const rp__sim_line *line = rp__link_head(&bsu->port.response, clock);
    if (!line)
        return false;
    if (line->is_bad)
        rp__sim_blame(&bsu->status, RP_SIM_BAD_ADDRESS);
    bsu->line_at = (value_at(bsu) >> 6) + bsu->parts;
    memcpy(bsu->line, line->words, sizeof bsu->line);
    bsu->is_reading = false;
    if (take_part(bsu, line->words)) {
        use_value(bsu, doc);
        bsu->counts->levels_read++;
    }
    rp__link_pop(&bsu->port.response, clock);
    return true;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static bool push(rp__bsu *bsu, const rp__sim_candidate *candidate, rp__sim_clock *clock)
{
    if (!rp__link_space(&bsu->out, clock))
        return false;
    *(rp__sim_candidate *)rp__link_push(&bsu->out, clock) = *candidate;
    rp__link_pop(bsu->in, clock);
    return true;
}

static bool pass_end(rp__bsu *bsu, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    rp__sim_candidate end = {.posting = *posting};
    rp__sim_blame(&end.posting.status, bsu->status);
    if (bsu->stream.in_flight || !push(bsu, &end, clock))
        return false;
    bsu->stream.next_line = bsu->stream.index = 0;
    bsu->n_levels = 0;
    bsu->has_searched = false;
    bsu->line_at = RP_SIM_NEVER;
    bsu->status = RP_SIM_OK;
    return true;
}

/* The posting goes on with its block; without one it is dropped, but not the end of its own block.
 * */
static bool pass_candidate(rp__bsu *bsu, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    rp__sim_candidate out = {.posting = *posting};
    if (bsu->candidate < 0 || posting->doc > bsu->setup->list1.last_doc) {
        out.posting.flags = (uint8_t)(posting->flags | RP_SIM_NONE);
        if (!(posting->flags & RP_SIM_LAST)) {
            rp__link_pop(bsu->in, clock);
            bsu->counts->dropped++;
            return true;
        }
    } else {
        out.block = (uint32_t)bsu->candidate;
        out.base = bsu->base;
        out.meta = bsu->meta;
    }
    if (!push(bsu, &out, clock))
        return false;
    bsu->counts->dropped += out.posting.flags & RP_SIM_NONE ? 1 : 0;
    return true;
}

static bool step_search(rp__bsu *bsu, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    if (bsu->is_reading && !take_line(bsu, posting->doc, clock))
        return false;
    if (!bsu->parts && bsu->lo > bsu->hi) {
        bsu->candidate = bsu->hi;
        bsu->has_searched = bsu->is_found = true;
        bsu->is_searching = false;
    } else if (bsu->parts || !use_kept_line(bsu, posting->doc)) {
        request_value(bsu, clock);
    }
    return true;
}

static bool advance(rp__bsu *bsu, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    if (posting->flags & RP_SIM_END)
        return pass_end(bsu, posting, clock);
    if (bsu->is_searching)
        return step_search(bsu, posting, clock);
    bool is_after = posting->doc > bsu->setup->list1.last_doc;
    if (is_after || (bsu->has_searched && posting->doc < bsu->next_skip)) {
        bool passed = pass_candidate(bsu, posting, clock);
        bsu->counts->same_block += passed && !is_after && !bsu->is_found ? 1 : 0;
        bsu->is_found &= !passed;
        return passed;
    }
    begin_search(bsu, posting->doc);
    return true;
}

/* Values that lie in two lines are searched. */
static bool is_streaming(const rp__bsu *bsu)
{
    return bsu->config->skips == RP_SIM_SKIPS_STREAM && bsu->setup->list1.skip_at % 4 == 0;
}

static bool advance_stream(rp__bsu *bsu, const rp__sim_posting *posting, rp__sim_clock *clock)
{
    bool moved = false;
    if (posting->flags & RP_SIM_END || (bsu->has_searched && posting->doc < bsu->next_skip) ||
        posting->doc > bsu->setup->list1.last_doc) {
        moved = advance(bsu, posting, clock);
    } else {
        bsu->counts->searches += !bsu->is_searching;
        bsu->is_searching = true;
        moved = rp__bsu_stream_compare(bsu, posting->doc);
    }
    if (!(posting->flags & RP_SIM_END))
        moved |= rp__bsu_stream_request(bsu, clock);
    return moved;
}

rp__turn rp__bsu_step(rp__bsu *bsu, rp__sim_clock *clock)
{
    bool is_open = rp__sim_is_open(bsu->setup, clock);
    if (!is_open || bsu->setup->query_type != RP_SIM_AND)
        return rp__turn_sleep(RP_SIM_IDLE);
    const rp__sim_posting *posting = rp__link_head(bsu->in, clock);
    bool moved = false;
    if (is_streaming(bsu)) {
        moved = posting && advance_stream(bsu, posting, clock);
        moved |= rp__bsu_stream_take(bsu, clock);
    } else {
        moved = posting && advance(bsu, posting, clock);
    }
    if (moved)
        return bsu->is_reading ? (rp__turn){RP_SIM_NEVER, RP_SIM_BUSY, RP_SIM_WAIT_MEMORY}
                               : rp__turn_busy(clock);
    uint32_t spent = !posting            ? RP_SIM_WAIT_IN
                     : bsu->is_searching ? RP_SIM_WAIT_MEMORY
                                         : RP_SIM_WAIT_OUT;
    return rp__turn_sleep(spent);
}
