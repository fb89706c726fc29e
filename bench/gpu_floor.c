/* gpu_floor.c: what any program on a GPU takes before its first kernel, for bench/batch_whole.sh.
 *
 *   gpu_floor [FILE...]
 *
 * Loads the CUDA driver and initialises it, makes the context of card RIPOSTE_GPU (0) and a stream, and loads the modules
 * of these kernels' files, by the loader that riposte has; otherwise the modules that the first AND of a batch needs.
 * Prints what each step took, and ends without closing anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/gpu/device/device.h"
#include "base/clock.h"

static const char *const first_and[] = {"and_batch_topk",   "check_blocks",  "check_lists",
                                        "check_stored",     "decode_bitmap", "decode_optpfd",
                                        "freq_differences", "make_tiles"};

static double lap(uint64_t *since)
{
    const uint64_t begun = *since;
    *since = rp__clock_now();
    return (double)(*since - begun) / 1e9;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "gpu_floor: %s: %s\n", what, why);
    exit(1);
}

/* The module, and one of its kernels, whose code some drivers load only then. */
static void load(const rp__driver *driver, const char *file)
{
    rp__cu_module module;
    rp__cu_function function;
    size_t i = 0;
    while (rp__kernel_table_at(i) && strcmp(rp__kernel_table_at(i)->file, file) != 0)
        i++;
    const void *image = rp__kernel_table_image(file);
    if (!rp__kernel_table_at(i) || !image)
        fail(file, "there is no such file of kernels");
    rp__cu_result result = driver->module_load(&module, image);
    if (result == RP_CU_OK)
        result = driver->module_function(&function, module, rp__kernel_table_at(i)->name);
    if (result != RP_CU_OK)
        fail(file, rp__driver_text(driver, result));
}

int main(int argc, char **argv)
{
    const char *card = getenv("RIPOSTE_GPU");
    const rp__driver *driver;
    rp__device device;
    rp_error err;
    uint64_t at = rp__clock_now();
    if (rp__driver_load(&driver, &err) != RP_OK)
        fail("the driver", err.text);
    const double init = lap(&at);
    if (rp__device_open(&device, driver, card ? atoi(card) : 0, &err) != RP_OK)
        fail("the card", err.text);
    const double context = lap(&at);
    size_t n = argc > 1 ? (size_t)argc - 1 : sizeof first_and / sizeof *first_and;
    for (size_t i = 0; i < n; i++)
        load(driver, argc > 1 ? argv[i + 1] : first_and[i]);
    const double modules = lap(&at);
    printf("{\"init\":%.6f,\"context\":%.6f,\"modules\":%.6f,\"n_modules\":%zu}\n", init, context,
           modules, n);
    fflush(stdout);
    _exit(0);
}
