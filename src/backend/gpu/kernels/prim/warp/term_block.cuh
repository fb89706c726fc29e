/* term_block.cuh: blocks of a term's list by a warp, for the few that a query needs, which are
 * anywhere: their bytes are brought to shared memory, TERM_ROWS blocks at a time, and taken apart
 * there, one after the other. So a block costs one wait, whatever its head says; and one piece of
 * code does for all codecs and callers, since what a kernel of one short launch waits for most is
 * its own instructions.
 *
 * The list's record is the host's, and sound; what it points to is not. Offsets are held within the
 * payload, bits within what was brought. Bytes that cannot be are found by a block's head, or by
 * its last docid, which the directory has. */
#ifndef RP_KERNELS_TERM_BLOCK_CUH
#define RP_KERNELS_TERM_BLOCK_CUH

#include "backend/gpu/kernels/prim/codec/ef128.cuh"
#include "backend/gpu/kernels/prim/codec/optpfd.cuh"
#include "backend/gpu/kernels/prim/thread/near_offset.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"

enum {
    TERM_ROWS = 4,
    TERM_STAGE = 672,       /* bytes of a row: no block has more, and 16 more before and after it */
    TERM_BYTES = 640,       /* of a block that are brought, at most */
    TERM_FRAME = 144,       /* bytes of a row for frequencies; and */
    TERM_FRAME_BYTES = 112, /* those of a frame, which are mostly fewer, or they are not brought */
};

/* Shared memory of a warp. */
struct alignas(16) term_scratch {
    unsigned char bytes[TERM_ROWS][TERM_STAGE], frames[TERM_ROWS][TERM_FRAME];
    uint32_t docids[KARG_BLOCK]; /* of one block; UINT32_MAX past the last */
};
static_assert(sizeof(term_scratch) == KARG_SHARED_TERM, "as launches have it");

PRIM uint32_t term_count(const karg_list &list, uint32_t b)
{
    return prim_min(list.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
}

/* Bytes of a part of a payload, where part i of n begins as offsets say; none: there is one. */
struct term_bytes {
    uint32_t from, n;
    bool is_sound;
};

PRIM term_bytes term_between(uint32_t from, uint32_t to, uint32_t all)
{
    bool is_sound = from < to && to <= all;
    return {is_sound ? from : 0, is_sound ? to - from : 0, is_sound};
}

PRIM term_bytes term_part(uint32_t bytes, uint64_t offsets, uint32_t i, uint32_t n)
{
    return term_between(offsets ? near_offset(offsets, i) : 0,
                        offsets && i + 1 < n ? near_offset(offsets, i + 1) : bytes, bytes);
}

/* ---- To shared memory ------------------------------------------------------------------------ */

/* By a warp: n bytes from an address on are on their way to a row: no more than `most`, which
 * leaves 32 of it. */
PRIM void term_stage(uint64_t in, uint32_t n, uint32_t limit, unsigned char *row)
{
    uint32_t chunks = prim_div_up((uint32_t)(in & 15) + prim_min(n, limit), 16) + 1;
#pragma unroll 1
    for (uint32_t i = prim_lane(); i < chunks; i += 32)
        prim_copy16(row + 16 * i, prim_at<const void>((in & ~(uint64_t)15) + 16 * i));
}
/* Where they are in it. */
PRIM const unsigned char *term_staged(const unsigned char *row, uint64_t in)
{
    return row + (in & 15);
}

/* Bits of a block: where its first whole word is, and at which bit of that it begins. */
struct term_source {
    const uint32_t *words;
    uint32_t skew;
};

PRIM term_source term_bits_at(const unsigned char *in)
{
    uint32_t skew = (uint32_t)((uintptr_t)in & 3);
    return {(const uint32_t *)(in - skew), 8 * skew};
}

/* w bits from bit `bit` on, which are held within what was brought. */
PRIM uint32_t term_bits(const term_source &in, uint32_t bit, uint32_t w)
{
    bit += in.skew;
    uint32_t at = prim_min(bit >> 5, TERM_BYTES / 4U);
    return prim_funnel(in.words[at], in.words[at + 1], bit) & prim_mask(w);
}

/* ---- Taken apart ----------------------------------------------------------------------------- */

PRIM uint32_t term_slot()
{
    return 4 * prim_lane();
} /* the lane's first; it has four */

/* Gaps less one become docids. */
PRIM void term_sum(uint32_t base, uint32_t *v)
{
    uint32_t sum = v[0] + v[1] + v[2] + v[3] + 4, before = base + scan_add<32>(sum) - sum;
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = before += v[k] + 1;
}

/* A unary part: how many bits before the end of each of the lane's values are none, a byte each. A
 * lane looks at an equal part of the bits; `room` is a block's. */
PRIM uint32_t term_unary(const term_source &in, uint32_t bit, uint32_t bits, uint32_t flip,
                         uint32_t *scratch)
{
    uint8_t *sums = (uint8_t *)scratch;
    uint32_t part = (bits + 31) / 32, from = prim_min(prim_lane() * part, bits);
    uint32_t ends = (term_bits(in, bit + from, 32) ^ flip) & prim_mask(prim_min(part, bits - from));
    uint32_t rank = scan_add<32>(prim_count(ends)) - prim_count(ends);
    prim_sync_tile();
#pragma unroll 1
    for (; ends && rank < KARG_BLOCK; ends &= ends - 1, rank++)
        sums[rank] = (uint8_t)(from + prim_lowest(ends) - rank);
    prim_sync_tile();
    uint32_t four = scratch[prim_lane()];
    prim_sync_tile();
    return four;
}

/* `k` ranks, then as many parts of `width` bits: each is added to its value, shifted. One lane
 * each. */
PRIM void term_patch(const term_source &in, uint32_t bit, uint32_t k, uint32_t at_width,
                     uint32_t width, uint32_t shift, uint32_t *values)
{
    uint32_t j = prim_lane();
    if (j < k)
        prim_atomic_add(&values[term_bits(in, bit + j * at_width, at_width) % KARG_BLOCK],
                        term_bits(in, bit + k * at_width + j * width, width) << (shift & 31));
    prim_sync_tile();
}

/* The lane's values of optpfd: lows are there; high and far parts are from byte `high` on. False:
 * they do not fit. */
PRIM bool term_optpfd(const term_source &in, uint32_t bytes, uint32_t count, const optpfd_head &o,
                      uint32_t high, uint32_t *values, uint32_t *v)
{
    uint32_t used = bitpack_bytes(o.k * (o.at_width + o.h)), slot = term_slot();
    if (o.mode == OPTPFD_BITMAP) {
        uint32_t marks =
            slot < count ? term_bits(in, 8 * high + slot, prim_min(count - slot, 4U)) : 0;
        uint32_t up_to = scan_add<32>(prim_count(marks)), rank = up_to - prim_count(marks);
        used = bitpack_bytes(count) + bitpack_bytes(prim_shuffle<32>(up_to, 31) * o.h);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (marks >> k & 1)
                v[k] += term_bits(in, 8 * (high + bitpack_bytes(count)) + rank++ * o.h, o.h)
                        << (o.b & 31);
    }
    prim_sync_tile();
    *(uint4 *)(values + slot) = make_uint4(v[0], v[1], v[2], v[3]);
    prim_sync_tile();
    term_patch(in, 8 * high, o.k, o.at_width, o.h, o.b, values);
    term_patch(in, 8 * (high + used), o.f, o.at_width, o.far_width, o.b + o.h, values);
    uint4 four = *(const uint4 *)(values + slot);
    v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    prim_sync_tile();
    return o.b + o.h + o.far_width <= 32 &&
           high + used + bitpack_bytes(o.f * (o.at_width + o.far_width)) <= bytes;
}

/* By a warp: the lane's four of `count` docids above `base`, of a block in shared or device memory;
 * UINT32_MAX past the last, and all, of all lanes, where they cannot be. `room` is a block's, of
 * shared memory. */
PRIM_APART uint4 block_unpack(uint32_t codec, uint32_t base, uint32_t count, uint32_t bytes,
                              const unsigned char *at, uint32_t *scratch)
{
    const term_source in = term_bits_at(at);
    uint32_t head = term_bits(in, 0, 32), form = head & 255, w = form, lows = 1, v[4],
             slot = term_slot();
    optpfd_head o = {};
    if (codec == KARG_CODEC_OPTPFD) {
        o = optpfd_read(head, count);
        lows = o.bytes;
        w = o.b;
    } else if (codec == KARG_CODEC_EF128 && form >= block_ef128::ZEROS) {
        lows = form == block_ef128::PLAIN ? 2 : 1;
        w = form == block_ef128::PLAIN ? head >> 8 & 255 : form == block_ef128::ZEROS ? 0 : 33;
    }
    uint32_t high = lows + bitpack_bytes(count * prim_min(w, 33U)), sums = 0; /* a byte each */
    bool has_unary =
        codec == KARG_CODEC_RICE || (codec == KARG_CODEC_EF128 && form < block_ef128::ZEROS);
    bool is_sound = w <= 32U - has_unary && high <= bytes;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        v[k] = is_sound && slot + k < count ? term_bits(in, 8 * lows + (slot + k) * w, w) : 0;
    if (has_unary && is_sound)
        sums = term_unary(in, 8 * high, prim_min(3 * count, 8 * prim_min(bytes - high, 64U)),
                          codec == KARG_CODEC_RICE ? ~0U : 0, scratch);
    if (o.mode && is_sound)
        is_sound = term_optpfd(in, bytes, count, o, high, scratch, v);
    if (codec == KARG_CODEC_EF128 && has_unary)
        base += 1 + slot;
    else
        term_sum(base, v);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        v[k] += (prim_byte(sums, k) << (w & 31)) +
                (codec == KARG_CODEC_EF128 && has_unary ? base + k : 0);
        v[k] = is_sound && slot + k < count ? v[k] : UINT32_MAX;
    }
    return make_uint4(v[0], v[1], v[2], v[3]);
}

/* One of four. */
PRIM uint32_t term_pick(const uint4 &v, uint32_t k)
{
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

/* Whether docids, four a lane, are what they must be, where the directory says their last: by a
 * warp, all lanes alike. */
PRIM bool term_check(const karg_list &list, uint32_t count, uint32_t last, const uint4 &v)
{
    uint32_t end = prim_shuffle<32>(term_pick(v, (count - 1) % 4), (count - 1) / 4);
    if (list.last)
        return end == last;
    uint32_t next = prim_shuffle_down<32>(v.x, 1), slot = term_slot();
    bool rises = (slot + 1 >= count || v.x < v.y) && (slot + 2 >= count || v.y < v.z) &&
                 (slot + 3 >= count || v.z < v.w) && (slot + 4 >= count || v.w < next);
    return end < list.universe && prim_ballot<32>(!rises) == 0;
}

PRIM void term_store(uint32_t *to, const uint4 &v)
{
    *(uint4 *)(to + term_slot()) = v;
}

/* ---- One block ------------------------------------------------------------------------------- */

PRIM void term_open_raw(const karg_list &list, uint32_t b, uint32_t count, uint32_t *out)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs) + (uint64_t)b * KARG_BLOCK;
#pragma unroll 1
    for (uint32_t i = prim_lane(); i < KARG_BLOCK; i += 32)
        out[i] = i < count ? prim_load(&docids[i]) : UINT32_MAX;
}

/* Words of a bitmap in which a block is looked for, whose last docid is `last` if the list has a
 * directory. */
template <bool TO_LAST> PRIM uint32_t term_words(const karg_term &term, uint32_t last)
{
    if (!TO_LAST || !term.list.last)
        return term.n_words;
    return last < term.base ? 0 : prim_min(term.n_words, (last - term.base) / 32 + 1);
}

/* From the bit after `base` on: as many as the block has, if they are there. */
template <bool TO_LAST>
PRIM void term_open_bits(const karg_term &term, uint32_t base, uint32_t last, uint32_t count,
                         uint32_t *out)
{
    const uint32_t *words = prim_at<const uint32_t>(term.list.docs);
    uint32_t n = 0, bit = base + 1 > term.base ? base + 1 - term.base : 0;
#pragma unroll 1
    for (uint32_t i = prim_lane(); i < KARG_BLOCK; i += 32)
        out[i] = UINT32_MAX;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t w = bit / 32; w < term_words<TO_LAST>(term, last) && n < count; w += 32) {
        uint32_t at = w + prim_lane(),
                 set = at < term_words<TO_LAST>(term, last) ? prim_load(&words[at]) : 0;
        set &= at == bit / 32 ? ~prim_mask(bit % 32) : ~0U;
        uint32_t up_to = scan_add<32>(prim_count(set)), slot = n + up_to - prim_count(set);
#pragma unroll 1
        for (; set && slot < count; set &= set - 1)
            out[slot++] = term.base + 32 * at + prim_lowest(set);
        n += prim_shuffle<32>(up_to, 31);
    }
}

/* From where it lies. */
PRIM void term_open_coded(const karg_list &list, uint32_t b, uint32_t base, uint32_t count,
                          uint32_t *out)
{
    term_bytes in = term_part(list.docs_bytes, list.offsets, b, list.n_blocks);
    uint4 v = make_uint4(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    if (in.is_sound)
        v = block_unpack(list.codec, base, count, in.n,
                         prim_at<const unsigned char>(list.docs + in.from), out);
    term_store(out, v);
}

/* By a warp: the docids of block b, to shared memory with room for a block. How many; 0:
 * damaged. TO_LAST is for kernels that read many blocks of a list that may be damaged: they do not
 * look for a block of a bitmap whose bits are gone up to the bitmap's end. */
template <bool TO_LAST = false>
PRIM uint32_t term_block(const karg_term &term, uint32_t b, uint32_t *out, karg_found *found)
{
    const karg_list &list = term.list;
    const uint32_t *lasts = prim_at<const uint32_t>(list.last);
    uint32_t base = b && lasts ? prim_load(&lasts[b - 1]) : UINT32_MAX,
             last = lasts ? prim_load(&lasts[b]) : 0;
    uint32_t count = term_count(list, b);
    prim_sync_tile();
    if (list.codec == KARG_CODEC_RAW)
        term_open_raw(list, b, count, out);
    else if (list.codec == KARG_CODEC_BITMAP)
        term_open_bits<TO_LAST>(term, base, last, count, out);
    else
        term_open_coded(list, b, base, count, out);
    prim_sync_tile();
    bool is_sound = term_check(list, count, last, *(const uint4 *)(out + term_slot()));
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? count : 0;
}

#endif
