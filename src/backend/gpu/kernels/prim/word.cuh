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
    WORD_NEAR = 16,       /* numbers that the steps leave */
    WORD_HINT = 512 / 32, /* words of bits between hints */
};
#define WORD_NONE UINT32_MAX /* no rank */

/* ---- Search ----------------------------------------------------------------------------------- */

/* By a warp, for all its lanes: a place that has all less than x before it, of n numbers, and less than WORD_NEAR of them
 * behind it. 256 probes a step, since what a step costs is its wait: one does for 4 thousand, two for a million. */
PRIM_APART uint32_t word_search(const uint32_t *list, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n; /* it is from these on, and at most that */
    while (to - from >= WORD_NEAR) {
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

/* By one lane: the first number from `from` on, all before it being less, that is at least x; the nearer, the sooner. */
PRIM_APART uint32_t word_gallop(const uint32_t *list, uint32_t from, uint32_t n, uint32_t x)
{
    uint32_t step = 32;
    while (from < n && step < n - from && prim_load(&list[from + step]) < x) {
        from += step;
        step *= 2;
    }
    return search_first(list, prim_min(from, n), prim_min(from + step, n), x);
}

/* Of numbers that lanes have, rising: the first that is at least x; 31 also where none is. */
PRIM uint32_t word_first_lane(uint32_t own, uint32_t x)
{
    uint32_t k = 0;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2)
        k += prim_shuffle<32>(own, k + step - 1) < x ? step : 0;
    return k;
}

/* Of a block in shared memory: the first that is at least x, else the last. */
PRIM uint32_t word_find_slot(const uint32_t *docids, uint32_t x)
{
    uint32_t slot = 0;
#pragma unroll
    for (uint32_t step = KARG_BLOCK / 2; step > 0; step /= 2)
        slot += docids[slot + step - 1] < x ? step : 0;
    return slot;
}

/* ---- Documents -------------------------------------------------------------------------------- */

/* Where a block is, and what it must hold. */
struct word_head {
    uint32_t block; /* n_blocks: none */
    uint32_t base, last;
    word_bytes in;
};

/* By one lane. */
PRIM word_head word_read(const karg_list &list, uint32_t b)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    return {b, b && last ? prim_load(&last[b - 1]) : UINT32_MAX, last ? prim_load(&last[b]) : 0,
            word_part(list.docs_bytes, list.offsets, b, list.n_blocks)};
}

/* By a warp whose lanes ask for rising docids: the block that may have each. The first is found by all, and the next
 * 31, one a lane, mostly hold the others. */
PRIM word_head word_place(const karg_list &list, uint32_t x, bool is_asked)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last), *offsets = prim_at<const uint32_t>(list.offsets);
    uint32_t first = word_search(last, list.n_blocks, prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_asked))));
    uint32_t b = first + prim_lane();
    bool is_in = b < list.n_blocks;
    uint32_t own = is_in ? prim_load(&last[b]) : UINT32_MAX, at = is_in ? prim_load(&offsets[b]) : list.docs_bytes;
    uint32_t before = first ? prim_load(&last[first - 1]) : UINT32_MAX, k = word_first_lane(own, x);
    uint32_t below = prim_shuffle<32>(own, k - 1), from = prim_shuffle<32>(at, k), to = prim_shuffle<32>(at, k + 1);
    word_head h = {first + k, k ? below : before, prim_shuffle<32>(own, k), word_between(from, to, list.docs_bytes)};
    if (k == 31 && first + k < list.n_blocks) {
        uint32_t far = word_gallop(last, first + k, list.n_blocks, x);
        h = far < list.n_blocks ? word_read(list, far) : h;
        h.block = far;
    }
    h.block = is_asked ? prim_min(h.block, list.n_blocks) : list.n_blocks;
    return h;
}

/* The blocks that the lanes' documents may be in, WORD_ROWS at a time, each once. */
PRIM uint32_t word_find_coded(const karg_list &list, uint32_t x, bool is_asked, word_room *room, karg_found *found)
{
    word_head h = list.last ? word_place(list, x, is_asked) : word_read(list, 0);
    uint32_t rank = WORD_NONE;
    bool is_there = is_asked && h.block < list.n_blocks, is_sound = !is_there || h.in.is_sound;
    uint32_t open = prim_ballot<32>(is_there && is_sound);
    if (is_there && list.freq_offsets)
        prim_prefetch(prim_at<const uint32_t>(list.freq_offsets) + h.block);
    while (open) {
        uint32_t chosen = 0, at, u = 0;
        prim_sync_tile();
#pragma unroll 1
        for (; open && u < WORD_ROWS; u++) {
            at = prim_lowest(open);
            chosen |= 1U << at;
            word_stage(list.docs + prim_shuffle<32>(h.in.from, at), prim_shuffle<32>(h.in.n, at), room->bytes[u]);
            uint32_t b = prim_shuffle<32>(h.block, at);
            open &= ~prim_ballot<32>(h.block == b);
        }
        prim_copies_wait();
        prim_sync_tile();
#pragma unroll 1
        for (u = 0; chosen; chosen &= chosen - 1, u++) {
            at = prim_lowest(chosen);
            uint32_t b = prim_shuffle<32>(h.block, at), count = word_count(list, b), last = prim_shuffle<32>(h.last, at);
            const unsigned char *in = word_staged(room->bytes[u], list.docs + prim_shuffle<32>(h.in.from, at));
            bool is_block = word_unpack(list.codec, prim_shuffle<32>(h.base, at), count, prim_shuffle<32>(h.in.n, at), in,
                                        room->docids) &&
                            word_check(list, count, last, room->docids);
            is_sound &= is_block;
            uint32_t slot = is_block && is_asked && h.block == b ? word_find_slot(room->docids, x) : 0;
            if (is_block && is_asked && h.block == b && room->docids[slot] == x)
                rank = b * KARG_BLOCK + slot;
        }
    }
    if (!is_sound)
        prim_atomic_or(&found->damaged, 1);
    return rank;
}

PRIM uint32_t word_find_bits(const karg_word &word, uint32_t x, karg_found *found)
{
    const uint32_t *words = prim_at<const uint32_t>(word.list.docs);
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
    uint32_t first = word_search(docids, list.n, prim_shuffle<32>(x, prim_lowest(prim_ballot<32>(is_asked))));
    uint32_t own = first + prim_lane() < list.n ? prim_load(&docids[first + prim_lane()]) : UINT32_MAX;
    uint32_t k = word_first_lane(own, x), rank = first + k;
    if (k == 31 && rank < list.n)
        rank = word_gallop(docids, rank, list.n, x);
    return is_asked && rank < list.n && prim_load(&docids[rank]) == x ? rank : WORD_NONE;
}

/* By a warp: the rank of each lane's document, if it is asked for and there; some lane asks. */
PRIM uint32_t word_find(const karg_word &word, uint32_t x, bool is_asked, word_room *room, karg_found *found)
{
    if (word.list.codec == KARG_CODEC_BITMAP)
        return is_asked ? word_find_bits(word, x, found) : WORD_NONE;
    return word.list.codec == KARG_CODEC_RAW ? word_find_raw(word.list, x, is_asked)
                                             : word_find_coded(word.list, x, is_asked, room, found);
}

/* ---- Frequencies ------------------------------------------------------------------------------ */

/* Of the posting of that rank, which is below n. */
PRIM uint32_t word_tf(const karg_list &list, uint32_t rank, karg_found *found)
{
    uint32_t frame = rank / KARG_BLOCK, count = word_count(list, frame), i = rank % KARG_BLOCK;
    if (list.freq_code == KARG_CODEC_RAW)
        return prim_load(prim_at<const uint32_t>(list.freqs) + rank);
    word_bytes in = word_part(list.freqs_bytes, list.freq_offsets, frame, prim_div_up(list.n, KARG_BLOCK));
    uint64_t at = list.freqs + in.from;
    if (!in.is_sound)
        prim_atomic_or(&found->damaged, 1);
    return 1 + (list.freq_code == KARG_CODEC_BP128 ? freq_bp128_at(at, in.n, count, i)
                                                   : freq_optpfd_at(at, in.n, count, i));
}

#endif
