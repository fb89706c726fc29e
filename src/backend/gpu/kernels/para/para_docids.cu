/* para_docids.cu: which elements of a batch are in all lists of their query, by searches in lists
 * of docids. One thread: an element. One warp: 32 of them, whose marks are one word.
 * Reads elements coalesced; of a list one word a step. No shared memory.
 * bs: binary search in the whole list. is_plain (method is): interpolation to the end. is (method
 * is-8): interpolation, TUNE_IS_STEPS times at most, then binary search. lr, lr_local: binary
 * search in the safe range of the list's line, or of a segment's. hs: in a bucket. A list without
 * auxiliary data, which is short, is searched as a whole. Ranges are held within the list, and get
 * shorter with every step: any content is safe.
 * Source: Ao et al. 2011, 3 and 4: PARA; 4.1 to 4.4 its searches; is-8 is ours. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

struct para_bs {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *list = para_lists(a) + i;
        return para_search(list, 0, prim_load(&list->n), x);
    }
};

/* What is left loses the docid that was read, so that a list of n docids takes n steps at most. */
struct para_is_plain {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *list = para_lists(a) + i;
        const uint32_t *docids = prim_at<const uint32_t>(prim_load(&list->docids));
        uint32_t from = 0, to = prim_load(&list->n);
        while (from < to) {
            uint32_t low = prim_load(&docids[from]), high = prim_load(&docids[to - 1]);
            if (x < low || x > high)
                return false;
            uint64_t ahead = (uint64_t)(x - low) * (to - 1 - from);
            uint32_t middle = from + (high > low ? (uint32_t)(ahead / (high - low)) : 0),
                     at = prim_load(&docids[middle]);
            if (at == x)
                return true;
            from = at < x ? middle + 1 : from;
            to = at < x ? to : middle;
        }
        return false;
    }
};

/* Guided by the docids at both ends, which are narrowed step by step. */
struct para_is {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *list = para_lists(a) + i;
        const uint32_t *docids = prim_at<const uint32_t>(prim_load(&list->docids));
        uint32_t from = 0, to = prim_load(&list->n) - 1;
        uint32_t low = prim_load(&docids[from]), high = prim_load(&docids[to]);
        for (int step = 0; step < TUNE_IS_STEPS && low < x && x < high; step++) {
            float share = prim_div(prim_float(x - low), prim_float(high - low));
            uint32_t by = prim_truncate(prim_mul(share, prim_float(to - from)));
            uint32_t middle = from + prim_min(by, to - from), at = prim_load(&docids[middle]);
            if (at == x)
                return true;
            if (at < x ? middle == from : middle == to) /* it does not get nearer */
                break;
            from = at < x ? middle : from;
            low = at < x ? at : low;
            to = at < x ? to : middle;
            high = at < x ? high : at;
        }
        return x >= low && x <= high && para_search(list, from, to + 1, x);
    }
};

template <bool IS_LOCAL> struct para_lr {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *list = para_lists(a) + i;
        uint64_t aux = prim_load(&list->aux);
        uint32_t n = prim_load(&list->n);
        lr_line_range r = {0, n};
        if (aux)
            r = lr_line_find(lr_line_open(aux), n, x);
        if (aux && IS_LOCAL)
            r = lr_line_narrow(aux, n, x, r);
        return para_search(list, r.lo, r.hi, x);
    }
};

struct para_hs {
    PRIM bool has(const karg_para &a, uint32_t i, uint32_t x)
    {
        const karg_para_list *list = para_lists(a) + i;
        const uint32_t *starts = prim_at<const uint32_t>(prim_load(&list->aux));
        uint32_t n = prim_load(&list->n);
        if (!starts)
            return para_search(list, 0, n, x);
        uint32_t bucket = (uint32_t)((uint64_t)x >> prim_load(&list->shift));
        if (bucket >= prim_load(&list->n_buckets))
            return false;
        return para_search(list, prim_load(&starts[bucket]),
                           prim_min(prim_load(&starts[bucket + 1]), n), x);
    }
};

RP_KERNEL(para_bs_kernel, karg_para)
{
    para_mark<para_bs>(a);
}
RP_KERNEL(para_is_plain_kernel, karg_para)
{
    para_mark<para_is_plain>(a);
}
RP_KERNEL(para_is_kernel, karg_para)
{
    para_mark<para_is>(a);
}
RP_KERNEL(para_lr_kernel, karg_para)
{
    para_mark<para_lr<false>>(a);
}
RP_KERNEL(para_lr_local_kernel, karg_para)
{
    para_mark<para_lr<true>>(a);
}
RP_KERNEL(para_hs_kernel, karg_para)
{
    para_mark<para_hs>(a);
}
