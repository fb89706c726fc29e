/* base/cpu.h: what this CPU can do, as bits that rows of tables name in `needs`.
 *
 * RIPOSTE_SIMD=scalar|avx2|avx512 hides what lies above the level named. Any thread. */
#ifndef RP_BASE_CPU_H
#define RP_BASE_CPU_H

#include <stddef.h>
#include <stdint.h>

enum {
    RP_CPU_AVX2 = 1,   /* AVX2, BMI1, BMI2 */
    RP_CPU_AVX512 = 2, /* AVX-512 F BW DQ VL VBMI VBMI2 VNNI */
};

uint32_t rp__cpu_features(void);                 /* asked once, then remembered */
uint32_t rp__cpu_features_of(const char *level); /* what RIPOSTE_SIMD=level leaves; NULL: all */

/* What the CPU lacks for that feature, as the system names it: "avx512vbmi"; NULL: nothing. */
const char *rp__cpu_lacks(uint32_t feature);

const char *rp__cpu_level(void);      /* what is in use: "scalar", "avx2", "avx512" */
uint32_t rp__cpu_cores(void);         /* that this thread may use */
uint32_t rp__cpu_machine_cores(void); /* that are online; 1 where the system does not say */
/* The model's name, cut to fit; "unknown" where the system does not say. */
void rp__cpu_model(char *out, size_t bytes);

#endif
