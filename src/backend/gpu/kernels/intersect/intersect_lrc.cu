/* intersect_lrc.cu: A in a compressed B of lrc or hslrc, whose docids are read one by one, wherever
 * they lie. One thread: an element of A. One block: a tile of A.
 * Reads A once, coalesced. lrc: the safe range of the list's line (aux: lr), then a binary search
 * over last, the heads of Algorithm 1, and in the block (heads), or over the range at once (at).
 * hslrc: its table of buckets, last, the block. Of a payload a few bytes a step; writes hits staged
 * in shared memory.
 * Blocks that do not lie in their payload have no docids, ranks are held within the list: any bytes
 * are safe.
 * Source: Ao et al. 2011, 5.2 and 5.3, Algorithm 1. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum {
    LRC_BLOCK = 256, /* postings of a block of lrc */
    LRC_SHIFT = 24,  /* of a slope */
    LRC_LINE = 12,   /* bytes of a list's line, its last */
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
    return (uint32_t)(a * i >> LRC_SHIFT);
}

/* Of lrc: the list's line, which all blocks have. */
struct lrc_line {
    uint64_t a;
    uint32_t start;
};

PRIM lrc_line lrc_open_line(const karg_list &list)
{
    if (list.docs_bytes < LRC_LINE)
        return {0, 0};
    uint64_t at = 8 * (uint64_t)(list.docs_bytes - LRC_LINE);
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

/* The rank of x in a block, else `none`. */
PRIM uint32_t lrc_find(const karg_list &list, const lrc_block &v, uint32_t x, uint32_t none)
{
    uint32_t from = 0, to = v.count;
    while (from < to) {
        uint32_t mid = (from + to) / 2, at = lrc_slot(list, v, mid);
        if (at == x)
            return v.first + mid;
        if (at < x)
            from = mid + 1;
        else
            to = mid;
    }
    return none;
}

/* Algorithm 1: the heads of the safe range, then one block. */
PRIM uint32_t lrc_by_heads(const karg_intersect &a, const lrc_line &line, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(a.list.last);
    lr_line_range r = lr_line_find(lr_line_open(a.aux), a.nb, x);
    uint32_t b = 0;
    if (r.lo >= r.hi)
        return a.nb;
    if (last)
        b = search_first(last, r.lo / LRC_BLOCK,
                         prim_min((r.hi - 1) / LRC_BLOCK + 1, a.list.n_blocks), x);
    return b < a.list.n_blocks ? lrc_find(a.list, lrc_block_of(a.list, line, b), x, a.nb) : a.nb;
}

/* Without heads: every docid on the way is in another block, until the last few. */
PRIM uint32_t lrc_by_docids(const karg_intersect &a, const lrc_line &line, uint32_t x)
{
    lr_line_range r = lr_line_find(lr_line_open(a.aux), a.nb, x);
    while (r.lo < r.hi) {
        uint32_t mid = r.lo + (r.hi - r.lo) / 2, b = prim_min(mid / LRC_BLOCK, a.list.n_blocks - 1);
        lrc_block v = lrc_block_of(a.list, line, b);
        uint32_t at = mid - v.first < v.count ? lrc_slot(a.list, v, mid - v.first) : ~0U;
        if (at == x)
            return mid;
        if (at < x)
            r.lo = mid + 1;
        else
            r.hi = mid;
    }
    return a.nb;
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

PRIM void lrc_end(const karg_intersect &a, const search_part<1> &p, uint32_t rank)
{
    search_end<1>(a, p, &rank, (uint32_t *)prim_shared());
}

RP_KERNEL(intersect_lrc_heads_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    bool is_some = p.first < a.na && a.nb > 0;
    lrc_end(a, p, is_some ? lrc_by_heads(a, lrc_open_line(a.list), p.x[0]) : a.nb);
}

RP_KERNEL(intersect_lrc_at_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    bool is_some = p.first < a.na && a.nb > 0;
    lrc_end(a, p, is_some ? lrc_by_docids(a, lrc_open_line(a.list), p.x[0]) : a.nb);
}

RP_KERNEL(intersect_lrc_hs_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    uint32_t b = p.first < a.na && a.nb > 0 ? lrc_bucket(a.list, p.x[0]) : a.list.n_blocks;
    bool is_some = b < a.list.n_blocks;
    lrc_end(a, p, is_some ? lrc_find(a.list, lrc_block_own(a.list, b), p.x[0], a.nb) : a.nb);
}
