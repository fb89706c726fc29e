/* patch.cuh: exceptions on their way to slots, through shared memory: the lane that has one puts it at its slot,
 * and the lane that owns the slot takes it from there. Nothing diverges but for blocks with more than 32. */
#ifndef RP_KERNELS_PATCH_CUH
#define RP_KERNELS_PATCH_CUH

#include "backend/gpu/kernels/prim/gaps.cuh"

/* What is to be added to each slot; all zero between blocks. */
struct alignas(16) patch_room {
    uint32_t adds[KARG_BLOCK];
};

static_assert(sizeof(patch_room) == KARG_SHARED_PATCH, "as launches have it");

/* Any slot: those of damaged bytes wrap. */
PRIM void patch_put(patch_room *room, uint32_t slot, uint32_t add) { room->adds[slot % KARG_BLOCK] = add; }

/* Adds this lane's, and clears them. */
PRIM void patch_take(patch_room *room, uint32_t v[4])
{
    uint4 *mine = (uint4 *)room->adds + prim_lane(), adds = *mine;
    *mine = make_uint4(0, 0, 0, 0);
    v[0] += adds.x;
    v[1] += adds.y;
    v[2] += adds.z;
    v[3] += adds.w;
}

#endif
