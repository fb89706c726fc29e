/* delta_decode.cuh: docids of blocks of up to 128 gaps less one, a warp a tile, four slots a lane:
 * the walk that kernels of codes made of gaps share.
 *
 * A lane reads the head of one block, and leaves it in shared memory, so that a head is read once
 * and not by all lanes. Then rows of U blocks: loads of all, then one after the other. Ballots over
 * the heads say whether all of a row are full and have lows of at most 8, or 16 bits; others are
 * taken one by one. A code is a struct with
 *   ROOM      bytes of shared memory that a block in work needs; rows have one room
 *   shape     of a head's first bytes: what lanes need of it, in a word, of which bits 0 to 5 are
 *             the width of the lows; 0, which is a block of zeros, where it does not fit its bytes
 *   head      what is left in shared memory: `keep` makes it of a delta_head; `kept` what a row has
 *             of it while it works, as `take` has it: delta_code has both as they are for most
 *   fetched   what a lane has loaded of a block of lows of at most K bits: load; docids, the lane's
 *             four.
 * Lanes past the last slot of a short block, or the last exception, read where the first is. */
#ifndef RP_KERNELS_DELTA_DECODE_CUH
#define RP_KERNELS_DELTA_DECODE_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/warp/decode_tiles.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"
#include "backend/gpu/kernels/prim/warp/tile.cuh"

enum { DELTA_BLOCKS = 32 }; /* of a tile at most: a lane each */

struct alignas(16) delta_head {
    uint32_t at;    /* byte after the block's head, from the list's first word */
    uint32_t shape; /* as the code has it */
    uint32_t base;  /* the docid before the first */
    /* postings in bits 0 to 7, bytes after the head, of which no more than 2^24 - 1, in the
     * others */
    uint32_t counts;
};

static_assert(DELTA_BLOCKS * sizeof(delta_head) == KARG_SHARED_HEADS, "as launches have it");

/* Heads as they are, in registers while a row works. */
struct delta_code {
    typedef delta_head head, kept;
    PRIM delta_head keep(const delta_head &h) { return h; }
    PRIM delta_head take(const delta_head *h) { return *h; }
    PRIM uint32_t count(const delta_head &h) { return h.counts & 255; }
};

/* Where the bits of a block are, for lanes: K is 32 for blocks that may have fewer than 128. */
template <int K> PRIM uint32_t delta_count(const delta_head &h)
{
    return K < 32 ? (uint32_t)KARG_BLOCK : h.counts & 255;
}
template <int K> PRIM uint32_t delta_low_bytes(const delta_head &h)
{
    uint32_t w = h.shape & 63;
    return K < 32 ? KARG_BLOCK / 8 * w : bitpack_bytes(delta_count<K>(h) * w);
}
PRIM uint32_t delta_bytes(const delta_head &h)
{
    return h.counts >> 8;
}
PRIM uint32_t delta_slot()
{
    return 4 * prim_lane();
}

/* The bit at which this lane's slots of w bits begin; 0 for lanes without any, so that they read
 * what is there. */
PRIM uint32_t delta_bit(uint32_t count, uint32_t w)
{
    return delta_slot() < count ? delta_slot() * w : 0;
}

/* The lane's lows. */
template <int K> struct delta_lows {
    bitpack_quad<K> quad;

    PRIM_MEMBER void load(const uint32_t *words, const delta_head &h)
    {
        uint32_t w = h.shape & 63;
        quad.load(words, h.at, delta_bit(delta_count<K>(h), w), w);
    }
    PRIM_MEMBER void values(const delta_head &h, uint32_t v[4]) const
    {
        quad.values(h.shape & 63, v);
    }
};

/* ---- Heads worked out ------------------------------------------------------------------------ */

/* Where what all lanes would work out of a head alike is much, the one who reads the head works it
 * out for them. What they load by: */
struct alignas(16) delta_where {
    uint32_t word; /* after the block's head, from the list's first */
    /* a byte each: bits of a low; of an exception's rank; of its part; exceptions, of which lane j
     * has number j */
    uint32_t fields;
    uint32_t bits;   /* where ranks begin, from `word` on; in the high half: where parts do */
    uint32_t counts; /* as in a delta_head */
};

/* And MASKS, what they take apart by. Both stay in shared memory. */
template <class MASKS> struct delta_worked {
    struct head {
        delta_where where;
        MASKS masks;
    };
    typedef const head *kept;
    PRIM const head *take(const head *h) { return h; }
    PRIM uint32_t count(const head *h) { return h->where.counts & 255; }
};

/* Of n exceptions; is_whole: parts begin at a byte. */
PRIM delta_where delta_where_of(const delta_head &h, uint32_t w, uint32_t rank, uint32_t part,
                                uint32_t n, bool is_whole)
{
    uint32_t ranks = h.at % 4 * 8 + 8 * bitpack_bytes((h.counts & 255) * w), bits = n * rank;
    uint32_t parts = ranks + (is_whole ? 8 * bitpack_bytes(bits) : bits);
    return {h.at / 4, w | rank << 8 | part << 16 | n << 24, ranks | parts << 16, h.counts};
}

/* The words of the lane's lows. */
template <int K>
PRIM void delta_load_lows(const uint32_t *words, const delta_where &at, bitpack_quad<K> *to)
{
    uint32_t w = prim_byte(at.fields, 0), count = at.counts & 255;
    /* lows of full blocks are whole words */
    uint32_t bit = K < 32 ? at.bits % 32 + delta_slot() * w
                          : at.bits % 65536 - 8 * bitpack_bytes(count * w) + delta_bit(count, w);
#pragma unroll
    for (int j = 0; j < bitpack_quad<K>::WINDOWS; j++, bit += 2 * w) {
        const uint32_t *from = words + (at.word + bit / 32);
        to->shift[j] = bit;
#pragma unroll
        for (int k = 0; k < bitpack_quad<K>::WORDS; k++)
            to->word[j][k] = prim_load(from + k);
    }
}
/* The bits from bit `bit` on. */
PRIM bitpack_pair delta_load_pair(const uint32_t *words, const delta_where &at, uint32_t bit)
{
    const uint32_t *from = words + (at.word + bit / 32);
    return {prim_load(from), prim_load(from + 1), bit};
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The lane's gaps less one become docids. */
PRIM void delta_sum(uint32_t base, uint32_t v[4])
{
#pragma unroll
    for (uint32_t k = 1; k < 4; k++)
        v[k] += v[k - 1] + 1;
    uint32_t all = v[3] + 1, before = scan_add_all<32>(all) - all + base + 1;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        v[k] += before;
}

/* The head of this lane's block; of no postings past the tile's last. OWN: the warp has the tile's
 * bytes on their way. */
template <class CODE, bool OWN, int CUT = KARG_BLOCK> PRIM delta_head delta_read(const tile_view &t)
{
    bool has = prim_lane() < t.blocks;
    uint32_t b = t.block + (has ? prim_lane() : 0), used = 0, base = tile_base(t, b);
    tile_place p = tile_block<CUT>(t, b);
    if (OWN)
        tile_prefetch_blocks(t, p.from, p.from + p.bytes, TILE_AHEAD, TILE_LINE);
    uint32_t first = p.bytes ? bitpack_word(bitpack_at(t.docs + p.from), 0) : 0;
    uint32_t shape = has && p.bytes ? CODE::shape(first, p.bytes, p.count, &used) : 0;
    uint32_t left = prim_min(p.bytes - prim_min(used, p.bytes), 0xFFFFFFU);
    return {((uint32_t)t.docs & 3) + p.from + (shape ? used : 0), shape, base,
            has ? p.count | left << 8 : 0};
}

/* Blocks whose heads are `heads`, U of them. */
template <class CODE, int K, int U>
PRIM void delta_row(const uint32_t *words, const typename CODE::head *heads, uint32_t *to,
                    unsigned char *scratch)
{
    typename CODE::template fetched<K> blocks[U];
    typename CODE::kept h[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        h[u] = CODE::take(heads + u);
        blocks[u].load(words, h[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        uint32_t v[4];
        blocks[u].docids(words, h[u], scratch, v);
        if (K < 32)
            tile_store_four(to + u * KARG_BLOCK + delta_slot(), v);
        else
            tile_store(to + u * KARG_BLOCK, delta_slot(), CODE::count(h[u]), v);
    }
}

/* Tile `number` of blocks of CUT postings. Shared memory of a warp: heads, then a room. */
template <class CODE, int U, bool OWN, int CUT = KARG_BLOCK>
PRIM void delta_tile(const karg_decode &a, uint32_t number)
{
    typedef typename CODE::head head;
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<CUT>(a, number);
    if (t.blocks > DELTA_BLOCKS)
        prim_trap();
    head *heads =
        (head *)(prim_shared() + prim_warp() * (DELTA_BLOCKS * sizeof(head) + CODE::SCRATCH_BYTES));
    unsigned char *scratch = (unsigned char *)(heads + DELTA_BLOCKS);
    delta_head mine = delta_read<CODE, OWN, CUT>(t);
    heads[prim_lane()] = CODE::keep(mine);
    uint32_t w = (mine.counts & 255) == KARG_BLOCK ? mine.shape & 63 : 32;
    uint32_t above8 = prim_ballot<32>(w > 8), above16 = prim_ballot<32>(w > 16);
    const uint32_t *words = prim_at<const uint32_t>(t.docs & ~(uint64_t)3);
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t i = 0; i < t.blocks; i += U, above8 >>= U, above16 >>= U) {
        uint32_t *to = t.out + i * CUT;
        if (CUT == KARG_BLOCK && above8 % (1 << U) == 0)
            delta_row<CODE, 8, U>(words, heads + i, to, scratch);
        else if (CUT == KARG_BLOCK && above16 % (1 << U) == 0)
            delta_row<CODE, 16, U>(words, heads + i, to, scratch);
        else
#pragma unroll 1
            for (uint32_t u = 0; u < U; u++)
                delta_row<CODE, 32, 1>(words, heads + i + u, to + u * CUT, scratch);
    }
}

template <class CODE, int U> PRIM void delta_decode(const karg_decode &a)
{
    delta_tile<CODE, U, true>(a, tile_number());
}

/* Whether tile `number` begins where segments do: its output is at a multiple of 16 bytes then. */
PRIM bool delta_is_cut(const karg_decode &a, uint32_t number)
{
    if (number >= a.n_tiles)
        return false;
    karg_tile tile = block_tile(a, number);
    const karg_list *list = prim_at<const karg_list>(a.lists) + tile.list;
    const uint32_t *first = prim_at<const uint32_t>(prim_load(&list->first));
    return !first || prim_load(&first[tile.block]) == tile.block * KARG_SEGMENT;
}

/* The same of segments, which half of the lanes decode. A tile that a damaged directory puts
 * elsewhere is passed over. */
template <class CODE> PRIM void delta_decode_segments(const karg_decode &a)
{
    if (delta_is_cut(a, tile_number()))
        delta_tile<CODE, 1, true, KARG_SEGMENT>(a, tile_number());
}

/* The same where the last warp of a block of threads has no tile but looks ahead
 * (decode_tiles.cuh). */
template <class CODE, int U, int AHEAD> PRIM void delta_decode_ahead(const karg_decode &a)
{
    uint32_t warps = prim_block_size() / 32 - 1, first = prim_block() * warps;
    if (prim_warp() == warps)
        block_ahead(a, first + AHEAD);
    else
        delta_tile<CODE, U, false>(a, first + prim_warp());
}

#endif
