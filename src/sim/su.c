/* su.c: the scoring unit: a posting in, its score out, one a cycle.
 *
 * A posting waits in a FIFO until the line with its document's constant is here, then passes a pipe
 * whose stages move together. A few lines are kept, so that documents close to each other share one
 * read. Modes of `dl`: line reads lines; charge4 pays one line for 16 postings, wherever their
 * constants are; free pays nothing. In the last two the values come from the memory's bytes at
 * once. Source: Heo et al. 2020, 4.3. */
#include "base/bits.h"
#include "rank/iiu_score.h"
#include "sim/units.h"

static uint64_t norm_address(const rp__su *su, uint32_t doc)
{
    return su->setup->dl_table + 4 * (uint64_t)doc;
}

static bool take_line(rp__su *su, rp__sim_clock *clock)
{
    const rp__sim_line *line = rp__link_head(&su->port.response, clock);
    if (!line)
        return false;
    struct rp__su_line *to = &su->lines[line->tag];
    memcpy(su->words[line->tag], line->words, sizeof *su->words);
    su->arrived |= 1U << line->tag;
    to->is_bad = line->is_bad;
    rp__link_pop(&su->port.response, clock);
    return true;
}

/* ---- Into the FIFO --------------------------------------------------------------------------- */

/* The line that a posting shares; su_lines: none has it. */
static uint32_t find_line(rp__su *su, uint64_t address)
{
    if (su->dl == RP_SIM_DL_CHARGE4) {
        uint32_t last = (su->next_line ? su->next_line : su->n_lines) - 1;
        return su->group_left ? last : su->n_lines;
    }
    address &= ~UINT64_C(63);
    const struct rp__su_line *last = &su->lines[su->last_line];
    if (last->address == address && last->is_used)
        return su->last_line; /* most postings share the line of the one before */
    if (su->missing == address)
        return su->n_lines;
    for (uint32_t i = 0; i < su->n_lines; i++)
        if (su->lines[i].is_used && su->lines[i].address == address)
            return i;
    su->missing = address;
    return su->n_lines;
}

/* Requests a line for a posting; su_lines: nothing is free for it. */
static uint32_t request_line(rp__su *su, uint64_t address, rp__sim_clock *clock)
{
    struct rp__su_line *line = &su->lines[su->next_line];
    if (line->users || (line->is_used && !(su->arrived >> su->next_line & 1U)) ||
        !rp__link_space(&su->port.request, clock))
        return su->n_lines;
    uint32_t i = su->next_line;
    line->address = address & ~UINT64_C(63);
    line->is_used = true;
    line->is_bad = false;
    su->arrived &= ~(1U << i);
    line->is_inside = rp__sim_view(su->memory, line->address, RP_SIM_LINE) != NULL;
    rp__sim_read(&su->port, clock, address, i, RP_SIM_TRAFFIC_DL,
                 su->dl == RP_SIM_DL_CHARGE4 ? 64 : 4);
    su->next_line = i + 1 < su->n_lines ? i + 1 : 0;
    su->group_left = 16;
    su->missing = RP_SIM_NEVER;
    su->counts->norm_reads++;
    return i;
}

#define MUST_WAIT UINT32_MAX

/* The line of a posting's constant, n_lines where it needs none, or MUST_WAIT. */
static uint32_t line_of(rp__su *su, const rp__sim_posting *posting, uint64_t address,
                        rp__sim_clock *clock)
{
    if (posting->flags & RP_SIM_NONE || su->dl == RP_SIM_DL_FREE)
        return su->n_lines;
    uint32_t line = find_line(su, address);
    if (line != su->n_lines)
        su->counts->norm_shared++;
    else if ((line = request_line(su, address, clock)) == su->n_lines)
        return MUST_WAIT;
    su->last_line = line;
    su->lines[line].users++;
    su->group_left -= su->dl == RP_SIM_DL_CHARGE4;
    return line;
}

static rp__link *input(const rp__su *su)
{
    return su->setup->query_type == RP_SIM_AND ? su->from_merge : su->from_dcu;
}

static bool take_posting(rp__su *su, rp__sim_clock *clock)
{
    rp__link *in = input(su);
    const rp__sim_posting *posting = rp__link_head(in, clock);
    if (!posting || su->n == su->n_fifo)
        return false;
    const uint64_t address = norm_address(su, posting->doc);
    const uint32_t line = line_of(su, posting, address, clock);
    if (line == MUST_WAIT)
        return false;
    uint32_t slot = su->head + su->n;
    slot = slot < su->n_fifo ? slot : slot - su->n_fifo;
    su->fifo[slot] = (uint8_t)line;
    *(rp__sim_posting *)rp__link_ahead(&su->out, su->pipe.n + su->n) = *posting;
    su->n++;
    rp__link_pop(in, clock);
    return true;
}

/* ---- Into the pipe --------------------------------------------------------------------------- */

/* The constant without the line: modes charge4 and free. */
static uint32_t norm_directly(rp__su *su, uint64_t address)
{
    const uint8_t *norm = rp__sim_view(su->memory, address, 4);
    if (norm)
        return rp__load32(norm);
    rp__sim_blame(&su->status, RP_SIM_BAD_ADDRESS);
    return 1;
}

static uint32_t norm_of(rp__su *su, uint32_t line_number, uint64_t address)
{
    if (su->dl != RP_SIM_DL_LINE)
        return norm_directly(su, address);
    const struct rp__su_line *line = &su->lines[line_number];
    if (line->is_bad || (!line->is_inside && !rp__sim_view(su->memory, address, 4))) {
        rp__sim_blame(&su->status, RP_SIM_BAD_ADDRESS);
        return 1;
    }
    return (uint32_t)(su->words[line_number][address >> 3 & 7] >> (address & 4) * 8);
}

static void score(rp__su *su, uint32_t line, rp__sim_posting *posting)
{
    uint32_t norm = norm_of(su, line, norm_address(su, posting->doc));
    if (!norm)
        rp__sim_blame(&su->status, RP_SIM_BAD_NORM);
    posting->value = rp__iiu_score(su->setup->idf_bar[su->lane], posting->value, norm ? norm : 1);
    su->counts->scored++;
}

/* The last posting of a query leaves nothing behind for the next one. */
static void end_query(rp__su *su, rp__sim_posting *end)
{
    rp__sim_blame(&end->status, su->status);
    su->status = RP_SIM_OK;
    for (uint32_t i = 0; i < su->n_lines; i++)
        su->lines[i].is_used = false;
    su->next_line = su->group_left = 0;
}

static bool enter_pipe(rp__su *su, rp__sim_clock *clock)
{
    if (!su->n || !rp__sim_pipe_is_open(&su->pipe, &su->out, clock))
        return false;
    const uint32_t line = su->fifo[su->head];
    const bool has_line = line != su->n_lines;
    if (has_line && !(su->arrived >> line & 1U))
        return false;
    rp__sim_posting *posting = rp__sim_pipe_next(&su->pipe, &su->out);
    if (!(posting->flags & RP_SIM_NONE))
        score(su, line, posting);
    if (has_line)
        su->lines[line].users--;
    if (posting->flags & RP_SIM_END)
        end_query(su, posting);
    rp__sim_pipe_enter(&su->pipe, &su->out, clock);
    su->head = su->head + 1 < su->n_fifo ? su->head + 1 : 0;
    su->n--;
    return true;
}

rp__turn rp__su_step(rp__su *su, rp__sim_clock *clock)
{
    bool moved = rp__sim_pipe_step(&su->pipe, &su->out, clock);
    moved |= take_line(su, clock);
    const bool entered = enter_pipe(su, clock);
    moved |= take_posting(su, clock);
    if (entered)
        return rp__turn_busy(clock);
    uint32_t spent = RP_SIM_WAIT_MEMORY;
    if (su->pipe.is_stalled || (su->n && su->pipe.latency == 1 && !rp__link_space(&su->out, clock)))
        spent = RP_SIM_WAIT_OUT;
    else if (su->pipe.n)
        spent = su->n ? RP_SIM_WAIT_MEMORY : RP_SIM_BUSY;
    else if (!su->n && !rp__link_head(input(su), clock))
        spent = rp__sim_is_open(su->setup, clock) ? RP_SIM_WAIT_IN : RP_SIM_IDLE;
    return (rp__turn){moved ? clock->now + 1 : rp__sim_pipe_due(&su->pipe, clock), spent, spent};
}
