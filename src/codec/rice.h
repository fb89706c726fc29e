/* rice.h: what all rows of the block code rice share. Interior of the room.
 *
 * Byte 0 is the width b, 0 to 31; more is damage. Value v is q * 2^b + r. First come the remainders
 * r, b bits each, as bp128 packs them: with byte 0 they are a block of that code. From the next
 * byte on come the quotients q in unary: q ones, then a zero, the lowest bit of a byte first; what
 * is left of the last byte is zero. The quotients sum to less than 2n; more is damage. */
#ifndef RP_CODEC_RICE_H
#define RP_CODEC_RICE_H

#include "codec/lowbits.h"
#include "codec/unary.h"

enum { RP_RICE_WIDTH_MAX = 31 };

typedef struct rp__rice_parts {
    uint32_t b;
    const uint8_t *unary;
    uint64_t limit; /* bits in which the quotients must end */
} rp__rice_parts;

/* Checks byte 0 and that the remainders lie inside. */
static inline rp_status rp__rice_open(const uint8_t *in, size_t in_bytes, size_t n,
                                      rp__rice_parts *parts)
{
    if (in_bytes < 1 || in[0] > RP_RICE_WIDTH_MAX)
        return RP_DAMAGED;
    size_t binary = 1 + rp__lowbits_bytes(n, in[0]);
    if (in_bytes < binary)
        return RP_DAMAGED;
    *parts = (rp__rice_parts){in[0], in + binary, rp__unary_limit(in_bytes - binary, n)};
    return RP_OK;
}

/* Whether a last docid that sums gaps of remainders stays below 2^32 with its quotients' sum. */
static inline bool rp__rice_fits(uint32_t docid, uint64_t quotients, uint32_t b)
{
    return docid + (quotients << b) <= UINT32_MAX;
}

/* The functions of the plain row, which the others use where they have nothing better. */
size_t rp__rice_bound(size_t n);
size_t rp__rice_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                       uint8_t *out);
rp_status rp__rice_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__rice_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                 size_t n);
rp_status rp__rice_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);

#endif
