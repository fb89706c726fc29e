/* energy.c: RAPL by way of the powercap files, which Linux has for processors of Intel and AMD. */
#include "base/energy.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* A package a file; most systems let only root read them. */
static bool read_package(unsigned i, double *joules)
{
    char path[64];
    uint64_t microjoules;
    snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%u/energy_uj", i);
    FILE *file = fopen(path, "r");
    bool is_read = file && fscanf(file, "%" SCNu64, &microjoules) == 1;
    if (is_read)
        *joules += (double)microjoules / 1e6;
    if (file)
        fclose(file);
    return is_read;
}

bool rp__energy_read(double *joules)
{
    unsigned n = 0;
    *joules = 0;
    while (read_package(n, joules))
        n++;
    return n > 0;
}
