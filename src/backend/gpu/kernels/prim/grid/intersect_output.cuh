/* intersect_output.cuh: the elements of a list A, E a thread: how a block loads them, and how those
 * that were found leave it, in order. */
#ifndef RP_KERNELS_INTERSECT_OUTPUT_CUH
#define RP_KERNELS_INTERSECT_OUTPUT_CUH

#include "backend/gpu/kernels/prim/grid/ordered_compaction.cuh"

/* A block's tile of A: its threads' E docids side by side. first: rank of the thread's own. */
template <int E> struct search_part {
    compact_tile tile;
    uint32_t first, x[E];
};

/* Words of shared memory of a block of `threads`. */
#define SEARCH_SHARED(threads, e) (COMPACT_SCRATCH + (threads) * (e))

template <int E> PRIM search_part<E> search_begin(const karg_intersect &a, uint32_t *shared)
{
    search_part<E> p;
    p.tile = {prim_block(), 0};
    if (a.out)
        p.tile = compact_begin(a.state, a.tiles, shared);
    const uint32_t *list = prim_at<const uint32_t>(a.a);
    p.first = (p.tile.number * prim_block_size() + prim_thread()) * E;
#pragma unroll
    for (int e = 0; e < E; e++)
        p.x[e] = ~0U;
    if (E == 4 && p.first < a.na) {
        uint4 v = prim_load_once((const uint4 *)(list + p.first));
        p.x[0] = v.x, p.x[1 % E] = v.y, p.x[2 % E] = v.z, p.x[3 % E] = v.w;
    } else if (E == 2 && p.first < a.na) {
        uint2 v = prim_load_once((const uint2 *)(list + p.first));
        p.x[0] = v.x, p.x[1 % E] = v.y;
    } else if (E == 1 && p.first < a.na) {
        p.x[0] = list[p.first];
    }
    return p;
}

/* A mark for each element, by rank. */
template <int E>
PRIM void search_mark(const karg_intersect &a, const search_part<E> &p, uint32_t hits)
{
    uint32_t word = hits << (prim_lane() * E & 31);
#pragma unroll
    for (uint32_t by = 1; by < 32 / E; by *= 2)
        word |= prim_shuffle_xor<32>(word, by);
    if (prim_lane() % (32 / E) == 0 && p.first < a.na)
        prim_at<uint32_t>(a.marks)[p.first / 32] = word;
}

PRIM void search_copy(uint64_t to, const uint32_t *staged, uint32_t n, uint32_t place,
                      uint32_t capacity)
{
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size())
        if (place + i < capacity)
            prim_at<uint32_t>(to)[place + i] = staged[i];
}

/* Where E values go among the hits of the block, and out from there. */
template <int E>
PRIM void search_write(const karg_intersect &a, uint64_t to, const uint32_t *values, uint32_t hits,
                       uint32_t before, uint32_t all, uint32_t place, uint32_t *staged)
{
    prim_sync();
#pragma unroll
    for (int e = 0; e < E; e++)
        if (hits >> e & 1)
            staged[before++] = values[e];
    prim_sync();
    search_copy(to, staged, all, place, a.capacity);
}

/* Ends a kernel: element e was found where ranks[e] is below nb. */
template <int E>
PRIM void search_end(const karg_intersect &a, const search_part<E> &p, const uint32_t *ranks,
                     uint32_t *shared)
{
    uint32_t hits = 0, all, *staged = shared + COMPACT_SCRATCH, a_ranks[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        hits |= (uint32_t)(p.first + e < a.na && ranks[e] < a.nb) << e;
        a_ranks[e] = p.first + e;
    }
    uint32_t before = scan_block(prim_count(hits), shared, &all);
    if (a.marks)
        search_mark<E>(a, p, hits);
    if (!a.out) {
        if (prim_thread() == 0)
            compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
        return;
    }
    prim_sync();
    uint32_t place = compact_before(a.state, p.tile, all, shared);
    search_write<E>(a, a.out, p.x, hits, before, all, place, staged);
    if (a.a_ranks)
        search_write<E>(a, a.a_ranks, a_ranks, hits, before, all, place, staged);
    if (a.b_ranks)
        search_write<E>(a, a.b_ranks, ranks, hits, before, all, place, staged);
    if (p.tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = place + all;
}

#endif
