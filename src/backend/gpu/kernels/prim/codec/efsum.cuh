/* efsum.cuh: blocks of efsum (docs/format.md, chapter 6), by a warp: those of ef128, or ranks
 * at which the running sum of values makes a step, themselves a block of ef128. A step is counted
 * at its rank, through shared memory. */
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
