/* frames.cuh: frames of frequencies of a tile's list, in bytes that are not trusted. */
#ifndef RP_KERNELS_FRAMES_CUH
#define RP_KERNELS_FRAMES_CUH

#include "backend/gpu/kernels/prim/prim.cuh"

/* Where a list's frames lie. */
struct frames_view {
    uint64_t freqs, offsets;
    uint32_t n, bytes;
};

PRIM frames_view frames_open(const karg_decode &a, uint32_t number)
{
    const karg_tile *tile = prim_at<const karg_tile>(a.tiles) + number;
    const karg_list *list = prim_at<const karg_list>(a.lists) + prim_load(&tile->list);
    return {prim_load(&list->freqs), prim_load(&list->freq_offsets), prim_load(&list->n),
            prim_load(&list->freqs_bytes)};
}

/* Where frame f lies: an address, and how many bytes. */
PRIM uint64_t frames_at(const frames_view &of, uint32_t f, uint32_t *bytes)
{
    uint32_t from = of.offsets ? near_offset(of.offsets, f) : 0, to = of.bytes;
    if (of.offsets && (f + 1) * KARG_BLOCK < of.n)
        to = near_offset(of.offsets, f + 1);
    bool is_sound = from <= to && to <= of.bytes;
    *bytes = is_sound ? to - from : 0;
    return of.freqs + (is_sound ? from : 0);
}

#endif
