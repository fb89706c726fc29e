/* probe_place_avx512.c: the blocks that may hold the docids of a batch, with AVX-512: sixteen docids at a time
 * are sought in 32 entries of the directory of last docids. */
#include "backend/cpu/probe_place_avx512.h"

#include <string.h>

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_lanes_avx512.h"

/* Last docids of 32 blocks from b on; RP_NO_DOC past the last block. */
static inline rp__lanes_slots load_last(const rp__list *list, uint32_t b)
{
    const __m512i none = _mm512_set1_epi32(-1);
    uint32_t left = list->n_blocks - b, right = left < RP_LANES ? 0 : left - RP_LANES;
    rp__lanes_slots in;
    in.low = _mm512_mask_loadu_epi32(none, rp__lanes_mask(left), list->last + b);
    in.high = _mm512_mask_loadu_epi32(none, rp__lanes_mask(right), list->last + b + RP_LANES);
    in.middle = _mm512_permutexvar_epi32(_mm512_set1_epi32(RP_LANES - 1), in.low);
    return in;
}

/* Whether the blocks from b on that are looked at together reach that docid. */
static inline bool do_reach(const rp__list *list, uint32_t b, uint32_t docid)
{
    return list->n_blocks - b <= RP_SLOTS || list->last[b + RP_SLOTS - 1] >= docid;
}

static void place(const rp__list *list, uint32_t from, const uint32_t *docids, uint32_t n,
                  uint32_t *blocks)
{
    for (uint32_t i = 0, b = from; i < n; i += RP_LANES) {
        const uint32_t left = n - i, last = docids[(left < RP_LANES ? n : i + RP_LANES) - 1];
        const __m512i v = _mm512_maskz_loadu_epi32(rp__lanes_mask(left), docids + i);
        if (!do_reach(list, b, docids[i]))
            b = rp__probe_block_seek(list, b + RP_SLOTS, docids[i]);
        __m512i at, sum = _mm512_set1_epi32((int)b);
        for (;; b += RP_SLOTS) {
            __m512i below = rp__lanes_find(v, load_last(list, b), &at);
            __mmask16 are_all = _mm512_cmplt_epu32_mask(at, v);
            sum = _mm512_add_epi32(sum, below);
            sum = _mm512_mask_add_epi32(sum, are_all, sum, _mm512_set1_epi32(1));
            if (do_reach(list, b, last))
                break;
        }
        _mm512_storeu_si512(blocks + i, sum);
    }
}

/* Asks for the bytes of blocks, where most are passed over. */
static void prefetch(const rp__list *list, const uint32_t *blocks, uint32_t n)
{
    enum { LINE = 64 };
    if (!rp__list_has_offsets(list) || blocks[n - 1] - blocks[0] < n)
        return;
    for (uint32_t i = 0; i < n && blocks[i] < list->n_blocks; i++) {
        const uint8_t *at =
            list->docs + rp__list_offset(list, blocks[i]); /* of damaged bytes, anywhere */
        __builtin_prefetch(at);
        __builtin_prefetch(at + LINE);
    }
}

uint32_t rp__probe_place_avx512(const rp__list *list, uint32_t from, const uint32_t *docids,
                                uint32_t n, uint32_t *blocks)
{
    if (list->last)
        place(list, from, docids, n, blocks);
    else
        memset(blocks, 0, n * sizeof *blocks);
    prefetch(list, blocks, n);
    return blocks[n - 1];
}
