/* test_fallback.c: every reason has a name of its own, made of letters, and a text that is no sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "riposte/processor.h"

static void names_are_words(void **state)
{
    (void)state;
    for (int i = 0; i < RP_FALLBACKS; i++) {
        const char *name = rp_fallback_name((rp_fallback)i);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, rp_fallback_name((rp_fallback)j));
    }
}

static void texts_end_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < RP_FALLBACKS; i++) {
        const char *text = rp_fallback_text((rp_fallback)i);
        assert_true(strlen(text) > 0 && strlen(text) < 80);
        assert_true(text[0] >= 'a' && text[0] <= 'z');
        assert_true(text[strlen(text) - 1] != '.');
    }
}

static void others_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(rp_fallback_name(RP_FALLBACKS), "unknown");
    assert_string_equal(rp_fallback_text((rp_fallback)-1), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_words),
        cmocka_unit_test(texts_end_a_sentence),
        cmocka_unit_test(others_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
