/* fastpfd.cuh: blocks of fastpfd (docs/format.md, chapter 7): blocks of bp128, of which the first
 * of eight is followed by the exceptions of all. A warp that has a block looks at these, a lane
 * each, and puts its block's to their slots through shared memory. */
#ifndef RP_KERNELS_FASTPFD_CUH
#define RP_KERNELS_FASTPFD_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"
#include "backend/gpu/kernels/prim/warp/exceptions.cuh"

enum { FASTPFD_GROUP = 8, FASTPFD_AT_BITS = 10, FASTPFD_HEAD = 2 };

/* A run of exceptions: how many, the bits of a high part below its highest, and all its bytes. */
struct fastpfd_run {
    uint64_t at, highs;
    uint32_t count, bits, bytes;
};

PRIM fastpfd_run fastpfd_open(uint64_t at)
{
    fastpfd_run r;
    uint32_t head = bitpack_one(bitpack_at(at), 0, 16);
    r.count = (head >> 8) + 1;
    r.bits = (head & 255) - 1;
    r.at = at + FASTPFD_HEAD;
    r.highs = r.at + bitpack_bytes(r.count * FASTPFD_AT_BITS);
    r.bytes = (uint32_t)(r.highs - at) + bitpack_bytes(r.count * (r.bits % 32));
    return r;
}

/* Exceptions of a run, of a group of n docids, to the slots of block b, whose values have w low
 * bits. False: one of the lane's cannot be. */
PRIM bool fastpfd_put(const fastpfd_run &r, uint32_t b, uint32_t n, uint32_t w, uint32_t *adds)
{
    bool fits = true;
    for (uint32_t j = prim_lane(); j < r.count; j += 32) {
        uint32_t rank = bitpack_one(bitpack_at(r.at), j * FASTPFD_AT_BITS, FASTPFD_AT_BITS);
        bool is_here = rank / KARG_BLOCK == b % FASTPFD_GROUP;
        fits = fits && rank < n && (!is_here || w + r.bits < 32);
        if (is_here && fits)
            exceptions_put(adds, rank,
                           (1U << r.bits | bitpack_one(bitpack_at(r.highs), j * r.bits, r.bits))
                               << w);
    }
    return fits;
}

/* Those of all runs of the block's group. False: they do not lie inside, or cannot be. */
PRIM bool fastpfd_place(const block_list &list, uint32_t b, uint32_t w, uint32_t *adds)
{
    uint32_t first = b / FASTPFD_GROUP * FASTPFD_GROUP, from, to;
    if (!block_bounds(list, first, &from, &to))
        return false;
    uint32_t n = prim_min<uint32_t>(list.n - first * KARG_BLOCK, FASTPFD_GROUP * KARG_BLOCK),
             first_w = block_byte(list, list.phase + from),
             at = from + 1 + bitpack_bytes(prim_min<uint32_t>(n, KARG_BLOCK) * first_w);
    uint64_t docs = (uint64_t)list.words + list.phase;
    bool fits = first_w <= 32;
    while (fits && at < to) {
        fastpfd_run r = fastpfd_open(docs + at);
        if (to - at < FASTPFD_HEAD || r.bits > 31 || to - at < r.bytes)
            return false;
        fits = prim_ballot<32>(!fastpfd_put(r, b, n, w, adds)) == 0;
        at += r.bytes;
    }
    return fits && at == to;
}

struct block_fastpfd : block_bp128 {
    static const int SCRATCH = KARG_SHARED_EXCEPTIONS;

    /* The shape: the width in bits 0 to 5, above them the block's number. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        block_head head = block_bp128::head(list, b);
        head.shape |= b << 6;
        return head;
    }
    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape & 63; }

    template <int V, int LANES, uint32_t K> struct fetched {
        static_assert(V == 4 && LANES == 32, "a warp a block, of which a lane has four slots");
        block_bits<V, K> bits;

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            uint32_t w = key(head), bit = K < BLOCK_ANY || first < head.count ? first * w : 0;
            bits.load(list, head.at, bit, w);
        }

        PRIM_MEMBER void docids(const block_list &list, const block_head &head, uint32_t,
                                unsigned char *scratch, uint32_t *out) const
        {
            uint32_t *adds = (uint32_t *)scratch, w = key(head);
            exceptions_clear(adds);
            bool is_sound = head.count && fastpfd_place(list, head.shape >> 6, w, adds);
            bits.values(w, block_mask<K>(w), out);
            exceptions_take(adds, out);
            block_sum_gaps<V, LANES>(head.base, out);
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] = is_sound ? out[k] : UINT32_MAX; /* no docid */
        }
    };
};

#endif
