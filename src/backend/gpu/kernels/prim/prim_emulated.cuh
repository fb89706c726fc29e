/* prim_emulated.cuh: prim.cuh for the emulated device: a thread is a fiber, which yields where it
 * waits. */
#include "backend/gpu/device/fiber.h"

#define PRIM        static inline
#define PRIM_MEMBER __attribute__((always_inline)) inline
#define PRIM_APART  static inline

#ifdef RP_PRIM_STRICT
#define PRIM_SYMBOL_OF(name) rp__strict_##name
#else
#define PRIM_SYMBOL_OF(name) rp__##name
#endif
#define PRIM_SYMBOL_AS(name) PRIM_SYMBOL_OF(name)
#define PRIM_SYMBOL(name)    PRIM_SYMBOL_AS(PRIM_NAME(name))
#define RP_KERNEL(name, args)                                                                      \
    static void name(const args &a);                                                               \
    extern "C" void PRIM_SYMBOL(name)(const void *at)                                              \
    {                                                                                              \
        name(*(const args *)at);                                                                   \
    }                                                                                              \
    static void name(const args &a)
#define RP_KERNEL_BOUNDED(name, args, threads, blocks) RP_KERNEL(name, args)

struct alignas(8) uint2 {
    uint32_t x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
PRIM uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}
PRIM uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}

PRIM uint32_t prim_thread()
{
    return rp__fiber_here.thread;
}
PRIM uint32_t prim_block()
{
    return rp__fiber_here.block;
}
PRIM uint32_t prim_block_size()
{
    return rp__fiber_here.block_size;
}
PRIM uint32_t prim_grid_size()
{
    return rp__fiber_here.grid_size;
}
PRIM unsigned char *prim_shared()
{
    return rp__fiber_here.shared;
}

PRIM void prim_sync()
{
    rp__fiber_sync();
}
PRIM void prim_sync_tile()
{
    rp__fiber_exchange(32, 0);
}
PRIM void prim_trap()
{
    rp__fiber_trap();
}

template <class T> PRIM uint64_t prim_bits(T v)
{
    uint64_t bits = 0;
    static_assert(sizeof v <= sizeof bits, "a value of at most 8 bytes");
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <class T> PRIM T prim_value(uint64_t bits)
{
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
template <int W, class T> PRIM T prim_shuffle(T v, uint32_t lane)
{
    return prim_value<T>(rp__fiber_exchange(W, prim_bits(v))[lane % W]);
}
template <int W, class T> PRIM T prim_shuffle_up(T v, uint32_t by)
{
    uint32_t lane = prim_thread() % W;
    const uint64_t *all = rp__fiber_exchange(W, prim_bits(v));
    return lane >= by ? prim_value<T>(all[lane - by]) : v;
}
template <int W, class T> PRIM T prim_shuffle_up_all(T v, uint32_t by)
{
    uint32_t lane = prim_thread() % 32;
    const uint64_t *all = rp__fiber_exchange(32, prim_bits(v));
    return lane % W >= by ? prim_value<T>(all[lane - by]) : v;
}
template <int W> PRIM uint32_t prim_add_below_all(uint32_t v, uint32_t by)
{
    uint32_t lane = prim_thread() % 32;
    const uint64_t *all = rp__fiber_exchange(32, v);
    return lane % W >= by ? v + (uint32_t)all[lane - by] : v;
}
template <int W, class T> PRIM T prim_shuffle_down(T v, uint32_t by)
{
    uint32_t lane = prim_thread() % W;
    const uint64_t *all = rp__fiber_exchange(W, prim_bits(v));
    return lane + by < W ? prim_value<T>(all[lane + by]) : v;
}
template <int W, class T> PRIM T prim_shuffle_xor(T v, uint32_t mask)
{
    uint32_t lane = prim_thread() % W;
    return prim_value<T>(rp__fiber_exchange(W, prim_bits(v))[(lane ^ mask) % W]);
}
template <int W> PRIM uint32_t prim_ballot(bool p)
{
    const uint64_t *all = rp__fiber_exchange(W, p);
    uint32_t set = 0;
    for (uint32_t i = 0; i < W; i++)
        set |= (uint32_t)(all[i] & 1) << i;
    return set;
}
PRIM uint32_t prim_or_all(uint32_t v)
{
    const uint64_t *all = rp__fiber_exchange(32, v);
    uint32_t set = 0;
    for (uint32_t i = 0; i < 32; i++)
        set |= (uint32_t)all[i];
    return set;
}

PRIM void prim_rest() {}
PRIM void prim_idle()
{
    rp__fiber_idle();
}
PRIM uint64_t prim_clock()
{
    return rp__fiber_clock();
}

PRIM void prim_prefetch(const void *) {}
PRIM void prim_prefetch_all(const void *, uint32_t) {}

#ifdef RP_PRIM_STRICT
#include "backend/gpu/kernels/prim/prim_strict.cuh"
#else
PRIM void prim_fence() {}
PRIM void prim_fence_host() {} /* the host sees it too */

template <class T> PRIM T prim_swap_in(T *at, T v)
{
    T before = *at;
    *at = v;
    return before;
}
PRIM uint32_t prim_atomic_add(uint32_t *at, uint32_t v)
{
    return prim_swap_in(at, *at + v);
}
PRIM uint32_t prim_atomic_swap(uint32_t *at, uint32_t v)
{
    return prim_swap_in(at, v);
}
PRIM uint32_t prim_atomic_or(uint32_t *at, uint32_t v)
{
    return prim_swap_in(at, *at | v);
}
PRIM uint32_t prim_atomic_max(uint32_t *at, uint32_t v)
{
    return prim_swap_in(at, *at < v ? v : *at);
}
PRIM uint64_t prim_atomic_add64(uint64_t *at, uint64_t v)
{
    return prim_swap_in(at, *at + v);
}
PRIM uint64_t prim_atomic_swap64(uint64_t *at, uint64_t v)
{
    return prim_swap_in(at, v);
}
PRIM uint32_t prim_load_now(const uint32_t *at)
{
    rp__fiber_pause();
    return *(const volatile uint32_t *)at;
}
PRIM uint64_t prim_load_now64(const uint64_t *at)
{
    rp__fiber_pause();
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
PRIM uint4 prim_load_now16(const uint4 *at)
{
    rp__fiber_pause();
    return *at;
}
PRIM void prim_store_now16(uint4 *at, uint4 v)
{
    *at = v;
}
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

template <class T> PRIM T prim_load(const T *at)
{
    return *at;
}
template <class T> PRIM T prim_load_once(const T *at)
{
    return *at;
}
PRIM void prim_copy16(void *to, const void *from)
{
    __builtin_memcpy(to, from, 16);
}
PRIM void prim_copies_wait() {}
template <class T> PRIM void prim_store_once(T *at, T v)
{
    *at = v;
}
#endif

PRIM uint32_t prim_opaque(uint32_t v)
{
    return v;
}
PRIM uint32_t prim_count(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v);
}
PRIM uint32_t prim_lowest(uint32_t v)
{
    return (uint32_t)__builtin_ctz(v);
}
PRIM uint32_t prim_lowest64(uint64_t v)
{
    return (uint32_t)__builtin_ctzll(v);
}
PRIM uint32_t prim_width(uint32_t v)
{
    return v ? 32 - (uint32_t)__builtin_clz(v) : 0;
}
PRIM uint32_t prim_byte(uint32_t v, uint32_t i)
{
    return v >> 8 * i & 255;
}
PRIM uint32_t prim_funnel(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (shift & 31));
}
PRIM uint32_t prim_funnel32(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (shift < 32 ? shift : 32));
}
PRIM float prim_div(float x, float y)
{
    return x / y;
}
PRIM float prim_mul(float x, float y)
{
    return x * y;
}
PRIM float prim_add(float x, float y)
{
    return x + y;
}
/* As the device does it: what is too large becomes the largest. */
PRIM uint32_t prim_truncate(float x)
{
    return x >= 0x1p32F ? UINT32_MAX : x > 0 ? (uint32_t)x : 0;
}
PRIM float prim_float(uint32_t v)
{
    return (float)v;
}
PRIM uint32_t prim_word(float x)
{
    return (uint32_t)prim_bits(x);
}
PRIM float prim_real(uint32_t v)
{
    return prim_value<float>(v);
}
