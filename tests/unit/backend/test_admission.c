/* test_admission.c: counts of touches are at least true, mostly true, and fade. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/gpu/residency/admission.h"
#include "base/alloc.h"

enum { KEYS = 1000 };

static uint64_t key(size_t i)
{
    return 1000 + 16 * i;
}

static void counts_are_at_least_true(void **state)
{
    (void)state;
    rp__admission t;
    uint32_t too_high = 0;
    assert_true(rp__admission_open(&t, KEYS));
    for (size_t times = 0; times < 3; times++)
        for (size_t i = 0; i < KEYS; i += 2)
            rp__admission_add(&t, key(i));
    for (size_t i = 0; i < KEYS; i++) {
        uint32_t got = rp__admission_get(&t, key(i)), want = i % 2 ? 0 : 3;
        assert_true(got >= want);
        too_high += got > want;
    }
    assert_true(too_high < KEYS / 50);
    rp__admission_close(&t);
}

static void counts_fade(void **state)
{
    (void)state;
    rp__admission t;
    assert_true(rp__admission_open(&t, 1));
    for (size_t i = 0; i < 300; i++)
        rp__admission_add(&t, key(0));
    assert_int_equal(t.since, 300);
    assert_int_equal(rp__admission_get(&t, key(0)), 15);
    rp__admission_halve(&t);
    assert_int_equal(t.since, 0);
    assert_int_equal(rp__admission_get(&t, key(0)), 7);
    rp__admission_close(&t);
}

static void memory_may_be_missing(void **state)
{
    (void)state;
    rp__admission t;
    rp__alloc_fail_at(1, false);
    assert_false(rp__admission_open(&t, KEYS));
    rp__admission_close(&t);
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
