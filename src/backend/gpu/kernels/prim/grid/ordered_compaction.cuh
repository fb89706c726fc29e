/* ordered_compaction.cuh: results in order, in one pass: what tiles have found, one after the
 * other.
 *
 * A block takes the next tile by a ticket, so that blocks of all earlier tiles have begun; it makes
 * known how much it found, adds up what stands before it, and writes. The state is u64: 0 the
 * ticket below, the epoch above; 1 a sum below, how many blocks came above; then a word a tile. It
 * is zero before its first launch, and every launch leaves it ready for the next: an epoch tells a
 * tile's word from those of other launches. (An epoch has 31 bits: who launches 2^31 times with a
 * state clears it once in a while.) */
#ifndef RP_KERNELS_ORDERED_COMPACTION_CUH
#define RP_KERNELS_ORDERED_COMPACTION_CUH

#include "backend/gpu/kernels/prim/warp/scan.cuh"

enum {
    COMPACT_SCRATCH = KARG_SCRATCH, /* words of shared memory that calls below share */
    COMPACT_FIRST = 2,              /* the word of tile 0 */
};

typedef struct compact_tile {
    uint32_t number, epoch;
} compact_tile;

/* The block's tile. All threads of the block come to it, as to all below. */
PRIM compact_tile compact_begin(uint64_t state, uint32_t tiles, uint32_t *scratch)
{
    if (prim_thread() == 0) {
        uint64_t *words = prim_at<uint64_t>(state), drawn = prim_atomic_add64(words, 1);
        if ((uint32_t)drawn == tiles - 1) /* nobody draws any more: the next launch's begin */
            prim_atomic_add64(words, (1ULL << 32) - tiles);
        scratch[0] = (uint32_t)drawn;
        scratch[1] = (uint32_t)(drawn >> 32);
    }
    prim_sync();
    compact_tile tile = {scratch[0], scratch[1]};
    prim_sync();
    return tile;
}

/* A tile's word: what it has found (or, bit 32, it and all before it), once it bears the epoch,
 * counted from 1: a word that was never written bears none. */
PRIM uint64_t compact_word(compact_tile tile, bool is_all, uint32_t n)
{
    return (uint64_t)(tile.epoch + 1) << 33 | (uint64_t)is_all << 32 | n;
}

PRIM uint64_t compact_look(const uint64_t *at, compact_tile tile)
{
    uint64_t word;
    do
        word = prim_look64(at);
    while ((word ^ compact_word(tile, false, 0)) >> 33);
    return word;
}

/* Adds up the words of the tiles before `end`, one a thread, back to one that has all before it. */
PRIM bool compact_look_back(const uint64_t *words, compact_tile tile, uint32_t end,
                            uint32_t *scratch, uint32_t *sum)
{
    uint32_t i = prim_thread(), warps = prim_block_size() / 32;
    uint64_t word = i < end ? compact_look(&words[end - 1 - i], tile) : 1ULL << 32;
    uint32_t ends = prim_ballot<32>(word >> 32 & 1), n = (uint32_t)word;
    uint32_t of_warp = scan_sum<32>(ends && prim_lane() > prim_lowest(ends) ? 0 : n);
    if (prim_lane() == 0) {
        scratch[2 * prim_warp()] = of_warp;
        scratch[2 * prim_warp() + 1] = ends;
    }
    prim_sync();
    bool is_warp = prim_lane() < warps;
    ends = prim_ballot<32>(is_warp && scratch[2 * prim_lane() + 1]);
    bool is_done = ends != 0;
    *sum += scan_sum<32>(is_warp && prim_lane() <= (is_done ? prim_lowest(ends) : 31)
                             ? scratch[2 * prim_lane()]
                             : 0);
    prim_sync();
    return is_done;
}

/* Makes known that this tile has found n. */
PRIM void compact_tell(uint64_t state, compact_tile tile, uint32_t n)
{
    if (prim_thread() == 0 && tile.number > 0)
        prim_store_now64(prim_at<uint64_t>(state) + COMPACT_FIRST + tile.number,
                         compact_word(tile, false, n));
}

/* How much all tiles before this one have found, this one having published n. */
PRIM uint32_t compact_after_telling(uint64_t state, compact_tile tile, uint32_t n,
                                    uint32_t *scratch)
{
    uint64_t *words = prim_at<uint64_t>(state) + COMPACT_FIRST;
    uint32_t before = 0, end = tile.number;
    while (!compact_look_back(words, tile, end, scratch, &before))
        end -= prim_block_size();
    if (prim_thread() == 0)
        prim_store_now64(&words[tile.number], compact_word(tile, true, before + n));
    return before;
}

/* The same at once. */
PRIM uint32_t compact_before(uint64_t state, compact_tile tile, uint32_t n, uint32_t *scratch)
{
    compact_tell(state, tile, n);
    return compact_after_telling(state, tile, n, scratch);
}

/* Without order and without tickets: the sum of all blocks' n, to *count by the last of them. One
 * thread of each block comes to it. */
PRIM void compact_total(uint64_t state, uint32_t blocks, uint32_t n, uint32_t *count)
{
    uint64_t *sum = prim_at<uint64_t>(state) + 1;
    uint64_t was = prim_atomic_add64(sum, 1ULL << 32 | n);
    if (was >> 32 == blocks - 1) {
        *count = (uint32_t)was + n;
        prim_store_now64(sum, 0);
    }
}

/* ---- Bits ------------------------------------------------------------------------------------ */

/* By a warp: how many bits stand before each of the words, to `places`. */
PRIM void compact_count_bits(const uint32_t *bits, uint32_t *places, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = prim_lane(); i < n; i += 32) {
        uint32_t up_to = scan_add<32>(prim_count(bits[i]));
        places[i] = sum + up_to - prim_count(bits[i]);
        sum += prim_shuffle<32>(up_to, 31);
    }
}

enum { COMPACT_STAGED = KARG_STAGED }; /* words of shared memory that a warp stages 1,024 bits in */

/* What a lane has of a warp's bits: `n` of words of 16 bytes from number `first` on; how many bits
 * lie before them in the warp, and how many the warp has. */
struct compact_part {
    uint32_t first, n, before, all;
};

PRIM uint32_t compact_count_four(uint4 v)
{
    return prim_count(v.x) + prim_count(v.y) + prim_count(v.z) + prim_count(v.w);
}

template <class Bits> PRIM compact_part compact_open(Bits bits, uint32_t n)
{
    uint32_t each = prim_div_up(n, prim_block_size()), first = prim_min(each * prim_thread(), n),
             count = 0;
    compact_part p = {first, prim_min(each, n - first), 0, 0};
    for (uint32_t i = 0; i < p.n; i++)
        count += compact_count_four(bits(first + i));
    uint32_t up_to = scan_add<32>(count);
    p.before = up_to - count;
    p.all = prim_shuffle<32>(up_to, 31);
    return p;
}

/* By a warp: the places of its bits from number `from` on, as many as have room, to `staged`: word
 * and bit, counted from the warp's first word of 16 bytes on. */
template <class Bits>
PRIM void compact_stage(Bits bits, const compact_part &p, uint32_t from, uint16_t *staged)
{
    uint32_t k = p.before - from, origin = 128 * (p.first - prim_shuffle<32>(p.first, 0));
    for (uint32_t i = 0; i < p.n; i++) {
        uint4 v = bits(p.first + i);
        uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (uint32_t w = 0; w < 4; w++)
            for (uint32_t word = words[w]; word; word &= word - 1, k++)
                if (k < 2 * COMPACT_STAGED)
                    staged[k] = (uint16_t)(origin + 128 * i + 32 * w + prim_lowest(word));
    }
    prim_sync_tile();
}

/* The bits of n words of 16 bytes, bits(i): put(place, number of the bit) for each, places counting
 * on from tile to tile. `staged`: COMPACT_STAGED words a warp. Returns the place after the last, to
 * all. A lane has words that follow each other, so that one scan is enough; what it finds lies side
 * by side in `staged`, so that all lanes put at once. The first of them are staged while what
 * others have found is on its way. A warp has at most 65,536 bits. */
template <class Bits, class Put>
PRIM uint32_t compact_bits(uint64_t state, compact_tile tile, Bits bits, uint32_t n,
                           uint32_t *staged, uint32_t *scratch, Put put)
{
    const uint32_t capacity = 2 * COMPACT_STAGED;
    uint32_t warps = prim_block_size() / 32;
    uint16_t *own = (uint16_t *)(staged + prim_warp() * COMPACT_STAGED);
    compact_part p = compact_open(bits, n);
    if (prim_lane() == 0)
        scratch[prim_warp()] = p.all;
    prim_sync();
    uint32_t up_to = scan_add<32>(prim_lane() < warps ? scratch[prim_lane()] : 0);
    uint32_t before = prim_shuffle<32>(up_to, prim_warp()) - p.all,
             all = prim_shuffle<32>(up_to, 31);
    compact_tell(state, tile, all);
    compact_stage(bits, p, 0, own);
    prim_sync();
    uint32_t start = compact_after_telling(state, tile, all, scratch), place = start + before;
    uint32_t origin = 128 * prim_shuffle<32>(p.first, 0);
    for (uint32_t from = 0; from < p.all; from += capacity) {
        if (from)
            compact_stage(bits, p, from, own);
        for (uint32_t k = prim_lane(); k < prim_min(p.all - from, capacity); k += 32)
            put(place + from + k, origin + own[k]);
        prim_sync_tile();
    }
    return start + all;
}

#endif
