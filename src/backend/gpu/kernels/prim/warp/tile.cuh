/* tile.cuh: a warp's tile of a list: where its blocks lie, in bytes that are not trusted.
 *
 * The list's record and the tile are the host's, and sound; the directory and the payload are not.
 * A block whose directory entries cannot be has no postings, and no bytes. So what is read lies in
 * the payload, and what is written in the tile's room. */
#ifndef RP_KERNELS_TILE_CUH
#define RP_KERNELS_TILE_CUH

#include "backend/gpu/kernels/prim/thread/near_offset.cuh"

enum {
    TILE_BLOCK_MAX = 256,  /* postings of the largest block */
    TILE_LINE = 128,       /* bytes of a line of the second-level cache, */
    TILE_SECTOR = 32,      /* and of what is surely brought of it */
    TILE_AHEAD = 32 << 10, /* of a tile's payload, at most, before any block is looked at */
};

struct tile_view {
    uint64_t docs, last, offsets, first; /* of the list */
    uint32_t n, n_blocks, docs_bytes;
    uint32_t block, blocks;   /* the tile's first block, and how many */
    uint32_t begin, capacity; /* rank of its first posting; how many it has */
    uint32_t *out;            /* where that goes */
};

/* Of one block. */
struct tile_place {
    uint32_t begin, count;
    uint32_t from, bytes; /* in the payload */
};

/* The rank of block b's first posting. CUT: blocks have so many postings; 0: as `first` says. */
template <int CUT> PRIM uint32_t tile_begin(const tile_view &t, uint32_t b)
{
    if (b >= t.n_blocks)
        return t.n;
    return CUT       ? b * CUT
           : t.first ? prim_load(prim_at<const uint32_t>(t.first) + b)
                     : b * KARG_BLOCK;
}

template <int CUT> PRIM tile_view tile_open(const karg_decode &a, uint32_t number)
{
    const karg_tile *tile = prim_at<const karg_tile>(a.tiles) + number;
    const karg_list *list = prim_at<const karg_list>(a.lists) + prim_load(&tile->list);
    tile_view t;
    t.docs = prim_load(&list->docs);
    t.last = prim_load(&list->last);
    t.offsets = prim_load(&list->offsets);
    t.first = CUT ? 0 : prim_load(&list->first);
    t.n = prim_load(&list->n);
    t.n_blocks = prim_load(&list->n_blocks);
    t.docs_bytes = prim_load(&list->docs_bytes);
    t.block = prim_load(&tile->block);
    t.blocks = prim_load(&tile->n);
    t.capacity = prim_load(&tile->capacity);
    t.begin = tile_begin<CUT>(t, t.block);
    t.out = prim_at<uint32_t>(a.docids) + prim_load(&tile->out);
    return t;
}

PRIM uint32_t tile_base(const tile_view &t, uint32_t b)
{
    return b ? prim_load(prim_at<const uint32_t>(t.last) + b - 1) : UINT32_MAX;
}

template <int CUT> PRIM tile_place tile_block(const tile_view &t, uint32_t b)
{
    uint32_t from = t.offsets ? near_offset(t.offsets, b) : 0;
    uint32_t to = t.offsets && b + 1 < t.n_blocks ? near_offset(t.offsets, b + 1) : t.docs_bytes;
    uint32_t begin = tile_begin<CUT>(t, b),
             next = CUT ? prim_min(begin + CUT, t.n) : tile_begin<CUT>(t, b + 1);
    bool is_sound = from <= to && to <= t.docs_bytes && next - t.begin <= t.capacity;
    if (!CUT)
        is_sound = is_sound && t.begin <= begin && begin <= next && next - begin <= TILE_BLOCK_MAX;
    return {begin, is_sound ? next - begin : 0, is_sound ? from : 0, is_sound ? to - from : 0};
}

/* Bytes `from` to `to` - 1 of what begins at an address, on their way to the second-level cache
 * before the warp comes to them, by one request for each `step` bytes. */
PRIM void tile_prefetch(uint64_t at, uint32_t from, uint32_t to, uint32_t step)
{
#pragma unroll 1
    for (uint32_t byte = from + prim_lane() * step; byte < to; byte += 32 * step)
        prim_prefetch(prim_at<const void>(at + byte));
}
/* The payload from the block of lane 0 to that of the tile's last lane, these lanes' being bytes
 * `from` to `to` - 1; no more than `most` of it. Returns the end of all. */
PRIM uint32_t tile_prefetch_blocks(const tile_view &t, uint32_t from, uint32_t to, uint32_t limit,
                                   uint32_t step)
{
    uint32_t begin = prim_shuffle<32>(from, 0),
             end = prim_min(prim_shuffle<32>(to, t.blocks - 1), t.docs_bytes);
    tile_prefetch(t.docs, begin, end - begin < limit ? end : begin + limit, step);
    return end;
}

/* Which warp of the grid this is: its tile's number. */
PRIM uint32_t tile_number()
{
    return (prim_block() * prim_block_size() + prim_thread()) / 32;
}

/* To a multiple of 16 bytes. */
PRIM void tile_store_four(uint32_t *to, const uint32_t v[4])
{
    prim_store_once((uint4 *)to, make_uint4(v[0], v[1], v[2], v[3]));
}

/* Slots i to i + 3 of a block of `count`; i, and where the block goes, are multiples of 4. */
PRIM void tile_store(uint32_t *to, uint32_t i, uint32_t count, const uint32_t v[4])
{
    if (i + 4 <= count) {
        tile_store_four(to + i, v);
        return;
    }
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (i + k < count)
            to[i + k] = v[k];
}

#endif
