/* test_blocks.c: the adapter: gaps from block to block, offsets, and damaged offsets. */
#include "cut_codec.h"

static void each_block_goes_on_from_the_last_docid(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("bp128", 0);
    uint32_t docids[300], ends[3] = {128, 256, 300}, offsets[3], out[RP_BLOCK_CAPACITY];
    uint8_t bytes[2000] = {0};
    for (uint32_t i = 0; i < 300; i++)
        docids[i] = 1000 + 2 * i;
    rp__encoding e = {
        .docids = docids, .n = 300, .ends = ends, .n_blocks = 3, .offsets = offsets, .out = bytes};
    assert_int_equal(codec->encode(codec, &e), RP_OK);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[1], 1 + 128 * 10 / 8); /* the first gap is 1000 */
    assert_int_equal(offsets[2] - offsets[1], 1 + 128 / 8);
    assert_true(e.used <= codec->bound(codec, 300));
    const uint32_t last[3] = {docids[127], docids[255], docids[299]};
    rp__list list = {.codec = codec,
                     .n = 300,
                     .n_blocks = 3,
                     .universe = 5000,
                     .last = last,
                     .offsets = offsets,
                     .docs = bytes,
                     .docs_bytes = e.used};
    for (uint32_t b = 0; b < 3; b++) {
        assert_int_equal(codec->block(&list, b, out), RP_OK);
        assert_memory_equal(out, docids + 128 * b, rp__list_block_count(&list, b) * sizeof *out);
    }
    offsets[1] = (uint32_t)e.used + 1;
    assert_int_equal(codec->block(&list, 0, out), RP_DAMAGED);
    assert_int_equal(codec->block(&list, 1, out), RP_DAMAGED);
    offsets[1] = offsets[2] - 5; /* too short for what the width says */
    assert_int_equal(codec->block(&list, 1, out), RP_DAMAGED);
}

/* A list in segments says so itself: every row reads it, and cuts that cannot be are damage. */
static void segments_are_blocks_of_64(void **unused)
{
    (void)unused;
    const rp__codec_options told = {.segment = 64};
    const rp__codec *codec;
    uint64_t rng = 8;
    for (uint32_t n = 1; n <= 1000; n += n % 64 < 2 ? 1 : 31)
        for (size_t j = 0; (codec = codec_here(j)); j++) {
            list_case lc;
            rp__list list;
            uint32_t out[1000 + RP_BLOCK_CAPACITY], flags;
            if (!codec->segment)
                continue;
            list_case_make(&lc, &rng, UNIFORM, n, 100000);
            assert_int_equal(list_case_encode_as(&lc, codec, n % 2, &told), RP_OK);
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, n % 2, &list), RP_OK);
            assert_int_equal(list.n_blocks, (n + 63) / 64);
            assert_true((list.first != NULL) == (n > 64));
            assert_int_equal(rp__list_decode(&list, out, NULL), RP_OK);
            assert_memory_equal(out, lc.docids, n * sizeof *out);
            memcpy(&flags, lc.bytes, sizeof flags);
            flags ^= 1; /* blocks of 128, or those of a list that has other blocks */
            memcpy(lc.bytes, &flags, sizeof flags);
            if (n > 64)
                assert_int_equal(
                    rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, n % 2, &list),
                    RP_DAMAGED);
            list_case_free(&lc);
        }
}

static void whole_lists_are_checked_too(void **unused)
{
    (void)unused;
    uint64_t rng = 4;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        list_case lc;
        rp__list list;
        list_case_make(&lc, &rng, UNIFORM, 1000, 100000);
        list_case_trim(&lc, codec);
        uint32_t *out = malloc((1000 + RP_BLOCK_CAPACITY) * sizeof *out);
        assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
        assert_int_equal(
            rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list), RP_OK);
        assert_int_equal(rp__list_decode(&list, out, NULL), RP_OK);
        list.universe = lc.docids[999];
        assert_int_equal(rp__list_decode(&list, out, NULL), RP_DAMAGED);
        list.universe = lc.universe;
        uint32_t last[1000];
        memcpy(last, list.last, list.n_blocks * sizeof *last);
        last[list.n_blocks / 2]++;
        list.last = last;
        assert_int_equal(rp__list_decode(&list, out, NULL), RP_DAMAGED);
        free(out);
        list_case_free(&lc);
    }
}

static void blocks_may_be_of_256(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("bp256", 0);
    const uint32_t lengths[] = {1, 255, 256, 257, 512, 1000};
    for (size_t k = 0; k < 6; k++) {
        uint32_t ends[8], n = lengths[k];
        size_t n_blocks = rp__list_cut(codec, NULL, NULL, NULL, n, NULL, ends);
        assert_int_equal(n_blocks, (n + 255) / 256);
        assert_true(n_blocks <= rp__list_blocks_bound(codec, n));
        for (size_t b = 0; b < n_blocks; b++)
            assert_int_equal(ends[b], b + 1 < n_blocks ? 256 * (b + 1) : n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_block_goes_on_from_the_last_docid),
        cmocka_unit_test(segments_are_blocks_of_64),
        cmocka_unit_test(whole_lists_are_checked_too),
        cmocka_unit_test(blocks_may_be_of_256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
