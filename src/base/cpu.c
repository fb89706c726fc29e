/* cpu.c: asks the CPU once, and lets RIPOSTE_SIMD hide what it has. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(RP_CPU_EMULATED) /* `make simde` has compiled the rows to portable C */
static uint32_t detect(void)
{
    return RP_CPU_AVX2 | RP_CPU_AVX512;
}
#elif defined(__x86_64__)
static uint32_t detect(void)
{
    uint32_t features = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        features |= RP_CPU_AVX2;
    if ((features & RP_CPU_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vnni"))
        features |= RP_CPU_AVX512;
    return features;
}
#else
static uint32_t detect(void)
{
    return 0;
}
#endif

uint32_t rp__cpu_features_of(const char *level)
{
    uint32_t features = detect();
    if (!level)
        return features;
    if (strcmp(level, "scalar") == 0)
        return 0;
    if (strcmp(level, "avx2") == 0)
        return features & RP_CPU_AVX2;
    return features;
}

uint32_t rp__cpu_features(void)
{
    static _Atomic uint32_t known; /* features + 1; 0: not asked yet */
    uint32_t v = atomic_load_explicit(&known, memory_order_relaxed);
    if (v == 0) {
        v = rp__cpu_features_of(getenv("RIPOSTE_SIMD")) + 1;
        atomic_store_explicit(&known, v, memory_order_relaxed);
    }
    return v - 1;
}
