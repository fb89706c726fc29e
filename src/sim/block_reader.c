/* block_reader.c: reads a list's payload ahead, line by line, and serves it to decompression units.
 *
 * A line is kept until all its valid bits have been served: each request names the bits of its
 * block in the line, so no look-ahead is needed, and their sum is the list's payload. Lines are
 * requested, and their entries reused, in the order of addresses. An OR has two streams with half
 * of the entries each. A cycle issues one request a stream and serves one line: of the requests
 * whose line is here, the one of the oldest block.
 * Source: Heo et al. 2020, 4.3 and Figure 8. */
#include <string.h>

#include "sim/units.h"

static struct rp__sim_entry *entry_of(const rp__sim_stream *s, uint64_t line)
{
    uint64_t slot = s->first_slot + (line - s->first_line);
    return &s->entries[slot < s->capacity ? slot : slot - s->capacity];
}

static uint32_t valid_bits(const rp__sim_stream *s, uint64_t line)
{
    uint64_t from = line << 9, to = from + 512;
    from = from < s->bit ? s->bit : from;
    to = to > s->end_bit ? s->end_bit : to;
    return (uint32_t)(to - from);
}

static bool take_open(rp__block_reader *reader, rp__sim_clock *clock)
{
    const rp__sim_open *open = rp__link_head(&reader->open, clock);
    if (!open)
        return false;
    if (reader->skip_bit < reader->skip_end)
        return false;
    if (open->is_end) {
        reader->is_ending = true;
    } else if (open->is_skip) {
        reader->skip_bit = open->bit;
        reader->skip_end = open->bit + open->n_bits;
    } else {
        uint32_t capacity = reader->config->br_entries / open->n_streams;
        reader->is_open = true;
        reader->core_mask = open->cores;
        reader->streams[open->stream] = (rp__sim_stream){
            .bit = open->bit,
            .end_bit = open->bit + open->n_bits,
            .first_line = open->bit >> 9,
            .next_line = open->bit >> 9,
            .end_line = open->n_bits ? ((open->bit + open->n_bits - 1) >> 9) + 1 : open->bit >> 9,
            .entries = reader->entries + open->stream * capacity,
            .capacity = capacity,
        };
    }
    rp__link_pop(&reader->open, clock);
    return true;
}

static bool request_lines(rp__block_reader *reader, rp__sim_clock *clock)
{
    bool moved = false;
    for (uint32_t i = 0; i < 2 && !reader->is_ending; i++) {
        rp__sim_stream *s = &reader->streams[i];
        if (s->next_line == s->end_line || s->next_line - s->first_line == s->capacity ||
            !rp__link_space(&reader->port.request, clock))
            continue;
        struct rp__sim_entry *entry = entry_of(s, s->next_line);
        entry->has_arrived = false;
        entry->bits_left = valid_bits(s, s->next_line);
        rp__sim_read(&reader->port, clock, s->next_line << 6, (uint32_t)(entry - reader->entries),
                     RP_SIM_TRAFFIC_INDEX, (uint8_t)((entry->bits_left + 7) / 8));
        s->next_line++;
        reader->in_flight++;
        reader->counts->reader_lines++;
        moved = true;
    }
    return moved;
}

static bool take_lines(rp__block_reader *reader, rp__sim_clock *clock)
{
    const rp__sim_line *line;
    bool moved = false;
    while ((line = rp__link_head(&reader->port.response, clock))) {
        struct rp__sim_entry *entry = &reader->entries[line->tag];
        memcpy(entry->words, line->words, sizeof entry->words);
        entry->has_arrived = true;
        entry->is_bad = line->is_bad;
        reader->in_flight--;
        rp__link_pop(&reader->port.response, clock);
        moved = true;
    }
    return moved;
}

/* Serves this request if its line is here; NULL: it is not. */
static struct rp__sim_entry *line_for(rp__block_reader *reader, const rp__sim_line_request *request)
{
    rp__sim_stream *s = &reader->streams[request->stream];
    if (request->line < s->first_line || request->line >= s->next_line)
        return NULL;
    struct rp__sim_entry *entry = entry_of(s, request->line);
    return entry->has_arrived ? entry : NULL;
}

/* The unit whose request is served in this cycle. */
static rp__dcu *choose(rp__block_reader *reader, rp__sim_clock *clock)
{
    rp__dcu *best = NULL;
    uint32_t oldest = UINT32_MAX;
    for (uint32_t cores = reader->core_mask; cores; cores &= cores - 1) {
        rp__core *core = &reader->cores[__builtin_ctz(cores)];
        uint32_t n = core->setup.query_type == RP_SIM_AND ? 1 : 2;
        for (uint32_t i = 0; i < n; i++) {
            rp__dcu *dcu = &core->dcus[i];
            const rp__sim_line_request *request = rp__link_head(&dcu->request, clock);
            if (!request || (best && request->number >= oldest) || !line_for(reader, request) ||
                !rp__link_space(&dcu->lines, clock))
                continue;
            best = dcu;
            oldest = request->number;
        }
    }
    return best;
}

static void free_used_lines(rp__sim_stream *s)
{
    while (s->first_line < s->next_line && entry_of(s, s->first_line)->has_arrived &&
           !entry_of(s, s->first_line)->bits_left) {
        s->first_line++;
        s->first_slot = s->first_slot + 1 < s->capacity ? s->first_slot + 1 : 0;
    }
}

static bool serve(rp__block_reader *reader, rp__sim_clock *clock)
{
    rp__dcu *dcu = choose(reader, clock);
    if (!dcu)
        return false;
    const rp__sim_line_request *request = rp__link_head(&dcu->request, clock);
    rp__sim_stream *s = &reader->streams[request->stream];
    struct rp__sim_entry *entry = entry_of(s, request->line);
    rp__sim_line *line = rp__link_push(&dcu->lines, clock);
    line->is_bad = entry->is_bad;
    memcpy(line->words, entry->words, sizeof line->words);
    entry->bits_left -= request->bits;
    reader->counts->reader_bits += request->bits;
    rp__link_pop(&dcu->request, clock);
    free_used_lines(s);
    return true;
}

/* Drops bits of skipped blocks in one line. */
static bool skip_bits(rp__block_reader *reader)
{
    rp__sim_stream *s = &reader->streams[0];
    uint64_t line = reader->skip_bit >> 9, end = (line + 1) << 9;
    if (reader->skip_bit >= reader->skip_end || line < s->first_line || line >= s->next_line ||
        !entry_of(s, line)->has_arrived)
        return false;
    end = end < reader->skip_end ? end : reader->skip_end;
    entry_of(s, line)->bits_left -= (uint32_t)(end - reader->skip_bit);
    reader->counts->reader_bits += end - reader->skip_bit;
    reader->skip_bit = end;
    free_used_lines(s);
    return true;
}

static bool answer_end(rp__block_reader *reader, rp__sim_clock *clock)
{
    if (!reader->is_ending || reader->in_flight || !rp__link_space(&reader->closed, clock))
        return false;
    rp__link_push(&reader->closed, clock);
    reader->is_open = reader->is_ending = false;
    reader->core_mask = 0;
    for (uint32_t i = 0; i < 2; i++)
        reader->streams[i] = (rp__sim_stream){0};
    return true;
}

rp__turn rp__block_reader_step(rp__block_reader *reader, rp__sim_clock *clock)
{
    if (!reader->is_open && !rp__link_head(&reader->open, clock))
        return rp__turn_sleep(RP_SIM_IDLE);
    bool served = reader->is_open && serve(reader, clock);
    bool moved = skip_bits(reader);
    moved |= take_lines(reader, clock);
    moved |= request_lines(reader, clock);
    moved |= answer_end(reader, clock);
    moved |= take_open(reader, clock);
    uint64_t wake = moved || served ? clock->now + 1 : RP_SIM_NEVER;
    uint32_t spent = served || moved     ? RP_SIM_BUSY
                     : reader->in_flight ? RP_SIM_WAIT_MEMORY
                     : !reader->is_open  ? RP_SIM_IDLE
                                         : RP_SIM_WAIT_IN;
    return (rp__turn){wake, spent, spent};
}
