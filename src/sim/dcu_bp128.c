/* dcu_bp128.c: extension: the decompression unit also reads blocks of codec bp128.
 *
 * Gaps come before frequencies there. So the unit first unpacks the gaps, some in a cycle, into a
 * buffer of a block; then each cycle takes one frequency, and a gap of the buffer. There is one
 * buffer: the gaps of the next block wait until the last posting of this one is out. */
#include "sim/units.h"

void rp__dcu_bp128_begin(rp__dcu *dcu)
{
    dcu->n_gaps = 0;
    dcu->pass = dcu->blocks[0].is_bp128 ? 8 : 0; /* the width, which the metadata have too */
}

/* Bits to a whole byte. */
static uint32_t padding(uint32_t n, uint32_t width)
{
    return -(n * width) & 7;
}

static bool is_at_work(const rp__dcu *dcu)
{
    return dcu->n_blocks && !dcu->drop_lines && !dcu->blocks[0].is_end && dcu->blocks[0].is_bp128;
}

/* Bits that nobody needs, as far as their lines are here. */
static bool pass_bits(rp__dcu *dcu, rp__sim_clock *clock)
{
    bool moved = false;
    while (dcu->pass && rp__link_head(&dcu->lines, clock)) {
        uint32_t n = 512 - dcu->position;
        n = dcu->pass < n ? dcu->pass : n;
        dcu->pass -= n;
        dcu->position += n;
        dcu->counts->payload_bits += n;
        moved = true;
        if (dcu->position == 512) {
            dcu->position = 0;
            rp__dcu_drop_line(dcu, clock);
        }
    }
    return moved;
}

bool rp__dcu_bp128_unpack(rp__dcu *dcu, rp__sim_clock *clock)
{
    const rp__sim_block *block = &dcu->blocks[0];
    if (!is_at_work(dcu))
        return false;
    bool moved = pass_bits(dcu, clock);
    for (uint32_t i = 0; i < dcu->config->bp128 && !dcu->pass && dcu->n_gaps < block->n; i++) {
        uint64_t gap;
        if (!rp__dcu_take_bits(dcu, block->gap_bits, &gap, clock))
            break;
        dcu->gaps[dcu->n_gaps++] = (uint32_t)gap;
        moved = true;
        if (dcu->n_gaps == block->n)
            dcu->pass = padding(block->n, block->gap_bits) + 8;
    }
    return moved;
}

bool rp__dcu_bp128_take(rp__dcu *dcu, uint64_t *bits, rp__sim_clock *clock)
{
    const rp__sim_block *block = &dcu->blocks[0];
    uint64_t tf;
    if (dcu->pass || dcu->n_gaps < block->n || !rp__dcu_take_bits(dcu, block->tf_bits, &tf, clock))
        return false;
    *bits = (tf + 1) << block->gap_bits | dcu->gaps[block->n - dcu->left];
    if (dcu->left == 1)
        dcu->counts->payload_bits += padding(block->n, block->tf_bits);
    return true;
}
