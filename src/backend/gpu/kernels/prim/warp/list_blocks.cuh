/* list_blocks.cuh: blocks of lists for whole warps: tiles, the directory, and a walk over the
 * blocks of a tile.
 *
 * A code is a struct with static members: `head` finds a block, by one lane; `key` says how wide
 * its values are; WIDEST is 8 if there is no other way between that for 8 bits and that for any;
 * SCRATCH: bytes of shared memory; `fetched` holds what a lane has loaded of a row of blocks,
 * `docids` makes V docids a lane of it. A row is as many blocks as have room in a warp: LANES lanes
 * each. Lane p of a block has slots in runs of RUN (or V, if that is less): run r begins at slot (r
 * * LANES + p) * RUN. So loads of several rows are in flight before the first is looked at. Scratch
 * is used in turns: what a lane reads of one half is written again only after the sync of the
 * other.
 *
 * Safe on any bytes: `head` proves that a block lies in the list's docs_bytes, or makes it one of
 * width 0; lanes whose first slot is past the count read where slot 0 is. What they load past a
 * block is less than RP_PAD. */
#ifndef RP_KERNELS_LIST_BLOCKS_CUH
#define RP_KERNELS_LIST_BLOCKS_CUH

#include "backend/gpu/kernels/prim/thread/near_offset.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"

enum {
    BLOCK_HEADS = 32 * 16, /* bytes of shared memory that a walk needs */
    BLOCK_BYTES = 5 * 128, /* of which no block of 128 has more */
};

/* A karg_list for reading. */
struct block_list {
    /* holds the first byte of the docids, byte `phase`; aligned to 16 bytes */
    const uint32_t *words;
    const uint32_t *last, *first;
    uint64_t offsets;
    uint32_t phase, docs_bytes, n, n_blocks;
    template <class T> static PRIM_MEMBER T load(const T *at) { return prim_load(at); }
};

PRIM block_list block_list_open(const karg_list *from)
{
    uint64_t docs = prim_load(&from->docs);
    block_list list;
    list.words = prim_at<const uint32_t>(docs & ~UINT64_C(15));
    list.phase = (uint32_t)docs & 15;
    list.last = prim_at<const uint32_t>(prim_load(&from->last));
    list.offsets = prim_load(&from->offsets);
    list.first = prim_at<const uint32_t>(prim_load(&from->first));
    list.docs_bytes = prim_load(&from->docs_bytes);
    list.n = prim_load(&from->n);
    list.n_blocks = prim_load(&from->n_blocks);
    return list;
}

/* What a lane finds out about a block. */
struct alignas(16) block_head {
    uint32_t at;    /* byte of the payload, from the list's first word */
    uint32_t shape; /* of the code: widths; 0: nothing is read */
    uint32_t base;  /* the least docid that may come */
    uint32_t count; /* postings; 0: no block. Of some codes with more in the high half */
};

PRIM uint32_t block_byte(const block_list &list, uint32_t at)
{
    return prim_load((const uint8_t *)list.words + at);
}

/* The payload of a code that is made of words, and begins with one. */
PRIM const uint32_t *block_words(const block_list &list)
{
    return list.words + list.phase / 4;
}

PRIM uint32_t block_base(const block_list &list, uint32_t b)
{
    return b && list.last ? prim_load(&list.last[b - 1]) + 1 : 0;
}

/* Postings of block b of a codec that cuts every KARG_BLOCK. */
PRIM uint32_t block_count(const block_list &list, uint32_t b)
{
    uint32_t rank = b * KARG_BLOCK;
    return b < list.n_blocks && rank < list.n ? prim_min<uint32_t>(list.n - rank, KARG_BLOCK) : 0;
}

/* Has bytes `from` to `to` - 1 of the payload, which are inside, on their way while the heads are
 * looked at. */
PRIM void block_prefetch(const block_list &list, uint32_t from, uint32_t to)
{
    to = prim_min<uint32_t>(to, from + BLOCK_BYTES);
    for (uint32_t at = from; at < to; at += 128)
        prim_prefetch((const uint8_t *)list.words + list.phase + at);
}

/* Where the bytes of block b begin and end. False: not inside the payload. */
PRIM bool block_bounds(const block_list &list, uint32_t b, uint32_t *from, uint32_t *to)
{
    bool has = list.offsets != 0;
    *from = has ? near_offset(list.offsets, b) : 0;
    *to = has && b + 1 < list.n_blocks ? near_offset(list.offsets, b + 1) : list.docs_bytes;
    return *from < *to && *to <= list.docs_bytes;
}

/* The same; they are on their way then. */
PRIM bool block_bytes(const block_list &list, uint32_t b, uint32_t *from, uint32_t *to)
{
    bool is_inside = block_bounds(list, b, from, to);
    if (is_inside)
        block_prefetch(list, *from, *to);
    return is_inside;
}

/* Ways to decode a row: of values of up to 8 bits, of up to 16; blocks are full then. And of any
 * blocks. */
static const uint32_t BLOCK_ANY = 32;

/* Slots that a lane has side by side. */
template <class CODE, int V> PRIM constexpr uint32_t block_run()
{
    return V < CODE::RUN ? V : CODE::RUN;
}

/* The next rows of a walk: from block i of the tile on, decoded in the way K. For each run `take`
 * gets the number of a block in the tile, its head, the run's first slot in it, the docids of its
 * slots, and how many of these there are. */
template <class CODE, int V, int LANES, int ROWS, uint32_t K, class SOURCE, class TAKE>
PRIM void block_rows(const SOURCE &in, const block_head (&head)[ROWS], uint32_t i,
                     unsigned char *scratch, TAKE take)
{
    typename CODE::template fetched<V, LANES, K> words[ROWS];
    const uint32_t run = block_run<CODE, V>();
    uint32_t first = prim_lane() % LANES * run, turn = ROWS > 1 ? 0 : i / (32 / LANES);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        words[r].load(in, head[r], first);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t docids[V], count = head[r].count % 65536;
        words[r].docids(in, head[r], first, scratch + (turn + r) % 2 * CODE::SCRATCH, docids);
#pragma unroll
        for (uint32_t k = 0; k < V; k += run) {
            uint32_t slot = first + k * LANES;
            take(i + r * (32 / LANES) + prim_lane() / LANES, head[r], slot, docids + k,
                 K < BLOCK_ANY || slot + run <= count ? run
                 : slot < count                       ? count - slot
                                                      : 0);
        }
    }
}

/* One block, by a warp: lane l has the docids of slots l*V to l*V + V - 1 (V: 4; of iiu 8),
 * UINT32_MAX past the last. Returns how many the block has. `scratch`: CODE::SCRATCH bytes that no
 * lane still reads. */
template <class CODE, int V>
PRIM uint32_t block_one(const block_list &list, uint32_t b, unsigned char *scratch,
                        uint32_t *docids)
{
    const block_head head[1] = {CODE::head(list, b)};
    uint32_t count = head[0].count % 65536, key = count == V * 32 ? CODE::key(head[0]) : BLOCK_ANY;
    auto take = [&](uint32_t, const block_head &, uint32_t, const uint32_t *from, uint32_t n) {
#pragma unroll
        for (uint32_t k = 0; k < V; k++)
            docids[k] = k < n ? from[k] : UINT32_MAX;
    };
    if (key <= 8)
        block_rows<CODE, V, 32, 1, 8>(list, head, 0, scratch, take);
    else if (CODE::WIDEST > 8 && key <= 16)
        block_rows<CODE, V, 32, 1, 16>(list, head, 0, scratch, take);
    else
        block_rows<CODE, V, 32, 1, BLOCK_ANY>(list, head, 0, scratch, take);
    return count;
}

/* The blocks of lanes p to p + n - 1, which are those from `first` on of the tile, ROWS rows at a
 * time; `mine` is all zeros in other lanes. `shared`: BLOCK_HEADS + 2 * CODE::SCRATCH bytes. */
template <class CODE, int V, int LANES, int ROWS, class SOURCE, class TAKE>
PRIM void block_turns(const SOURCE &in, const block_head &mine, uint32_t p, uint32_t n,
                      uint32_t first, unsigned char *shared, TAKE take)
{
    const uint32_t step = ROWS * (32 / LANES);
    block_head *heads = (block_head *)shared;
    unsigned char *scratch = shared + BLOCK_HEADS;
    uint32_t key = mine.count % 65536 == V * LANES ? CODE::key(mine) : BLOCK_ANY;
    uint32_t above8 = prim_ballot<32>(key > 8) >> p, above16 = prim_ballot<32>(key > 16) >> p;
    heads[(prim_lane() - p) % 32] = mine;
    prim_sync_tile();
    for (uint32_t i = 0; i < n; i += step, above8 >>= step, above16 >>= step) {
        block_head head[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            head[r] = heads[i + r * (32 / LANES) + prim_lane() / LANES];
        if (above8 % (1 << step) == 0)
            block_rows<CODE, V, LANES, ROWS, 8>(in, head, first + i, scratch, take);
        else if (CODE::WIDEST > 8 && above16 % (1 << step) == 0)
            block_rows<CODE, V, LANES, ROWS, 16>(in, head, first + i, scratch, take);
        else /* rare, and held in many registers: row by row */
#pragma unroll 1
            for (uint32_t r = i; r < i + step; r += 32 / LANES) {
                block_head one[1] = {heads[r + prim_lane() / LANES]};
                block_rows<CODE, V, LANES, 1, BLOCK_ANY>(in, one, first + r, scratch, take);
            }
    }
    prim_sync_tile();
}

/* A walk over all blocks of a tile. */
template <class C, int VALUES, int LANES, int ROWS> struct block_walk {
    typedef C CODE;
    /* bytes of the warp's own, aligned to 16 */
    static const int V = VALUES, SHARED = BLOCK_HEADS + 2 * C::SCRATCH;

    template <class TAKE>
    static PRIM_MEMBER void over(const block_list &list, const karg_tile &tile,
                                 unsigned char *shared, TAKE take)
    {
        for (uint32_t from = 0; from < tile.n; from += 32) {
            uint32_t n = prim_min<uint32_t>(tile.n - from, 32);
            block_head mine = {0, 0, 0, 0};
            if (prim_lane() < n)
                mine = C::head(list, tile.block + from + prim_lane());
            block_turns<C, V, LANES, ROWS>(list, mine, 0, n, from, shared, take);
        }
    }
};

#endif
