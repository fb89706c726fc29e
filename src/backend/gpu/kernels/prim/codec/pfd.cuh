/* pfd.cuh: a block of pfd (docs/format.md, chapter 6) for delta_decode.cuh. Links are walked one by
 * one, as the method has it: each slot says in shared memory where the next would be if it were an
 * exception, all lanes go from one to the next, and lane j remembers where exception j lies. */
#ifndef RP_KERNELS_PFD_CUH
#define RP_KERNELS_PFD_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"

struct alignas(16) pfd_masks {
    /* of an exception's value; slot of the first; the docid before the first */
    uint32_t value, first, base, zero;
};

struct block_pfd : delta_worked<pfd_masks> {
    enum { SCRATCH_BYTES = 2 * KARG_SHARED_EXCEPTIONS }; /* where the next would be; values */

    /* w in bits 0 to 5, how values are stored 6 and 7, the first exception 8 to 15, exceptions 16
     * to 23. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        uint32_t w = first & 63, code = first >> 6 & 3, en = code ? (first >> 8 & 255) + 1 : 0;
        *used = code ? 3 : 1;
        uint32_t all = *used + bitpack_bytes(count * w) + (code ? en << (code - 1) : 0);
        bool fits = w <= 32 && en <= count && all <= bytes;
        return fits ? w | code << 6 | en << 16 | (code ? first >> 8 & 0xFF00 : 0) : 0;
    }
    PRIM head keep(const delta_head &h)
    {
        uint32_t bits = 4U << (h.shape >> 6 & 3);
        return {delta_where_of(h, h.shape & 63, 0, bits, h.shape >> 16, true),
                {prim_mask(bits), h.shape >> 8 & (KARG_BLOCK - 1), h.base, 0}};
    }

    template <int K> struct fetched {
        bitpack_quad<K> lows;
        bitpack_pair value; /* of the lane's exception */
        uint32_t exceptions;

        PRIM_MEMBER void load(const uint32_t *words, kept h)
        {
            delta_where at = h->where;
            exceptions = at.fields >> 24;
            delta_load_lows(words, at, &lows);
            read(words, at, prim_lane() < exceptions ? prim_lane() : 0);
        }
        PRIM_MEMBER void read(const uint32_t *words, const delta_where &at, uint32_t j)
        {
            value = delta_load_pair(words, at, (at.bits >> 16) + j * prim_byte(at.fields, 2));
        }
        /* Where slots' next ones are. */
        PRIM_MEMBER void link(uint32_t *next, const uint32_t v[4])
        {
            uint32_t to[4];
#pragma unroll
            for (uint32_t k = 0; k < 4; k++)
                to[k] = (delta_slot() + k + 1 + v[k]) % KARG_BLOCK;
            ((uint4 *)next)[prim_lane()] = make_uint4(to[0], to[1], to[2], to[3]);
        }
        /* 32 links, or as many as matter, from slot *at on, which goes on: the slot of this lane's.
         * Four go into a word, of which the lane takes one in the end. */
        PRIM_MEMBER uint32_t walk(const uint32_t *next, uint32_t steps, uint32_t *at)
        {
            uint32_t mine = 0;
#pragma unroll 1
            for (uint32_t k = 0; k < steps; k += 4) {
                uint32_t four = 0;
#pragma unroll
                for (uint32_t i = 0; i < 4; i++) {
                    four = four * 256 + *at;
                    *at = next[*at];
                }
                mine = prim_lane() / 4 == k / 4 ? four : mine;
            }
            return prim_byte(mine, 3 - prim_lane() % 4);
        }
        PRIM_MEMBER void patch(const uint32_t *words, kept h, uint32_t *next, uint32_t v[4])
        {
            uint32_t n = exceptions, mask = h->masks.value, at = h->masks.first;
            uint32_t *values = next + KARG_BLOCK;
            link(next, v);
            ((uint4 *)values)[prim_lane()] = make_uint4(v[0], v[1], v[2], v[3]);
            prim_sync_tile();
            uint32_t slot = walk(next, prim_min(n, 32U), &at);
            if (prim_lane() < n)
                /* damaged links may lead to one slot twice */
                prim_atomic_swap(&values[slot], value.value() & mask);
#pragma unroll 1
            for (uint32_t j = prim_lane() + 32; j < n + prim_lane(); j += 32) { /* rare */
                slot = walk(next, 32, &at);
                if (j < n) {
                    read(words, h->where, j);
                    prim_atomic_swap(&values[slot], value.value() & mask);
                }
            }
            prim_sync_tile();
            uint4 all = ((const uint4 *)values)[prim_lane()];
            v[0] = all.x;
            v[1] = all.y;
            v[2] = all.z;
            v[3] = all.w;
        }
        PRIM_MEMBER void docids(const uint32_t *words, kept h, unsigned char *scratch,
                                uint32_t v[4])
        {
            lows.values(prim_byte(h->where.fields, 0), v);
            if (exceptions)
                patch(words, h, (uint32_t *)scratch, v);
            delta_sum(h->masks.base, v);
        }
    };
};

static_assert(DELTA_BLOCKS * sizeof(block_pfd::head) == KARG_SHARED_WORKED, "as launches have it");

PRIM bool pfd_is_sound(const sound_bytes &in)
{
    uint32_t first = sound_byte(in, 0), w = first & 63, code = first >> 6, head = code ? 3 : 1;
    uint32_t k = code ? sound_byte(in, 1) + 1 : 0, lows = bitpack_bytes(in.n * w);
    if (in.bytes < head || w > 32 || in.bytes - head < lows + (code ? k << (code - 1) : 0))
        return false;
    uint64_t at = sound_byte(in, 2);
    for (; k > 0 && at < in.n; k--)
        at += sound_bits(in, head, (uint32_t)at * w, w) + (uint64_t)1;
    return k == 0;
}

#endif
