/* term_tfs.cuh: frequencies of a block of a term's list by a warp, all of them. Bytes that cannot
 * be mark the list as damaged. */
#ifndef RP_KERNELS_TERM_TFS_CUH
#define RP_KERNELS_TERM_TFS_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/warp/term_block.cuh"

/* A warp: frequencies of the lane's four postings of block b. `scratch` as freq_optpfd_four has
 * it. */
PRIM void term_tfs(const karg_list &list, uint32_t b, uint32_t *scratch, uint32_t *tfs,
                   karg_found *found)
{
    const uint32_t slot = 4 * prim_lane(), n = term_count(list, b),
                   frames = prim_div_up(list.n, KARG_BLOCK);
    if (list.freq_code == KARG_CODEC_RAW) {
        const uint32_t *from = prim_at<const uint32_t>(list.freqs) + b * KARG_BLOCK + slot;
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            tfs[e] = slot + e < n ? prim_load_once(&from[e]) : 1;
        return;
    }
    const term_bytes in = term_part(list.freqs_bytes, list.freq_offsets, b, frames);
    if (!in.is_sound)
        prim_atomic_or(&found->damaged, 1);
    if (list.freq_code == KARG_CODEC_BP128)
        freq_bp128_four(list.freqs + in.from, in.n, n, tfs);
    else
        freq_optpfd_four(list.freqs + in.from, in.n, n, scratch, tfs);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        tfs[e]++;
}

#endif
