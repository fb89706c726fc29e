/* freq_differences.cu: frequencies of what decoders made of their section: docids of blocks that
 * begin at 0, each of which is the one before and a frequency more. One warp: a tile, a frame of
 * 128 at a time, four a lane. Reads and writes each word once, in place, 16 bytes a lane. No shared
 * memory. Limits: any docids; a frequency of 0 makes the list damaged. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(freq_differences_kernel, karg_transcode)
{
    if (job_warp() >= a.n_tiles)
        return;
    job_tile t = job_open(a, job_warp());
    bool is_sound = true;
    for (uint32_t frame = 0; frame < t.capacity; frame += KARG_BLOCK) {
        uint32_t n = prim_min<uint32_t>(t.capacity - frame, KARG_BLOCK), slot = 4 * prim_lane(),
                 v[4], tfs[4];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = slot + k < n ? t.out[frame + slot + k] : 0;
        uint32_t before = prim_shuffle_up<32>(v[3], 1);
        before = prim_lane() ? before : UINT32_MAX;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            tfs[k] = v[k] - (k ? v[k - 1] : before);
            is_sound &= slot + k >= n || tfs[k] > 0;
        }
        tile_store(t.out + frame, slot, n, tfs);
    }
    if (!is_sound)
        job_damaged(a, t);
}
