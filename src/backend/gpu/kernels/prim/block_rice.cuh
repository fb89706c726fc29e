/* block_rice.cuh: a block of rice (docs/format.md, chapter 6) for gaps.cuh, by two sums: of remainders, and of ends
 * among the bits of the quotients, which say where each quotient ends. A lane looks for ends in an equal part of
 * these bits; what the quotients up to one sum to, less than 256, is a byte of shared memory. */
#ifndef RP_KERNELS_BLOCK_RICE_CUH
#define RP_KERNELS_BLOCK_RICE_CUH

#include "backend/gpu/kernels/prim/gaps.cuh"

struct alignas(4) rice_room {
    uint8_t sums[KARG_BLOCK]; /* of the quotients up to each slot */
};

static_assert(sizeof(rice_room) == KARG_SHARED_RICE, "as launches have it");

enum { RICE_JOINT = 17 }; /* remainders whose sums leave 8 bits of a word to the count of ends */

struct block_rice {
    typedef rice_room room;
    enum { HEAD = 1 };
    pack_four lows;
    uint32_t ends; /* a bit each in the lane's part of the quotients' bits */
    uint32_t r[4]; /* sums of the block's remainders up to the lane's slots */

    /* w in bits 0 to 4, the bits of the quotients 5 to 13. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count)
    {
        uint32_t w = first & 255, binary = HEAD + pack_bytes(count * w);
        if (w > 31 || binary > bytes || count == 0)
            return 0;
        return w | prim_min(3 * count - 1, 8 * prim_min(bytes - binary, 64U)) << 5;
    }
    PRIM uint32_t width(const gaps_head &h) { return h.shape & 31; }
    PRIM uint32_t bits(const gaps_head &h) { return h.shape >> 5 & 511; }
    PRIM uint32_t part(const gaps_head &h) { return (bits(h) + 31) / 32; } /* bits a lane looks at */

    PRIM_MEMBER void open(uint64_t in, const gaps_head &h)
    {
        uint32_t from = prim_min(prim_lane() * part(h), bits(h)), here = prim_min(bits(h) - from, part(h));
        uint64_t unary = in + HEAD + pack_bytes(gaps_count(h.shape) * width(h));
        lows = gaps_load(in + HEAD, h, width(h));
        ends = ~pack_word(pack_at(unary), from) & prim_mask(here);
    }
    PRIM_MEMBER void place(uint64_t in, const gaps_head &h, room *to)
    {
        uint32_t n_ends = prim_count(ends), rank, x = ends, before;
        gaps_values(lows, in + HEAD, h, width(h), r);
        uint32_t sum = r[0] + r[1] + r[2] + r[3];
        if (width(h) <= RICE_JOINT) {
            uint32_t both = sum << 8 | n_ends;
            both = scan_add<32>(both) - both;
            rank = both & 255;
            before = both >> 8;
        } else {
            rank = scan_add<32>(n_ends) - n_ends;
            before = scan_add<32>(sum) - sum;
        }
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            r[k] = before += r[k];
        for (uint32_t less = prim_lane() * part(h) - rank; x; x &= x - 1, rank++, less--)
            if (rank < KARG_BLOCK)
                to->sums[rank] = (uint8_t)(less + prim_lowest(x));
    }
    PRIM_MEMBER void docids(uint64_t, const gaps_head &h, room *from, uint32_t v[4])
    {
        uint32_t sums = ((const uint32_t *)from->sums)[prim_lane()], first = h.base + gaps_slot() + 1;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = first + k + r[k] + ((sums >> (8 * k) & 255) << width(h));
    }
};

#endif
