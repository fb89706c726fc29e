/* patch.cuh: exceptions on their way to slots, through shared memory: the lane that has one puts it at its slot,
 * and the lane that owns the slot takes it from there. A lane clears, and takes, what no other lane reads. */
#ifndef RP_KERNELS_PATCH_CUH
#define RP_KERNELS_PATCH_CUH

#include "backend/gpu/kernels/prim/gaps.cuh"

/* What is to be added to each slot: KARG_SHARED_PATCH bytes. By a warp: clear; put, any lane, any slot (those of
 * damaged bytes wrap, and may be one slot: what is put there is summed up); take. */
PRIM void patch_clear(uint32_t *room)
{
    ((uint4 *)room)[prim_lane()] = make_uint4(0, 0, 0, 0);
    prim_sync_tile();
}
PRIM void patch_put(uint32_t *room, uint32_t slot, uint32_t add) { prim_atomic_add(&room[slot % KARG_BLOCK], add); }
/* The same of the first n lanes at once, by a plain store, which costs less: only where slots rise, as they do unless bytes
 * are damaged, and so no two lanes have one. */
PRIM void patch_put_rising(uint32_t *room, uint32_t n, uint32_t slot, uint32_t add)
{
    uint32_t before = prim_shuffle_up<32>(slot, 1);
    bool is_mine = prim_lane() < n, rises = slot < KARG_BLOCK && (prim_lane() == 0 || slot > before);
    if (prim_ballot<32>(is_mine && !rises) == 0 && is_mine)
        room[slot] = add;
}
PRIM void patch_take(const uint32_t *room, uint32_t v[4])
{
    prim_sync_tile();
    uint4 adds = ((const uint4 *)room)[prim_lane()];
    v[0] += adds.x;
    v[1] += adds.y;
    v[2] += adds.z;
    v[3] += adds.w;
}

#endif
