/* test_pfd_rec.c: the bytes of pfd_rec, its levels and shares of exceptions, single blocks, and what
 * it refuses. Rows are compared with each other in tests/parity/test_codecs.c. */
#include "list_case.h"

/* A list as bytes with these options. */
typedef struct coded {
    uint8_t *bytes;
    uint32_t *tfs;
    rp__list list;
} coded;

static void code_list(const rp__codec *codec, const rp__codec_options *options,
                      const uint32_t *docids, uint32_t n, coded *c)
{
    uint32_t *ends = malloc(rp__list_blocks_bound(codec, n) * sizeof *ends);
    uint32_t *scratch = malloc(rp__list_scratch(codec, n) * sizeof *scratch);
    uint8_t *bounds = calloc(n, 1);
    size_t used;
    c->tfs = malloc(n * sizeof *c->tfs);
    for (uint32_t i = 0; i < n; i++)
        c->tfs[i] = 1;
    c->bytes = aligned_alloc(16, (rp__list_bound(codec, n) + RP_PAD + 15) / 16 * 16);
    rp__list_parts parts = {ends,   rp__list_cut(codec, options, docids, c->tfs, n, scratch, ends),
                            bounds, NULL,
                            NULL,   options,
                            false};
    assert_int_equal(rp__list_encode(codec, docids, c->tfs, n, &parts, scratch, c->bytes, &used),
                     RP_OK);
    assert_true(used <= rp__list_bound(codec, n));
    memset(c->bytes + used, 0, RP_PAD);
    assert_int_equal(rp__list_open(codec, c->bytes, used, n, UINT32_MAX, false, &c->list), RP_OK);
    free(ends);
    free(scratch);
    free(bounds);
}

static void coded_free(coded *c)
{
    free(c->bytes);
    free(c->tfs);
}

/* All docids at once, and each block alone, from the last to the first. */
static void check_docids(const coded *c, const uint32_t *docids, uint32_t n)
{
    uint32_t *got = malloc((n + RP_BLOCK_CAPACITY) * sizeof *got);
    assert_int_equal(rp__list_decode(&c->list, got, NULL), RP_OK);
    assert_memory_equal(got, docids, n * sizeof *got);
    for (uint32_t b = c->list.n_blocks; b-- > 0;) {
        assert_int_equal(c->list.codec->block(&c->list, b, got), RP_OK);
        assert_memory_equal(got, docids + b * RP_BLOCK,
                            rp__list_block_count(&c->list, b) * sizeof *got);
    }
    free(got);
}

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {5, 106, 109, 117, 418, 420}; /* gaps less one 5 100 2 7 300 1 */
    const rp__codec_options third = {.has_exceptions = true, .exceptions = 0.34, .has_level = true};
    const uint8_t want[] = {0,    3,    2,          6, /* level 0; widths of gaps, steps, highs */
                            0,    0,    0,          0, /* group 0 starts at 0 */
                            0xA5, 0xCE, 0x00,          /* 3 bits of each gap */
                            2,    0,    1 | 2 << 2,    /* two exceptions; steps 1 and 2 */
                            0x0B, 0x09 /* 12 - 1 and 37 - 1 */};
    coded c;
    code_list(rp__codec_find("pfd_rec", 0), &third, docids, 6, &c);
    assert_int_equal(c.list.docs_bytes, sizeof want);
    assert_memory_equal(c.list.docs, want, sizeof want);
    check_docids(&c, docids, 6);
    coded_free(&c);
}

static void no_exceptions_take_two_bytes_of_head(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {1, 4, 12, 13, 19};
    const uint8_t want[] = {128, 3, 0xD1, 0x51};
    coded c;
    code_list(rp__codec_find("pfd_rec", 0), NULL, docids, 5, &c);
    assert_int_equal(c.list.docs_bytes, sizeof want);
    assert_memory_equal(c.list.docs, want, sizeof want);
    check_docids(&c, docids, 5);
    coded_free(&c);
}

static void every_level_and_share_comes_back(void **unused)
{
    (void)unused;
    uint64_t rng = 3;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        if (strcmp(codec->name, "pfd_rec") != 0)
            continue;
        for (int round = 0; round < 150; round++) {
            uint32_t n = random_length(&rng, 6000), *docids = malloc(n * sizeof *docids);
            rp__codec_options options = {.has_exceptions = round % 3 != 0,
                                         .exceptions = round % 7 * 0.1,
                                         .has_level = round % 4 != 0,
                                         .level = (uint32_t)round % 6};
            coded c;
            make_docids(&rng, (shape)(round % N_SHAPES), n, 3000000000U, docids);
            code_list(codec, &options, docids, n, &c);
            check_docids(&c, docids, n);
            coded_free(&c);
            free(docids);
        }
    }
}

/* The paper's Figure 3: one level is much smaller than none. */
static void a_level_saves_bytes(void **unused)
{
    (void)unused;
    enum { N = 50000 };
    uint64_t rng = 8;
    uint32_t *docids = malloc(N * sizeof *docids);
    size_t bytes[3];
    make_docids(&rng, CLUSTERED, N, 25200000, docids);
    for (uint32_t level = 0; level < 3; level++) {
        const rp__codec_options options = {.has_level = true, .level = level};
        coded c;
        code_list(rp__codec_find("pfd_rec", 0), &options, docids, N, &c);
        bytes[level] = c.list.docs_bytes;
        coded_free(&c);
    }
    assert_true(bytes[1] < bytes[0] - bytes[0] / 20);
    assert_true(bytes[2] < bytes[0]);
    free(docids);
}

/* Each byte of the head and of the groups, changed to every other: no memory is broken, and both
 * ways to decode say the same. */
static void changed_bytes(void **unused)
{
    (void)unused;
    uint64_t rng = 5;
    const rp__codec *codec;
    uint32_t docids[700], got[700 + RP_BLOCK_CAPACITY], block[RP_BLOCK_CAPACITY];
    make_docids(&rng, CLUSTERED, 700, 40000, docids);
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        if (strcmp(codec->name, "pfd_rec") != 0)
            continue;
        coded c;
        code_list(codec, NULL, docids, 700, &c);
        uint8_t *at = c.bytes + (c.list.docs - c.bytes);
        for (size_t k = 0; k < c.list.docs_bytes; k++)
            for (uint32_t v = 1; v < 256; v += k < 16 ? 1 : 41) {
                at[k] = (uint8_t)(at[k] ^ v);
                rp_status s = rp__list_decode(&c.list, got, NULL), by_block = RP_OK;
                for (uint32_t b = 0; b < c.list.n_blocks && !by_block; b++) {
                    by_block = codec->block(&c.list, b, block);
                    if (!by_block && block[rp__list_block_count(&c.list, b) - 1] != c.list.last[b])
                        by_block = RP_DAMAGED;
                }
                assert_int_equal(s, by_block);
                at[k] = (uint8_t)(at[k] ^ v);
            }
        coded_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(no_exceptions_take_two_bytes_of_head),
        cmocka_unit_test(every_level_and_share_comes_back),
        cmocka_unit_test(a_level_saves_bytes),
        cmocka_unit_test(changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
