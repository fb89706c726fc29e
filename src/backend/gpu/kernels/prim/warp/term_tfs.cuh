/* term_tfs.cuh: frequencies of a block of a term's list by a warp, all of them. Bytes that cannot
 * be mark the list as damaged. */
#ifndef RP_KERNELS_TERM_TFS_CUH
#define RP_KERNELS_TERM_TFS_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/codec/efsum.cuh"
#include "backend/gpu/kernels/prim/warp/term_block.cuh"

/* A warp: four values of a frame of n, less one, in a code that kernels of queries read. `scratch`
 * as freq_optpfd_four has it. */
PRIM void term_frame_four(uint32_t code, uint64_t at, uint32_t bytes, uint32_t n, uint32_t *scratch,
                          uint32_t v[4])
{
    if (code == KARG_CODE_EFSUM) {
        const uint4 four = freq_efsum_four(at, bytes, n, scratch);
        v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    } else if (code == KARG_CODEC_BP128) {
        freq_bp128_four(at, bytes, n, v);
    } else {
        freq_optpfd_four(at, bytes, n, scratch, v);
    }
}

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
    term_frame_four(list.freq_code, list.freqs + in.from, in.n, n, scratch, tfs);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        tfs[e]++;
}

#endif
