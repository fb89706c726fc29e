/* word_block.cuh: blocks of a word's list by a warp: WORD_ROWS at a time, each in its codec, to shared memory.
 *
 * The record is the host's, and sound; what it points to is not. Bytes that cannot be are found before they are read,
 * where a block's head tells, or after, since the directory has each block's last docid. */
#ifndef RP_KERNELS_WORD_BLOCK_CUH
#define RP_KERNELS_WORD_BLOCK_CUH

#include "backend/gpu/kernels/prim/block_bitmap.cuh"
#include "backend/gpu/kernels/prim/block_ef128.cuh"
#include "backend/gpu/kernels/prim/block_optpfd.cuh"
#include "backend/gpu/kernels/prim/block_raw.cuh"
#include "backend/gpu/kernels/prim/block_rice.cuh"

enum { WORD_ROWS = 4 };

/* Shared memory of a warp: docids of blocks, UINT32_MAX past the last; and what their codes need. */
struct alignas(16) word_room {
    uint32_t docids[WORD_ROWS][KARG_BLOCK];
    unsigned char scratch[WORD_ROWS * KARG_SHARED_PATCH];
};
static_assert(sizeof(word_room) == KARG_SHARED_WORD, "as launches have it");
static_assert(2 * block_bitmap::SCRATCH <= WORD_ROWS * KARG_SHARED_PATCH, "halves that rows use in turns");
static_assert(2 * block_ef128::SCRATCH <= WORD_ROWS * KARG_SHARED_PATCH, "halves that rows use in turns");

PRIM uint32_t word_count(const karg_list &list, uint32_t b)
{
    return prim_min(list.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
}

/* Bytes from..to of the parts of a payload, where part i of n begins at offsets[i]; none: there is one. */
struct word_bytes {
    uint64_t at;
    uint32_t n;
    bool is_sound;
};

PRIM word_bytes word_part(uint64_t in, uint32_t bytes, uint64_t offsets, uint32_t i, uint32_t n)
{
    const uint32_t *at = prim_at<const uint32_t>(offsets);
    uint32_t from = at ? prim_load(&at[i]) : 0, to = at && i + 1 < n ? prim_load(&at[i + 1]) : bytes;
    bool is_sound = from < to && to <= bytes;
    return {in + (is_sound ? from : 0), is_sound ? to - from : 0, is_sound};
}

/* ---- What a head tells ------------------------------------------------------------------------ */

/* Whether `count` values of w bits fit into so many bytes. */
PRIM bool word_fits(uint32_t w, uint32_t count, uint32_t bytes) { return w <= 32 && pack_bytes(count * w) <= bytes; }

/* Whether block b can be; one lane. */
PRIM bool word_is_sound(const karg_list &list, uint32_t b)
{
    if (list.codec == KARG_CODEC_RAW || list.codec == KARG_CODEC_BITMAP)
        return true;
    word_bytes in = word_part(list.docs, list.docs_bytes, list.offsets, b, list.n_blocks);
    uint32_t count = word_count(list, b), first = in.is_sound ? pack_word(pack_at(in.at), 0) : 0, w = first & 255;
    if (!in.is_sound)
        return false;
    if (list.codec == KARG_CODEC_BP128)
        return word_fits(w, count, in.n - 1);
    if (list.codec == KARG_CODEC_RICE)
        return w < 32 && word_fits(w, count, in.n - 1);
    if (list.codec == KARG_CODEC_OPTPFD)
        return block_optpfd::shape(first, in.n, count) == (first & 0xFFFFFF);
    if (w == block_ef128::PLAIN)
        return in.n > 1 && word_fits(first >> 8 & 255, count, in.n - 2);
    return w <= block_ef128::ZEROS && (w == block_ef128::ZEROS || word_fits(w, count, in.n - 1));
}

/* What block b must end with; UINT32_MAX: nobody says. */
PRIM uint32_t word_last(const karg_list &list, uint32_t b)
{
    return list.last ? prim_load(prim_at<const uint32_t>(list.last) + b) : UINT32_MAX;
}

/* ---- Codes ------------------------------------------------------------------------------------ */

PRIM block_list word_list(const karg_list &from)
{
    block_list list;
    list.words = prim_at<const uint32_t>(from.docs & ~UINT64_C(3));
    list.phase = (uint32_t)from.docs & 3;
    list.last = prim_at<const uint32_t>(from.last);
    list.offsets = prim_at<const uint32_t>(from.offsets);
    list.first = nullptr;
    list.docs_bytes = from.docs_bytes;
    list.n = from.n;
    list.n_blocks = from.n_blocks;
    return list;
}

PRIM tile_view word_tile(const karg_list &from)
{
    return {from.docs, from.last, from.offsets, 0, from.n, from.n_blocks, from.docs_bytes, 0, from.n_blocks, 0, from.n,
            nullptr};
}

PRIM block_head word_shuffle(const block_head &h, uint32_t lane)
{
    return {prim_shuffle<32>(h.at, lane), prim_shuffle<32>(h.shape, lane), prim_shuffle<32>(h.base, lane),
            prim_shuffle<32>(h.count, lane)};
}
PRIM gaps_head word_shuffle(const gaps_head &h, uint32_t lane)
{
    return {prim_shuffle<32>(h.at, lane), prim_shuffle<32>(h.bytes, lane), prim_shuffle<32>(h.base, lane),
            prim_shuffle<32>(h.shape, lane)};
}

/* This lane's four slots of a block. */
PRIM void word_store(uint32_t *to, const uint32_t *v, uint32_t n)
{
    *(uint4 *)(to + 4 * prim_lane()) = make_uint4(n > 0 ? v[0] : UINT32_MAX, n > 1 ? v[1] : UINT32_MAX,
                                                  n > 2 ? v[2] : UINT32_MAX, n > 3 ? v[3] : UINT32_MAX);
}

/* A code of block.cuh: a lane reads a head; a warp has U of them, and makes docids of all. */
template <class CODE> struct word_rows {
    typedef block_head head;
    static PRIM_MEMBER head read(const karg_list &list, uint32_t b) { return CODE::head(word_list(list), b); }
    template <int U> static PRIM_MEMBER void decode(const karg_list &list, const head (&h)[U], word_room *room)
    {
        block_rows<CODE, 4, 32, U, BLOCK_ANY>(
            word_list(list), h, 0, room->scratch,
            [&](uint32_t i, const block_head &, uint32_t, const uint32_t *v, uint32_t n) {
                word_store(room->docids[i], v, n);
            });
    }
};

/* Bits that are not there leave their slots as they were. */
struct word_bitmap : word_rows<block_bitmap> {
    template <int U> static PRIM_MEMBER void decode(const karg_list &list, const head (&h)[U], word_room *room)
    {
        for (uint32_t i = prim_lane(); i < sizeof room->scratch / 4; i += 32)
            ((uint32_t *)room->scratch)[i] = UINT32_MAX;
        prim_sync_tile();
        word_rows<block_bitmap>::decode<U>(list, h, room);
    }
};

/* A code of gaps.cuh. */
template <class CODE> struct word_gaps {
    typedef gaps_head head;
    static PRIM_MEMBER head read(const karg_list &list, uint32_t b) { return gaps_read<CODE>(word_tile(list), b); }
    template <int U> static PRIM_MEMBER void decode(const karg_list &list, const head (&h)[U], word_room *room)
    {
        typename CODE::room *rooms = (typename CODE::room *)room->scratch;
        CODE blocks[U] = {};
        for (uint32_t i = prim_lane(); i < U * sizeof *rooms / 4; i += 32)
            ((uint32_t *)rooms)[i] = 0;
#pragma unroll
        for (int u = 0; u < U; u++)
            blocks[u].open(list.docs + h[u].at, h[u]);
        prim_sync_tile();
#pragma unroll
        for (int u = 0; u < U; u++)
            blocks[u].place(list.docs + h[u].at, h[u], &rooms[u]);
        prim_sync_tile();
#pragma unroll
        for (int u = 0; u < U; u++) {
            uint32_t v[4], count = gaps_count(h[u].shape);
            blocks[u].docids(list.docs + h[u].at, h[u], &rooms[u], v);
            word_store(room->docids[u], v, gaps_slot() < count ? prim_min(count - gaps_slot(), 4U) : 0);
        }
    }
};

/* ---- One block -------------------------------------------------------------------------------- */

/* Whether the docids of a block are what they must be: by a warp, all lanes alike. */
PRIM bool word_check(const karg_list &list, const uint32_t *docids, uint32_t count, uint32_t last)
{
    if (list.last)
        return docids[count - 1] == last;
    bool rises = true;
    for (uint32_t i = prim_lane(); i + 1 < count; i += 32)
        rises &= docids[i] < docids[i + 1];
    return docids[count - 1] < list.universe && prim_ballot<32>(!rises) == 0;
}

template <class CODE> PRIM bool word_decode_one(const karg_list &list, uint32_t b, word_room *room)
{
    const typename CODE::head h[1] = {CODE::read(list, b)};
    prim_sync_tile();
    CODE::template decode<1>(list, h, room);
    prim_sync_tile();
    return word_check(list, room->docids[0], word_count(list, b), word_last(list, b));
}

/* By a warp: the docids of block b, to the first row. How many; 0: damaged. */
PRIM uint32_t word_block(const karg_list &list, uint32_t b, word_room *room, karg_found *found)
{
    bool is_sound = word_is_sound(list, b); /* of all lanes, or none */
    if (is_sound)
        switch (list.codec) {
        case KARG_CODEC_BP128: is_sound = word_decode_one<word_rows<block_bp128>>(list, b, room); break;
        case KARG_CODEC_EF128: is_sound = word_decode_one<word_rows<block_ef128>>(list, b, room); break;
        case KARG_CODEC_OPTPFD: is_sound = word_decode_one<word_gaps<block_optpfd>>(list, b, room); break;
        case KARG_CODEC_RICE: is_sound = word_decode_one<word_gaps<block_rice>>(list, b, room); break;
        case KARG_CODEC_BITMAP: is_sound = word_decode_one<word_bitmap>(list, b, room); break;
        default: is_sound = word_decode_one<word_rows<block_raw>>(list, b, room);
        }
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? word_count(list, b) : 0;
}

#endif
