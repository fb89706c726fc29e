/* run_ahead.c: many cycles at once of an AND that looks for a candidate in a block.
 *
 * Most cycles of an AND are alike: the second decompression unit decodes a posting, and the merge
 * unit drops the oldest one, whose docid is smaller than the candidate's. In such a run nothing but
 * the two units and the link between them changes, by as much in every cycle, and nobody else looks
 * at these. So both may sleep, and the cycles of the run are made at once when it ends or when
 * another unit wakes one of the two with something that is not for later. The state is then that of
 * single steps. The clock `all` never comes here: it is the reference. */

#include "base/bits.h"
#include "sim/units.h"

enum { MIN_CYCLES = 4, LAST_LOAD = 56 /* byte of a line from which eight can be loaded */ };

/* What a run decodes. */
typedef struct run {
    const rp__sim_line *line;
    uint32_t in_link, in_pipe; /* postings ahead of the first that is decoded */
    uint32_t width;            /* bits of a posting */
} run;

static void begin(const rp__dcu *dcu, const rp__sim_clock *clock, run *r)
{
    r->line = rp__link_head(&dcu->lines, clock);
    r->in_link = rp__link_count(&dcu->out, clock);
    r->in_pipe = dcu->pipe.n;
    r->width = (uint32_t)dcu->blocks[0].gap_bits + dcu->blocks[0].tf_bits;
}

bool rp__run_ahead_lasts(const rp__core *core)
{
    const rp__dcu *dcu = &core->dcus[1];
    const rp__merge_unit *merge = &core->merge_unit;
    const rp__sim_setup *setup = &core->setup;
    const bool may_take = dcu->n_blocks < 2 && !rp__link_is_empty(&dcu->in);
    const bool may_unite =
        !rp__link_is_empty(merge->from_su[0]) && !rp__link_is_empty(merge->from_su[1]);
    return !may_take && !may_unite && rp__link_is_empty(dcu->abandon) &&
           setup->close == RP_SIM_NEVER;
}

/* Whether each unit does the one thing that it does in a run, whatever the postings are. */
static bool is_steady(const rp__core *core, const rp__sim_clock *clock)
{
    const rp__dcu *dcu = &core->dcus[1];
    const rp__sim_setup *setup = &core->setup;
    const rp__sim_pipe *pipe = &dcu->pipe;
    const rp__sim_block *block = &dcu->blocks[0];
    if (!dcu->n_blocks || block->is_end || block->is_bp128 || dcu->left == block->n)
        return false;
    bool may_fetch = dcu->may_fetch && dcu->n_lines < dcu->config->dcu_lines;
    if (dcu->drop_lines || may_fetch || !rp__run_ahead_lasts(core))
        return false;
    bool is_moving = !pipe->is_stalled && pipe->n == pipe->latency - 1 &&
                     (!pipe->n || rp__sim_pipe_wait(pipe) <= (int64_t)(clock->now - pipe->seen));
    return is_moving && setup->query_type == RP_SIM_AND && setup->end_doc == RP_SIM_NEVER &&
           setup->first_doc == 0;
}

/* Whether the candidate is searched in the block that is decoded. */
static bool is_searching(const rp__dcu *dcu, const rp__merge_unit *merge,
                         const rp__sim_candidate *candidate, const rp__sim_posting *oldest)
{
    uint32_t number = dcu->blocks[0].number;
    return !(candidate->posting.flags & (RP_SIM_END | RP_SIM_NONE)) && candidate->block == number &&
           oldest->block == number && (int64_t)number != merge->done_block;
}

static uint64_t bits_at(const rp__sim_line *line, uint32_t position, uint32_t width)
{
    uint32_t i = position >> 6, shift = position & 63;
    uint64_t bits = line->words[i] >> shift;
    if (shift + width > 64)
        bits |= line->words[i + 1] << (64 - shift);
    return bits & ((UINT64_C(1) << width) - 1);
}

/* The i-th posting that lies ahead of those that the run decodes: first those in the link, then
 * those in the pipe. */
static rp__sim_posting *ahead(const rp__dcu *dcu, uint32_t i)
{
    const rp__link *out = &dcu->out;
    return (rp__sim_posting *)(out->items + ((out->popped + i) & out->mask) * out->item_bytes);
}

/* Decodes up to `limit` docids; ends before one that is at fault, and where the merge unit would
 * come to one of them that is not below `end`. The bits of each lie in the line. */
static uint32_t decode(const rp__dcu *dcu, const run *r, uint32_t limit, uint64_t end,
                       uint32_t *docids)
{
    const uint32_t n_ahead = r->in_link + r->in_pipe, width = r->width;
    const uint64_t gap_mask = (UINT64_C(1) << dcu->blocks[0].gap_bits) - 1;
    const uint8_t *bytes = (const uint8_t *)r->line->words;
    uint32_t position = dcu->position, n = 0;
    uint64_t doc = dcu->doc;
    for (; n < limit; n++, position += width) {
        uint32_t byte = position >> 3 < LAST_LOAD ? position >> 3 : LAST_LOAD;
        uint64_t gap = rp__load64(bytes + byte) >> (position - 8 * byte) & gap_mask;
        doc += gap;
        if (!gap || doc > UINT32_MAX)
            break;
        docids[n] = (uint32_t)doc;
        if (doc >= end) { /* the merge unit comes to it after those that lie ahead */
            limit = limit < n + n_ahead ? limit : n + n_ahead;
            end = UINT64_MAX;
        }
    }
    return n;
}

/* Postings that lie ahead and are below the candidate, if not all are; otherwise `limit`. */
static uint32_t limit_by_ahead(const rp__dcu *dcu, const run *r, uint32_t end, uint32_t limit)
{
    const uint32_t n_ahead = r->in_link + r->in_pipe;
    if (ahead(dcu, n_ahead - 1)->doc < end)
        return limit;
    uint32_t n = 0;
    while (ahead(dcu, n)->doc < end)
        n++;
    return n < limit ? n : limit;
}

uint32_t rp__run_ahead_look(const rp__core *core, uint32_t docids[RP_SIM_RUN],
                            const rp__sim_clock *clock)
{
    const rp__dcu *dcu = &core->dcus[1];
    const rp__merge_unit *merge = &core->merge_unit;
    if (!is_steady(core, clock))
        return 0;
    const rp__sim_candidate *candidate = rp__link_head(merge->candidates, clock);
    const rp__sim_posting *oldest = rp__link_head(&dcu->out, clock);
    run r;
    begin(dcu, clock, &r);
    if (!candidate || !oldest || !r.line || !r.width || r.line->is_bad ||
        !rp__link_space(&dcu->out, clock) || !is_searching(dcu, merge, candidate, oldest))
        return 0;
    uint32_t limit = (RP_SIM_RUN - 1 - dcu->position) / r.width; /* the line is not used up */
    limit = limit < dcu->left - 1 ? limit : dcu->left - 1;
    limit = limit_by_ahead(dcu, &r, candidate->posting.doc, limit);
    uint32_t n = limit < MIN_CYCLES ? 0 : decode(dcu, &r, limit, candidate->posting.doc, docids);
    return n < MIN_CYCLES ? 0 : n;
}

/* The posting that the run decodes in its i-th cycle. */
static rp__sim_posting decoded(const rp__dcu *dcu, const run *r, const uint32_t *docids, uint32_t i)
{
    const rp__sim_block *block = &dcu->blocks[0];
    uint64_t bits = bits_at(r->line, dcu->position + i * r->width, r->width);
    return (rp__sim_posting){.slot = block->slot,
                             .doc = docids[i],
                             .value = (uint32_t)(bits >> block->gap_bits),
                             .block = block->number};
}

/* Postings move by n places: of those that the run decodes, writes the last ones, which are in the
 * link and in the pipe afterwards. Those that lie ahead are in their places. */
static void move(rp__dcu *dcu, const run *r, const uint32_t *docids, uint32_t n)
{
    rp__sim_pipe *pipe = &dcu->pipe;
    const uint32_t n_ahead = r->in_link + r->in_pipe;
    const uint32_t due = pipe->due[pipe->head];
    for (uint32_t i = n > n_ahead ? n : n_ahead; i < n + n_ahead; i++)
        *ahead(dcu, i) = decoded(dcu, r, docids, i - n_ahead);
    for (uint32_t i = n; i < n + r->in_pipe; i++)
        pipe->due[(pipe->head + i) & pipe->mask] = due + i;
}

void rp__run_ahead_make(rp__core *core, const uint32_t *docids, uint64_t start, uint32_t n,
                        rp__sim_clock *clock)
{
    rp__dcu *dcu = &core->dcus[1];
    const uint64_t last = start + n - 1;
    run r;
    begin(dcu, clock, &r);
    move(dcu, &r, docids, n);
    dcu->pipe.head = (dcu->pipe.head + n) & dcu->pipe.mask;
    dcu->pipe.time += (uint32_t)(last - dcu->pipe.seen);
    dcu->pipe.seen = last;
    dcu->out.pushed += n;
    dcu->out.popped += n;
    dcu->out.push_cycle = dcu->out.pop_cycle = last;
    dcu->out.pushes_now = dcu->out.pops_now = 1;
    clock->last_move = last > clock->last_move ? last : clock->last_move;
    dcu->left -= n;
    dcu->position += n * r.width;
    dcu->doc = docids[n - 1];
    dcu->counts->payload_bits += (uint64_t)n * r.width;
    dcu->counts->postings += n;
}
