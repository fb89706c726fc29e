/* energy.c: RAPL by way of the powercap files, which Linux has for processors of Intel and AMD. */
#include "lab/energy.h"

#include <stdio.h>
#include <stdlib.h>

/* A package a file; most systems let only root read them. */
static bool read_package(unsigned i, double *joules)
{
    char path[64], text[32], *end = text;
    snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%u/energy_uj", i);
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof text, file))
        *joules += (double)strtoull(text, &end, 10) / 1e6;
    if (file)
        fclose(file);
    return end > text;
}

bool rp__energy_read(double *joules)
{
    unsigned n = 0;
    *joules = 0;
    while (read_package(n, joules))
        n++;
    return n > 0;
}
