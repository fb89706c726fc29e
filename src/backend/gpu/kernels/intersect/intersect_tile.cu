/* intersect_tile.cu: A and B by slices of the universe: bits in shared memory, and their AND. One
 * block: 2^shift docids; four of its warps find where they begin and end in both lists, while all
 * others set bits of what lies there if docids lie evenly; the rest follows.
 * Reads both lists once, 16 bytes a load, coalesced, four in flight a thread; two bitmaps of
 * 2^shift bits in shared memory, no search in it; writes docids in order, staged by warps, or the
 * AND as bits (marks). shift 10 to 18; 128 to 512 threads. Any content is safe: bits stay in the
 * slice, docids in the room.
 * Source: own; the cut of Ding et al. 2009 and Ao et al. 2011, 4.4, with bits in place of
 *         search. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum {
    TILE_CHUNK = 512, /* docids that a warp has on their way */
    TILE_NEAR = 64,   /* ranks up to which ends are found */
    TILE_FAR = 8,     /* of a slice's width a warp sets such a part by itself, and no more */
    /* Words of scratch that ordered_compaction.cuh leaves. */
    TILE_ENDS = 64,   /* where A begins, B begins, A ends, B ends; */
    TILE_NEXT = 68,   /* the next chunk; */
    TILE_IS_FAR = 69, /* whether a guess was far off */
};

/* ---- Parts of lists -------------------------------------------------------------------------- */

/* A list, and its bits of the docids from `base` on. */
struct tile_list {
    const uint32_t *docids;
    uint32_t n, *bits, base, width;
};

PRIM tile_list tile_open(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t,
                         bool is_b)
{
    return {prim_at<const uint32_t>(is_b ? a.b : a.a), is_b ? a.nb : a.na, is_b ? s.of_b : s.of_a,
            t << a.shift, 1U << a.shift};
}

/* Bits of those of four docids that are there and in the slice. */
PRIM void tile_set(const tile_list &list, uint32_t rank, uint4 v)
{
    if (rank + 4 <= list.n && v.x - list.base < list.width && v.w - list.base < list.width) {
        docid_bitmap_set_four(list.bits, list.width - 1, v);
        return;
    }
    uint32_t docids[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (rank + k < list.n && docids[k] - list.base < list.width)
            docid_bitmap_set_one(list.bits, list.width - 1, docids[k]);
}

/* By a warp: a chunk, or what there is of it before rank `to`; `rank` is a multiple of 4. */
PRIM void tile_chunk(const tile_list &list, uint32_t rank, uint32_t to)
{
    uint4 v[4];
    rank += 4 * prim_lane();
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (rank + 128 * k < to)
            v[k] = prim_load_once((const uint4 *)(list.docids + rank + 128 * k));
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (rank + 128 * k < to)
            tile_set(list, rank + 128 * k, v[k]);
}

/* ---- A slice --------------------------------------------------------------------------------- */

/* Ranks from `from`, a multiple of 4, on. */
struct tile_part {
    uint32_t from, to;
};

PRIM uint32_t tile_chunks(tile_part p)
{
    return p.from < p.to ? prim_div_up(p.to - p.from, TILE_CHUNK) : 0;
}

/* What lies in slice t if docids lie evenly. */
PRIM tile_part tile_guess(const karg_intersect &a, uint32_t n, uint32_t t)
{
    return {search_guess(n, (uint64_t)t << a.shift, a.universe) & ~3U,
            search_guess(n, (uint64_t)(t + 1) << a.shift, a.universe)};
}

PRIM uint32_t tile_next(uint32_t *next)
{
    uint32_t c = prim_lane() ? 0 : prim_atomic_add(next, 1);
    return prim_shuffle<32>(c, 0);
}

/* By a warp, one of four: from where on, at least, or up to where, at most, A or B has docids of
 * slice t; and the bits of those that lie outside of what was guessed, unless they are many. */
PRIM void tile_search(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t,
                      tile_part guessed)
{
    uint32_t is_b = prim_warp() % 2, is_end = prim_warp() / 2;
    tile_list list = tile_open(a, s, t, is_b);
    search_ends e =
        search_near<TILE_NEAR>(list.docids, list.n, (uint64_t)(t + is_end) << a.shift, a.universe);
    tile_part rest = {is_end ? guessed.to & ~3U : e.from & ~3U, is_end ? e.to : guessed.from};
    bool is_far = tile_chunks(rest) > list.width / (TILE_FAR * TILE_CHUNK);
    if (prim_lane() == 0) {
        s.scratch[TILE_ENDS + prim_warp()] = is_end ? e.to : e.from & ~3U;
        if (is_far)
            s.scratch[TILE_IS_FAR] = 1;
    }
    for (uint32_t c = 0; c < tile_chunks(rest) && !is_far; c++)
        tile_chunk(list, rest.from + c * TILE_CHUNK, rest.to);
}

/* The parts that were guessed, chunk by chunk, by whichever warp comes; four of them search
 * first. */
PRIM void tile_fill_guessed(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t,
                            tile_part of_a, tile_part of_b)
{
    uint32_t first = tile_chunks(of_b), n = first + tile_chunks(of_a),
             *next = s.scratch + TILE_NEXT;
    uint32_t c = prim_warp() - 4;
    if (prim_warp() < 4) {
        tile_search(a, s, t, prim_warp() % 2 ? of_b : of_a);
        c = tile_next(next);
    }
    while (c < n) {
        bool is_b = c < first;
        tile_part part = is_b ? of_b : of_a;
        uint32_t then = tile_next(next);
        tile_chunk(tile_open(a, s, t, is_b), part.from + (is_b ? c : c - first) * TILE_CHUNK,
                   part.to);
        c = then;
    }
}

/* What lies before and after the parts that were guessed; every fourth warp has the same of the
 * four. */
PRIM void tile_fill_rest(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t,
                         tile_part of_a, tile_part of_b)
{
    const uint32_t *ends = s.scratch + TILE_ENDS;
    uint32_t is_b = prim_warp() % 2, is_after = prim_warp() / 2 % 2;
    tile_part guessed = is_b ? of_b : of_a, rest = {ends[is_b], ends[2 + is_b]};
    if (is_after)
        rest.from = prim_max(rest.from, guessed.to & ~3U);
    else
        rest.to = prim_min(rest.to, guessed.from);
    for (uint32_t c = prim_warp() / 4; c < tile_chunks(rest); c += prim_block_size() / 128)
        tile_chunk(tile_open(a, s, t, is_b), rest.from + c * TILE_CHUNK, rest.to);
}

/* Both lists' bits of slice t. */
PRIM void tile_fill(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t)
{
    tile_part of_a = tile_guess(a, a.na, t), of_b = tile_guess(a, a.nb, t);
    tile_fill_guessed(a, s, t, of_a, of_b);
    prim_sync();
    if (s.scratch[TILE_IS_FAR]) {
        tile_fill_rest(a, s, t, of_a, of_b);
        prim_sync();
    }
}

/* No bits yet, and nothing taken. */
PRIM docid_bitmap_shared tile_clear(uint32_t words)
{
    docid_bitmap_shared s = docid_bitmap_lay_out(words);
    uint4 *at = (uint4 *)s.of_a;
    for (uint32_t i = prim_thread(); i < words / 2; i += prim_block_size())
        at[i] = make_uint4(0, 0, 0, 0);
    if (prim_thread() == 32)
        s.scratch[TILE_NEXT] = prim_block_size() / 32 - 4;
    if (prim_thread() == 64)
        s.scratch[TILE_IS_FAR] = 0;
    return s;
}

PRIM void tile_end(const karg_intersect &a, compact_tile tile, uint32_t n)
{
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}

RP_KERNEL_BOUNDED(intersect_tile_kernel, karg_intersect, 512, 3)
{
    uint32_t words = (1U << a.shift) / 32;
    docid_bitmap_shared s = tile_clear(words);
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    tile_fill(a, s, tile.number);
    uint32_t *out = prim_at<uint32_t>(a.out), capacity = a.capacity, from = tile.number << a.shift;
    uint32_t n = compact_bits(
        a.state, tile, [=](uint32_t i) { return docid_bitmap_both(s, i); }, words / 4, s.rest,
        s.scratch,
        [=](uint32_t place, uint32_t bit) {
            if (place < capacity)
                out[place] = from + bit;
        });
    tile_end(a, tile, n);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Ranks of the first docids of a slice. */
struct tile_first {
    uint32_t of_a, of_b;
};

/* The same, and where exactly it begins. */
PRIM tile_first tile_fill_exactly(const karg_intersect &a, const docid_bitmap_shared &s, uint32_t t)
{
    uint32_t within = (1U << a.shift) - 1, which = prim_warp();
    const uint32_t *list_a = prim_at<const uint32_t>(a.a), *list_b = prim_at<const uint32_t>(a.b);
    if (which < 4) {
        uint64_t x = (uint64_t)(t + which / 2) << a.shift;
        uint32_t at =
            search_warp(which % 2 ? list_b : list_a, which % 2 ? a.nb : a.na, x, a.universe);
        if (prim_lane() == 0)
            s.scratch[which] = at;
    }
    prim_sync();
    docid_bitmap_part part_a = {list_a, s.scratch[0], s.scratch[2]},
                      part_b = {list_b, s.scratch[1], s.scratch[3]};
    docid_bitmap_set(s.of_a, within, part_a);
    docid_bitmap_set(s.of_b, within, part_b);
    prim_sync();
    return {part_a.from, part_b.from};
}

/* A docid's rank is that of the slice's first, and the bits before its own. */
RP_KERNEL_BOUNDED(intersect_tile_ranks_kernel, karg_intersect, 256, 4)
{
    uint32_t words = (1U << a.shift) / 32;
    docid_bitmap_shared s = tile_clear(words);
    uint32_t *before_a = s.rest, *before_b = before_a + words;
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    tile_first first = tile_fill_exactly(a, s, tile.number);
    if (prim_warp() == 0)
        compact_count_bits(s.of_a, before_a, words);
    if (prim_warp() == 1)
        compact_count_bits(s.of_b, before_b, words);
    prim_sync();
    const karg_intersect *to = &a;
    uint32_t n = compact_bits(
        a.state, tile, [=](uint32_t i) { return docid_bitmap_both(s, i); }, words / 4,
        before_b + words, s.scratch,
        [=](uint32_t place, uint32_t number) {
            uint32_t word = number / 32, bit = number % 32;
            if (place >= to->capacity)
                return;
            prim_at<uint32_t>(to->out)[place] = (uint32_t)base + number;
            prim_at<uint32_t>(to->a_ranks)[place] =
                first.of_a + before_a[word] + prim_count(s.of_a[word] & prim_mask(bit));
            prim_at<uint32_t>(to->b_ranks)[place] =
                first.of_b + before_b[word] + prim_count(s.of_b[word] & prim_mask(bit));
        });
    tile_end(a, tile, n);
}

/* ---- Marks ----------------------------------------------------------------------------------- */

/* The AND as bits by docid, and how many: no order, no tickets. */
RP_KERNEL_BOUNDED(intersect_tile_marks_kernel, karg_intersect, 512, 3)
{
    uint32_t fours = (1U << a.shift) / 128, n = 0, all;
    uint32_t of_list = prim_div_up(a.universe, 128), from = prim_block() * fours;
    docid_bitmap_shared s = tile_clear(4 * fours);
    prim_sync();
    tile_fill(a, s, prim_block());
    for (uint32_t i = prim_thread(); i < fours; i += prim_block_size()) {
        uint4 v = docid_bitmap_both(s, i);
        n += compact_count_four(v);
        if (from + i < of_list)
            prim_at<uint4>(a.marks)[from + i] = v;
    }
    scan_block(n, s.scratch, &all);
    if (prim_thread() == 0)
        compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
}
