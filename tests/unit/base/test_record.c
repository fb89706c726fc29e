/* test_record.c: option records of earlier and later releases. */
#include "base/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct earlier {
    size_t size;
    uint32_t a;
} earlier;

typedef struct current {
    size_t size;
    uint32_t a;
    const char *b;
    double c;
} current;

typedef struct later {
    current known;
    uint32_t d;
    uint8_t e[9];
} later;

static void no_record_is_zeros(void **state)
{
    (void)state;
    current own = {7, 7, "x", 7};
    assert_int_equal(RP_TAKE(&own, NULL, NULL), RP_OK);
    assert_true(own.size == 0 && own.a == 0 && !own.b && own.c == 0);
}

static void size_zero_is_this_release(void **state)
{
    (void)state;
    const current given = {0, 1, "two", 3};
    current own;
    assert_int_equal(RP_TAKE(&own, &given, NULL), RP_OK);
    assert_true(own.a == 1 && own.b == given.b && own.c == 3);
    assert_int_equal(own.size, sizeof own);
}

static void an_earlier_record_leaves_later_fields_at_zero(void **state)
{
    (void)state;
    /* What lies behind an earlier record belongs to somebody else. */
    struct {
        earlier given;
        uint8_t others[64];
    } memory = {.given = {sizeof(earlier), 5}};
    memset(memory.others, 0xff, sizeof memory.others);
    current own;
    assert_int_equal(RP_TAKE(&own, &memory.given, NULL), RP_OK);
    assert_true(own.a == 5 && !own.b && own.c == 0);
}

static void a_later_record_may_leave_its_fields_at_zero(void **state)
{
    (void)state;
    later given;
    memset(&given, 0, sizeof given);
    given.known = (current){sizeof given, 1, "two", 3};
    current own;
    assert_int_equal(RP_TAKE(&own, &given, NULL), RP_OK);
    assert_true(own.a == 1 && own.b == given.known.b && own.c == 3);
}

static void each_unknown_byte_is_refused(void **state)
{
    (void)state;
    for (size_t i = sizeof(current); i < sizeof(later); i++) {
        later given;
        current own;
        rp_error err = {0};
        memset(&given, 0, sizeof given);
        given.known.size = sizeof given;
        ((uint8_t *)&given)[i] = 1;
        assert_int_equal(RP_TAKE(&own, &given, &err), RP_USAGE);
        assert_non_null(strstr(err.text, "a later release"));
    }
}

static void a_size_that_cannot_be_is_refused(void **state)
{
    (void)state;
    for (size_t size = 1; size < sizeof size; size++) {
        const current given = {.size = size};
        current own;
        rp_error err = {0};
        assert_int_equal(RP_TAKE(&own, &given, &err), RP_USAGE);
        assert_int_equal(err.code, RP_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_record_is_zeros),
        cmocka_unit_test(size_zero_is_this_release),
        cmocka_unit_test(an_earlier_record_leaves_later_fields_at_zero),
        cmocka_unit_test(a_later_record_may_leave_its_fields_at_zero),
        cmocka_unit_test(each_unknown_byte_is_refused),
        cmocka_unit_test(a_size_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
