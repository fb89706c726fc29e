/* test_list_checks.c: verdicts on lists, and which launches they need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/gpu/residency/list_checks.h"

enum { LISTS = 100, UNIT = 16 };

/* Each list has its own, wherever it begins. */
static void verdicts_are_of_one_list(void **state)
{
    (void)state;
    static _Atomic uint64_t verdicts[LISTS * UNIT / 512 + 1];
    rp__residency r = {.verdicts = verdicts};
    for (uint64_t i = 0; i < LISTS; i++) {
        rp__term term = {.list_offset = i * UNIT};
        assert_int_equal(rp__list_checks_find(&r, &term), RP_VERDICT_NONE);
        if (i % 3 > 0)
            rp__list_checks_keep(&r, &term, (rp__verdict)(i % 3));
    }
    for (uint64_t i = 0; i < LISTS; i++)
        assert_int_equal(rp__list_checks_find(&r, &(rp__term){.list_offset = i * UNIT}), i % 3);
}

/* Whoever found damage is right: others may have looked at less. */
static void damage_stays(void **state)
{
    (void)state;
    static const rp__verdict verdicts[] = {RP_VERDICT_SOUND, RP_VERDICT_DAMAGED};
    const rp__term term = {.list_offset = 3 * UNIT};
    for (int first = 0; first < 2; first++) {
        _Atomic uint64_t word = 0;
        rp__residency r = {.verdicts = &word};
        rp__list_checks_keep(&r, &term, verdicts[first]);
        rp__list_checks_keep(&r, &term, verdicts[1 - first]);
        assert_int_equal(rp__list_checks_find(&r, &term), RP_VERDICT_DAMAGED);
    }
}

/* Nothing to check needs neither memory nor a device. */
static void none_need_nothing(void **state)
{
    (void)state;
    rp__lease lease = {0};
    assert_int_equal(rp__list_checks_run(&lease, NULL, NULL, 0), RP_OK);
    assert_true(rp__list_checks_end(&lease, NULL, 0));
    assert_null(lease.flags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_of_one_list),
                                       cmocka_unit_test(damage_stays),
                                       cmocka_unit_test(none_need_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
