/* vbyte_avx2.c: the block code vbyte with AVX2: a control byte picks the shuffle that places its
 * four values, which are then summed in order.
 *
 * Encodes nothing of its own. Loads start at most at the block's end and end within RP_PAD after
 * it. Source: Lemire, Kurz, Rupp 2018, "Stream VByte". */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"
#include "codec/vbyte.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Of control byte c: the length of value j, and where its bytes start. */
#define LENGTH(c, j) (((c) >> 2 * (j)&3) + 1)
#define START(c, j)                                                                                \
    ((j) > 0 ? LENGTH(c, 0) : 0) + ((j) > 1 ? LENGTH(c, 1) : 0) + ((j) > 2 ? LENGTH(c, 2) : 0)
#define BYTE(c, j, k) (k) < LENGTH(c, j) ? START(c, j) + (k) : 0x80 /* a zero byte */
#define VALUE(c, j)   BYTE(c, j, 0), BYTE(c, j, 1), BYTE(c, j, 2), BYTE(c, j, 3)
#define SHUFFLE(c)                                                                                 \
    {                                                                                              \
        VALUE(c, 0), VALUE(c, 1), VALUE(c, 2), VALUE(c, 3)                                         \
    }
#define SUM(c)        LENGTH(c, 0) + LENGTH(c, 1) + LENGTH(c, 2) + LENGTH(c, 3)
#define FOUR(row, c)  row(c), row((c) + 1), row((c) + 2), row((c) + 3)
#define ROW16(row, c) FOUR(row, c), FOUR(row, (c) + 4), FOUR(row, (c) + 8), FOUR(row, (c) + 12)
#define ROW64(row, c)                                                                              \
    ROW16(row, c), ROW16(row, (c) + 16), ROW16(row, (c) + 32), ROW16(row, (c) + 48)
#define ROW256(row) ROW64(row, 0), ROW64(row, 64), ROW64(row, 128), ROW64(row, 192)

static const _Alignas(16) uint8_t shuffles[256][16] = {ROW256(SHUFFLE)};
static const uint8_t sums[256] = {ROW256(SUM)};

/* Where the next four values lie; a reader that never passes `end`. */
typedef struct stream {
    const uint8_t *control, *data, *end;
    size_t left;        /* values not yet read */
    uint32_t long_ones; /* not 0: some value had four bytes */
} stream;

static rp_status stream_open(stream *s, const uint8_t *in, size_t in_bytes, size_t n)
{
    if (in_bytes < (n + 3) / 4)
        return RP_DAMAGED;
    *s = (stream){.control = in, .data = in + (n + 3) / 4, .end = in + in_bytes, .left = n};
    return RP_OK;
}

/* The next four values, or what is left of them. False: cut off. */
static inline bool stream_four(stream *s, __m128i *values)
{
    uint32_t c = *s->control++, length = sums[c];
    if (s->left < 4) { /* values that are not there count one byte each, which is taken off */
        c &= (1U << 2 * s->left) - 1;
        length = sums[c] - (4 - (uint32_t)s->left);
        s->left = 4;
    }
    if ((size_t)(s->end - s->data) < length)
        return false;
    __m128i bytes = _mm_loadu_si128((const __m128i *)s->data);
    *values = _mm_shuffle_epi8(bytes, _mm_load_si128((const __m128i *)shuffles[c]));
    s->data += length;
    s->left -= 4;
    s->long_ones |= c & c >> 1 & 0x55;
    return true;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    stream s;
    if (stream_open(&s, in, in_bytes, n))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i += 4) {
        __m128i values;
        if (!stream_four(&s, &values))
            return RP_DAMAGED;
        _mm_storeu_si128((__m128i *)(out + i), values);
    }
    return RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    stream s;
    if (stream_open(&s, in, in_bytes, n))
        return RP_DAMAGED;
    __m128i before = _mm_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 4) {
        __m128i x;
        if (!stream_four(&s, &x))
            return RP_DAMAGED;
        x = _mm_add_epi32(x, _mm_set1_epi32(1));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
        _mm_storeu_si128((__m128i *)(out + i), _mm_add_epi32(before, x));
        before = _mm_add_epi32(before, _mm_shuffle_epi32(x, 0xFF));
    }
    return rp__gaps_check(out, n, base, s.long_ones ? 32 : 24);
}

const rp__block_code rp__vbyte_avx2_code = {
    .name = "vbyte",
    .needs = RP_CPU_AVX2,
    .bound = rp__vbyte_bound,
    .encode = rp__vbyte_encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
#endif
