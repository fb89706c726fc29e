/* block_newpfd.cuh: a block of newpfd (docs/format.md, chapter 6) for gaps.cuh: a lane takes a word of simple16, a sum
 * over the words' counts says which numbers it holds, and one over the steps where exceptions lie. */
#ifndef RP_KERNELS_BLOCK_NEWPFD_CUH
#define RP_KERNELS_BLOCK_NEWPFD_CUH

#include "backend/gpu/kernels/prim/patch.cuh"

enum { SIMPLE16_LARGE = 15, NEWPFD_NUMBERS = 2 * KARG_BLOCK };

/* The cut of a selector: `n` values of `w` bits, then `m` of `v` bits; w in bits 0 to 4, n 5 to 9, v 10 to 14, m 15 to 19. */
PRIM uint32_t simple16_cut(uint32_t selector)
{
#define CUT(n, w, m, v) ((w) | (n) << 5 | (v) << 10 | (m) << 15)
    switch (selector) {
    case 0: return CUT(28, 1, 0, 0);
    case 1: return CUT(7, 2, 14, 1);
    case 2: return CUT(14, 1, 7, 2);
    case 3: return CUT(14, 2, 0, 0);
    case 4: return CUT(1, 4, 8, 3);
    case 5: return CUT(8, 3, 1, 4);
    case 6: return CUT(7, 4, 0, 0);
    case 7: return CUT(4, 5, 2, 4);
    case 8: return CUT(2, 4, 4, 5);
    case 9: return CUT(3, 6, 2, 5);
    case 10: return CUT(2, 5, 3, 6);
    case 11: return CUT(4, 7, 0, 0);
    case 12: return CUT(1, 10, 2, 9);
    case 13: return CUT(2, 14, 0, 0);
    default: return CUT(1, 28, 0, 0); /* of 15, one value too */
    }
#undef CUT
}

struct newpfd_room {
    patch_room patch;
    uint32_t numbers[NEWPFD_NUMBERS];
};

static_assert(sizeof(newpfd_room) == KARG_SHARED_NEWPFD, "as launches have it");

struct block_newpfd {
    typedef newpfd_room room;
    pack_four lows;
    uint32_t word, next; /* the lane's word, and the one after */

    /* The head as it is. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count)
    {
        uint32_t w = first & 63, has = first >> 6 & 1, k = has ? (first >> 8 & 255) + 1 : 0;
        bool fits = w + has <= 32 && k <= count && 1 + has + pack_bytes(count * w) <= bytes;
        return fits ? first & (has ? 0xFF7F : 0x7F) : 0;
    }
    PRIM uint32_t width(const gaps_head &h) { return h.shape & 63; }
    PRIM uint32_t has(const gaps_head &h) { return h.shape >> 6 & 1; }
    PRIM uint32_t exceptions(const gaps_head &h) { return has(h) ? (h.shape >> 8 & 255) + 1 : 0; }
    PRIM uint64_t begin(uint64_t in, const gaps_head &h) { return in + 1 + has(h); }
    /* Where the words are, from the block's start, and how many there may be. */
    PRIM uint32_t words_at(const gaps_head &h)
    {
        return 1 + has(h) + pack_bytes(gaps_count(h.shape) * width(h));
    }
    PRIM uint32_t words(const gaps_head &h) { return has(h) ? (h.bytes - words_at(h)) / 4 : 0; }

    PRIM_MEMBER void open(uint64_t in, const gaps_head &h)
    {
        lows = gaps_load(begin(in, h), h, width(h));
        read(in, h, 0);
    }
    /* Words `from` and on, one a lane. */
    PRIM_MEMBER void read(uint64_t in, const gaps_head &h, uint32_t from)
    {
        uint32_t i = from + prim_lane();
        pack_bits at = pack_at(in + words_at(h));
        word = i < words(h) ? pack_word(at, 32 * i) : 0;
        next = i + 1 < words(h) ? pack_word(at, 32 * i + 32) : 0;
    }
    /* Which lanes' words are large values of the selector before: every second of a run of words that look like
     * selectors of them. `carry`: the word before lane 0 is one; set for the next 32. */
    PRIM_MEMBER uint32_t large(uint32_t *carry)
    {
        uint32_t selectors = prim_ballot<32>(word >> 28 == SIMPLE16_LARGE), taken = *carry;
        if (selectors == 0) {
            *carry = 0;
            return taken;
        }
        for (uint32_t i = 0; i < 31; i++)
            taken |= (selectors & ~taken & 1U << i) << 1;
        *carry = (selectors & ~taken) >> 31;
        return taken;
    }
    /* Writes the lane's numbers from `at` on. */
    PRIM_MEMBER void expand(room *to, uint32_t cut, uint32_t count, uint32_t at)
    {
        uint32_t width = cut & 31, wide = cut >> 5 & 31, rest = word;
        if (word >> 28 == SIMPLE16_LARGE) {
            if (count && at < NEWPFD_NUMBERS)
                to->numbers[at] = next;
            return;
        }
        for (uint32_t k = 0; k < count && at + k < NEWPFD_NUMBERS; k++) {
            width = k == wide ? cut >> 10 & 31 : width;
            to->numbers[at + k] = rest & prim_mask(width);
            rest >>= width;
        }
    }
    PRIM_MEMBER void read_numbers(uint64_t in, const gaps_head &h, room *to)
    {
        uint32_t have = 0, carry = 0;
        for (uint32_t from = 0; have < 2 * exceptions(h) && from < words(h); from += 32) {
            if (from)
                read(in, h, from);
            uint32_t is_taken = large(&carry) >> prim_lane() & 1;
            uint32_t cut = simple16_cut(word >> 28), count = (cut >> 5 & 31) + (cut >> 15);
            count = is_taken || from + prim_lane() >= words(h) ? 0 : count;
            uint32_t up_to = scan_add<32>(count);
            expand(to, cut, count, have + up_to - count);
            have += prim_shuffle<32>(up_to, 31);
        }
        prim_sync_tile();
    }
    PRIM_MEMBER void place(uint64_t in, const gaps_head &h, room *to)
    {
        uint32_t done = 0, k = exceptions(h);
        if (k)
            read_numbers(in, h, to);
        for (uint32_t from = 0; from < k; from += 32) {
            uint32_t j = from + prim_lane(), up_to = scan_add<32>(j < k ? to->numbers[j] + 1 : 0);
            if (j < k)
                patch_put(&to->patch, done + up_to - 1, (to->numbers[k + j] + 1) << width(h));
            done += prim_shuffle<32>(up_to, 31);
        }
    }
    PRIM_MEMBER void docids(uint64_t in, const gaps_head &h, room *from, uint32_t v[4])
    {
        gaps_values(lows, begin(in, h), h, width(h), v);
        if (has(h))
            patch_take(&from->patch, v);
        gaps_sum(h.base, v);
    }
};

#endif
