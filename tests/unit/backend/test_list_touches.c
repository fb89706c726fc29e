/* test_list_touches.c: counts of touches are at least true, mostly true, and fade. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/gpu/list_touches.h"
#include "base/alloc.h"

enum { KEYS = 1000 };

static const char keys[KEYS];

static void counts_are_at_least_true(void **state)
{
    (void)state;
    rp__list_touches t;
    uint32_t too_high = 0;
    assert_true(rp__list_touches_open(&t, KEYS));
    for (size_t times = 0; times < 3; times++)
        for (size_t i = 0; i < KEYS; i += 2)
            rp__list_touches_add(&t, &keys[i]);
    for (size_t i = 0; i < KEYS; i++) {
        uint32_t got = rp__list_touches_get(&t, &keys[i]), want = i % 2 ? 0 : 3;
        assert_true(got >= want);
        too_high += got > want;
    }
    assert_true(too_high < KEYS / 50);
    rp__list_touches_close(&t);
}

static void counts_fade(void **state)
{
    (void)state;
    rp__list_touches t;
    assert_true(rp__list_touches_open(&t, 1));
    for (size_t i = 0; i < 300; i++)
        rp__list_touches_add(&t, &keys[0]);
    assert_int_equal(t.since, 300);
    assert_int_equal(rp__list_touches_get(&t, &keys[0]), 15);
    rp__list_touches_halve(&t);
    assert_int_equal(t.since, 0);
    assert_int_equal(rp__list_touches_get(&t, &keys[0]), 7);
    rp__list_touches_close(&t);
}

static void memory_may_be_missing(void **state)
{
    (void)state;
    rp__list_touches t;
    rp__alloc_fail_at(1, false);
    assert_false(rp__list_touches_open(&t, KEYS));
    rp__list_touches_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_at_least_true),
        cmocka_unit_test(counts_fade),
        cmocka_unit_test(memory_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
