/* lines_walk.cuh: all docids of a tile of a regression code (lines.cuh), four slots a lane.
 *
 * Most blocks are plain: 256 slots and no exceptions. LANES lanes take one, its slots four by four, 4 * LANES apart; four
 * residuals of up to 16 bits are three words. Loads of several blocks are in flight before the first is looked at.
 * Other blocks, and those of hslrc, which begin and end at any rank, are taken one by one, from a multiple of four
 * on in what is written, so that stores are of 16 bytes.
 *
 * Safe on any bytes: residuals of a head's shape lie inside the payload; lanes without a slot read nothing. */
#ifndef RP_KERNELS_LINES_WALK_CUH
#define RP_KERNELS_LINES_WALK_CUH

#include "backend/gpu/kernels/prim/lines.cuh"

enum { LINES_BACK = 16 }; /* bytes that must lie before residuals, where slots are counted from before the first */

PRIM bool lines_is_plain(uint32_t shape) { return (shape & 0x3FFFF) == TILE_BLOCK_MOST; }

/* A tile in work. `take` is who gets the docids: a head, the first of four slots of it, their docids, and whether all
 * four are there; otherwise those from 0 to the head's count are. */
struct lines_tile {
    const uint32_t *words;
    lines_line line;
    lines_room *room;
    uint32_t blocks;
    uint32_t phase; /* of its first posting where it is written, modulo 4; of what is not written, UINT32_MAX */
};

/* The line's points at the lane's slots of a plain block: a list's rises by the same in all blocks; a block's own in
 * 4 * LANES slots by a whole number, which is the same for all lanes. */
template <int KIND, int LANES> struct lines_points {
    static const int QUADS = TILE_BLOCK_MOST / 4 / LANES, N = KIND == LINES_OWN ? 4 : 4 * QUADS;
    uint32_t at[N], step;

    PRIM_MEMBER void open(const lines_line &line)
    {
        step = 0;
#pragma unroll
        for (int k = 0; k < N && KIND != LINES_OWN; k++)
            at[k] = lines_rise(line.a, (int32_t)(prim_lane() % LANES * 4 + k / 4 * 4 * LANES + k % 4));
    }
    PRIM_MEMBER void turn(const lines_head &h)
    {
        step = 4 * LANES * h.rise + LANES / 16 * h.beyond;
#pragma unroll
        for (int k = 0; k < 4 && KIND == LINES_OWN; k++)
            at[k] = lines_own_rise(h, (int32_t)(prim_lane() % LANES * 4 + k));
    }
    PRIM_MEMBER uint32_t point(const lines_head &h, int q, int k) const
    {
        return h.start + (KIND == LINES_OWN ? at[k] + q * step : at[(4 * q + k) % N]);
    }
};

/* A plain block of residuals of at most K bits on its way: what the lane has loaded. */
template <int K, int LANES> struct lines_plain {
    static const int QUADS = TILE_BLOCK_MOST / 4 / LANES;
    pack_quad<K> quads[QUADS];

    PRIM_MEMBER void load(const uint32_t *words, const lines_head &h)
    {
        uint32_t w = lines_width(h.shape), slot = prim_lane() % LANES * 4;
#pragma unroll
        for (int q = 0; q < QUADS; q++) /* 4 * LANES slots are w * LANES / 8 words */
            quads[q].load(words + q * (LANES / 8) * w, h.at, slot * w, w);
    }
    template <int KIND, class TAKE>
    PRIM_MEMBER void docids(const lines_head &h, const lines_points<KIND, LANES> &line, TAKE take) const
    {
        uint32_t w = lines_width(h.shape);
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            uint32_t v[4];
            quads[q].values(w, v);
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] += line.point(h, q, k);
            take(h, (int32_t)(prim_lane() % LANES * 4 + q * 4 * LANES), v, true);
        }
    }
};

/* Plain blocks, U a lane, from block i on. */
template <int KIND, int K, int LANES, int U, class TAKE>
PRIM void lines_row(const lines_tile &t, uint32_t i, lines_points<KIND, LANES> &line, TAKE take)
{
    lines_plain<K, LANES> blocks[U];
    lines_head h[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        h[u] = t.room->heads[i + u * (32 / LANES) + prim_lane() / LANES];
        blocks[u].load(t.words, h[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        line.turn(h[u]);
        blocks[u].docids(h[u], line, take);
    }
}

/* Four slots of any block, the lane's first one being `slot`. */
template <int KIND, bool PATCHED, class TAKE>
PRIM void lines_four(const lines_tile &t, const lines_head &h, int32_t slot, uint32_t v[4], TAKE take)
{
    int32_t count = (int32_t)lines_count(h.shape);
    bool is_whole = slot >= 0 && slot + 4 <= count;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] += lines_point<KIND>(t.line, h, slot + k);
        if (PATCHED && lines_exceptions(h.shape) && slot + k >= 0 && slot + k < count)
            v[k] += lines_take(t.room, (uint32_t)(slot + k));
    }
    if (is_whole || (slot + 4 > 0 && slot < count))
        take(h, slot, v, is_whole);
}

/* Any block, of residuals of at most K bits, and without exceptions unless PATCHED: 256 slots at a time. */
template <int KIND, int K, bool PATCHED, class TAKE>
PRIM void lines_any(const lines_tile &t, const lines_head &h, TAKE take)
{
    uint32_t w = lines_width(h.shape), back = h.at >= LINES_BACK && t.phase < 4 ? LINES_BACK : 0;
    int32_t count = (int32_t)lines_count(h.shape), from = back ? -(int32_t)((t.phase + h.begin) % 4) : 0;
    if (PATCHED && lines_exceptions(h.shape))
        lines_place((uint64_t)(uintptr_t)t.words, h, t.room);
#pragma unroll 1
    for (from += (int32_t)prim_lane() * 4; from - (int32_t)prim_lane() * 4 < count; from += TILE_BLOCK_MOST) {
        pack_quad<K> quads[2] = {};
#pragma unroll
        for (int q = 0; q < 2; q++)
            if (from + 128 * q + 4 > 0 && from + 128 * q < count)
                quads[q].load(t.words, h.at - back, (uint32_t)((from + 128 * q) * (int32_t)w) + 8 * back, w);
#pragma unroll
        for (int q = 0; q < 2; q++) {
            uint32_t v[4];
            quads[q].values(w, v);
            lines_four<KIND, PATCHED>(t, h, from + 128 * q, v, take);
        }
    }
    if (PATCHED && lines_exceptions(h.shape))
        prim_sync_tile();
}

template <int KIND, int LANES, int U, class TAKE> PRIM void lines_walk(const tile_view &of, uint32_t phase, TAKE take)
{
    const uint32_t step = U * (32 / LANES);
    lines_line list = lines_of_list<KIND>(of.docs, of.docs_bytes);
    lines_tile t = {prim_at<const uint32_t>(lines_words(of)), list, lines_open<KIND>(of, list), of.blocks, phase};
    uint32_t shape = t.room->heads[prim_lane()].shape, w = lines_width(shape), is_plain = lines_is_plain(shape);
    uint32_t not16 = ~prim_ballot<32>(is_plain && w <= 16), not21 = ~prim_ballot<32>(is_plain && w > 16 && w <= 21);
    lines_points<KIND, LANES> line;
    line.open(list);
#pragma unroll 1
    for (uint32_t i = 0; i < t.blocks; i += step, not16 >>= step, not21 >>= step) {
        if (not16 % (1 << step) == 0)
            lines_row<KIND, 16, LANES, U>(t, i, line, take);
        else if (KIND != LINES_OWN && not21 % (1 << step) == 0) /* a list's line is farther off */
            lines_row<KIND, 21, LANES, U>(t, i, line, take);
        else
#pragma unroll 1
            for (uint32_t k = i; k < prim_min(i + step, t.blocks); k++) {
                lines_head h = t.room->heads[k];
                if (lines_width(h.shape) <= 16 && lines_exceptions(h.shape) == 0)
                    lines_any<KIND, 16, false>(t, h, take);
                else
                    lines_any<KIND, 32, true>(t, h, take);
            }
    }
}

/* Docids of this warp's tile to memory. Shared memory: a room a warp. */
template <int KIND, int U> PRIM void lines_decode(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open(a, number);
    uint32_t phase = (uint32_t)((uintptr_t)t.out / 4 % 4);
    lines_walk<KIND, 32, U>(t, phase, [&](const lines_head &h, int32_t slot, const uint32_t *v, bool is_whole) {
        uint32_t *to = t.out + h.begin + slot;
        if (is_whole && (phase + h.begin + (uint32_t)slot) % 4 == 0) {
            prim_store_once((uint4 *)to, make_uint4(v[0], v[1], v[2], v[3]));
            return;
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((uint32_t)(slot + k) < lines_count(h.shape))
                to[k] = v[k];
    });
}

/* Their sum, from registers: of all tiles that are this warp's. */
template <int KIND, int LANES, int U> PRIM void lines_sum(const karg_decode &a)
{
    uint32_t sum = 0, warps = prim_grid_size() * prim_block_size() / 32;
    for (uint32_t number = tile_number(); number < a.n_tiles; number += warps) {
        lines_walk<KIND, LANES, U>(
            tile_open(a, number), UINT32_MAX,
            [&](const lines_head &h, int32_t slot, const uint32_t *v, bool is_whole) {
#pragma unroll
                for (int k = 0; k < 4; k++)
                    sum += is_whole || (uint32_t)(slot + k) < lines_count(h.shape) ? v[k] : 0;
            });
        prim_sync_tile(); /* heads are written anew */
    }
    sum = scan_sum<32>(sum);
    if (prim_lane() == 0)
        prim_atomic_add(prim_at<uint32_t>(a.sum), sum);
}

#endif
