/* block_scheduler.c: runs one query: reads its headers, skip values and metadata, sends blocks to
 * decompression units, and waits until all results are written.
 *
 * What the memory holds is not trusted: blocks must follow each other without a gap and fill the
 * payload, or the query ends with a status. Then, as at a regular end, each unit in use gets an end
 * as its last block. Ends flow behind the postings through all units; when they come out of the
 * write-back lanes, the query is over.
 * Source: Heo et al. 2020, 4.3 and Figure 8. */
#include <string.h>

#include "base/bits.h"
#include "sim/units.h"

enum { PAIR = 16 }; /* bytes of a record of a paired list */

static bool has_list1(const rp__block_scheduler *s)
{
    return s->query.descriptor.query_type != RP_SIM_SINGLE;
}

static bool is_or(const rp__block_scheduler *s)
{
    return s->query.descriptor.query_type == RP_SIM_OR;
}

/* ---- Headers --------------------------------------------------------------------------------- */

static bool is_inside(const rp__block_scheduler *s, uint64_t at, uint64_t n, uint64_t size)
{
    return n <= (UINT64_MAX >> 8) / size && rp__sim_view(s->memory, at, n * size);
}

static uint32_t header_fault(const rp__block_scheduler *s, const rp__list_header *h,
                             uint32_t n_blocks)
{
    if (h->magic != RP_SIM_MAGIC)
        return RP_SIM_BAD_MAGIC;
    if (h->n_blocks != n_blocks)
        return RP_SIM_BAD_BLOCKS;
    if ((h->flags & RP_SIM_PAIRED && !s->config->paired) ||
        (h->flags & RP_SIM_BP128 && !s->config->bp128))
        return RP_SIM_BAD_LIST;
    if (h->flags & RP_SIM_PAIRED && (h->skip_at % PAIR || h->meta_at != h->skip_at + 8 ||
                                     !is_inside(s, h->skip_at, n_blocks, PAIR)))
        return RP_SIM_BAD_ADDRESS;
    if (!is_inside(s, h->skip_at, n_blocks, 4) || !is_inside(s, h->meta_at, n_blocks, 8) ||
        h->payload_bits > UINT64_MAX - 7 ||
        !is_inside(s, h->payload_at, (h->payload_bits + 7) / 8, 1))
        return RP_SIM_BAD_ADDRESS;
    if (h->n_postings < n_blocks || h->n_postings > UINT64_C(2047) * n_blocks)
        return RP_SIM_BAD_LIST;
    return RP_SIM_OK;
}

static void open_array(rp__sim_array *a, uint64_t at, uint64_t n, uint8_t item, uint8_t traffic)
{
    a->at = at;
    a->end = at + n * item;
    a->first_line = a->next_line = at >> 6;
    a->item = item;
    a->traffic = traffic;
}

static void open_list(rp__sim_list *list)
{
    const rp__list_header *h = &list->header;
    uint64_t from = list->next_block, n = list->end_block - from;
    if (h->flags & RP_SIM_PAIRED) {
        open_array(&list->metas, h->skip_at + PAIR * from, n, PAIR, RP_SIM_TRAFFIC_META);
    } else {
        open_array(&list->skips, h->skip_at + 4 * from, n, 4, RP_SIM_TRAFFIC_SKIP);
        open_array(&list->metas, h->meta_at + 8 * from, n, 8, RP_SIM_TRAFFIC_META);
    }
    open_array(&list->bounds, h->skip_at + 4 * (uint64_t)h->n_blocks + from, n, 1,
               RP_SIM_TRAFFIC_META);
    list->slot = 0;
    list->is_ended = n == 0;
}

static bool is_paired(const rp__sim_list *list)
{
    return list->header.flags & RP_SIM_PAIRED;
}

static void take_whole_list(rp__sim_list *list)
{
    list->next_block = 0;
    list->end_block = list->header.n_blocks;
    list->bits = 0;
    list->end_bits = list->header.payload_bits;
    list->is_part = false;
}

static void begin(rp__block_scheduler *s)
{
    s->phase = RP_SIM_PHASE_HEADERS;
    s->n_lists = has_list1(s) ? 2 : 1;
    s->headers_sent = s->opens_sent = s->next_list = s->next_dcu = s->next_array = 0;
    s->lists[0].has_header = s->lists[1].has_header = false;
    s->answer = (rp__sim_finish){0};
}

static bool take_query(rp__block_scheduler *s, rp__sim_clock *clock)
{
    const rp__sim_assignment *query = rp__link_head(s->assign, clock);
    if (!query)
        return false;
    s->query = *query;
    rp__link_pop(s->assign, clock);
    begin(s);
    return true;
}

/* The units and lanes that will get an end. */
static void count_ends(rp__block_scheduler *s)
{
    uint32_t type = s->query.descriptor.query_type;
    s->lanes_left = s->ends_left = 0;
    for (uint32_t cores = s->query.cores; cores; cores &= cores - 1) {
        uint32_t c = (uint32_t)__builtin_ctz(cores);
        s->ends_left |= (type == RP_SIM_AND ? 1U : 3U) << 2 * c;
        s->lanes_left |= (type == RP_SIM_SINGLE ? 3U : 1U) << 2 * c;
    }
}

static void set_up_cores(rp__block_scheduler *s)
{
    for (uint32_t cores = s->query.cores; cores; cores &= cores - 1) {
        rp__sim_setup *setup = &s->cores[__builtin_ctz(cores)].setup;
        setup->idf_bar[0] = setup->idf_bar[1] = s->lists[0].header.idf_bar;
        if (has_list1(s)) {
            setup->idf_bar[1] = s->lists[1].header.idf_bar;
            setup->list1 = s->lists[1].header;
        }
    }
    count_ends(s);
}

/* How many slots an OR needs shows only when it is done. */
static uint64_t slots_needed(const rp__block_scheduler *s)
{
    uint64_t cores = rp__bits_count64(s->query.cores);
    if (s->config->topk)
        return cores * s->config->topk * (has_list1(s) ? 1 : 2);
    return is_or(s) ? 0 : s->lists[0].header.n_postings;
}

static void check_headers(rp__block_scheduler *s)
{
    const rp__descriptor *d = &s->query.descriptor;
    for (uint32_t i = 0; i < s->n_lists; i++) {
        uint32_t n_blocks = i ? d->n_blocks1 : d->n_blocks0;
        rp__sim_blame(&s->answer.status, header_fault(s, &s->lists[i].header, n_blocks));
        take_whole_list(&s->lists[i]);
    }
    if (slots_needed(s) > d->cap)
        rp__sim_blame(&s->answer.status, RP_SIM_BAD_CAP);
    if (d->flags & RP_SIM_RANGE && !s->answer.status)
        rp__block_range_begin(s);
    else
        rp__block_scheduler_open(s);
}

void rp__block_scheduler_open(rp__block_scheduler *s)
{
    s->phase = s->answer.status ? RP_SIM_PHASE_FINISH : RP_SIM_PHASE_OPEN;
    if (s->answer.status)
        return;
    for (uint32_t i = 0; i < s->n_lists; i++)
        open_list(&s->lists[i]);
    const rp__list_header *h = &s->lists[0].header;
    s->has_bounds = s->config->threshold && s->config->topk && !has_list1(s) &&
                    h->flags & RP_SIM_HAS_BOUNDS &&
                    (is_paired(&s->lists[0]) || is_inside(s, h->skip_at, h->n_blocks, 5));
    s->threshold = 0;
    set_up_cores(s);
}

static bool read_headers(rp__block_scheduler *s, rp__sim_clock *clock)
{
    const rp__descriptor *d = &s->query.descriptor;
    if (s->headers_sent < s->n_lists && rp__link_space(&s->port.request, clock)) {
        rp__sim_read(&s->port, clock, s->headers_sent ? d->list1 : d->list0,
                     RP_SIM_HEADER_TAG + s->headers_sent, RP_SIM_TRAFFIC_META, 64);
        s->headers_sent++;
        s->in_flight++;
        return true;
    }
    if (!s->lists[0].has_header || (s->n_lists == 2 && !s->lists[1].has_header))
        return false;
    check_headers(s);
    return true;
}

static bool open_reader(rp__block_scheduler *s, rp__sim_clock *clock)
{
    uint32_t n = is_or(s) ? 2 : 1;
    if (s->opens_sent == n) {
        s->phase = RP_SIM_PHASE_BLOCKS;
        return true;
    }
    if (!rp__link_space(&s->reader->open, clock))
        return false;
    const rp__sim_list *list = &s->lists[s->opens_sent];
    *(rp__sim_open *)rp__link_push(&s->reader->open, clock) =
        (rp__sim_open){.bit = 8 * list->header.payload_at + list->bits,
                       .n_bits = list->end_bits - list->bits,
                       .cores = s->query.cores,
                       .stream = (uint8_t)s->opens_sent,
                       .n_streams = (uint8_t)n};
    s->opens_sent++;
    return true;
}

/* ---- Skip values and metadata ---------------------------------------------------------------- */

/* Skip values and metadata of both lists, then bounds of the first. */
enum { ARRAYS = 5, BOUNDS = 4 };

static rp__sim_array *array_of(rp__block_scheduler *s, uint32_t i)
{
    if (i == BOUNDS)
        return &s->lists[0].bounds;
    return i & 1 ? &s->lists[i >> 1].metas : &s->lists[i >> 1].skips;
}

/* Whether this query reads the i-th array, and is not through with it. */
static bool is_read(const rp__block_scheduler *s, uint32_t i)
{
    if (i == BOUNDS)
        return s->has_bounds && !s->lists[0].is_ended && !is_paired(&s->lists[0]);
    return (i < 2 || is_or(s)) && !s->lists[i >> 1].is_ended &&
           (i & 1 || !is_paired(&s->lists[i >> 1]));
}

static bool has_line_to_request(const rp__block_scheduler *s, const rp__sim_array *a)
{
    return a->next_line << 6 < a->end && a->next_line - a->first_line < s->config->bsch_lines;
}

static bool request_line(rp__block_scheduler *s, rp__sim_clock *clock)
{
    if (!rp__link_space(&s->port.request, clock))
        return false;
    for (uint32_t k = 0; k < ARRAYS; k++) {
        uint32_t i = (s->next_array + k) % ARRAYS;
        rp__sim_array *a = array_of(s, i);
        if (!is_read(s, i) || !has_line_to_request(s, a))
            continue;
        uint32_t slot = (uint32_t)(a->next_line % s->config->bsch_lines);
        uint64_t from = a->next_line << 6, to = from + 64;
        from = from < a->at ? a->at : from;
        to = to > a->end ? a->end : to;
        a->has_arrived[slot] = false;
        rp__sim_read(&s->port, clock, a->next_line << 6, i << 8 | slot, a->traffic,
                     (uint8_t)(to - from));
        a->next_line++;
        s->in_flight++;
        s->next_array = (i + 1) % ARRAYS;
        return true;
    }
    return false;
}

static void take_header(rp__block_scheduler *s, const rp__sim_line *line)
{
    rp__sim_list *list = &s->lists[line->tag - RP_SIM_HEADER_TAG];
    memcpy(&list->header, line->words, sizeof list->header);
    list->has_header = true;
    if (line->is_bad)
        rp__sim_blame(&s->answer.status, RP_SIM_BAD_ADDRESS);
}

static bool take_lines(rp__block_scheduler *s, rp__sim_clock *clock)
{
    const rp__sim_line *line;
    bool moved = false;
    while ((line = rp__link_head(&s->port.response, clock))) {
        if (line->tag == RP_SIM_RANGE_TAG) {
            memcpy(s->range.words, line->words, sizeof s->range.words);
            s->range.has_line = true;
        } else if (line->tag >= RP_SIM_HEADER_TAG) {
            take_header(s, line);
        } else {
            rp__sim_array *a = array_of(s, line->tag >> 8);
            memcpy(a->lines[line->tag & 255], line->words, sizeof line->words);
            a->has_arrived[line->tag & 255] = true;
        }
        s->in_flight--;
        rp__link_pop(&s->port.response, clock);
        moved = true;
    }
    return moved;
}

static bool has_item(const rp__block_scheduler *s, const rp__sim_array *a)
{
    uint64_t from = a->at >> 6, to = (a->at + a->item - 1) >> 6;
    return to < a->next_line && a->has_arrived[from % s->config->bsch_lines] &&
           a->has_arrived[to % s->config->bsch_lines];
}

/* n bytes of the next item, at most 8 of them, from one on. */
static uint64_t see_part(const rp__block_scheduler *s, const rp__sim_array *a, uint32_t from,
                         uint32_t n)
{
    uint64_t item = 0, at = a->at + from;
    for (uint32_t i = 0; i < n; i++, at++) {
        const uint8_t *line = (const uint8_t *)a->lines[(at >> 6) % s->config->bsch_lines];
        item |= (uint64_t)line[at & 63] << 8 * i;
    }
    return item;
}

static void pass_item(rp__sim_array *a)
{
    a->at += a->item;
    a->first_line = a->at >> 6;
}

static uint64_t take_item(const rp__block_scheduler *s, rp__sim_array *a)
{
    uint64_t item = see_part(s, a, 0, a->item);
    pass_item(a);
    return item;
}

static bool has_items(const rp__block_scheduler *s, const rp__sim_list *list)
{
    if (is_paired(list))
        return has_item(s, &list->metas);
    return has_item(s, &list->skips) && has_item(s, &list->metas) &&
           (!s->has_bounds || has_item(s, &list->bounds));
}

static uint64_t see_bound(const rp__block_scheduler *s, const rp__sim_list *list)
{
    return is_paired(list) ? see_part(s, &list->metas, 4, 1) : see_part(s, &list->bounds, 0, 1);
}

/* Skip value and metadata of the next block. */
static uint64_t take_items(const rp__block_scheduler *s, rp__sim_list *list, uint32_t *skip)
{
    if (is_paired(list)) {
        uint64_t meta = see_part(s, &list->metas, 8, 8);
        *skip = (uint32_t)see_part(s, &list->metas, 0, 4);
        pass_item(&list->metas);
        return meta;
    }
    if (s->has_bounds)
        pass_item(&list->bounds);
    *skip = (uint32_t)take_item(s, &list->skips);
    return take_item(s, &list->metas);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

enum { NOWHERE = 32, SKIP = 33 }; /* beside the numbers of units */

static rp__dcu *dcu_of(const rp__block_scheduler *s, uint32_t i)
{
    return &s->cores[i >> 1].dcus[i & 1];
}

/* The unit that gets the next block of a list, or its end: one with two free places for blocks. */
static uint32_t choose_dcu(const rp__block_scheduler *s, uint32_t list, uint32_t units,
                           const rp__sim_clock *clock)
{
    uint32_t n = 2 * s->config->cores;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = is_or(s) ? k : (s->next_dcu + k) % n;
        if (units >> i & 1 && (!is_or(s) || (i & 1) == list) &&
            rp__link_fill(&dcu_of(s, i)->in, clock) + 1 < s->config->dispatch_depth)
            return i;
    }
    return NOWHERE;
}

static void end_lists(rp__block_scheduler *s, uint32_t status)
{
    rp__sim_blame(&s->answer.status, status);
    s->lists[0].is_ended = s->lists[1].is_ended = true;
}

static bool is_sound(const rp__sim_list *list, const rp__sim_block *block)
{
    const rp__list_header *h = &list->header;
    uint64_t bits = list->bits + block->n_bits;
    uint64_t slot = list->slot + block->n;
    if (!block->n || bits > list->end_bits || slot > h->n_postings)
        return false;
    bool is_last = list->next_block + 1 == list->end_block;
    return !is_last || (bits == list->end_bits && (list->is_part || slot == h->n_postings));
}

/* Lanes tell their k-th best scores. No result below the largest of them is among the best. */
static bool take_thresholds(rp__block_scheduler *s, rp__sim_clock *clock)
{
    bool moved = false;
    for (uint32_t lanes = s->has_bounds ? s->lanes_left : 0; lanes; lanes &= lanes - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes);
        rp__link *link = &s->cores[i >> 1].write_backs[i & 1].threshold;
        const uint32_t *score;
        while ((score = rp__link_head(link, clock))) {
            s->threshold = *score > s->threshold ? *score : s->threshold;
            rp__link_pop(link, clock);
            moved = true;
        }
    }
    return moved;
}

/* Whether no posting of the next block can be among the best. */
static bool is_hopeless(const rp__block_scheduler *s, const rp__sim_list *list)
{
    if (!s->has_bounds)
        return false;
    uint64_t bound = see_bound(s, list);
    return (list->header.idf_bar * bound + 254) / 255 < s->threshold;
}

static void send_block(rp__block_scheduler *s, const rp__sim_block *block, uint32_t to,
                       rp__sim_clock *clock)
{
    if (to == SKIP) {
        *(rp__sim_open *)rp__link_push(&s->reader->open, clock) =
            (rp__sim_open){.bit = block->bit, .n_bits = block->n_bits, .is_skip = true};
        s->counts->blocks_skipped++;
        return;
    }
    *(rp__sim_block *)rp__link_push(&dcu_of(s, to)->in, clock) = *block;
    s->next_dcu = to + 1;
    s->counts->blocks++;
}

/* Where the next block goes: a unit, or SKIP; NOWHERE: something is missing or full. */
static uint32_t choose_target(const rp__block_scheduler *s, uint32_t i, const rp__sim_clock *clock)
{
    const rp__sim_list *list = &s->lists[i];
    if (!has_items(s, list))
        return NOWHERE;
    if (is_hopeless(s, list))
        return rp__link_space(&s->reader->open, clock) ? SKIP : NOWHERE;
    return choose_dcu(s, i, s->ends_left, clock);
}

static bool dispatch_block(rp__block_scheduler *s, uint32_t i, rp__sim_clock *clock)
{
    rp__sim_list *list = &s->lists[i];
    uint32_t to = choose_target(s, i, clock);
    if (to == NOWHERE)
        return false;
    uint32_t skip;
    uint64_t meta = take_items(s, list, &skip);
    rp__sim_block block = rp__sim_block_of(&list->header, meta);
    block.bit = 8 * list->header.payload_at + list->bits;
    block.slot = list->slot;
    block.number = list->next_block;
    block.base = skip;
    block.stream = (uint8_t)i;
    if (meta >> 21 != list->bits || !is_sound(list, &block)) {
        end_lists(s, RP_SIM_BAD_LIST);
        return true;
    }
    send_block(s, &block, to, clock);
    list->bits += block.n_bits;
    list->slot += block.n;
    list->is_ended = ++list->next_block == list->end_block;
    if (!s->answer.first)
        s->answer.first = clock->now;
    s->answer.last = clock->now;
    return true;
}

static bool dispatch_end(rp__block_scheduler *s, uint32_t i, rp__sim_clock *clock)
{
    uint32_t to = choose_dcu(s, i, s->ends_left, clock);
    if (to == NOWHERE)
        return false;
    *(rp__sim_block *)rp__link_push(&dcu_of(s, to)->in, clock) = (rp__sim_block){.is_end = true};
    s->ends_left &= ~(1U << to);
    s->next_dcu = to + 1;
    return true;
}

static bool dispatch(rp__block_scheduler *s, rp__sim_clock *clock)
{
    uint32_t n = is_or(s) ? 2 : 1;
    bool moved = false;
    for (uint32_t k = 0; k < n && !moved; k++) {
        uint32_t i = (s->next_list + k) % n;
        moved = s->lists[i].is_ended ? dispatch_end(s, i, clock) : dispatch_block(s, i, clock);
        if (moved)
            s->next_list = (i + 1) % n;
    }
    if (!s->ends_left)
        s->phase = RP_SIM_PHASE_LANES;
    return moved;
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool take_lanes(rp__block_scheduler *s, rp__sim_clock *clock)
{
    bool moved = take_thresholds(s, clock);
    for (uint32_t lanes = s->lanes_left; lanes; lanes &= lanes - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes);
        rp__link *done = &s->cores[i >> 1].write_backs[i & 1].done;
        const rp__sim_lane_end *end = rp__link_head(done, clock);
        if (!end)
            continue;
        s->answer.n_results += end->n_results;
        rp__sim_blame(&s->answer.status, end->status);
        rp__link_pop(done, clock);
        s->lanes_left &= ~(1U << i);
        moved = true;
    }
    if (!s->lanes_left && rp__link_space(&s->reader->open, clock)) {
        *(rp__sim_open *)rp__link_push(&s->reader->open, clock) = (rp__sim_open){.is_end = true};
        s->phase = RP_SIM_PHASE_READER;
        moved = true;
    }
    return moved;
}

static bool wait_for_reader(rp__block_scheduler *s, rp__sim_clock *clock)
{
    if (!rp__link_head(&s->reader->closed, clock))
        return false;
    rp__link_pop(&s->reader->closed, clock);
    s->phase = RP_SIM_PHASE_FINISH;
    return true;
}

static bool finish(rp__block_scheduler *s, rp__sim_clock *clock)
{
    if (s->in_flight || !rp__link_space(&s->finish, clock))
        return false;
    *(rp__sim_finish *)rp__link_push(&s->finish, clock) = s->answer;
    s->phase = RP_SIM_PHASE_NONE;
    return true;
}

static bool advance(rp__block_scheduler *s, rp__sim_clock *clock)
{
    switch (s->phase) {
    case RP_SIM_PHASE_NONE:
        return take_query(s, clock);
    case RP_SIM_PHASE_HEADERS:
        return read_headers(s, clock);
    case RP_SIM_PHASE_RANGE:
        return rp__block_range_step(s, clock);
    case RP_SIM_PHASE_OPEN:
        return open_reader(s, clock);
    case RP_SIM_PHASE_BLOCKS: {
        bool moved = dispatch(s, clock);
        moved |= take_thresholds(s, clock);
        return request_line(s, clock) || moved;
    }
    case RP_SIM_PHASE_LANES:
        return take_lanes(s, clock);
    case RP_SIM_PHASE_READER:
        return wait_for_reader(s, clock);
    case RP_SIM_PHASE_FINISH:
        return finish(s, clock);
    }
    return false;
}

rp__turn rp__block_scheduler_step(rp__block_scheduler *s, rp__sim_clock *clock)
{
    bool moved = advance(s, clock);
    moved |= take_lines(s, clock);
    if (moved)
        return rp__turn_busy(clock);
    uint32_t spent = RP_SIM_WAIT_IN;
    if (s->phase == RP_SIM_PHASE_NONE)
        spent = RP_SIM_IDLE;
    else if (s->in_flight)
        spent = RP_SIM_WAIT_MEMORY;
    else if (s->phase == RP_SIM_PHASE_BLOCKS)
        spent = RP_SIM_WAIT_OUT;
    return rp__turn_sleep(spent);
}
