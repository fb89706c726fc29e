/* test_lab_gpu.c: every case on the emulated device, and the same on a core of the host beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/lab.h"

enum { N = 700 };

static void every_case_has_its_figures_and_a_cores(void **state)
{
    rp__lab_gpu *gpu;
    rp__lab_case about;
    rp__lab_case_figures f;
    rp_error err = {.text = ""};
    (void)state;
    assert_int_equal(rp__lab_gpu_open("emulated", &gpu, &err), RP_OK);
    assert_string_equal(rp__lab_gpu_name(gpu), "emulated");
    for (size_t i = 0; rp__lab_case_get(i, &about); i++) {
        bool is_damaged = strstr(about.name, "damaged") != NULL;
        rp_status status = rp__lab_gpu_run(gpu, i, N, 1, &f, &err);
        if (status != RP_OK)
            fail_msg("%s %s: %s", about.area, about.name, err.text);
        if ((f.cpu > 0) == is_damaged)
            fail_msg("%s %s: a core's time is %g", about.area, about.name, f.cpu);
        assert_true(f.bytes > 0 && f.elements > 0 && f.best <= f.median);
    }
    rp__lab_gpu_close(gpu);
}

static void there_is_an_end_of_cases(void **state)
{
    rp__lab_gpu *gpu;
    rp__lab_case_figures f;
    rp_error err = {.text = ""};
    (void)state;
    assert_int_equal(rp__lab_gpu_open("emulated", &gpu, &err), RP_OK);
    assert_int_equal(rp__lab_gpu_run(gpu, SIZE_MAX, N, 1, &f, &err), RP_NOT_FOUND);
    rp__lab_gpu_close(gpu);
    rp__lab_gpu_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_has_its_figures_and_a_cores),
        cmocka_unit_test(there_is_an_end_of_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
