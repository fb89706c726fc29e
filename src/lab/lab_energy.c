/* lab_energy.c: what queries cost in joules, where a machine says so. */
#include "backend/gpu/gpu_lab.h"
#include "base/error.h"
#include "lab/energy.h"
#include "lab/lab.h"

void rp__lab_energy_read(rp__lab_energy *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp__lab_energy){0};
    out->has_cpu = rp__energy_read(&out->cpu);
    out->has_gpu = rp__driver_energy(0, &out->gpu);
}
