/* lab/gpu/gpu_bench.h: what a case costs on a device. */
#ifndef RP_LAB_GPU_GPU_BENCH_H
#define RP_LAB_GPU_GPU_BENCH_H

#include "backend/backend.h"
#include "lab/gpu/gpu_case_param.h"
#include "lab/gpu/launch_clock.h"

typedef struct rp__gpu_figures {
    double median, best;      /* seconds, by the device's own clock */
    double cpu;               /* seconds of one core; 0: nobody has an answer */
    uint64_t bytes, elements; /* as the case counts them */
    size_t n_launches;        /* of one run, and seconds of each */
    double launches[RP_LAUNCH_CLOCK_MAX];
} rp__gpu_figures;

/* Opens the device that is meant. */
rp_status rp__gpu_bench_open(const rp__place *place, rp__device *device, rp_error *err);
/* Makes n elements, checks one run, and times `rounds` more, each after something else has gone
 * through the second-level cache. RP_DAMAGED: the answer is wrong, what says where. */
rp_status rp__gpu_bench_run(const rp__gpu_case *row, rp__device *device, uint64_t n,
                            uint32_t rounds, const rp__gpu_peer *peer, rp__gpu_figures *out,
                            rp_error *what);

#endif
