/* positions.c: positions of postings, one posting at a time or a whole list.
 *
 * A frame is chunks of RP_BLOCK values (the last may be shorter), each coded as a bp128 block: u8
 * width, packed bits. A value is the distance to the position before, less one; the first of a posting
 * is the position itself. To reach a posting, the frequencies of its frame are decoded as if they were
 * gaps, which gives their running sums, and the chunks before it are passed over by their widths: no value is
 * decoded that is not asked for. */
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "index/tiny.h"

static bool is_inside(const rp__segment *s, const rp__term *term)
{
    return term->pos_offset <= s->positions_bytes &&
           term->pos_bytes <= s->positions_bytes - term->pos_offset;
}

rp_status rp__positions_open(rp__positions *p, const rp__segment *segment, const rp__term *term,
                             const rp__list *list, rp__arena *arena)
{
    *p = (rp__positions){.segment = segment, .term = *term, .list = list, .arena = arena};
    p->frame = p->rank = UINT32_MAX;
    if (!segment->positions)
        return RP_USAGE;
    if (!term->tiny && !is_inside(segment, term))
        return RP_DAMAGED;
    p->code = rp__block_code_find("bp128", rp__cpu_features());
    p->ends = rp__arena_array(arena, RP_BLOCK_CAPACITY, sizeof *p->ends);
    return p->ends ? RP_OK : RP_NO_MEMORY;
}

static bool make_room(rp__positions *p, uint64_t n)
{
    if (n + RP_BLOCK_CAPACITY <= p->cap)
        return true;
    size_t cap = (size_t)(n + n / 2 + RP_BLOCK_CAPACITY);
    uint32_t *at = rp__arena_array(p->arena, cap, sizeof *at);
    if (!at)
        return false;
    p->at = at;
    p->cap = cap;
    return true;
}

/* Values of one posting to positions, in place. False: past 2^32. */
static bool add_up(uint32_t *at, uint32_t n)
{
    uint64_t position = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        position += 1U + (uint64_t)at[i];
        at[i] = (uint32_t)position;
    }
    return n == 0 || position <= UINT32_MAX;
}

static rp_status decode_chunks(const uint8_t *in, size_t in_bytes, uint32_t *out, uint64_t n)
{
    const rp__block_code *code = rp__block_code_find("bp128", rp__cpu_features());
    for (uint64_t done = 0; done < n; done += RP_BLOCK) {
        size_t count = n - done < RP_BLOCK ? (size_t)(n - done) : RP_BLOCK;
        size_t bytes = in_bytes > 0 ? 1 + (count * in[0] + 7) / 8 : 1;
        if (bytes > in_bytes)
            return RP_DAMAGED;
        rp_status status = code->decode(in, bytes, out + done, count);
        if (status != RP_OK)
            return status;
        in += bytes;
        in_bytes -= bytes;
    }
    return RP_OK;
}

/* Where frame f lies in the bytes of all frames; offsets NULL: there is one. */
static bool find_frame(const uint8_t *all, uint64_t all_bytes, const uint32_t *offsets, uint32_t f,
                       uint32_t n, const uint8_t **in, size_t *bytes)
{
    uint32_t n_frames = (n + RP_BLOCK - 1) / RP_BLOCK;
    uint64_t from = offsets ? offsets[f] : 0;
    uint64_t to = offsets && f + 1 < n_frames ? offsets[f + 1] : all_bytes;
    if (from > to || to > all_bytes)
        return false;
    *in = all + from;
    *bytes = (size_t)(to - from);
    return true;
}

static bool find_positions(const rp__segment *s, const rp__term *term, const rp__list *list,
                           uint32_t f, const uint8_t **in, size_t *bytes)
{
    return find_frame(s->positions + term->pos_offset, term->pos_bytes, list->pos_offsets, f,
                      list->n, in, bytes);
}

/* ---- One posting ------------------------------------------------------------------------------ */

/* Frequencies that lie with the docids, added up. */
static rp_status sum_freqs(const rp__list *list, uint32_t f, uint32_t count, uint32_t *ends)
{
    uint64_t sum = 0;
    rp_status status = rp__list_freqs(list, f, ends);
    for (uint32_t i = 0; i < count && status == RP_OK; i++) {
        sum += ends[i];
        ends[i] = (uint32_t)(sum - 1);
        if (sum > UINT32_MAX)
            status = RP_DAMAGED;
    }
    return status;
}

/* A frequency less one is coded like a docid's gap less one. */
static rp_status find_ends(const rp__list *list, uint32_t f, uint32_t *ends)
{
    const uint8_t *in;
    size_t bytes;
    uint32_t left = list->n - f * RP_BLOCK, count = left < RP_BLOCK ? left : RP_BLOCK;
    if (!list->freq_code)
        return sum_freqs(list, f, count, ends);
    if (rp__list_freq_bytes(list, f, &in, &bytes))
        return RP_DAMAGED;
    return list->freq_code->decode_docids(in, bytes, UINT32_MAX, ends, count);
}

/* Stands before the first chunk of the frame. */
static bool begin_frame(rp__positions *p, uint32_t f)
{
    p->chunk = 0;
    return find_positions(p->segment, &p->term, p->list, f, &p->in, &p->bytes);
}

/* Passes over whole chunks. */
static bool enter_chunk(rp__positions *p, uint64_t chunk)
{
    for (; p->chunk < chunk; p->chunk++) {
        size_t step = p->bytes > 0 ? 1 + (size_t)p->in[0] * RP_BLOCK / 8 : 1;
        if (step > p->bytes)
            return false;
        p->in += step;
        p->bytes -= step;
    }
    return true;
}

/* The n positions after the first `before` of the frame. */
static rp_status read_values(rp__positions *p, uint64_t before, uint32_t n)
{
    for (uint32_t done = 0; done < n;) {
        uint64_t from = before + done;
        uint32_t i = from % RP_BLOCK, count = n - done < RP_BLOCK - i ? n - done : RP_BLOCK - i;
        if (!enter_chunk(p, from / RP_BLOCK))
            return RP_DAMAGED;
        uint32_t base = done ? p->at[done - 1] : UINT32_MAX;
        rp_status status = p->code->slice(p->in, p->bytes, i, count, base, p->at + done);
        if (status != RP_OK)
            return status;
        done += count;
    }
    return RP_OK;
}

/* Whether a walk in rising order passes no more positions than the term has. */
static bool pass(rp__positions *p, uint32_t f, uint32_t slot)
{
    uint64_t end = p->ends[slot] + UINT64_C(1);
    if (f != p->frame) {
        p->before = f > p->frame ? p->before + p->passed : 0;
        p->passed = 0;
    }
    p->passed = end > p->passed ? end : p->passed;
    return p->before + p->passed <= p->term.cf;
}

static rp_status read_posting(rp__positions *p, uint32_t f, uint32_t slot)
{
    if (f != p->frame) {
        rp_status status = find_ends(p->list, f, p->ends);
        if (status != RP_OK)
            return status;
    }
    if (!pass(p, f, slot))
        return RP_DAMAGED;
    uint64_t before = slot ? (uint64_t)p->ends[slot - 1] + 1 : 0;
    if ((f != p->frame || before / RP_BLOCK < p->chunk) && !begin_frame(p, f))
        return RP_DAMAGED;
    p->frame = f;
    p->n = (uint32_t)(p->ends[slot] + UINT64_C(1) - before);
    /* A chunk of RP_BLOCK values takes a byte at least. */
    if (p->ends[slot] >= (p->chunk + p->bytes) * RP_BLOCK)
        return RP_DAMAGED;
    return make_room(p, p->n) ? read_values(p, before, p->n) : RP_NO_MEMORY;
}

static rp_status read_tiny(rp__positions *p, uint32_t rank)
{
    rp__tiny tiny;
    uint32_t first = 0;
    rp_status status = rp__tiny_get_whole(p->segment, &p->term, &tiny);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < rank; i++)
        first += tiny.tfs[i];
    p->n = tiny.tfs[rank];
    if (!make_room(p, p->n))
        return RP_NO_MEMORY;
    memcpy(p->at, tiny.gaps + first, p->n * sizeof *p->at);
    return add_up(p->at, p->n) ? RP_OK : RP_DAMAGED;
}

rp_status rp__positions_get(rp__positions *p, uint32_t rank, const uint32_t **at, uint32_t *n)
{
    if (rank >= p->list->n)
        return RP_DAMAGED;
    if (rank != p->rank) {
        p->rank = UINT32_MAX;
        rp_status status =
            p->term.tiny ? read_tiny(p, rank) : read_posting(p, rank / RP_BLOCK, rank % RP_BLOCK);
        if (status != RP_OK) {
            p->frame = UINT32_MAX; /* it may stand anywhere */
            return status;
        }
        p->rank = rank;
    }
    *at = p->at;
    *n = p->n;
    return RP_OK;
}

/* ---- A whole list ----------------------------------------------------------------------------- */

rp_status rp__positions_decode(const rp__segment *segment, const rp__term *term,
                               const rp__list *list, const uint32_t *tfs, uint32_t *out)
{
    uint64_t done = 0;
    if (!is_inside(segment, term))
        return RP_DAMAGED;
    for (uint32_t i = 0; i < list->n;) {
        const uint8_t *in;
        size_t bytes;
        uint64_t total = 0;
        if (!find_positions(segment, term, list, i / RP_BLOCK, &in, &bytes))
            return RP_DAMAGED;
        do
            total += tfs[i++];
        while (i < list->n && i % RP_BLOCK != 0);
        if (total > term->cf - done)
            return RP_DAMAGED;
        rp_status status = decode_chunks(in, bytes, out + done, total);
        if (status != RP_OK)
            return status;
        done += total;
    }
    return RP_OK;
}
