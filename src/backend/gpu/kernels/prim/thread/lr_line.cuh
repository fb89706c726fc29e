/* lr_line.cuh: the auxiliary data lr: lines from docids to ranks (codec.h, chapter 5, has what they
 * promise).
 *
 * Whatever the bytes say, ranges are within the list. */
#ifndef RP_KERNELS_LR_LINE_CUH
#define RP_KERNELS_LR_LINE_CUH

#include "backend/gpu/kernels/prim/thread/lower_bound.cuh"

enum { LR_LINE_SHIFT = 31, LR_LINE_HEAD = 24, LR_LINE_SEGMENT = 256 };

struct lr_line_fit {
    int64_t t;
    uint32_t s, left, right;
};

struct lr_line_range {
    uint32_t lo, hi;
};

/* The range of x in n docids, n at least 1. */
PRIM lr_line_range lr_line_find(lr_line_fit line, uint32_t n, uint32_t x)
{
    int64_t g = (int64_t)((uint64_t)line.s * x + (uint64_t)line.t) >> LR_LINE_SHIFT;
    g = g < 0 ? 0 : g < (int64_t)n ? g : (int64_t)n - 1;
    int64_t from = g - line.left, to = g + line.right + 1;
    return {from < 0 ? 0 : (uint32_t)from, to < (int64_t)n ? (uint32_t)to : n};
}

/* The line of a whole list. */
PRIM lr_line_fit lr_line_open(uint64_t aux)
{
    const uint32_t *head = prim_at<const uint32_t>(aux);
    uint64_t t = (uint64_t)prim_load(&head[1]) << 32 | prim_load(&head[0]);
    return {(int64_t)t, prim_load(&head[2]), prim_load(&head[3]), prim_load(&head[4])};
}

/* That of a segment. */
PRIM lr_line_fit lr_line_segment(uint64_t aux, uint32_t n, uint32_t segment)
{
    uint64_t k = prim_div_up(n, LR_LINE_SEGMENT), s = aux + LR_LINE_HEAD + 8 * k;
    const uint32_t *t = prim_at<const uint32_t>(aux + LR_LINE_HEAD) + 2 * (uint64_t)segment;
    const uint8_t *left = prim_at<const uint8_t>(s + 8 * k) + segment;
    return {(int64_t)((uint64_t)prim_load(&t[1]) << 32 | prim_load(&t[0])),
            prim_load(&prim_at<const uint32_t>(s)[segment]), prim_load(left), prim_load(left + k)};
}

/* Narrows a range of the list to x's segment, and by that one's line. */
PRIM lr_line_range lr_line_narrow(uint64_t aux, uint32_t n, uint32_t x, lr_line_range r)
{
    if (r.lo >= r.hi)
        return r;
    const uint32_t *heads = prim_at<const uint32_t>(aux + LR_LINE_HEAD +
                                                    12 * (uint64_t)prim_div_up(n, LR_LINE_SEGMENT));
    uint32_t first = r.lo / LR_LINE_SEGMENT, last = (r.hi - 1) / LR_LINE_SEGMENT;
    /* The last that begins at or below x: the one before the first that begins above. */
    uint32_t segment = x == ~0U ? last : search_first(heads, first + 1, last + 1, x + 1) - 1;
    uint32_t begin = segment * LR_LINE_SEGMENT,
             count = prim_min(n - begin, (uint32_t)LR_LINE_SEGMENT);
    lr_line_range own = lr_line_find(lr_line_segment(aux, n, segment), count, x);
    r.lo = prim_max(r.lo, begin + own.lo);
    r.hi = prim_max(prim_min(r.hi, begin + own.hi), r.lo);
    return r;
}

#endif
