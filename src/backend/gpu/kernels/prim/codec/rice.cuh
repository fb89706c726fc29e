/* rice.cuh: a block of rice (docs/format.md, chapter 6) for delta_decode.cuh, by two sums: of
 * remainders, and of ends among the bits of the quotients, which say where each quotient ends. A
 * lane looks for ends in an equal part of these bits; what the quotients up to one sum to, less
 * than 256, is a byte of shared memory. */
#ifndef RP_KERNELS_RICE_CUH
#define RP_KERNELS_RICE_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"

struct block_rice : delta_code {
    enum {
        /* a byte for each bit of quotients, all of which may be ends */
        SCRATCH_BYTES = KARG_SHARED_RICE,
        HEAD = 1,
        JOINT = 17, /* remainders whose sums leave 8 bits of a word to the count of ends */
        PART = 8,
        PART_MAX = 12, /* bits that a lane looks at */
    };
    static_assert((int)SCRATCH_BYTES >= 32 * (int)PART_MAX, "ends that bits may have");

    /* w in bits 0 to 4, the bits of the quotients 6 to 14. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        uint32_t w = first & 255, binary = HEAD + bitpack_bytes(count * w);
        *used = HEAD;
        if (w > 31 || binary > bytes)
            return 0;
        return w | prim_min(3 * count - 1, 8 * prim_min(bytes - binary, 64U)) << 6;
    }

    template <int K> struct fetched {
        delta_lows<K> lows;
        bitpack_pair quotients; /* the lane's part of the quotients' bits */

        PRIM_MEMBER uint32_t part(const delta_head &h) { return ((h.shape >> 6) + 31) / 32; }
        PRIM_MEMBER uint32_t from(const delta_head &h)
        {
            return prim_min(prim_lane() * part(h), h.shape >> 6);
        }
        PRIM_MEMBER void load(const uint32_t *words, const delta_head &h)
        {
            lows.load(words, h);
            quotients.load(words, h.at + delta_low_bytes<K>(h), from(h));
        }
        /* N bits from the lowest on: of an end, how many were none goes to `to`; after another,
         * that is one more, and the next place one less ahead. */
        template <int N>
        PRIM_MEMBER void put(uint32_t ends, uint32_t others, unsigned char *to) const
        {
#pragma unroll
            for (int i = 0; i < N; i++)
                if (ends >> i & 1) {
                    to[i] = (unsigned char)others;
                } else {
                    others++;
                    to--;
                }
        }
        /* Sums of remainders, and of ends, before the lane's. */
        PRIM_MEMBER void scan(uint32_t w, uint32_t *sum, uint32_t *ends) const
        {
            if (K < 32 || w <= JOINT) {
                uint32_t both = *sum << 8 | *ends;
                both = scan_add_all<32>(both) - both;
                *sum = both >> 8;
                *ends = both & 255;
            } else {
                *sum = scan_add_all<32>(*sum) - *sum;
                *ends = scan_add_all<32>(*ends) - *ends;
            }
        }
        PRIM_MEMBER void docids(const uint32_t *, const delta_head &h, unsigned char *scratch,
                                uint32_t v[4])
        {
            uint32_t w = h.shape & 31,
                     mine = (1U << prim_min((h.shape >> 6) - from(h), part(h))) - 1;
            uint32_t ends = ~quotients.value() & mine, rank = prim_count(ends);
            lows.values(h, v);
#pragma unroll
            for (uint32_t k = 1; k < 4; k++)
                v[k] += v[k - 1];
            uint32_t before = v[3];
            scan(w, &before, &rank);
            uint32_t others = prim_lane() * part(h) - rank;
            if (part(h) <= PART)
                put<PART>(ends, others, scratch + rank);
            else
                put<PART_MAX>(ends, others, scratch + rank);
            prim_sync_tile();
            uint32_t sums = ((const uint32_t *)scratch)[prim_lane()];
            before += h.base + delta_slot() + 1;
#pragma unroll
            for (uint32_t k = 0; k < 4; k++)
                v[k] += before + k + (prim_byte(sums, k) << w);
            prim_sync_tile(); /* the next block's are written */
        }
    };
};

/* Remainders lie inside, all quotients end, and none makes a value of more than 32 bits. Bytes with
 * 256 ends or more, which no encoder writes, are not sound: block_rice counts them in a byte. */
PRIM bool rice_is_sound(const sound_bytes &in)
{
    uint32_t w = sound_byte(in, 0), binary = block_rice::HEAD + bitpack_bytes(in.n * w), from = 0;
    if (in.bytes == 0 || w > 31 || binary > in.bytes)
        return false;
    uint32_t limit = sound_unary(in.bytes - binary, in.n),
             end = sound_end(in, binary, limit, ~0U, in.n);
    if (end == limit || sound_end(in, binary, limit, ~0U, 256) < limit)
        return false;
    if (end - (in.n - 1) <= ~0U >> w) /* all quotients together; rarely more */
        return true;
    for (uint32_t i = 0; i < in.n; i++, from = end + 1) {
        end = sound_end(in, binary, limit, ~0U, i + 1);
        if (end - from > ~0U >> w)
            return false;
    }
    return true;
}

#endif
