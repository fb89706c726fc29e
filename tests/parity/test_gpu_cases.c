/* test_gpu_cases.c: every kernel on the emulated device against the CPU: small and awkward sizes, several
 * orders of threads, blocks and commands.
 *
 * RIPOSTE_GPU_ORDERS: how many orders (2); RIPOSTE_GPU_CASES: only rows whose "area name" begins with it;
 * RIPOSTE_GPU=0: on that card instead; SHARD=i/n: a share of the rows, each named before it is run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "lab/gpu/gpu_bench.h"
#include "parity/shard.h"

static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 257, 1000, 4097};

/* A card is opened once: that takes a third of a second. */
static rp__device *card(void)
{
    static rp__device device;
    rp_error err = {.text = ""};
    if (!device.driver && rp__gpu_bench_open(&(rp__place){0}, &device, &err) != RP_OK)
        fail_msg("%s", err.text);
    return &device;
}

static void try_case(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed)
{
    rp_error err = {.text = ""};
    void *state = NULL;
    rp_status status = row->make(row, device, n, seed, &state);
    if (status == RP_OK)
        status = row->run(row, device, state);
    if (status == RP_OK)
        status = row->check(row, device, state, &err);
    if (status != RP_OK)
        fail_msg("%s %s of %d, order %d: %s (%s, %s)", row->area, row->name, (int)n, (int)seed,
                 rp_status_text(status), err.text, device->fault.text);
    row->free(row, device, state);
}

static void run_case(const rp__gpu_case *row, uint64_t n, uint64_t seed)
{
    rp__device device;
    rp_error err = {.text = ""};
    if (getenv("RIPOSTE_GPU")) {
        try_case(row, card(), n, seed);
        return;
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp__gpu_bench_open(&(rp__place){.gpu = "emulated"}, &device, &err), RP_OK);
    try_case(row, &device, n, seed);
    rp__device_close(&device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Rows of a share follow each other, since neighbours are kernels of one module, which is loaded once. */
static bool is_wanted(size_t i, const char *name, shard share)
{
    static size_t n_rows;
    const char *only = getenv("RIPOSTE_GPU_CASES");
    while (rp__gpu_case_at(n_rows))
        n_rows++;
    return i * share.n / n_rows == share.i && (!only || !strncmp(name, only, strlen(only)));
}

static void every_kernel_gives_what_the_cpu_gives(void **state)
{
    (void)state;
    uint64_t orders = shard_number("RIPOSTE_GPU_ORDERS", 2);
    shard share = shard_here();
    const rp__gpu_case *row;
    size_t ran = 0;
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++) {
        char name[80];
        snprintf(name, sizeof name, "%s %s", row->area, row->name);
        if (!is_wanted(i, name, share))
            continue;
        if (share.n > 1)
            print_message("case %s\n", name);
        for (uint64_t seed = 0; seed < orders; seed++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++, ran++)
                run_case(row, sizes[s], seed);
    }
    print_message("gpu cases: shard %u/%u: %zu runs\n", share.i, share.n, ran);
    assert_true(ran > 0);
}

/* Of more than 512 x 512 scores the heap of groups of 512 has three levels, as its paper has. */
static void deep_heaps_give_what_the_cpu_gives(void **state)
{
    (void)state;
    const uint64_t n = 512 * 512 + 1;
    const rp__gpu_case *row;
    if (shard_here().i > 0)
        return;
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++)
        if (!strcmp(row->area, "select") && !strncmp(row->name, "heap512", 7))
            run_case(row, n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_gives_what_the_cpu_gives),
                                       cmocka_unit_test(deep_heaps_give_what_the_cpu_gives)};
    setvbuf(stdout, NULL, _IOLBF, 0); /* whoever kills it knows how far it came */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
