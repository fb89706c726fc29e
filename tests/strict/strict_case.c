/* strict_case.c: a row, on a device that is opened for it. */
#include "strict/strict_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backend/gpu/device/emulated_device.h"

uint64_t strict_case_seeds(void)
{
    return getenv("RIPOSTE_THOROUGH") ? 20 : 1;
}

rp_status strict_case_run(const rp__gpu_case *row, uint64_t n, uint64_t seed, rp_error *err)
{
    rp__device device;
    void *state = NULL;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp__gpu_bench_open(&(rp__place){.gpu = "emulated"}, &device, err), RP_OK);
    rp_status status = row->make(row, &device, n, seed, &state);
    if (status == RP_OK)
        status = row->run(row, &device, state);
    if (status == RP_OK)
        status = row->check(row, &device, state, err);
    row->free(row, &device, state);
    rp__device_close(&device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return status;
}
