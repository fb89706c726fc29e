/* bp128d4.c: the docid codec bp128d4, plain reference: bit packing of differences of stride four,
 * for lists that are read as a whole (bp128d4.h gives the bytes).
 *
 * Source of the stride: Lemire, Boytsov and Kurz 2016, "SIMD compression and the intersection of
 * sorted integers". The rows with SIMD decode the same bytes and encode by this file. */
#include "codec/bp128d4.h"

#include "codec/codec_table.h"

size_t rp__bp128d4_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    size_t rest = n % RP_BLOCK;
    return n / RP_BLOCK * rp__bitpack_bound(RP_BLOCK) + (rest ? rp__bitpack_bound(rest) : 0);
}

/* What a full block has of docids above base, and another. */
static void put_values(const uint32_t *docids, size_t n, uint32_t base, uint32_t *values)
{
    uint32_t before[RP_BP128D4_STRIDE] = {base - 3, base - 2, base - 1, base};
    for (size_t i = 0; i < n; i++) {
        uint32_t *from = &before[n == RP_BLOCK ? i % RP_BP128D4_STRIDE : RP_BP128D4_STRIDE - 1];
        values[i] = docids[i] - *from - (n == RP_BLOCK ? 0 : 1);
        *from = docids[i];
    }
}

rp_status rp__bp128d4_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    uint32_t values[RP_BLOCK];
    size_t i = 0, at = 0;
    for (size_t b = 0; b < e->n_blocks; i = e->ends[b++]) {
        size_t n = e->ends[b] - i;
        if (at > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)at;
        put_values(e->docids + i, n, i ? e->docids[i - 1] : UINT32_MAX, values);
        at += rp__bitpack_encode(e->options, values, n, e->out + at);
    }
    e->used = at;
    return RP_OK;
}

rp_status rp__bp128d4_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                             size_t n)
{
    if (n != RP_BLOCK)
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    /* each four more than it is, since the first may be above 2^32 - 4; 32 * 2^32 fits */
    uint64_t before[RP_BP128D4_STRIDE], above = (uint32_t)(base + 1);
    bool rises = true;
    for (size_t k = 0; k < RP_BP128D4_STRIDE; k++)
        before[k] = above + k;
    for (size_t i = 0; i < n; i++) {
        uint64_t docid = before[i % RP_BP128D4_STRIDE] += out[i];
        rises &= docid >= above + RP_BP128D4_STRIDE;
        above = docid + 1 - RP_BP128D4_STRIDE;
        out[i] = (uint32_t)(docid - RP_BP128D4_STRIDE);
    }
    return rises && above <= 1ULL << 32 ? RP_OK : RP_DAMAGED;
}

rp_status rp__bp128d4_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__blocks_block_by(list, b, out, rp__bp128d4_docids);
}

rp_status rp__bp128d4_decode(const rp__list *list, uint32_t *out)
{
    return rp__blocks_decode_by(list, out, rp__bp128d4_docids);
}
