/* or_queries.cuh: where queries and terms of a batch of ORs lie: in device memory, or, of a small
 * one, in the record itself. */
#ifndef RP_KERNELS_OR_QUERIES_CUH
#define RP_KERNELS_OR_QUERIES_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

PRIM const karg_or_query *or_queries(const karg_or &a)
{
    return a.queries ? prim_at<const karg_or_query>(a.queries) : &a.query;
}
PRIM const karg_or_term *or_terms(const karg_or &a)
{
    return a.terms ? prim_at<const karg_or_term>(a.terms) : a.inline_terms;
}
PRIM uint32_t *or_counter(const karg_or &a, uint32_t which)
{
    return prim_at<uint32_t>(a.counters) + which;
}

/* A word that becomes the batch's number when tiles ahead of all others are done; some blocks look
 * at one of them. */
PRIM uint32_t *or_bell(const karg_or &a, uint32_t which)
{
    return or_counter(a, KARG_OR_COUNTERS + 32 * which);
}

/* By a warp or a block that has given a query's answer, which the host sees: the last one says that
 * all are there. */
PRIM void or_tell(const karg_or &a)
{
    if (prim_lane() > 0)
        return;
    if (a.n_queries > 1) {
        if (prim_atomic_add(or_counter(a, KARG_OR_RANKED), 1) - a.before[KARG_OR_RANKED] !=
            a.n_queries - 1)
            return;
        prim_fence_host();
    }
    *prim_at<uint32_t>(a.there) = a.number;
}

#endif
