/* optpfd.cuh: blocks of optpfd (docs/format.md, chapter 6): the head; one value without the others;
 * all values, by a warp; docids, for delta_decode.cuh.
 *
 * By a warp lane l has values 4l to 4l + 3. A listed high part is one of lanes 0 to 15's, a far
 * part one of lanes 0 to 7's: they reach their values through shared memory. High parts of a bitmap
 * lie in the order of values, so that each lane reads its own. */
#ifndef RP_KERNELS_OPTPFD_CUH
#define RP_KERNELS_OPTPFD_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"

enum { OPTPFD_LISTED = 1, OPTPFD_BITMAP = 2, OPTPFD_FAR = 3 };

/* k listed high parts of h bits, f far parts; ranks have at_width bits. */
struct optpfd_head {
    uint32_t mode, b, h, k, f, far_width, at_width, bytes;
};

/* Of a block's first bytes. */
PRIM optpfd_head optpfd_read(uint32_t first, uint32_t count)
{
    uint32_t mode = first >> 6 & 3, second = first >> 8 & 255;
    uint32_t has_high = mode == OPTPFD_LISTED || mode == OPTPFD_BITMAP;
    uint32_t has_far = has_high ? second >> 3 & 1 : mode == OPTPFD_FAR;
    uint32_t far = has_high ? first >> 16 & 255 : second;
    optpfd_head o;
    o.mode = mode;
    o.b = first & 63;
    o.h = has_high ? (second & 7) + 1 : 0;
    o.k = mode == OPTPFD_LISTED ? (second >> 4) + 1 : 0;
    o.f = has_far ? (far & 7) + 1 : 0;
    o.far_width = has_far ? (far >> 3) + 1 : 0;
    o.at_width = prim_width(count - 1) & 15; /* of no values: no matter */
    o.bytes = 1 + has_high + has_far;
    return o;
}

/* The 32 bits of a bitmap of n from bit `from` on; 0 past the last. */
PRIM uint32_t optpfd_marks(bitpack_bits bitmap, uint32_t n, uint32_t from)
{
    return from < n ? bitpack_one(bitmap, from, prim_min(n - from, 32U)) : 0;
}

/* The part of slot i, 0 where it has none: k ranks come first, then the parts, of `width` bits. */
PRIM uint32_t optpfd_part(bitpack_bits in, uint32_t k, uint32_t at_width, uint32_t width,
                          uint32_t i)
{
    for (uint32_t j = 0; j < k; j++)
        if (bitpack_one(in, j * at_width, at_width) == i)
            return bitpack_one(in, k * at_width + j * width, width);
    return 0;
}

/* The high part of slot i of a bitmap's, and how many bytes bitmap and parts have; 0 where they
 * pass `bytes`. */
PRIM uint32_t optpfd_marked(bitpack_bits in, uint32_t n, uint32_t h, uint32_t i, uint32_t bytes,
                            uint32_t *used)
{
    uint32_t before = 0, all = 0, mark = 0;
    *used = bitpack_bytes(n);
    for (uint32_t from = 0; from < n && *used <= bytes; from += 32) {
        uint32_t here = optpfd_marks(in, n, from);
        all += prim_count(here);
        before += prim_count(here & (i <= from ? 0 : prim_mask(prim_min(i - from, 32U))));
        mark = i / 32 == from / 32 ? here >> i % 32 & 1 : mark;
    }
    uint32_t bit = 8 * *used + before * h;
    *used += bitpack_bytes(all * h);
    return mark && *used <= bytes ? bitpack_one(in, bit, h) : 0;
}

/* Value i of the n, 1 to 128, in these bytes; i is below n. Any bytes: parts that do not lie inside
 * are 0. */
PRIM uint32_t freq_optpfd_at(uint64_t in, uint32_t bytes, uint32_t n, uint32_t i)
{
    uint32_t first = bytes ? bitpack_word(bitpack_at(in), 0) : 0, used;
    optpfd_head o = optpfd_read(first, n);
    uint32_t lows = o.bytes + bitpack_bytes(n * o.b), high = 0, far = 0;
    if (o.b + o.h + o.far_width > 32 || lows > bytes)
        return 0;
    bitpack_bits parts = bitpack_at(in + lows);
    used = bitpack_bytes(o.k * (o.at_width + o.h));
    if (o.mode == OPTPFD_BITMAP)
        high = optpfd_marked(parts, n, o.h, i, bytes - lows, &used);
    else if (used <= bytes - lows)
        high = optpfd_part(parts, o.k, o.at_width, o.h, i);
    if (used + bitpack_bytes(o.f * (o.at_width + o.far_width)) <= bytes - lows)
        far = optpfd_part(bitpack_at(in + lows + used), o.f, o.at_width, o.far_width, i);
    uint32_t low = bitpack_one(bitpack_at(in + o.bytes), i * o.b, o.b);
    return low + (o.b < 32 ? high << o.b : 0) + (o.b + o.h < 32 ? far << (o.b + o.h) : 0);
}

/* ---- By a warp ------------------------------------------------------------------------------- */

/* A head in a word, as all lanes take it: widths b in bits 0 to 5, h 6 to 9, far 10 to 15 and of
 * ranks 16 to 19; k in 20 to 24, f 25 to 28; bit 29: a bitmap. And bytes of the head. */
PRIM uint32_t optpfd_shape(uint32_t first, uint32_t bytes, uint32_t n, uint32_t *head)
{
    optpfd_head o = optpfd_read(first, n);
    uint32_t is_bitmap = o.mode == OPTPFD_BITMAP;
    uint32_t used =
        o.bytes + bitpack_bytes(n * o.b) + bitpack_bytes(o.k * (o.at_width + o.h)) +
        (is_bitmap ? bitpack_bytes(n) : bitpack_bytes(o.f * (o.at_width + o.far_width)));
    *head = o.bytes;
    if (o.b + o.h + o.far_width > 32 || used > bytes)
        return 0; /* zeros */
    return o.b | o.h << 6 | o.far_width << 10 | o.at_width << 16 | o.k << 20 | o.f << 25 |
           is_bitmap << 29;
}
PRIM uint32_t optpfd_low_width(uint32_t shape)
{
    return shape & 63;
}

PRIM uint32_t optpfd_high_width(uint32_t shape)
{
    return shape >> 6 & 15;
}
PRIM uint32_t optpfd_rank_width(uint32_t shape)
{
    return shape >> 16 & 15;
}
PRIM uint32_t optpfd_listed(uint32_t shape)
{
    return shape >> 20 & 31;
}
PRIM uint32_t optpfd_far(uint32_t shape)
{
    return shape >> 25 & 15;
}
PRIM uint32_t optpfd_has_bitmap(uint32_t shape)
{
    return shape >> 29;
}

/* Where a block's parts lie: bytes after its lows. */
struct optpfd_place {
    const uint32_t *words;
    uint32_t at, bytes;
};

/* High and far parts of a block, of which the lane has the first loaded. */
struct optpfd_parts {
    /* of the lane's listed part; of a bitmap `rank` is the lane's 32 marks */
    bitpack_pair rank, part;

    PRIM_MEMBER void load(const optpfd_place &in, uint32_t shape)
    {
        uint32_t k = optpfd_listed(shape), w = optpfd_rank_width(shape),
                 j = prim_lane() < k ? prim_lane() : 0;
        rank.load(in.words, in.at, optpfd_has_bitmap(shape) ? prim_lane() / 8 * 32 : j * w);
        part.load(in.words, in.at, k * w + j * optpfd_high_width(shape));
    }

    /* Adds all to the lane's values, of which there are n in the block. `room`: 128 words of shared
     * memory of the warp's own, 16-byte aligned. */
    PRIM_MEMBER void add_to(const optpfd_place &in, uint32_t shape, uint32_t n, uint32_t *scratch,
                            uint32_t v[4])
    {
        uint32_t h = optpfd_high_width(shape), w = optpfd_rank_width(shape),
                 k = optpfd_listed(shape);
        uint32_t used = bitpack_bytes(k * (w + h)), low = optpfd_low_width(shape);
        if (k)
            add_listed(rank.value() & ((1U << w) - 1),
                       (part.value() & ((1U << h) - 1)) << (low & 31), k, scratch, v);
        if (optpfd_has_bitmap(shape))
            used = add_marked(in, shape, n, v);
        if (optpfd_far(shape))
            add_far({in.words, in.at + used, in.bytes - prim_min(used, in.bytes)}, shape, scratch,
                    v);
    }
    /* Lane j, of the first k, has what is added to value `slot`. */
    PRIM_MEMBER void add_listed(uint32_t slot, uint32_t add, uint32_t k, uint32_t *scratch,
                                uint32_t v[4])
    {
        uint4 *mine = (uint4 *)scratch + prim_lane();
        *mine = make_uint4(0, 0, 0, 0);
        prim_sync_tile();
        if (prim_lane() < k)
            prim_atomic_add(&scratch[slot % 128], add); /* of damaged bytes several have one slot */
        prim_sync_tile();
        uint4 adds = *mine;
        v[0] += adds.x;
        v[1] += adds.y;
        v[2] += adds.z;
        v[3] += adds.w;
    }
    /* Marks before the lane's say where its parts begin. Returns the bytes of bitmap and parts. */
    PRIM_MEMBER uint32_t add_marked(const optpfd_place &in, uint32_t shape, uint32_t n,
                                    uint32_t v[4])
    {
        uint32_t h = optpfd_high_width(shape), mask = (1U << h) - 1, slot = 4 * prim_lane(),
                 from = slot & ~31U;
        uint32_t word = from < n ? rank.value() & prim_mask(prim_min(n - from, 32U)) : 0,
                 all = prim_count(word);
        uint32_t before = prim_count(word & ((1U << (slot & 31)) - 1)),
                 marks = word >> (slot & 31) & 15;
#pragma unroll
        for (uint32_t lane = 7; lane < 31; lane += 8) {
            uint32_t of_word = prim_shuffle<32>(all, lane);
            before += lane < from / 4 ? of_word : 0;
        }
        uint32_t bit = 8 * bitpack_bytes(n) + before * h;
        if (bitpack_bytes(bit) > in.bytes) /* of damaged bytes */
            marks = bit = 0;
        bitpack_pair highs;
        highs.load(in.words, in.at, bit);
        uint32_t parts = highs.value(), unit = 0x80000000U >> (31 - (optpfd_low_width(shape) & 31));
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            bool has = marks >> k & 1;
            v[k] += has ? (parts & mask) * unit : 0;
            parts = has ? parts >> h : parts;
        }
        uint32_t end = prim_shuffle<32>(before + prim_count(word >> (slot & 31) & 15), 31);
        return bitpack_bytes(8 * bitpack_bytes(n) + end * h);
    }
    PRIM_MEMBER void add_far(const optpfd_place &in, uint32_t shape, uint32_t *scratch,
                             uint32_t v[4])
    {
        uint32_t f = optpfd_far(shape), w = optpfd_rank_width(shape), width = shape >> 10 & 63;
        uint32_t j = prim_lane() < f ? prim_lane() : 0,
                 low = optpfd_low_width(shape) + optpfd_high_width(shape);
        if (bitpack_bytes(f * (w + width)) > in.bytes)
            return;
        bitpack_bits at = {in.words + in.at / 4, in.at % 4 * 8};
        add_listed(bitpack_one(at, j * w, w),
                   bitpack_one(at, f * w + j * width, width) << (low & 31), f, scratch, v);
    }
};

/* By a warp: of the n values, 1 to 128, in these bytes, those from 4 times the lane's number on;
 * what is past the last is some number. Any bytes: parts that do not lie inside are 0. `room`: 128
 * words of shared memory of the warp's own, 16-byte aligned; of one call a lane writes first what
 * it alone has read in the call before. */
PRIM void freq_optpfd_four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t *scratch,
                           uint32_t v[4])
{
    uint32_t head, first = bytes ? bitpack_word(bitpack_at(in), 0) : 0,
                   shape = optpfd_shape(first, bytes, n, &head);
    uint32_t b = optpfd_low_width(shape), lows = bitpack_bytes(n * b),
             bit = 4 * prim_lane() < n ? 4 * prim_lane() * b : 0;
    bitpack_bits at = bitpack_at(in + head);
    bitpack_four four = bitpack_load(at, bit);
    optpfd_place place = {at.words, at.shift / 8 + lows, bytes - prim_min(head + lows, bytes)};
    optpfd_parts parts;
    parts.load(place, shape);
    bitpack_values(four, at, bit, b, v);
    parts.add_to(place, shape, n, scratch, v);
}

/* ---- By a thread ----------------------------------------------------------------------------- */

PRIM bool optpfd_is_sound(const sound_bytes &in)
{
    uint32_t first = sound_byte(in, 0) | sound_byte(in, 1) << 8 | sound_byte(in, 2) << 16,
             marks = 0;
    optpfd_head o = optpfd_read(first, in.n);
    uint32_t lows = o.bytes + bitpack_bytes(in.n * o.b),
             bitmap = o.mode == OPTPFD_BITMAP ? bitpack_bytes(in.n) : 0;
    if (in.bytes < lows + bitmap || in.bytes == 0 || o.b + o.h + o.far_width > 32)
        return false;
    for (uint32_t from = 0; bitmap && from < in.n; from += 32)
        marks += prim_count(optpfd_marks(bitpack_at(in.at + lows), in.n, from));
    uint32_t highs = bitmap + bitpack_bytes(o.k * o.at_width + (o.k + marks) * o.h);
    if (in.bytes - lows < highs + bitpack_bytes(o.f * (o.at_width + o.far_width)))
        return false;
    return sound_positions(in, lows, o.k, o.at_width) &&
           sound_positions(in, lows + highs, o.f, o.at_width);
}

/* ---- Docids ---------------------------------------------------------------------------------- */

struct alignas(16) optpfd_masks {
    uint32_t parts;      /* of a rank, in the high half of a listed part */
    uint32_t shape;      /* as optpfd_shape has it */
    uint32_t unit, base; /* 2^b; the docid before the first */
};

struct block_optpfd : delta_worked<optpfd_masks> {
    enum { SCRATCH_BYTES = KARG_SHARED_EXCEPTIONS };

    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        return optpfd_shape(first, bytes, count, used);
    }
    PRIM head keep(const delta_head &h)
    {
        uint32_t b = optpfd_low_width(h.shape), w = optpfd_rank_width(h.shape),
                 high = optpfd_high_width(h.shape);
        return {delta_where_of(h, b, w, high, optpfd_listed(h.shape), false),
                {prim_mask(w) % KARG_BLOCK | prim_mask(high) << 16, h.shape, b < 32 ? 1U << b : 0,
                 h.base}};
    }

    template <int K> struct fetched {
        bitpack_quad<K> lows;
        optpfd_parts parts;
        uint32_t listed;

        PRIM_MEMBER void load(const uint32_t *words, kept h)
        {
            delta_where at = h->where;
            listed = at.fields >> 24;
            uint32_t j = prim_lane() < listed ? prim_lane() : 0;
            uint32_t step = optpfd_has_bitmap(h->masks.shape) ? prim_lane() / 8 * 32
                                                              : j * prim_byte(at.fields, 1);
            delta_load_lows(words, at, &lows);
            parts.rank = delta_load_pair(words, at, at.bits % 65536 + step);
            parts.part = delta_load_pair(words, at, (at.bits >> 16) + j * prim_byte(at.fields, 2));
        }
        /* Far parts, and those of a bitmap. */
        PRIM_MEMBER void add_rest(const uint32_t *words, kept h, uint32_t *scratch, uint32_t v[4])
        {
            delta_where at = h->where;
            uint32_t shape = h->masks.shape, n = K < 32 ? (uint32_t)KARG_BLOCK : at.counts & 255;
            uint32_t used =
                bitpack_bytes(listed * (optpfd_rank_width(shape) + optpfd_high_width(shape)));
            optpfd_place in = {words, 4 * at.word + at.bits % 65536 / 8,
                               (at.counts >> 8) - bitpack_bytes(n * optpfd_low_width(shape))};
            if (optpfd_has_bitmap(shape))
                used = parts.add_marked(in, shape, n, v);
            if (optpfd_far(shape))
                parts.add_far({words, in.at + used, in.bytes - prim_min(used, in.bytes)}, shape,
                              scratch, v);
        }
        PRIM_MEMBER void docids(const uint32_t *words, kept h, unsigned char *scratch,
                                uint32_t v[4])
        {
            optpfd_masks by = h->masks;
            lows.values(prim_byte(h->where.fields, 0), v);
            if (listed)
                parts.add_listed(parts.rank.value() & by.parts % 65536,
                                 (parts.part.value() & by.parts >> 16) * by.unit, listed,
                                 (uint32_t *)scratch, v);
            if (optpfd_far(by.shape) || optpfd_has_bitmap(by.shape))
                add_rest(words, h, (uint32_t *)scratch, v);
            delta_sum(by.base, v);
        }
    };
};

static_assert(DELTA_BLOCKS * sizeof(block_optpfd::head) == KARG_SHARED_WORKED,
              "as launches have it");

#endif
