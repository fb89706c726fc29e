/* ef128.cuh: blocks of ef128. A lane has its share of the high part's bits: one count and one scan
 * give the rank of its first one, and it puts the zeros before each of its ones, which are a
 * docid's high part, into shared memory, at the one's rank; then lanes read what their slots have
 * there, in runs of four, so that stores of docids are whole lines however many slots a lane has.
 * Source: Liu et al. 2018 (Griffin), Para-EF, by blocks. */
#ifndef RP_KERNELS_EF128_CUH
#define RP_KERNELS_EF128_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"

struct block_ef128 {
    enum { ZEROS = 32, PLAIN = 33 }; /* forms that are not low and high bits */
    /* most bits of a high part: ends, and fewer than 2 zeros each */
    static const int HIGH = 3 * KARG_BLOCK;
    /* bytes of shared memory a block: high parts, one each */
    static const int SCRATCH_BYTES = KARG_BLOCK + 32;
    static const int RUN = 4, SCRATCH = 2 * SCRATCH_BYTES, WIDEST = PLAIN;

    /* A block of `count` values at bytes from..to of the source. shape: the form, and from bit 8 on
     * the bits of the high part. */
    template <class SOURCE>
    static PRIM_MEMBER block_head head_at(const SOURCE &in, uint32_t from, uint32_t to,
                                          uint32_t count, uint32_t base)
    {
        block_head none = {0, ZEROS, base, count};
        if (from >= to)
            return none;
        uint32_t form = SOURCE::load((const uint8_t *)in.words + from),
                 low = (count * form + 7) / 8;
        if (form == PLAIN) {
            block_head plain = block_bp128::head_at(in, from + 1, to, count, base);
            plain.shape = PLAIN | plain.shape << 8;
            return plain;
        }
        if (form >= ZEROS || low >= to - from)
            return none;
        uint32_t high = prim_min<uint32_t>(to - from - 1 - low, HIGH / 8) * 8;
        return block_head{from + 1, form | high << 8, base, count};
    }

    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t from, to, count = block_count(list, b);
        if (!block_bytes(list, b, &from, &to))
            return block_head{0, ZEROS, block_base(list, b), count};
        return head_at(list, list.phase + from, list.phase + to, count, block_base(list, b));
    }

    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape & 255; }

    template <int V, int LANES, uint32_t K> struct fetched {
        static const int MAX = HIGH / LANES; /* bits of the high part a lane may have */
        static const int RUNS = V / RUN;
        block_bits<RUN, K> bits[RUNS]; /* of the low parts; in form PLAIN, of the gaps */
        /* two words of the high part; the lane's bits begin at bit shift */
        uint32_t high[2], shift;

        /* Blocks that come in another way than BLOCK_ANY have low and high parts, and KARG_BLOCK
         * postings. */
        static PRIM_MEMBER uint32_t low_width(const block_head &head)
        {
            uint32_t form = head.shape & 255;
            return K < BLOCK_ANY || form < ZEROS ? form : 0;
        }

        /* Bits of the high part that each lane has. The last lanes may so get some of the next
         * block's, whose ones have ranks past the last slot. */
        static PRIM_MEMBER uint32_t share(const block_head &head)
        {
            bool has_high = K < BLOCK_ANY || (head.shape & 255) < ZEROS;
            return has_high ? ((head.shape >> 8) + LANES - 1) / LANES : 0;
        }

        template <class SOURCE>
        PRIM_MEMBER void load(const SOURCE &in, const block_head &head, uint32_t first)
        {
            uint32_t l = low_width(head), count = K < BLOCK_ANY ? (uint32_t)KARG_BLOCK : head.count;
            uint32_t w = K < BLOCK_ANY || (head.shape & 255) != PLAIN ? l : head.shape >> 8;
#pragma unroll
            for (int r = 0; r < RUNS; r++) {
                uint32_t slot = first + r * RUN * LANES;
                bits[r].load(in, head.at, slot < count ? slot * w : 0, w);
            }
            uint32_t at = head.at + (count * l + 7) / 8;
            shift = at % 4 * 8 + first / RUN * share(head);
            const uint32_t *from = in.words + (at / 4 + shift / 32);
            high[0] = SOURCE::load(from);
            high[1] = SOURCE::load(from + 1);
        }

        /* The high parts of the lane's slots, a byte each. */
        PRIM_MEMBER void high_parts(const block_head &head, uint32_t first, unsigned char *scratch,
                                    uint32_t *out) const
        {
            uint32_t mine = share(head),
                     x = prim_funnel(high[0], high[1], shift) & ((1U << mine) - 1);
            uint32_t n = prim_count(x), rank = scan_add_among<LANES>(n) - n;
            unsigned char *own = scratch + (LANES < 32 ? prim_lane() / LANES * SCRATCH_BYTES : 0);
            put(rank < KARG_BLOCK ? x : 0, first / RUN * mine - rank, own + rank);
            prim_sync_tile();
#pragma unroll
            for (int r = 0; r < RUNS; r++)
                out[r] = *(const uint32_t *)(own + first + r * RUN * LANES);
        }

        /* N bits from the lowest on: of a one, the number of zeros goes to `to`; after a zero, that
         * is one more, and the next place one less ahead. */
        template <int N>
        PRIM_MEMBER void put_bits(uint32_t x, uint32_t zeros, unsigned char *to) const
        {
#pragma unroll
            for (int t = 0; t < N; t++)
                if (x >> t & 1) {
                    to[t] = (unsigned char)zeros;
                } else {
                    zeros++;
                    to--;
                }
        }

        /* Most high parts are shorter than they may be. */
        PRIM_MEMBER void put(uint32_t x, uint32_t zeros, unsigned char *to) const
        {
            if (prim_ballot<32>(x >> MAX * 5 / 6) == 0)
                put_bits<MAX * 5 / 6>(x, zeros, to);
            else
                put_bits<MAX>(x, zeros, to);
        }

        template <class SOURCE>
        PRIM_MEMBER void docids(const SOURCE &, const block_head &head, uint32_t first,
                                unsigned char *scratch, uint32_t *out) const
        {
            uint32_t l = low_width(head), highs[RUNS];
            /* of high parts; written so that it stays a factor */
            uint32_t unit = 0x80000000U >> (31 - l);
            high_parts(head, first, scratch, highs);
#pragma unroll
            for (int r = 0; r < RUNS; r++) {
                uint32_t *four = out + r * RUN, base = head.base + first + r * RUN * LANES;
                bits[r].values(l, block_mask<K>(l), four);
#pragma unroll
                for (int k = 0; k < RUN; k++)
                    four[k] = prim_byte(highs[r], k) * unit + four[k] + base + k;
            }
            if (K == BLOCK_ANY && prim_ballot<32>((head.shape & 255) >= ZEROS))
                other_docids(head, out);
        }

        /* The other two forms; lanes of blocks in the usual one keep what they have. */
        PRIM_MEMBER void other_docids(const block_head &head, uint32_t *out) const
        {
            uint32_t form = head.shape & 255, w = form == PLAIN ? head.shape >> 8 : 0,
                     base = head.base, plain[RUN];
#pragma unroll
            for (int r = 0; r < RUNS; r++) {
                bits[r].values(w, form == PLAIN ? prim_mask(w) : 0, plain);
                block_sum_gaps<RUN, LANES>(base, plain);
                base = prim_shuffle<LANES>(plain[RUN - 1], LANES - 1) + 1;
#pragma unroll
                for (int k = 0; k < RUN; k++)
                    out[r * RUN + k] = form < ZEROS ? out[r * RUN + k] : plain[k];
            }
        }
    };
};

/* The last of the running sums, if low parts lie inside, all high parts end, and sums do not fall
 * or pass 32 bits. */
PRIM bool ef128_has_sums(const sound_bytes &in, uint32_t *last)
{
    uint32_t l = sound_byte(in, 0), low = 1 + bitpack_bytes(in.n * l), i = 0, before = 0;
    if (in.bytes == 0 || l >= block_ef128::ZEROS || low > in.bytes)
        return false;
    uint32_t limit = sound_unary(in.bytes - low, in.n);
    for (uint32_t bit = 0; bit < limit && i < in.n; bit += 32) {
        uint32_t word = sound_bits(in, low, bit, 32) & prim_mask(prim_min(limit - bit, 32U));
        for (; word && i < in.n; word &= word - 1, i++) {
            uint32_t high = bit + prim_lowest(word) - i,
                     sum = (high << l) + sound_bits(in, 1, i * l, l);
            if (high > ~0U >> l || sum < before)
                return false;
            before = sum;
        }
    }
    *last = before;
    return i == in.n;
}

PRIM bool ef128_is_sound(const sound_bytes &in)
{
    uint32_t form = sound_byte(in, 0), last;
    if (in.bytes > 0 && form == block_ef128::PLAIN)
        return bp128_is_sound(sound_after(in, 1, in.n));
    return in.bytes > 0 && (form == block_ef128::ZEROS || ef128_has_sums(in, &last));
}

#endif
