/* cpu.c: asks the CPU once, and lets RIPOSTE_SIMD hide what it has; and asks the system for its name. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"

#if defined(RP_CPU_EMULATED) /* `make simde` has compiled the rows to portable C */
const char *rp__cpu_lacks(uint32_t feature)
{
    (void)feature;
    return NULL;
}
#elif defined(__x86_64__)
/* The compiler takes names of features as literals only. */
#define RETURN_IF_ABSENT(name)                                                                     \
    if (!__builtin_cpu_supports(name))                                                             \
    return name

static const char *avx2_lacks(void)
{
    RETURN_IF_ABSENT("avx2");
    RETURN_IF_ABSENT("bmi");
    RETURN_IF_ABSENT("bmi2");
    return NULL;
}

static const char *avx512_lacks(void)
{
    RETURN_IF_ABSENT("avx512f");
    RETURN_IF_ABSENT("avx512bw");
    RETURN_IF_ABSENT("avx512dq");
    RETURN_IF_ABSENT("avx512vl");
    RETURN_IF_ABSENT("avx512vbmi");
    RETURN_IF_ABSENT("avx512vbmi2");
    RETURN_IF_ABSENT("avx512vnni");
    return NULL;
}

const char *rp__cpu_lacks(uint32_t feature)
{
    __builtin_cpu_init();
    const char *lacks = avx2_lacks();
    return lacks || feature == RP_CPU_AVX2 ? lacks : avx512_lacks();
}
#else
const char *rp__cpu_lacks(uint32_t feature)
{
    return feature == RP_CPU_AVX2 ? "avx2" : "avx512f";
}
#endif

static uint32_t detect(void)
{
    return (rp__cpu_lacks(RP_CPU_AVX2) ? 0 : RP_CPU_AVX2) |
           (rp__cpu_lacks(RP_CPU_AVX512) ? 0 : RP_CPU_AVX512);
}

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

const char *rp__cpu_level(void)
{
    const uint32_t features = rp__cpu_features();
    return features & RP_CPU_AVX512 ? "avx512" : features & RP_CPU_AVX2 ? "avx2" : "scalar";
}

uint32_t rp__cpu_machine_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

uint32_t rp__cpu_cores(void)
{
    rp__thread_cores own;
    rp__thread_get_cores(&own);
    return own.n > 0 ? own.n : rp__cpu_machine_cores();
}

/* Linux says it in /proc. */
void rp__cpu_model(char *out, size_t bytes)
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "re");
    snprintf(out, bytes, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        const char *value = strchr(line, ':');
        if (!value || strncmp(line, "model name", 10) != 0)
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (in)
        fclose(in);
}
