/* intersect_bits.cu: dense lists as bits: A's docids looked up in the bits of B; and bits AND bits.
 * One thread: four elements of A, or 128 bits. One block: a tile of A, or of the universe. Reads A
 * or both bitmaps once, coalesced; of b_bits a word an element; writes hits staged in shared
 * memory, the AND as it is (marks), or its docids, staged likewise.
 * Docids at or above the universe are not there, and the AND's docids stay within the room: any
 * content is safe.
 * Source: the rule of the densest lists, Ding et al. 2009 and others. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { BITS_EACH = 4 }; /* elements of A, a thread */

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

/* The AND's i-th words of 16 bytes; past the end they are 0. */
PRIM uint4 bits_read(const karg_intersect &a, uint32_t i)
{
    const uint4 *of_a = prim_at<const uint4>(a.a_bits), *of_b = prim_at<const uint4>(a.b_bits);
    return i < prim_div_up(a.universe, 128)
               ? bits_and(prim_load_once(&of_a[i]), prim_load_once(&of_b[i]))
               : make_uint4(0, 0, 0, 0);
}

RP_KERNEL(intersect_bits_marks_kernel, karg_intersect)
{
    uint32_t i = prim_block() * prim_block_size() + prim_thread(), all;
    uint4 v = bits_read(a, i);
    if (i < prim_div_up(a.universe, 128))
        prim_at<uint4>(a.marks)[i] = v;
    scan_block(compact_count_four(v), (uint32_t *)prim_shared(), &all);
    if (prim_thread() == 0)
        compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
}

RP_KERNEL(intersect_bits_and_kernel, karg_intersect)
{
    uint32_t *scratch = (uint32_t *)prim_shared(), size = prim_block_size();
    compact_tile tile = compact_begin(a.state, a.tiles, scratch);
    uint4 v = bits_read(a, tile.number * size + prim_thread());
    uint32_t *out = prim_at<uint32_t>(a.out), capacity = a.capacity,
             from = 128 * tile.number * size;
    uint32_t n = compact_bits(
        a.state, tile, [=](uint32_t) { return v; }, size, scratch + COMPACT_SCRATCH, scratch,
        [=](uint32_t place, uint32_t bit) {
            if (place < capacity)
                out[place] = from + bit;
        });
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}
