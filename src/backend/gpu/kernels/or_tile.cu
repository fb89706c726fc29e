/* or_tile.cu: the k best documents of many ORs over uncompressed lists.
 * Owns:   a block of threads one tile of one query at a time; a warp a block of postings (prim/tiles.cuh).
 * Moves:  postings of a tile once, 16 bytes of docids and of frequencies a lane, coalesced; codes of norms gathered,
 *         from the cache of a tile that all queries work on. Shared: as tiles.cuh.
 * Limits: KARG_OR_TERMS terms; k at most list_keys. Ranks are held below the list's n.
 * Source: MaxScore (Turtle and Flood, 1995) by tiles, with block bounds (Ding and Suel, 2011). */
#include "backend/gpu/kernels/prim/tiles.cuh"

namespace
{

struct plain_list {
    enum { SCRATCH = 0 };
    PRIM tiles_four load(const karg_or &, const tiles_source &from, uint32_t block, unsigned char *)
    {
        tiles_four f = {{0, 0, 0, 0}, {0, 0, 0, 0}, block * KARG_BLOCK + 4 * prim_lane()};
        if (f.rank < from.n) {
            f.docids = prim_load_once(prim_at<const uint4>(from.docs) + f.rank / 4);
            f.tfs = prim_load_once(prim_at<const uint4>(from.freqs) + f.rank / 4);
        }
        return f;
    }
};

} // namespace

RP_KERNEL_BOUNDED(or_tile_kernel, karg_or, 512, 3)
{
    tiles_run<plain_list>(a);
}
