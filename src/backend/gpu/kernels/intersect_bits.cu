/* intersect_bits.cu: dense lists as bits: A's docids looked up in the bits of B; and bits AND bits.
 * One thread: four elements of A, or 128 bits. One block: a tile of A, or of the universe.
 * Reads A or both bitmaps once, coalesced; of b_bits a word an element; writes hits staged in shared memory, the
 * AND as it is (marks), or its docids by way of shared memory.
 * Docids at or above the universe are not there, and the AND's docids stay within the room: any content is safe.
 * Source: the rule of the densest lists, Ding et al. 2009 and others. */
#include "backend/gpu/kernels/prim/search.cuh"

enum { BITS_EACH = 4, BITS_LOADS = 1 }; /* elements, and loads of 16 bytes, a thread */

RP_KERNEL(intersect_bits_probe_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), words[BITS_EACH], rank[BITS_EACH];
    const uint32_t *bits = prim_at<const uint32_t>(a.b_bits);
    search_part<BITS_EACH> p = search_begin<BITS_EACH>(a, shared);
#pragma unroll
    for (int e = 0; e < BITS_EACH; e++)
        words[e] = p.x[e] < a.universe ? prim_load(&bits[p.x[e] / 32]) : 0;
#pragma unroll
    for (int e = 0; e < BITS_EACH; e++)
        rank[e] = words[e] >> (p.x[e] & 31) & 1 ? 0 : a.nb;
    search_end<BITS_EACH>(a, p, rank, shared);
}

PRIM uint4 bits_and(uint4 p, uint4 q)
{
    return make_uint4(p.x & q.x, p.y & q.y, p.z & q.z, p.w & q.w);
}

/* The AND of the tile, to v; those past the end are 0. */
PRIM void bits_read(const karg_intersect &a, uint32_t first, uint32_t n, uint4 *v)
{
    const uint4 *of_a = prim_at<const uint4>(a.a_bits), *of_b = prim_at<const uint4>(a.b_bits);
    const uint4 none = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (uint32_t k = 0; k < BITS_LOADS; k++) {
        uint32_t i = first + k * prim_block_size();
        v[k] = i < n ? bits_and(prim_load_once(&of_a[i]), prim_load_once(&of_b[i])) : none;
    }
}

RP_KERNEL(intersect_bits_marks_kernel, karg_intersect)
{
    uint32_t n = prim_div_up(a.universe, 128), size = prim_block_size(), found = 0, all;
    uint32_t first = prim_block() * BITS_LOADS * size + prim_thread();
    uint4 v[BITS_LOADS];
    bits_read(a, first, n, v);
#pragma unroll
    for (uint32_t k = 0; k < BITS_LOADS; k++) {
        found += prim_count(v[k].x) + prim_count(v[k].y) + prim_count(v[k].z) + prim_count(v[k].w);
        if (first + k * size < n)
            prim_at<uint4>(a.marks)[first + k * size] = v[k];
    }
    scan_block(found, (uint32_t *)prim_shared(), &all);
    if (prim_thread() == 0)
        compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
}

RP_KERNEL(intersect_bits_and_kernel, karg_intersect)
{
    uint32_t *scratch = (uint32_t *)prim_shared(), *bits = scratch + COMPACT_SCRATCH;
    uint32_t size = prim_block_size(), words = BITS_LOADS * 4 * size;
    compact_tile tile = compact_begin(a.state, a.tiles, scratch);
    uint4 v[BITS_LOADS];
    bits_read(a, tile.number * BITS_LOADS * size + prim_thread(), prim_div_up(a.universe, 128), v);
#pragma unroll
    for (uint32_t k = 0; k < BITS_LOADS; k++)
        ((uint4 *)bits)[k * size + prim_thread()] = v[k];
    prim_sync();
    uint32_t *out = prim_at<uint32_t>(a.out), room = a.room, from = tile.number * words;
    uint32_t n = compact_bits(a.state, tile, [=](uint32_t i) { return bits[i]; }, words, bits + words, scratch,
                              [=](uint32_t place, uint32_t word, uint32_t bit) {
                                  if (place < room)
                                      out[place] = 32 * (from + word) + bit;
                              });
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}
