/* base/clock.h: time that only goes forward. */
#ifndef RP_BASE_CLOCK_H
#define RP_BASE_CLOCK_H

#include <stdint.h>

uint64_t rp__clock_now(void);      /* nanoseconds of CLOCK_MONOTONIC */
void rp__clock_sleep(uint64_t ns); /* at least so long, unless a signal comes */
uint64_t rp__clock_thread(void);   /* nanoseconds of CPU time of this thread */

/* Between two looks at a word that another one writes: leaves the core to its other thread. */
static inline void rp__clock_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

#endif
