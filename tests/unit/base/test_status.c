/* test_status.c: every status has its own value, a name, a sentence, and an exit code that fits. */
#include "riposte/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct row {
    rp_status code;
    const char *name, *sentence;
    int exit_code;
} row;

static const row rows[] = {
#define X(code, value, exit_code, sentence) {code, #code, sentence, exit_code},
    RP_STATUS_MAP(X)
#undef X
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void ok_is_zero_and_failures_are_negative(void **state)
{
    (void)state;
    assert_int_equal(RP_OK, 0);
    assert_int_equal(rp_status_exit(RP_OK), 0);
    for (size_t i = 1; i < N_ROWS; i++)
        assert_true(rows[i].code < 0 && rp_status_exit(rows[i].code) > 0);
}

static void names_and_sentences_come_from_the_map(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        assert_string_equal(rp_status_name(rows[i].code), rows[i].name);
        assert_string_equal(rp_status_text(rows[i].code), rows[i].sentence);
        assert_int_equal(rp_status_exit(rows[i].code), rows[i].exit_code);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(rows[i].code, rows[j].code);
    }
}

/* The values that scripts depend on. */
static void exit_codes_are_the_promised_ones(void **state)
{
    (void)state;
    assert_int_equal(rp_status_exit(RP_NEGATIVE), 1);
    assert_int_equal(rp_status_exit(RP_USAGE), 2);
    assert_int_equal(rp_status_exit(RP_INPUT), 3);
    assert_int_equal(rp_status_exit(RP_IO), 4);
    assert_int_equal(rp_status_exit(RP_DAMAGED), 5);
    assert_int_equal(rp_status_exit(RP_INCOMPATIBLE), 5);
    assert_int_equal(rp_status_exit(RP_UNAVAILABLE), 6);
    assert_int_equal(rp_status_exit(RP_NO_MEMORY), 7);
    assert_int_equal(rp_status_exit(RP_INTERRUPTED), 130);
}

static void a_value_that_is_none_is_unknown(void **state)
{
    (void)state;
    for (int value = -1000; value <= 1000; value += 2000) {
        rp_status none;
        memcpy(&none, &value, sizeof none);
        assert_string_equal(rp_status_name(none), "unknown");
        assert_string_equal(rp_status_text(none), "unknown");
        assert_int_equal(rp_status_exit(none), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ok_is_zero_and_failures_are_negative),
        cmocka_unit_test(names_and_sentences_come_from_the_map),
        cmocka_unit_test(exit_codes_are_the_promised_ones),
        cmocka_unit_test(a_value_that_is_none_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
