/* bitpack.h: what all rows of the block code bp128 share. Interior of the room.
 *
 * Byte 0 is the width w (0 to 32; more is damage). Value i then occupies bits i*w to i*w + w - 1 of
 * the bytes that follow, counted from the lowest bit of the first byte; what is left of the last
 * byte is zero. One order for every instruction set, GPUs included. */
#ifndef RP_CODEC_BITPACK_H
#define RP_CODEC_BITPACK_H

#include "base/bits.h"
#include "codec/codec.h"

enum { RP_BITPACK_WIDTH_MAX = 32 };

/* Reads the width and checks that n values of it lie inside in_bytes. */
static inline rp_status rp__bitpack_open(const uint8_t *in, size_t in_bytes, size_t n, uint32_t *w)
{
    if (in_bytes < 1 || in[0] > RP_BITPACK_WIDTH_MAX || in_bytes - 1 < (n * in[0] + 7) / 8)
        return RP_DAMAGED;
    *w = in[0];
    return RP_OK;
}

/* The functions of the plain row, which the others use where they have nothing better. */
size_t rp__bitpack_bound(size_t n);
size_t rp__bitpack_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                          uint8_t *out);
rp_status rp__bitpack_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__bitpack_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,
                                    uint32_t *out, size_t n);
rp_status rp__bitpack_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);
rp_status rp__bitpack_slice(const uint8_t *in, size_t in_bytes, size_t i, size_t n, uint32_t base,
                            uint32_t *out);

#if defined(__x86_64__)
enum { RP_BITPACK_AVX2_MAX = 25 };
/* n values of w bits, at most RP_BITPACK_AVX2_MAX, from the start of *p on. Writes up to 7 more. */
void rp__bitpack_avx2_unpack(const uint8_t *p, uint32_t w, uint32_t *out, size_t n);
/* The same bytes as rp__bitpack_encode. */
size_t rp__bitpack_avx2_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                               uint8_t *out);
#endif

#endif
