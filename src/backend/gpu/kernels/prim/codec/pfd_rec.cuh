/* pfd_rec.cuh: whether a group of pfd_rec (docs/format.md, chapter 7) is sound, by one
 * thread: its arrays lie inside, and exceptions within what they are added to.
 *
 * Positions are steps, of which the sum alone matters: that of an array is that of its lows, and of
 * its exceptions' high parts, whose sum is the sum of another array. So sums are enough, from the
 * last array to the first. */
#ifndef RP_KERNELS_PFD_REC_CUH
#define RP_KERNELS_PFD_REC_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"

enum {
    REC_GROUP = 512,
    REC_LEVEL_MAX = 4,
    REC_ARRAYS = (1 << (REC_LEVEL_MAX + 2)) - 1,
    REC_NO_EXCEPTIONS = 128, /* flag of byte 0 */
};

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
