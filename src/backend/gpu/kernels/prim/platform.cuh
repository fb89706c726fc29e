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

/* Files that have the kernels of others in another form name them for it: those of kernels/iiu,
 * with IIU's scores; long_NAME.cu, for longer queries; count_NAME.cu, which also counts;
 * stored_NAME.cu, which reads more. */
#ifdef RP_KERNELS_IIU
#define PRIM_NAME_IIU(name) iiu_##name
#else
#define PRIM_NAME_IIU(name) name
#endif
#if defined(RP_KERNELS_LONG) && defined(RP_KERNELS_COUNT)
#define PRIM_NAME_FORM(name) long_count_##name
#elif defined(RP_KERNELS_LONG)
#define PRIM_NAME_FORM(name) long_##name
#elif defined(RP_KERNELS_COUNT)
#define PRIM_NAME_FORM(name) count_##name
#elif defined(RP_KERNELS_STORED)
#define PRIM_NAME_FORM(name) stored_##name
#else
#define PRIM_NAME_FORM(name) name
#endif
#define PRIM_NAME_OF(name) PRIM_NAME_IIU(name)
#define PRIM_NAME(name)    PRIM_NAME_OF(PRIM_NAME_FORM(name))

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
