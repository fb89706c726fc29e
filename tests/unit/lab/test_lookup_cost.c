/* test_lookup_cost.c: the three formulas against steps counted by hand, and how they stand to each other. */
#include "lab/lookup_cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const rp__lookup_times times = {.access = 100, .compare = 1};

static void assert_cost(double have, double want)
{
    if (fabs(have - want) > 1e-9)
        fail_msg("%.17g instead of %.17g", have, want);
}

/* 2^20 postings, of which 1/16 are left: 2^16, or 2^8 segments of 2^8. */
static void one_list(void **unused)
{
    (void)unused;
    const rp__lookup_list list = {.n = 1 << 20, .contraction = 0.0625, .local_contraction = 0.125};
    assert_cost(rp__lookup_cost_headed(&list, 1, 256, times), 101 * 8 + 201 * 8);
    assert_cost(rp__lookup_cost_headless(&list, 1, times), 201 * 16);
    assert_cost(rp__lookup_cost_local(&list, 1, 256, times), 101 * 8 + 201 * 5);
}

static void steps_are_rounded_up_and_lists_add_up(void **unused)
{
    (void)unused;
    const rp__lookup_list lists[] = {{1 << 20, 0.0625, 0.125}, {3000000, 0.01, 0.3}};
    /* 30000 left: 15 steps; 117.2 segments: 7 steps; 76.8 of a segment: 7 steps */
    assert_cost(rp__lookup_cost_headless(lists, 2, times), 201 * (16 + 15));
    assert_cost(rp__lookup_cost_headed(lists, 2, 256, times), 101 * (8 + 7) + 201 * (8 + 8));
    assert_cost(rp__lookup_cost_local(lists, 2, 256, times), 101 * (8 + 7) + 201 * (5 + 7));
    assert_cost(rp__lookup_cost_headed(lists, 0, 256, times), 0);
}

/* A range of one element or less takes no step. */
static void nothing_left_costs_nothing(void **unused)
{
    (void)unused;
    const rp__lookup_list list = {.n = 1000, .contraction = 0.001, .local_contraction = 0};
    assert_cost(rp__lookup_cost_headless(&list, 1, times), 0);
    assert_cost(rp__lookup_cost_headed(&list, 1, 256, times), 201 * 8);
    assert_cost(rp__lookup_cost_local(&list, 1, 256, times), 0);
}

/* Heads cost an access less a step; a third less where the accesses count and half the steps are at them. */
static void heads_pay(void **unused)
{
    (void)unused;
    const rp__lookup_list list = {.n = 1 << 24, .contraction = 0.0625, .local_contraction = 0.125};
    double headed = rp__lookup_cost_headed(&list, 1, 256, times);
    assert_true(headed < rp__lookup_cost_headless(&list, 1, times) * 0.72);
    assert_true(rp__lookup_cost_local(&list, 1, 256, times) < headed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_list),
        cmocka_unit_test(steps_are_rounded_up_and_lists_add_up),
        cmocka_unit_test(nothing_left_costs_nothing),
        cmocka_unit_test(heads_pay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
