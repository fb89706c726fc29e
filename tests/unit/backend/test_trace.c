/* test_trace.c: kernels that were launched for a query are counted by their names, the first ones of too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/backend.h"

static void kernels_are_counted_by_name(void **state)
{
    (void)state;
    rp_kernel_count kernels[2] = {{.name = NULL}};
    rp__trace trace = {.kernels = kernels, .max_kernels = 2};
    rp__trace_kernel(&trace, "a_kernel", 1);
    rp__trace_kernel(&trace, "b_kernel", 2);
    rp__trace_kernel(&trace, "c_kernel", 4);
    rp__trace_kernel(&trace, "b_kernel", 8);
    assert_int_equal(trace.n_kernels, 2);
    assert_string_equal(kernels[0].name, "a_kernel");
    assert_int_equal(kernels[0].launches, 1);
    assert_string_equal(kernels[1].name, "b_kernel");
    assert_int_equal(kernels[1].launches, 10);
}

static void nothing_is_counted_without_a_place(void **state)
{
    (void)state;
    rp__trace trace = {0};
    rp__trace_kernel(&trace, "a_kernel", 1);
    assert_int_equal(trace.n_kernels, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_counted_by_name),
        cmocka_unit_test(nothing_is_counted_without_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
