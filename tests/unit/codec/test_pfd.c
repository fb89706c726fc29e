/* test_pfd.c: the bytes of pfd, and what its decoders refuse. Rows are compared with each other in
 * tests/parity/test_codecs.c. */
#include "pfd_case.h"

static const rp__codec_options third = {.has_exceptions = true, .exceptions = 0.34};

/* Six values, two of them over 3 bits: slot 1 holds the distance to slot 4, less one. */
static void exceptions_are_linked_through_their_slots(void **unused)
{
    (void)unused;
    const uint32_t values[] = {5, 100, 2, 7, 300, 1};
    /* head: width 3 and 2 bytes a value, two of them, the first at 1; slots 5, 2, 2, 7, 0, 1 */
    const uint8_t want[] = {3 | 2 << 6, 1, 1, 0x95, 0x8E, 0x00, 100, 0, 0x2C, 0x01};
    check_bytes_of("pfd", &third, values, 6, want, sizeof want);
}

/* With 1 bit a link reaches 2 slots: the small values between become exceptions too. */
static void far_exceptions_force_others(void **unused)
{
    (void)unused;
    const uint32_t values[] = {9, 1, 0, 1, 0, 9, 1, 1, 1, 1, 1, 1};
    const rp__codec_options share = {.has_exceptions = true, .exceptions = 0.2};
    /* exceptions at 0, 2, 4, 5; slots 1 1 1 1 0 0 then 1s */
    const uint8_t want[] = {1 | 1 << 6, 3, 0, 0xCF, 0x0F, 9, 0, 0, 9};
    check_bytes_of("pfd", &share, values, 12, want, sizeof want);
}

static void every_share_comes_back(void **unused)
{
    (void)unused;
    check_shares("pfd");
}

static void damage_is_found(void **unused)
{
    (void)unused;
    const uint8_t too_wide[] = {33, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t first_outside[] = {3 | 1 << 6, 0, 5, 0, 0, 9};
    const uint8_t link_outside[] = {3 | 1 << 6, 1, 3, 0, 0, 9, 9};
    check_damage("pfd", too_wide, sizeof too_wide, 1);
    check_damage("pfd", first_outside, sizeof first_outside, 4);
    check_damage("pfd", link_outside, sizeof link_outside, 4);
}

static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    check_last_docid("pfd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_are_linked_through_their_slots),
        cmocka_unit_test(far_exceptions_force_others),
        cmocka_unit_test(every_share_comes_back),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(docids_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
