/* test_codec_table.c: which row a name, an id and a CPU get. */
#include "list_case.h"

static void rows_are_found_by_name_and_features(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t i = 0; (codec = rp__codec_at(i)); i++) {
        const rp__codec *plain = rp__codec_find(codec->name, 0);
        assert_non_null(plain);
        assert_int_equal(plain->needs, 0);
        assert_ptr_equal(rp__codec_by_id(codec->id, codec->needs),
                         rp__codec_find(codec->name, codec->needs));
        assert_int_equal(plain->id, codec->id);
        assert_int_equal(plain->has_offsets, codec->has_offsets);
        assert_true((codec->freqs == NULL) == (codec->tfs != NULL));
        if (codec->freqs)
            assert_int_equal(codec->freqs->needs & ~codec->needs, 0);
    }
    assert_null(rp__codec_find("nothing", UINT32_MAX));
    assert_null(rp__codec_by_id(0, UINT32_MAX));
    assert_null(rp__codec_at(1000));
}

static void the_best_row_wins(void **unused)
{
    (void)unused;
    uint32_t all = RP_CPU_AVX2 | RP_CPU_AVX512;
    if (rp__codec_find("bp128", all)->needs == 0)
        skip(); /* no rows but the plain ones are built for this machine */
    assert_int_equal(rp__codec_find("bp128", all)->needs, RP_CPU_AVX512);
    assert_int_equal(rp__codec_find("bp128", RP_CPU_AVX2)->needs, RP_CPU_AVX2);
    assert_int_equal(rp__block_code_find("bp128", all)->needs, RP_CPU_AVX512);
    assert_int_equal(rp__block_code_find("vbyte", all)->needs, RP_CPU_AVX2);
}

static void the_default_is_bp128_and_ids_stay(void **unused)
{
    (void)unused;
    assert_string_equal(rp__codec_at(0)->name, "auto");
    assert_int_equal(rp__codec_find("raw", 0)->id, 1);
    assert_int_equal(rp__codec_find("vbyte", 0)->id, 2);
    assert_int_equal(rp__codec_find("bp128", 0)->id, 3);
    assert_int_equal(rp__codec_find("bp128t", 0)->id, 14);
    assert_int_equal(rp__codec_find("bp256", 0)->id, 15);
    assert_int_equal(rp__codec_find("iiu", 0)->id, 16);
    assert_int_equal(rp__codec_find("bitmap", 0)->id, 17);
    assert_int_equal(rp__codec_find("bp128v", 0)->id, 18);
    assert_int_equal(rp__codec_find("lrc", 0)->id, 19);
    assert_int_equal(rp__codec_find("lrcseg", 0)->id, 20);
    assert_int_equal(rp__codec_find("seglrc", 0)->id, 21);
    assert_int_equal(rp__codec_find("hslrc256", 0)->id, 22);
    assert_int_equal(rp__codec_find("hslrc128", 0)->id, 23);
    assert_int_equal(rp__codec_find("auto", 0)->id, 24);
    assert_int_equal(rp__codec_find("mixed", 0)->id, 25);
    assert_int_equal(rp__codec_find("bp128d4", 0)->id, 26);
    assert_int_equal(rp__codec_find("fastpfd", 0)->id, 27);
}

static void frequencies_can_be_in_another_code(void **unused)
{
    (void)unused;
    const rp__codec *bp128 = rp__codec_find("bp128", 0), *iiu = rp__codec_find("iiu", 0);
    const rp__block_code *efsum = rp__block_code_find("efsum", 0);
    const rp__codec copy = rp__codec_with_freqs(bp128, efsum);
    assert_ptr_equal(copy.freqs, efsum);
    assert_ptr_equal(copy.code, bp128->code);
    assert_int_equal(copy.id, bp128->id);
    assert_null(rp__codec_with_freqs(iiu, efsum).freqs); /* they are in its payload */
}

static void every_code_has_a_plain_row(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    for (size_t i = 0; (code = rp__block_code_at(i)); i++) {
        assert_non_null(rp__block_code_find(code->name, 0));
        assert_int_equal(rp__block_code_find(code->name, 0)->needs, 0);
    }
    assert_null(rp__block_code_find("nothing", UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name_and_features),
        cmocka_unit_test(the_best_row_wins),
        cmocka_unit_test(the_default_is_bp128_and_ids_stay),
        cmocka_unit_test(frequencies_can_be_in_another_code),
        cmocka_unit_test(every_code_has_a_plain_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
