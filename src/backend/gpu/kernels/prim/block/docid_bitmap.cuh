/* docid_bitmap.cuh: the docids of a slice of the universe as bits in shared memory. */
#ifndef RP_KERNELS_DOCID_BITMAP_CUH
#define RP_KERNELS_DOCID_BITMAP_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* Shared memory: scratch, the bits of both, and what follows them. */
struct docid_bitmap_shared {
    uint32_t *scratch, *of_a, *of_b, *rest;
};

PRIM docid_bitmap_shared docid_bitmap_lay_out(uint32_t words)
{
    uint32_t *at = (uint32_t *)prim_shared();
    return {at, at + KARG_SCRATCH, at + KARG_SCRATCH + words, at + KARG_SCRATCH + 2 * words};
}

/* The i-th words of 16 bytes of the AND. */
PRIM uint4 docid_bitmap_both(const docid_bitmap_shared &s, uint32_t i)
{
    uint4 p = ((const uint4 *)s.of_a)[i], q = ((const uint4 *)s.of_b)[i];
    return make_uint4(p.x & q.x, p.y & q.y, p.z & q.z, p.w & q.w);
}

/* A list's part of a slice. */
struct docid_bitmap_part {
    const uint32_t *list;
    uint32_t from, to; /* ranks */
};

/* The bit of a docid; `within` is the slice's width less one, and keeps a docid that lies elsewhere
 * in the array. */
PRIM void docid_bitmap_set_one(uint32_t *bits, uint32_t within, uint32_t docid)
{
    prim_atomic_or(&bits[(docid & within) / 32], 1U << (docid & 31));
}

/* Four docids that follow each other have mostly one word: one atomic for as long as it stays the
 * same. */
PRIM void docid_bitmap_set_four(uint32_t *bits, uint32_t within, uint4 v)
{
    uint32_t at[4] = {v.x & within, v.y & within, v.z & within, v.w & within};
    uint32_t mask = 1U << (at[0] & 31);
#pragma unroll
    for (uint32_t k = 1; k < 4; k++) {
        if (at[k] / 32 != at[k - 1] / 32) {
            prim_atomic_or(&bits[at[k - 1] / 32], mask);
            mask = 0;
        }
        mask |= 1U << (at[k] & 31);
    }
    prim_atomic_or(&bits[at[3] / 32], mask);
}

/* The part's words of 16 bytes, `from` to `to` being their ranks. */
PRIM void docid_bitmap_set_whole(uint32_t *bits, uint32_t within, const docid_bitmap_part &p)
{
    const uint32_t step = 4 * prim_block_size();
    uint32_t i = p.from + 4 * prim_thread();
    for (; i < p.to && p.to - i > 3 * step; i += 4 * step) {
        uint4 v[4];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = prim_load_once((const uint4 *)(p.list + i + k * step));
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            docid_bitmap_set_four(bits, within, v[k]);
    }
    uint32_t left = i < p.to ? p.to - i : 0;
    uint4 v[3];
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
        if (left > k * step)
            v[k] = prim_load_once((const uint4 *)(p.list + i + k * step));
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
        if (left > k * step)
            docid_bitmap_set_four(bits, within, v[k]);
}

/* All of a part: a few docids at both ends lie in words of 16 bytes that are not its own. */
PRIM void docid_bitmap_set(uint32_t *bits, uint32_t within, const docid_bitmap_part &p)
{
    uint32_t whole = prim_min((p.from + 3) & ~3U, p.to), end = prim_max(p.to & ~3U, whole);
    uint32_t first = p.from + prim_thread(), last = end + prim_thread();
    if (first < whole)
        docid_bitmap_set_one(bits, within, prim_load(&p.list[first]));
    if (last < p.to)
        docid_bitmap_set_one(bits, within, prim_load(&p.list[last]));
    docid_bitmap_set_whole(bits, within, {p.list, whole, end});
}

#endif
