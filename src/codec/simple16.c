/* simple16.c: the block code simple16, plain reference: as many values as fit into the 28 bits of a
 * word, in one of 15 cuts (simple16.h gives the bytes).
 *
 * Does not cut lists into blocks (blocks.c). The encoder, which takes the cut that holds most of
 * the next values, serves all rows and newpfd's exceptions. Source of the idea: Zhang, Long, Suel
 * 2008; the cuts are ours: they reach 32 bits. */
#include "codec/simple16.h"

#include "base/bits.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#define W2(w)       (w), (w)
#define W4(w)       W2(w), W2(w)
#define W7(w)       W4(w), W2(w), (w)
#define W8(w)       W4(w), W4(w)
#define W14(w)      W7(w), W7(w)
#define AT2(at, w)  (at), (at) + (w)
#define AT3(at, w)  AT2(at, w), (at) + 2 * (w)
#define AT4(at, w)  AT2(at, w), AT2((at) + 2 * (w), w)
#define AT7(at, w)  AT4(at, w), AT3((at) + 4 * (w), w)
#define AT8(at, w)  AT4(at, w), AT4((at) + 4 * (w), w)
#define AT14(at, w) AT7(at, w), AT7((at) + 7 * (w), w)
#define SAME(n, w)                                                                                 \
    {                                                                                              \
        (n), {W##n(w)},                                                                            \
        {                                                                                          \
            AT##n(0, w)                                                                            \
        }                                                                                          \
    }
#define MIXED(n, w, m, v)                                                                          \
    {                                                                                              \
        (n) + (m), {W##n(w), W##m(v)},                                                             \
        {                                                                                          \
            AT##n(0, w), AT##m((n) * (w), v)                                                       \
        }                                                                                          \
    }
#define W1(w)       (w)
#define W3(w)       W2(w), (w)
#define W28(w)      W14(w), W14(w)
#define AT1(at, w)  (at)
#define AT28(at, w) AT14(at, w), AT14((at) + 14 * (w), w)

/* From the most values to one: the encoder takes the first that fits. */
const rp__simple16_cut rp__simple16_cuts[16] = {
    SAME(28, 1),        MIXED(7, 2, 14, 1), MIXED(14, 1, 7, 2), SAME(14, 2),
    MIXED(1, 4, 8, 3),  MIXED(8, 3, 1, 4),  SAME(7, 4),         MIXED(4, 5, 2, 4),
    MIXED(2, 4, 4, 5),  MIXED(3, 6, 2, 5),  MIXED(2, 5, 3, 6),  SAME(4, 7),
    MIXED(1, 10, 2, 9), SAME(2, 14),        SAME(1, 28),        {.count = 1},
};

size_t rp__simple16_bound(size_t n)
{
    return 2 * n * sizeof(uint32_t);
}

static bool fits(const rp__simple16_cut *cut, const uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rp__bits_width(values[i]) > cut->widths[i])
            return false;
    return true;
}

size_t rp__simple16_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                           uint8_t *out)
{
    (void)options;
    uint8_t *p = out;
    for (size_t i = 0; i < n;) {
        uint32_t selector = 0, word = 0;
        size_t count = 0;
        for (; selector < RP_SIMPLE16_LARGE; selector++) {
            size_t room = rp__simple16_cuts[selector].count;
            count = room < n - i ? room : n - i;
            if (fits(&rp__simple16_cuts[selector], values + i, count))
                break;
        }
        for (size_t k = 0; selector < RP_SIMPLE16_LARGE && k < count; k++)
            word |= values[i + k] << rp__simple16_cuts[selector].shifts[k];
        rp__store32(p, word | selector << RP_SIMPLE16_BITS);
        p += sizeof word;
        if (selector == RP_SIMPLE16_LARGE) {
            rp__store32(p, values[i]);
            p += sizeof word;
            count = 1;
        }
        i += count;
    }
    return (size_t)(p - out);
}

rp_status rp__simple16_read(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                            size_t *used)
{
    const uint8_t *p = in, *end = in + in_bytes;
    for (size_t i = 0; i < n;) {
        if (end - p < 4)
            return RP_DAMAGED;
        uint32_t word = rp__load32(p), selector = word >> RP_SIMPLE16_BITS;
        const rp__simple16_cut *cut = &rp__simple16_cuts[selector];
        p += sizeof word;
        if (selector == RP_SIMPLE16_LARGE) {
            if (word << 4 || end - p < 4)
                return RP_DAMAGED;
            out[i] = rp__load32(p);
            p += sizeof word;
        }
        for (size_t k = 0; selector < RP_SIMPLE16_LARGE && k < cut->count; k++)
            out[i + k] = word >> cut->shifts[k] & ((1U << cut->widths[k]) - 1);
        i += cut->count;
    }
    *used = (size_t)(p - in);
    return RP_OK;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    size_t used;
    return rp__simple16_read(in, in_bytes, out, n, &used);
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    return decode(in, in_bytes, out, n) ? RP_DAMAGED : rp__gaps_sum(out, n, base);
}

const rp__block_code rp__simple16_code = {
    .name = "simple16",
    .needs = 0,
    .bound = rp__simple16_bound,
    .encode = rp__simple16_encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
