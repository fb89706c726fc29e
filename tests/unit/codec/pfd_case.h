/* pfd_case.h: blocks with exceptions, and what every PForDelta row must do with them. */
#ifndef RP_TESTS_PFD_CASE_H
#define RP_TESTS_PFD_CASE_H

#include "list_case.h"

/* n values of `low` bits, of which about one in `every` has up to 32. */
static inline void pfd_values(uint64_t *rng, uint32_t low, uint32_t every, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = random_below(rng, every) ? low : (uint32_t)random_below(rng, 33);
        out[i] = bits ? (uint32_t)random64(rng) >> (32 - bits) : 0;
    }
}

/* The i-th row of the code that runs here. */
static inline const rp__block_code *rows_here(const char *name, size_t i)
{
    const rp__block_code *code;
    for (size_t k = 0; (code = code_here(k)); k++)
        if (strcmp(code->name, name) == 0 && i-- == 0)
            return code;
    return NULL;
}

static inline void check_bytes_of(const char *name, const rp__codec_options *options,
                                  const uint32_t *values, size_t n, const uint8_t *want,
                                  size_t n_want)
{
    uint8_t out[2048 + RP_PAD];
    uint32_t got[RP_BLOCK_CAPACITY];
    const rp__block_code *code;
    for (size_t i = 0; (code = rows_here(name, i)); i++) {
        memset(out, 0, sizeof out);
        assert_int_equal(code->encode(options, values, n, out), n_want);
        assert_memory_equal(out, want, n_want);
        assert_int_equal(code->decode(out, n_want, got, n), RP_OK);
        assert_memory_equal(got, values, n * sizeof *got);
    }
}

/* Each share of exceptions comes back, in no more than the bound, and a byte less is damage. */
static inline void check_shares(const char *name)
{
    static const double shares[] = {0, 0.05, 0.1, 0.3, 0.6, 5};
    const rp__block_code *code;
    uint64_t rng = 17;
    for (int round = 0; round < 3000; round++) {
        uint32_t values[RP_BLOCK_MAX], got[RP_BLOCK_CAPACITY];
        size_t n = random_below(&rng, RP_BLOCK_MAX + 1);
        rp__codec_options options = {.has_exceptions = round % 7 != 0,
                                     .exceptions = shares[round % 6]};
        pfd_values(&rng, (uint32_t)random_below(&rng, 30), 1 + (uint32_t)random_below(&rng, 40), n,
                   values);
        for (size_t i = 0; (code = rows_here(name, i)); i++) {
            uint8_t *out = malloc(code->bound(n));
            size_t used = code->encode(&options, values, n, out);
            assert_true(used <= code->bound(n));
            uint8_t *in = malloc(used + RP_PAD);
            memcpy(in, out, used);
            memset(in + used, 0xAA, RP_PAD);
            assert_int_equal(code->decode(in, used, got, n), RP_OK);
            assert_memory_equal(got, values, n * sizeof *got);
            for (size_t k = 0; k < n; k += 1 + k / 4) {
                assert_int_equal(code->at(in, used, n, k, got), RP_OK);
                assert_int_equal(got[0], values[k]);
            }
            assert_int_equal(code->at(in, used, n, n, got), RP_DAMAGED);
            for (size_t less = used; less-- > 0 && used - less < 40;)
                assert_int_equal(code->decode(in, less, got, n), RP_DAMAGED);
            free(in);
            free(out);
        }
    }
}

/* These bytes are damage to every row, as values and as docids. */
static inline void check_damage(const char *name, const uint8_t *bytes, size_t n_bytes, size_t n)
{
    uint8_t in[256 + RP_PAD] = {0};
    uint32_t got[RP_BLOCK_CAPACITY];
    const rp__block_code *code;
    memcpy(in, bytes, n_bytes);
    for (size_t i = 0; (code = rows_here(name, i)); i++) {
        assert_int_equal(code->decode(in, n_bytes, got, n), RP_DAMAGED);
        assert_int_equal(code->decode_docids(in, n_bytes, 7, got, n), RP_DAMAGED);
    }
}

/* The largest docid of all is reached, one more is not. */
static inline void check_last_docid(const char *name)
{
    uint8_t in[2048 + RP_PAD];
    uint32_t values[RP_BLOCK] = {0}, got[RP_BLOCK_CAPACITY];
    const rp__block_code *code;
    for (size_t i = 0; (code = rows_here(name, i)); i++)
        for (uint32_t big = 1; big < 32; big++) {
            values[60] = 1U << big;
            size_t used = code->encode(NULL, values, RP_BLOCK, in);
            memset(in + used, 0, RP_PAD);
            uint32_t base = UINT32_MAX - RP_BLOCK - (1U << big);
            assert_int_equal(code->decode_docids(in, used, base, got, RP_BLOCK), RP_OK);
            assert_int_equal(got[RP_BLOCK - 1], UINT32_MAX);
            assert_int_equal(got[59], base + 60);
            assert_int_equal(code->decode_docids(in, used, base + 1, got, RP_BLOCK), RP_DAMAGED);
        }
}

#endif
