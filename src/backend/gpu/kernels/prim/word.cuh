/* word.cuh: a word's list by a warp: where documents stand in it, how often the word is in them.
 *
 * Offsets are held within the payload, ranks within the list, docids are any numbers. Bytes that cannot be set the
 * query's `damaged`. */
#ifndef RP_KERNELS_WORD_CUH
#define RP_KERNELS_WORD_CUH

#include "backend/gpu/kernels/prim/freq_bp128.cuh"
#include "backend/gpu/kernels/prim/search.cuh"
#include "backend/gpu/kernels/prim/word_block.cuh"

enum {
    WORD_PROBES = 8,      /* a lane, of a step of a search by a warp */
    WORD_HINT = 512 / 32, /* words of bits between hints */
};
#define WORD_NONE UINT32_MAX /* no rank */

/* ---- Search ----------------------------------------------------------------------------------- */

/* By a warp, for all its lanes: the first of n numbers that is at least x, else n. 256 probes a step: two steps do for
 * 66 thousand, and what a step costs is its wait. */
PRIM uint32_t word_search(const uint32_t *list, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n; /* it is from these on, and at most that */
    while (from < to) {
        uint32_t step = prim_div_up(to - from + 1, 32 * WORD_PROBES + 1), below = 0, at[WORD_PROBES];
#pragma unroll
        for (uint32_t p = 0; p < WORD_PROBES; p++) {
            uint32_t probe = from + (p * 32 + prim_lane() + 1) * step - 1;
            at[p] = probe < to ? prim_load(&list[probe]) : UINT32_MAX;
        }
#pragma unroll
        for (uint32_t p = 0; p < WORD_PROBES; p++)
            below += prim_count(prim_ballot<32>(at[p] < x));
        from += below * step;
        to = prim_min(to, from + step - 1);
    }
    return prim_min(from, n);
}

/* By one lane: the same from `from` on, all before it being less; the nearer, the sooner. */
PRIM uint32_t word_gallop(const uint32_t *list, uint32_t from, uint32_t n, uint32_t x)
{
    uint32_t step = 32;
    while (from < n && step < n - from && prim_load(&list[from + step]) < x) {
        from += step;
        step *= 2;
    }
    return search_first(list, prim_min(from, n), prim_min(from + step, n), x);
}

/* By a warp whose lanes ask for rising numbers: where each stands. The first is found by all, and the next 32, one a
 * lane, mostly hold the others. */
PRIM uint32_t word_place(const uint32_t *list, uint32_t n, uint32_t x, bool is_asked)
{
    uint32_t first = word_search(list, n, prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_asked)))), k = 0;
    uint32_t own = first + prim_lane() < n ? prim_load(&list[first + prim_lane()]) : UINT32_MAX;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2)
        k += prim_shuffle<32>(own, k + step - 1) < x ? step : 0;
    bool is_near = prim_shuffle<32>(own, k) >= x;
    if (!is_asked)
        return n;
    return prim_min(is_near ? first + k : word_gallop(list, prim_min(first + 32, n), n, x), n);
}

/* Of a block in shared memory: the first that is at least x, else the last. */
PRIM uint32_t word_slot(const uint32_t *docids, uint32_t x)
{
    uint32_t slot = 0;
#pragma unroll
    for (uint32_t step = KARG_BLOCK / 2; step > 0; step /= 2)
        slot += docids[slot + step - 1] < x ? step : 0;
    return slot;
}

/* ---- Documents -------------------------------------------------------------------------------- */

/* The blocks that the lanes' documents may be in, WORD_ROWS at a time, each once. */
template <class CODE>
PRIM uint32_t word_find_in(const karg_list &list, uint32_t x, bool is_asked, word_room *room, karg_found *found)
{
    uint32_t block = is_asked ? 0 : list.n_blocks, rank = WORD_NONE;
    if (list.last)
        block = word_place(prim_at<const uint32_t>(list.last), list.n_blocks, x, is_asked);
    bool is_there = block < list.n_blocks, is_sound = !is_there || word_is_sound(list, block);
    typename CODE::head mine = {};
    uint32_t last = 0;
    if (is_there && is_sound) {
        mine = CODE::read(list, block);
        last = word_last(list, block);
    }
    uint32_t open = prim_ballot<32>(is_there && is_sound);
    while (open) {
        typename CODE::head heads[WORD_ROWS];
        uint32_t at[WORD_ROWS], b[WORD_ROWS];
#pragma unroll
        for (uint32_t u = 0; u < WORD_ROWS; u++) { /* the last again, where there are no more */
            at[u] = open || u == 0 ? prim_lowest(open) : at[u > 0 ? u - 1 : 0];
            b[u] = prim_shuffle<32>(block, at[u]);
            heads[u] = word_shuffle(mine, at[u]);
            open &= ~prim_ballot<32>(block == b[u]);
        }
        prim_sync_tile();
        CODE::template decode<WORD_ROWS>(list, heads, room);
        prim_sync_tile();
#pragma unroll
        for (uint32_t u = 0; u < WORD_ROWS; u++) {
            is_sound &= word_check(list, room->docids[u], word_count(list, b[u]), prim_shuffle<32>(last, at[u]));
            uint32_t slot = word_slot(room->docids[u], x);
            if (block == b[u] && room->docids[u][slot] == x)
                rank = b[u] * KARG_BLOCK + slot;
        }
    }
    if (!is_sound)
        prim_atomic_or(&found->damaged, 1);
    return rank;
}

PRIM uint32_t word_find_bits(const karg_word &word, uint32_t x, karg_found *found)
{
    const uint32_t *words = prim_at<const uint32_t>(word.list.docs) + block_bitmap::HEAD;
    uint32_t bit = x - word.base, at = bit / 32;
    if (x < word.base || at >= word.n_words)
        return WORD_NONE;
    uint32_t here = prim_load(&words[at]);
    if (!(here >> bit % 32 & 1))
        return WORD_NONE;
    uint32_t rank = prim_load(prim_at<const uint32_t>(word.hints) + at / WORD_HINT);
#pragma unroll
    for (uint32_t w = 0; w < WORD_HINT - 1; w++)
        rank += w < at % WORD_HINT ? prim_count(prim_load(&words[at / WORD_HINT * WORD_HINT + w])) : 0;
    rank += prim_count(here & prim_mask(bit % 32));
    if (rank < word.list.n)
        return rank;
    prim_atomic_or(&found->damaged, 1);
    return WORD_NONE;
}

PRIM uint32_t word_find_raw(const karg_list &list, uint32_t x, bool is_asked)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs);
    uint32_t rank = word_place(docids, list.n, x, is_asked);
    return rank < list.n && prim_load(&docids[rank]) == x ? rank : WORD_NONE;
}

/* By a warp: the rank of each lane's document, if it is asked for and there; some lane asks. */
PRIM uint32_t word_find(const karg_word &word, uint32_t x, bool is_asked, word_room *room, karg_found *found)
{
    switch (word.list.codec) {
    case KARG_CODEC_BP128: return word_find_in<word_rows<block_bp128>>(word.list, x, is_asked, room, found);
    case KARG_CODEC_EF128: return word_find_in<word_rows<block_ef128>>(word.list, x, is_asked, room, found);
    case KARG_CODEC_OPTPFD: return word_find_in<word_gaps<block_optpfd>>(word.list, x, is_asked, room, found);
    case KARG_CODEC_RICE: return word_find_in<word_gaps<block_rice>>(word.list, x, is_asked, room, found);
    case KARG_CODEC_BITMAP: return is_asked ? word_find_bits(word, x, found) : WORD_NONE;
    default: return word_find_raw(word.list, x, is_asked);
    }
}

/* ---- Frequencies ------------------------------------------------------------------------------ */

/* Of the posting of that rank, which is below n. */
PRIM uint32_t word_tf(const karg_list &list, uint32_t rank, karg_found *found)
{
    uint32_t frame = rank / KARG_BLOCK, count = word_count(list, frame), i = rank % KARG_BLOCK;
    if (list.freq_code == KARG_CODEC_RAW)
        return prim_load(prim_at<const uint32_t>(list.freqs) + rank);
    word_bytes in = word_part(list.freqs, list.freqs_bytes, list.freq_offsets, frame,
                              prim_div_up(list.n, KARG_BLOCK));
    if (!in.is_sound)
        prim_atomic_or(&found->damaged, 1);
    return 1 + (list.freq_code == KARG_CODEC_BP128 ? freq_bp128_at(in.at, in.n, count, i)
                                                   : freq_optpfd_at(in.at, in.n, count, i));
}

#endif
