/* test_utf8.c: valid and invalid UTF-8, against the definition and against libunistring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <unistr.h>

#include "base/utf8.h"

static void test_every_code_point_goes_round(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint8_t bytes[8] = {0};
        int n = u8_uctomb(bytes, code, 6);
        if (code >= 0xD800 && code <= 0xDFFF) {
            assert_true(n < 0);
            continue;
        }
        uint32_t length = 0;
        assert_int_equal(rp__utf8_valid((char *)bytes, (size_t)n), n);
        assert_int_equal(rp__utf8_decode((char *)bytes, &length), code);
        assert_int_equal(length, n);
        for (size_t cut = 0; cut < (size_t)n; cut++)
            assert_int_equal(rp__utf8_valid((char *)bytes, cut), 0);
    }
}

/* All pairs of first bytes, with tails that are good and that are not. */
static void test_every_start_as_oracle(void **state)
{
    (void)state;
    static const uint8_t tails[] = {0x00, 0x7F, 0x80, 0xBF, 0xC0};
    for (uint32_t i = 0; i < 0x10000 * 25; i++) {
        uint8_t s[4] = {(uint8_t)(i >> 8), (uint8_t)i, tails[(i >> 16) / 5], tails[(i >> 16) % 5]};
        for (size_t n = 1; n <= 4; n++) {
            ucs4_t code;
            int expected = u8_mbtoucr(&code, s, n);
            assert_int_equal(rp__utf8_valid((char *)s, n), expected > 0 ? expected : 0);
        }
    }
}

static void test_well_known_bad_ones(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xE0\x9F\xBF",
        "\xED\xA0\x80",
        "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xF8\x88\x80\x80",
        "\xFE",
        "\xFF",
        "\xC3",
        "\xE2\x82",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(rp__utf8_valid(bad[i], strlen(bad[i])), 0);
        assert_int_equal(rp__utf8_check(bad[i], strlen(bad[i])), 0);
    }
}

static void test_check_finds_the_first_bad_byte(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(rp__utf8_check("", 0), 0);
    for (size_t at = 0; at < sizeof text; at++) {
        for (size_t i = 0; i + 1 < sizeof text; i += 2)
            memcpy(text + i, i % 4 ? "ab" : "\xC3\xA9", 2);
        assert_int_equal(rp__utf8_check(text, sizeof text), sizeof text);
        text[at] = (char)0xFF;
        size_t expected = at % 4 == 1 ? at - 1 : at; /* it also cuts the character that it is in */
        assert_int_equal(rp__utf8_check(text, sizeof text), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_point_goes_round),
        cmocka_unit_test(test_every_start_as_oracle),
        cmocka_unit_test(test_well_known_bad_ones),
        cmocka_unit_test(test_check_finds_the_first_bad_byte),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
