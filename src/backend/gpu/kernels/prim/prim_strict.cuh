/* prim_strict.cuh: the part of prim_emulated.cuh that touches memory, for the strict emulated
 * device: every access that is more than a plain load or store is a call to the device, with the
 * name of the function it stands in. Plain accesses are reported by the compiler's instrumentation.
 * tests/strict answers both; docs/emulated-device.md says what is checked. */
#ifndef RP_KERNELS_PRIM_STRICT_CUH
#define RP_KERNELS_PRIM_STRICT_CUH

enum strict_load { STRICT_LOAD_PLAIN, STRICT_LOAD_CACHED, STRICT_LOAD_NOW, STRICT_LOOK };
enum strict_atomic { STRICT_ADD, STRICT_SWAP, STRICT_OR, STRICT_MAX };

extern "C" {
void rp__strict_fence(const char *where, uint32_t line);
void rp__strict_load(void *to, const void *at, uint32_t bytes, uint32_t kind, const char *where);
void rp__strict_store(void *at, const void *from, uint32_t bytes, uint32_t is_now,
                      const char *where);
uint64_t rp__strict_atomic(void *at, uint32_t bytes, uint32_t what, uint64_t value,
                           const char *where);
void rp__strict_copy16(void *to, const void *from, const char *where);
void rp__strict_copies_wait(const char *where);
}

#define STRICT_WHERE const char *where = __builtin_FUNCTION()

PRIM void prim_fence(STRICT_WHERE, uint32_t line = __builtin_LINE())
{
    rp__strict_fence(where, line);
}
PRIM void prim_fence_host(STRICT_WHERE, uint32_t line = __builtin_LINE())
{
    rp__strict_fence(where, line);
}

PRIM uint32_t prim_atomic_add(uint32_t *at, uint32_t v, STRICT_WHERE)
{
    return (uint32_t)rp__strict_atomic(at, 4, STRICT_ADD, v, where);
}
PRIM uint32_t prim_atomic_swap(uint32_t *at, uint32_t v, STRICT_WHERE)
{
    return (uint32_t)rp__strict_atomic(at, 4, STRICT_SWAP, v, where);
}
PRIM uint32_t prim_atomic_or(uint32_t *at, uint32_t v, STRICT_WHERE)
{
    return (uint32_t)rp__strict_atomic(at, 4, STRICT_OR, v, where);
}
PRIM uint32_t prim_atomic_max(uint32_t *at, uint32_t v, STRICT_WHERE)
{
    return (uint32_t)rp__strict_atomic(at, 4, STRICT_MAX, v, where);
}
PRIM uint64_t prim_atomic_add64(uint64_t *at, uint64_t v, STRICT_WHERE)
{
    return rp__strict_atomic(at, 8, STRICT_ADD, v, where);
}
PRIM uint64_t prim_atomic_swap64(uint64_t *at, uint64_t v, STRICT_WHERE)
{
    return rp__strict_atomic(at, 8, STRICT_SWAP, v, where);
}

template <class T> PRIM T strict_load_as(const T *at, uint32_t kind, const char *where)
{
    T v;
    rp__strict_load(&v, at, sizeof v, kind, where);
    return v;
}
PRIM uint32_t prim_load_now(const uint32_t *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOAD_NOW, where);
}
PRIM uint64_t prim_load_now64(const uint64_t *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOAD_NOW, where);
}
PRIM uint4 prim_load_now16(const uint4 *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOAD_NOW, where);
}
PRIM uint32_t prim_look(const uint32_t *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOOK, where);
}
PRIM uint64_t prim_look64(const uint64_t *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOOK, where);
}
PRIM uint4 prim_look16(const uint4 *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOOK, where);
}
template <class T> PRIM T prim_load(const T *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOAD_CACHED, where);
}
template <class T> PRIM T prim_load_once(const T *at, STRICT_WHERE)
{
    return strict_load_as(at, STRICT_LOAD_PLAIN, where);
}

PRIM void prim_store_now(uint32_t *at, uint32_t v, STRICT_WHERE)
{
    rp__strict_store(at, &v, sizeof v, true, where);
}
PRIM void prim_store_now64(uint64_t *at, uint64_t v, STRICT_WHERE)
{
    rp__strict_store(at, &v, sizeof v, true, where);
}
PRIM void prim_store_now16(uint4 *at, uint4 v, STRICT_WHERE)
{
    rp__strict_store(at, &v, sizeof v, true, where);
}
template <class T> PRIM void prim_store_once(T *at, T v, STRICT_WHERE)
{
    rp__strict_store(at, &v, sizeof v, false, where);
}

PRIM void prim_copy16(void *to, const void *from, STRICT_WHERE)
{
    rp__strict_copy16(to, from, where);
}
PRIM void prim_copies_wait(STRICT_WHERE)
{
    rp__strict_copies_wait(where);
}

#endif
