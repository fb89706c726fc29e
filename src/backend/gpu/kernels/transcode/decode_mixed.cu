/* decode_mixed.cu: docids of lists in mixed, to device memory: each block by the code it names. One
 * warp: a tile, a block of 128 at a time, four slots a lane. Reads a block's bytes once; writes 16
 * bytes a lane. Limits: any bytes, as of the codes; a block that names none is one of zeros;
 * dynamic shared memory as KARG_SHARED_MIXED says. Layout: docs/format.md, chapter 6. */
#include "backend/gpu/kernels/prim/prim.cuh"

struct alignas(16) mixed_scratch {
    unsigned char head[64]; /* of the code in work */
    efsum_scratch efsum;    /* the others have theirs in its place */
};

static_assert(sizeof(mixed_scratch) <= KARG_SHARED_MIXED, "what a launch gives");
static_assert(sizeof(efsum_scratch) >= KARG_SHARED_EXCEPTIONS &&
                  KARG_SHARED_EXCEPTIONS >= KARG_SHARED_RICE,
              "room for others");

/* The head of a block, as delta_read has that of a lane's. */
template <class CODE>
PRIM delta_head mixed_head(const tile_view &t, const tile_place &p, uint32_t base)
{
    uint32_t used = 0, shape = CODE::shape(bitpack_word(bitpack_at(t.docs + p.from), 0), p.bytes,
                                           p.count, &used);
    uint32_t left = prim_min(p.bytes - prim_min(used, p.bytes), 0xFFFFFFU);
    return {((uint32_t)t.docs & 3) + p.from + (shape ? used : 0), shape, base, p.count | left << 8};
}

/* A block of a code of delta_decode.cuh. */
template <class CODE>
PRIM void mixed_gaps(const tile_view &t, const tile_place &p, uint32_t base, mixed_scratch *scratch,
                     uint32_t *to)
{
    static_assert(sizeof(typename CODE::head) <= sizeof(scratch->head), "room for it");
    typename CODE::head *head = (typename CODE::head *)scratch->head;
    if (prim_lane() == 0)
        *head = CODE::keep(mixed_head<CODE>(t, p, base));
    prim_sync_tile();
    delta_row<CODE, 32, 1>(prim_at<const uint32_t>(t.docs & ~(uint64_t)3), head, to,
                           (unsigned char *)&scratch->efsum);
    prim_sync_tile();
}

/* The others; `from` is past the name. */
PRIM void mixed_block(const block_list &list, mixed_kind kind, const tile_place &p, uint32_t base,
                      mixed_scratch *scratch, uint32_t *to)
{
    uint32_t from = list.phase + p.from + 1, end = list.phase + p.from + p.bytes,
             v[4] = {0, 0, 0, 0};
    if (kind == MIXED_EFSUM) {
        efsum_docids(list, from, end, p.count, base, &scratch->efsum, v);
    } else {
        block_head head[1] = {{0, 0, base, p.count}};
        if (kind == MIXED_BP128)
            head[0] = block_bp128::head_at(list, from, end, p.count, base);
        block_rows<block_bp128, 4, 32, 1, BLOCK_ANY>(
            list, head, 0, nullptr,
            [&](uint32_t, const block_head &, uint32_t, const uint32_t *docids, uint32_t) {
#pragma unroll
                for (uint32_t k = 0; k < 4; k++)
                    v[k] = docids[k];
            });
    }
    tile_store(to, delta_slot(), p.count, v);
}

RP_KERNEL(decode_mixed_kernel, karg_decode)
{
    mixed_scratch *scratch = (mixed_scratch *)(prim_shared() + prim_warp() * KARG_SHARED_MIXED);
    if (tile_number() >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, tile_number());
    block_list list =
        block_list_open(prim_at<const karg_list>(a.lists) + block_tile(a, tile_number()).list);
    for (uint32_t i = 0; i < t.blocks; i++) {
        tile_place p = tile_block<KARG_BLOCK>(t, t.block + i);
        uint32_t *to = t.out + i * KARG_BLOCK, base = tile_base(t, t.block + i);
        mixed_kind kind =
            p.bytes ? mixed_kind_of(block_byte(list, list.phase + p.from)) : MIXED_NONE;
        if (kind == MIXED_RICE)
            mixed_gaps<block_rice>(t, p, base, scratch, to);
        else if (kind == MIXED_OPTPFD)
            mixed_gaps<block_optpfd>(t, p, base, scratch, to);
        else
            mixed_block(list, kind, p, base + 1, scratch, to);
    }
}
