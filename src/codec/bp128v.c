/* bp128v.c: the block code bp128v, plain reference: bit packing in four interleaved lanes, the layout
 * of simdcomp and its kin (bp128v.h gives the bytes).
 *
 * Here as the peer that bp128 is measured against; nothing else needs it. Source of the layout: Lemire
 * and Boytsov 2015, "Decoding billions of integers per second through vectorization". */
#include "codec/bp128v.h"

#include <string.h>

#include "codec/codec_table.h"

/* Byte of the word of value i that holds its first bit, in a full block. */
static size_t word_of(uint32_t w, size_t i)
{
    return 4 * (RP_BP128V_LANES * (i / RP_BP128V_LANES * w / 32) + i % RP_BP128V_LANES);
}

static uint32_t start_of(uint32_t w, size_t i)
{
    return (uint32_t)(i / RP_BP128V_LANES * w % 32);
}

size_t rp__bp128v_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out)
{
    if (n != RP_BLOCK)
        return rp__bitpack_encode(options, values, n, out);
    uint32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= values[i];
    uint32_t w = rp__bits_width(any);
    memset(out, 0, 1 + 16 * (size_t)w);
    *out++ = (uint8_t)w;
    for (size_t i = 0; w > 0 && i < n; i++) {
        uint8_t *p = out + word_of(w, i);
        uint64_t bits = (uint64_t)values[i] << start_of(w, i);
        rp__store32(p, rp__load32(p) | (uint32_t)bits);
        if (start_of(w, i) + w > 32)
            rp__store32(p + 16, (uint32_t)(bits >> 32));
    }
    return 1 + 16 * (size_t)w;
}

static uint32_t value_at(const uint8_t *in, uint32_t w, size_t i)
{
    const uint8_t *p = in + word_of(w, i);
    uint64_t bits = rp__load32(p); /* past a block of width 0 too: RP_PAD */
    if (start_of(w, i) + w > 32)
        bits |= (uint64_t)rp__load32(p + 16) << 32;
    return (uint32_t)(bits >> start_of(w, i) & ((1ULL << w) - 1));
}

rp_status rp__bp128v_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_decode(in, in_bytes, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        out[i] = value_at(in + 1, w, i);
    return RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    if (rp__bp128v_decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    uint64_t next = (uint32_t)(base + 1); /* the least docid that may follow; n * 2^32 fits */
    for (size_t i = 0; i < n; i++) {
        next += out[i];
        out[i] = (uint32_t)next++;
    }
    return next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
}

rp_status rp__bp128v_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_at(in, in_bytes, n, i, out);
    if (i >= n || rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    *out = value_at(in + 1, w, i);
    return RP_OK;
}

const rp__block_code rp__bp128v_code = {
    .name = "bp128v",
    .needs = 0,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128v_encode,
    .decode = rp__bp128v_decode,
    .decode_docids = decode_docids,
    .at = rp__bp128v_at,
};
