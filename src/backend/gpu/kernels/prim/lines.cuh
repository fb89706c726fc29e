/* lines.cuh: blocks of the regression codes (docs/format.md, chapter 7: lrc, lrcseg, seglrc, hslrc256, hslrc128):
 * docid(i) = start + (a * i >> 24) + residual(i), slot by slot, without a sum over others.
 *
 * A lane reads the head of one block, and leaves it in shared memory. lines_walk.cuh has all docids of a tile, lines_at
 * one of a list. */
#ifndef RP_KERNELS_LINES_CUH
#define RP_KERNELS_LINES_CUH

#include "backend/gpu/kernels/prim/pack.cuh"
#include "backend/gpu/kernels/prim/scan.cuh"
#include "backend/gpu/kernels/prim/tile.cuh"
#include "backend/gpu/kernels/prim/sound.cuh"

/* Where a code keeps a block's line: the list's; the same, moved by a u32 of the block; the block's own. */
enum lines_kind { LINES_LIST, LINES_MOVED, LINES_OWN };

enum { LINES_SHIFT = 24, LINES_TAIL = 12 }; /* bits of fraction; bytes of a list's line */

/* A list's line; of LINES_OWN nothing. */
struct lines_line {
    uint64_t a;
    uint32_t start;
};

enum { LINES_BLOCKS = 32 }; /* of a tile at most: a lane each */

/* How blocks are cut: as tile.cuh has it. */
enum lines_cut { LINES_BY_HASH = 0, LINES_BY_256 = TILE_BLOCK_MOST };

/* One block. */
struct alignas(16) lines_head {
    uint32_t at;     /* of its low parts, from the list's first word */
    uint32_t start;
    uint32_t shape;  /* count in bits 0 to 8, exceptions 9 to 17, width 18 to 23, of the high parts 24 to 29 */
    uint32_t begin;  /* rank of slot 0, less that of the tile's first posting */
    uint32_t rise;   /* of LINES_OWN, of a slot, modulo 2^32, */
    uint32_t beyond; /* and 64ths */
};

PRIM uint32_t lines_count(uint32_t shape) { return shape & 511; }
PRIM uint32_t lines_exceptions(uint32_t shape) { return shape >> 9 & 511; }
PRIM uint32_t lines_width(uint32_t shape) { return shape >> 18 & 63; }
PRIM uint32_t lines_high_width(uint32_t shape) { return shape >> 24; }

/* A stored slope: the rise of 64 slots, a whole number, of up to 39 bits. */
PRIM uint64_t lines_slope(uint32_t code)
{
    uint32_t low = code & 1023, shift = code >> 10 & 31;
    return shift ? (uint64_t)(1024 + low) << shift : low << 1;
}

/* How much a line has risen at slot i, modulo 2^32: of the list, or of a block. Slots before the first are counted on. */
PRIM uint32_t lines_rise(uint64_t a, int32_t i) { return (uint32_t)(a * (uint64_t)(int64_t)i >> LINES_SHIFT); }
PRIM uint32_t lines_own_rise(const lines_head &h, int32_t i)
{
    return h.rise * (uint32_t)i + (uint32_t)((int32_t)h.beyond * i >> 6);
}
template <int KIND> PRIM uint32_t lines_point(const lines_line &line, const lines_head &h, int32_t i)
{
    return h.start + (KIND == LINES_OWN ? lines_own_rise(h, i) : lines_rise(line.a, i));
}

template <int KIND> PRIM lines_line lines_of_list(uint64_t docs, uint32_t docs_bytes)
{
    if (KIND == LINES_OWN || docs_bytes < LINES_TAIL)
        return {0, 0};
    pack_bits tail = pack_at(docs + docs_bytes - LINES_TAIL);
    return {(uint64_t)pack_word(tail, 32) << 32 | pack_word(tail, 0), pack_word(tail, 64)};
}

/* The shape of residuals whose head's three bytes are `first`, in these bytes, and how many the head has. What
 * does not lie inside is left out. */
PRIM uint32_t lines_shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *head)
{
    bool has = first & 128;
    uint32_t w = first & 127, n = (first >> 8 & 255) + 1, hb = first >> 16 & 255;
    *head = has ? 3 : 1;
    uint32_t used = *head + pack_bytes(count * w);
    if (w > 32 || used > bytes)
        return count;
    has = has && w + hb <= 32 && used + n + pack_bytes(n * hb) <= bytes;
    return count | w << 18 | (has ? n << 9 | hb << 24 : 0);
}

template <int KIND> PRIM lines_head lines_read(const tile_view &t, const lines_line &line, const tile_place &p)
{
    const uint32_t own = KIND == LINES_OWN ? 6 : KIND == LINES_MOVED ? 4 : 0;
    uint32_t head = 0, first, start, bytes = p.bytes - own, phase = (uint32_t)t.docs & 3;
    uint64_t rise = 0;
    if (p.bytes <= own)
        return {phase + p.from, 0, p.count, p.begin - t.begin, 0, 0};
    pack_bits in = pack_at(t.docs + p.from);
    if (KIND == LINES_OWN) {
        uint32_t rest = pack_word(in, 32);
        start = pack_word(in, 0);
        rise = lines_slope(rest & 0xFFFF);
        first = rest >> 16;
        if (first & 128)
            first |= pack_word(in, 64) << 16;
    } else {
        start = line.start + (uint32_t)(line.a * p.begin >> LINES_SHIFT) + (KIND == LINES_MOVED ? pack_word(in, 0) : 0);
        first = pack_word(in, 8 * own);
    }
    uint32_t shape = lines_shape(first, bytes, p.count, &head);
    return {phase + p.from + own + head, start, shape, p.begin - t.begin, (uint32_t)(rise >> 6), (uint32_t)rise & 63};
}

/* ---- Exceptions ----------------------------------------------------------------------------------- */

/* A warp's: heads, and what is to be added to each slot of a block. */
struct lines_room {
    lines_head heads[LINES_BLOCKS];
    uint32_t adds[TILE_BLOCK_MOST];
};

static_assert(sizeof(lines_room) == KARG_SHARED_LINES, "as launches have it");

/* The room of this warp, with the heads of its tile; of no postings past the last block. Of its payload, which ends at
 * *end, `ahead` bytes are on their way, asked for by `step`. */
template <int KIND, int CUT>
PRIM lines_room *lines_open(const tile_view &t, const lines_line &line, uint32_t ahead, uint32_t step, uint32_t *end)
{
    lines_room *room = (lines_room *)prim_shared() + prim_warp();
    bool has = prim_lane() < t.blocks;
    if (t.blocks > LINES_BLOCKS)
        prim_trap();
    tile_place p = tile_block<CUT>(t, t.block + (has ? prim_lane() : 0));
    *end = ((uint32_t)t.docs & 3) + tile_prefetch_blocks(t, p.from, p.from + p.bytes, ahead, step);
    lines_head mine = lines_read<KIND>(t, line, p);
    mine.shape = has ? mine.shape : 0;
    room->heads[prim_lane()] = mine;
    prim_sync_tile();
    return room;
}

/* The address that heads count from. */
PRIM uint64_t lines_words(const tile_view &t) { return t.docs & ~(uint64_t)3; }

/* The high part of exception j, at its place; *slot is where it belongs. */
PRIM uint32_t lines_exception(uint64_t words, const lines_head &h, uint32_t j, uint32_t *slot)
{
    uint32_t n = lines_exceptions(h.shape), w = lines_width(h.shape), hb = lines_high_width(h.shape);
    uint64_t ranks = words + h.at + pack_bytes(lines_count(h.shape) * w);
    *slot = prim_load(prim_at<const uint8_t>(ranks) + j);
    return pack_one(pack_at(ranks + n), j * hb, hb) << (w & 31);
}

/* A warp puts the block's exceptions to their slots. */
PRIM void lines_place(uint64_t words, const lines_head &h, lines_room *room)
{
    uint32_t slot;
    for (uint32_t i = prim_lane(); i < TILE_BLOCK_MOST; i += 32)
        room->adds[i] = 0;
    prim_sync_tile();
    for (uint32_t j = prim_lane(); j < lines_exceptions(h.shape); j += 32) {
        uint32_t add = lines_exception(words, h, j, &slot);
        prim_atomic_add(&room->adds[slot], add); /* of damaged bytes several have one slot */
    }
    prim_sync_tile();
}

/* ---- One docid ------------------------------------------------------------------------------------ */

/* Slot i of a block whose head is read. */
template <int KIND> PRIM uint32_t lines_slot(uint64_t words, const lines_line &line, const lines_head &h, uint32_t i)
{
    uint32_t w = lines_width(h.shape), slot;
    uint32_t docid = lines_point<KIND>(line, h, (int32_t)i) + pack_one(pack_at(words + h.at), i * w, w);
    for (uint32_t j = 0; j < lines_exceptions(h.shape); j++) {
        uint32_t add = lines_exception(words, h, j, &slot);
        docid += slot == i ? add : 0;
    }
    return docid;
}

/* The block of posting i: the last one that begins at it or before. */
PRIM uint32_t lines_find(const tile_view &t, uint32_t i)
{
    uint32_t from = 0, to = t.n_blocks;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (tile_begin<LINES_BY_HASH>(t, middle) <= i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Posting i of a list, without any other. `t` is the whole list; its blocks have 256 postings each where they are
 * not cut by hash. Any bytes; what cannot be is UINT32_MAX. */
template <int KIND, int CUT> PRIM uint32_t lines_at(const tile_view &t, uint32_t i)
{
    uint32_t b = CUT ? i / CUT : lines_find(t, i);
    if (b >= t.n_blocks)
        return UINT32_MAX;
    tile_place p = tile_block<CUT>(t, b);
    if (i - p.begin >= p.count)
        return UINT32_MAX;
    lines_line line = lines_of_list<KIND>(t.docs, t.docs_bytes);
    return lines_slot<KIND>(lines_words(t), line, lines_read<KIND>(t, line, p), i - p.begin);
}

/* ---- Soundness ------------------------------------------------------------------------------------ */

/* A block of in.n postings, in a code with `own` bytes before the residuals. */
PRIM bool lines_is_sound(const sound_bytes &block, uint32_t own)
{
    if (block.bytes <= own)
        return false;
    sound_bytes in = sound_after(block, own, block.n);
    uint32_t first = sound_byte(in, 0), w = first & 127, head = first & 128 ? 3 : 1, lows = head + pack_bytes(in.n * w);
    uint32_t k = sound_byte(in, 1) + 1, hb = sound_byte(in, 2);
    if (w > 32 || in.bytes < lows)
        return false;
    if (head == 1)
        return true;
    return hb > 0 && w + hb <= 32 && in.bytes - lows >= k + pack_bytes(k * hb) && sound_positions(in, lows, k, 8);
}

#endif
