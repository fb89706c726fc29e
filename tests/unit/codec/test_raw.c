/* test_raw.c: docids as they are, and one at a time. */
#include "list_case.h"

static void bytes_are_the_docids(void **unused)
{
    (void)unused;
    uint64_t rng = 1;
    const rp__codec *codec = rp__codec_find("raw", 0);
    list_case lc;
    rp__list list;
    uint32_t one;
    list_case_make(&lc, &rng, UNIFORM, 1000, 4000000000U);
    assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
    assert_int_equal(rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list),
                     RP_OK);
    assert_int_equal(list.docs_bytes, 4000);
    assert_memory_equal(list.docs, lc.docids, 4000);
    assert_null(list.offsets);
    assert_int_equal(codec->at(&list, 999, &one), RP_OK);
    assert_int_equal(one, lc.docids[999]);
    assert_int_equal(codec->at(&list, 1000, &one), RP_DAMAGED);
    list_case_free(&lc);
}

static void docids_that_do_not_rise_are_damage(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("raw", 0);
    uint32_t docs[140 + RP_PAD / 4], out[RP_BLOCK_CAPACITY];
    uint32_t last[2] = {127, 139};
    for (uint32_t i = 0; i < 140; i++)
        docs[i] = i;
    rp__list list = {.codec = codec,
                     .n = 140,
                     .n_blocks = 2,
                     .universe = 200,
                     .last = last,
                     .docs = (const uint8_t *)docs,
                     .docs_bytes = 560};
    assert_int_equal(codec->block(&list, 0, out), RP_OK);
    for (uint32_t i = 1; i < 128; i++) {
        docs[i] = i - 1;
        assert_int_equal(codec->block(&list, 0, out), RP_DAMAGED);
        docs[i] = i;
    }
    assert_int_equal(codec->block(&list, 1, out), RP_OK);
    last[0] = 128; /* the second block would not start above it */
    assert_int_equal(codec->block(&list, 1, out), RP_DAMAGED);
    last[0] = 127;
    list.docs_bytes = 559;
    assert_int_equal(codec->block(&list, 1, out), RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_docids),
        cmocka_unit_test(docids_that_do_not_rise_are_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
