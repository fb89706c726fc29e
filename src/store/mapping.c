/* mapping.c: turns the SIGBUS of a mapped file that was cut short into a status.
 *
 * The handler acts only for a thread that is inside rp__mapping_guard; anybody else's SIGBUS goes to
 * the handler that was there before. The signal is raised by the load itself, so at that point the
 * thread is in our own code and holds no lock of the C library. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "store/store.h"

static _Thread_local sigjmp_buf *volatile guard;
static struct sigaction before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_bus(int number, siginfo_t *info, void *context)
{
    if (guard) {
        /* Whoever called this may have blocked more signals than we asked for (sanitizers do). */
        const ucontext_t *interrupted = context;
        pthread_sigmask(SIG_SETMASK, &interrupted->uc_sigmask, NULL);
        siglongjmp(*guard, 1);
    }
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        signal(SIGBUS, SIG_DFL);
        raise(SIGBUS);
    }
}

static void install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    action.sa_sigaction = on_bus;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

/* Somebody between the system and on_bus may have blocked the signal: a program's own handler that passes
 * it on, or a sanitizer. Then leaving the handler by a jump must not leave it blocked. */
static void unblock(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

rp_status rp__mapping_guard(rp_status (*fn)(void *arg), void *arg)
{
    pthread_once(&once, install);
    sigjmp_buf here;
    if (sigsetjmp(here, 0) != 0) {
        guard = NULL;
        unblock();
        return RP_DAMAGED;
    }
    guard = &here;
    rp_status status = fn(arg);
    guard = NULL;
    return status;
}

typedef struct copy_job {
    void *to;
    const void *from;
    size_t bytes;
} copy_job;

static rp_status run_copy(void *arg)
{
    const copy_job *job = arg;
    memcpy(job->to, job->from, job->bytes);
    return RP_OK;
}

rp_status rp__mapping_copy(void *to, const void *from, size_t bytes)
{
    return rp__mapping_guard(run_copy, &(copy_job){to, from, bytes});
}
