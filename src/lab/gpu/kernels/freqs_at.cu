/* freqs_at.cu: frequencies of all postings of tiles, each found without the others of its frame.
 * One warp: a tile; one lane: a posting. What a scorer does for the few postings that it needs.
 * Reads a head, a word or two and the exceptions' ranks for each, from the same bytes as its
 * neighbours. No shared memory.
 * Limits: any bytes; a part that does not lie inside its frame's bytes is 0. Frames of 128
 *         postings.
 * Source: docs/format.md, chapter 5. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "lab/gpu/kernels/frames.cuh"

template <uint32_t (*AT)(uint64_t, uint32_t, uint32_t, uint32_t)>
PRIM void freqs_at_all(const karg_decode &a)
{
    uint32_t number = tile_number(), bytes;
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, number);
    frames_view of = frames_open(a, number);
    for (uint32_t i = prim_lane(); i < t.capacity && t.begin + i < t.n; i += 32) {
        uint32_t rank = t.begin + i, f = rank / KARG_BLOCK;
        uint64_t in = frames_at(of, f, &bytes);
        t.out[i] = AT(in, bytes, prim_min(of.n - f * KARG_BLOCK, (uint32_t)KARG_BLOCK),
                      rank % KARG_BLOCK) +
                   1;
    }
}

RP_KERNEL(freqs_at_bp128_kernel, karg_decode)
{
    freqs_at_all<freq_bp128_at>(a);
}
RP_KERNEL(freqs_at_optpfd_kernel, karg_decode)
{
    freqs_at_all<freq_optpfd_at>(a);
}
