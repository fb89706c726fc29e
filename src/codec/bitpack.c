/* bitpack.c: the block code bp128, plain reference: every value of a block in as many bits as the
 * largest needs, in order (bitpack.h gives the bytes).
 *
 * Does not cut lists into blocks (blocks.c). The rows with SIMD encode to the same bytes. */
#include "codec/bitpack.h"

#include "codec/codec_table.h"

size_t rp__bitpack_bound(size_t n)
{
    return 1 + n * sizeof(uint32_t);
}

static uint32_t width_of(const uint32_t *values, size_t n)
{
    uint32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= values[i];
    return rp__bits_width(any);
}

size_t rp__bitpack_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                          uint8_t *out)
{
    (void)options;
    uint32_t w = width_of(values, n), held = 0; /* bits held in `word`, under 32 between values */
    uint64_t word = 0;
    uint8_t *p = out;
    *p++ = (uint8_t)w;
    for (size_t i = 0; i < n; i++) {
        word |= (uint64_t)values[i] << held;
        held += w;
        if (held >= 32) {
            rp__store32(p, (uint32_t)word);
            p += 4;
            word >>= 32;
            held -= 32;
        }
    }
    for (; held > 0; held = held > 8 ? held - 8 : 0) {
        *p++ = (uint8_t)word;
        word >>= 8;
    }
    return (size_t)(p - out);
}

static uint32_t value_at(const uint8_t *bits, uint32_t w, size_t i)
{
    size_t bit = i * w;
    uint64_t mask = (1ULL << w) - 1;
    return (uint32_t)(rp__load64(bits + bit / 8) >> (bit % 8) & mask);
}

rp_status rp__bitpack_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        out[i] = value_at(in + 1, w, i);
    return RP_OK;
}

rp_status rp__bitpack_slice(const uint8_t *in, size_t in_bytes, size_t i, size_t n, uint32_t base,
                            uint32_t *out)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, i + n, &w))
        return RP_DAMAGED;
    uint64_t next = (uint32_t)(base + 1); /* the least docid that may follow; n * 2^32 fits */
    for (size_t k = 0; k < n; k++) {
        next += value_at(in + 1, w, i + k);
        out[k] = (uint32_t)next++;
    }
    return next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
}

rp_status rp__bitpack_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,
                                    uint32_t *out, size_t n)
{
    return rp__bitpack_slice(in, in_bytes, 0, n, base, out);
}

rp_status rp__bitpack_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    uint32_t w;
    if (i >= n || rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    *out = value_at(in + 1, w, i);
    return RP_OK;
}

const rp__block_code rp__bitpack_code = {
    .name = "bp128",
    .needs = 0,
    .bound = rp__bitpack_bound,
    .encode = rp__bitpack_encode,
    .decode = rp__bitpack_decode,
    .decode_docids = rp__bitpack_decode_docids,
    .at = rp__bitpack_at,
    .slice = rp__bitpack_slice,
};
