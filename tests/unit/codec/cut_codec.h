/* cut_codec.h: a docid codec for the tests that cuts blocks of any length, as a dynamic partition
 * does, out of the block adapter and bp128. */
#ifndef RP_TESTS_CUT_CODEC_H
#define RP_TESTS_CUT_CODEC_H

#include "codec/codec_table.h"
#include "list_case.h"

enum { CUT_MOST_BLOCKS = 8 };

/* Blocks of 16 to RP_BLOCK_MAX, by what the docids happen to be. */
static size_t cut_unevenly(const rp__codec *codec, const rp__encoding *e, uint32_t *ends)
{
    (void)codec;
    const uint32_t *docids = e->docids;
    size_t n = e->n;
    size_t n_blocks = 0;
    for (size_t at = 0; at < n;) {
        size_t count = 16 + docids[at] * 2654435761U % (RP_BLOCK_MAX - 15);
        at = n - at < count ? n : at + count;
        ends[n_blocks++] = (uint32_t)at;
    }
    return n_blocks;
}

static size_t cut_bound(const rp__codec *codec, size_t n)
{
    return (n / 16 + 1) + codec->code->bound(n);
}

static inline rp__codec cut_codec(uint32_t features)
{
    const rp__block_code *code = rp__block_code_find("bp128", features);
    return (rp__codec){.id = 200,
                       .name = "cut",
                       .needs = code->needs,
                       .code = code,
                       .freqs = code,
                       .has_offsets = true,
                       .max_blocks_per_128 = CUT_MOST_BLOCKS,
                       .bound = cut_bound,
                       .cut = cut_unevenly,
                       .encode = rp__blocks_encode,
                       .block = rp__blocks_block};
}

#endif
