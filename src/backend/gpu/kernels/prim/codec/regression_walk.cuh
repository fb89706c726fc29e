/* regression_walk.cuh: all docids of a tile of a regression code (regression.cuh), four slots a
 * lane.
 *
 * Most blocks are plain: 256 slots and no exceptions. LANES lanes take one, its slots four by four,
 * 4 * LANES apart; four residuals of up to 16 bits are three words. Loads of several blocks are in
 * flight before the first is looked at. Other blocks, and those of hslrc, which begin and end at
 * any rank, are taken one by one, from a multiple of four on in what is written, so that stores are
 * of 16 bytes.
 *
 * Safe on any bytes: residuals of a head's shape lie inside the payload; lanes without a slot read
 * nothing. */
#ifndef RP_KERNELS_REGRESSION_WALK_CUH
#define RP_KERNELS_REGRESSION_WALK_CUH

#include "backend/gpu/kernels/prim/codec/regression.cuh"

enum {
    /* bytes that must lie before residuals, where slots are counted from before the first */
    REGRESSION_BACK = 16,
    REGRESSION_AHEAD = 4096, /* that are on their way before a warp comes to them, of large tiles */
};

PRIM bool regression_is_plain(uint32_t shape)
{
    return (shape & 0x3FFFF) == TILE_BLOCK_MAX;
}

/* A tile in work. `take` is who gets the docids: `four`, of a head, the first of four slots of it,
 * their docids, and whether all four are there; otherwise those from 0 to the head's count are. And
 * `one`. */
struct regression_tile {
    const uint32_t *words;
    regression_line line;
    regression_scratch *scratch;
    uint32_t blocks;
    uint32_t end; /* of the payload, from the first word */
    /* of its first posting where it is written, modulo 4; of what is not written, UINT32_MAX */
    uint32_t phase;
};

/* The line's points at the lane's slots of a plain block: a list's rises by the same in all blocks;
 * a block's own in 4 * LANES slots by a whole number, which is the same for all lanes. */
template <int KIND, int LANES> struct regression_points {
    static const int QUADS = TILE_BLOCK_MAX / 4 / LANES, N = KIND == REGRESSION_OWN ? 4 : 4 * QUADS;
    uint32_t at[N], step;

    PRIM_MEMBER void open(const regression_line &line)
    {
        step = 0;
#pragma unroll
        for (int k = 0; k < N && KIND != REGRESSION_OWN; k++)
            at[k] = regression_rise(line.a,
                                    (int32_t)(prim_lane() % LANES * 4 + k / 4 * 4 * LANES + k % 4));
    }
    PRIM_MEMBER void turn(const regression_head &h)
    {
        step = 4 * LANES * h.rise + LANES / 16 * h.beyond;
#pragma unroll
        for (int k = 0; k < 4 && KIND == REGRESSION_OWN; k++)
            at[k] = regression_own_rise(h, (int32_t)(prim_lane() % LANES * 4 + k));
    }
    PRIM_MEMBER uint32_t point(const regression_head &h, int q, int k) const
    {
        return h.start + (KIND == REGRESSION_OWN ? at[k] + q * step : at[(4 * q + k) % N]);
    }
};

/* A plain block of residuals of at most K bits on its way: what the lane has loaded. */
template <int K, int LANES> struct regression_plain {
    static const int QUADS = TILE_BLOCK_MAX / 4 / LANES;
    bitpack_quad<K> quads[QUADS];

    PRIM_MEMBER void load(const uint32_t *words, const regression_head &h)
    {
        uint32_t w = regression_width(h.shape), slot = prim_lane() % LANES * 4;
#pragma unroll
        for (int q = 0; q < QUADS; q++) /* 4 * LANES slots are w * LANES / 8 words */
            quads[q].load(words + q * (LANES / 8) * w, h.at, slot * w, w);
    }
    template <int KIND, class TAKE>
    PRIM_MEMBER void docids(const regression_head &h, const regression_points<KIND, LANES> &line,
                            TAKE &take) const
    {
        uint32_t w = regression_width(h.shape);
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            uint32_t v[4];
            if (K <= 16)
                quads[q].products(w, v);
            else
                quads[q].values(w, v);
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] += line.point(h, q, k);
            take.four(h, (int32_t)(prim_lane() % LANES * 4 + q * 4 * LANES), v, true);
        }
    }
};

/* Plain blocks, U a lane, from block i on. Where many fit the registers, the compiler would bring
 * loads down to where they are used, and wait for each: they stay before a sync. */
template <int KIND, int K, int LANES, int U, class TAKE>
PRIM void regression_row(const regression_tile &t, uint32_t i, regression_points<KIND, LANES> &line,
                         TAKE &take)
{
    regression_plain<K, LANES> blocks[U];
    regression_head h[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        h[u] = t.scratch->heads[i + u * (32 / LANES) + prim_lane() / LANES];
        blocks[u].load(t.words, h[u]);
    }
    if (LANES < 32)
        prim_sync_tile();
#pragma unroll
    for (int u = 0; u < U; u++) {
        line.turn(h[u]);
        blocks[u].docids(h[u], line, take);
    }
}

/* Where slots are counted from: so many bytes before the residuals that a lane's four may begin
 * before slot 0. */
PRIM uint32_t regression_back(const regression_tile &t, const regression_head &h)
{
    return h.at >= REGRESSION_BACK && t.phase < 4 ? REGRESSION_BACK : 0;
}
/* The lane's first slot of any block: less than 0 in the first lane, where four of what is written
 * begin earlier. */
PRIM int32_t regression_first(const regression_tile &t, const regression_head &h)
{
    return (int32_t)(4 * prim_lane()) -
           (regression_back(t, h) ? (int32_t)((t.phase + h.begin) % 4) : 0);
}
template <int K>
PRIM void regression_load(const regression_tile &t, const regression_head &h, int32_t slot,
                          bitpack_quad<K> *quad)
{
    uint32_t w = regression_width(h.shape), back = regression_back(t, h);
    quad->load(t.words, h.at - back, (uint32_t)(slot * (int32_t)w) + 8 * back, w);
}

/* Four slots of any block, whose residuals are in v. */
template <int KIND, class TAKE>
PRIM void regression_four(const regression_tile &t, const regression_head &h, int32_t slot,
                          uint32_t v[4], TAKE &take)
{
    int32_t count = (int32_t)regression_count(h.shape);
    bool is_whole = slot >= 0 && slot + 4 <= count;
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] += regression_point<KIND>(t.line, h, slot + k);
    if (is_whole || (slot + 4 > 0 && slot < count))
        take.four(h, slot, v, is_whole);
}

/* Any block, 128 slots at a time. */
template <int KIND, class TAKE>
PRIM void regression_any(const regression_tile &t, const regression_head &h, TAKE &take)
{
    int32_t count = (int32_t)regression_count(h.shape), first = regression_first(t, h);
    bool has = regression_exceptions(h.shape);
    if (has)
        regression_place((uint64_t)(uintptr_t)t.words, h, t.scratch);
#pragma unroll 1
    for (int32_t slot = first; slot - (int32_t)prim_lane() * 4 < count; slot += 128) {
        bitpack_quad<32> quad = {};
        uint32_t v[4];
        if (slot + 4 > 0 && slot < count)
            regression_load(t, h, slot, &quad);
        quad.values(regression_width(h.shape), v);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (has && slot + k >= 0 && slot + k < count)
                v[k] += t.scratch->adds[slot + k];
        regression_four<KIND>(t, h, slot, v, take);
    }
    if (has)
        prim_sync_tile();
}

/* A block of any count and begin, of residuals of at most K bits and without exceptions, on its
 * way. */
template <int K> struct regression_loose {
    bitpack_quad<K> quads[2];

    PRIM_MEMBER void load(const regression_tile &t, const regression_head &h)
    {
        int32_t first = regression_first(t, h), count = (int32_t)regression_count(h.shape);
#pragma unroll
        for (int32_t q = 0; q < 2; q++)
            regression_load(t, h, first + 128 * q < count ? first + 128 * q : 0, &quads[q]);
    }
    template <int KIND, class TAKE>
    PRIM_MEMBER void docids(const regression_tile &t, const regression_head &h, TAKE &take) const
    {
        int32_t first = regression_first(t, h), count = (int32_t)regression_count(h.shape);
        int32_t before = (int32_t)(4 * prim_lane()) - first, last = TILE_BLOCK_MAX - before;
#pragma unroll
        for (int32_t q = 0; q < 2; q++)
            if (q == 0 || 128 - before < count) {
                uint32_t v[4];
                quads[q].values(regression_width(h.shape), v);
                regression_four<KIND>(t, h, first + 128 * q, v, take);
            }
        if (last < count) /* up to three slots more */
            rest<KIND>(t, h, last + (int32_t)prim_lane(), take);
    }
    template <int KIND, class TAKE>
    PRIM_MEMBER void rest(const regression_tile &t, const regression_head &h, int32_t slot,
                          TAKE &take) const
    {
        if (slot >= (int32_t)regression_count(h.shape))
            return;
        uint32_t w = regression_width(h.shape);
        uint32_t residual = bitpack_one({t.words + h.at / 4, h.at % 4 * 8}, (uint32_t)slot * w, w);
        take.one(h, slot, residual + regression_point<KIND>(t.line, h, slot));
    }
};

template <int KIND, int K, int U, class TAKE>
PRIM void regression_loose_row(const regression_tile &t, uint32_t i, TAKE &take)
{
    regression_loose<K> blocks[U];
    regression_head h[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        h[u] = t.scratch->heads[i + u];
        blocks[u].load(t, h[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++)
        blocks[u].template docids<KIND>(t, h[u], take);
}

/* While blocks from one byte to another are in work, those REGRESSION_AHEAD further on are on their
 * way: of large tiles, all of them at once would be too much for the second-level cache. */
PRIM void regression_ahead(const regression_tile &t, uint32_t from, uint32_t to)
{
    tile_prefetch((uint64_t)(uintptr_t)t.words, from + REGRESSION_AHEAD,
                  prim_min(to + REGRESSION_AHEAD, t.end), TILE_SECTOR);
}

/* With fewer LANES than 32 tiles may be large. */
template <int KIND, int CUT, int LANES, int U, class TAKE>
PRIM void regression_walk(const tile_view &of, uint32_t phase, TAKE &take)
{
    const uint32_t step = U * (32 / LANES), is_large = LANES < 32;
    regression_line list = regression_of_list<KIND>(of.docs, of.docs_bytes);
    regression_tile t = {
        prim_at<const uint32_t>(regression_words(of)), list, nullptr, of.blocks, 0, phase};
    t.scratch = is_large
                    ? regression_open<KIND, CUT>(of, list, REGRESSION_AHEAD, TILE_SECTOR, &t.end)
                    : regression_open<KIND, CUT>(of, list, TILE_AHEAD, TILE_LINE, &t.end);
    uint32_t shape = t.scratch->heads[prim_lane()].shape, w = regression_width(shape);
    bool is_plain =
        CUT == REGRESSION_BY_HASH ? regression_exceptions(shape) == 0 : regression_is_plain(shape);
    uint32_t not16 = ~prim_ballot<32>(is_plain && w <= 16),
             not21 = ~prim_ballot<32>(is_plain && w > 16 && w <= 21);
    regression_points<KIND, LANES> line;
    line.open(list);
#pragma unroll 1
    for (uint32_t i = 0; i < t.blocks; i += step, not16 >>= step, not21 >>= step) {
        if (is_large && i + step < t.blocks)
            regression_ahead(t, t.scratch->heads[i].at, t.scratch->heads[i + step].at);
        if (CUT == REGRESSION_BY_HASH && not16 % (1 << step) == 0)
            regression_loose_row<KIND, 16, U>(t, i, take);
        else if (CUT && not16 % (1 << step) == 0)
            regression_row<KIND, 16, LANES, U>(t, i, line, take);
        else if (CUT && !is_large && not21 % (1 << step) == 0)
            regression_row<KIND, 21, LANES, U>(t, i, line, take);
        else
#pragma unroll 1
            for (uint32_t k = i; k < prim_min(i + step, t.blocks); k++)
                regression_any<KIND>(t, t.scratch->heads[k], take);
    }
}

struct regression_writer {
    uint32_t *out, phase;

    PRIM_MEMBER void four(const regression_head &h, int32_t slot, const uint32_t *v, bool is_whole)
    {
        uint32_t *to = out + h.begin + slot;
        if (is_whole && (phase + h.begin + (uint32_t)slot) % 4 == 0) {
            tile_store_four(to, v);
            return;
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((uint32_t)(slot + k) < regression_count(h.shape))
                to[k] = v[k];
    }
    PRIM_MEMBER void one(const regression_head &h, int32_t slot, uint32_t docid)
    {
        out[h.begin + slot] = docid;
    }
};

/* Docids of this warp's tile to memory. Shared memory: a room a warp. */
template <int KIND, int CUT, int U> PRIM void regression_decode(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<CUT>(a, number);
    regression_writer take = {t.out, (uint32_t)((uintptr_t)t.out / 4 % 4)};
    regression_walk<KIND, CUT, 32, U>(t, take.phase, take);
}

struct regression_adder {
    uint32_t sum;

    PRIM_MEMBER void four(const regression_head &h, int32_t slot, const uint32_t *v, bool is_whole)
    {
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += is_whole || (uint32_t)(slot + k) < regression_count(h.shape) ? v[k] : 0;
    }
    PRIM_MEMBER void one(const regression_head &, int32_t, uint32_t docid)
    {
        sum += docid;
    }
};

/* Their sum, from registers: of all tiles that are this warp's. */
template <int KIND, int CUT, int LANES, int U> PRIM void regression_sum(const karg_decode &a)
{
    regression_adder take = {0};
    uint32_t warps = prim_grid_size() * prim_block_size() / 32;
    for (uint32_t number = tile_number(); number < a.n_tiles; number += warps) {
        regression_walk<KIND, CUT, LANES, U>(tile_open<CUT>(a, number), UINT32_MAX, take);
        prim_sync_tile(); /* heads are written anew */
    }
    uint32_t sum = scan_sum<32>(take.sum);
    if (prim_lane() == 0)
        prim_atomic_add(prim_at<uint32_t>(a.sum), sum);
}

#endif
