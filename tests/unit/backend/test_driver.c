/* test_driver.c: what results mean, and the driver of devices that do not come back. */
#include "backend/gpu/device/driver.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "backend/gpu/device/emulated_device.h"

/* cuda.h says of these that the process must be terminated and started again. */
static void ten_results_are_fatal(void **state)
{
    (void)state;
    static const int fatal[] = {700, 702, 714, 715, 716, 717, 718, 719, 721, 810};
    size_t n = 0;
    for (int code = -1; code < 1100; code++)
        if (rp__driver_is_fatal(code)) {
            assert_true(n < 10);
            assert_int_equal(code, fatal[n++]);
            assert_false(rp__driver_is_passing(code));
        }
    assert_int_equal(n, 10);
}

/* Whatever is not known to pass does not: codes of drivers to come too. */
static void few_results_pass(void **state)
{
    (void)state;
    size_t n = 0;
    for (int code = -1; code < 1100; code++)
        n += rp__driver_is_passing(code);
    assert_int_equal(n, 7);
    assert_true(rp__driver_is_passing(RP_CU_OK) && rp__driver_is_passing(RP_CU_NO_MEMORY));
    assert_false(rp__driver_is_passing(999));
}

static void the_dead_driver_does_nothing(void **state)
{
    (void)state;
    const rp__driver *dead = &rp__driver_dead;
#define CALL(name, symbol, args) assert_non_null(dead->name);
    RP_DRIVER_CALLS(CALL)
    RP_DRIVER_OPTIONAL(CALL)
#undef CALL
    int count = 7;
    rp__cu_ptr at = 7;
    assert_true(rp__driver_is_fatal(dead->device_count(&count)));
    assert_true(rp__driver_is_fatal(dead->memory_alloc(&at, 64)));
    assert_true(rp__driver_is_fatal(dead->memory_free(at)));
    assert_true(rp__driver_is_fatal(dead->host_free(NULL)));
    assert_true(rp__driver_is_fatal(dead->stream_query(NULL)));
    assert_true(count == 7 && at == 7);
    assert_string_equal(rp__driver_text(dead, 700), "an unknown error");
}

static void results_have_names(void **state)
{
    (void)state;
    const rp__driver *driver = rp__emulated_device_driver();
    assert_string_equal(rp__driver_text(driver, 700), "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_string_equal(rp__driver_text(driver, 12345), "an unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_results_are_fatal),
        cmocka_unit_test(few_results_pass),
        cmocka_unit_test(the_dead_driver_does_nothing),
        cmocka_unit_test(results_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
