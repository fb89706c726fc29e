/* or_coded.cu: the k best documents of many ORs over lists in bp128 or ef128, frequencies in bp128 or optpfd.
 * Owns:   a block of threads one tile of one query at a time; a warp a block of postings (prim/tiles.cuh).
 * Moves:  blocks as they lie in the index, once where they are added up; codes of norms gathered. Shared: as
 *         tiles.cuh, with what block.cuh needs to decode one block a warp.
 * Limits: KARG_OR_TERMS terms; k at most list_keys; codecs that cut every 128. Any bytes: block.cuh decodes to some
 *         docids, which are cut to the tile, freq_*.cuh to some frequencies.
 * Source: as or_tile.cu. */
#include "backend/gpu/kernels/prim/block_bp128.cuh"
#include "backend/gpu/kernels/prim/block_ef128.cuh"
#include "backend/gpu/kernels/prim/freq_bp128.cuh"
#include "backend/gpu/kernels/prim/freq_optpfd.cuh"
#include "backend/gpu/kernels/prim/tiles.cuh"

/* Frame f of a list's frequencies: an address, and how many bytes; 0 bytes where it does not lie inside. */
PRIM uint64_t frame_of(const karg_list *list, uint32_t f, uint32_t *bytes)
{
    const uint32_t *offsets = prim_at<const uint32_t>(prim_load(&list->freq_offsets));
    const uint32_t all = prim_load(&list->freqs_bytes);
    uint32_t from = offsets ? prim_load(&offsets[f]) : 0;
    uint32_t to = offsets && (f + 1) * KARG_BLOCK < prim_load(&list->n) ? prim_load(&offsets[f + 1]) : all;
    bool is_inside = from <= to && to <= all;
    *bytes = is_inside ? to - from : 0;
    return prim_load(&list->freqs) + (is_inside ? from : 0);
}

namespace
{

struct freqs_bp128 {
    /* Four values of n, from `first` on, which is below n. */
    PRIM uint4 four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t first)
    {
        uint32_t w = bytes ? prim_load(prim_at<const uint8_t>(in)) : 0, v[4] = {0, 0, 0, 0};
        if (w <= 32 && 1 + pack_bytes(n * w) <= bytes) {
            pack_bits at = pack_at(in + 1);
            pack_values(pack_load(at, first * w), at, first * w, w, v);
        }
        return make_uint4(v[0], v[1], v[2], v[3]);
    }
};

struct freqs_optpfd {
    PRIM uint4 four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t first)
    {
        uint32_t v[4];
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            v[e] = first + e < n ? freq_optpfd_at(in, bytes, n, first + e) : 0;
        return make_uint4(v[0], v[1], v[2], v[3]);
    }
};

template <class CODE, class FREQS> struct coded_list {
    static const int SCRATCH = CODE::SCRATCH;
    PRIM tiles_four load(const karg_or &a, const tiles_source &from, uint32_t block, unsigned char *scratch)
    {
        const karg_list *list = prim_at<const karg_list>(a.lists) + from.list;
        const uint32_t first = 4 * prim_lane(), n = prim_min(from.n - block * KARG_BLOCK, (uint32_t)KARG_BLOCK);
        tiles_four f = {{0, 0, 0, 0}, {0, 0, 0, 0}, block * KARG_BLOCK + first};
        uint32_t docids[4], bytes;
        uint64_t in = frame_of(list, block, &bytes);
        if (first < n)
            f.tfs = FREQS::four(in, bytes, n, first);
        block_one<CODE, 4>(block_list_open(list), block, scratch, docids);
        prim_sync_tile(); /* scratch is written again by the next */
        f.docids = make_uint4(docids[0], docids[1], docids[2], docids[3]);
        f.tfs = make_uint4(f.tfs.x + 1, f.tfs.y + 1, f.tfs.z + 1, f.tfs.w + 1);
        return f;
    }
};

} // namespace

RP_KERNEL_BOUNDED(or_coded_bp128_kernel, karg_or, 512, 2)
{
    tiles_run<coded_list<block_bp128, freqs_bp128>>(a);
}
RP_KERNEL_BOUNDED(or_coded_bp128_optpfd_kernel, karg_or, 512, 2)
{
    tiles_run<coded_list<block_bp128, freqs_optpfd>>(a);
}
RP_KERNEL_BOUNDED(or_coded_ef128_kernel, karg_or, 512, 2)
{
    tiles_run<coded_list<block_ef128, freqs_bp128>>(a);
}
RP_KERNEL_BOUNDED(or_coded_ef128_optpfd_kernel, karg_or, 512, 2)
{
    tiles_run<coded_list<block_ef128, freqs_optpfd>>(a);
}
