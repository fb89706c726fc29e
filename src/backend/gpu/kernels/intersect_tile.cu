/* intersect_tile.cu: A and B by slices of the universe: bits in shared memory, and their AND.
 * One block: 2^shift docids; four of its warps find where they begin and end in both lists, then all set bits.
 * Reads both lists once, 16 bytes a load, coalesced, four in flight a thread; two bitmaps of 2^shift bits in
 * shared memory, no search in it; writes docids in order, staged by warps, or the AND as bits (marks).
 * shift 10 to 18; 128 to 256 threads. Any content is safe: bits stay in the slice, docids in the room.
 * Source: own; the cut of Ding et al. 2009 and Ao et al. 2011, 4.4, with bits in place of search. */
#include "backend/gpu/kernels/prim/search.cuh"

/* A list's part of a slice. */
struct tile_part {
    const uint32_t *list;
    uint32_t from, to; /* ranks */
};

/* The bit of a docid; `within` is the slice's width less one, and keeps a docid that lies elsewhere in the array. */
PRIM void tile_set_one(uint32_t *bits, uint32_t within, uint32_t docid)
{
    prim_atomic_or(&bits[(docid & within) / 32], 1U << (docid & 31));
}

/* Four docids that follow each other have mostly one word: one atomic for as long as it stays the same. */
PRIM void tile_set_four(uint32_t *bits, uint32_t within, uint4 v)
{
    uint32_t at[4] = {v.x & within, v.y & within, v.z & within, v.w & within};
    uint32_t mask = 1U << (at[0] & 31);
#pragma unroll
    for (uint32_t k = 1; k < 4; k++) {
        if (at[k] / 32 != at[k - 1] / 32) {
            prim_atomic_or(&bits[at[k - 1] / 32], mask);
            mask = 0;
        }
        mask |= 1U << (at[k] & 31);
    }
    prim_atomic_or(&bits[at[3] / 32], mask);
}

/* The part's words of 16 bytes, `from` to `to` being their ranks. */
PRIM void tile_set_whole(uint32_t *bits, uint32_t within, const tile_part &p)
{
    const uint32_t step = 4 * prim_block_size();
    uint32_t i = p.from + 4 * prim_thread();
    for (; i < p.to && p.to - i > 3 * step; i += 4 * step) {
        uint4 v[4];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = prim_load_once((const uint4 *)(p.list + i + k * step));
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            tile_set_four(bits, within, v[k]);
    }
    uint32_t left = i < p.to ? p.to - i : 0;
    uint4 v[3];
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
        if (left > k * step)
            v[k] = prim_load_once((const uint4 *)(p.list + i + k * step));
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
        if (left > k * step)
            tile_set_four(bits, within, v[k]);
}

/* All of a part: a few docids at both ends lie in words of 16 bytes that are not its own. */
PRIM void tile_set(uint32_t *bits, uint32_t within, const tile_part &p)
{
    uint32_t whole = prim_min((p.from + 3) & ~3U, p.to), end = prim_max(p.to & ~3U, whole);
    uint32_t first = p.from + prim_thread(), last = end + prim_thread();
    if (first < whole)
        tile_set_one(bits, within, prim_load(&p.list[first]));
    if (last < p.to)
        tile_set_one(bits, within, prim_load(&p.list[last]));
    tile_set_whole(bits, within, {p.list, whole, end});
}

/* Shared memory: scratch, the bits of both, and what follows them. */
struct tile_shared {
    uint32_t *scratch, *of_a, *of_b, *rest;
};

PRIM tile_shared tile_lay_out(uint32_t words)
{
    uint32_t *at = (uint32_t *)prim_shared();
    return {at, at + COMPACT_SCRATCH, at + COMPACT_SCRATCH + words, at + COMPACT_SCRATCH + 2 * words};
}

/* Ranks of the first docids of a slice. */
struct tile_first {
    uint32_t of_a, of_b;
};

/* Both lists' bits of a slice. */
PRIM tile_first tile_fill(const karg_intersect &a, const tile_shared &s, uint64_t base)
{
    uint32_t width = 1U << a.shift, which = prim_warp();
    const uint32_t *list_a = prim_at<const uint32_t>(a.a), *list_b = prim_at<const uint32_t>(a.b);
    for (uint32_t i = prim_thread(); i < 2 * (width / 32); i += prim_block_size())
        s.of_a[i] = 0;
    if (which < 4) {
        const uint32_t *list = which & 1 ? list_b : list_a;
        uint32_t at = search_warp(list, which & 1 ? a.nb : a.na, base + (which & 2 ? width : 0));
        if (prim_lane() == 0)
            s.scratch[which] = at;
    }
    prim_sync();
    tile_part part_a = {list_a, s.scratch[0], s.scratch[2]}, part_b = {list_b, s.scratch[1], s.scratch[3]};
    tile_set(s.of_a, width - 1, part_a);
    tile_set(s.of_b, width - 1, part_b);
    prim_sync();
    return {part_a.from, part_b.from};
}

PRIM void tile_end(const karg_intersect &a, compact_tile tile, uint32_t n)
{
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}

RP_KERNEL_BOUNDED(intersect_tile_kernel, karg_intersect, 256, 6)
{
    uint32_t words = (1U << a.shift) / 32;
    tile_shared s = tile_lay_out(words);
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    tile_fill(a, s, base);
    for (uint32_t i = prim_thread(); i < words; i += prim_block_size())
        s.of_a[i] &= s.of_b[i];
    prim_sync();
    uint32_t *out = prim_at<uint32_t>(a.out), room = a.room, from = (uint32_t)base;
    uint32_t n = compact_bits(a.state, tile, s.of_a, words, s.rest, s.scratch,
                              [=](uint32_t place, uint32_t word, uint32_t bit) {
                                  if (place < room)
                                      out[place] = from + 32 * word + bit;
                              });
    tile_end(a, tile, n);
}

/* The same with ranks: a docid's is that of the slice's first, and the bits before its own. */
RP_KERNEL_BOUNDED(intersect_tile_ranks_kernel, karg_intersect, 256, 4)
{
    uint32_t words = (1U << a.shift) / 32;
    tile_shared s = tile_lay_out(words);
    uint32_t *both = s.rest, *before_a = both + words, *before_b = before_a + words;
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    tile_first first = tile_fill(a, s, base);
    for (uint32_t i = prim_thread(); i < words; i += prim_block_size())
        both[i] = s.of_a[i] & s.of_b[i];
    if (prim_warp() == 0)
        compact_count_bits(s.of_a, before_a, words);
    if (prim_warp() == 1)
        compact_count_bits(s.of_b, before_b, words);
    prim_sync();
    const karg_intersect *to = &a;
    uint32_t n = compact_bits(
        a.state, tile, both, words, before_b + words, s.scratch,
        [=](uint32_t place, uint32_t word, uint32_t bit) {
            if (place >= to->room)
                return;
            prim_at<uint32_t>(to->out)[place] = (uint32_t)base + 32 * word + bit;
            prim_at<uint32_t>(to->a_ranks)[place] =
                first.of_a + before_a[word] + prim_count(s.of_a[word] & prim_mask(bit));
            prim_at<uint32_t>(to->b_ranks)[place] =
                first.of_b + before_b[word] + prim_count(s.of_b[word] & prim_mask(bit));
        });
    tile_end(a, tile, n);
}

/* The AND as bits by docid, and how many: no order, no tickets. */
RP_KERNEL_BOUNDED(intersect_tile_marks_kernel, karg_intersect, 256, 6)
{
    uint32_t words = (1U << a.shift) / 32, n = 0, all;
    uint32_t of_list = prim_div_up(a.universe, 32), from = prim_block() * words;
    tile_shared s = tile_lay_out(words);
    tile_fill(a, s, (uint64_t)prim_block() << a.shift);
    for (uint32_t i = prim_thread(); i < words; i += prim_block_size()) {
        uint32_t word = s.of_a[i] & s.of_b[i];
        n += prim_count(word);
        if (from + i < of_list)
            prim_at<uint32_t>(a.marks)[from + i] = word;
    }
    scan_block(n, s.scratch, &all);
    if (prim_thread() == 0)
        compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
}
