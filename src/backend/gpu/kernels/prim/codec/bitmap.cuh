/* bitmap.cuh: blocks of 128 docids of a bitmap: from the docid after the last block's on, each lane
 * has some bits; one count and one scan give the rank of its first docid, and it puts its docids
 * into shared memory, at their ranks; then lanes read what their slots have there. Docids that were
 * stored as words are read as those. */
#ifndef RP_KERNELS_BITMAP_CUH
#define RP_KERNELS_BITMAP_CUH

#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

struct block_bitmap {
    static const int RUN = 8, SCRATCH = KARG_BLOCK * 4, WIDEST = 8;
    static const int HEAD = 2; /* words before the bits */
    enum { SPARSE = 1 };       /* the base that says so */

    /* at: the first bit; shape: words of the bitmap; base: the docid of bit 0; count's high half:
     * bits a lane. Of docids as words, at: the first word; base: SPARSE, which no bitmap has. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t count = block_count(list, b), next = block_base(list, b),
                 there = list.docs_bytes / 4;
        if (there < HEAD || count == 0)
            return block_head{0, 0, 0, count};
        uint32_t base = prim_load(block_words(list)), words = prim_load(block_words(list) + 1);
        if (base == SPARSE) {
            uint32_t rank = b * KARG_BLOCK;
            bool is_inside = rank <= there - HEAD && count <= there - HEAD - rank;
            return block_head{rank, is_inside, SPARSE, count};
        }
        words = words <= there / 2 ? prim_min(2 * words, there - HEAD) : 0;
        uint32_t from = b ? next - base : 0;
        uint32_t span = list.last ? prim_load(&list.last[b]) - base - from : 32 * KARG_BLOCK;
        uint32_t share = span < 256 ? 8 : span < 512 ? 16 : 32;
        return block_head{from, words, base, count | share << 16};
    }

    /* Docids as words take the last of the ways. */
    static PRIM_MEMBER uint32_t key(const block_head &head)
    {
        return head.base == SPARSE ? BLOCK_ANY : 0;
    }

    template <int V, int LANES, uint32_t K> struct fetched {
        static_assert(V == 4 && LANES == 32, "a warp a block");
        uint32_t word[2];

        PRIM_MEMBER void load_bits(const block_list &list, const block_head &head, uint32_t bit)
        {
            uint32_t at = bit / 32;
            word[0] = at < head.shape ? prim_load(block_words(list) + HEAD + at) : 0;
            word[1] = at + 1 < head.shape ? prim_load(block_words(list) + HEAD + at + 1) : 0;
        }

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            load_bits(list, head, head.at + first / V * (head.count >> 16));
        }

        /* Puts the docids of the lane's bits where they belong; returns how many all lanes had. */
        PRIM_MEMBER uint32_t put(const block_head &head, uint32_t bit, uint32_t before,
                                 uint32_t *scratch) const
        {
            uint32_t x = prim_funnel(word[0], word[1], bit) & prim_mask(head.count >> 16);
            uint32_t n = prim_count(x), up_to = scan_add<32>(n), rank = before + up_to - n;
            for (; x && rank < KARG_BLOCK; x &= x - 1)
                scratch[rank++] = head.base + bit + prim_lowest(x);
            return prim_shuffle<32>(up_to, 31);
        }

        PRIM_MEMBER void docids(const block_list &list, const block_head &head, uint32_t first,
                                unsigned char *scratch, uint32_t *out)
        {
            uint32_t *to = (uint32_t *)scratch, count = head.count & 65535;
            if (K == BLOCK_ANY && head.base == SPARSE) {
#pragma unroll
                for (int k = 0; k < V; k++)
                    out[k] = head.shape && first + k < count
                                 ? prim_load(block_words(list) + HEAD + head.at + first + k)
                                 : 0;
                return;
            }
            uint32_t share = head.count >> 16, bit = head.at + first / V * share;
            uint32_t begin = head.at, found = put(head, bit, 0, to);
            while (found < count && (begin += 32 * share) / 32 < head.shape && begin > head.at) {
                bit = begin + first / V * share;
                load_bits(list, head, bit);
                found += put(head, bit, found, to);
            }
            prim_sync_tile();
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] = to[first + k];
        }
    };
};

/* Bits from bit `from` to bit `to` - 1, at most as many as matter; these lie inside. */
PRIM uint32_t bitmap_count(const block_list &list, uint64_t from, uint64_t to, uint32_t limit)
{
    uint32_t found = 0;
    for (uint64_t bit = from; bit < to && found <= limit; bit += 32 - bit % 32) {
        uint32_t left = (uint32_t)prim_min<uint64_t>(to - bit, 32 - bit % 32);
        found +=
            prim_count(prim_load(block_words(list) + block_bitmap::HEAD + bit / 32) >> bit % 32 &
                       prim_mask(left));
    }
    return found;
}

/* Block b of a list in bitmap: as many bits as it has postings lie between its last docid and the
 * one before; behind the last docid of the list there are none. */
PRIM bool bitmap_is_sound(const block_list &list, uint32_t b)
{
    uint32_t count = block_count(list, b), from = block_base(list, b);
    if (list.docs_bytes < 8)
        return false;
    uint64_t base = prim_load(block_words(list)), words = prim_load(block_words(list) + 1),
             end = base + 64 * words;
    if (base == block_bitmap::SPARSE)
        return words == 0 && (list.docs_bytes - 8) / 4 >= list.n;
    if (base % 64 || end > (uint64_t)1 << 32 ||
        list.docs_bytes - 8 < 8 * words + 4 * ((words + 7) / 8))
        return false;
    if (!list.last)
        return bitmap_count(list, 0, end - base, count) == count;
    uint64_t to = (uint64_t)prim_load(&list.last[b]) + 1,
             first = b ? prim_max<uint64_t>(from, base) : base;
    if (first >= to || to > end || bitmap_count(list, first - base, to - base, count) != count)
        return false;
    return b + 1 < list.n_blocks || bitmap_count(list, to - base, end - base, 0) == 0;
}

#endif
