/* test_json_writer.c: commas, escapes, replaced bytes, numbers under any locale; what is written can
 * be read. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"

static void expect(rp__buf *out, const char *text)
{
    assert_false(out->failed);
    assert_int_equal(out->n, strlen(text));
    assert_memory_equal(out->at, text, out->n);
    out->n = 0;
}

static void test_commas(void **state)
{
    (void)state;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "a", "x");
    rp__json_writer_begin(&w, "b", '[');
    rp__json_writer_uint(&w, NULL, 1);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_end(&w, '}');
    rp__json_writer_begin(&w, NULL, '[');
    rp__json_writer_bool(&w, NULL, true);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, ']');
    rp__json_writer_text(&w, "n", NULL);
    rp__json_writer_bool(&w, "f", false);
    rp__json_writer_end(&w, '}');
    expect(&out, "{\"a\":\"x\",\"b\":[1,{},[true]],\"n\":null,\"f\":false}");
    rp__buf_free(&out);
}

static void test_strings(void **state)
{
    (void)state;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_string(&w, NULL, "\"\\/\b\f\n\r\t\0\x1F\x7F", 11);
    expect(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\"");
    rp__json_writer_string(&w, NULL, "caf\xC3\xA9 \xF0\x9D\x84\x9E", 10);
    expect(&out, "\"caf\xC3\xA9 \xF0\x9D\x84\x9E\"");
    rp__json_writer_string(&w, NULL, "a\xC3z\xED\xA0\x80\xFF", 7);
    expect(&out, "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    rp__json_writer_string(&w, "k\"\n", "", 0);
    expect(&out, "\"k\\\"\\n\":\"\"");
    rp__buf_free(&out);
}

/* Numbers of every length, and a byte that needs an escape at every place of strings of every length. */
static void test_lengths(void **state)
{
    static const char odd[] = {'"', '\\', 0x1F, 0x01, 0x20, 0x7F, 0x21, 0x5B, 0x5D};
    rp__buf out;
    rp__json_writer w;
    char want[200], text[40];
    (void)state;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    uint64_t power = 1;
    for (int i = 0; i < 20; i++, power *= 10)
        for (uint64_t v = power - 1; v <= power + 1; v++) {
            snprintf(want, sizeof want, "%llu", (unsigned long long)v);
            rp__json_writer_uint(&w, NULL, v);
            expect(&out, want);
        }
    for (size_t n = 1; n < sizeof text; n++)
        for (size_t at = 0; at < n; at++)
            for (size_t o = 0; o < sizeof odd; o++) {
                char escaped[8] = {odd[o], 0};
                if (o < 2)
                    snprintf(escaped, sizeof escaped, "\\%c", odd[o]);
                else if (o < 4)
                    snprintf(escaped, sizeof escaped, "\\u%04x", odd[o]);
                memset(text, 'a', n);
                text[at] = odd[o];
                snprintf(want, sizeof want, "\"%.*s%s%.*s\"", (int)at, text, escaped,
                         (int)(n - at - 1), text + at + 1);
                rp__json_writer_string(&w, NULL, text, n);
                expect(&out, want);
            }
    rp__buf_free(&out);
}

static void test_numbers(void **state)
{
    (void)state;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_uint(&w, NULL, UINT64_MAX);
    expect(&out, "18446744073709551615");
    rp__json_writer_real(&w, NULL, 1.5, 7);
    expect(&out, "1.5000000");
    rp__json_writer_real(&w, NULL, -2.4, 0);
    expect(&out, "-2");
    rp__json_writer_real(&w, NULL, (double)INFINITY, 3);
    expect(&out, "null");
    rp__json_writer_real(&w, NULL, (double)NAN, 3);
    expect(&out, "null");
    rp__json_writer_real(&w, NULL, 1.7e308, 1000);
    assert_int_equal(out.n, 309 + 1 + 100);
    rp__buf_free(&out);
}

/* Ties, ends of the fast path, and doubles of any bits: as printf has them. */
static void test_reals_are_printfs(void **state)
{
    static const double some[] = {
        0,          0.5,   1.5,     2.5,       0.125,   0.375,    1e9 - 1,    999999999.5,
        1e9,        1e-18, 0x1p-60, 0x1p-61,   0x1p-62, 0.05,     0.15,       1.0000005,
        0.99999995, 1e300, 5e-324,  9.9999999, 0x1p-7,  0x1.8p-7, 123456.789, 4294967296.5};
    rp__buf out;
    rp__json_writer w;
    rp__random random;
    char want[512];
    (void)state;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__random_init(&random, 7);
    for (size_t i = 0; i < 100000; i++) {
        const uint64_t bits = rp__random_next(&random) >> 1;
        double v = (double)(bits >> 11) * 0x1p-53 * (double)(1 << (i % 31)); /* below 2^30 */
        if (i < sizeof some / sizeof *some)
            v = some[i];
        else if (i % 4 == 0)
            v = (double)(bits >> 40) / (double)(1 << (i % 24)); /* often a tie */
        else if (i % 64 == 1)
            memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        for (int decimals = 0; decimals <= 10; decimals += 1 + (int)(i % 3)) {
            snprintf(want, sizeof want, "%.*f", decimals, v);
            rp__json_writer_real(&w, NULL, v, decimals);
            expect(&out, want);
        }
    }
    rp__buf_free(&out);
}

static void test_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "tr_TR.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        rp__json_writer_real(&w, NULL, -1234.25, 2);
        expect(&out, "-1234.25");
    }
    setlocale(LC_ALL, "C");
    rp__buf_free(&out);
}

static void test_what_is_written_can_be_read(void **state)
{
    (void)state;
    rp__buf out;
    rp__json json;
    rp__buf_init(&out);
    rp__json_init(&json);
    srand(3);
    for (int round = 0; round < 5000; round++) {
        char s[32];
        size_t n = (size_t)rand() % sizeof s;
        for (size_t i = 0; i < n; i++)
            s[i] = (char)rand();
        rp__json_writer w;
        rp__json_type type;
        out.n = 0;
        rp__json_writer_init(&w, &out);
        rp__json_writer_string(&w, NULL, s, n);
        rp__json_start(&json, (char *)out.at, out.n, 1);
        assert_int_equal(rp__json_next(&json, &type), RP_OK);
        assert_int_equal(type, RP_JSON_STRING);
        assert_int_equal(rp__json_next(&json, &type), RP_OK);
        assert_int_equal(type, RP_JSON_END);
    }
    rp__json_free(&json);
    rp__buf_free(&out);
}

static void test_64_levels(void **state)
{
    (void)state;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    for (int i = 0; i < 64; i++)
        rp__json_writer_begin(&w, NULL, '[');
    for (int i = 0; i < 64; i++) {
        rp__json_writer_end(&w, ']');
        if (w.depth)
            rp__json_writer_uint(&w, NULL, 0);
    }
    assert_int_equal(out.n, 64 + 64 + 63 * 2);
    rp__buf_free(&out);
}

/* Of all lengths about a word, with a byte of each kind at each place. */
static void copies_what_is_plain(void **state)
{
    (void)state;
    static const char kinds[] = "a ~!#[]^\x7F\"\\\x1F\x80\xC3\xFF";
    enum { MOST = 40 };
    char text[MOST];
    uint8_t copy[MOST + 1];
    for (size_t bytes = 0; bytes <= MOST; bytes++)
        for (size_t at = 0; at < bytes; at++)
            for (size_t k = 0; k < sizeof kinds; k++) { /* the NUL is one */
                const unsigned char c = (unsigned char)kinds[k];
                const bool is_plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
                memset(text, 'x', sizeof text);
                memset(copy, 0, sizeof copy);
                text[at] = kinds[k];
                assert_int_equal(rp__json_writer_is_plain(text, bytes), is_plain);
                assert_int_equal(rp__json_writer_copy_plain(copy, text, bytes), is_plain);
                assert_memory_equal(copy, text, bytes);
                assert_int_equal(copy[bytes], 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commas),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reals_are_printfs),
        cmocka_unit_test(test_locale_changes_nothing),
        cmocka_unit_test(test_what_is_written_can_be_read),
        cmocka_unit_test(test_64_levels),
        cmocka_unit_test(copies_what_is_plain),
    };
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
