/* interpolative.cuh: blocks of interpolative (docs/format.md, chapter 6), by one thread: a
 * range's middle is known only when its ends are. Halving goes by a stack of its own. Source:
 * Moffat, Stuiver 2000. */
#ifndef RP_KERNELS_INTERPOLATIVE_CUH
#define RP_KERNELS_INTERPOLATIVE_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"

enum {
    INTERPOLATIVE_STACK = 10,
    INTERPOLATIVE_BITS = 40
}; /* halvings of 256 values; bits of their sum */

/* Ranks from a to b - 1, of sums from low to high. */
struct interpolative_range {
    uint64_t low, high;
    uint32_t a, b;
};

/* Where bits are read: from bit `at` on, of which `end` are there. */
struct interpolative_reader {
    bitpack_bits bits;
    uint32_t at, end;

    PRIM_MEMBER uint64_t look() const
    {
        return (uint64_t)bitpack_word(bits, at + 32) << 32 | bitpack_word(bits, at);
    }

    /* The next of `count` numbers. */
    PRIM_MEMBER uint64_t number(uint64_t count)
    {
        uint64_t limit = count - 1, word = look();
        uint32_t k =
            limit >> 32 ? 32 + prim_width((uint32_t)(limit >> 32)) : prim_width((uint32_t)limit);
        uint64_t brief = ((uint64_t)1 << k) - count, turn = (count - brief) / 2;
        uint32_t few = k ? k - 1 : 0;
        uint64_t v = word & (((uint64_t)1 << few) - 1);
        at += few;
        if (k && v >= brief) {
            v = 2 * v + (word >> few & 1) - brief;
            at++;
        }
        return v + turn < count ? v + turn : v + turn - count;
    }
};

/* The sum of all values, and the bytes it takes; 0: it is cut off, or too large. */
PRIM uint32_t interpolative_sum(const sound_bytes &in, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < 10 && i < in.bytes; i++) {
        uint32_t byte = sound_byte(in, i);
        if ((i == 9 && byte > 1) || (7 * i >= INTERPOLATIVE_BITS && byte & 127))
            return 0;
        *sum |= 7 * i < INTERPOLATIVE_BITS ? (uint64_t)(byte & 127) << 7 * i : 0;
        if (byte < 128)
            return *sum >> INTERPOLATIVE_BITS ? 0 : i + 1;
    }
    return 0;
}

/* `take` gets each rank and the sum of values up to it, in any order. False: the block is not
 * sound. */
template <class TAKE> PRIM bool interpolative_walk(const sound_bytes &in, TAKE take)
{
    interpolative_range stack[INTERPOLATIVE_STACK];
    uint64_t all;
    uint32_t head = interpolative_sum(in, &all), n = 0;
    if (head == 0 || (in.n == 1 && all > UINT32_MAX))
        return false;
    interpolative_reader reader = {bitpack_at(in.at + head), 0, 8 * (in.bytes - head)};
    take(in.n - 1, all);
    stack[n++] = {0, all, 0, in.n - 1};
    while (n > 0) {
        interpolative_range r = stack[--n];
        if (r.a >= r.b)
            continue;
        uint32_t middle = (r.a + r.b) / 2;
        uint64_t sum = r.low + reader.number(r.high - r.low + 1);
        bool is_wide = (r.a == middle && sum - r.low > UINT32_MAX) ||
                       (middle + 1 == r.b && r.high - sum > UINT32_MAX);
        if (reader.at > reader.end || is_wide)
            return false;
        take(middle, sum);
        stack[n++] = {sum, r.high, middle + 1, r.b};
        stack[n++] = {r.low, sum, r.a, middle};
    }
    return true;
}

PRIM bool interpolative_is_sound(const sound_bytes &in)
{
    return interpolative_walk(in, [](uint32_t, uint64_t) {});
}

#endif
