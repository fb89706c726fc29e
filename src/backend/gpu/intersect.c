/* intersect.c: tiles of intersections. What a method does is in its kernel's file; which is best for which lists, in
 * docs/kernels.md. */
#include "backend/gpu/intersect.h"

enum { SHIFT_MIN = 10, SLICES_MIN = 4 };

static uint32_t div_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b > 0);
}

void rp__intersect_cut(uint32_t tiles, uint32_t threads, uint32_t words, karg_intersect *args,
                       rp__launch *how)
{
    args->tiles = tiles ? tiles : 1;
    *how = (rp__launch){args->tiles, threads, (KARG_SCRATCH + words) * (uint32_t)sizeof(uint32_t)};
}

void rp__intersect_cut_docids(uint32_t threads, uint32_t each, karg_intersect *args,
                              rp__launch *how)
{
    rp__intersect_cut(div_up(args->na, threads * each), threads, threads * each, args, how);
}

/* Narrower slices where few would be left for the multiprocessors. */
void rp__intersect_cut_slices(uint32_t threads, uint32_t shift, karg_intersect *args,
                              rp__launch *how)
{
    while (shift > SHIFT_MIN && args->universe >> shift < SLICES_MIN)
        shift--;
    args->shift = shift;
    rp__intersect_cut(div_up(args->universe, 1U << shift), threads,
                      (2U << shift >> 5) + KARG_STAGED / 32 * threads, args, how);
}

size_t rp__intersect_state(const karg_intersect *args)
{
    return (args->tiles + (size_t)2) * sizeof(uint64_t);
}
