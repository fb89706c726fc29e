/* clock.c: monotonic and per-thread time; never the time of day. */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

uint64_t rp__clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void rp__clock_sleep(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000U), .tv_nsec = (long)(ns % 1000000000U)};
    nanosleep(&t, NULL);
}

uint64_t rp__clock_thread(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
