/* dcu.c: the decompression unit: one posting a cycle out of the lines of a block.
 *
 * It requests the lines that its block and the next one need, in order, as far as its line buffers
 * reach (these are the slots of the link `lines`). A line that two blocks share is requested once
 * for each. A block without bits needs no line. The rest of a block that is abandoned is not
 * decoded; lines on their way to it are dropped as they come.
 * Source: Heo et al. 2020, 4.3 and Figure 10. */
#include "sim/units.h"

static uint32_t width(const rp__sim_block *block)
{
    return (uint32_t)block->gap_bits + block->tf_bits;
}

static uint64_t end_bit(const rp__sim_block *block)
{
    return block->bit + block->n_bits;
}

/* Whether block i, or one after it, still needs lines; then `fetch` is that block. */
static bool has_line_to_fetch(rp__dcu *dcu)
{
    for (; dcu->fetch < dcu->n_blocks; dcu->fetch++) {
        const rp__sim_block *block = &dcu->blocks[dcu->fetch];
        if (block->is_end || !block->n_bits)
            continue;
        if (!dcu->fetch_line)
            dcu->fetch_line = (block->bit >> 9) + 1; /* plus 1: 0 is the beginning */
        if (dcu->fetch_line <= ((end_bit(block) - 1) >> 9) + 1)
            return true;
        dcu->fetch_line = 0;
    }
    dcu->may_fetch = false;
    return false;
}

static bool request_line(rp__dcu *dcu, rp__sim_clock *clock)
{
    if (dcu->n_lines == dcu->config->dcu_lines || !has_line_to_fetch(dcu) ||
        !rp__link_space(&dcu->request, clock))
        return false;
    const rp__sim_block *block = &dcu->blocks[dcu->fetch];
    uint64_t line = dcu->fetch_line - 1, from = line << 9, to = from + 512;
    if (from < block->bit)
        from = block->bit;
    if (to > end_bit(block))
        to = end_bit(block);
    *(rp__sim_line_request *)rp__link_push(&dcu->request, clock) = (rp__sim_line_request){
        .line = line,
        .number = block->number,
        .bits = (uint16_t)(to - from),
        .stream = block->stream,
    };
    dcu->n_lines++;
    dcu->block_lines[dcu->fetch]++;
    dcu->fetch_line++;
    return true;
}

static void begin_block(rp__dcu *dcu)
{
    const rp__sim_block *block = &dcu->blocks[0];
    dcu->left = block->n;
    dcu->position = (uint32_t)(block->bit & 511);
    dcu->doc = block->base;
    rp__dcu_bp128_begin(dcu);
}

static bool take_block(rp__dcu *dcu, rp__sim_clock *clock)
{
    const rp__sim_block *block = rp__link_head(&dcu->in, clock);
    if (!block || dcu->n_blocks == 2)
        return false;
    dcu->blocks[dcu->n_blocks++] = *block;
    dcu->may_fetch = true;
    rp__link_pop(&dcu->in, clock);
    if (dcu->n_blocks == 1)
        begin_block(dcu);
    return true;
}

static void drop_block(rp__dcu *dcu)
{
    dcu->blocks[0] = dcu->blocks[1];
    dcu->block_lines[0] = dcu->block_lines[1];
    dcu->block_lines[1] = 0;
    dcu->n_blocks--;
    if (dcu->fetch)
        dcu->fetch--;
    else
        dcu->fetch_line = 0;
    if (dcu->n_blocks)
        begin_block(dcu);
}

void rp__dcu_drop_line(rp__dcu *dcu, rp__sim_clock *clock)
{
    rp__link_pop(&dcu->lines, clock);
    dcu->n_lines--;
    dcu->block_lines[0]--;
}

/* Nobody needs the rest of the block. */
static bool abandon_block(rp__dcu *dcu, rp__sim_clock *clock)
{
    const uint32_t *number = rp__link_head(dcu->abandon, clock);
    if (!number)
        return false;
    const rp__sim_block *block = &dcu->blocks[0];
    if (dcu->n_blocks && !block->is_end && block->number == *number) {
        dcu->drop_lines += dcu->block_lines[0];
        drop_block(dcu);
    }
    rp__link_pop(dcu->abandon, clock);
    return true;
}

static bool drop_abandoned_line(rp__dcu *dcu, rp__sim_clock *clock)
{
    if (!rp__link_head(&dcu->lines, clock))
        return false;
    rp__link_pop(&dcu->lines, clock);
    dcu->n_lines--;
    dcu->drop_lines--;
    return true;
}

/* The same where all of the bits, and more after them, lie in one word of the first line. */
static inline bool take_near_bits(rp__dcu *dcu, uint32_t w, uint64_t *bits,
                                  const rp__sim_clock *clock)
{
    const uint32_t shift = dcu->position & 63;
    const rp__sim_line *line = rp__link_head(&dcu->lines, clock);
    if (!line || line->is_bad || shift + w >= 64)
        return false;
    *bits = line->words[dcu->position >> 6] >> shift & ((UINT64_C(1) << w) - 1);
    dcu->counts->payload_bits += w;
    dcu->position += w;
    return true;
}

bool rp__dcu_take_bits(rp__dcu *dcu, uint32_t w, uint64_t *bits, rp__sim_clock *clock)
{
    *bits = 0;
    if (!w)
        return true;
    const rp__sim_line *line = rp__link_peek(&dcu->lines, clock, 0), *next = NULL;
    bool is_split = dcu->position + w > 512;
    if (is_split)
        next = rp__link_peek(&dcu->lines, clock, 1);
    if (!line || (is_split && !next))
        return false;
    uint32_t i = dcu->position >> 6, shift = dcu->position & 63;
    uint64_t high = i < 7 ? line->words[i + 1] : next ? next->words[0] : 0;
    *bits = line->words[i] >> shift | (shift ? high << (64 - shift) : 0);
    *bits &= (UINT64_C(1) << w) - 1;
    if (line->is_bad || (next && next->is_bad))
        rp__sim_blame(&dcu->status, RP_SIM_BAD_ADDRESS);
    dcu->counts->payload_bits += w;
    dcu->position += w;
    if (dcu->position >= 512) {
        dcu->position -= 512;
        rp__dcu_drop_line(dcu, clock);
    }
    return true;
}

static bool decode_end(rp__dcu *dcu, rp__sim_clock *clock)
{
    rp__sim_blame(&dcu->status, dcu->blocks[0].status);
    *rp__sim_pipe_next(&dcu->pipe, &dcu->out) =
        (rp__sim_posting){.flags = RP_SIM_END | RP_SIM_NONE, .status = dcu->status};
    rp__sim_pipe_enter(&dcu->pipe, &dcu->out, clock);
    dcu->status = RP_SIM_OK;
    drop_block(dcu);
    return true;
}

static bool decode(rp__dcu *dcu, rp__sim_clock *clock)
{
    if (!dcu->n_blocks || dcu->drop_lines || !rp__sim_pipe_is_open(&dcu->pipe, &dcu->out, clock))
        return false;
    const rp__sim_block *block = &dcu->blocks[0];
    if (block->is_end)
        return decode_end(dcu, clock);
    uint64_t bits;
    if (block->is_bp128 ? !rp__dcu_bp128_take(dcu, &bits, clock)
                        : !take_near_bits(dcu, width(block), &bits, clock) &&
                              !rp__dcu_take_bits(dcu, width(block), &bits, clock))
        return false;
    uint64_t gap = bits & ((UINT64_C(1) << block->gap_bits) - 1);
    bool is_first = dcu->left == block->n;
    if (is_first ? gap != 0 : gap == 0 || dcu->doc + gap > UINT32_MAX)
        rp__sim_blame(&dcu->status, RP_SIM_BAD_LIST);
    dcu->doc += (uint32_t)gap;
    dcu->left--;
    if (dcu->doc >= dcu->setup->first_doc && dcu->doc < dcu->setup->end_doc) {
        *rp__sim_pipe_next(&dcu->pipe, &dcu->out) =
            (rp__sim_posting){.slot = block->slot,
                              .doc = dcu->doc,
                              .value = (uint32_t)(bits >> block->gap_bits),
                              .block = block->number,
                              .flags = dcu->left ? 0 : RP_SIM_LAST};
        rp__sim_pipe_enter(&dcu->pipe, &dcu->out, clock);
    }
    dcu->counts->postings++;
    if (!dcu->left) {
        if (block->is_bp128 ? dcu->position : end_bit(block) & 511 && block->n_bits)
            rp__dcu_drop_line(dcu, clock);
        drop_block(dcu);
    }
    return true;
}

rp__turn rp__dcu_step(rp__dcu *dcu, rp__sim_clock *clock)
{
    bool moved = rp__sim_pipe_step(&dcu->pipe, &dcu->out, clock);
    if (dcu->may_fetch)
        moved |= request_line(dcu, clock);
    bool unpacked = dcu->config->bp128 && rp__dcu_bp128_unpack(dcu, clock);
    bool decoded = unpacked || decode(dcu, clock);
    if (dcu->drop_lines)
        moved |= drop_abandoned_line(dcu, clock);
    if (dcu->abandon)
        moved |= abandon_block(dcu, clock);
    moved |= take_block(dcu, clock);
    if (decoded)
        return rp__turn_busy(clock);
    uint32_t spent = RP_SIM_WAIT_MEMORY;
    if (dcu->pipe.is_stalled ||
        (dcu->n_blocks && dcu->pipe.latency == 1 && !rp__link_space(&dcu->out, clock)))
        spent = RP_SIM_WAIT_OUT;
    else if (dcu->pipe.n)
        spent = RP_SIM_BUSY;
    else if (!dcu->n_blocks)
        spent = rp__sim_is_open(dcu->setup, clock) ? RP_SIM_WAIT_IN : RP_SIM_IDLE;
    return (rp__turn){moved ? clock->now + 1 : rp__sim_pipe_due(&dcu->pipe, clock), spent, spent};
}
