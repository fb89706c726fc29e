/* prim_cuda.cuh: prim.cuh for CUDA. */
#include <cuda_pipeline_primitives.h>

#define PRIM        static __device__ __forceinline__
#define PRIM_MEMBER __device__ __forceinline__     /* of a struct */
#define PRIM_APART  static __device__ __noinline__ /* rarely called: has registers of its own */

#define RP_KERNEL(name, args)                                                                      \
    extern "C" __global__ void PRIM_NAME(name)(const __grid_constant__ args a)
/* At most `threads` a block, at least `blocks` of them on a multiprocessor. */
#define RP_KERNEL_BOUNDED(name, args, threads, blocks)                                             \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                  \
        PRIM_NAME(name)(const __grid_constant__ args a)

PRIM uint32_t prim_thread()
{
    return threadIdx.x;
}
PRIM uint32_t prim_block()
{
    return blockIdx.x;
}
PRIM uint32_t prim_block_size()
{
    return blockDim.x;
}
PRIM uint32_t prim_grid_size()
{
    return gridDim.x;
}

extern __shared__ __align__(128) unsigned char prim_shared_bytes[];
PRIM unsigned char *prim_shared()
{
    return prim_shared_bytes;
}

PRIM void prim_sync()
{
    __syncthreads();
}
PRIM void prim_sync_tile()
{
    __syncwarp();
}
PRIM void prim_fence()
{
    __threadfence();
}
PRIM void prim_fence_host()
{
    __threadfence_system();
} /* the host sees it too */
PRIM void prim_trap()
{
    __trap();
}

/* Tiles: every call names all threads of the tile. */
template <int W> PRIM uint32_t prim_tile_mask()
{
    return W == 32 ? 0xFFFFFFFFU : ((1U << (W & 31)) - 1) << (threadIdx.x & 31 & ~(W - 1));
}
template <int W, class T> PRIM T prim_shuffle(T v, uint32_t lane)
{
    return __shfl_sync(prim_tile_mask<W>(), v, (int)lane, W);
}
template <int W, class T> PRIM T prim_shuffle_up(T v, uint32_t by)
{
    return __shfl_up_sync(prim_tile_mask<W>(), v, by, W);
}
/* The same where the whole warp comes, in parts of W: nothing has to be found out about who is
 * there. */
template <int W, class T> PRIM T prim_shuffle_up_all(T v, uint32_t by)
{
    return __shfl_up_sync(0xFFFFFFFFU, v, by, W);
}
/* v and, where there is one in its part of W, what the thread `by` below has. Two instructions: the
 * shuffle itself says whether there is one. */
template <int W> PRIM uint32_t prim_add_below_all(uint32_t v, uint32_t by)
{
    asm volatile("{ .reg .pred p; .reg .u32 t; shfl.sync.up.b32 t|p, %0, %1, %2, 0xffffffff; @p "
                 "add.u32 %0, %0, t; }"
                 : "+r"(v)
                 : "r"(by), "n"((32 - W) << 8));
    return v;
}
template <int W, class T> PRIM T prim_shuffle_down(T v, uint32_t by)
{
    return __shfl_down_sync(prim_tile_mask<W>(), v, by, W);
}
template <int W, class T> PRIM T prim_shuffle_xor(T v, uint32_t mask)
{
    return __shfl_xor_sync(prim_tile_mask<W>(), v, (int)mask, W);
}
/* A bit for each thread of the tile, its first thread's lowest. */
template <int W> PRIM uint32_t prim_ballot(bool p)
{
    uint32_t all = __ballot_sync(prim_tile_mask<W>(), p);
    return W == 32 ? all : (all >> (threadIdx.x & 31 & ~(W - 1))) & ((1U << (W & 31)) - 1);
}
/* The bits that any thread of the warp has, for all. */
PRIM uint32_t prim_or_all(uint32_t v)
{
    return __reduce_or_sync(0xFFFFFFFFU, v);
}

PRIM uint32_t prim_atomic_add(uint32_t *at, uint32_t v)
{
    return atomicAdd(at, v);
}
PRIM uint32_t prim_atomic_swap(uint32_t *at, uint32_t v)
{
    return atomicExch(at, v);
}
PRIM uint32_t prim_atomic_or(uint32_t *at, uint32_t v)
{
    return atomicOr(at, v);
}
PRIM uint32_t prim_atomic_max(uint32_t *at, uint32_t v)
{
    return atomicMax(at, v);
}
PRIM uint64_t prim_atomic_add64(uint64_t *at, uint64_t v)
{
    return atomicAdd((unsigned long long *)at, (unsigned long long)v);
}
PRIM uint64_t prim_atomic_swap64(uint64_t *at, uint64_t v)
{
    return atomicExch((unsigned long long *)at, (unsigned long long)v);
}
PRIM void prim_rest()
{
    __nanosleep(40);
} /* between looks at what others write */
/* Seen by other blocks, and not kept from an earlier look. */
PRIM uint32_t prim_load_now(const uint32_t *at)
{
    return *(const volatile uint32_t *)at;
}
PRIM uint64_t prim_load_now64(const uint64_t *at)
{
    return *(const volatile uint64_t *)at;
}
PRIM void prim_store_now(uint32_t *at, uint32_t v)
{
    *(volatile uint32_t *)at = v;
}
PRIM void prim_store_now64(uint64_t *at, uint64_t v)
{
    *(volatile uint64_t *)at = v;
}
/* 16 bytes, each half of them whole. */
PRIM uint4 prim_load_now16(const uint4 *at)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
    return v;
}
PRIM void prim_store_now16(uint4 *at, uint4 v)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}
/* The same where any value that the word ever had will do: a flag that is waited for, a hint, a
 * number that is checked. Data that must be complete is loaded by prim_load_now, after a fence;
 * strict mode checks that. */
PRIM uint32_t prim_look(const uint32_t *at)
{
    return prim_load_now(at);
}
PRIM uint64_t prim_look64(const uint64_t *at)
{
    return prim_load_now64(at);
}
PRIM uint4 prim_look16(const uint4 *at)
{
    return prim_load_now16(at);
}
/* Nothing is to be done until the host acts. */
PRIM void prim_idle() {}
/* Nanoseconds. */
PRIM uint64_t prim_clock()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/* Loads of what no thread writes meanwhile: to be read again; and once. */
template <class T> PRIM T prim_load(const T *at)
{
    return __ldg(at);
}
template <class T> PRIM T prim_load_once(const T *at)
{
    return __ldcs(at);
}
/* To the second-level cache; of any address of device memory. */
PRIM void prim_prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}
/* The same of all bytes from `at` on, and what lies within 16 of their ends. */
PRIM void prim_prefetch_all(const void *at, uint32_t bytes)
{
    uint64_t from = (uint64_t)at & ~(uint64_t)15, to = ((uint64_t)at + bytes + 15) & ~(uint64_t)15;
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from),
                 "r"((uint32_t)(to - from)));
#else
    for (; from < to; from += 128)
        prim_prefetch((const void *)from);
#endif
}
/* 16 bytes of device memory to shared memory, both aligned to 16; there after a wait, for this
 * thread. */
PRIM void prim_copy16(void *to, const void *from)
{
    __pipeline_memcpy_async(to, from, 16);
}
PRIM void prim_copies_wait()
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
template <class T> PRIM void prim_store_once(T *at, T v)
{
    __stcs(at, v);
}

/* v, but what it was made of is hidden from the compiler: it stays one number, and is not made anew
 * at each use. */
PRIM uint32_t prim_opaque(uint32_t v)
{
    asm("" : "+r"(v));
    return v;
}
PRIM uint32_t prim_count(uint32_t v)
{
    return (uint32_t)__popc(v);
}
PRIM uint32_t prim_lowest(uint32_t v)
{
    return (uint32_t)__ffs((int)v) - 1;
} /* v != 0 */
PRIM uint32_t prim_lowest64(uint64_t v)
{
    return (uint32_t)__ffsll((long long)v) - 1;
}
/* bits of v; 0 of 0 */
PRIM uint32_t prim_width(uint32_t v)
{
    return 32 - (uint32_t)__clz((int)v);
}
/* byte i, of 0 to 3 */
PRIM uint32_t prim_byte(uint32_t v, uint32_t i)
{
    return __byte_perm(v, 0, 0x4440 + i);
}
/* (high:low) >> shift, its low word; shift is taken modulo 32. */
PRIM uint32_t prim_funnel(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_r(low, high, shift);
}
/* The same where shift is at most 32. */
PRIM uint32_t prim_funnel32(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_rc(low, high, shift);
}
/* IEEE operations that no option changes. */
PRIM float prim_div(float x, float y)
{
    return __fdiv_rn(x, y);
}
PRIM float prim_mul(float x, float y)
{
    return __fmul_rn(x, y);
}
PRIM float prim_add(float x, float y)
{
    return __fadd_rn(x, y);
}
PRIM uint32_t prim_truncate(float x)
{
    return __float2uint_rz(x);
}
PRIM float prim_float(uint32_t v)
{
    return __uint2float_rn(v);
}
/* The bits of a float, and the float of bits: those that are not below 0 rise together. */
PRIM uint32_t prim_word(float x)
{
    return __float_as_uint(x);
}
PRIM float prim_real(uint32_t v)
{
    return __uint_as_float(v);
}
