/* regression_case.h: lists in the rows of the regression family, for their tests. */
#ifndef RP_TESTS_REGRESSION_CASE_H
#define RP_TESTS_REGRESSION_CASE_H

#include "list_case.h"

/* The i-th row of the family that runs here. */
static inline const rp__codec *family_here(size_t i)
{
    const rp__codec *codec;
    for (size_t k = 0; (codec = codec_here(k)); k++)
        if (codec->id >= 19 && codec->id <= 23 && i-- == 0)
            return codec;
    return NULL;
}

/* A list as bytes with these options. */
typedef struct coded {
    uint8_t *bytes;
    size_t n_bytes;
    rp__list list;
} coded;

static inline void code_list(const rp__codec *codec, const rp__codec_options *options,
                             const uint32_t *docids, uint32_t n, coded *c)
{
    uint32_t *ends = malloc(rp__list_blocks_bound(codec, n) * sizeof *ends);
    uint32_t *scratch = malloc(rp__list_scratch(codec, n) * sizeof *scratch);
    uint32_t *tfs = malloc(n * sizeof *tfs);
    uint8_t *bounds = calloc(n, 1), *out = malloc(rp__list_bound(codec, n));
    for (uint32_t i = 0; i < n; i++)
        tfs[i] = 1;
    rp__list_parts parts = {ends,   rp__list_cut(codec, options, docids, tfs, n, scratch, ends),
                            bounds, NULL,
                            NULL,   options,
                            false};
    assert_true(parts.n_blocks <= rp__list_blocks_bound(codec, n));
    assert_int_equal(rp__list_encode(codec, docids, tfs, n, &parts, scratch, out, &c->n_bytes),
                     RP_OK);
    c->bytes = malloc(c->n_bytes + RP_PAD); /* exactly: a sanitiser sees a byte too many */
    memcpy(c->bytes, out, c->n_bytes);
    memset(c->bytes + c->n_bytes, 0x5A, RP_PAD);
    assert_int_equal(rp__list_open(codec, c->bytes, c->n_bytes, n, UINT32_MAX, false, &c->list),
                     RP_OK);
    free(ends);
    free(scratch);
    free(tfs);
    free(bounds);
    free(out);
}

static inline void coded_free(coded *c)
{
    free(c->bytes);
}

/* All at once, block by block, one by one. */
static inline void check_docids(const rp__list *list, const uint32_t *docids)
{
    uint32_t *got = malloc((list->n + RP_BLOCK_CAPACITY) * sizeof *got), one;
    assert_int_equal(rp__list_decode(list, got, NULL), RP_OK);
    assert_memory_equal(got, docids, list->n * sizeof *got);
    for (uint32_t b = list->n_blocks; b-- > 0;) {
        assert_int_equal(list->codec->block(list, b, got), RP_OK);
        assert_memory_equal(got, docids + rp__list_block_first(list, b),
                            rp__list_block_count(list, b) * sizeof *got);
    }
    for (uint32_t i = 0; i < list->n; i++) {
        assert_int_equal(list->codec->at(list, i, &one), RP_OK);
        assert_int_equal(one, docids[i]);
    }
    assert_int_equal(list->codec->at(list, list->n, &one), RP_DAMAGED);
    free(got);
}

static inline void check_find(const rp__list *list, const uint32_t *docids, uint32_t target)
{
    uint32_t i = 0, docid, rank;
    for (uint64_t step = 1ULL << 31; step; step /= 2)
        if (i + step <= list->n && docids[i + step - 1] < target)
            i += (uint32_t)step;
    assert_int_equal(list->codec->find(list, target, &rank, &docid), RP_OK);
    assert_int_equal(rank, i);
    assert_int_equal(docid, i < list->n ? docids[i] : RP_NO_DOC);
}

#endif
