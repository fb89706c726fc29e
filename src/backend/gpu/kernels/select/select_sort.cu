/* select_sort.cu: all of one large selection in order, best first: radix sort from the lowest digit
 * on.
 * Owns:   a block a tile of KARG_SORT_TILE keys, a warp an equal part of it, so that equal digits
 *         keep their order.
 * Moves:  keys three times a pass: read to be counted, read and written to their places. Eight
 *         passes of 8 bits; four where docids rise, by scores alone. Shared: a count of each digit
 *         a warp.
 * Limits: scratch has room for n keys twice, then for 256 words a tile, and 256.
 * Source: Satish, Harris and Garland, 2009. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { DIGITS = 256 };

struct halves {
    uint64_t *from, *to;       /* of the pass */
    uint32_t *counts, *totals; /* by digit, then tile; by digit */
    uint32_t tiles;
};

PRIM halves halves_of(const karg_select &a)
{
    halves h;
    uint64_t *keys = (uint64_t *)(prim_at<uint32_t>(a.scratch) + KARG_SELECT_ZEROS);
    h.from = keys + (a.step & 1 ? a.capacity : 0);
    h.to = keys + (a.step & 1 ? 0 : a.capacity);
    h.tiles = prim_div_up(a.n, KARG_SORT_TILE);
    h.totals = (uint32_t *)(keys + 2 * (uint64_t)a.capacity);
    h.counts = h.totals + DIGITS;
    return h;
}

/* Before pass 0. Pairs that do not count become 0, and are last. */
RP_KERNEL(select_sort_keys_kernel, karg_select)
{
    halves h = halves_of(a);
    uint32_t step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t score = prim_load_once(prim_at<const uint32_t>(a.scores) + i);
        uint32_t docid = a.docids ? prim_at<const uint32_t>(a.docids)[i] : i;
        h.from[i] = score >= a.min_score ? topk_key(score, docid) : 0;
    }
}

/* The digit of pass `step`, turned round, since the best come first. */
PRIM uint32_t digit_of(const karg_select &a, uint64_t key)
{
    return 255 - (uint32_t)(key >> 8 * a.step & 255);
}

/* Lanes with the same digit, of those with one. */
PRIM uint32_t peers_of(uint32_t digit, bool has)
{
    uint32_t peers = prim_ballot<32>(has);
#pragma unroll
    for (uint32_t bit = 0; bit < 8; bit++) {
        uint32_t set = prim_ballot<32>(digit >> bit & 1);
        peers &= digit >> bit & 1 ? set : ~set;
    }
    return peers;
}

/* The warp's part of the tile, 32 keys at a time: counts[digit] goes up by each; each(key, digit,
 * the count before it) is called for every key, in order. */
template <class Each>
PRIM void walk_part(const karg_select &a, const uint64_t *keys, uint32_t *counts, Each each)
{
    const uint32_t warps = prim_block_size() / 32, part = KARG_SORT_TILE / warps;
    const uint32_t base = prim_block() * KARG_SORT_TILE + prim_warp() * part;
    for (uint32_t i = 0; i < part && base + i < a.n; i += 32) {
        uint32_t at = base + i + prim_lane();
        bool has = at < a.n;
        uint64_t key = has ? keys[at] : 0;
        uint32_t digit = digit_of(a, key), peers = peers_of(digit, has), before = 0;
        if (has)
            before = counts[digit];
        prim_sync_tile();
        if (has && prim_lane() == prim_lowest(peers))
            counts[digit] = before + prim_count(peers);
        prim_sync_tile();
        if (has)
            each(key, digit, before + prim_count(peers & prim_mask(prim_lane())));
    }
}

/* Counts of each warp's part, then, by digit, of the parts before it in the tile; the sum of all is
 * returned. */
PRIM uint32_t count_parts(const karg_select &a, const uint64_t *keys, uint32_t *counts,
                          uint32_t digit)
{
    const uint32_t warps = prim_block_size() / 32;
    for (uint32_t i = prim_thread(); i < warps * DIGITS; i += prim_block_size())
        counts[i] = 0;
    prim_sync();
    walk_part(a, keys, counts + prim_warp() * DIGITS, [](uint64_t, uint32_t, uint32_t) {});
    prim_sync();
    uint32_t sum = 0;
    for (uint32_t w = 0; w < warps && digit < DIGITS; w++) {
        uint32_t count = counts[w * DIGITS + digit];
        counts[w * DIGITS + digit] = sum;
        sum += count;
    }
    prim_sync();
    return sum;
}

/* A block has at least as many threads as there are digits. */
RP_KERNEL(select_sort_count_kernel, karg_select)
{
    halves h = halves_of(a);
    uint32_t sum = count_parts(a, h.from, (uint32_t *)prim_shared(), prim_thread());
    if (prim_thread() < DIGITS)
        h.counts[prim_thread() * h.tiles + prim_block()] = sum;
}

/* A block a digit: the sums before each tile. */
RP_KERNEL(select_sort_scan_kernel, karg_select)
{
    halves h = halves_of(a);
    uint32_t *scratch = (uint32_t *)prim_shared(), *row = h.counts + prim_block() * h.tiles,
             before = 0;
    for (uint32_t base = 0; base < h.tiles; base += prim_block_size()) {
        uint32_t i = base + prim_thread(), all, v = i < h.tiles ? row[i] : 0;
        uint32_t sum = scan_block(v, scratch, &all);
        if (i < h.tiles)
            row[i] = before + sum;
        before += all;
        prim_sync();
    }
    if (prim_thread() == 0)
        h.totals[prim_block()] = before;
}

RP_KERNEL(select_sort_scatter_kernel, karg_select)
{
    halves h = halves_of(a);
    uint32_t *counts = (uint32_t *)prim_shared(),
             *scratch = counts + prim_block_size() / 32 * DIGITS, all;
    const uint32_t digit = prim_thread();
    count_parts(a, h.from, counts, digit);
    uint32_t begin = scan_block(digit < DIGITS ? h.totals[digit] : 0, scratch, &all);
    if (digit < DIGITS) {
        begin += h.counts[digit * h.tiles + prim_block()];
        for (uint32_t w = 0; w < prim_block_size() / 32; w++)
            counts[w * DIGITS + digit] += begin;
    }
    prim_sync();
    walk_part(a, h.from, counts + prim_warp() * DIGITS,
              [&](uint64_t key, uint32_t, uint32_t place) { h.to[place] = key; });
}

/* The first k, from the half that has them. */
RP_KERNEL(select_sort_out_kernel, karg_select)
{
    const uint64_t *keys = halves_of(a).from;
    const uint32_t end = prim_min(a.n, a.k), step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i <= end; i += step) {
        uint64_t key = i < end ? keys[i] : 0;
        if (key)
            prim_at<karg_pair>(a.out)[i] = topk_pair(key);
        if (!key && (i == 0 || keys[i - 1]))
            prim_at<uint32_t>(a.counts)[0] = i;
    }
}
