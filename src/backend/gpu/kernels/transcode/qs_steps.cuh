/* qs_steps.cuh: what the step-by-step versions of qs share: a list for all threads of a grid, and
 * the last step. */
#ifndef RP_KERNELS_QS_STEPS_CUH
#define RP_KERNELS_QS_STEPS_CUH

#include "backend/gpu/kernels/prim/prim.cuh"

PRIM qs_view qs_steps_open(const karg_qs &a, uint32_t *n)
{
    const karg_list *list = prim_at<const karg_list>(a.list);
    uint64_t last = prim_load(&list->last);
    uint32_t n_blocks = prim_load(&list->n_blocks);
    uint32_t last_docid = last ? prim_load(prim_at<const uint32_t>(last) + n_blocks - 1) : 0;
    *n = prim_load(&list->n);
    qs_view v =
        qs_open(prim_load(&list->docs), prim_load(&list->docs_bytes), *n, last != 0, last_docid);
    v.bits = prim_min(v.bits, a.bits);
    return v;
}

PRIM uint64_t qs_steps_thread()
{
    return (uint64_t)prim_block() * prim_block_size() + prim_thread();
}
PRIM uint64_t qs_steps_threads()
{
    return (uint64_t)prim_grid_size() * prim_block_size();
}

/* Ones of word i of the high parts; past their last bit there are none, but zeros neither. */
PRIM uint32_t qs_steps_word(const qs_view &v, uint64_t i)
{
    return 32 * i < v.bits ? prim_load(prim_at<const uint32_t>(v.high & ~(uint64_t)3) + i) : ~0U;
}

/* A docid of its low bits, and of its high ones as the steps before have left them. */
PRIM void qs_steps_combine(const karg_qs &a)
{
    uint32_t n, *out = prim_at<uint32_t>(a.docids);
    qs_view v = qs_steps_open(a, &n);
    for (uint64_t i = qs_steps_thread(); i < n; i += qs_steps_threads())
        out[i] = prim_at<const uint32_t>(a.uppers)[i] << v.l | qs_low(v, i);
}

#endif
