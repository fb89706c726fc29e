/* test_interpolative.c: the bytes of interpolative, and what its decoder refuses. */
#include "code_rows.h"

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    /* Sums 2 5 6 9: 9 first. Ranks 0 to 2 have their middle 5 of 0 to 9: 10 numbers, 6 brief ones
     * from 2 on, so 3 in 3 bits. Left 2 of 0 to 5: 6 numbers, 2 brief ones from 2 on: 0 in 2 bits.
     * Right 6 of 5 to 9: 5 numbers, 3 brief ones from 1 on: 0 in 2 bits. */
    const uint32_t values[] = {2, 3, 1, 3};
    const uint8_t want[] = {9, 0x03};
    check_bytes_of("interpolative", values, 4, want, sizeof want);
}

/* What the last sum already tells costs nothing. */
static void runs_and_single_values_have_no_bits(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("interpolative", 0);
    uint32_t values[RP_BLOCK_MAX] = {0};
    uint8_t out[2048];
    assert_int_equal(code->encode(NULL, values, RP_BLOCK_MAX, out), 1);
    assert_int_equal(out[0], 0);
    values[0] = 127;
    assert_int_equal(code->encode(NULL, values, 1, out), 1);
    values[0] = UINT32_MAX;
    assert_int_equal(code->encode(NULL, values, 1, out), 5);
}

/* Every number of every range of up to 300 comes back, the last one in the middle of a byte too. */
static void every_number_of_a_range(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("interpolative", 0);
    uint8_t out[2048 + RP_PAD] = {0};
    uint32_t got[RP_BLOCK_CAPACITY];
    for (uint32_t top = 0; top < 300; top++)
        for (uint32_t v = 0; v <= top; v++) {
            uint32_t values[2] = {v, top - v};
            size_t used = code->encode(NULL, values, 2, out);
            assert_int_equal(code->decode(out, used, got, 2), RP_OK);
            assert_memory_equal(got, values, sizeof values);
        }
}

/* Whatever the bits, sums stay in their ranges: docids rise up to the last sum, which is checked. */
static void any_bits_give_rising_docids(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("interpolative", 0);
    uint64_t rng = 8;
    uint32_t got[RP_BLOCK_CAPACITY];
    for (int round = 0; round < 20000; round++) {
        uint8_t in[600 + RP_PAD];
        for (size_t i = 0; i < sizeof in; i++)
            in[i] = (uint8_t)random64(&rng);
        in[0] |= 0x80; /* a last sum of two bytes */
        in[1] &= 0x7F;
        assert_int_equal(code->decode_docids(in, 600, 10, got, 128), RP_OK);
        assert_true(got[0] > 10);
        for (size_t i = 1; i < 128; i++)
            assert_true(got[i] > got[i - 1]);
        assert_int_equal(got[127], 10 + 128 + (in[0] & 0x7F) + (in[1] << 7));
    }
}

static void sums_out_of_range_are_damage(void **unused)
{
    (void)unused;
    const uint8_t sum40[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0};
    check_status("interpolative", sum40, sizeof sum40, 1, 0, RP_DAMAGED, RP_DAMAGED);
    const uint8_t sum32[] = {0x80, 0x80, 0x80, 0x80, 0x10, 0};
    check_status("interpolative", sum32, sizeof sum32, 1, 0, RP_DAMAGED, RP_DAMAGED);
    const uint8_t most[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0};
    check_status("interpolative", most, sizeof most, 1, UINT32_MAX, RP_OK, RP_OK);
    check_status("interpolative", most, sizeof most, 1, 0, RP_OK, RP_DAMAGED);
    const uint8_t cut[] = {0x80, 0x80};
    check_status("interpolative", cut, sizeof cut, 1, 0, RP_DAMAGED, RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(runs_and_single_values_have_no_bits),
        cmocka_unit_test(every_number_of_a_range),
        cmocka_unit_test(any_bits_give_rising_docids),
        cmocka_unit_test(sums_out_of_range_are_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
