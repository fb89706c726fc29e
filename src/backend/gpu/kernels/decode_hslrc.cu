/* decode_hslrc.cu: docids of lists in hslrc256 and hslrc128: to device memory; posting by posting, each by itself; and
 * in registers, for hslrc and seglrc, whose blocks are alike: the sum of all.
 * One warp: a tile, U blocks of up to 256 at a time, eight slots a lane; of decode_hslrc_at_kernel a thread: a posting.
 * Reads heads by lanes, residuals word by word, side by side; writes 128 bytes a warp. Shared: 2,048 bytes a warp.
 * Limits: any bytes; residuals and exceptions that do not lie inside their block's bytes are none.
 * Source: Ao et al. 2011, 5.3. */
#include "backend/gpu/kernels/prim/block_hslrc.cuh"
#include "backend/gpu/kernels/prim/lines_at.cuh"

RP_KERNEL(decode_hslrc_kernel, karg_decode) { lines_decode<LINES_OWN, 4>(a); }
RP_KERNEL(decode_hslrc_at_kernel, karg_decode) { lines_at_all<LINES_OWN>(a, true); }

template <bool IS_PLAIN>
PRIM uint32_t sum_block(uint64_t docs, const lines_head &h, block_hslrc<IS_PLAIN> &block, lines_room *room)
{
    uint32_t v[2 * HSLRC_PAIRS], sum = 0, count = lines_count(h.shape);
    block.docids(docs, h, v);
    if (!IS_PLAIN && lines_exceptions(h.shape))
        block_hslrc_patch(docs, h, room, v);
#pragma unroll
    for (uint32_t k = 0; k < 2 * HSLRC_PAIRS; k++)
        sum += IS_PLAIN || block_hslrc_slot(k) < count ? v[k] : 0;
    return sum;
}

/* U blocks, their loads first. */
template <bool IS_PLAIN, int U> PRIM uint32_t sum_blocks(uint64_t docs, const lines_head *h, lines_room *room)
{
    block_hslrc<IS_PLAIN> blocks[U] = {};
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t u = 0; u < U; u++)
        blocks[u].open(docs, h[u]);
#pragma unroll
    for (uint32_t u = 0; u < U; u++)
        sum += sum_block(docs, h[u], blocks[u], room);
    return sum;
}

template <int U> PRIM void sum_all(const karg_decode &a)
{
    uint32_t number = tile_number(), sum = 0;
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open(a, number);
    lines_room *room = lines_open<LINES_OWN>(t, {0, 0});
#pragma unroll 1
    for (uint32_t k = 0; k < t.blocks; k += U) {
        lines_head h[U] = {};
        bool is_plain = true;
#pragma unroll
        for (uint32_t u = 0; u < U; u++) {
            h[u] = room->heads[k + u];
            is_plain &= block_hslrc_is_plain(h[u].shape);
        }
        if (is_plain)
            sum += sum_blocks<true, U>(t.docs, h, room);
        else
#pragma unroll 1
            for (uint32_t u = 0; u < U; u++)
                sum += sum_blocks<false, 1>(t.docs, &room->heads[k + u], room);
    }
    sum = scan_sum<32>(sum);
    if (prim_lane() == 0)
        prim_atomic_add(prim_at<uint32_t>(a.sum), sum);
}

RP_KERNEL(decode_hslrc_sum_x1_kernel, karg_decode) { sum_all<1>(a); }
RP_KERNEL(decode_hslrc_sum_x2_kernel, karg_decode) { sum_all<2>(a); }
RP_KERNEL(decode_hslrc_sum_x4_kernel, karg_decode) { sum_all<4>(a); }
