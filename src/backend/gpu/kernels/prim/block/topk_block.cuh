/* topk_block.cuh: the k best of scored documents, by one block of whole warps.
 *
 * A pair (score, docid) is a key, the greater the better: a higher score, then a smaller docid.
 * Keys of one selection differ. The k-th best is found by narrowing: a histogram of some leading
 * bits says which bin it is in, and the next one looks into that bin alone; first over scores,
 * then, where the k-th score is shared by more documents than there is room for, over docids. Any
 * data, any order: the outcome is exact. */
#ifndef RP_KERNELS_TOPK_BLOCK_CUH
#define RP_KERNELS_TOPK_BLOCK_CUH

#include "backend/gpu/kernels/prim/warp/scan.cuh"

enum {
    TOPK_BITS = 5,   /* of a number, after its highest, that choose its bin */
    TOPK_DIGIT = 10, /* bits that choose one within a bin */
    TOPK_BINS = 1 << TOPK_DIGIT,
    TOPK_WORDS = TOPK_BINS + 8, /* of shared memory that the functions below need, as `bins` */
};
static_assert(4 * (int)TOPK_WORDS == (int)KARG_TOPK_SHARED, "what launches give");

PRIM uint64_t topk_key(uint32_t score, uint32_t docid)
{
    return (uint64_t)score << 32 | (uint32_t)~docid;
}
PRIM karg_pair topk_pair(uint64_t key)
{
    return {(uint32_t)(key >> 32), ~(uint32_t)key};
}
/* of two, at least n */
PRIM uint32_t topk_power(uint32_t n)
{
    return n > 1 ? 1U << prim_width(n - 1) : 1;
}

/* The numbers v with v >> rest == prefix. */
struct topk_range {
    uint32_t prefix, rest;
};
/* the least of them; rest < 32 */
PRIM uint32_t topk_edge(topk_range r)
{
    return r.prefix << r.rest;
}

/* Bins that rise with v, each as wide as a 32nd of its numbers. */
PRIM uint32_t topk_bin(uint32_t v)
{
    uint32_t width = prim_width(v), rest = width > TOPK_BITS + 1 ? width - TOPK_BITS - 1 : 0;
    return (rest << TOPK_BITS) + (v >> rest);
}
PRIM topk_range topk_bin_range(uint32_t bin)
{
    uint32_t rest = bin >> TOPK_BITS > 1 ? (bin >> TOPK_BITS) - 1 : 0;
    return {bin - (rest << TOPK_BITS), rest};
}

/* Warp 0 of a block, all of it: the bin from the top in which the need-th number is.
 * bins[TOPK_BINS] becomes that bin, then how many it holds, then how many of them are needed; where
 * there are fewer than `need` in all: 0, 0, 0. */
PRIM void topk_find(uint32_t *bins, uint32_t need)
{
    const uint32_t lane = prim_lane();
    uint32_t first = TOPK_BINS - TOPK_BINS / 32 * (lane + 1), sum = 0;
    for (uint32_t j = 0; j < TOPK_BINS / 32; j++)
        sum += bins[first + ((j + lane) & 31)];
    uint32_t up_to = scan_add<32>(sum), some = prim_ballot<32>(up_to >= need);
    uint32_t group = some ? prim_lowest(some) : 0;
    uint32_t before = prim_shuffle<32>(up_to - sum, group);
    uint32_t bin = TOPK_BINS - TOPK_BINS / 32 * group - 1 - lane, in = bins[bin];
    up_to = before + scan_add<32>(in);
    uint32_t reach = prim_ballot<32>(up_to >= need);
    if (lane == (reach ? prim_lowest(reach) : 0)) {
        bins[TOPK_BINS] = some ? bin : 0;
        bins[TOPK_BINS + 1] = some ? in : 0;
        bins[TOPK_BINS + 2] = some ? need - (up_to - in) : 0;
    }
}

/* What topk_narrow found: the need-th of the numbers lies in `range`, which holds `in` of them, the
 * best of those above it not counted; in == need, or the range is one number. in == 0: there are
 * fewer. */
struct topk_place {
    topk_range range;
    uint32_t in, need;
};

/* All threads of a block: where the need-th largest is, need >= 1, of those v that value(i, &v)
 * gives, 0 <= i < n, when it returns true. */
template <class Value>
PRIM topk_place topk_narrow(Value value, uint32_t n, uint32_t need, uint32_t *bins)
{
    topk_place p = {{0, 31}, 0, need};
    for (bool is_first = true;; is_first = false) {
        uint32_t digit = prim_min((uint32_t)TOPK_DIGIT, p.range.rest), rest = p.range.rest - digit;
        for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size())
            bins[i] = 0;
        prim_sync();
#pragma unroll 4
        for (uint32_t i = prim_thread(); i < n; i += prim_block_size()) {
            uint32_t v;
            if (!value(i, &v))
                continue;
            if (is_first)
                prim_atomic_add(&bins[topk_bin(v)], 1);
            else if (v >> p.range.rest == p.range.prefix)
                prim_atomic_add(&bins[v >> rest & prim_mask(digit)], 1);
        }
        prim_sync();
        if (prim_warp() == 0)
            topk_find(bins, p.need);
        prim_sync();
        uint32_t bin = bins[TOPK_BINS];
        p.in = bins[TOPK_BINS + 1];
        p.need = bins[TOPK_BINS + 2];
        p.range = is_first ? topk_bin_range(bin) : topk_range{p.range.prefix << digit | bin, rest};
        prim_sync();
        if (p.in == p.need || p.range.rest == 0)
            return p;
    }
}

/* All threads of a block: the least key that is among the k best, k >= 1, or one with no key
 * between them and the others; 0 where there are at most k. score(i, &s): pair i counts, and has
 * this score; docid(i). */
template <class Score, class Docid>
PRIM uint64_t topk_cut(Score score, Docid docid, uint32_t n, uint32_t k, uint32_t *bins)
{
    topk_place p = topk_narrow(score, n, k, bins);
    uint64_t cut = (uint64_t)topk_edge(p.range) << 32;
    if (p.in == p.need)
        return cut;
    auto among = [&](uint32_t i, uint32_t *v) {
        uint32_t s;
        bool is = score(i, &s) && s == p.range.prefix;
        *v = is ? ~docid(i) : 0;
        return is;
    };
    topk_place q = topk_narrow(among, n, p.need, bins);
    return cut | topk_edge(q.range);
}

/* All threads of a block: sorts n keys, a power of two, in shared memory, best first (Batcher's
 * bitonic). Steps of up to 32 apart stay among the 64 keys of a warp, which then has to wait for
 * nobody else. */
PRIM void topk_sort(uint64_t *keys, uint32_t n)
{
    prim_sync();
    for (uint32_t run = 2; run <= n; run *= 2)
        for (uint32_t by = run / 2; by > 0; by /= 2) {
            if (by > 32 || (by == 32 && run > 64))
                prim_sync();
            else
                prim_sync_tile();
            for (uint32_t t = prim_thread(); t < n / 2; t += prim_block_size()) {
                uint32_t i = 2 * t - (t & (by - 1)), j = i + by;
                uint64_t x = keys[i], y = keys[j];
                if ((i & run) == 0 ? x < y : x > y) {
                    keys[i] = y;
                    keys[j] = x;
                }
            }
        }
    prim_sync();
}

/* All threads of a block: n keys, at most topk_power(k), the rest of which is filled, sorted and
 * written. */
PRIM void topk_write(uint64_t *keys, uint32_t n, uint32_t k, karg_pair *out, uint32_t *count)
{
    uint32_t power = topk_power(n);
    for (uint32_t i = n + prim_thread(); i < power; i += prim_block_size())
        keys[i] = 0;
    topk_sort(keys, power);
    for (uint32_t i = prim_thread(); i < n && i < k; i += prim_block_size())
        out[i] = topk_pair(keys[i]);
    if (prim_thread() == 0)
        *count = prim_min(n, k);
    prim_sync();
}

/* All threads of a block: the k best of n, best first. keys: topk_power(k) words of shared
 * memory. */
template <class Score, class Docid>
PRIM void topk_select(Score score, Docid docid, uint32_t n, uint32_t k, uint32_t *bins,
                      uint64_t *keys, karg_pair *out, uint32_t *count)
{
    uint64_t cut = topk_cut(score, docid, n, k, bins);
    if (prim_thread() == 0)
        bins[0] = 0;
    prim_sync();
#pragma unroll 4
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size()) {
        uint32_t s;
        if (!score(i, &s) || s < cut >> 32)
            continue;
        uint64_t key = topk_key(s, docid(i));
        uint32_t at = key >= cut ? prim_atomic_add(&bins[0], 1) : k;
        if (at < k)
            keys[at] = key;
    }
    prim_sync();
    topk_write(keys, prim_min(bins[0], k), k, out, count);
}

#endif
