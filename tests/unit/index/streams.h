/* streams.h: for tests: inverters filled beside a plain index, and streams of theirs compared with
 * it. */
#ifndef RP_TESTS_STREAMS_H
#define RP_TESTS_STREAMS_H

#include "base/bits.h"
#include "index/inverter.h"
#include "unit/index/plain_index.h"

typedef struct both {
    rp__inverter *inv;
    plain_index *plain;
} both;

/* As the builder adds a token when there is room for any number. */
static inline rp_status add_token(rp__inverter *inv, uint32_t docid, const char *term,
                                  uint32_t bytes, uint32_t position)
{
    rp_status status = rp__inverter_add(inv, docid, term, bytes, position);
    if (status == RP_LIMIT && (status = rp__inverter_drain(inv)) == RP_OK)
        status = rp__inverter_add(inv, docid, term, bytes, position);
    return status;
}

static inline rp_status sort_all(rp__inverter *inv)
{
    rp_status status = rp__inverter_drain(inv);
    return status == RP_OK ? rp__inverter_sort(inv) : status;
}

static inline void both_token(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                              uint32_t position)
{
    both *b = arg;
    assert_int_equal(add_token(b->inv, docid, term, bytes, position), RP_OK);
    plain_add(b->plain, docid, term, bytes, position);
}

/* The bytes that a stream must have. Free what this returns. */
static inline uint8_t *stream_of(const plain_term *t, bool has_positions, size_t *n)
{
    uint8_t *out = malloc((size_t)t->cf * 5 + (size_t)t->n * 6), *p = out;
    uint32_t before = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const plain_posting *posting = &t->postings[i];
        uint32_t last = UINT32_MAX;
        p = rp__bits_put_varint(p, posting->docid - before);
        before = posting->docid;
        for (uint32_t j = 0; has_positions && j < posting->n; j++) {
            p = rp__bits_put_varint(p, posting->positions[j] - last);
            last = posting->positions[j];
        }
        p = rp__bits_put_varint(p, has_positions ? 0 : posting->n);
    }
    *n = (size_t)(p - out);
    return out;
}

/* The stream of the i-th term, gathered from its slices. Free what this returns. */
static inline uint8_t *gather(const rp__inverter_term *t)
{
    uint8_t *out = malloc((size_t)t->stream_bytes + 1);
    const uint8_t *slice = t->slice;
    uint32_t level = 0;
    size_t n = 0;
    while (n < t->stream_bytes) {
        const uint8_t *piece = slice;
        size_t bytes;
        slice = rp__inverter_slice(slice, &level, &bytes);
        if (bytes > t->stream_bytes - n)
            bytes = (size_t)t->stream_bytes - n;
        memcpy(out + n, piece, bytes);
        n += bytes;
    }
    return out;
}

/* After sort: every term in order with the stream that it must have. */
static inline void expect_streams(const rp__inverter *inv, plain_index *plain, bool has_positions)
{
    plain_sort(plain);
    assert_int_equal(rp__inverter_terms(inv), plain->n);
    for (size_t i = 0; i < plain->n; i++) {
        rp__inverter_term t;
        size_t n;
        rp__inverter_get(inv, i, &t);
        assert_int_equal(t.bytes, plain->terms[i]->bytes);
        assert_memory_equal(t.term, plain->terms[i]->term, t.bytes);
        uint8_t *want = stream_of(plain->terms[i], has_positions, &n), *got = gather(&t);
        assert_int_equal(t.stream_bytes, n);
        assert_memory_equal(got, want, n);
        free(want);
        free(got);
    }
}

#endif
