/* bench_gpu.c: every case of the kernels on a device, beside the copy of the same run.
 *
 * usage: bench_gpu [--emulated] [--n N] [--rounds R] [PREFIX]   rows whose "area name" begins with PREFIX */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "backend/gpu/gpu_bench.h"

static double print_row(const rp__gpu_case *row, const rp__gpu_figures *f, double copy)
{
    double rate = (double)f->bytes / f->median;
    printf("%-10s %-28s %10.2f us %10.2f best %8.1f GB/s %9.2f G/s %6.3f of copy\n", row->area,
           row->name, f->median * 1e6, f->best * 1e6, rate / 1e9,
           (double)f->elements / f->median / 1e9, copy > 0 ? rate / copy : 1.0);
    fflush(stdout);
    return rate;
}

int main(int argc, char **argv)
{
    const rp__driver *driver = NULL;
    const char *prefix = "";
    uint64_t n = 1 << 28;
    uint32_t rounds = 9;
    rp_error err = {.text = ""};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--emulated"))
            driver = rp__emulated_driver();
        else if (!strcmp(argv[i], "--n") && i + 1 < argc)
            n = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
            rounds = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            prefix = argv[i];
    }
    rp__device device = {0};
    rp_status status = driver ? RP_OK : rp__driver_load(&driver, &err);
    if (status == RP_OK)
        status = rp__device_open(&device, driver, 0, &err);
    if (status != RP_OK) {
        fprintf(stderr, "bench_gpu: %s\n", err.text);
        return 6;
    }
    printf("%s, %u multiprocessors, n = %llu\n", device.name, device.processors,
           (unsigned long long)n);
    const rp__gpu_case *row;
    double copy = 0;
    int wrong = 0;
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++) {
        char name[96];
        rp__gpu_figures f;
        snprintf(name, sizeof name, "%s %s", row->area, row->name);
        if (i > 0 && strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        status = rp__gpu_bench_run(row, &device, n, rounds, &f, &err);
        if (status != RP_OK) {
            printf("%-10s %-28s FAILED: %s %s %s\n", row->area, row->name, rp_status_text(status),
                   err.text, device.fault.text);
            wrong++;
            err.text[0] = 0;
            if (device.is_lost)
                break;
            continue;
        }
        double rate = print_row(row, &f, copy);
        copy = i == 0 ? rate : copy;
    }
    rp__device_close(&device);
    return wrong > 0;
}
