/* newpfd.cuh: a block of newpfd (docs/format.md, chapter 6) for delta_decode.cuh: a lane takes a
 * word of simple16, a sum over the words' counts says which numbers it holds, and one over the
 * steps where exceptions lie. */
#ifndef RP_KERNELS_NEWPFD_CUH
#define RP_KERNELS_NEWPFD_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/exceptions.cuh"

enum { SIMPLE16_LARGE = 15, NEWPFD_NUMBERS = 2 * KARG_BLOCK };

/* The cut of a selector: `n` values of `w` bits, then `m` of `v` bits; w in bits 0 to 4, n 5 to 9,
 * v 10 to 14, n + m 15 to
 * 19. Of 15, one value too. */
#define CUT(n, w, m, v) ((w) | (n) << 5 | (v) << 10 | ((n) + (m)) << 15)
PRIM uint32_t simple16_cut(uint32_t selector)
{
    static const uint32_t cuts[16] = {
        CUT(28, 1, 0, 0), CUT(7, 2, 14, 1), CUT(14, 1, 7, 2), CUT(14, 2, 0, 0),
        CUT(1, 4, 8, 3),  CUT(8, 3, 1, 4),  CUT(7, 4, 0, 0),  CUT(4, 5, 2, 4),
        CUT(2, 4, 4, 5),  CUT(3, 6, 2, 5),  CUT(2, 5, 3, 6),  CUT(4, 7, 0, 0),
        CUT(1, 10, 2, 9), CUT(2, 14, 0, 0), CUT(1, 28, 0, 0), CUT(1, 28, 0, 0),
    };
    return prim_load(&cuts[selector]);
}
#undef CUT

/* Which lanes' words are large values of the selector before: every second of a run of words that
 * look like selectors of them. `carry`: the word before lane 0 is one; set for the next 32. */
PRIM uint32_t newpfd_large(uint32_t mine, uint32_t *carry)
{
    uint32_t selectors = prim_ballot<32>(mine >> 28 == SIMPLE16_LARGE), taken = *carry;
#pragma unroll 1
    for (uint32_t i = 0; i < 31 && selectors; i++)
        taken |= (selectors & ~taken & 1U << i) << 1;
    *carry = (selectors & ~taken) >> 31;
    return taken;
}
/* Writes the numbers of a word, and of a large one the next, from `at` on. */
PRIM void newpfd_expand(uint32_t mine, uint32_t next, uint32_t cut, uint32_t count, uint32_t at,
                        uint32_t *numbers)
{
    uint32_t width = cut & 31, wide = cut >> 5 & 31;
    if (mine >> 28 == SIMPLE16_LARGE) {
        if (count && at < NEWPFD_NUMBERS)
            numbers[at] = next;
        return;
    }
#pragma unroll 1
    for (uint32_t k = 0; k < count && at + k < NEWPFD_NUMBERS; k++) {
        width = k == wide ? cut >> 10 & 31 : width;
        numbers[at + k] = mine & prim_mask(width);
        mine >>= width;
    }
}
/* By a warp: up to n numbers of any words, `all` of them at `at`; those of a word one by one. */
PRIM void newpfd_expand_all(bitpack_bits at, uint32_t all, uint32_t n, uint32_t *numbers)
{
    uint32_t have = 0, carry = 0;
#pragma unroll 1
    for (uint32_t from = 0; have < n && from < all; from += 32) {
        uint32_t i = from + prim_lane();
        uint32_t mine = i < all ? bitpack_word(at, 32 * i) : 0,
                 next = i + 1 < all ? bitpack_word(at, 32 * i + 32) : 0;
        uint32_t is_taken = newpfd_large(mine, &carry) >> prim_lane() & 1;
        uint32_t cut = simple16_cut(mine >> 28), count = cut >> 15;
        count = is_taken || i >= all ? 0 : count;
        uint32_t up_to = scan_add<32>(count);
        newpfd_expand(mine, next, cut, count, have + up_to - count, numbers);
        have += prim_shuffle<32>(up_to, 31);
    }
}

/* By a warp: up to 32 numbers of words, none of them large: number i is lane i's, which looks for
 * its word, the last that begins at it or before. The lane's word has `count` numbers, cut so;
 * those with none come last. */
PRIM uint32_t newpfd_spread(uint32_t mine, uint32_t cut, uint32_t count)
{
    uint32_t begin = scan_add_all<32>(count) - count;
    uint32_t begins = prim_or_all(count && begin < 32 ? 1U << begin : 0);
    uint32_t lane = prim_count(begins & ((2U << prim_lane()) - 1)) - 1;
    uint32_t of = prim_shuffle<32>(mine, lane), how = prim_shuffle<32>(cut, lane);
    uint32_t j = prim_lane() - prim_shuffle<32>(begin, lane), n = how >> 5 & 31, w = how & 31,
             v = how >> 10 & 31;
    uint32_t bit = prim_min(j, n) * w + (j > n ? j - n : 0) * v;
    return of >> (bit & 31) & ((1U << (j < n ? w : v)) - 1);
}

struct newpfd_scratch {
    uint32_t adds[KARG_BLOCK], numbers[NEWPFD_NUMBERS];
};

static_assert(sizeof(newpfd_scratch) == KARG_SHARED_NEWPFD, "as launches have it");

/* By a warp: k exceptions of any number and size, of lows of w bits, into a clear room. */
PRIM void newpfd_put_all(bitpack_bits at, uint32_t words, uint32_t k, uint32_t w,
                         newpfd_scratch *scratch)
{
    uint32_t done = 0;
    newpfd_expand_all(at, words, 2 * k, scratch->numbers);
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t from = 0; from < k; from += 32) {
        uint32_t j = from + prim_lane(),
                 up_to = scan_add_all<32>(j < k ? scratch->numbers[j] + 1 : 0);
        if (j < k)
            exceptions_put(scratch->adds, done + up_to - 1,
                           (scratch->numbers[k + j] + 1) << (w & 31));
        done += prim_shuffle<32>(up_to, 31);
    }
}

struct block_newpfd : delta_code {
    enum { SCRATCH_BYTES = KARG_SHARED_NEWPFD };

    /* w in bits 0 to 5, exceptions 8 to 15. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        uint32_t w = first & 63, has = first >> 6 & 1, k = has ? (first >> 8 & 255) + 1 : 0;
        *used = 1 + has;
        bool fits = w + has <= 32 && k <= count && *used + bitpack_bytes(count * w) <= bytes;
        return fits ? w | k << 8 : 0;
    }

    template <int K> struct fetched {
        delta_lows<K> lows;
        bitpack_pair word; /* the lane's word */

        /* Words that there may be. */
        PRIM_MEMBER uint32_t words_of(const delta_head &h)
        {
            return h.shape >> 8 ? (delta_bytes(h) - delta_low_bytes<K>(h)) / 4 : 0;
        }
        PRIM_MEMBER void load(const uint32_t *words, const delta_head &h)
        {
            lows.load(words, h);
            word.load(words, h.at + delta_low_bytes<K>(h),
                      prim_lane() < words_of(h) ? 32 * prim_lane() : 0);
        }
        PRIM_MEMBER void patch(const uint32_t *words, const delta_head &h, newpfd_scratch *scratch,
                               uint32_t v[4])
        {
            uint32_t k = h.shape >> 8, w = h.shape & 31, begin = h.at + delta_low_bytes<K>(h);
            uint32_t mine = prim_lane() < words_of(h) ? word.value() : 0;
            exceptions_clear(scratch->adds);
            if (k <= 16 && prim_ballot<32>(mine >> 28 == SIMPLE16_LARGE) == 0) {
                uint32_t cut = simple16_cut(mine >> 28);
                uint32_t number =
                    newpfd_spread(mine, cut, prim_lane() < words_of(h) ? cut >> 15 : 0);
                uint32_t high = prim_shuffle<32>(number, prim_lane() + k);
                uint32_t up_to = scan_add_all<32>(number + 1);
                if (prim_lane() < k)
                    exceptions_put(scratch->adds, up_to - 1, (high + 1) << w);
            } else
                newpfd_put_all({words + begin / 4, begin % 4 * 8}, words_of(h), k, w, scratch);
            exceptions_take(scratch->adds, v);
        }
        PRIM_MEMBER void docids(const uint32_t *words, const delta_head &h, unsigned char *scratch,
                                uint32_t v[4])
        {
            lows.values(h, v);
            if (h.shape >> 8)
                patch(words, h, (newpfd_scratch *)scratch, v);
            delta_sum(h.base, v);
        }
    };
};

/* Reads `count` numbers of simple16, one thread. `take` gets each, with its rank. False: words are
 * cut off, or cannot be. */
template <class TAKE> PRIM bool simple16_read(const sound_bytes &in, uint32_t count, TAKE take)
{
    for (uint32_t i = 0, at = 0; i < count; at += 4) {
        if (in.bytes < 4 || at > in.bytes - 4)
            return false;
        uint32_t word = sound_bits(in, at, 0, 32), cut = simple16_cut(word >> 28),
                 wide = cut >> 5 & 31;
        if (word >> 28 == SIMPLE16_LARGE) {
            at += 4;
            if (word << 4 || at > in.bytes - 4)
                return false;
            take(i++, sound_bits(in, at, 0, 32));
            continue;
        }
        for (uint32_t k = 0; k < cut >> 15 && i < count; k++, i++) {
            uint32_t w = k < wide ? cut & 31 : cut >> 10 & 31;
            take(i, word & prim_mask(w));
            word >>= w;
        }
    }
    return true;
}

PRIM bool simple16_is_sound(const sound_bytes &in)
{
    return simple16_read(in, in.n, [](uint32_t, uint32_t) {});
}

PRIM bool newpfd_is_sound(const sound_bytes &in)
{
    uint32_t first = sound_byte(in, 0), w = first & 63, has = first >> 6 & 1, head = 1 + has,
             k = sound_byte(in, 1) + 1;
    uint32_t lows = bitpack_bytes(in.n * w);
    uint64_t at = 0;
    if (in.bytes < head || first >> 7 || w + has > 32 || in.bytes - head < lows)
        return false;
    if (!has)
        return true;
    auto step = [&](uint32_t i, uint32_t number) { at += i < k ? number + (uint64_t)1 : 0; };
    return k <= in.n && simple16_read(sound_after(in, head + lows, in.n), 2 * k, step) &&
           at <= in.n;
}

#endif
