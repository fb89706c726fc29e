/* thread.c: fork and join over pthreads. */
#include "base/thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"

typedef struct worker {
    pthread_t thread;
    rp__thread_fn *fn;
    void *arg;
    uint32_t number;
    uint64_t limit; /* of memory: that of the thread which starts it */
} worker;

static void *run_worker(void *p)
{
    const worker *w = p;
    rp__alloc_set_limit(w->limit);
    w->fn(w->arg, w->number);
    return NULL;
}

rp_status rp__thread_run(uint32_t n, rp__thread_fn *fn, void *arg)
{
    if (n <= 1) {
        fn(arg, 0);
        return RP_OK;
    }
    worker *workers = rp__alloc_array(n - 1, sizeof *workers);
    if (!workers)
        return RP_NO_MEMORY;
    uint32_t started = 0;
    for (; started < n - 1; started++) {
        workers[started] =
            (worker){.fn = fn, .arg = arg, .number = started, .limit = rp__alloc_get_limit()};
        if (pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) != 0)
            break;
    }
    if (started == n - 1)
        fn(arg, n - 1);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    rp__free(workers);
    return started == n - 1 ? RP_OK : RP_NO_MEMORY;
}

enum { WORD = 64 };

void rp__thread_get_cores(rp__thread_cores *out)
{
    cpu_set_t set;
    *out = (rp__thread_cores){0};
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (size_t i = 0; i < sizeof out->bits * 8 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set)) {
            out->bits[i / WORD] |= (uint64_t)1 << i % WORD;
            out->n++;
        }
}

bool rp__thread_keep_to(const rp__thread_cores *cores, uint32_t first, uint32_t n)
{
    cpu_set_t set;
    uint32_t seen = 0;
    CPU_ZERO(&set);
    for (size_t i = 0; i < sizeof cores->bits * 8 && i < CPU_SETSIZE; i++) {
        if (!(cores->bits[i / WORD] >> i % WORD & 1))
            continue;
        if (seen >= first && seen - first < n)
            CPU_SET(i, &set);
        seen++;
    }
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

uint32_t rp__thread_number(void)
{
    static _Atomic uint32_t threads;
    static _Thread_local uint32_t number; /* from 1 on; 0: it has none */
    if (number == 0)
        number = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
    return number - 1;
}

uint32_t rp__thread_core(void)
{
    const int core = sched_getcpu();
    return core >= 0 ? (uint32_t)core : rp__thread_number();
}

void rp__thread_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

void rp__thread_lock(pthread_mutex_t *lock)
{
    enum { LOOKS = 18, APART = 32 }; /* of a look from the next, at most, in pauses */
    for (unsigned look = 0, pauses = 1; look < LOOKS; look++) {
        if (pthread_mutex_trylock(lock) == 0)
            return;
        for (unsigned i = 0; i < pauses; i++)
            rp__clock_relax();
        pauses = pauses < APART ? 2 * pauses : APART;
    }
    pthread_mutex_lock(lock);
}

void rp__thread_wait(pthread_cond_t *moved, pthread_mutex_t *lock, uint64_t ns)
{
    const uint64_t second = 1000000000;
    uint64_t until = rp__clock_now() + ns;
    struct timespec at = {.tv_sec = (time_t)(until / second), .tv_nsec = (long)(until % second)};
    pthread_cond_clockwait(moved, lock, CLOCK_MONOTONIC, &at);
}
