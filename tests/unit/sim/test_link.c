/* test_link.c: registered FIFOs: what a cycle pushes is popped in the next, whoever is evaluated
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/link.h"

static void push(rp__link *link, rp__sim_clock *clock, uint32_t value)
{
    *(uint32_t *)rp__link_push(link, clock) = value;
}

static void a_push_is_seen_in_the_next_cycle(void **state)
{
    (void)state;
    rp__link link;
    rp__sim_clock clock = {.now = 7};
    assert_int_equal(rp__link_init(&link, 2, sizeof(uint32_t)), RP_OK);
    link.producer = 3;
    link.consumer = 70;
    push(&link, &clock, 11);
    assert_null(rp__link_head(&link, &clock));
    assert_int_equal(rp__link_space(&link, &clock), 1);
    assert_int_equal(clock.wake[1], UINT64_C(1) << 6);
    assert_int_equal(clock.last_move, 7);
    clock.now++;
    assert_int_equal(*(const uint32_t *)rp__link_head(&link, &clock), 11);
    assert_null(rp__link_peek(&link, &clock, 1));
    rp__link_pop(&link, &clock);
    assert_true(rp__link_is_empty(&link));
    rp__link_reset(&link);
}

/* Only a producer that may wait for space is woken. */
static void a_pop_wakes_the_producer_of_a_full_link(void **state)
{
    (void)state;
    for (uint32_t wake_fill = 1; wake_fill <= 2; wake_fill++) {
        rp__link link;
        rp__sim_clock clock = {.now = 7};
        assert_int_equal(rp__link_init(&link, 2, sizeof(uint32_t)), RP_OK);
        assert_int_equal(link.wake_fill, 2);
        link.wake_fill = (uint16_t)wake_fill;
        link.producer = 3;
        link.consumer = 70;
        push(&link, &clock, 11);
        push(&link, &clock, 12);
        clock.now++;
        rp__link_pop(&link, &clock);
        assert_int_equal(clock.wake[0], UINT64_C(1) << 3);
        clock.wake[0] = 0;
        rp__link_pop(&link, &clock);
        assert_int_equal(clock.wake[0], wake_fill == 1 ? UINT64_C(1) << 3 : 0);
        rp__link_reset(&link);
    }
}

/* Space that a pop makes is there in the next cycle, before and after the pop in this one. */
static void a_pop_makes_space_in_the_next_cycle(void **state)
{
    (void)state;
    rp__link link;
    rp__sim_clock clock = {.now = 1};
    assert_int_equal(rp__link_init(&link, 3, sizeof(uint32_t)), RP_OK);
    for (uint32_t i = 0; i < 3; i++)
        push(&link, &clock, i);
    assert_int_equal(rp__link_space(&link, &clock), 0);
    clock.now++;
    assert_int_equal(rp__link_count(&link, &clock), 3);
    rp__link_pop(&link, &clock);
    rp__link_pop(&link, &clock);
    assert_int_equal(rp__link_space(&link, &clock), 0);
    assert_int_equal(rp__link_fill(&link, &clock), 3);
    clock.now++;
    assert_int_equal(rp__link_space(&link, &clock), 2);
    push(&link, &clock, 3);
    assert_int_equal(rp__link_count(&link, &clock), 1);
    assert_int_equal(*(const uint32_t *)rp__link_head(&link, &clock), 2);
    clock.now++;
    assert_int_equal(*(const uint32_t *)rp__link_peek(&link, &clock, 1), 3);
    rp__link_reset(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_is_seen_in_the_next_cycle),
        cmocka_unit_test(a_pop_wakes_the_producer_of_a_full_link),
        cmocka_unit_test(a_pop_makes_space_in_the_next_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
