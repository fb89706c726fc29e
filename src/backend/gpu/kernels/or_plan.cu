/* or_plan.cu: which blocks of a query's lists lie in which tile of docids, and what they can contribute there.
 * Owns:   a thread a block of a list at a time; `parts` blocks of threads a list. Sparse lists, whose blocks
 *         span many tiles, are written by a warp together.
 * Moves:  the directory once, coalesced: 5 bytes a block; a word or two a tile. No shared memory.
 * Limits: any bytes: tiles are cut to those there are, and or_tile.cu cuts what it reads here. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { ALONE = 4 }; /* tiles that one thread writes by itself */

struct span {
    uint32_t first, high;    /* tiles that hold some of the block: from `first` to `high` */
    uint32_t from, to;       /* tiles to be told: those that begin in it and, by the last block, those past it */
    uint32_t block, bound;
};

PRIM span span_of(const karg_or &a, const karg_list &list, uint32_t block)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    const uint32_t end = a.n_docs - 1, size = 1U << a.tile_bits;
    uint64_t low = block ? (uint64_t)(last ? prim_min(last[block - 1], end) : end) + 1 : 0;
    uint32_t high = last ? prim_min(last[block], end) : end;
    span s = {(uint32_t)(low >> a.tile_bits), high >> a.tile_bits,
              (uint32_t)((low + size - 1) >> a.tile_bits), high >> a.tile_bits, block,
              list.bounds ? prim_at<const uint8_t>(list.bounds)[block] : 255U};
    if (low > high)
        s.first = s.from = s.high + 1; /* nothing is in it, as far as the directory goes */
    if (block == list.n_blocks - 1)
        s.to = a.n_tiles;
    return s;
}

/* Tiles `at`, at + by, ... of a span. */
PRIM void write_span(const karg_or &a, span s, uint32_t term, uint32_t at, uint32_t by)
{
    uint32_t *firsts = prim_at<uint32_t>(a.firsts) + (uint64_t)term * (a.n_tiles + 1);
    uint32_t *tops = prim_at<uint32_t>(a.tops) + (uint64_t)term * a.n_tiles;
    for (uint32_t t = s.first + at; t <= s.to; t += by) {
        if (t >= s.from)
            firsts[t] = t > s.high ? s.block + 1 : s.block;
        if (t <= s.high)
            prim_atomic_max(&tops[t], s.bound);
    }
}

RP_KERNEL(or_plan_kernel, karg_or)
{
    const uint32_t term = prim_block() / a.parts, part = prim_block() % a.parts;
    const karg_list list =
        prim_at<const karg_list>(a.lists)[prim_at<const karg_or_term>(a.terms)[term].list];
    const uint32_t step = a.parts * prim_block_size();
    for (uint32_t base = part * prim_block_size(); base < list.n_blocks; base += step) {
        const uint32_t block = base + prim_thread();
        span s = {1, 0, 1, 0, block, 0};
        if (block < list.n_blocks)
            s = span_of(a, list, block);
        bool is_long = s.to >= s.first && s.to - s.first >= ALONE;
        if (!is_long)
            write_span(a, s, term, 0, 1);
        for (uint32_t some = prim_ballot<32>(is_long); some; some &= some - 1) {
            uint32_t lane = prim_lowest(some);
            span other = {prim_shuffle<32>(s.first, lane), prim_shuffle<32>(s.high, lane),
                          prim_shuffle<32>(s.from, lane),  prim_shuffle<32>(s.to, lane),
                          prim_shuffle<32>(s.block, lane), prim_shuffle<32>(s.bound, lane)};
            write_span(a, other, term, prim_lane(), 32);
        }
    }
}
