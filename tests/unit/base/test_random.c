/* test_random.c: the generator is the published one, on every machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

/* splitmix64's first numbers for the seed 1234567, and the sum
 * that xorshift128+ starts with. */
static void test_first_numbers(void **state)
{
    (void)state;
    rp__random random;
    rp__random_init(&random, 1234567);
    assert_true(random.state[0] == 6457827717110365317U);
    assert_true(random.state[1] == 3203168211198807973U);
    assert_true(rp__random_next(&random) == 6457827717110365317U + 3203168211198807973U);
}

static void test_below(void **state)
{
    (void)state;
    rp__random random;
    rp__random_init(&random, 1);
    for (int i = 0; i < 1000; i++)
        assert_true(rp__random_below(&random, 7) < 7);
    assert_int_equal(rp__random_below(&random, 1), 0);
    random = (rp__random){{1ULL << 63, 1}};
    assert_int_equal(rp__random_below(&random, UINT32_MAX), UINT32_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_numbers),
        cmocka_unit_test(test_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
