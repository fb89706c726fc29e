/* test_simple16.c: the bytes of simple16, and what its decoders refuse. Rows are compared with each
 * other in tests/parity/test_codecs.c. */
#include "pfd_case.h"

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    uint32_t ones[30] = {[3] = 1, [28] = 1, [29] = 200};
    const uint8_t want[] = {0x08, 0,    0,    0, /* 28 of 1 bit */
                            0x01, 0x20, 0x03, 0xC0 /* selector 12: 1 in 10 bits, 200 in 9 */};
    check_bytes_of("simple16", NULL, ones, 30, want, sizeof want);
}

static void large_values_take_the_next_word(void **unused)
{
    (void)unused;
    const uint32_t values[] = {0x10000000, UINT32_MAX, 0xFFFFFFF};
    const uint8_t want[] = {0, 0,    0,    0xF0, 0,    0,    0,    0x10, 0,    0,
                            0, 0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xEF};
    check_bytes_of("simple16", NULL, values, 3, want, sizeof want);
    const uint8_t stray[] = {1, 0, 0, 0xF0, 0, 0, 0, 0x10};
    check_damage("simple16", stray, sizeof stray, 1);
    check_damage("simple16", want, 4, 1);
    check_damage("simple16", want, 7, 1);
}

/* Every cut holds as many values as it has room for, of the largest kind. */
static void each_selector_is_used(void **unused)
{
    (void)unused;
    static const uint8_t cuts[15][28] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
        {2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2},
        {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
        {4, 3, 3, 3, 3, 3, 3, 3, 3},
        {3, 3, 3, 3, 3, 3, 3, 3, 4},
        {4, 4, 4, 4, 4, 4, 4},
        {5, 5, 5, 5, 4, 4},
        {4, 4, 5, 5, 5, 5},
        {6, 6, 6, 5, 5},
        {5, 5, 6, 6, 6},
        {7, 7, 7, 7},
        {10, 9, 9},
        {14, 14},
        {28},
    };
    const rp__block_code *code;
    for (uint32_t s = 0; s < 15; s++) {
        uint32_t values[28], got[RP_BLOCK_CAPACITY];
        size_t n = 0;
        for (; n < 28 && cuts[s][n]; n++)
            values[n] = (1U << cuts[s][n]) - 1;
        for (size_t i = 0; (code = rows_here("simple16", i)); i++) {
            uint8_t out[28 * 8 + RP_PAD] = {0};
            assert_int_equal(code->encode(NULL, values, n, out), 4);
            assert_int_equal(out[3] >> 4, s);
            assert_int_equal(code->decode(out, 4, got, n), RP_OK);
            assert_memory_equal(got, values, n * sizeof *got);
        }
    }
}

static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    check_last_docid("simple16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(large_values_take_the_next_word),
        cmocka_unit_test(each_selector_is_used),
        cmocka_unit_test(docids_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
