/* test_driver_partition.c: a part of a card's multiprocessors, by a driver that is none: which calls are made, and what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/driver_partition.h"
#include "backend/gpu/device/emulated_device.h"

enum { PROCESSORS = 132, GRAIN = 8 };

static int whole, part, primary_context, part_context, split_calls;
static rp__cu_result split_result;

static rp__cu_result get_device(rp__cu_device *device, int ordinal)
{
    *device = ordinal;
    return RP_CU_OK;
}

static rp__cu_result retain(rp__cu_context *out, rp__cu_device device)
{
    (void)device;
    *out = (rp__cu_context)(void *)&primary_context;
    return RP_CU_OK;
}

static rp__cu_result get_resource(rp__cu_device device, rp__cu_resource *out, int kind)
{
    (void)device;
    *out = (rp__cu_resource){.kind = kind, .n = PROCESSORS};
    return RP_CU_OK;
}

static rp__cu_result split(rp__cu_resource *parts, unsigned *n, const rp__cu_resource *of,
                           rp__cu_resource *rest, unsigned flags, unsigned min_count)
{
    (void)flags;
    split_calls++;
    *n = 1;
    parts[0] = *of;
    parts[0].n = (min_count + GRAIN - 1) / GRAIN * GRAIN;
    *rest = *of;
    rest->n = of->n - parts[0].n;
    return split_result;
}

static rp__cu_result name_resource(rp__cu_resources *out, rp__cu_resource *resources, unsigned n)
{
    assert_int_equal(n, 1);
    *out = (rp__cu_resources)(void *)(resources->n == PROCESSORS ? &whole : &part);
    return RP_CU_OK;
}

static rp__cu_result create(rp__cu_partition *out, rp__cu_resources resources, rp__cu_device device,
                            unsigned flags)
{
    (void)device;
    assert_int_equal(flags, RP_CU_PARTITION);
    *out = (rp__cu_partition)(void *)resources;
    return RP_CU_OK;
}

static rp__cu_result find_context(rp__cu_context *out, rp__cu_partition partition)
{
    (void)partition;
    *out = (rp__cu_context)(void *)&part_context;
    return RP_CU_OK;
}

static rp__driver driver = {.device_get = get_device,
                            .context_retain = retain,
                            .resource_get = get_resource,
                            .resource_split = split,
                            .resource_name = name_resource,
                            .partition_create = create,
                            .partition_context = find_context,
                            .error_name = rp__driver_name};

static void contexts_are_of_the_part(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    const rp__driver *out = NULL;
    rp__cu_context context = NULL;
    uint32_t have = 0;
    split_calls = 0;
    assert_int_equal(rp__driver_partition_make(&driver, 0, 20, &out, &have, &err), RP_OK);
    assert_int_equal(have, 24);
    assert_int_equal(split_calls, 1);
    assert_int_equal(out->context_retain(&context, 0), RP_CU_OK);
    assert_ptr_equal(context, &part_context);
    assert_int_equal(out->context_release(0), RP_CU_OK);
    assert_true(out->device_get == driver.device_get);
}

static void all_of_them_need_no_split(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    const rp__driver *out = NULL;
    uint32_t have = 0;
    split_calls = 0;
    assert_int_equal(rp__driver_partition_make(&driver, 0, PROCESSORS, &out, &have, &err), RP_OK);
    assert_int_equal(have, PROCESSORS);
    assert_int_equal(split_calls, 0);
}

static void refuse(const rp__driver *of, uint32_t n, rp_status status, const char *text)
{
    rp_error err = {.text = ""};
    const rp__driver *out = NULL;
    uint32_t have = 0;
    assert_int_equal(rp__driver_partition_make(of, 0, n, &out, &have, &err), status);
    if (!strstr(err.text, text))
        fail_msg("%s", err.text);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    rp__driver old = driver;
    refuse(&driver, PROCESSORS + 1, RP_USAGE, "has 132");
    old.partition_create = NULL;
    refuse(&old, 8, RP_UNAVAILABLE, "cannot be tested: this driver");
    refuse(rp__emulated_device_driver(), 1, RP_UNAVAILABLE, "cannot be tested: the emulated");
    split_result = RP_CU_INVALID;
    refuse(&driver, 8, RP_UNAVAILABLE, "CUDA_ERROR_INVALID_VALUE");
    split_result = RP_CU_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contexts_are_of_the_part),
                                       cmocka_unit_test(all_of_them_need_no_split),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
