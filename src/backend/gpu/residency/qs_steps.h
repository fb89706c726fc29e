/* backend/gpu/residency/qs_steps.h: interior of gpu: docids of one list in qs, by the steps of Li
 * 2014, 5.1 and 5.2: high bits are counted, the counts summed over the whole list, the ends
 * gathered, low bits added. Each step is a launch, or some. */
#ifndef RP_BACKEND_GPU_RESIDENCY_QS_STEPS_H
#define RP_BACKEND_GPU_RESIDENCY_QS_STEPS_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"

typedef enum rp__qs_method {
    RP_QS_NAIVE,    /* a bit a thread; literal */
    RP_QS_WORDS,    /* a word a thread, from end to end */
    RP_QS_SEPARATE, /* a word a thread, bit by bit; low bits are a step of their own; literal */
    RP_QS_MERGED,   /* as before, but for low bits, which are added as they are read; literal */
    RP_QS_LOW_BITS, /* low bits alone, which are no docids; literal */
    RP_QS_METHODS,
} rp__qs_method;

/* Device memory that steps leave to each other, for lists of up to so many high bits and docids. */
typedef struct rp__qs_steps {
    rp__qs_method method;
    uint32_t threads; /* of a block, but for the scan; 0: 256 */
    rp__cu_ptr ones, sums, uppers, parts;
} rp__qs_steps;

/* Bytes of it; and the same with addresses from `at` on. */
uint64_t rp__qs_steps_bytes(rp__qs_method method, uint64_t bits, uint32_t n);
rp__qs_steps rp__qs_steps_at(rp__qs_method method, uint64_t bits, uint32_t n, rp__cu_ptr at);

/* A list of n docids, whose karg_list is at `list`, with at most so many high bits: its docids go
 * to `out`. Any bytes are safe. Does not wait. */
typedef struct rp__qs_list {
    rp__cu_ptr list, out;
    uint64_t bits;
    uint32_t n;
} rp__qs_list;
rp_status rp__qs_steps_run(const rp__qs_steps *steps, rp__device *device, rp__cu_stream stream,
                           const rp__qs_list *list);

#endif
