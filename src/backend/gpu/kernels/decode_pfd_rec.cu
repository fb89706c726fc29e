/* decode_pfd_rec.cu: docids of lists in pfd_rec, to device memory; of decode_pfd_rec_gaps_kernel gaps less one.
 * One warp: a tile, a group of four blocks at a time; four slots a lane; the group's arrays are read from the last to the
 * first, a value a lane, and put to their places in shared memory: nothing recurses.
 * Reads lows word by word, neighbours together; writes 16 bytes a lane. Shared: 8,192 bytes a warp.
 * Limits: any bytes; a group whose arrays do not lie inside the payload has no exceptions, ranks past an array wrap.
 * Source: Ding et al. 2009, 3.2. */
#include "backend/gpu/kernels/prim/gaps.cuh"

enum {
    GROUP = 512,
    GROUP_BLOCKS = GROUP / KARG_BLOCK,
    LEVEL_MAX = 4,
    ARRAYS_MAX = (1 << (LEVEL_MAX + 2)) - 1,
    NO_EXCEPTIONS = 128, /* flag of byte 0 */
    VALUES = 1984,     /* of all arrays but the first: two of 512, four of 128, eight of 32, ... */
    ADDS = 2 * GROUP,  /* where in `values` they are, once no array is needed but 1 and 2 */
};

/* A group of a warp. */
struct alignas(16) rec_room {
    uint32_t values[VALUES];
    uint16_t counts[ARRAYS_MAX + 1];
    uint16_t at[ARRAYS_MAX + 1]; /* of arrays' low bits in the group's bytes */
};

static_assert(sizeof(rec_room) == KARG_SHARED_PFD_REC, "as launches have it");

/* An open list. */
struct rec_list {
    uint64_t widths, starts, lows, groups;
    uint32_t w, level, n_arrays; /* of one array: there are no exceptions */
    uint32_t groups_bytes;
};

PRIM uint32_t rec_depth(uint32_t i) { return prim_width(i + 1) - 1; }

/* Where array i, of at least 1, lies in `values`. */
PRIM uint32_t rec_values(uint32_t i)
{
    uint32_t depth = rec_depth(i), room = GROUP >> 2 * (depth - 1);
    return 2048 - (2048 >> (depth - 1)) + (i + 1 - (1U << depth)) * room;
}

PRIM uint32_t rec_width(const rec_list &l, uint32_t i)
{
    return prim_min((uint32_t)prim_load(prim_at<const uint8_t>(l.widths) + i), 32U);
}

/* What does not lie inside leaves a list of zeros. */
PRIM rec_list rec_open(const tile_view &t)
{
    uint32_t first = t.docs_bytes >= 2 ? pack_word(pack_at(t.docs), 0) : (uint32_t)NO_EXCEPTIONS;
    bool has = !(first & NO_EXCEPTIONS) && (first & 127) <= LEVEL_MAX;
    rec_list l;
    l.level = first & 127;
    l.n_arrays = has ? (1U << (l.level + 2)) - 1 : 1;
    l.w = prim_min(first >> 8 & 255, 32U);
    l.widths = t.docs + 1;
    l.starts = t.docs + 1 + l.n_arrays;
    uint64_t lows = 1 + l.n_arrays + (has ? 4 * (uint64_t)prim_div_up(t.n, GROUP) : 0);
    uint64_t groups = lows + ((uint64_t)t.n * l.w + 7) / 8;
    bool fits = groups <= t.docs_bytes;
    l.lows = t.docs + lows;
    l.groups = t.docs + groups;
    l.groups_bytes = fits ? (uint32_t)(t.docs_bytes - groups) : 0;
    l.w = fits ? l.w : 0;
    l.n_arrays = fits ? l.n_arrays : 1;
    l.lows = fits ? l.lows : t.docs;
    return l;
}

/* Arrays that have exceptions; those after them are leaves, one more. */
PRIM uint32_t rec_inner(const rec_list &l) { return l.n_arrays / 2; }

/* Finds the leaves, a lane each, that begin at byte `used` of the group. False: they do not fit. */
PRIM bool rec_leaves(const rec_list &l, uint32_t used, uint32_t left, rec_room *room)
{
    uint32_t i = rec_inner(l) + prim_lane(), bytes = 0;
    if (i < l.n_arrays)
        bytes = pack_bytes(room->counts[i] * rec_width(l, i));
    uint32_t up_to = scan_add<32>(bytes);
    if (i < l.n_arrays)
        room->at[i] = (uint16_t)(used + up_to - bytes);
    return used + prim_shuffle<32>(up_to, 31) <= left;
}

/* Finds the arrays of a group of `count` at `from`: those with exceptions one after the other, all lanes alike.
 * Returns the exceptions of array 0; 0 where something does not fit. */
PRIM uint32_t rec_counts(const rec_list &l, uint32_t from, uint32_t count, rec_room *room)
{
    uint32_t used = 0, left = l.groups_bytes - from;
    if (prim_lane() == 0)
        room->counts[0] = (uint16_t)count;
    prim_sync_tile();
    for (uint32_t i = 0; i < rec_inner(l); i++) {
        uint32_t n = room->counts[i], head = n == 0 ? 0 : i == 0 ? 2 : 1, w = rec_width(l, i);
        uint32_t exceptions = used + head <= left ? pack_one(pack_at(l.groups + from + used), 0, 8 * head) : 0;
        uint32_t lows = i ? pack_bytes(n * w) : 0;
        used += head;
        if (exceptions > (i ? n / 4 : n) || used + lows > left || (exceptions && w > 31) ||
            (i == 0 && exceptions == 0))
            return 0;
        if (prim_lane() == 0) {
            room->at[i] = (uint16_t)used;
            room->counts[2 * i + 1] = room->counts[2 * i + 2] = (uint16_t)exceptions;
        }
        prim_sync_tile();
        used += lows;
    }
    bool fits = rec_leaves(l, used, left, room);
    prim_sync_tile();
    return fits ? room->counts[1] : 0;
}

/* Value j of array i, of a group at `in`: leaves are read as they lie. */
PRIM uint32_t rec_value(const rec_list &l, uint64_t in, const rec_room *room, uint32_t i, uint32_t j)
{
    if (i < rec_inner(l))
        return room->values[rec_values(i) + j];
    uint32_t w = rec_width(l, i);
    return pack_one(pack_at(in + room->at[i]), j * w, w);
}

/* The exceptions of array i, of n values at `to`, added to them. */
PRIM void rec_patch(const rec_list &l, uint64_t in, const rec_room *room, uint32_t i, uint32_t n, uint32_t *to)
{
    uint32_t done = 0, k = room->counts[2 * i + 1], w = rec_width(l, i);
    for (uint32_t from = 0; from < k; from += 32) {
        uint32_t j = from + prim_lane(), step = 0, high = 0;
        if (j < k) {
            step = rec_value(l, in, room, 2 * i + 1, j) + 1;
            high = rec_value(l, in, room, 2 * i + 2, j) + 1;
        }
        uint32_t up_to = scan_add<32>(step), at = done + up_to - 1;
        if (j < k && at < n)
            to[at] += high << (w & 31);
        done += prim_shuffle<32>(up_to, 31);
    }
}

/* Array i, of those with exceptions and not the first, whose exceptions' arrays are read. */
PRIM void rec_read(const rec_list &l, uint64_t in, uint32_t i, rec_room *room)
{
    uint32_t n = room->counts[i], w = rec_width(l, i), *to = room->values + rec_values(i);
    pack_bits lows = pack_at(in + room->at[i]);
    for (uint32_t k = prim_lane(); k < n; k += 32)
        to[k] = pack_one(lows, k * w, w);
    prim_sync_tile();
    rec_patch(l, in, room, i, n, to);
    prim_sync_tile();
}

/* What is to be added to the gaps of group g; false: nothing. */
PRIM bool rec_group(const rec_list &l, uint32_t g, uint32_t count, rec_room *room)
{
    if (l.n_arrays == 1)
        return false;
    uint32_t from = pack_word(pack_at(l.starts + 4 * (uint64_t)g), 0);
    uint64_t in = l.groups + from;
    if (from > l.groups_bytes || rec_counts(l, from, count, room) == 0)
        return false;
    for (uint32_t i = rec_inner(l); i-- > 1;)
        if (room->counts[i])
            rec_read(l, in, i, room);
    uint4 *adds = (uint4 *)(room->values + ADDS);
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++)
        adds[32 * u + prim_lane()] = make_uint4(0, 0, 0, 0);
    prim_sync_tile();
    rec_patch(l, in, room, 0, count, room->values + ADDS);
    prim_sync_tile();
    return true;
}

/* Postings of block b, if the tile has it. */
PRIM uint32_t rec_count(const tile_view &t, uint32_t b)
{
    return b - t.block < t.blocks ? prim_min(t.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK) : 0;
}

/* Its low bits; of no postings: what is there. */
PRIM pack_bits rec_lows(const rec_list &l, uint32_t b, uint32_t count)
{
    return pack_at(l.lows + (count ? (uint64_t)b * (KARG_BLOCK / 8) * l.w : 0));
}

template <bool GAPS> PRIM void rec_blocks(const tile_view &t, const rec_list &l, uint32_t g, rec_room *room)
{
    pack_four lows[GROUP_BLOCKS];
    uint32_t base[GROUP_BLOCKS];
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++) {
        uint32_t b = g * GROUP_BLOCKS + u, count = rec_count(t, b);
        lows[u] = pack_load(rec_lows(l, b, count), gaps_bit(count, l.w));
        base[u] = count && !GAPS ? tile_base(t, b) : 0;
    }
    bool has = rec_group(l, g, prim_min(t.n - g * GROUP, (uint32_t)GROUP), room);
    const uint4 *adds = (const uint4 *)(room->values + ADDS);
#pragma unroll
    for (uint32_t u = 0; u < GROUP_BLOCKS; u++) {
        uint32_t b = g * GROUP_BLOCKS + u, v[4];
        pack_values(lows[u], rec_lows(l, b, rec_count(t, b)), gaps_bit(rec_count(t, b), l.w), l.w, v);
        uint4 add = has ? adds[32 * u + prim_lane()] : make_uint4(0, 0, 0, 0);
        v[0] += add.x;
        v[1] += add.y;
        v[2] += add.z;
        v[3] += add.w;
        if (!GAPS)
            gaps_sum(base[u], v);
        tile_store(t.out + (b - t.block) * KARG_BLOCK, gaps_slot(), rec_count(t, b), v);
    }
    prim_sync_tile();
}

template <bool GAPS> PRIM void rec_decode(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, number);
    rec_list l = rec_open(t);
    rec_room *room = (rec_room *)prim_shared() + prim_warp();
    for (uint32_t g = t.block / GROUP_BLOCKS; g * GROUP_BLOCKS < t.block + t.blocks; g++)
        rec_blocks<GAPS>(t, l, g, room);
}

RP_KERNEL(decode_pfd_rec_kernel, karg_decode) { rec_decode<false>(a); }
RP_KERNEL(decode_pfd_rec_gaps_kernel, karg_decode) { rec_decode<true>(a); }
