/* vbyte.c: the block code vbyte, plain reference: values of one to four bytes, their lengths apart
 * (vbyte.h gives the bytes).
 *
 * Does not cut lists into blocks (blocks.c). Source of the layout: Lemire, Kurz, Rupp 2018, "Stream VByte". */
#include "codec/vbyte.h"

#include <string.h>

#include "base/bits.h"
#include "codec/codec_table.h"

size_t rp__vbyte_bound(size_t n)
{
    return (n + 3) / 4 + n * sizeof(uint32_t);
}

uint8_t *rp__vbyte_put(const uint32_t *values, size_t i, size_t n, uint8_t *out, uint8_t *p)
{
    memset(out + i / 4, 0, (n + 3) / 4 - i / 4);
    for (; i < n; i++) {
        uint32_t more = (rp__bits_width(values[i] | 1) - 1) / 8;
        out[i / 4] = (uint8_t)(out[i / 4] | more << 2 * (i % 4));
        rp__store32(p, values[i]); /* all four: the bound has them for every value */
        p += more + 1;
    }
    return p;
}

size_t rp__vbyte_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out)
{
    (void)options;
    return (size_t)(rp__vbyte_put(values, 0, n, out, out + (n + 3) / 4) - out);
}

/* Where the next value lies; a reader that never passes `end`. */
typedef struct stream {
    const uint8_t *control, *data, *end;
} stream;

static rp_status stream_open(stream *s, const uint8_t *in, size_t in_bytes, size_t n)
{
    if (in_bytes < (n + 3) / 4)
        return RP_DAMAGED;
    *s = (stream){.control = in, .data = in + (n + 3) / 4, .end = in + in_bytes};
    return RP_OK;
}

static inline bool stream_value(stream *s, size_t i, uint32_t *v)
{
    uint32_t control = s->control[i / 4], length = (control >> 2 * (i % 4) & 3) + 1;
    if ((size_t)(s->end - s->data) < length)
        return false;
    *v = rp__load32(s->data) & UINT32_MAX >> (32 - 8 * length);
    s->data += length;
    return true;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    stream s;
    if (stream_open(&s, in, in_bytes, n))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        if (!stream_value(&s, i, &out[i]))
            return RP_DAMAGED;
    return RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    stream s;
    if (stream_open(&s, in, in_bytes, n))
        return RP_DAMAGED;
    uint64_t next = (uint32_t)(base + 1); /* the least docid that may follow; n * 2^32 fits */
    for (size_t i = 0; i < n; i++) {
        uint32_t gap;
        if (!stream_value(&s, i, &gap))
            return RP_DAMAGED;
        next += gap;
        out[i] = (uint32_t)next++;
    }
    return next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
}

const rp__block_code rp__vbyte_code = {
    .name = "vbyte",
    .needs = 0,
    .bound = rp__vbyte_bound,
    .encode = rp__vbyte_encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
