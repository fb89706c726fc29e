/* futex.c: the system's own call for sleeping on a word, between processes too. */
#include "base/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    LOOKS = 64,        /* at the word for each look at the clock */
    POLITE_NS = 50000, /* then another thread that is ready may have the core */
};

void rp__futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
    const struct timespec most = {.tv_sec = (time_t)(ns / 1000000000U),
                                  .tv_nsec = (long)(ns % 1000000000U)};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
}

void rp__futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void rp__futex_wake_one(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Tells the core that this loop waits. */
static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

bool rp__futex_spin(_Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
    const uint64_t begin = rp__clock_now();
    uint64_t spent;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != value)
                return true;
            relax();
        }
        spent = rp__clock_now() - begin;
        if (spent > POLITE_NS)
            sched_yield();
    } while (spent < ns);
    return false;
}
