/* block_optpfd.cuh: a block of optpfd (docs/format.md, chapter 6) for gaps.cuh: a listed high part is one of
 * lanes 0 to 15's, a far part one of lanes 16 to 23's; those of a bitmap lie in the order of slots, so that each
 * lane reads its own. */
#ifndef RP_KERNELS_BLOCK_OPTPFD_CUH
#define RP_KERNELS_BLOCK_OPTPFD_CUH

#include "backend/gpu/kernels/prim/freq_optpfd.cuh"
#include "backend/gpu/kernels/prim/patch.cuh"

struct block_optpfd {
    typedef patch_room room;
    enum { FIRST_FAR = 16 }; /* the lane that has the first far part */
    pack_four lows;
    uint32_t at, part; /* slot and part of the lane's exception; of a bitmap the lane's marks, and its parts */
    uint32_t at_far, far;

    /* The head as it is. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count)
    {
        optpfd_head o = optpfd_read(first, count);
        uint32_t known = o.bytes + pack_bytes(count * o.b) + pack_bytes(o.k * (o.at_width + o.h));
        return o.b + o.h + o.far_width <= 32 && known <= bytes ? first & 0xFFFFFF : 0;
    }
    PRIM optpfd_head head(const gaps_head &h) { return optpfd_read(h.shape, gaps_count(h.shape)); }

    PRIM_MEMBER void open(uint64_t in, const gaps_head &h)
    {
        optpfd_head o = head(h);
        uint32_t begin = o.bytes + pack_bytes(gaps_count(h.shape) * o.b);
        uint32_t used = pack_bytes(o.k * (o.at_width + o.h));
        pack_bits parts = pack_at(in + begin);
        lows = gaps_load(in + o.bytes, h, o.b);
        at = part = at_far = far = 0;
        if (prim_lane() < o.k) {
            at = pack_one(parts, prim_lane() * o.at_width, o.at_width);
            part = pack_one(parts, o.k * o.at_width + prim_lane() * o.h, o.h) << (o.b & 31);
        }
        if (o.mode == OPTPFD_BITMAP)
            used = open_bitmap(parts, gaps_count(h.shape), o.h, h.bytes - begin);
        if (o.f)
            open_far(in + begin + used, o, h.bytes - begin - used);
    }
    /* The lane's marks and high parts; returns the bytes of all, or of none where they do not fit. */
    PRIM_MEMBER uint32_t open_bitmap(pack_bits bitmap, uint32_t count, uint32_t h, uint32_t bytes)
    {
        uint32_t slot = gaps_slot(), before = 0, all = 0, used = pack_bytes(count);
        if (used > bytes)
            return 0;
#pragma unroll
        for (uint32_t from = 0; from < KARG_BLOCK; from += 32) {
            uint32_t here = optpfd_marks(bitmap, count, from);
            uint32_t below = slot <= from ? 0 : prim_mask(prim_min(slot - from, 32U));
            all += prim_count(here);
            before += prim_count(here & below);
            at = slot / 32 == from / 32 ? here >> slot % 32 & 15 : at;
        }
        used += pack_bytes(all * h);
        if (used > bytes)
            at = used = 0;
        if (at)
            part = pack_word(bitmap, 8 * pack_bytes(count) + before * h);
        return used;
    }
    PRIM_MEMBER void open_far(uint64_t in, const optpfd_head &o, uint32_t bytes)
    {
        uint32_t j = prim_lane() - FIRST_FAR;
        if (j < o.f && pack_bytes(o.f * (o.at_width + o.far_width)) <= bytes) {
            at_far = pack_one(pack_at(in), j * o.at_width, o.at_width);
            far = pack_one(pack_at(in), o.f * o.at_width + j * o.far_width, o.far_width) << ((o.b + o.h) & 31);
        }
    }

    PRIM_MEMBER void place(uint64_t, const gaps_head &h, room *to)
    {
        optpfd_head o = head(h);
        if (prim_lane() < o.k)
            patch_put(to, at, part);
        if (o.f) { /* in all lanes or none; a far part may meet a high one */
            prim_sync_tile();
            if (prim_lane() - FIRST_FAR < o.f)
                to->adds[at_far % KARG_BLOCK] += far;
        }
    }
    PRIM_MEMBER void docids(uint64_t in, const gaps_head &h, room *from, uint32_t v[4])
    {
        optpfd_head o = head(h);
        gaps_values(lows, in + o.bytes, h, o.b, v);
        if (o.mode == OPTPFD_BITMAP) {
            uint32_t mask = prim_mask(o.h);
#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t has = at >> k & 1;
                v[k] += has ? (part & mask) << (o.b & 31) : 0;
                part = has ? part >> o.h : part;
            }
        }
        if (o.k | o.f)
            patch_take(from, v);
        gaps_sum(h.base, v);
    }
};

#endif
