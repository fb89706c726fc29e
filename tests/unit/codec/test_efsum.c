/* test_efsum.c: the bytes of efsum, and what its decoders refuse. Rows are compared with each other
 * in tests/parity/test_codecs.c. */
#include "code_rows.h"

/* Steps at the ranks 2, 2, 2 and 4: gaps 2, 0, 0, 2, in ef128 001 1 1 001. */
static void few_steps_are_listed(void **unused)
{
    (void)unused;
    const uint32_t values[16] = {0, 0, 3, 0, 1};
    const uint8_t want[] = {128 + 4, 0, 0x9C};
    check_bytes_of("efsum", values, 16, want, sizeof want);
}

static void other_blocks_are_those_of_ef128(void **unused)
{
    (void)unused;
    const rp__block_code *efsum = rp__block_code_find("efsum", 0);
    const rp__block_code *ef128 = rp__block_code_find("ef128", 0);
    uint64_t rng = 9;
    for (int round = 0; round < 2000; round++) {
        uint8_t a[1500], b[1500];
        uint32_t values[RP_BLOCK_MAX];
        size_t n = 1 + random_below(&rng, RP_BLOCK_MAX);
        uint64_t rare = 1 + random_below(&rng, 40);
        for (size_t i = 0; i < n; i++)
            values[i] = random_below(&rng, rare) ? 0 : (uint32_t)random_below(&rng, 4);
        size_t used = ef128->encode(NULL, values, n, a);
        size_t least = efsum->encode(NULL, values, n, b);
        assert_true(least <= used);
        if (b[0] < 128)
            assert_memory_equal(a, b, used);
        else
            assert_true(least < used);
    }
}

static void nothing_takes_one_byte(void **unused)
{
    (void)unused;
    const uint32_t values[RP_BLOCK_MAX] = {0};
    const uint8_t want[] = {32};
    check_bytes_of("efsum", values, 100, want, 1);
}

/* The largest count of steps, and one that is not among them. */
static void steps_end_at_127(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("efsum", 0);
    uint32_t values[RP_BLOCK_MAX] = {0}, got[RP_BLOCK_CAPACITY];
    uint8_t out[1500];
    values[100] = 127;
    size_t used = code->encode(NULL, values, RP_BLOCK_MAX, out);
    assert_int_equal(out[0], 255);
    for (size_t i = 0; (code = row_of("efsum", i)); i++) {
        assert_int_equal(code->decode(out, used, got, RP_BLOCK_MAX), RP_OK);
        assert_memory_equal(got, values, sizeof values);
    }
    values[0] = 1;
    code = rp__block_code_find("efsum", 0);
    code->encode(NULL, values, RP_BLOCK_MAX, out);
    assert_true(out[0] < 34);
}

static void ranks_past_the_end_are_damage(void **unused)
{
    (void)unused;
    const uint8_t in[] = {128 + 4, 0, 0x9C};
    check_status("efsum", in, sizeof in, 5, 1000, RP_OK, RP_OK);
    check_status("efsum", in, sizeof in, 4, 1000, RP_DAMAGED, RP_DAMAGED);
    check_status("efsum", in, sizeof in, 0, 1000, RP_DAMAGED, RP_DAMAGED);
}

static void other_forms_are_damage(void **unused)
{
    (void)unused;
    uint8_t in[700];
    memset(in, 0xFF, sizeof in);
    for (uint32_t form = 34; form <= 128; form++) {
        in[0] = (uint8_t)form;
        check_status("efsum", in, sizeof in, 128, 5, RP_DAMAGED, RP_DAMAGED);
    }
    check_status("efsum", in, 0, 128, 5, RP_DAMAGED, RP_DAMAGED);
    in[0] = 130; /* nothing behind it */
    check_status("efsum", in, 1, 128, 5, RP_DAMAGED, RP_DAMAGED);
}

/* Frames like those of real lists, and some of few or many large values: each value alone, in every row. */
static void every_value_alone_is_the_one_decoded(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint64_t rng = 11;
    for (int round = 0; round < 3000; round++) {
        uint8_t in[1500] = {0};
        uint32_t values[RP_BLOCK_MAX], got[RP_BLOCK_CAPACITY], one;
        size_t n = 1 + random_below(&rng, round % 3 ? RP_BLOCK : RP_BLOCK_MAX);
        uint64_t rare = 1 + random_below(&rng, 60),
                 most = 1 + random_below(&rng, round % 5 ? 4 : 90);
        for (size_t i = 0; i < n; i++)
            values[i] = random_below(&rng, rare) ? 0 : (uint32_t)random_below(&rng, most);
        size_t used = rp__block_code_find("efsum", 0)->encode(NULL, values, n, in);
        memset(in + used, round % 2 ? 0xFF : 0, RP_PAD); /* what is behind a frame does not count */
        for (size_t r = 0; (code = row_of("efsum", r)); r++) {
            assert_int_equal(code->decode(in, used, got, n), RP_OK);
            assert_memory_equal(got, values, n * sizeof *values);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(code->at(in, used, n, i, &one), RP_OK);
                assert_int_equal(one, values[i]);
            }
        }
    }
}

/* Ranks in the forms that our writer does not take: all 0, and as bp128. */
static void ranks_may_have_other_forms(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    const uint8_t zeros[2 + RP_PAD] = {128 + 5, 32}, plain[5 + RP_PAD] = {128 + 3, 33, 2, 0x39};
    uint32_t got[RP_BLOCK_CAPACITY], one;
    for (size_t r = 0; (code = row_of("efsum", r)); r++) {
        assert_int_equal(code->decode(zeros, 2, got, 7), RP_OK);
        assert_int_equal(got[0], 5);
        assert_int_equal(code->at(zeros, 2, 7, 0, &one), RP_OK);
        assert_int_equal(one, 5);
        assert_int_equal(code->decode(plain, 4, got, 7), RP_OK); /* gaps 1, 2, 3 */
        assert_int_equal(got[1] + got[3] + got[6], 3);
        assert_int_equal(code->at(plain, 4, 7, 3, &one), RP_OK);
        assert_int_equal(one, 1);
        assert_int_equal(code->at(plain, 4, 6, 3, &one), RP_DAMAGED);
    }
}

static void one_value_alone(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    const uint8_t steps[3 + RP_PAD] = {128 + 4, 0, 0x9C};
    uint32_t one;
    for (size_t r = 0; (code = row_of("efsum", r)); r++) {
        for (size_t i = 0; i < 16; i++) {
            assert_int_equal(code->at(steps, 3, 16, i, &one), RP_OK);
            assert_int_equal(one, i == 2 ? 3 : i == 4 ? 1 : 0);
        }
        assert_int_equal(code->at(steps, 3, 16, 16, &one), RP_DAMAGED);
        assert_int_equal(code->at(steps, 2, 16, 0, &one), RP_DAMAGED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_steps_are_listed),
        cmocka_unit_test(other_blocks_are_those_of_ef128),
        cmocka_unit_test(nothing_takes_one_byte),
        cmocka_unit_test(steps_end_at_127),
        cmocka_unit_test(ranks_past_the_end_are_damage),
        cmocka_unit_test(other_forms_are_damage),
        cmocka_unit_test(every_value_alone_is_the_one_decoded),
        cmocka_unit_test(ranks_may_have_other_forms),
        cmocka_unit_test(one_value_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
