/* regression_at.cuh: all postings of tiles, each found by itself: what a probe of a regression code
 * costs. */
#ifndef RP_KERNELS_REGRESSION_AT_CUH
#define RP_KERNELS_REGRESSION_AT_CUH

#include "backend/gpu/kernels/prim/codec/regression.cuh"

/* A warp a tile, a lane a posting. */
template <int KIND, int CUT> PRIM void regression_at_all(const karg_decode &a)
{
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open<CUT>(a, number), whole = t;
    whole.begin = 0;
    whole.capacity = t.n;
    for (uint32_t i = prim_lane(); i < t.capacity && t.begin + i < t.n; i += 32)
        t.out[i] = regression_at<KIND, CUT>(whole, t.begin + i);
}

#endif
