/* block_bytes.cuh: bytes of one block, for one thread that says whether they are sound: whether the
 * CPU would decode them.
 *
 * Decoders read any bytes safely, but make something of those that are damaged. Each code's file
 * has a function that tells, named <code>_is_sound. Values may still sum to what no docid is:
 * check_lists.cu looks at what comes out. */
#ifndef RP_KERNELS_BLOCK_BYTES_CUH
#define RP_KERNELS_BLOCK_BYTES_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"

struct sound_bytes {
    uint64_t at;
    uint32_t bytes, n; /* n: values, at least 1 */
};

PRIM uint32_t sound_byte(const sound_bytes &in, uint32_t i)
{
    return i < in.bytes ? prim_load(prim_at<const uint8_t>(in.at) + i) : 0;
}

/* w bits, at most 32, from bit `bit` of byte `from` on, which lie inside. */
PRIM uint32_t sound_bits(const sound_bytes &in, uint32_t from, uint32_t bit, uint32_t w)
{
    return w ? bitpack_one(bitpack_at(in.at + from), bit, w) : 0;
}

/* What follows the first `head` bytes, which lie inside, as a block of n values. */
PRIM sound_bytes sound_after(const sound_bytes &in, uint32_t head, uint32_t n)
{
    return {in.at + head, in.bytes - head, n};
}

/* Whether k positions of w bits, from bit `bit` of byte `from` on, rise and are below n. */
PRIM bool sound_positions(const sound_bytes &in, uint32_t from, uint32_t k, uint32_t w)
{
    uint32_t above = 0;
    bool rises = true;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t at = sound_bits(in, from, j * w, w);
        rises &= at >= above;
        above = at + 1;
    }
    return rises && above <= in.n;
}

/* The place of the n-th end among the bits from byte `from` on, of which `limit` count; limit:
 * there is none. Ends are ones, or zeros where flip is all ones. */
PRIM uint32_t sound_end(const sound_bytes &in, uint32_t from, uint32_t limit, uint32_t flip,
                        uint32_t n)
{
    for (uint32_t bit = 0; bit < limit; bit += 32) {
        uint32_t left = prim_min(limit - bit, 32U),
                 word = (sound_bits(in, from, bit, 32) ^ flip) & prim_mask(left);
        uint32_t here = prim_count(word);
        if (here < n) {
            n -= here;
            continue;
        }
        for (; n > 1; n--)
            word &= word - 1;
        return bit + prim_lowest(word);
    }
    return limit;
}

/* Bits in which n unary numbers of these bytes must end. */
PRIM uint32_t sound_unary(uint32_t bytes, uint32_t n)
{
    uint32_t limit = 3 * n - 1;
    return bytes < bitpack_bytes(limit) ? 8 * bytes : limit;
}

#endif
