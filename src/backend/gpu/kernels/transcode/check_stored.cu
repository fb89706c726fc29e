/* check_stored.cu: whether lists that kernels of queries read as they are stored are lists that the
 * CPU would decode, and to the same values. Those kernels look at a few blocks, and make something
 * of any frequencies.
 * Owns:   a warp a block of a list with its frame of frequencies, a lane four postings.
 * Moves:  docids and frequencies as they lie in the index, and their directories, once; writes only
 *         where they are damaged. Shared: KARG_SHARED_CHECK bytes a warp.
 * Limits: codecs of karg_term, any bytes; KARG_CHECK_LISTS lists. Bounds of scores are not looked
 *         at, nor positions. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Shared memory of a warp. */
struct alignas(16) check_scratch {
    uint32_t docids[KARG_BLOCK], values[KARG_BLOCK];
    karg_found found;
};
static_assert(sizeof(check_scratch) == KARG_SHARED_CHECK, "as launches have it");

/* One thread: bytes of a block of docids. Raw docids and bits the host has measured. */
PRIM bool check_docs(uint32_t codec, const sound_bytes &in)
{
    switch (codec) {
    case KARG_CODEC_BP128:
        return bp128_is_sound(in);
    case KARG_CODEC_OPTPFD:
        return optpfd_is_sound(in);
    case KARG_CODEC_RICE:
        return rice_is_sound(in);
    case KARG_CODEC_EF128:
        return ef128_is_sound(in);
    default:
        return true;
    }
}

/* A warp: docids of block b rise from the one before it on, and end as both directories say. */
PRIM bool check_docids(const karg_list &list, uint32_t b, uint32_t count, const uint32_t *docids)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last),
                   *far = prim_at<const uint32_t>(list.last_far);
    uint32_t base = b && last ? prim_load(&last[b - 1]) : UINT32_MAX, end = docids[count - 1];
    bool is_sound = end < list.universe && (!last || end == prim_load(&last[b]));
    if (far && (b % 64 == 63 || b + 1 == list.n_blocks))
        is_sound &= prim_load(&far[b / 64]) == end;
    for (uint32_t i = prim_lane(); i < count; i += 32)
        is_sound &= docids[i] + 1 > (i ? docids[i - 1] : base) + 1;
    return is_sound;
}

/* A warp: hints within the docids of block b are ranks. */
PRIM bool check_hints(const karg_term &term, uint32_t b, uint32_t count, const uint32_t *docids)
{
    const uint32_t *hints = prim_at<const uint32_t>(term.hints);
    const uint32_t *last = prim_at<const uint32_t>(term.list.last);
    uint32_t from = b && last ? prim_load(&last[b - 1]) + 1 - term.base : 0,
             to = docids[count - 1] - term.base;
    bool is_sound = true;
    for (uint32_t i = prim_div_up(from, 512) + prim_lane(); i <= to / 512; i += 32) {
        uint32_t rank = 0;
        while (rank < count && docids[rank] - term.base < 512 * i)
            rank++;
        is_sound &= prim_load(&hints[i]) == b * KARG_BLOCK + rank;
    }
    return is_sound;
}

/* A warp: no bit is behind the last docid. */
PRIM bool check_rest(const karg_term &term, uint32_t last)
{
    const uint32_t *words = prim_at<const uint32_t>(term.list.docs);
    const uint32_t bit = last + 1 - term.base;
    bool is_sound = true;
    for (uint32_t w = bit / 32 + prim_lane(); w < term.n_words; w += 32)
        is_sound &= (prim_load(&words[w]) & (w == bit / 32 ? ~prim_mask(bit % 32) : ~0U)) == 0;
    return is_sound;
}

/* A warp: frequencies of block b. The largest number is none, since it stands for one more. */
PRIM bool check_freqs(const karg_list &list, uint32_t count, const term_bytes &frame,
                      uint32_t *scratch)
{
    const uint64_t at = list.freqs + frame.from;
    const sound_bytes in = {at, frame.n, count};
    uint32_t v[4];
    bool is_sound = frame.is_sound && (list.freq_code == KARG_CODEC_BP128  ? bp128_is_sound(in)
                                       : list.freq_code == KARG_CODE_EFSUM ? efsum_is_sound(in)
                                                                           : optpfd_is_sound(in));
    term_frame_four(list.freq_code, at, frame.n, count, scratch, v);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        is_sound &= 4 * prim_lane() + e >= count || v[e] != UINT32_MAX;
    return is_sound;
}

/* A warp: some lane returns false where it is damaged. Of some blocks of a list those that are not
 * there have no bytes. */
PRIM bool check_block(const karg_term &term, uint32_t b, bool is_partial, check_scratch *scratch)
{
    const karg_list &list = term.list;
    const bool has_bytes = list.codec != KARG_CODEC_RAW && list.codec != KARG_CODEC_BITMAP;
    const uint32_t count = term_count(list, b);
    const uint32_t frames = prim_div_up(list.n, KARG_BLOCK);
    const term_bytes in = term_part(list.docs_bytes, list.offsets, b, list.n_blocks);
    term_bytes frame = {0, 0, true};
    if (list.freq_code)
        frame = term_part(list.freqs_bytes, list.freq_offsets, b, frames);
    if (is_partial && in.n == 0 && frame.n == 0)
        return true;
    if (has_bytes && !(in.is_sound && check_docs(list.codec, {list.docs + in.from, in.n, count})))
        return false;
    if (prim_lane() == 0)
        scratch->found.damaged = 0;
    if (term_block<true>(term, b, scratch->docids, &scratch->found) != count)
        return false;
    bool is_sound = check_docids(list, b, count, scratch->docids);
    if (list.codec == KARG_CODEC_BITMAP) {
        const bool has_rest = b + 1 == list.n_blocks;
        is_sound &= check_hints(term, b, count, scratch->docids);
        is_sound &= !has_rest || check_rest(term, scratch->docids[count - 1]);
    }
    if (list.freq_code)
        is_sound &= check_freqs(list, count, frame, scratch->values);
    return is_sound;
}

RP_KERNEL(check_stored_kernel, karg_check)
{
    const uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    uint32_t i = 0;
    if (number >= a.n_blocks)
        return;
    while (i + 1 < a.n_lists && a.terms[i + 1].before <= number)
        i++;
    check_scratch *scratch = (check_scratch *)prim_shared() + prim_warp();
    if (!check_block(a.terms[i], number - a.terms[i].before, a.partial >> i & 1, scratch))
        *(prim_at<uint32_t>(a.damaged) + i) = 1;
}
