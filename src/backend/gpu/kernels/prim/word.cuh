/* word.cuh: a word's list by a warp: a block of it, where documents stand in it, how often the word is in them.
 *
 * The record is the host's, and sound; what it points to is not. Offsets are held within the payload, ranks within
 * the list, docids are any numbers. Bytes that cannot be set the query's `damaged`. */
#ifndef RP_KERNELS_WORD_CUH
#define RP_KERNELS_WORD_CUH

#include "backend/gpu/kernels/prim/freq_bp128.cuh"
#include "backend/gpu/kernels/prim/freq_optpfd.cuh"
#include "backend/gpu/kernels/prim/scan.cuh"

enum {
    WORD_FAR = 64,         /* blocks between entries of last_far */
    WORD_HINT = 512 / 32,  /* words of bits between hints */
    WORD_EACH = KARG_BLOCK / 32,
};
#define WORD_NONE UINT32_MAX /* no rank */

PRIM uint32_t word_count(const karg_list &list, uint32_t b)
{
    return prim_min(list.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
}

/* The first of the docids from `lo` on, and before `hi`, that is at least x, else hi. */
PRIM uint32_t word_search(const uint32_t *docids, uint32_t lo, uint32_t hi, uint32_t x)
{
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (docids[middle] < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* ---- Blocks ----------------------------------------------------------------------------------- */

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

PRIM bool word_block_bp128(const karg_list &list, uint32_t b, uint32_t *out)
{
    uint32_t count = word_count(list, b), v[WORD_EACH], sum = 0;
    uint32_t base = b ? prim_load(prim_at<const uint32_t>(list.last) + b - 1) : UINT32_MAX;
    word_bytes in = word_part(list.docs, list.docs_bytes, list.offsets, b, list.n_blocks);
    uint32_t w = in.is_sound ? prim_load(prim_at<const uint8_t>(in.at)) : 0;
    bool is_sound = in.is_sound && w <= 32 && 1 + pack_bytes(count * w) <= in.n;
    pack_bits bits = pack_at(in.at + 1);
#pragma unroll
    for (uint32_t k = 0; k < WORD_EACH; k++) {
        uint32_t i = prim_lane() * WORD_EACH + k;
        v[k] = sum += is_sound && i < count ? pack_one(bits, i * w, w) + 1 : 0;
    }
    uint32_t before = base + scan_add<32>(sum) - sum;
#pragma unroll
    for (uint32_t k = 0; k < WORD_EACH; k++)
        out[prim_lane() * WORD_EACH + k] = before + v[k];
    uint32_t last = prim_shuffle<32>(before + sum, 31);
    return is_sound && (!list.last || last == prim_load(prim_at<const uint32_t>(list.last) + b));
}

/* From the bit after the block before on: as many as the block has. */
PRIM bool word_block_bits(const karg_word &word, uint32_t b, uint32_t *out)
{
    const uint32_t *words = prim_at<const uint32_t>(word.list.docs);
    uint32_t count = word_count(word.list, b), n = 0;
    uint32_t from = b ? prim_load(prim_at<const uint32_t>(word.list.last) + b - 1) + 1 : word.base;
    uint32_t bit = from > word.base ? from - word.base : 0;
    for (uint32_t w = bit / 32; w < word.n_words && n < count; w += 32) {
        uint32_t at = w + prim_lane(), set = at < word.n_words ? prim_load(&words[at]) : 0;
        set &= at == bit / 32 ? ~prim_mask(bit % 32) : ~0U;
        uint32_t up_to = scan_add<32>(prim_count(set)), slot = n + up_to - prim_count(set);
        for (; set && slot < count; set &= set - 1)
            out[slot++] = word.base + 32 * at + prim_lowest(set);
        n += prim_shuffle<32>(up_to, 31);
    }
    return n >= count;
}

PRIM bool word_block_raw(const karg_list &list, uint32_t b, uint32_t *out)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs) + (uint64_t)b * KARG_BLOCK;
    for (uint32_t i = prim_lane(); i < word_count(list, b); i += 32)
        out[i] = prim_load(&docids[i]);
    return true;
}

/* By a warp: the docids of block b, to shared memory with room for a block. How many; 0: damaged. */
PRIM uint32_t word_block(const karg_word &word, uint32_t b, uint32_t *out, karg_found *found)
{
    prim_sync_tile();
    bool is_sound = word.list.codec == KARG_CODEC_BP128    ? word_block_bp128(word.list, b, out)
                    : word.list.codec == KARG_CODEC_BITMAP ? word_block_bits(word, b, out)
                                                           : word_block_raw(word.list, b, out);
    prim_sync_tile();
    if (!is_sound && prim_lane() == 0)
        prim_atomic_or(&found->damaged, 1);
    return is_sound ? word_count(word.list, b) : 0;
}

/* ---- Documents -------------------------------------------------------------------------------- */

/* The block that may hold x, else n_blocks. */
PRIM uint32_t word_block_of(const karg_list &list, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last), *far = prim_at<const uint32_t>(list.last_far);
    if (!last)
        return 0;
    uint32_t from = word_search(far, 0, prim_div_up(list.n_blocks, WORD_FAR), x) * WORD_FAR;
    return word_search(last, prim_min(from, list.n_blocks), prim_min(from + WORD_FAR, list.n_blocks), x);
}

/* The blocks that the lanes' documents may be in, one after the other, each once. */
PRIM uint32_t word_find_bp128(const karg_word &word, uint32_t x, bool is_asked, uint32_t *room, karg_found *found)
{
    uint32_t block = is_asked ? word_block_of(word.list, x) : word.list.n_blocks, rank = WORD_NONE;
    uint32_t open = prim_ballot<32>(block < word.list.n_blocks);
    while (open) {
        uint32_t b = prim_shuffle<32>(block, prim_lowest(open)), n = word_block(word, b, room, found);
        if (block == b) {
            uint32_t slot = word_search(room, 0, n, x);
            rank = slot < n && room[slot] == x ? b * KARG_BLOCK + slot : WORD_NONE;
        }
        open &= ~prim_ballot<32>(block == b);
    }
    return rank;
}

PRIM uint32_t word_find_bits(const karg_word &word, uint32_t x, karg_found *found)
{
    const uint32_t *words = prim_at<const uint32_t>(word.list.docs), bit = x - word.base, at = bit / 32;
    if (x < word.base || at >= word.n_words)
        return WORD_NONE;
    uint32_t here = prim_load(&words[at]);
    if (!(here >> bit % 32 & 1))
        return WORD_NONE;
    uint32_t rank = prim_load(prim_at<const uint32_t>(word.hints) + at / WORD_HINT);
    const uint32_t *from = words + at / WORD_HINT * WORD_HINT;
#pragma unroll
    for (uint32_t w = 0; w + 1 < WORD_HINT; w++) /* all on their way at once */
        rank += w < at % WORD_HINT ? prim_count(prim_load(&from[w])) : 0;
    rank += prim_count(here & prim_mask(bit % 32));
    if (rank < word.list.n)
        return rank;
    prim_atomic_or(&found->damaged, 1);
    return WORD_NONE;
}

PRIM uint32_t word_find_raw(const karg_list &list, uint32_t x)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs);
    uint32_t rank = word_search(docids, 0, list.n, x);
    return rank < list.n && prim_load(&docids[rank]) == x ? rank : WORD_NONE;
}

/* By a warp: the rank of each lane's document, if it is asked for and there. `room`: shared, for a block. */
PRIM uint32_t word_find(const karg_word &word, uint32_t x, bool is_asked, uint32_t *room, karg_found *found)
{
    if (word.list.codec == KARG_CODEC_BP128)
        return word_find_bp128(word, x, is_asked, room, found);
    if (!is_asked)
        return WORD_NONE;
    return word.list.codec == KARG_CODEC_BITMAP ? word_find_bits(word, x, found) : word_find_raw(word.list, x);
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
