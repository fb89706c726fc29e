/* test_cpu.c: levels are nested, and RIPOSTE_SIMD hides what lies above the one it names. */
#include "base/cpu.h"
#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void scalar_has_nothing(void **state)
{
    (void)state;
    assert_int_equal(rp__cpu_features_of("scalar"), 0);
}

static void levels_are_nested(void **state)
{
    (void)state;
    uint32_t all = rp__cpu_features_of(NULL);
    assert_int_equal(rp__cpu_features_of("avx2"), all & RP_CPU_AVX2);
    assert_int_equal(rp__cpu_features_of("avx512"), all);
    if (all & RP_CPU_AVX512)
        assert_true(all & RP_CPU_AVX2);
}

static void what_is_absent_is_named(void **state)
{
    (void)state;
    uint32_t all = rp__cpu_features_of(NULL);
    assert_int_equal(rp__cpu_lacks(RP_CPU_AVX2) == NULL, (all & RP_CPU_AVX2) != 0);
    assert_int_equal(rp__cpu_lacks(RP_CPU_AVX512) == NULL, (all & RP_CPU_AVX512) != 0);
}

static void an_unknown_level_hides_nothing(void **state)
{
    (void)state;
    assert_int_equal(rp__cpu_features_of("mmx"), rp__cpu_features_of(NULL));
    assert_int_equal(rp__cpu_features_of(""), rp__cpu_features_of(NULL));
}

static void the_environment_is_asked_once(void **state)
{
    (void)state;
    setenv("RIPOSTE_SIMD", "scalar", 1);
    assert_int_equal(rp__cpu_features(), 0);
    unsetenv("RIPOSTE_SIMD");
    assert_int_equal(rp__cpu_features(), 0);
}

/* As `taskset` and containers have it: threads for cores that are another's would only wait. */
static void only_own_cores_count(void **state)
{
    (void)state;
    rp__thread_cores all;
    rp__thread_get_cores(&all);
    assert_int_equal(rp__cpu_cores(), all.n);
    assert_true(rp__thread_keep_to(&all, 0, 1));
    assert_int_equal(rp__cpu_cores(), 1);
    assert_in_range(rp__cpu_machine_cores(), all.n, UINT32_MAX); /* whatever the thread may use */
    assert_true(rp__thread_keep_to(&all, 0, all.n));
    assert_int_equal(rp__cpu_cores(), all.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_has_nothing),
        cmocka_unit_test(levels_are_nested),
        cmocka_unit_test(what_is_absent_is_named),
        cmocka_unit_test(an_unknown_level_hides_nothing),
        cmocka_unit_test(the_environment_is_asked_once),
        cmocka_unit_test(only_own_cores_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
