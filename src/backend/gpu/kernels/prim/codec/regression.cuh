/* regression.cuh: blocks of the regression codes (docs/format.md, chapter 7: lrc, lrcseg, seglrc,
 * hslrc256, hslrc128): docid(i) = start + (a * i >> 24) + residual(i), slot by slot, without a sum
 * over others.
 *
 * A lane reads the head of one block, and leaves it in shared memory. regression_walk.cuh has all
 * docids of a tile, regression_at one of a list. lrc_* read single docids by the directory. */
#ifndef RP_KERNELS_REGRESSION_CUH
#define RP_KERNELS_REGRESSION_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"
#include "backend/gpu/kernels/prim/warp/skip_directory.cuh"
#include "backend/gpu/kernels/prim/warp/tile.cuh"

/* Where a code keeps a block's line: the list's; the same, moved by a u32 of the block; the block's
 * own. */
enum regression_kind { REGRESSION_LIST, REGRESSION_MOVED, REGRESSION_OWN };

enum { REGRESSION_SHIFT = 24, REGRESSION_TAIL = 12 }; /* bits of fraction; bytes of a list's line */

/* A list's line; of REGRESSION_OWN nothing. */
struct regression_line {
    uint64_t a;
    uint32_t start;
};

enum { REGRESSION_BLOCKS = 32 }; /* of a tile at most: a lane each */

/* How blocks are cut: as tile.cuh has it. */
enum regression_cut { REGRESSION_BY_HASH = 0, REGRESSION_BY_256 = TILE_BLOCK_MAX };

/* One block. */
struct alignas(16) regression_head {
    uint32_t at; /* of its low parts, from the list's first word */
    uint32_t start;
    /* count in bits 0 to 8, exceptions 9 to 17, width 18 to 23, of the high parts 24 to 29 */
    uint32_t shape;
    uint32_t begin;  /* rank of slot 0, less that of the tile's first posting */
    uint32_t rise;   /* of REGRESSION_OWN, of a slot, modulo 2^32, */
    uint32_t beyond; /* and 64ths */
};

PRIM uint32_t regression_count(uint32_t shape)
{
    return shape & 511;
}
PRIM uint32_t regression_exceptions(uint32_t shape)
{
    return shape >> 9 & 511;
}
PRIM uint32_t regression_width(uint32_t shape)
{
    return shape >> 18 & 63;
}
PRIM uint32_t regression_high_width(uint32_t shape)
{
    return shape >> 24;
}

/* A stored slope: the rise of 64 slots, a whole number, of up to 39 bits. */
PRIM uint64_t regression_slope(uint32_t code)
{
    uint32_t low = code & 1023, shift = code >> 10 & 31;
    return shift ? (uint64_t)(1024 + low) << shift : low << 1;
}

/* Slots from `from` on, below `to`. */
struct regression_range {
    uint32_t from, to;
};

/* The slots of a block that x can be in, by its line: a docid is start + (a * i >> 24) and a
 * residual of so many bits, so the line is not above x there, and not further below it than that.
 * All slots, where the line has no slope, or sums may go beyond 2^32. */
PRIM regression_range regression_near(uint64_t a, uint32_t start, uint32_t bits, uint32_t count,
                                      uint32_t x)
{
    const uint64_t max_residual = ((uint64_t)1 << prim_min(bits, 32U)) - 1, above = x - start;
    if (a == 0 || count == 0 || a >> 48 ||
        (a * (count - 1) >> REGRESSION_SHIFT) + max_residual > UINT32_MAX)
        return {0, count};
    uint64_t to = (((above + 1) << REGRESSION_SHIFT) + a - 1) / a, from = 0;
    if (above > max_residual)
        from = (((above - max_residual) << REGRESSION_SHIFT) + a - 1) / a;
    to = prim_min(to, (uint64_t)count);
    return {(uint32_t)prim_min(from, to), (uint32_t)to};
}

/* How much a line has risen at slot i, modulo 2^32: of the list, or of a block. Slots before the
 * first are counted on. */
PRIM uint32_t regression_rise(uint64_t a, int32_t i)
{
    return (uint32_t)(a * (uint64_t)(int64_t)i >> REGRESSION_SHIFT);
}
PRIM uint32_t regression_own_rise(const regression_head &h, int32_t i)
{
    return h.rise * (uint32_t)i + (uint32_t)((int32_t)h.beyond * i >> 6);
}
template <int KIND>
PRIM uint32_t regression_point(const regression_line &line, const regression_head &h, int32_t i)
{
    return h.start +
           (KIND == REGRESSION_OWN ? regression_own_rise(h, i) : regression_rise(line.a, i));
}

template <int KIND> PRIM regression_line regression_of_list(uint64_t docs, uint32_t docs_bytes)
{
    if (KIND == REGRESSION_OWN || docs_bytes < REGRESSION_TAIL)
        return {0, 0};
    bitpack_bits tail = bitpack_at(docs + docs_bytes - REGRESSION_TAIL);
    return {(uint64_t)bitpack_word(tail, 32) << 32 | bitpack_word(tail, 0), bitpack_word(tail, 64)};
}

/* The shape of residuals whose head's three bytes are `first`, in these bytes, and how many the
 * head has. What does not lie inside is left out. */
PRIM uint32_t regression_shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *head)
{
    bool has = first & 128;
    uint32_t w = first & 127, n = (first >> 8 & 255) + 1, hb = first >> 16 & 255;
    *head = has ? 3 : 1;
    uint32_t used = *head + bitpack_bytes(count * w);
    if (w > 32 || used > bytes)
        return count;
    has = has && w + hb <= 32 && used + n + bitpack_bytes(n * hb) <= bytes;
    return count | w << 18 | (has ? n << 9 | hb << 24 : 0);
}

template <int KIND>
PRIM regression_head regression_read(const tile_view &t, const regression_line &line,
                                     const tile_place &p)
{
    const uint32_t own = KIND == REGRESSION_OWN ? 6 : KIND == REGRESSION_MOVED ? 4 : 0;
    uint32_t head = 0, first, start, bytes = p.bytes - own, phase = (uint32_t)t.docs & 3;
    uint64_t rise = 0;
    if (p.bytes <= own)
        return {phase + p.from, 0, p.count, p.begin - t.begin, 0, 0};
    bitpack_bits in = bitpack_at(t.docs + p.from);
    if (KIND == REGRESSION_OWN) {
        uint32_t rest = bitpack_word(in, 32);
        start = bitpack_word(in, 0);
        rise = regression_slope(rest & 0xFFFF);
        first = rest >> 16;
        if (first & 128)
            first |= bitpack_word(in, 64) << 16;
    } else {
        start = line.start + (uint32_t)(line.a * p.begin >> REGRESSION_SHIFT) +
                (KIND == REGRESSION_MOVED ? bitpack_word(in, 0) : 0);
        first = bitpack_word(in, 8 * own);
    }
    uint32_t shape = regression_shape(first, bytes, p.count, &head);
    return {phase + p.from + own + head, start, shape, p.begin - t.begin, (uint32_t)(rise >> 6),
            (uint32_t)rise & 63};
}

/* ---- Exceptions ------------------------------------------------------------------------------ */

/* A warp's: heads, and what is to be added to each slot of a block. */
struct regression_scratch {
    regression_head heads[REGRESSION_BLOCKS];
    uint32_t adds[TILE_BLOCK_MAX];
};

static_assert(sizeof(regression_scratch) == KARG_SHARED_REGRESSION, "as launches have it");

/* The room of this warp, with the heads of its tile; of no postings past the last block. Of its
 * payload, which ends at *end, `ahead` bytes are on their way, asked for by `step`. */
template <int KIND, int CUT>
PRIM regression_scratch *regression_open(const tile_view &t, const regression_line &line,
                                         uint32_t ahead, uint32_t step, uint32_t *end)
{
    regression_scratch *scratch = (regression_scratch *)prim_shared() + prim_warp();
    bool has = prim_lane() < t.blocks;
    if (t.blocks > REGRESSION_BLOCKS)
        prim_trap();
    tile_place p = tile_block<CUT>(t, t.block + (has ? prim_lane() : 0));
    *end = ((uint32_t)t.docs & 3) + tile_prefetch_blocks(t, p.from, p.from + p.bytes, ahead, step);
    regression_head mine = regression_read<KIND>(t, line, p);
    mine.shape = has ? mine.shape : 0;
    scratch->heads[prim_lane()] = mine;
    prim_sync_tile();
    return scratch;
}

/* The address that heads count from. */
PRIM uint64_t regression_words(const tile_view &t)
{
    return t.docs & ~(uint64_t)3;
}

/* The high part of exception j, at its place; *slot is where it belongs. */
PRIM uint32_t regression_exception(uint64_t words, const regression_head &h, uint32_t j,
                                   uint32_t *slot)
{
    uint32_t n = regression_exceptions(h.shape), w = regression_width(h.shape),
             hb = regression_high_width(h.shape);
    uint64_t ranks = words + h.at + bitpack_bytes(regression_count(h.shape) * w);
    *slot = prim_load(prim_at<const uint8_t>(ranks) + j);
    return bitpack_one(bitpack_at(ranks + n), j * hb, hb) << (w & 31);
}

/* A warp puts the block's exceptions to their slots. */
PRIM void regression_place(uint64_t words, const regression_head &h, regression_scratch *scratch)
{
    uint32_t slot;
    for (uint32_t i = prim_lane(); i < TILE_BLOCK_MAX; i += 32)
        scratch->adds[i] = 0;
    prim_sync_tile();
    for (uint32_t j = prim_lane(); j < regression_exceptions(h.shape); j += 32) {
        uint32_t add = regression_exception(words, h, j, &slot);
        prim_atomic_add(&scratch->adds[slot], add); /* of damaged bytes several have one slot */
    }
    prim_sync_tile();
}

/* ---- One docid ------------------------------------------------------------------------------- */

/* Slot i of a block whose head is read. */
template <int KIND>
PRIM uint32_t regression_slot(uint64_t words, const regression_line &line, const regression_head &h,
                              uint32_t i)
{
    uint32_t w = regression_width(h.shape), slot;
    uint32_t docid = regression_point<KIND>(line, h, (int32_t)i) +
                     bitpack_one(bitpack_at(words + h.at), i * w, w);
    for (uint32_t j = 0; j < regression_exceptions(h.shape); j++) {
        uint32_t add = regression_exception(words, h, j, &slot);
        docid += slot == i ? add : 0;
    }
    return docid;
}

/* The block of posting i: the last one that begins at it or before. */
PRIM uint32_t regression_find(const tile_view &t, uint32_t i)
{
    uint32_t from = 0, to = t.n_blocks;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (tile_begin<REGRESSION_BY_HASH>(t, middle) <= i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Posting i of a list, without any other. `t` is the whole list; its blocks have 256 postings each
 * where they are not cut by hash. Any bytes; what cannot be is UINT32_MAX. */
template <int KIND, int CUT> PRIM uint32_t regression_at(const tile_view &t, uint32_t i)
{
    uint32_t b = CUT ? i / CUT : regression_find(t, i);
    if (b >= t.n_blocks)
        return UINT32_MAX;
    tile_place p = tile_block<CUT>(t, b);
    if (i - p.begin >= p.count)
        return UINT32_MAX;
    regression_line line = regression_of_list<KIND>(t.docs, t.docs_bytes);
    return regression_slot<KIND>(regression_words(t), line, regression_read<KIND>(t, line, p),
                                 i - p.begin);
}

/* The rank of x in block b of a list that is cut every 256 postings, else the list's length. */
template <int KIND> PRIM uint32_t regression_rank(const karg_list &list, uint32_t b, uint32_t x)
{
    const tile_view whole = {
        list.docs,       list.last, list.offsets,  list.first, list.n, list.n_blocks,
        list.docs_bytes, 0,         list.n_blocks, 0,          list.n, nullptr};
    uint32_t from = prim_min(b * REGRESSION_BY_256, list.n),
             to = prim_min(from + REGRESSION_BY_256, list.n);
    while (from < to) {
        uint32_t mid = (from + to) / 2, at = regression_at<KIND, REGRESSION_BY_256>(whole, mid);
        if (at == x)
            return mid;
        if (at < x)
            from = mid + 1;
        else
            to = mid;
    }
    return list.n;
}

/* ---- Soundness ------------------------------------------------------------------------------- */

/* A block of in.n postings, in a code with `own` bytes before the residuals. */
PRIM bool regression_is_sound(const sound_bytes &block, uint32_t own)
{
    if (block.bytes <= own)
        return false;
    sound_bytes in = sound_after(block, own, block.n);
    uint32_t first = sound_byte(in, 0), w = first & 127, head = first & 128 ? 3 : 1,
             lows = head + bitpack_bytes(in.n * w);
    uint32_t k = sound_byte(in, 1) + 1, hb = sound_byte(in, 2);
    if (w > 32 || in.bytes < lows)
        return false;
    if (head == 1)
        return true;
    return hb > 0 && w + hb <= 32 && in.bytes - lows >= k + bitpack_bytes(k * hb) &&
           sound_positions(in, lows, k, 8);
}

/* ---- Single docids by the directory ---------------------------------------------------------- */

enum {
    LRC_BLOCK = 256, /* postings of a block of lrc */
    LRC_OWN = 6,     /* bytes of a block's line, its first */
    LRC_TAIL = 4,    /* of hslrc */
    LRC_SLOPE_BITS = 10,
    LRC_SLOPE_UNIT = 19,
};

/* A block: where its residuals are, and its line. */
struct lrc_block {
    uint64_t a, lows, ranks, highs; /* slope; bits of the payload */
    uint32_t start, width, high_width, n_exceptions;
    uint32_t first, count; /* rank of its first posting; count 0: damaged */
};

/* The residuals that begin at a byte; sets all but the line. */
PRIM void lrc_open(const karg_list &list, uint32_t b, uint64_t begin, lrc_block *v)
{
    uint32_t head = directory_bits(list, 8 * prim_min(begin, (uint64_t)list.docs_bytes));
    bool has_exceptions = head >> 7 & 1;
    v->first = directory_first(list, b);
    v->count = prim_max(directory_first(list, b + 1), v->first) - v->first;
    v->width = head & 127;
    v->n_exceptions = has_exceptions ? (head >> 8 & 255) + 1 : 0;
    v->high_width = has_exceptions ? head >> 16 & 255 : 0;
    v->lows = 8 * (begin + (has_exceptions ? 3 : 1));
    v->ranks = v->lows + ((uint64_t)v->count * v->width + 7) / 8 * 8;
    v->highs = v->ranks + 8 * v->n_exceptions;
    if (v->width + v->high_width > 32 ||
        v->highs + v->n_exceptions * v->high_width > 8 * (uint64_t)list.docs_bytes)
        v->count = 0;
}

PRIM uint32_t lrc_rise(uint64_t a, uint64_t i)
{
    return (uint32_t)(a * i >> REGRESSION_SHIFT);
}

/* Of lrc: the list's line, which all blocks have. */
struct lrc_line {
    uint64_t a;
    uint32_t start;
};

PRIM lrc_line lrc_open_line(const karg_list &list)
{
    if (list.docs_bytes < REGRESSION_TAIL)
        return {0, 0};
    uint64_t at = 8 * (uint64_t)(list.docs_bytes - REGRESSION_TAIL);
    uint64_t low = directory_bits(list, at), high = directory_bits(list, at + 32);
    return {high << 32 | low, directory_bits(list, at + 64)};
}

PRIM lrc_block lrc_block_of(const karg_list &list, const lrc_line &line, uint32_t b)
{
    lrc_block v;
    lrc_open(list, b, directory_offset(list, b), &v);
    v.a = line.a;
    v.start = line.start + lrc_rise(line.a, v.first);
    return v;
}

/* Of hslrc: a block's own line. */
PRIM lrc_block lrc_block_own(const karg_list &list, uint32_t b)
{
    lrc_block v;
    uint64_t begin = directory_offset(list, b);
    uint32_t code = directory_bits(list, 8 * begin + 32) & 0xFFFF;
    uint64_t top = 1U << LRC_SLOPE_BITS, low = code % top;
    uint32_t shift = code >> LRC_SLOPE_BITS & 31;
    lrc_open(list, b, begin + LRC_OWN, &v);
    v.start = directory_bits(list, 8 * begin);
    v.a = shift ? (top + low) << (LRC_SLOPE_UNIT + shift - 1) : low << LRC_SLOPE_UNIT;
    return v;
}

/* Slot i, below count. */
PRIM uint32_t lrc_slot(const karg_list &list, const lrc_block &v, uint32_t i)
{
    uint32_t residual = directory_bits(list, v.lows + (uint64_t)i * v.width) & prim_mask(v.width);
    for (uint32_t k = 0; k < v.n_exceptions; k++)
        if ((directory_bits(list, v.ranks + 8 * k) & 255) == i)
            residual += (directory_bits(list, v.highs + (uint64_t)k * v.high_width) &
                         prim_mask(v.high_width))
                        << (v.width & 31);
    return v.start + lrc_rise(v.a, i) + residual;
}

/* The rank of x in some slots of a block, else `none`. */
PRIM uint32_t lrc_find_in(const karg_list &list, const lrc_block &v, regression_range r, uint32_t x,
                          uint32_t none)
{
    while (r.from < r.to) {
        uint32_t mid = (r.from + r.to) / 2, at = lrc_slot(list, v, mid);
        if (at == x)
            return v.first + mid;
        if (at < x)
            r.from = mid + 1;
        else
            r.to = mid;
    }
    return none;
}

/* In all of them; or in those that the block's own line leaves. */
PRIM uint32_t lrc_find(const karg_list &list, const lrc_block &v, uint32_t x, uint32_t none)
{
    return lrc_find_in(list, v, {0, v.count}, x, none);
}
PRIM uint32_t lrc_find_near(const karg_list &list, const lrc_block &v, uint32_t x, uint32_t none)
{
    return lrc_find_in(list, v, regression_near(v.a, v.start, v.width + v.high_width, v.count, x),
                       x, none);
}

/* The blocks of a bucket of hslrc that may hold x: the first of them, else n_blocks. */
PRIM uint32_t lrc_bucket(const karg_list &list, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    if (list.docs_bytes < LRC_TAIL)
        return list.n_blocks;
    uint64_t end = list.docs_bytes - LRC_TAIL, entry = list.n_blocks > 0xFFFF ? 4 : 2;
    uint32_t tail = directory_bits(list, 8 * end), shift = tail & 63, none = list.n_blocks;
    uint64_t buckets = tail >> 6, bucket = shift < 64 ? (uint64_t)x >> shift : 0;
    if (buckets <= 1 || !last)
        return bucket < buckets ? directory_block(list, x) : none;
    if (bucket >= buckets || (buckets + 1) * entry > end)
        return none;
    uint64_t at = 8 * (end - (buckets + 1 - bucket) * entry);
    uint32_t mask = prim_mask((uint32_t)(8 * entry));
    uint32_t from = prim_min(directory_bits(list, at) & mask, none);
    return search_first(last, from, prim_min(directory_bits(list, at + 8 * entry) & mask, none), x);
}

/* Whether lrc_bucket finds block b for all of its docids, which are `first` to `last`: it does for
 * the last one, and all are in one bucket. */
PRIM bool lrc_bucket_has(const karg_list &list, uint32_t b, uint32_t first, uint32_t last)
{
    if (lrc_bucket(list, last) != b)
        return false;
    uint32_t shift = directory_bits(list, 8 * (uint64_t)(list.docs_bytes - LRC_TAIL)) & 63;
    return (uint64_t)first >> shift == (uint64_t)last >> shift;
}

#endif
