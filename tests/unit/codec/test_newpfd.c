/* test_newpfd.c: the bytes of newpfd, and what its decoders refuse. Rows are compared with each other
 * in tests/parity/test_codecs.c. */
#include "pfd_case.h"

static const rp__codec_options third = {.has_exceptions = true, .exceptions = 0.34};

/* 100 and 300 do not fit in 3 bits: 12 and 37 lie above them, at 1 and 4. */
static void positions_and_highs_are_one_stream_of_simple16(void **unused)
{
    (void)unused;
    const uint32_t values[] = {5, 100, 2, 7, 300, 1};
    /* head: width 3 with exceptions, two of them; lows; then 1, 4 - 1 - 1, 12 - 1, 37 - 1 */
    const uint8_t want[] = {0x43, 0x01, 0xA5, 0xCE, 0x00, 0x41, 0x2C, 0x24, 0xA0};
    check_bytes_of("newpfd", &third, values, 6, want, sizeof want);
}

static void no_exceptions_take_one_byte_of_head(void **unused)
{
    (void)unused;
    const uint32_t values[] = {1, 2, 7, 0, 5};
    const uint8_t want[] = {3, 0xD1, 0x51};
    check_bytes_of("newpfd", NULL, values, 5, want, sizeof want);
}

static void damage_is_found(void **unused)
{
    (void)unused;
    const uint8_t too_wide[] = {33, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t stray_bit[] = {3 | 128, 0, 0, 0};
    const uint8_t no_room_above[] = {32 | 64, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t too_many[] = {0 | 64, 4, 0, 0, 0, 0};
    const uint8_t position_outside[] = {0 | 64, 0, 4, 0, 0, 0xD0}; /* two of 14 bits: 4, 0 */
    check_damage("newpfd", too_wide, sizeof too_wide, 1);
    check_damage("newpfd", stray_bit, sizeof stray_bit, 1);
    check_damage("newpfd", no_room_above, sizeof no_room_above, 1);
    check_damage("newpfd", too_many, sizeof too_many, 4);
    check_damage("newpfd", position_outside, sizeof position_outside, 4);
}

static void every_share_comes_back(void **unused)
{
    (void)unused;
    check_shares("newpfd");
}

static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    check_last_docid("newpfd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_and_highs_are_one_stream_of_simple16),
        cmocka_unit_test(no_exceptions_take_one_byte_of_head),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(every_share_comes_back),
        cmocka_unit_test(docids_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
