/* para_regression.cu: which elements of a batch are in all lists of their query, by single docids
 * of lists in the regression codes, which stay compressed. One thread: an element.
 * Reads elements coalesced; of a list the directory's last docids, by halving: all (lrcseg,
 * seglrc), those of the safe range of the list's line if it has auxiliary data lr (lrc), those of a
 * bucket of its own table (hslrc); then of one block its head, and a residual a step, within the
 * safe range of the block's line if it has its own (seglrc, hslrc). No shared memory.
 * Lists that are not stored in the code, which are short, are searched as docids. A block that does
 * not lie in its payload has no docids: any bytes are safe.
 * Source: Ao et al. 2011, 5.2 and 5.3, Algorithm 1. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* The whole list as one tile. */
PRIM tile_view para_view(const karg_list &list)
{
    tile_view t = {};
    t.docs = list.docs;
    t.last = list.last;
    t.offsets = list.offsets;
    t.first = list.first;
    t.n = t.capacity = list.n;
    t.n_blocks = t.blocks = list.n_blocks;
    t.docs_bytes = list.docs_bytes;
    return t;
}

/* Slots of a block that x can be in. A head keeps a rise modulo 2^32, so the slope is read anew. */
template <int KIND>
PRIM regression_range para_slots(const tile_view &t, const tile_place &p, const regression_head &h,
                                 uint32_t x)
{
    const uint32_t count = regression_count(h.shape);
    if (KIND != REGRESSION_OWN || p.bytes <= LRC_OWN)
        return {0, count};
    uint32_t code = bitpack_word(bitpack_at(t.docs + p.from), 32) & 0xFFFF;
    return regression_near(regression_slope(code) << (REGRESSION_SHIFT - 6), h.start,
                           regression_width(h.shape) + regression_high_width(h.shape), count, x);
}

/* Whether x is in block b. */
template <int KIND, int CUT> PRIM bool para_block_has(const karg_list &list, uint32_t b, uint32_t x)
{
    tile_view t = para_view(list);
    tile_place p = tile_block<CUT>(t, b);
    regression_line line = regression_of_list<KIND>(t.docs, t.docs_bytes);
    regression_head h = regression_read<KIND>(t, line, p);
    regression_range r = para_slots<KIND>(t, p, h, x);
    while (r.from < r.to) {
        uint32_t middle = (r.from + r.to) / 2;
        uint32_t at = regression_slot<KIND>(regression_words(t), line, h, middle);
        if (at == x)
            return true;
        r.from = at < x ? middle + 1 : r.from;
        r.to = at < x ? r.to : middle;
    }
    return false;
}

/* The block that may have x, else n_blocks. */
template <int CUT>
PRIM uint32_t para_block(const karg_list &list, const karg_para_list *of, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    uint64_t aux = prim_load(&of->aux);
    if (!CUT)
        return lrc_bucket(list, x);
    if (!aux || !last)
        return directory_block(list, x);
    lr_line_range r = lr_line_find(lr_line_open(aux), list.n, x);
    if (r.lo >= r.hi)
        return list.n_blocks;
    uint32_t end = prim_min((r.hi - 1) / (CUT ? CUT : 1) + 1, list.n_blocks);
    uint32_t b = search_first(last, prim_min(r.lo / (CUT ? CUT : 1), end), end, x);
    return b < end ? b : list.n_blocks;
}

template <int KIND, int CUT> struct para_regression {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *of = para_lists(a) + i;
        karg_list list = prim_at<const karg_list>(a.stored)[i];
        if (list.n_blocks == 0)
            return para_search(of, 0, prim_load(&of->n), x);
        uint32_t b = para_block<CUT>(list, of, x);
        return b < list.n_blocks && para_block_has<KIND, CUT>(list, b, x);
    }
};

RP_KERNEL(para_lrc_kernel, karg_para)
{
    para_mark<para_regression<REGRESSION_LIST, REGRESSION_BY_256>>(a);
}
RP_KERNEL(para_lrcseg_kernel, karg_para)
{
    para_mark<para_regression<REGRESSION_MOVED, REGRESSION_BY_256>>(a);
}
RP_KERNEL(para_seglrc_kernel, karg_para)
{
    para_mark<para_regression<REGRESSION_OWN, REGRESSION_BY_256>>(a);
}
RP_KERNEL(para_hslrc_kernel, karg_para)
{
    para_mark<para_regression<REGRESSION_OWN, REGRESSION_BY_HASH>>(a);
}
