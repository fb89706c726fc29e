/* block_ef128.cuh: blocks of ef128. A lane has its share of the high part's bits: one count and one scan give the
 * rank of its first one, and it puts where each of its ones is into shared memory, at its rank; then lanes read what
 * their slots have there. Source: Liu et al. 2018 (Griffin), Para-EF, by blocks. */
#ifndef RP_KERNELS_BLOCK_EF128_CUH
#define RP_KERNELS_BLOCK_EF128_CUH

#include "backend/gpu/kernels/prim/block_bp128.cuh"

struct block_ef128 {
    static const int HIGH = 3 * KARG_BLOCK; /* most bits of a high part: ends, and fewer than 2 zeros each */
    static const int ROOM = KARG_BLOCK + 32; /* bytes of shared memory a block: places of ones, modulo 256 */
    static const int SCRATCH = 2 * ROOM;
    enum { ZEROS = 32, PLAIN = 33 };         /* forms that are not low and high bits */

    /* shape: the form, and from bit 8 on the bits of the high part. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t from, to, count = block_count(list, b), base = block_base(list, b);
        block_head none = {0, ZEROS, base, count};
        if (!block_bytes(list, b, &from, &to))
            return none;
        uint32_t form = block_byte(list, list.phase + from), low = (count * form + 7) / 8;
        if (form == PLAIN) {
            block_head plain = block_bp128::head_at(list, from + 1, to, count, base);
            plain.shape = PLAIN | plain.shape << 8;
            return plain;
        }
        if (form >= ZEROS || low >= to - from)
            return none;
        uint32_t high = prim_min<uint32_t>(to - from - 1 - low, HIGH / 8) * 8;
        return block_head{list.phase + from + 1, form | high << 8, base, count};
    }

    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape & 255; }

    template <int V, int LANES, int K> struct fetched {
        static const int SHARE = HIGH / LANES; /* bits of the high part a lane has */
        block_bits<V, K> bits;                 /* of the low parts; in form PLAIN, of the gaps */
        uint32_t high[2];

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            uint32_t form = head.shape & 255, w = form == PLAIN ? head.shape >> 8 : form % 32;
            bits.load(list.words, head.at, first < head.count ? first * w : 0, w);
            uint32_t bit = first / V * SHARE, at = head.at + (head.count * form + 7) / 8;
            if (form < ZEROS && bit < head.shape >> 8) {
                const uint32_t *from = list.words + (at / 4 + (at % 4 * 8 + bit) / 32);
                high[0] = prim_load(from);
                high[1] = prim_load(from + 1);
            } else {
                high[0] = high[1] = 0;
            }
        }

        /* Where the lane's slots have their ones, modulo 256, less the slot: the high parts, a byte each. */
        PRIM_MEMBER void high_parts(const block_head &head, uint32_t first, unsigned char *scratch,
                                    uint32_t *out) const
        {
            uint32_t bit = first / V * SHARE, form = head.shape & 255, end = head.shape >> 8;
            uint32_t at = head.at + (head.count * form + 7) / 8;
            uint32_t x = prim_funnel(high[0], high[1], at % 4 * 8 + bit);
            x &= prim_mask(prim_min<uint32_t>(bit < end ? end - bit : 0, SHARE));
            uint32_t n = prim_count(x), rank = scan_add<LANES>(n) - n;
            unsigned char *room = scratch + (LANES < 32 ? prim_lane() / LANES * ROOM : 0);
            unsigned char *to = room + prim_min<uint32_t>(rank, KARG_BLOCK);
#pragma unroll
            for (int t = 0; t < SHARE; t++)
                if (x >> t & 1)
                    *to++ = (unsigned char)(bit + t);
            prim_sync_tile();
            const uint32_t tops = 0x80808080U;
#pragma unroll
            for (int k = 0; k < V; k += 4) {
                uint32_t place = *(const uint32_t *)(room + first + k);
                uint32_t slots = (first + k) * 0x01010101U + 0x03020100U; /* bytes, all below 128 */
                out[k / 4] = ((place | tops) - slots) ^ (~place & tops);
            }
        }

        PRIM_MEMBER void docids(const block_list &, const block_head &head, uint32_t first,
                                unsigned char *scratch, uint32_t *out) const
        {
            uint32_t form = head.shape & 255, l = form % 32, highs[V / 4];
            high_parts(head, first, scratch, highs);
            bits.values(l, prim_mask(l), out);
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] += ((highs[k / 4] >> k % 4 * 8 & 255) << l) + (head.base + first + k);
            if (K == 32 && prim_ballot<32>(form >= ZEROS))
                other_docids(head, out);
        }

        /* The other two forms; lanes of blocks in the usual one keep what they have. */
        PRIM_MEMBER void other_docids(const block_head &head, uint32_t *out) const
        {
            uint32_t form = head.shape & 255, w = form == PLAIN ? head.shape >> 8 : 0, plain[V];
            bits.values(w, form == PLAIN ? prim_mask(w) : 0, plain);
            block_sum_gaps<V, LANES>(head.base, plain);
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] = form < ZEROS ? out[k] : plain[k];
        }
    };
};

#endif
