/* freqs_frame.cu: frequencies of all postings of tiles, frame by frame: what a scorer does who
 * needs them all. One warp: a tile, a frame of 128 at a time, four a lane.
 * Reads a frame's bytes once, words shared by lanes; writes 16 bytes a lane. Shared:
 * KARG_SHARED_EXCEPTIONS bytes a warp.
 * Limits: any bytes; a part that does not lie inside its frame's bytes is 0.
 * Source: docs/format.md, chapter 5. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "lab/gpu/kernels/frames.cuh"

RP_KERNEL(freqs_frame_optpfd_kernel, karg_decode)
{
    uint32_t number = tile_number(), bytes, v[4];
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, number);
    frames_view of = frames_open(a, number);
    uint32_t *scratch = (uint32_t *)(prim_shared() + prim_warp() * KARG_SHARED_EXCEPTIONS);
    for (uint32_t f = t.block; f < t.block + t.blocks; f++) {
        uint32_t n = prim_min(of.n - f * KARG_BLOCK, (uint32_t)KARG_BLOCK);
        uint64_t in = frames_at(of, f, &bytes);
        freq_optpfd_four(in, bytes, n, scratch, v);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k]++;
        tile_store(t.out + (f - t.block) * KARG_BLOCK, 4 * prim_lane(), n, v);
    }
}
