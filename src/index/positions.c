/* positions.c: positions of a posting, decoded a frame of RP_BLOCK postings at a time.
 *
 * A frame is chunks of RP_BLOCK values (the last may be shorter), each coded as a bp128 block: u8
 * width, packed bits. A value is the distance to the position before, less one; the first of a posting
 * is the position itself. */
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "index/segment.h"

static bool is_inside(const rp__segment *s, const rp__term *term)
{
    return term->pos_offset <= s->positions_bytes &&
           term->pos_bytes <= s->positions_bytes - term->pos_offset;
}

rp_status rp__positions_open(rp__positions *p, const rp__segment *segment, const rp__term *term,
                             const rp__list *list, rp__arena *arena)
{
    *p = (rp__positions){.segment = segment, .term = *term, .list = list, .frame = UINT32_MAX};
    if (!segment->positions)
        return RP_USAGE;
    if (!term->tiny && !is_inside(segment, term))
        return RP_DAMAGED;
    p->arena = arena;
    p->starts = rp__arena_array(arena, RP_BLOCK + 1, sizeof *p->starts);
    return p->starts ? RP_OK : RP_NO_MEMORY;
}

static bool make_room(rp__positions *p, uint64_t n)
{
    if (n + RP_BLOCK_ROOM <= p->cap)
        return true;
    size_t cap = (size_t)(n + n / 2 + RP_BLOCK_ROOM);
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

/* Where frame f lies in the positions section. */
static bool find_frame(const rp__segment *s, const rp__term *term, const rp__list *list, uint32_t f,
                       const uint8_t **in, size_t *bytes)
{
    const uint32_t *offsets = list->pos_offsets;
    uint32_t n_frames = (list->n + RP_BLOCK - 1) / RP_BLOCK;
    uint64_t from = offsets ? offsets[f] : 0;
    uint64_t to = offsets && f + 1 < n_frames ? offsets[f + 1] : term->pos_bytes;
    if (from > to || to > term->pos_bytes)
        return false;
    *in = s->positions + term->pos_offset + from;
    *bytes = (size_t)(to - from);
    return true;
}

static rp_status load_frame(rp__positions *p, uint32_t f)
{
    uint32_t tfs[RP_BLOCK_ROOM], n = p->list->n - f * RP_BLOCK;
    const uint8_t *in;
    size_t bytes;
    uint64_t total = 0;
    p->frame = UINT32_MAX;
    n = n < RP_BLOCK ? n : RP_BLOCK;
    rp_status status = rp__list_freqs(p->list, f, tfs);
    if (status != RP_OK)
        return status;
    if (!find_frame(p->segment, &p->term, p->list, f, &in, &bytes))
        return RP_DAMAGED;
    for (uint32_t i = 0; i < n; i++) {
        p->starts[i] = (uint32_t)total;
        total += tfs[i];
    }
    p->starts[n] = (uint32_t)total;
    /* A chunk of RP_BLOCK values takes a byte at least. */
    if (total > UINT32_MAX || total > (uint64_t)bytes * RP_BLOCK)
        return RP_DAMAGED;
    if (!make_room(p, total))
        return RP_NO_MEMORY;
    status = decode_chunks(in, bytes, p->at, total);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        if (!add_up(p->at + p->starts[i], tfs[i]))
            return RP_DAMAGED;
    p->frame = f;
    return RP_OK;
}

static rp_status load_tiny(rp__positions *p)
{
    const uint8_t *at = p->term.tiny, *end = at + p->term.tiny_bytes;
    uint32_t gap, frequency, n = 0;
    if (!make_room(p, p->term.tiny_bytes))
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < p->list->n; i++) {
        p->starts[i] = n;
        if (!rp__bits_varint32(&at, end, &gap) || !rp__bits_varint32(&at, end, &frequency))
            return RP_DAMAGED;
        for (uint32_t j = 0; j < p->list->tfs[i]; j++)
            if (!rp__bits_varint32(&at, end, &p->at[n++]))
                return RP_DAMAGED;
        if (!add_up(p->at + p->starts[i], n - p->starts[i]))
            return RP_DAMAGED;
    }
    p->starts[p->list->n] = n;
    p->frame = 0;
    return RP_OK;
}

rp_status rp__positions_get(rp__positions *p, uint32_t rank, const uint32_t **at, uint32_t *n)
{
    uint32_t f = rank / RP_BLOCK, slot = rank % RP_BLOCK;
    if (rank >= p->list->n)
        return RP_DAMAGED;
    if (f != p->frame) {
        rp_status status = p->term.tiny ? load_tiny(p) : load_frame(p, f);
        if (status != RP_OK)
            return status;
    }
    *at = p->at + p->starts[slot];
    *n = p->starts[slot + 1] - p->starts[slot];
    return RP_OK;
}

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
        if (!find_frame(segment, term, list, i / RP_BLOCK, &in, &bytes))
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
