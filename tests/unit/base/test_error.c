/* test_error.c: an error's text is one printable line of whole UTF-8, however it was made. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void sets_code_and_text(void **state)
{
    (void)state;
    rp_error err;
    assert_int_equal(rp__error_set(&err, RP_IO, "%s: line %d", "a.txt", 7), RP_IO);
    assert_int_equal(err.code, RP_IO);
    assert_string_equal(err.text, "a.txt: line 7");
}

static void needs_no_error(void **state)
{
    (void)state;
    assert_int_equal(rp__error_set(NULL, RP_DAMAGED, "%s", "x"), RP_DAMAGED);
    assert_int_equal(rp__error_no_memory(NULL), RP_NO_MEMORY);
}

static void may_take_its_own_text_as_argument(void **state)
{
    (void)state;
    rp_error err;
    rp__error_set(&err, RP_INPUT, "bad value");
    rp__error_set(&err, RP_INPUT, "a.jsonl:3: %s", err.text);
    assert_string_equal(err.text, "a.jsonl:3: bad value");
}

static void replaces_what_would_move_the_cursor(void **state)
{
    (void)state;
    rp_error err;
    rp__error_set(&err, RP_INPUT, "%s", "a\nb\x1B[2Jc\x7F\xFF\xC3z\xC3\xA9");
    assert_string_equal(err.text, "a?b?[2Jc???z\xC3\xA9");
}

static void cuts_between_characters(void **state)
{
    (void)state;
    static const char *const chars[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t c = 0; c < 3; c++) {
        for (size_t lead = 0; lead < 8; lead++) {
            char text[1024] = "";
            memset(text, 'x', lead);
            for (size_t n = lead; n < 600; n += strlen(chars[c]))
                strcat(text, chars[c]);
            rp_error err;
            rp__error_set(&err, RP_INPUT, "%s", text);
            size_t n = strlen(err.text);
            assert_true(n > sizeof err.text - 5 && n < sizeof err.text);
            assert_int_equal(rp__utf8_check(err.text, n), n);
            assert_null(strchr(err.text, '?'));
        }
    }
}

static void a_text_that_just_fits_stays_whole(void **state)
{
    (void)state;
    rp_error err;
    char text[sizeof err.text];
    memset(text, 'x', sizeof text - 3);
    memcpy(text + sizeof text - 3, "\xC3\xA9", 3);
    rp__error_set(&err, RP_INPUT, "%s", text);
    assert_string_equal(err.text, text);
}

static void no_memory_says_what_to_do(void **state)
{
    (void)state;
    rp_error err;
    assert_int_equal(rp__error_no_memory(&err), RP_NO_MEMORY);
    assert_int_equal(err.code, RP_NO_MEMORY);
    assert_non_null(strstr(err.text, "memory"));
}

static void a_missing_argument_is_named(void **state)
{
    (void)state;
    rp_error err = {0};
    const char *dir = "x", *out = NULL;
    assert_false(RP_MISSING(&err, dir));
    assert_true(RP_MISSING(&err, dir, out));
    assert_int_equal(err.code, RP_USAGE);
    assert_string_equal(err.text, "a_missing_argument_is_named: the argument 'out' is NULL");
    assert_true(RP_MISSING(NULL, out));
    assert_false(RP_MISSING_ARRAY(&err, out, 0U));
    assert_true(RP_MISSING_ARRAY(&err, out, 1U));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_code_and_text),
        cmocka_unit_test(needs_no_error),
        cmocka_unit_test(may_take_its_own_text_as_argument),
        cmocka_unit_test(replaces_what_would_move_the_cursor),
        cmocka_unit_test(cuts_between_characters),
        cmocka_unit_test(a_text_that_just_fits_stays_whole),
        cmocka_unit_test(no_memory_says_what_to_do),
        cmocka_unit_test(a_missing_argument_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
