/* write_back.c: a lane that gathers results into lines and writes them.
 *
 * A line goes out when its last slot is filled or its block ends, with a mask of the bytes that
 * count. Where a result belongs depends on its block alone, never on timing. An AND writes the
 * number of results of each block too. */
#include "base/bits.h"
#include "sim/units.h"

static rp__link *input(const rp__write_back *lane)
{
    return lane->setup->query_type == RP_SIM_SINGLE ? lane->from_su : lane->from_merge;
}

static bool take_acknowledgements(rp__write_back *lane, rp__sim_clock *clock)
{
    const rp__sim_line *line;
    bool moved = false;
    while ((line = rp__link_head(&lane->port.response, clock))) {
        if (line->is_bad)
            rp__sim_blame(&lane->status, RP_SIM_BAD_ADDRESS);
        lane->in_flight--;
        rp__link_pop(&lane->port.response, clock);
        moved = true;
    }
    return moved;
}

static void write_line(rp__write_back *lane, rp__sim_clock *clock)
{
    rp__sim_request *request = rp__link_push(&lane->port.request, clock);
    request->address = lane->line_at;
    request->tag = 0;
    request->traffic = RP_SIM_TRAFFIC_RESULT;
    request->is_write = true;
    request->bytes = (uint8_t)rp__bits_count64(lane->mask);
    request->mask = lane->mask;
    memcpy(request->words, lane->words, sizeof request->words);
    lane->in_flight++;
    lane->mask = 0;
}

/* The address is a multiple of 8. */
static void put_slot(rp__write_back *lane, uint64_t address, uint32_t doc, uint32_t score)
{
    lane->line_at = address & ~UINT64_C(63);
    lane->words[address >> 3 & 7] = doc | (uint64_t)score << 32;
    lane->mask |= UINT64_C(255) << (address & 56);
}

static void put_count(rp__write_back *lane, uint64_t address, uint64_t count)
{
    uint32_t at = (uint32_t)(address & 63);
    lane->line_at = address & ~UINT64_C(63);
    memcpy((uint8_t *)lane->words + at, &count, 2);
    lane->mask |= UINT64_C(3) << at;
}

/* The slot of a result; false: the buffer ends before it. */
static bool slot_of(rp__write_back *lane, const rp__sim_posting *posting, uint64_t *slot)
{
    bool is_dense = lane->setup->query_type == RP_SIM_OR;
    *slot = is_dense ? lane->total : posting->slot + lane->in_block;
    if (*slot < lane->setup->cap)
        return true;
    rp__sim_blame(&lane->status, RP_SIM_BAD_CAP);
    return false;
}

static void take_result(rp__write_back *lane, const rp__sim_posting *posting)
{
    uint64_t slot;
    if (lane->config->topk) {
        rp__lane_topk_push(lane, (rp__result_slot){posting->doc, posting->value});
        return;
    }
    if (!slot_of(lane, posting, &slot))
        return;
    put_slot(lane, lane->setup->result + 8 * slot, posting->doc, posting->value);
    lane->in_block++;
    lane->total++;
    lane->counts->written++;
}

/* The results of a block are written; an AND's count follows in the next cycle. */
static void end_block(rp__write_back *lane, const rp__sim_posting *posting)
{
    if (lane->setup->query_type == RP_SIM_AND && !lane->config->topk) {
        lane->count = *posting;
        lane->has_count = true;
    } else {
        lane->in_block = 0;
    }
}

static bool take_posting(rp__write_back *lane, rp__sim_clock *clock)
{
    rp__link *in = input(lane);
    const rp__sim_posting *posting = rp__link_head(in, clock);
    if (!posting || lane->has_count || lane->is_ending ||
        !rp__link_space(&lane->port.request, clock))
        return false;
    if (!(posting->flags & RP_SIM_NONE))
        take_result(lane, posting);
    bool is_last = posting->flags & RP_SIM_LAST && lane->setup->query_type != RP_SIM_OR;
    if (lane->mask && (lane->mask >> 63 || is_last || posting->flags & RP_SIM_END))
        write_line(lane, clock);
    if (is_last)
        end_block(lane, posting);
    if (posting->flags & RP_SIM_END) {
        rp__sim_blame(&lane->status, posting->status);
        lane->is_ending = true;
    }
    rp__link_pop(in, clock);
    return true;
}

static bool write_count(rp__write_back *lane, rp__sim_clock *clock)
{
    if (!lane->has_count || !rp__link_space(&lane->port.request, clock))
        return false;
    put_count(lane, lane->setup->result + 8 * lane->setup->cap + 2 * (uint64_t)lane->count.block,
              lane->in_block);
    write_line(lane, clock);
    lane->has_count = false;
    lane->in_block = 0;
    return true;
}

/* topk: one line of the best results. */
static bool write_best(rp__write_back *lane, rp__sim_clock *clock)
{
    const rp__sim_setup *setup = lane->setup;
    uint32_t k = lane->config->topk;
    if (!lane->is_ending || lane->n_written == k || !rp__link_space(&lane->port.request, clock))
        return false;
    if (!lane->n_written)
        rp__lane_topk_sort(lane);
    uint64_t rank =
        setup->query_type == RP_SIM_SINGLE ? 2 * setup->rank + lane->is_second : setup->rank;
    for (bool is_full = false; lane->n_written < k && !is_full; lane->n_written++) {
        rp__result_slot slot = lane->best[lane->n_written];
        put_slot(lane, setup->result + 8 * (rank * k + lane->n_written), slot.doc, slot.score);
        lane->counts->written += lane->n_written < lane->n_best;
        is_full = lane->mask >> 63;
    }
    lane->total = lane->n_best;
    write_line(lane, clock);
    return true;
}

/* topk: the k-th best score so far, when it has risen. */
static bool send_threshold(rp__write_back *lane, rp__sim_clock *clock)
{
    bool is_needed = lane->config->threshold && !lane->is_ending && lane->n_best &&
                     lane->n_best == lane->config->topk;
    if (!is_needed || lane->best[0].score <= lane->sent ||
        lane->setup->query_type != RP_SIM_SINGLE || !rp__link_space(&lane->threshold, clock))
        return false;
    lane->sent = lane->best[0].score;
    *(uint32_t *)rp__link_push(&lane->threshold, clock) = lane->sent;
    return true;
}

static bool finish(rp__write_back *lane, rp__sim_clock *clock)
{
    if (!lane->is_ending || lane->in_flight || lane->n_written < lane->config->topk ||
        !rp__link_space(&lane->done, clock))
        return false;
    lane->n_best = lane->n_written = lane->sent = 0;
    *(rp__sim_lane_end *)rp__link_push(&lane->done, clock) =
        (rp__sim_lane_end){lane->total, lane->status};
    lane->is_ending = false;
    lane->total = lane->in_block = 0;
    lane->status = RP_SIM_OK;
    return true;
}

/* The usual cycle of a single term's lane, in short: a result in the middle of its block, and
 * nothing else. False: it is another kind of cycle. */
static inline bool take_plain(rp__write_back *lane, rp__sim_clock *clock)
{
    const rp__sim_setup *setup = lane->setup;
    if (setup->query_type != RP_SIM_SINGLE || lane->is_ending || lane->config->topk ||
        !rp__link_is_empty(&lane->port.response))
        return false;
    const rp__sim_posting *posting = rp__link_head(lane->from_su, clock);
    if (!posting || posting->flags || posting->slot + lane->in_block >= setup->cap ||
        !rp__link_space(&lane->port.request, clock))
        return false;
    put_slot(lane, setup->result + 8 * (posting->slot + lane->in_block), posting->doc,
             posting->value);
    lane->in_block++;
    lane->total++;
    lane->counts->written++;
    if (lane->mask >> 63)
        write_line(lane, clock);
    rp__link_pop(lane->from_su, clock);
    return true;
}

rp__turn rp__write_back_step(rp__write_back *lane, rp__sim_clock *clock)
{
    if (take_plain(lane, clock))
        return rp__turn_busy(clock);
    if (lane->is_second && lane->setup->query_type != RP_SIM_SINGLE)
        return rp__turn_sleep(RP_SIM_IDLE);
    bool moved = take_acknowledgements(lane, clock), worked = false;
    if (lane->is_ending) {
        worked = finish(lane, clock);
        worked |= write_best(lane, clock);
    } else if (lane->config->threshold) {
        moved |= send_threshold(lane, clock);
    }
    worked |= lane->has_count ? write_count(lane, clock) : take_posting(lane, clock);
    if (worked)
        return rp__turn_busy(clock);
    uint32_t spent = RP_SIM_IDLE;
    if (lane->is_ending)
        spent = RP_SIM_WAIT_MEMORY;
    else if (lane->has_count || rp__link_head(input(lane), clock))
        spent = RP_SIM_WAIT_OUT;
    else if (rp__sim_is_open(lane->setup, clock))
        spent = RP_SIM_WAIT_IN;
    return (rp__turn){moved ? clock->now + 1 : RP_SIM_NEVER, spent, spent};
}
