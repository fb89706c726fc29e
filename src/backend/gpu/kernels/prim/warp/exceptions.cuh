/* exceptions.cuh: exceptions on their way to slots, through shared memory: the lane that has one
 * puts it at its slot, and the lane that owns the slot takes it from there. A lane clears, and
 * takes, what no other lane reads. */
#ifndef RP_KERNELS_EXCEPTIONS_CUH
#define RP_KERNELS_EXCEPTIONS_CUH

#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"

/* What is to be added to each slot: KARG_SHARED_EXCEPTIONS bytes. By a warp: clear; put, any lane,
 * any slot (those of damaged bytes wrap, and may be one slot: what is put there is summed up);
 * take. */
PRIM void exceptions_clear(uint32_t *scratch)
{
    ((uint4 *)scratch)[prim_lane()] = make_uint4(0, 0, 0, 0);
    prim_sync_tile();
}
PRIM void exceptions_put(uint32_t *scratch, uint32_t slot, uint32_t add)
{
    prim_atomic_add(&scratch[slot % KARG_BLOCK], add);
}
/* Whether the slots of the first n lanes rise, as they do unless bytes are damaged: no two have one
 * then, and a plain store, which costs less, will do. Other lanes have the slot of lane 0: they
 * count as falling, and so does lane 0. False for none. */
PRIM bool exceptions_rises(uint32_t n, uint32_t slot)
{
    return prim_count(prim_ballot<32>(slot <= prim_shuffle_up<32>(slot, 1))) + prim_min(n, 32U) ==
           33;
}
PRIM void exceptions_take(const uint32_t *scratch, uint32_t v[4])
{
    prim_sync_tile();
    uint4 adds = ((const uint4 *)scratch)[prim_lane()];
    v[0] += adds.x;
    v[1] += adds.y;
    v[2] += adds.z;
    v[3] += adds.w;
}

#endif
