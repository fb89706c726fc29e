/* decode_qs_merged.cu: docids of lists in qs, to device memory, all steps in one launch: the
 * directory says where a block's high bits begin, so that ends are counted within a block alone,
 * and nothing goes to device memory and back. One warp: a tile, U blocks of 128 at a time, four
 * slots a lane, and a 32nd of the block's high bits. Reads word by word, neighbours together;
 * writes 16 bytes a lane. Shared: U x 512 bytes a warp.
 * Limits: any bytes; high bits are read within the payload, ends past a block are none.
 * Source: ours, of the steps of Li 2014, 5.2, whose prefix sum over the whole list it does without
 * (decode_qs_li.cu has that). */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { WINDOW = 1024 }; /* high bits that a warp looks at together */

struct alignas(16) qs_scratch {
    uint32_t highs[KARG_BLOCK]; /* ones before each slot's end, from the block's first bit on */
};

static_assert(sizeof(qs_scratch) == KARG_SHARED_QS, "as launches have it");

/* A block; of no postings: nothing is read. */
struct qs_block {
    uint32_t number, count;
    uint64_t from, to; /* its high bits */
};

PRIM qs_block read_block(const tile_view &t, const qs_view &v, uint32_t b)
{
    const uint32_t *last = prim_at<const uint32_t>(t.last);
    uint32_t count = prim_min(t.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
    uint64_t first = (uint64_t)b * KARG_BLOCK, from = first, to = v.bits;
    if (t.last) {
        from += b ? prim_load(last + b - 1) >> v.l : 0;
        to = first + count + (prim_load(last + b) >> v.l);
    }
    bool is_sound = from <= to && to <= v.bits;
    return {b, is_sound ? count : 0, is_sound ? from : 0, is_sound ? to : 0};
}

PRIM qs_block block_of_lane(const qs_block &mine, uint32_t lane)
{
    qs_block h;
    h.number = prim_shuffle<32>(mine.number, lane);
    h.count = prim_shuffle<32>(mine.count, lane);
    h.from = prim_shuffle<32>(mine.from, lane);
    h.to = h.from + prim_shuffle<32>((uint32_t)(mine.to - mine.from), lane);
    return h;
}

struct qs_slots {
    qs_block block;
    bitpack_four lows;
    uint32_t part, ends; /* bits a lane looks at; of them, ends */

    PRIM_MEMBER void open(const qs_view &v, const qs_block &of)
    {
        block = of;
        lows = bitpack_load(lows_at(v), delta_bit(of.count, v.l));
        look(v, 0);
    }
    PRIM_MEMBER bitpack_bits lows_at(const qs_view &v)
    {
        return bitpack_at(v.low + (uint64_t)block.number * (KARG_BLOCK / 8) * v.l);
    }
    /* The window from this bit of the block on. */
    PRIM_MEMBER void look(const qs_view &v, uint32_t begin)
    {
        uint32_t left = (uint32_t)(block.to - block.from) - begin,
                 bits = prim_min(left, (uint32_t)WINDOW);
        part = (bits + 31) / 32;
        uint32_t from = prim_min(prim_lane() * part, bits), here = prim_min(bits - from, part);
        uint64_t bit = block.from + begin + from;
        uint32_t word = here ? bitpack_word(bitpack_at(v.high + bit / 8), (uint32_t)bit % 8) : 0;
        ends = ~word & prim_mask(here);
    }
    PRIM_MEMBER void place(const qs_view &v, qs_scratch *scratch)
    {
        uint32_t bits = (uint32_t)(block.to - block.from), rank = 0;
        for (uint32_t begin = 0; begin < bits && rank < block.count; begin += WINDOW) {
            if (begin)
                look(v, begin);
            uint32_t n = prim_count(ends), up_to = scan_add<32>(n), at = rank + up_to - n;
            uint32_t less = begin + prim_lane() * part - at;
            for (uint32_t x = ends; x && at < KARG_BLOCK; x &= x - 1, at++, less--)
                scratch->highs[at] = less + prim_lowest(x);
            rank += prim_shuffle<32>(up_to, 31);
        }
    }
    PRIM_MEMBER void docids(const qs_view &v, const qs_scratch *scratch, uint32_t docid[4])
    {
        uint32_t before = (uint32_t)(block.from - (uint64_t)block.number * KARG_BLOCK);
        uint4 highs = ((const uint4 *)scratch->highs)[prim_lane()];
        bitpack_values(lows, lows_at(v), delta_bit(block.count, v.l), v.l, docid);
        docid[0] |= (before + highs.x) << v.l;
        docid[1] |= (before + highs.y) << v.l;
        docid[2] |= (before + highs.z) << v.l;
        docid[3] |= (before + highs.w) << v.l;
    }
};

template <int U>
PRIM void decode_step(const qs_view &v, const qs_block &mine, uint32_t k, uint32_t *to,
                      qs_scratch *scratch)
{
    qs_slots slots[U] = {};
#pragma unroll
    for (uint32_t u = 0; u < U; u++)
        slots[u].open(v, block_of_lane(mine, (k + u) % 32));
#pragma unroll
    for (uint32_t u = 0; u < U; u++)
        slots[u].place(v, &scratch[u]);
    prim_sync_tile();
#pragma unroll
    for (uint32_t u = 0; u < U; u++) {
        uint32_t docid[4];
        slots[u].docids(v, &scratch[u], docid);
        tile_store(to + u * KARG_BLOCK, delta_slot(), slots[u].block.count, docid);
    }
    prim_sync_tile();
}

template <int U> PRIM void decode_tile(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, number);
    uint32_t last = t.last ? prim_load(prim_at<const uint32_t>(t.last) + t.n_blocks - 1) : 0;
    qs_view v = qs_open(t.docs, t.docs_bytes, t.n, t.last != 0, last);
    qs_scratch *scratch = (qs_scratch *)prim_shared() + prim_warp() * U;
    for (uint32_t from = 0; from < t.blocks; from += 32) {
        uint32_t n = prim_min(t.blocks - from, 32U);
        qs_block mine = {t.block, 0, 0, 0};
        if (prim_lane() < n)
            mine = read_block(t, v, t.block + from + prim_lane());
        for (uint32_t k = 0; k < n; k += U)
            decode_step<U>(v, mine, k, t.out + (from + k) * KARG_BLOCK, scratch);
    }
}

RP_KERNEL(decode_qs_merged_x2_kernel, karg_decode)
{
    decode_tile<2>(a);
}
RP_KERNEL(decode_qs_merged_x1_kernel, karg_decode)
{
    decode_tile<1>(a);
}
