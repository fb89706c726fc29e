/* test_algorithm_spec.c: algorithms with options: defaults, names, numbers, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/algorithm_spec.h"

static const char *method_at(size_t i)
{
    static const char *const names[] = {"bs", "is", "lr-local"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

enum { METHOD, LEVELS, N };
static const rp__algorithm_option options[N] = {
    [METHOD] = {.name = "method", .value_at = method_at, .initial = 1},
    [LEVELS] = {.name = "levels", .min = 1, .max = 4, .initial = 2},
};

static rp_status parse(const char *spec, rp__algorithm_spec *out, rp_error *err)
{
    return rp__algorithm_spec_parse(spec, options, N, out, err);
}

static void names_are_told_apart(void **state)
{
    (void)state;
    assert_true(rp__algorithm_spec_is("para", "para"));
    assert_true(rp__algorithm_spec_is("para:method=bs", "para"));
    assert_false(rp__algorithm_spec_is("par", "para"));
    assert_false(rp__algorithm_spec_is("paragraph", "para"));
}

static void defaults_and_values_are_read(void **state)
{
    (void)state;
    rp__algorithm_spec spec;
    rp_error err;
    assert_int_equal(parse("x", &spec, &err), RP_OK);
    assert_int_equal(spec.values[METHOD], 1);
    assert_int_equal(spec.values[LEVELS], 2);
    assert_false(spec.is_given[METHOD]);
    assert_int_equal(parse("x:levels=4,method=lr-local", &spec, &err), RP_OK);
    assert_int_equal(spec.values[METHOD], 2);
    assert_int_equal(spec.values[LEVELS], 4);
    assert_true(spec.is_given[METHOD] && spec.is_given[LEVELS]);
}

/* The message has these words. */
static void refused(const char *text, const char *what, const char *there)
{
    rp__algorithm_spec spec;
    rp_error err;
    assert_int_equal(parse(text, &spec, &err), RP_USAGE);
    assert_non_null(strstr(err.text, what));
    assert_non_null(strstr(err.text, there));
}

static void mistakes_are_refused_with_the_list(void **state)
{
    (void)state;
    refused("x:methods=bs", "\"methods\"", "method|levels");
    refused("x:=bs", "\"\"", "method|levels");
    refused("x:", "\"\"", "method|levels");
    refused("x:method=bs,", "\"\"", "method|levels");
    refused("x:,method=bs", "\"\"", "method|levels");
    refused("x:method=bs,,levels=2", "\"\"", "method|levels");
    refused("x:method", "method=", "bs|is|lr-local");
    refused("x:method=b", "method=b:", "bs|is|lr-local");
    refused("x:method=bs,levels=2,method=is", "\"method\"", "given twice");
    refused("x:levels=", "levels=", "1 to 4");
    refused("x:levels=0", "levels=0", "1 to 4");
    refused("x:levels=5", "levels=5", "1 to 4");
    refused("x:levels=1x", "levels=1x", "1 to 4");
    refused("x:levels=4294967297", "levels=4294967297", "1 to 4");
    refused("x:levels=99999999999999999999999999999999", "levels=999", "1 to 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(defaults_and_values_are_read),
        cmocka_unit_test(mistakes_are_refused_with_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
