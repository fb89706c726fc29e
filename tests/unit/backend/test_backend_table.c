/* test_backend_table.c: every processor is known by its name; those that are not there say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/backend.h"

static void rows_are_found_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu", "gpu", "iiu"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(rp__backend_at(i)->name, names[i]);
        assert_ptr_equal(rp__backend_find(names[i]), rp__backend_at(i));
    }
    assert_null(rp__backend_at(3));
    assert_null(rp__backend_find("tpu"));
    assert_null(rp__backend_find(""));
}

static void processors_that_are_missing_say_why(void **state)
{
    (void)state;
    const rp__backend *gpu = rp__backend_find("gpu");
    rp_error err = {.text = ""};
    rp__device_info info;
    rp_status status =
        gpu->device(&(rp__place){.gpu = "0"}, 0, &info, &err); /* a machine may have one */
    assert_true(status == RP_OK || (status == RP_UNAVAILABLE &&
                                    (strstr(err.text, "CUDA") || strstr(err.text, "nvcc"))));
    assert_int_equal(gpu->device(&(rp__place){.gpu = "first"}, 0, &info, &err), RP_USAGE);
}

static void the_emulated_gpu_is_there_when_asked_for(void **state)
{
    (void)state;
    const rp__backend *gpu = rp__backend_find("gpu");
    const rp__place emulated = {.gpu = "emulated"};
    rp_error err = {.text = ""};
    rp__device_info info;
    assert_int_equal(gpu->device(&emulated, 0, &info, &err), RP_OK);
    assert_true(info.is_emulated && info.memory > 0);
    assert_int_equal(gpu->device(&emulated, 1, &info, &err), RP_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(processors_that_are_missing_say_why),
        cmocka_unit_test(the_emulated_gpu_is_there_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
