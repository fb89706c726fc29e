/* test_charset.c: bytes of any encoding to UTF-8: each kind, a plain twin, and any cut into pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/charset.h"
#include "base/utf8.h"

static void expect(rp__charset_kind kind, const char *in, size_t n, const char *want)
{
    rp__charset c = {.kind = kind};
    rp__buf out;
    rp__buf_init(&out);
    rp__charset_put(&c, (const uint8_t *)in, n, true, &out);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, want);
    rp__buf_free(&out);
}

#define EXPECT(kind, in, want) expect((kind), (in), sizeof(in) - 1, (want))

static void test_bytes(void **state)
{
    (void)state;
    EXPECT(RP_CHARSET_BYTES, "", "");
    EXPECT(RP_CHARSET_BYTES, "plain", "plain");
    EXPECT(RP_CHARSET_BYTES, "caf\xE9", "café");
    EXPECT(RP_CHARSET_BYTES, "\x80 5 \x93quoted\x94 \x96 \x81", "€ 5 “quoted” – \xC2\x81");
    EXPECT(RP_CHARSET_BYTES, "caf\xE9 and café", "café and café"); /* both in one text */
    EXPECT(RP_CHARSET_BYTES, "\xE2\x82", "â‚");             /* a sequence cut off at the end */
    EXPECT(RP_CHARSET_BYTES, "\xED\xA0\x80", "í\xC2\xA0€"); /* surrogates are not UTF-8 */
}

static void test_utf16(void **state)
{
    (void)state;
    EXPECT(RP_CHARSET_UTF16LE, "h\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE", "hé€😀");
    EXPECT(RP_CHARSET_UTF16BE, "\0h\0\xE9\x20\xAC\xD8\x3D\xDE\x00", "hé€😀");
    EXPECT(RP_CHARSET_UTF16LE, "\x3D\xD8h\0", "\xEF\xBF\xBDh"); /* surrogates alone */
    EXPECT(RP_CHARSET_UTF16LE, "\x00\xDEh\0", "\xEF\xBF\xBDh");
    EXPECT(RP_CHARSET_UTF16LE, "h\0x", "h\xEF\xBF\xBD"); /* half a unit */
    EXPECT(RP_CHARSET_UTF16LE, "\x3D\xD8x", "\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void expect_mark(const char *head, size_t n, rp__charset_kind kind, size_t bytes)
{
    size_t got = 99;
    assert_int_equal(rp__charset_mark((const uint8_t *)head, n, &got), kind);
    assert_int_equal(got, bytes);
}

static void test_marks(void **state)
{
    (void)state;
    expect_mark("", 0, RP_CHARSET_BYTES, 0);
    expect_mark("abcd", 4, RP_CHARSET_BYTES, 0);
    expect_mark("\xEF\xBB\xBFx", 4, RP_CHARSET_BYTES, 3);
    expect_mark("\xEF\xBB", 2, RP_CHARSET_BYTES, 0);
    expect_mark("\xFF\xFEx\0", 4, RP_CHARSET_UTF16LE, 2);
    expect_mark("\xFE\xFF\0x", 4, RP_CHARSET_UTF16BE, 2);
    expect_mark("\xFF\xFE\0\0", 4, RP_CHARSET_UTF32, 4);
    expect_mark("\0\0\xFE\xFF", 4, RP_CHARSET_UTF32, 4);
}

/* The plain twin: one character after the other. */
static void plain(const uint8_t *in, size_t n, rp__buf *out)
{
    static const uint16_t high[32] = {
        0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
        0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178,
    };
    for (size_t i = 0; i < n;) {
        uint32_t len = rp__utf8_valid((const char *)in + i, n - i);
        char bytes[4];
        if (len == 0) {
            uint32_t code = in[i] < 0xA0 ? high[in[i] - 0x80] : in[i];
            rp__buf_put(out, bytes, rp__utf8_encode(code, bytes));
            i++;
            continue;
        }
        rp__buf_put(out, in + i, len);
        i += len;
    }
}

static void test_pieces(void **state)
{
    (void)state;
    static const uint8_t alphabet[] = {'a',  0x80, 0xBF, 0xC2, 0xC3, 0xA9, 0xE0, 0xE2, 0x82, 0xAC,
                                       0xED, 0xF0, 0x9F, 0x98, 0x00, 0xF4, 0xFF, 0xD8, 0xDC, 0x3D};
    srand(18);
    for (int round = 0; round < 20000; round++) {
        uint8_t in[24];
        size_t n = (size_t)rand() % sizeof in;
        for (size_t i = 0; i < n; i++)
            in[i] = alphabet[(size_t)rand() % sizeof alphabet];
        rp__charset_kind kind = (rp__charset_kind)(rand() % 3);
        rp__charset whole = {.kind = kind}, cut = {.kind = kind};
        rp__buf a, b;
        rp__buf_init(&a);
        rp__buf_init(&b);
        if (kind == RP_CHARSET_BYTES)
            plain(in, n, &a);
        else
            rp__charset_put(&whole, in, n, true, &a);
        for (size_t i = 0; i < n;) {
            size_t step = 1 + (size_t)rand() % 5;
            step = step < n - i ? step : n - i;
            rp__charset_put(&cut, in + i, step, false, &b);
            i += step;
        }
        rp__charset_put(&cut, in, 0, true, &b);
        assert_int_equal(a.n, b.n);
        assert_true(a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
        assert_int_equal(rp__utf8_check((const char *)a.at, a.n), a.n);
        rp__buf_free(&a);
        rp__buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_utf16),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests_name("charset", tests, NULL, NULL);
}
