/* bsu_stream.c: extension: skip values read from front to back instead of searched.
 *
 * Lines are requested ahead, so no read waits for another; a cycle compares a docid with all values
 * of one line. Good where list0 has more than about one docid for a hundred blocks of list1. */
#include <string.h>

#include "base/bits.h"
#include "sim/units.h"

/* The line of the i-th value. */
static uint64_t line_of(const rp__bsu *bsu, uint64_t i)
{
    return rp__sim_skip_at(&bsu->setup->list1, i) >> 6;
}

bool rp__bsu_stream_request(rp__bsu *bsu, rp__sim_clock *clock)
{
    rp__bsu_stream *s = &bsu->stream;
    uint32_t n_blocks = bsu->setup->list1.n_blocks;
    if (!n_blocks)
        return false;
    if (!s->next_line)
        s->first_line = s->next_line = line_of(bsu, 0);
    if (s->next_line > line_of(bsu, n_blocks - 1U) ||
        s->next_line - s->first_line == bsu->config->bsch_lines ||
        !rp__link_space(&bsu->port.request, clock))
        return false;
    uint32_t slot = (uint32_t)(s->next_line % bsu->config->bsch_lines);
    s->has_arrived[slot] = false;
    rp__sim_read(&bsu->port, clock, s->next_line << 6, slot, RP_SIM_TRAFFIC_SKIP, 64);
    s->next_line++;
    s->in_flight++;
    return true;
}

bool rp__bsu_stream_take(rp__bsu *bsu, rp__sim_clock *clock)
{
    rp__bsu_stream *s = &bsu->stream;
    const rp__sim_line *line;
    bool moved = false;
    while ((line = rp__link_head(&bsu->port.response, clock))) {
        memcpy(s->lines[line->tag], line->words, sizeof line->words);
        s->has_arrived[line->tag] = true;
        s->in_flight--;
        if (line->is_bad)
            rp__sim_blame(&bsu->status, RP_SIM_BAD_ADDRESS);
        rp__link_pop(&bsu->port.response, clock);
        moved = true;
    }
    return moved;
}

/* Compares a docid with the values of the current line: false, the line is not here. The search is
 * over when a larger value is found, or the last one is passed. */
bool rp__bsu_stream_compare(rp__bsu *bsu, uint32_t doc)
{
    rp__bsu_stream *s = &bsu->stream;
    uint64_t n = bsu->setup->list1.n_blocks, line = line_of(bsu, s->index);
    if (s->index < n) {
        uint32_t slot = (uint32_t)(line % bsu->config->bsch_lines);
        if (line >= s->next_line || !s->has_arrived[slot])
            return false;
        const uint8_t *bytes = (const uint8_t *)s->lines[slot];
        for (; s->index < n && line_of(bsu, s->index) == line; s->index++) {
            uint64_t at = rp__sim_skip_at(&bsu->setup->list1, s->index);
            bsu->next_skip = rp__load32(bytes + (at & 63));
            if (bsu->next_skip > doc)
                break;
            bsu->base = (uint32_t)bsu->next_skip;
            if (bsu->setup->list1.flags & RP_SIM_PAIRED)
                bsu->meta = rp__load64(bytes + (at & 63) + 8);
        }
        bsu->counts->levels_read++;
    }
    bool is_past = s->index < n && line_of(bsu, s->index) != line;
    s->first_line = is_past || s->index == n ? line + 1 : line;
    if (s->index == n)
        bsu->next_skip = RP_SIM_NEVER;
    bsu->is_searching = is_past;
    bsu->has_searched = bsu->is_found = !is_past;
    bsu->candidate = (int64_t)s->index - 1;
    return true;
}
