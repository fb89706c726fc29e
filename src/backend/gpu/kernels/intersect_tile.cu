/* intersect_tile.cu: A and B by slices of the universe: bits in shared memory, and their AND.
 * One block: 2^shift docids; four of its warps find where they begin and end in both lists, then all set bits.
 * Reads both lists once, 16 bytes a load, coalesced, four in flight a thread; two bitmaps of 2^shift bits in
 * shared memory, no search in it; writes docids in order, staged by warps, or the AND as bits (marks).
 * shift 10 to 18; 128 to 512 threads. Any content is safe: bits stay in the slice, docids in the room.
 * Source: own; the cut of Ding et al. 2009 and Ao et al. 2011, 4.4, with bits in place of search. */
#include "backend/gpu/kernels/prim/search.cuh"
#include "backend/gpu/kernels/prim/slice.cuh"

/* By a warp: where slice t begins in A (list 0) or B (1). */
PRIM uint32_t tile_begin(const karg_intersect &a, uint32_t t, uint32_t list)
{
    return search_warp(prim_at<const uint32_t>(list ? a.b : a.a), list ? a.nb : a.na,
                       (uint64_t)t << a.shift, a.universe);
}

/* Ranks of the first docids of a slice. */
struct tile_first {
    uint32_t of_a, of_b;
};

/* Both lists' bits of slice t. */
PRIM tile_first tile_fill(const karg_intersect &a, const slice_shared &s, uint32_t t)
{
    uint32_t width = 1U << a.shift, which = prim_warp();
    const uint32_t *list_a = prim_at<const uint32_t>(a.a), *list_b = prim_at<const uint32_t>(a.b);
    for (uint32_t i = prim_thread(); i < 2 * (width / 32); i += prim_block_size())
        s.of_a[i] = 0;
    if (which < 4) {
        uint32_t at = tile_begin(a, t + which / 2, which % 2);
        if (prim_lane() == 0)
            s.scratch[which] = at;
    }
    prim_sync();
    slice_part part_a = {list_a, s.scratch[0], s.scratch[2]}, part_b = {list_b, s.scratch[1], s.scratch[3]};
    slice_set(s.of_a, width - 1, part_a);
    slice_set(s.of_b, width - 1, part_b);
    prim_sync();
    return {part_a.from, part_b.from};
}

PRIM void tile_end(const karg_intersect &a, compact_tile tile, uint32_t n)
{
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}

RP_KERNEL_BOUNDED(intersect_tile_kernel, karg_intersect, 512, 3)
{
    uint32_t words = (1U << a.shift) / 32;
    slice_shared s = slice_lay_out(words);
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    tile_fill(a, s, tile.number);
    uint32_t *out = prim_at<uint32_t>(a.out), room = a.room, from = (uint32_t)base;
    auto both = [=](uint32_t i) { return s.of_a[i] & s.of_b[i]; };
    uint32_t n = compact_bits(a.state, tile, both, words, s.rest, s.scratch,
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
    slice_shared s = slice_lay_out(words);
    uint32_t *before_a = s.rest, *before_b = before_a + words;
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    tile_first first = tile_fill(a, s, tile.number);
    auto both = [=](uint32_t i) { return s.of_a[i] & s.of_b[i]; };
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
RP_KERNEL_BOUNDED(intersect_tile_marks_kernel, karg_intersect, 512, 3)
{
    uint32_t words = (1U << a.shift) / 32, n = 0, all;
    uint32_t of_list = prim_div_up(a.universe, 32), from = prim_block() * words;
    slice_shared s = slice_lay_out(words);
    tile_fill(a, s, prim_block());
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
