/* decode_pfd_rec.cu: docids of lists in pfd_rec, to device memory; of decode_pfd_rec_gaps_kernel
 * gaps less one. One warp: a tile, a group of four blocks at a time, four slots a lane. Of the
 * usual groups, of one level and up to 64 exceptions, a lane has two, and half a warp the
 * exceptions of their steps, half those of their highs; the arrays of others are read from the last
 * to the first, a value a lane, and put to their places in shared memory: nothing recurses. Reads
 * heads by lanes, lows word by word, neighbours together; writes 16 bytes a lane. Shared: 8,704
 * bytes a warp.
 * Limits: any bytes; a group whose arrays do not lie inside the payload has no exceptions, ranks
 *         past an array wrap.
 * Source: Ding et al. 2009, section 5. Not literal: the paper has two arrays of exceptions for the
 *         whole list, and always decodes them whole. The index format has them by groups of 512, so
 *         that a group can be read alone. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum {
    GROUP_BLOCKS = REC_GROUP / KARG_BLOCK,
    VALUES = 1984, /* of all arrays but the first: two of 512, four of 128, eight of 32, ... */
    ADDS = 2 * REC_GROUP, /* where in `values` they are, once no array is needed but 1 and 2 */
    EASY_MAX = 64,        /* exceptions of a group that a warp takes at once, and */
    EASY_WIDTH = 16,      /* bits of their steps' and highs' lows */
    GROUPS_MAX = 16,      /* that a tile of 32 blocks may touch, and more */
};

/* What a lane finds out about a group, where it is easy. */
struct alignas(16) rec_head {
    uint32_t at; /* of its bytes, from the list's first word */
    /* exceptions; 0: none, or they do not fit; more than EASY_MAX: no easy group */
    uint32_t n;
    uint32_t inner; /* exceptions of the steps, and in the high half of the highs */
    uint32_t highs; /* where their lows begin in the group; those of the steps at byte 3 */
    /* where those of the steps' exceptions begin, steps and, in the high half, highs; of the
     * highs' */
    uint32_t leaves[2];
    uint32_t zero[2];
};

/* A group of a warp. */
struct alignas(16) rec_scratch {
    rec_head heads[GROUPS_MAX]; /* of the tile */
    uint32_t values[VALUES];
    uint16_t counts[REC_ARRAYS + 1];
    uint16_t at[REC_ARRAYS + 1]; /* of arrays' low bits in the group's bytes */
};

static_assert(sizeof(rec_scratch) == KARG_SHARED_PFD_REC, "as launches have it");

PRIM uint32_t rec_depth(uint32_t i)
{
    return prim_width(i + 1) - 1;
}

/* Where array i, of at least 1, lies in `values`. */
PRIM uint32_t rec_values(uint32_t i)
{
    uint32_t depth = rec_depth(i), capacity = REC_GROUP >> 2 * (depth - 1);
    return 2048 - (2048 >> (depth - 1)) + (i + 1 - (1U << depth)) * capacity;
}

/* Finds the leaves, a lane each, that begin at byte `used` of the group. False: they do not fit. */
PRIM bool rec_leaves(const rec_list &l, uint32_t used, uint32_t left, rec_scratch *scratch)
{
    uint32_t i = rec_inner(l) + prim_lane(), bytes = 0;
    if (i < l.n_arrays)
        bytes = bitpack_bytes(scratch->counts[i] * rec_width(l, i));
    uint32_t up_to = scan_add<32>(bytes);
    if (i < l.n_arrays)
        scratch->at[i] = (uint16_t)(used + up_to - bytes);
    return used + prim_shuffle<32>(up_to, 31) <= left;
}

/* Finds the arrays of a group of `count` at `from`: those with exceptions one after the other, all
 * lanes alike. Returns the exceptions of array 0; 0 where something does not fit. */
PRIM uint32_t rec_counts(const rec_list &l, uint32_t from, uint32_t count, rec_scratch *scratch)
{
    uint32_t used = 0, left = l.groups_bytes - from;
    if (prim_lane() == 0)
        scratch->counts[0] = (uint16_t)count;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t i = 0; i < rec_inner(l); i++) {
        uint32_t n = scratch->counts[i], head = n == 0 ? 0 : i == 0 ? 2 : 1, w = rec_width(l, i);
        uint32_t exceptions =
            used + head <= left ? bitpack_one(bitpack_at(l.groups + from + used), 0, 8 * head) : 0;
        uint32_t lows = i ? bitpack_bytes(n * w) : 0;
        used += head;
        if (exceptions > (i ? n / 4 : n) || used + lows > left || (exceptions && w > 31) ||
            (i == 0 && exceptions == 0))
            return 0;
        if (prim_lane() == 0) {
            scratch->at[i] = (uint16_t)used;
            scratch->counts[2 * i + 1] = scratch->counts[2 * i + 2] = (uint16_t)exceptions;
        }
        prim_sync_tile();
        used += lows;
    }
    bool fits = rec_leaves(l, used, left, scratch);
    prim_sync_tile();
    return fits ? scratch->counts[1] : 0;
}

/* Value j of array i, of a group at `in`: leaves are read as they lie. */
PRIM uint32_t rec_value(const rec_list &l, uint64_t in, const rec_scratch *scratch, uint32_t i,
                        uint32_t j)
{
    if (i < rec_inner(l))
        return scratch->values[rec_values(i) + j];
    uint32_t w = rec_width(l, i);
    return bitpack_one(bitpack_at(in + scratch->at[i]), j * w, w);
}

/* The exceptions of array i, of n values at `to`, added to them. */
PRIM void rec_patch(const rec_list &l, uint64_t in, const rec_scratch *scratch, uint32_t i,
                    uint32_t n, uint32_t *to)
{
    uint32_t done = 0, k = scratch->counts[2 * i + 1], w = rec_width(l, i);
#pragma unroll 1
    for (uint32_t from = 0; from < k; from += 32) {
        uint32_t j = from + prim_lane(), step = 0, high = 0;
        if (j < k) {
            step = rec_value(l, in, scratch, 2 * i + 1, j) + 1;
            high = rec_value(l, in, scratch, 2 * i + 2, j) + 1;
        }
        uint32_t up_to = scan_add<32>(step), at = done + up_to - 1;
        if (j < k && at < n)
            prim_atomic_add(&to[at], high << (w & 31));
        done += prim_shuffle<32>(up_to, 31);
    }
}

/* Array i, of those with exceptions and not the first, whose exceptions' arrays are read. */
PRIM void rec_read(const rec_list &l, uint64_t in, uint32_t i, rec_scratch *scratch)
{
    uint32_t n = scratch->counts[i], w = rec_width(l, i), *to = scratch->values + rec_values(i);
    bitpack_bits lows = bitpack_at(in + scratch->at[i]);
#pragma unroll 1
    for (uint32_t k = prim_lane(); k < n; k += 32)
        to[k] = bitpack_one(lows, k * w, w);
    prim_sync_tile();
    rec_patch(l, in, scratch, i, n, to);
    prim_sync_tile();
}

/* What is to be added to the gaps of group g, of any kind; false: nothing. */
PRIM bool rec_group(uint64_t docs, uint32_t docs_bytes, uint32_t n, uint32_t g,
                    rec_scratch *scratch)
{
    rec_list l = rec_open(docs, docs_bytes, n);
    uint32_t count = prim_min(n - g * REC_GROUP, (uint32_t)REC_GROUP);
    uint32_t from = bitpack_word(bitpack_at(l.starts + 4 * (uint64_t)g), 0);
    uint64_t in = l.groups + from;
    if (from > l.groups_bytes || rec_counts(l, from, count, scratch) == 0)
        return false;
#pragma unroll 1
    for (uint32_t i = rec_inner(l); i-- > 1;)
        if (scratch->counts[i])
            rec_read(l, in, i, scratch);
    uint4 *adds = (uint4 *)(scratch->values + ADDS);
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++)
        adds[32 * u + prim_lane()] = make_uint4(0, 0, 0, 0);
    prim_sync_tile();
    rec_patch(l, in, scratch, 0, count, scratch->values + ADDS);
    prim_sync_tile();
    return true;
}

/* ---- Easy groups ----------------------------------------------------------------------------- */

/* The head of group g: of one level, where all lies. */
PRIM rec_head rec_look(const rec_list &l, uint64_t words, uint32_t g)
{
    rec_head h = {};
    uint32_t from = bitpack_word(bitpack_at(l.starts + 4 * (uint64_t)g), 0);
    if (from > l.groups_bytes || l.groups_bytes - from < 2)
        return h;
    uint64_t in = l.groups + from;
    uint32_t first = bitpack_word(bitpack_at(in), 0), n = first & 0xFFFF, k1 = first >> 16 & 255,
             left = l.groups_bytes - from;
    uint32_t w1 = rec_width(l, 1), w2 = rec_width(l, 2);
    h.at = (uint32_t)(in - words);
    h.n = n;
    if (l.level != 1 || n == 0 || n > EASY_MAX || w1 > EASY_WIDTH || w2 > EASY_WIDTH) {
        h.n = n ? EASY_MAX + 1 : 0;
        return h;
    }
    uint32_t at = 3 + bitpack_bytes(n * w1),
             k2 = at < left ? prim_load(prim_at<const uint8_t>(in + at)) : 0;
    h.highs = at + 1;
    h.inner = k1 | k2 << 16;
    uint32_t at3 = h.highs + bitpack_bytes(n * w2), at4 = at3 + bitpack_bytes(k1 * rec_width(l, 3));
    uint32_t at5 = at4 + bitpack_bytes(k1 * rec_width(l, 4)),
             at6 = at5 + bitpack_bytes(k2 * rec_width(l, 5));
    h.leaves[0] = at3 | at4 << 16;
    h.leaves[1] = at5 | at6 << 16;
    bool fits =
        k1 <= n / 4 && k2 <= n / 4 && at6 + bitpack_bytes(k2 * rec_width(l, 6)) <= left && l.w < 32;
    h.n = fits ? n : 0;
    return h;
}

/* Widths of a list's easy groups: of steps and highs; of the leaves that the lane has, and what it
 * belongs to. */
struct rec_widths {
    uint32_t steps, highs, step, high, own;
};

PRIM rec_widths rec_widths_of(const rec_list &l)
{
    if (l.n_arrays < 7)
        return {};
    uint32_t is_high = prim_lane() / 16;
    return {rec_width(l, 1), rec_width(l, 2), rec_width(l, 3 + 2 * is_high),
            rec_width(l, 4 + 2 * is_high), rec_width(l, 1 + is_high)};
}

/* An easy group on its way: two exceptions of the lane, and one of these'. */
struct rec_easy {
    bitpack_pair steps, highs, step, high;

    PRIM_MEMBER uint32_t inner(const rec_head &h)
    {
        return prim_lane() < 16 ? h.inner & 0xFFFF : h.inner >> 16;
    }
    PRIM_MEMBER void load(const rec_widths &w, const uint32_t *words, const rec_head &h)
    {
        uint32_t j = prim_lane() % 16 < inner(h) ? prim_lane() % 16 : 0,
                 i = 2 * prim_lane() < h.n ? 2 * prim_lane() : 0;
        uint32_t leaves = prim_lane() < 16 ? h.leaves[0] : h.leaves[1];
        steps.load(words, h.at + 3, i * w.steps);
        highs.load(words, h.at + h.highs, i * w.highs);
        step.load(words, h.at + (leaves & 0xFFFF), j * w.step);
        high.load(words, h.at + (leaves >> 16), j * w.high);
    }
    /* The exceptions of steps, values 0 to 63 of the room, and of highs, those from 64 on, added to
     * the lane's. */
    PRIM_MEMBER void patch(const rec_widths &w, const rec_head &h, uint32_t *scratch, uint32_t s[2],
                           uint32_t v[2])
    {
        uint2 *mine = (uint2 *)scratch + prim_lane();
        mine[0] = mine[32] = make_uint2(0, 0);
        prim_sync_tile();
        uint32_t at = scan_add_all<16>((step.value() & prim_mask(w.step)) + 1) - 1;
        if (prim_lane() % 16 < inner(h))
            prim_atomic_add(&scratch[prim_lane() / 16 * EASY_MAX + at % EASY_MAX],
                            ((high.value() & prim_mask(w.high)) + 1) << (w.own & 31));
        prim_sync_tile();
        s[0] += mine[0].x;
        s[1] += mine[0].y;
        v[0] += mine[32].x;
        v[1] += mine[32].y;
    }
    /* What is to be added to the gaps, whose lows have `low` bits, to `adds`. */
    PRIM_MEMBER void place(const rec_widths &w, const rec_head &h, uint32_t low, uint32_t *scratch,
                           uint32_t *adds)
    {
        uint32_t mask = (1U << w.steps) - 1, high_mask = (1U << w.highs) - 1, j = 2 * prim_lane();
        uint32_t s[2] = {steps.value() & mask, steps.value() >> w.steps & mask};
        uint32_t v[2] = {highs.value() & high_mask, highs.value() >> w.highs & high_mask};
#pragma unroll
        for (uint32_t u = 0; u < GROUP_BLOCKS; u++)
            ((uint4 *)adds)[32 * u + prim_lane()] = make_uint4(0, 0, 0, 0);
        if (h.inner)
            patch(w, h, scratch, s, v);
        else
            prim_sync_tile();
        uint32_t at = scan_add_all<32>(s[0] + s[1] + 2) - 1;
        if (j < h.n)
            /* ranks of damaged bytes wrap */
            prim_atomic_add(&adds[(at - s[1] - 1) % REC_GROUP], (v[0] + 1) << (low & 31));
        if (j + 1 < h.n)
            prim_atomic_add(&adds[at % REC_GROUP], (v[1] + 1) << (low & 31));
        prim_sync_tile();
    }
};

/* Postings of block b, if the tile has it. */
PRIM uint32_t rec_count(const tile_view &t, uint32_t b)
{
    return b - t.block < t.blocks ? prim_min(t.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK) : 0;
}

template <bool GAPS, int K>
PRIM void rec_blocks(const tile_view &t, const rec_list &l, const rec_widths &w, uint32_t g,
                     const rec_head &h, rec_scratch *scratch)
{
    const uint32_t *words = prim_at<const uint32_t>(t.docs & ~(uint64_t)3);
    uint32_t base[GROUP_BLOCKS], *adds = scratch->values + ADDS;
    bitpack_quad<K> lows[GROUP_BLOCKS];
    bool has = h.n > EASY_MAX ? rec_group(t.docs, t.docs_bytes, t.n, g, scratch) : h.n != 0;
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++) {
        uint32_t b = g * GROUP_BLOCKS + u, count = rec_count(t, b),
                 at = count ? b * (KARG_BLOCK / 8) * l.w : 0;
        lows[u].load(words, (uint32_t)(l.lows - (t.docs & ~(uint64_t)3)) + at,
                     delta_bit(count, l.w), l.w);
        base[u] = count && !GAPS ? tile_base(t, b) : 0;
    }
    if (h.n && h.n <= EASY_MAX) {
        rec_easy easy;
        easy.load(w, words, h);
        easy.place(w, h, l.w, scratch->values, adds);
    }
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++) {
        uint32_t b = g * GROUP_BLOCKS + u, v[4];
        lows[u].values(l.w, v);
        if (has) {
            uint4 add = ((const uint4 *)adds)[32 * u + prim_lane()];
            v[0] += add.x;
            v[1] += add.y;
            v[2] += add.z;
            v[3] += add.w;
        }
        if (!GAPS)
            delta_sum(base[u], v);
        tile_store(t.out + (b - t.block) * KARG_BLOCK, delta_slot(), rec_count(t, b), v);
    }
    prim_sync_tile();
}

/* Heads of the tile's groups, a lane each; their bytes, and the tile's lows, are on their way
 * then. */
PRIM void rec_open_groups(const tile_view &t, const rec_list &l, uint32_t first, uint32_t n,
                          rec_scratch *scratch)
{
    uint64_t words = t.docs & ~(uint64_t)3,
             low = l.lows + (uint64_t)t.block * (KARG_BLOCK / 8) * l.w;
    uint32_t left = (uint32_t)(t.docs + t.docs_bytes - low);
    tile_prefetch(low, 0, prim_min(t.blocks * (KARG_BLOCK / 8) * l.w, left), TILE_LINE);
    rec_head mine = {};
    if (prim_lane() < n && l.n_arrays > 1)
        mine = rec_look(l, words, first + prim_lane());
    if (prim_lane() < n)
        scratch->heads[prim_lane()] = mine;
    prim_sync_tile();
}

template <bool GAPS, int K>
PRIM void rec_groups(const tile_view &t, const rec_list &l, rec_scratch *scratch)
{
    uint32_t first = t.block / GROUP_BLOCKS,
             n = prim_div_up(t.block + t.blocks, GROUP_BLOCKS) - first;
    if (n > GROUPS_MAX)
        prim_trap();
    rec_widths w = rec_widths_of(l);
    rec_open_groups(t, l, first, n, scratch);
#pragma unroll 1
    for (uint32_t i = 0; i < n; i++)
        rec_blocks<GAPS, K>(t, l, w, first + i, scratch->heads[i], scratch);
}

template <bool GAPS> PRIM void rec_decode(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, number);
    rec_list l = rec_open(t.docs, t.docs_bytes, t.n);
    rec_scratch *scratch = (rec_scratch *)prim_shared() + prim_warp();
    if (l.w <= 8)
        rec_groups<GAPS, 8>(t, l, scratch);
    else if (l.w <= 16)
        rec_groups<GAPS, 16>(t, l, scratch);
    else
        rec_groups<GAPS, 32>(t, l, scratch);
}

RP_KERNEL_BOUNDED(decode_pfd_rec_kernel, karg_decode, 128, 6)
{
    rec_decode<false>(a);
}
RP_KERNEL_BOUNDED(decode_pfd_rec_gaps_kernel, karg_decode, 128, 6)
{
    rec_decode<true>(a);
}
