/* platform.cuh: what every kernel and every part of prim stands on, for CUDA and, in plain C++, for
 * the emulated device.
 *
 * A kernel is RP_KERNEL(name, args) { ... }, has its record as `a`, a grid and blocks of one
 * dimension, and no shared memory but what the launch gives it. Collectives concern a tile of 8, 16
 * or 32 threads, all of which must come to them. Scans and reductions are in scan.cuh. */
#ifndef RP_KERNELS_PLATFORM_CUH
#define RP_KERNELS_PLATFORM_CUH

#include <stdint.h>

#include "backend/gpu/kernels/args.h"

/* Files of kernels/iiu have the kernels of others with IIU's scores, under names of their own. */
#if defined(RP_KERNELS_IIU) && defined(RP_KERNELS_COUNT)
#define PRIM_NAME(name) iiu_count_##name
#elif defined(RP_KERNELS_IIU)
#define PRIM_NAME(name) iiu_##name
#elif defined(RP_KERNELS_STORED) /* and stored_NAME.cu that of NAME.cu, which reads more */
#define PRIM_NAME(name) stored_##name
#elif defined(RP_KERNELS_COUNT) /* count_NAME.cu too, which also counts */
#define PRIM_NAME(name) count_##name
#else
#define PRIM_NAME(name) name
#endif

#ifdef __CUDACC__
#include "backend/gpu/kernels/prim/prim_cuda.cuh"
#else
#include "backend/gpu/kernels/prim/prim_emulated.cuh"
#endif

/* An address of device memory as a pointer. */
template <class T> PRIM T *prim_at(uint64_t address)
{
    return (T *)(uintptr_t)address;
}

PRIM uint32_t prim_lane()
{
    return prim_thread() & 31;
}
PRIM uint32_t prim_warp()
{
    return prim_thread() >> 5;
}

/* The w low bits; w is at most 32. */
PRIM uint32_t prim_mask(uint32_t w)
{
    return w < 32 ? (1U << w) - 1 : ~0U;
}

template <class T> PRIM T prim_min(T a, T b)
{
    return b < a ? b : a;
}
template <class T> PRIM T prim_max(T a, T b)
{
    return a < b ? b : a;
}
PRIM uint32_t prim_div_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

#endif
