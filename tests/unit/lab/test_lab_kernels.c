/* test_lab_kernels.c: the lab's kernels are known to devices once they are added, and not before. */
#include "lab/gpu/lab_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void the_library_has_none(void **state)
{
    (void)state;
    assert_non_null(rp__kernel_table_at(RP_KERNELS - 1));
    assert_null(rp__kernel_table_at(RP_KERNELS));
    assert_null(rp__kernel_table_image("copy"));
}

static void added_ones_follow(void **state)
{
    (void)state;
    bool has_images = rp__kernel_table_image("and_single") != NULL; /* where nvcc was */
    rp__lab_kernels_add();
    rp__lab_kernels_add();
    assert_string_equal(rp__kernel_table_at(RP_KERNEL_copy_kernel)->name, "copy_kernel");
    assert_null(rp__kernel_table_at(RP_LAB_KERNELS_END));
    for (size_t i = 0; i < RP_LAB_KERNELS_END; i++)
        assert_int_equal(rp__kernel_table_image(rp__kernel_table_at(i)->file) != NULL, has_images);
    assert_null(rp__kernel_table_image("no such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_has_none),
        cmocka_unit_test(added_ones_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
