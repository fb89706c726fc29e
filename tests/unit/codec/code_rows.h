/* code_rows.h: the rows of one block code that run here, for the tests of codec. */
#ifndef RP_TESTS_CODE_ROWS_H
#define RP_TESTS_CODE_ROWS_H

#include "list_case.h"

/* The i-th row of that name; NULL past the last. */
static inline const rp__block_code *row_of(const char *name, size_t i)
{
    const rp__block_code *code;
    for (size_t k = 0; (code = code_here(k)); k++)
        if (strcmp(code->name, name) == 0 && i-- == 0)
            return code;
    return NULL;
}

/* The bytes that the plain row writes are these, and every row reads them back. */
static inline void check_bytes_of(const char *name, const uint32_t *values, size_t n,
                                  const uint8_t *want, size_t want_bytes)
{
    const rp__block_code *code = rp__block_code_find(name, 0);
    uint8_t out[512 + RP_PAD] = {0};
    uint32_t got[RP_BLOCK_CAPACITY];
    assert_true(code->bound(n) <= 512);
    assert_int_equal(code->encode(NULL, values, n, out), want_bytes);
    assert_memory_equal(out, want, want_bytes);
    for (size_t i = 0; (code = row_of(name, i)); i++) {
        assert_int_equal(code->decode(out, want_bytes, got, n), RP_OK);
        assert_memory_equal(got, values, n * sizeof *got);
        assert_int_equal(code->decode(out, want_bytes - 1, got, n), RP_DAMAGED);
        assert_int_equal(code->decode_docids(out, want_bytes - 1, 7, got, n), RP_DAMAGED);
    }
}

/* What every row says of these bytes. */
static inline void check_status(const char *name, const uint8_t *bytes, size_t n_bytes, size_t n,
                                uint32_t base, rp_status values, rp_status docids)
{
    const rp__block_code *code;
    uint8_t *in = malloc(n_bytes + RP_PAD);
    uint32_t got[RP_BLOCK_CAPACITY];
    memcpy(in, bytes, n_bytes);
    memset(in + n_bytes, 0xEE, RP_PAD);
    for (size_t i = 0; (code = row_of(name, i)); i++) {
        assert_int_equal(code->decode(in, n_bytes, got, n), values);
        assert_int_equal(code->decode_docids(in, n_bytes, base, got, n), docids);
    }
    free(in);
}

#endif
