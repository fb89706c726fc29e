/* efsum.cuh: blocks of efsum (docs/format.md, chapter 6): those of ef128, or ranks at which the
 * running sum of values makes a step, themselves a block of ef128. By a warp, a step is counted at
 * its rank, through shared memory: docids, or values without the sum (freq_efsum_*). */
#ifndef RP_KERNELS_EFSUM_CUH
#define RP_KERNELS_EFSUM_CUH

#include "backend/gpu/kernels/prim/codec/ef128.cuh"
#include "backend/gpu/kernels/prim/warp/exceptions.cuh"

enum { EFSUM_STEPS = 128 }; /* a form from which on it is steps, so many more */

struct alignas(16) efsum_scratch {
    uint32_t steps[KARG_BLOCK];
    unsigned char scratch[block_ef128::SCRATCH];
};

/* A lane's four docids of a block of `count` in bytes from..to, from the list's first word on;
 * `base` is the least. */
PRIM void efsum_docids(const block_list &list, uint32_t from, uint32_t to, uint32_t count,
                       uint32_t base, efsum_scratch *scratch, uint32_t v[4])
{
    uint32_t form = from < to ? block_byte(list, from) : 0, has = form >= EFSUM_STEPS,
             n = has ? form - EFSUM_STEPS : count;
    const block_head head[1] = {block_ef128::head_at(list, from + has, to, n, has ? 0 : base)};
    exceptions_clear(scratch->steps);
    block_rows<block_ef128, 4, 32, 1, BLOCK_ANY>(
        list, head, 0, scratch->scratch,
        [&](uint32_t, const block_head &, uint32_t first, const uint32_t *docids, uint32_t here) {
#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                v[k] = docids[k];
                if (has && k < here)
                    exceptions_put(scratch->steps, docids[k] - first - k, 1);
            }
        });
    prim_sync_tile();
    if (has) {
        uint4 steps = ((const uint4 *)scratch->steps)[prim_lane()];
        v[0] = steps.x, v[1] = steps.y, v[2] = steps.z, v[3] = steps.w;
        delta_sum(base - 1, v);
    }
    prim_sync_tile();
}

/* ---- Values without their sum ---------------------------------------------------------------- */

/* Bits of a frame in device memory. */
struct efsum_stored {
    bitpack_bits at;

    PRIM_MEMBER uint32_t bits(uint32_t bit, uint32_t w) const { return bitpack_one(at, bit, w); }
};

/* A frame as a block of ef128, of its values or of the ranks of its steps: the bits at which its
 * parts begin. In a form of low and high bits w is the width of the low ones, and the high ones end
 * within `limit`; in others values of w bits are there, which do not lie inside if count is 0. */
struct efsum_parts {
    uint32_t count, w, low, high, limit;
    bool has_steps, has_highs;
};

template <class IN> PRIM efsum_parts efsum_open(const IN &in, uint32_t bytes, uint32_t n)
{
    const uint32_t head = bytes ? in.bits(0, 32) : 0, has = (head & 255) >= EFSUM_STEPS,
                   form = head >> 8 * has & 255, is_plain = form == block_ef128::PLAIN;
    efsum_parts p = {
        has ? (head & 255) - EFSUM_STEPS : n, form, 8 * (1 + has), 0, 0, has != 0, true};
    if (form >= block_ef128::ZEROS) {
        p.has_highs = false;
        p.w = is_plain ? head >> 8 * (1 + has) & 255 : 0;
        p.low += 8 * is_plain;
    }
    p.high = p.low + 8 * bitpack_bytes(p.count * prim_min(p.w, 33U));
    if (form > block_ef128::PLAIN || p.w > 32 || p.high > 8 * bytes)
        p.count = 0;
    if (p.count)
        p.limit = prim_min(8 * bytes - p.high, 3 * p.count - 1);
    return p;
}

/* The place of end k, counted from bit `from` of the high part on; the limit: there is none. */
template <class IN>
PRIM uint32_t efsum_end(const IN &in, const efsum_parts &p, uint32_t flip, uint32_t from,
                        uint32_t k)
{
#pragma unroll 1
    for (; from < p.limit; from += 32) {
        uint32_t left = prim_min(p.limit - from, 32U),
                 ends = (in.bits(p.high + from, 32) ^ flip) & prim_mask(left),
                 here = prim_count(ends);
        if (k < here) {
            for (; k > 0; k--)
                ends &= ends - 1;
            return from + prim_lowest(ends);
        }
        k -= here;
    }
    return p.limit;
}

/* How often i is among the ranks: of high bits only those are looked at that i has. */
template <class IN> PRIM uint32_t efsum_steps_at(const IN &in, const efsum_parts &p, uint32_t i)
{
    uint32_t value = 0, rank = 0, z = p.has_highs ? i >> p.w : 0;
    if (!p.has_highs) {
        for (uint32_t j = 0; j < p.count; j++)
            value += (rank += in.bits(p.low + j * p.w, p.w)) == i;
        return value;
    }
    uint32_t at = z ? 1 + efsum_end(in, p, ~0U, 0, z - 1) : 0;
    for (uint32_t j = at - z; j < p.count && at < p.limit && in.bits(p.high + at, 1); j++, at++)
        value += in.bits(p.low + j * p.w, p.w) == (i & prim_mask(p.w));
    return value;
}

/* Value i of the n, 1 to 128, i below n. Any bytes: what does not lie inside is 0. */
template <class IN> PRIM uint32_t efsum_value(const IN &in, uint32_t bytes, uint32_t n, uint32_t i)
{
    const efsum_parts p = efsum_open(in, bytes, n);
    uint32_t before = 0, from = 0;
    if (p.has_steps)
        return efsum_steps_at(in, p, i);
    if (!p.has_highs || p.count == 0)
        return p.count ? in.bits(p.low + i * p.w, p.w) : 0;
    if (i) {
        from = efsum_end(in, p, 0, 0, i - 1);
        before = (from - (i - 1)) << p.w | in.bits(p.low + (i - 1) * p.w, p.w);
        from++;
    }
    uint32_t end = efsum_end(in, p, 0, from, 0);
    if (end >= p.limit)
        return 0;
    return ((end - i) << p.w | in.bits(p.low + i * p.w, p.w)) - before;
}

PRIM_APART uint32_t freq_efsum_at(uint64_t at, uint32_t bytes, uint32_t n, uint32_t i)
{
    return efsum_value(efsum_stored{bitpack_at(at)}, bytes, n, i);
}

/* By a warp: the lane's four running sums, of values or of ranks. A lane has an equal part of the
 * high bits, and puts what ends there at its rank; those of damaged bytes may be missing. */
PRIM void efsum_sums(const efsum_stored &in, const efsum_parts &p, uint32_t *scratch, uint32_t v[4])
{
    const uint32_t slot = 4 * prim_lane(), part = (p.limit + 31) / 32,
                   from = prim_min(prim_lane() * part, p.limit);
    if (!p.has_highs) {
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = (k ? v[k - 1] : 0) +
                   (slot + k < p.count ? in.bits(p.low + (slot + k) * p.w, p.w) : 0);
        uint32_t before = scan_add<32>(v[3]) - v[3];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] += before;
        return;
    }
    uint32_t ends = in.bits(p.high + from, 32) & prim_mask(prim_min(part, p.limit - from)),
             j = scan_add<32>(prim_count(ends)) - prim_count(ends);
    exceptions_clear(scratch);
#pragma unroll 1
    for (; ends && j < p.count; ends &= ends - 1, j++)
        scratch[j] = (from + prim_lowest(ends) - j) << p.w | in.bits(p.low + j * p.w, p.w);
    v[0] = v[1] = v[2] = v[3] = 0;
    exceptions_take(scratch, v);
}

/* By a warp: of the n values, 1 to 128, in these bytes, those from 4 times the lane's number on;
 * what is past the last is some number, and so is what does not lie inside. `scratch` as
 * freq_optpfd_four has it. */
PRIM_APART uint4 freq_efsum_four(uint64_t at, uint32_t bytes, uint32_t n, uint32_t *scratch)
{
    const efsum_stored in = {bitpack_at(at)};
    const efsum_parts p = efsum_open(in, bytes, n);
    uint32_t v[4], steps[4] = {0, 0, 0, 0};
    efsum_sums(in, p, scratch, v);
    if (!p.has_steps) {
        uint32_t before = prim_shuffle_up<32>(v[3], 1);
        return make_uint4(v[0] - (prim_lane() ? before : 0), v[1] - v[0], v[2] - v[1], v[3] - v[2]);
    }
    exceptions_clear(scratch);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (4 * prim_lane() + k < p.count && v[k] < n)
            exceptions_put(scratch, v[k], 1);
    exceptions_take(scratch, steps);
    return make_uint4(steps[0], steps[1], steps[2], steps[3]);
}

/* Steps of a block that lie below the number of values. */
PRIM bool efsum_has_steps(const sound_bytes &in, uint32_t n)
{
    uint32_t form = sound_byte(in, 0), last = 0;
    uint64_t sum = 0;
    if (in.n == 0 || in.bytes == 0)
        return false;
    if (form < block_ef128::ZEROS)
        return ef128_has_sums(in, &last) && last < n;
    if (!ef128_is_sound(in))
        return false;
    for (uint32_t i = 0; form == block_ef128::PLAIN && i < in.n; i++)
        sum += sound_bits(in, 2, i * sound_byte(in, 1), sound_byte(in, 1));
    return sum < n;
}

PRIM bool efsum_is_sound(const sound_bytes &in)
{
    uint32_t form = sound_byte(in, 0);
    return form < EFSUM_STEPS ? ef128_is_sound(in)
                              : efsum_has_steps(sound_after(in, 1, form - EFSUM_STEPS), in.n);
}

#endif
