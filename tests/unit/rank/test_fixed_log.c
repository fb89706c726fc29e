/* test_fixed_log.c: the logarithm by integers, against libm and against itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "rank/fixed_log.h"

static float from_bits(uint32_t bits)
{
    float y;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Every mantissa of one exponent: rises strictly, and stays within the stated bound of libm. */
static void check_exponent(uint32_t exponent)
{
    uint32_t before = exponent ? rp__fixed_log(from_bits(((exponent + 127) << 23) - 1)) : 0;
    double least = 1, most = -1;
    for (uint32_t m = exponent ? 0 : 1; m < 1U << 23; m++) {
        float y = from_bits((exponent + 127) << 23 | m);
        uint32_t got = rp__fixed_log(y);
        if (got <= before)
            fail_msg("not rising at %a", (double)y);
        before = got;
        double error = ldexp(log((double)y), RP_FIXED_LOG_BITS) - got;
        least = fmin(least, error);
        most = fmax(most, error);
    }
    assert_true(least > -1e-3); /* libm's own error at this scale is below that */
    assert_true(most < 1.01);
}

static void rises_and_is_exact_over_all_mantissas(void **state)
{
    (void)state;
    static const uint32_t exponents[] = {0, 1, 20, 127};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++)
        check_exponent(exponents[i]);
}

static void rises_over_all_exponents(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (uint32_t bits = 0x3F800001; bits < 0x7F800000; bits += 4093) {
        uint32_t got = rp__fixed_log(from_bits(bits));
        assert_true(got > before);
        before = got;
    }
}

static void is_clamped_outside_its_range(void **state)
{
    (void)state;
    static const float zeros[] = {1.0F, 0.999999F, 0.0F, -0.0F, -2.0F, -INFINITY, NAN, FLT_MIN};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        assert_int_equal(rp__fixed_log(zeros[i]), 0);
    assert_int_equal(rp__fixed_log(INFINITY), rp__fixed_log(FLT_MAX));
    assert_true(rp__fixed_log(from_bits(0x3F800001)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rises_and_is_exact_over_all_mantissas),
        cmocka_unit_test(rises_over_all_exponents),
        cmocka_unit_test(is_clamped_outside_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
