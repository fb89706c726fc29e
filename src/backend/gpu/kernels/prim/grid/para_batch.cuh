/* para_batch.cuh: the elements of a batch (args.h, para/): one thread each, in the order of
 * queries.
 *
 * Records are the host's, and sound. Lists may say anything: ranks are held within them. */
#ifndef RP_KERNELS_PARA_BATCH_CUH
#define RP_KERNELS_PARA_BATCH_CUH

#include "backend/gpu/kernels/prim/thread/lower_bound.cuh"

struct para_element {
    uint32_t query, list, n_lists; /* which query; its lists */
    uint32_t docid;
};

/* The last of n numbers, which do not fall, that is at most x; the first is. The numbers are
 * STRIDE words apart. */
template <int STRIDE> PRIM uint32_t para_last(const uint32_t *at, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (prim_load(&at[(size_t)middle * STRIDE]) <= x)
            from = middle;
        else
            to = middle;
    }
    return from;
}

PRIM const karg_para_query *para_queries(const karg_para &a)
{
    return prim_at<const karg_para_query>(a.queries);
}

PRIM const karg_para_list *para_lists(const karg_para &a)
{
    return prim_at<const karg_para_list>(a.lists);
}

/* Element e, which is below a.n. */
PRIM para_element para_open(const karg_para &a, uint32_t e)
{
    const uint32_t words = sizeof(karg_para_query) / sizeof(uint32_t);
    uint32_t q = para_last<words>(prim_at<const uint32_t>(a.queries), a.n_queries, e);
    const karg_para_query *query = para_queries(a) + q;
    uint32_t list = prim_load(&query->list);
    const uint32_t *docids = prim_at<const uint32_t>(prim_load(&para_lists(a)[list].docids));
    return {q, list, prim_load(&query->n_lists), prim_load(&docids[e - prim_load(&query->first)])};
}

PRIM bool para_is_requested(const karg_para &a, uint32_t docid)
{
    return docid >= a.begin && docid < a.end;
}

PRIM uint32_t para_number()
{
    return prim_block() * prim_block_size() + prim_thread();
}

/* The marks of a warp's elements. All lanes come to it. */
PRIM void para_put(const karg_para &a, uint32_t e, bool is_in)
{
    uint32_t word = prim_ballot<32>(is_in);
    if (prim_lane() == 0 && e < a.n)
        prim_at<uint32_t>(a.marks)[e / 32] = word;
}

/* Whether x is in [lo, hi) of a list of n docids. */
PRIM bool para_search(const karg_para_list *list, uint32_t lo, uint32_t hi, uint32_t x)
{
    const uint32_t *docids = prim_at<const uint32_t>(prim_load(&list->docids));
    uint32_t at = search_first(docids, lo, hi, x);
    return at < hi && prim_load(&docids[at]) == x;
}

/* Marks the elements that are in all lists of their query. PROBE::has says whether a docid is in
 * list number i. One thread: an element, list after list, until one does not have it. */
template <class PROBE> PRIM void para_mark(const karg_para &a)
{
    uint32_t e = para_number();
    bool is_in = false;
    if (e < a.n) {
        para_element x = para_open(a, e);
        is_in = para_is_requested(a, x.docid);
        for (uint32_t i = 1; i < x.n_lists && is_in; i++)
            is_in = PROBE::has(a, x.list + i, x.docid);
    }
    para_put(a, e, is_in);
}

#endif
