/* para_parapfor.cu: which elements of a batch are in all lists of their query, by blocks of lists
 * in parapfor, which stay compressed. One thread: an element; one warp: 32 of them, and the blocks
 * they lie in, one after the other.
 * Reads elements coalesced; last, by halving; a needed block once a warp, four slots a lane, with a
 * prefix sum over the warp; it is searched in shared memory: KARG_PARA_SHARED bytes a warp.
 * A list in segments of 64 has half of the slots in each. Lists that are not stored in the code,
 * which are short, are searched as docids. A block whose arrays do not lie inside its bytes is one
 * of zeros: any bytes are safe.
 * Source: Ao et al. 2011, 5.1. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* A warp's. */
struct para_blocks {
    block_parapfor::head head;
    unsigned char scratch[block_parapfor::SCRATCH_BYTES];
    uint32_t docids[KARG_BLOCK];
};

static_assert(sizeof(para_blocks) <= KARG_PARA_SHARED, "as launches have it");

/* Docids of block b to shared memory, by the warp. How many. */
PRIM uint32_t para_decode(const karg_list &list, uint32_t b, para_blocks *to)
{
    tile_view t = {};
    t.docs = list.docs;
    t.last = list.last;
    t.offsets = list.offsets;
    t.n = t.capacity = list.n;
    t.n_blocks = list.n_blocks;
    t.docs_bytes = list.docs_bytes;
    t.block = b;
    t.blocks = 1;
    delta_head mine = list.first ? delta_read<block_parapfor, false, KARG_SEGMENT>(t)
                                 : delta_read<block_parapfor, false>(t);
    if (prim_lane() == 0)
        to->head = block_parapfor::keep(mine);
    prim_sync_tile();
    const uint32_t *words = prim_at<const uint32_t>(t.docs & ~(uint64_t)3);
    block_parapfor::fetched<32> block;
    uint32_t v[4];
    block.load(words, &to->head);
    block.docids(words, &to->head, to->scratch, v);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        to->docids[delta_slot() + k] = v[k];
    prim_sync_tile();
    return block_parapfor::count(&to->head);
}

/* Whether x is among n docids in shared memory. */
PRIM bool para_among(const uint32_t *docids, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (docids[middle] < x)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && docids[from] == x;
}

/* Whether x is in list i, of lanes with `wants`. All lanes come to it. */
PRIM bool para_has(const karg_para &a, uint32_t i, uint32_t x, bool wants, para_blocks *own)
{
    const karg_list *lists = prim_at<const karg_list>(a.stored);
    bool is_in = false, is_stored = wants && prim_load(&lists[i].n_blocks) > 0;
    uint32_t block = is_stored ? directory_block(lists[i], x) : 0;
    if (wants && !is_stored)
        is_in = para_search(para_lists(a) + i, 0, prim_load(&para_lists(a)[i].n), x);
    bool is_open = is_stored && block < prim_load(&lists[i].n_blocks);
    for (uint32_t open = prim_ballot<32>(is_open); open; open = prim_ballot<32>(is_open)) {
        uint32_t lane = prim_lowest(open), of = prim_shuffle<32>(i, lane),
                 b = prim_shuffle<32>(block, lane);
        uint32_t n = para_decode(lists[of], b, own);
        if (is_open && i == of && block == b) {
            is_in = para_among(own->docids, n, x);
            is_open = false;
        }
        prim_sync_tile();
    }
    return is_in;
}

RP_KERNEL(para_parapfor_kernel, karg_para)
{
    para_blocks *own = (para_blocks *)(prim_shared() + prim_warp() * KARG_PARA_SHARED);
    uint32_t e = para_number();
    para_element x = {0, 0, 0, 0};
    if (e < a.n)
        x = para_open(a, e);
    bool is_in = e < a.n && para_is_requested(a, x.docid);
    for (uint32_t i = 1; prim_ballot<32>(is_in && i < x.n_lists); i++) {
        bool wants = is_in && i < x.n_lists;
        bool has = para_has(a, x.list + i, x.docid, wants, own);
        is_in = wants ? has : is_in;
    }
    para_put(a, e, is_in);
}
