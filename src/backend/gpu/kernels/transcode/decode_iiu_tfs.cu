/* decode_iiu_tfs.cu: frequencies of lists in iiu, which lie beside the gaps in the payload. One
 * warp: a tile, a block of up to 256 at a time, a posting a lane. Reads a block's head by all
 * lanes, its bits once; writes 4 bytes a lane, coalesced. No shared memory. Limits: any bytes
 * (iiu.cuh); a frequency of 0 makes the list damaged. Paper: Heo et al. 2020 (IIU). */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_iiu_tfs_kernel, karg_transcode)
{
    if (job_warp() >= a.n_tiles)
        return;
    job_tile t = job_open(a, job_warp());
    block_list list = block_list_open(t.list);
    uint32_t begin = block_iiu::begin(list, t.block);
    bool is_sound = true;
    for (uint32_t b = t.block; b < t.block + t.n; b++) {
        block_head head = block_iiu::head(list, b);
        uint32_t rank = block_iiu::begin(list, b) - begin, gap = head.shape & 31,
                 pair = head.shape >> 8 & 63;
        uint32_t count = rank < t.capacity ? prim_min(head.count, t.capacity - rank) : 0;
        for (uint32_t k = prim_lane(); k < count; k += 32) {
            bitpack_pair bits;
            bits.load(list.words, head.at, (head.shape >> 16) + k * pair + gap);
            uint32_t tf = bits.value() & prim_mask(pair - gap);
            is_sound &= tf > 0;
            t.out[rank + k] = tf;
        }
    }
    if (!is_sound)
        job_damaged(a, t);
}
