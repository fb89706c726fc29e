/* blocks.c: the adapter that makes a docid codec of a block code: each block of the list becomes
 * the gaps less one from the last docid of the block before, coded by itself, one after the
 * other.
 *
 * Knows no code by name (the row's `code` says which) and not where blocks end (list.c, or the
 * row's `cut`). The directory that finds a block again is list.c's. */
#include "codec/codec_table.h"
#include "codec/list.h"

size_t rp__blocks_bound(const rp__codec *codec, size_t n)
{
    size_t full = n / RP_BLOCK, rest = n % RP_BLOCK, block = codec->code->bound(RP_BLOCK);
    if (codec->segment) {
        size_t segments = RP_BLOCK / codec->segment * codec->code->bound(codec->segment);
        return (full + 1) * (segments > block ? segments : block);
    }
    return full * block + (rest ? codec->code->bound(rest) : 0);
}

size_t rp__blocks_cut_largest(const rp__codec *codec, const rp__encoding *e, uint32_t *ends)
{
    (void)codec;
    size_t n_blocks = 0;
    for (size_t at = 0; at < e->n;) {
        at = e->n - at < RP_BLOCK_MAX ? e->n : at + RP_BLOCK_MAX;
        ends[n_blocks++] = (uint32_t)at;
    }
    return n_blocks;
}

/* Gaps less one of n docids, of which the first follows docids[-1], or, where is_first, none. Sixteen
 * at a time, for compilers that make SIMD only of a count they know. */
static void put_gaps(const uint32_t *docids, size_t n, bool is_first, uint32_t *restrict gaps)
{
    size_t i = 0;
    if (is_first)
        gaps[i++] = docids[0];
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            gaps[i + k] = docids[i + k] - docids[i + k - 1] - 1;
    for (; i < n; i++)
        gaps[i] = docids[i] - docids[i - 1] - 1;
}

rp_status rp__blocks_encode(const rp__codec *codec, rp__encoding *e)
{
    uint32_t gaps[RP_BLOCK_MAX];
    size_t i = 0, at = 0;
    for (size_t b = 0; b < e->n_blocks; i = e->ends[b++]) {
        if (at > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)at;
        put_gaps(e->docids + i, e->ends[b] - i, i == 0, gaps);
        at += codec->code->encode(e->options, gaps, e->ends[b] - i, e->out + at);
    }
    e->used = at;
    return RP_OK;
}

/* Block b, of count docids above base. */
static inline rp_status decode_block(const rp__list *list, uint32_t b, uint32_t base, uint32_t *out,
                                     uint32_t count)
{
    const uint8_t *in;
    size_t in_bytes;
    if (rp__list_bytes(list, b, &in, &in_bytes))
        return RP_DAMAGED;
    return list->codec->code->decode_docids(in, in_bytes, base, out, count);
}

rp_status rp__blocks_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    uint32_t base = b ? list->last[b - 1] : UINT32_MAX;
    return decode_block(list, b, base, out, rp__list_count(list, b));
}

rp_status rp__blocks_decode(const rp__list *list, uint32_t *out)
{
    uint32_t base = UINT32_MAX;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        uint32_t count = rp__list_count(list, b);
        if (count == 0 || decode_block(list, b, base, out, count))
            return RP_DAMAGED;
        out += count;
        base = out[-1];
        if (list->last && base != list->last[b])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}
