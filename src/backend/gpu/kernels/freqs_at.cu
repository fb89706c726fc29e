/* freqs_at.cu: frequencies of all postings of tiles, each found without the others of its frame.
 * One warp: a tile; one lane: a posting. What a scorer does for the few postings that it needs.
 * Reads a head, a word or two and the exceptions' ranks for each, from the same bytes as its neighbours. No shared memory.
 * Limits: any bytes; a part that does not lie inside its frame's bytes is 0. Frames of 128 postings.
 * Source: docs/format.md, chapter 5. */
#include "backend/gpu/kernels/prim/freq_bp128.cuh"
#include "backend/gpu/kernels/prim/freq_optpfd.cuh"
#include "backend/gpu/kernels/prim/tile.cuh"

/* Where a list's frames lie. */
struct frames {
    uint64_t freqs, offsets;
    uint32_t n, bytes;
};

PRIM frames open_frames(const karg_decode &a, uint32_t number)
{
    const karg_tile *tile = prim_at<const karg_tile>(a.tiles) + number;
    const karg_list *list = prim_at<const karg_list>(a.lists) + prim_load(&tile->list);
    return {prim_load(&list->freqs), prim_load(&list->freq_offsets), prim_load(&list->n),
            prim_load(&list->freqs_bytes)};
}

/* Where frame f lies: an address, and how many bytes. */
PRIM uint64_t frame_at(const frames &of, uint32_t f, uint32_t *bytes)
{
    const uint32_t *offsets = prim_at<const uint32_t>(of.offsets);
    uint32_t from = of.offsets ? prim_load(offsets + f) : 0, to = of.bytes;
    if (of.offsets && (f + 1) * KARG_BLOCK < of.n)
        to = prim_load(offsets + f + 1);
    bool is_sound = from <= to && to <= of.bytes;
    *bytes = is_sound ? to - from : 0;
    return of.freqs + (is_sound ? from : 0);
}

template <uint32_t (*AT)(uint64_t, uint32_t, uint32_t, uint32_t)> PRIM void freqs_at_all(const karg_decode &a)
{
    uint32_t number = tile_number(), bytes;
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open(a, number);
    frames of = open_frames(a, number);
    for (uint32_t i = prim_lane(); i < t.room && t.begin + i < t.n; i += 32) {
        uint32_t rank = t.begin + i, f = rank / KARG_BLOCK;
        uint64_t in = frame_at(of, f, &bytes);
        t.out[i] = AT(in, bytes, prim_min(of.n - f * KARG_BLOCK, (uint32_t)KARG_BLOCK), rank % KARG_BLOCK) + 1;
    }
}

RP_KERNEL(freqs_at_bp128_kernel, karg_decode) { freqs_at_all<freq_bp128_at>(a); }
RP_KERNEL(freqs_at_optpfd_kernel, karg_decode) { freqs_at_all<freq_optpfd_at>(a); }
