/* test_asciiscan.c: the map and the lower case of a scan against a byte at a time. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/asciiscan.h"
#include "unit/text/samples.h"

static rp__asciiscan scan;

static void assert_scan(const char *text, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && n < RP_ASCIISCAN_MAX && (unsigned char)text[n] < 0x80)
        n++;
    memset(&scan, 0xA5, sizeof scan);
    rp__asciiscan_load(&scan, text, bytes);
    assert_int_equal(scan.n, n);
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)text[i];
        assert_int_equal(scan.map[i / 64] >> (i % 64) & 1, isalnum(c) || c == '_');
        assert_int_equal((unsigned char)scan.lower[i], tolower(c));
    }
    for (size_t i = n; i < (n / 64 + 1) * 64; i++)
        assert_int_equal(scan.map[i / 64] >> (i % 64) & 1, 0);
}

/* Each text in memory of its own size, so that a sanitizer sees a read past its end. */
static void assert_scan_of(uint32_t bytes, uint32_t one_high_at)
{
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    for (uint32_t i = 0; i < bytes; i++)
        text[i] = (char)(sample_random(3) ? 'A' + sample_random(58) : sample_random(128));
    if (one_high_at < bytes)
        text[one_high_at] = (char)(0x80 + sample_random(128));
    char *exact = realloc(text, bytes > 0 ? bytes : 1);
    assert_non_null(exact);
    assert_scan(exact, bytes);
    free(exact);
}

static void test_every_byte_at_every_place_of_eight(void **state)
{
    (void)state;
    for (size_t place = 0; place < 17; place++)
        for (int c = 0; c < 256; c++) {
            char text[17] = "a-Bc_9.dZ@[`{/:^z";
            text[place] = (char)c;
            assert_scan(text, sizeof text);
        }
}

static void test_all_lengths(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes < 300; bytes++)
        assert_scan_of(bytes, UINT32_MAX);
    for (uint32_t bytes = RP_ASCIISCAN_MAX - 9; bytes < RP_ASCIISCAN_MAX + 9; bytes++)
        assert_scan_of(bytes, UINT32_MAX);
}

static void test_stops_at_the_first_high_byte(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 200; at++)
        assert_scan_of(200, at);
    assert_scan_of(RP_ASCIISCAN_MAX + 8, RP_ASCIISCAN_MAX - 1);
    assert_scan_of(RP_ASCIISCAN_MAX + 8, RP_ASCIISCAN_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_at_every_place_of_eight),
        cmocka_unit_test(test_all_lengths),
        cmocka_unit_test(test_stops_at_the_first_high_byte),
    };
    return cmocka_run_group_tests_name("asciiscan", tests, NULL, NULL);
}
