/* image_bp128.c: blocks of an image in codec bp128, for the machine's extension of this name: a byte
 * with the width of gaps, the gaps, to a whole byte; the same of frequencies less 1. */
#include "base/bits.h"
#include "sim/image.h"

static void put_bits(uint8_t *bytes, uint64_t at, uint64_t value, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++, at++)
        bytes[at / 8] = (uint8_t)(bytes[at / 8] | (value >> i & 1) << at % 8);
}

static uint64_t get_bits(const uint8_t *bytes, uint64_t at, uint32_t width)
{
    return rp__load64(bytes + at / 8) >> at % 8 & ((UINT64_C(1) << width) - 1);
}

/* The i-th of a block's gaps, the first of which is 0; and of its frequencies. */
static uint32_t gap_of(const uint32_t *docids, uint32_t i)
{
    return i ? docids[i] - docids[i - 1] : 0;
}

/* Bytes of one part. */
static uint64_t part_bytes(uint64_t n, uint64_t width)
{
    return 1 + (n * width + 7) / 8;
}

uint64_t rp__image_bp128_pack(const rp__iiu_blocks *blocks, uint8_t *meta, uint8_t *skips,
                              uint8_t *bits)
{
    uint64_t at = 0;
    for (size_t b = 0, from = 0; b < blocks->n_blocks; from = blocks->ends[b++]) {
        const uint32_t *docids = blocks->docids + from, *tfs = blocks->tfs + from;
        const uint32_t n = (uint32_t)(blocks->ends[b] - from);
        uint32_t gaps = 0, frequencies = 0;
        for (uint32_t i = 0; i < n; i++) {
            gaps |= gap_of(docids, i);
            frequencies |= tfs[i] - 1;
        }
        const uint32_t g = rp__bits_width(gaps), t = rp__bits_width(frequencies);
        rp__store32(skips + 4 * b, docids[0]);
        rp__store64(meta + 8 * b, g | t << 5 | (uint64_t)n << 10 | 8 * at << 21);
        uint8_t *second = bits + at + part_bytes(n, g);
        bits[at] = (uint8_t)g;
        second[0] = (uint8_t)t;
        for (uint32_t i = 0; i < n; i++) {
            put_bits(bits + at + 1, (uint64_t)i * g, gap_of(docids, i), g);
            put_bits(second + 1, (uint64_t)i * t, tfs[i] - 1, t);
        }
        at += part_bytes(n, g) + part_bytes(n, t);
    }
    return 8 * at;
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool rp__image_bp128_is_sound(const uint8_t *payload, uint64_t meta)
{
    const uint64_t g = meta & 31, t = meta >> 5 & 31, n = meta >> 10 & 2047, at = meta >> 21;
    const uint8_t *block = payload + at / 8;
    return at % 8 == 0 && block[0] == g && block[part_bytes(n, g)] == t;
}

rp_status rp__image_bp128_decode(const uint8_t *payload, uint64_t meta, uint64_t docid,
                                 uint32_t *docids, uint32_t *tfs)
{
    const uint32_t g = meta & 31, t = meta >> 5 & 31, n = meta >> 10 & 2047;
    const uint8_t *first = payload + (meta >> 21) / 8, *second = first + part_bytes(n, g);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t gap = get_bits(first + 1, (uint64_t)i * g, g);
        docid += gap;
        if ((i > 0) != (gap > 0) || docid > UINT32_MAX)
            return RP_DAMAGED;
        docids[i] = (uint32_t)docid;
        tfs[i] = (uint32_t)get_bits(second + 1, (uint64_t)i * t, t) + 1;
    }
    return RP_OK;
}
