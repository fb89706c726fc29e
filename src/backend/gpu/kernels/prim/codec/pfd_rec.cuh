/* pfd_rec.cuh: lists of pfd_rec (docs/format.md, chapter 7), and whether a group of one is sound,
 * by one thread: its arrays lie inside, and exceptions within what they are added to.
 *
 * Positions are steps, of which the sum alone matters: that of an array is that of its lows, and of
 * its exceptions' high parts, whose sum is the sum of another array. So sums are enough, from the
 * last array to the first. */
#ifndef RP_KERNELS_PFD_REC_CUH
#define RP_KERNELS_PFD_REC_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"

enum {
    REC_GROUP = 512,
    REC_LEVEL_MAX = 4,
    REC_ARRAYS = (1 << (REC_LEVEL_MAX + 2)) - 1,
    REC_NO_EXCEPTIONS = 128, /* flag of byte 0 */
};

/* An open list. */
struct rec_list {
    uint64_t widths, starts, lows, groups;
    uint32_t w, level, n_arrays; /* of one array: there are no exceptions */
    uint32_t groups_bytes;
};

PRIM uint32_t rec_width(const rec_list &l, uint32_t i)
{
    return prim_min((uint32_t)prim_load(prim_at<const uint8_t>(l.widths) + i), 32U);
}

/* What does not lie inside leaves a list of zeros. */
PRIM rec_list rec_open(uint64_t docs, uint32_t docs_bytes, uint32_t n)
{
    uint32_t first =
        docs_bytes >= 2 ? bitpack_word(bitpack_at(docs), 0) : (uint32_t)REC_NO_EXCEPTIONS;
    bool has = !(first & REC_NO_EXCEPTIONS) && (first & 127) <= REC_LEVEL_MAX;
    rec_list l;
    l.level = first & 127;
    l.n_arrays = has ? (1U << (l.level + 2)) - 1 : 1;
    l.w = prim_min(first >> 8 & 255, 32U);
    l.widths = docs + 1;
    l.starts = docs + 1 + l.n_arrays;
    uint64_t lows = 1 + l.n_arrays + (has ? 4 * (uint64_t)prim_div_up(n, REC_GROUP) : 0);
    uint64_t groups = lows + ((uint64_t)n * l.w + 7) / 8;
    bool fits = groups <= docs_bytes;
    l.lows = docs + lows;
    l.groups = docs + groups;
    l.groups_bytes = fits ? (uint32_t)(docs_bytes - groups) : 0;
    l.w = fits ? l.w : 0;
    l.n_arrays = fits ? l.n_arrays : 1;
    l.lows = fits ? l.lows : docs;
    return l;
}

/* Arrays that have exceptions; those after them are leaves, one more. */
PRIM uint32_t rec_inner(const rec_list &l)
{
    return l.n_arrays / 2;
}

/* ---- By a thread ----------------------------------------------------------------------------- */

/* Arrays of a group. */
struct rec_arrays {
    uint16_t counts[2 * REC_ARRAYS + 1], at[REC_ARRAYS];
};

/* Finds the arrays in the bytes of `in`, of a group of in.n; n of them, of which the first half
 * have exceptions. */
PRIM bool rec_find(const sound_bytes &in, const sound_bytes &widths, uint32_t n, rec_arrays *out)
{
    uint32_t used = 0;
    out->counts[0] = (uint16_t)in.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = out->counts[i], w = sound_byte(widths, i),
                 head = count == 0 || i >= n / 2 ? 0
                        : i == 0                 ? 2
                                                 : 1;
        if (in.bytes - used < head)
            return false;
        uint32_t exceptions =
            head ? sound_byte(in, used) | (head == 2 ? sound_byte(in, used + 1) << 8 : 0) : 0;
        uint32_t lows = i ? bitpack_bytes(count * w) : 0;
        used += head;
        if (exceptions > (i ? count / 4 : count) || (exceptions && w > 31) ||
            in.bytes - used < lows)
            return false;
        out->at[i] = (uint16_t)used;
        used += lows;
        if (i < n / 2)
            out->counts[2 * i + 1] = out->counts[2 * i + 2] = (uint16_t)exceptions;
    }
    return true;
}

/* Sums that matter stay small; others only must not become so again. */
PRIM uint64_t rec_held(uint64_t sum)
{
    return prim_min(sum, (uint64_t)1 << 32);
}

PRIM bool rec_sums(const sound_bytes &in, const sound_bytes &widths, uint32_t n,
                   const rec_arrays &arrays)
{
    uint64_t sums[REC_ARRAYS];
    for (uint32_t i = n; i-- > 0;) {
        uint32_t count = arrays.counts[i], w = sound_byte(widths, i),
                 exceptions = i < n / 2 ? arrays.counts[2 * i + 1] : 0;
        if (exceptions && rec_held(sums[2 * i + 1]) + exceptions > count)
            return false;
        sums[i] = exceptions ? (rec_held(sums[2 * i + 2]) + exceptions) << (w & 31) : 0;
        for (uint32_t k = 0; i > 0 && k < count; k++)
            sums[i] += sound_bits(in, arrays.at[i], k * w, w);
    }
    return true;
}

/* Group g of a list of n postings. */
PRIM bool pfd_rec_is_sound(const sound_bytes &list, uint32_t g)
{
    uint32_t first = sound_byte(list, 0), level = first & 127, has = !(first & REC_NO_EXCEPTIONS);
    if (list.bytes < 2 || level > REC_LEVEL_MAX)
        return false;
    uint32_t n = has ? (1U << (level + 2)) - 1 : 1;
    uint64_t lows = 1 + n + (has ? 4 * (uint64_t)prim_div_up(list.n, REC_GROUP) : 0);
    uint64_t groups = lows + ((uint64_t)list.n * sound_byte(list, 1) + 7) / 8;
    sound_bytes widths = {list.at + 1, n, n};
    for (uint32_t i = 0; i < n && lows <= list.bytes; i++)
        if (sound_byte(widths, i) > 32)
            return false;
    if (groups > list.bytes)
        return false;
    if (!has)
        return true;
    uint32_t from = sound_bits(list, 1 + n + 4 * g, 0, 32), bytes = list.bytes - (uint32_t)groups;
    rec_arrays arrays;
    if (from > bytes)
        return false;
    sound_bytes in = {list.at + groups + from, bytes - from,
                      prim_min<uint32_t>(list.n - g * REC_GROUP, REC_GROUP)};
    return rec_find(in, widths, n, &arrays) && rec_sums(in, widths, n, arrays);
}

#endif
