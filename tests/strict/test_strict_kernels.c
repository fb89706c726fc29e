/* test_strict_kernels.c: every kernel in strict mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "backend/gpu/gpu_bench.h"
#include "strict/strict.h"

static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 257, 1000, 4097};

static void run_case(const rp__gpu_case *row, uint64_t n, uint64_t seed)
{
    rp__device device;
    rp_error err = {.text = ""};
    void *state = NULL;
    rp__emulated_configure(&(rp__emulated_options){.seed = seed});
    assert_int_equal(rp__gpu_bench_open(&(rp__place){.gpu = "emulated"}, &device, &err), RP_OK);
    rp_status status = row->make(row, &device, n, seed, &state);
    if (status == RP_OK)
        status = row->run(row, &device, state);
    if (status == RP_OK)
        status = row->check(row, &device, state, &err);
    if (status != RP_OK)
        printf("%s %s of %d, order %d: %s (%s, %s)\n", row->area, row->name, (int)n, (int)seed,
                 rp_status_text(status), strict_fault(), err.text);
    strict_plant_fault((strict_plant){0});
    row->free(row, &device, state);
    rp__device_close(&device);
    assert_int_equal(rp__emulated_in_use(), 0);
}

static void every_case(void **state)
{
    (void)state;
    const rp__gpu_case *row;
    const char *only = getenv("RIPOSTE_GPU_CASES");
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++) {
        if (only && strcmp(only, row->area)) continue;
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            run_case(row, sizes[s], 0);
    }
    for (uint32_t i = 0; i < RP_KERNELS; i++)
        if (!strict_launched(i))
            printf("not launched: %s\n", rp__kernels[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case)};
    strict_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
