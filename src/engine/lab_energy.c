/* lab_energy.c: what queries cost in joules, where a machine says so. */
#include "backend/gpu/gpu_bench.h"
#include "base/energy.h"
#include "base/error.h"
#include "riposte/lab.h"

void rp_lab_energy_read(rp_lab_energy *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = (rp_lab_energy){0};
    out->has_cpu = rp__energy_read(&out->cpu);
    out->has_gpu = rp__driver_energy(0, &out->gpu);
}
