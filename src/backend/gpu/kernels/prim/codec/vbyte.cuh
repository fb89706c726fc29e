/* vbyte.cuh: blocks of vbyte: a lane has a control byte, whose lengths, summed over lanes before,
 * say where its four values begin. */
#ifndef RP_KERNELS_VBYTE_CUH
#define RP_KERNELS_VBYTE_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"

struct block_vbyte {
    static const int RUN = 8, SCRATCH = 0, WIDEST = 8;

    /* at: the first control byte; shape: bytes of the block. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t from, to, count = block_count(list, b);
        bool is_inside = block_bytes(list, b, &from, &to) && to - from >= prim_div_up(count, 4);
        return block_head{is_inside ? list.phase + from : 0, is_inside ? to - from : 0,
                          block_base(list, b), count};
    }

    static PRIM_MEMBER uint32_t key(const block_head &) { return 0; }

    template <int V, int LANES, uint32_t K> struct fetched {
        static_assert(V == 4 && LANES == 32, "a control byte a lane");
        uint32_t length[4];            /* bits of the lane's values; 0 past the last */
        uint32_t word[2][3], shift[2]; /* two of them each */

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            uint32_t controls = prim_div_up(head.count, 4);
            bool is_mine = head.shape > 0 && first < head.count;
            uint32_t control = is_mine ? block_byte(list, head.at + first / 4) : 0;
#pragma unroll
            for (int k = 0; k < 4; k++)
                length[k] = is_mine && first + k < head.count ? 8 * (control >> 2 * k & 3) + 8 : 0;
            uint32_t half = length[0] + length[1], all = half + length[2] + length[3];
            uint32_t bit = 8 * controls + scan_add<32>(all) - all;
            if (!is_mine || bit + all > 8 * head.shape)
                length[0] = length[1] = length[2] = length[3] = half = bit = 0;
            load_two(list, 0, head.at + bit / 8);
            load_two(list, 1, head.at + (bit + half) / 8);
        }

        PRIM_MEMBER void load_two(const block_list &list, int j, uint32_t at)
        {
            shift[j] = at % 4 * 8;
#pragma unroll
            for (int k = 0; k < 3; k++)
                word[j][k] = prim_load(list.words + at / 4 + k);
        }

        PRIM_MEMBER void docids(const block_list &, const block_head &head, uint32_t,
                                unsigned char *, uint32_t *out) const
        {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                uint64_t two = (uint64_t)prim_funnel(word[j][1], word[j][2], shift[j]) << 32 |
                               prim_funnel(word[j][0], word[j][1], shift[j]);
                out[2 * j] = (uint32_t)two & prim_mask(length[2 * j]);
                out[2 * j + 1] = (uint32_t)(two >> length[2 * j]) & prim_mask(length[2 * j + 1]);
            }
            block_sum_gaps<4, 32>(head.base, out);
        }
    };
};

PRIM bool vbyte_is_sound(const sound_bytes &in)
{
    uint32_t controls = prim_div_up(in.n, 4), length = 0;
    for (uint32_t i = 0; i < in.n && controls <= in.bytes; i++)
        length += (sound_byte(in, i / 4) >> 2 * (i % 4) & 3) + 1;
    return controls <= in.bytes && length <= in.bytes - controls;
}

#endif
