/* preload_cuda.c: a CUDA driver that fails, to be found as libcuda.so.1 by a program that has no other.
 *
 * FAKE_FAIL=SYMBOL=CODE: that call returns the code. FAKE_VERSION, FAKE_COUNT and FAKE_MAJOR: the driver's, of cards,
 * of their compute capability. FAKE_CALLS=FILE: the name of each call is added to that file. Other calls do nothing and say that it went well, so something must fail before an
 * answer is looked at. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/driver.h"

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static void record(const char *symbol)
{
    const char *path = getenv("FAKE_CALLS");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (out) {
        fprintf(out, "%s\n", symbol);
        fclose(out);
    }
}

/* RP_CU_OK: this call is not to fail. */
static int failure(const char *symbol)
{
    const char *text = getenv("FAKE_FAIL");
    size_t n = strlen(symbol);
    return text && !strncmp(text, symbol, n) && text[n] == '=' ? atoi(text + n + 1) : RP_CU_OK;
}

static void put_attribute(int *out, uintptr_t which)
{
    *out = which == RP_CU_MAJOR             ? number("FAKE_MAJOR", 9)
           : which == RP_CU_MULTIPROCESSORS ? 2
                                            : 1 << 16;
}

/* Pinned memory is the driver's, too: what is left to it, because it does not come back, is no leak. */
static void *pinned[64];

static void *pin(size_t bytes)
{
    void *at = malloc(bytes);
    size_t i = 0;
    while (i < 63 && pinned[i])
        i++;
    pinned[i] = at;
    return at;
}

static void unpin(void *at)
{
    for (size_t i = 0; i < 64; i++)
        if (pinned[i] == at)
            pinned[i] = NULL;
    free(at);
}

/* What callers read. */
static void fill(const char *symbol, void *out, uintptr_t second)
{
    static char something;
    if (!strcmp(symbol, "cuDriverGetVersion"))
        *(int *)out = number("FAKE_VERSION", 13000);
    else if (!strcmp(symbol, "cuDeviceGetCount"))
        *(int *)out = number("FAKE_COUNT", 1);
    else if (!strcmp(symbol, "cuDeviceGet"))
        *(int *)out = 0;
    else if (!strcmp(symbol, "cuDeviceGetName"))
        memcpy(out, "fake", 5);
    else if (!strcmp(symbol, "cuDeviceTotalMem_v2"))
        *(size_t *)out = (size_t)1 << 30;
    else if (!strcmp(symbol, "cuDeviceGetAttribute"))
        put_attribute(out, second);
    else if (!strcmp(symbol, "cuMemHostAlloc"))
        *(void **)out = pin(second);
    else if (!strcmp(symbol, "cuMemFreeHost"))
        unpin(out);
    else if (!strcmp(symbol, "cuGetErrorName"))
        *(const char **)second = "CUDA_ERROR_FAKE";
    else if (!strcmp(symbol, "cuMemGetInfo_v2"))
        *(size_t *)out = *(size_t *)second = (size_t)1 << 30;
    else if (!strcmp(symbol, "cuMemAlloc_v2") || !strcmp(symbol, "cuMemHostGetDevicePointer_v2"))
        *(rp__cu_ptr *)out = 4096;
    else if (!strcmp(symbol, "cuDevicePrimaryCtxRetain") || !strcmp(symbol, "cuStreamCreate") ||
             !strcmp(symbol, "cuModuleLoadData") || !strcmp(symbol, "cuModuleGetFunction") ||
             !strcmp(symbol, "cuEventCreate"))
        *(void **)out = &something;
}

/* One form for all: whatever else a call is given is not looked at. */
#define FAKE(name, symbol, args)                                                                   \
    int symbol(void *first, uintptr_t second);                                                     \
    int symbol(void *first, uintptr_t second)                                                      \
    {                                                                                              \
        record(#symbol);                                                                           \
        int code = failure(#symbol);                                                               \
        if (code == RP_CU_OK)                                                                      \
            fill(#symbol, first, second);                                                          \
        return code;                                                                               \
    }
RP_DRIVER_CALLS(FAKE)
