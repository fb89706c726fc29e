/* or.cuh: where queries and terms of a batch of ORs lie: in device memory, or, of a small one, in the record itself. */
#ifndef RP_KERNELS_OR_CUH
#define RP_KERNELS_OR_CUH

#include "backend/gpu/kernels/prim/prim.cuh"

PRIM const karg_or_query *or_queries(const karg_or &a)
{
    return a.queries ? prim_at<const karg_or_query>(a.queries) : &a.query;
}
PRIM const karg_or_term *or_terms(const karg_or &a)
{
    return a.terms ? prim_at<const karg_or_term>(a.terms) : a.near;
}

#endif
