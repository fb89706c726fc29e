/* interrupt.c: one handler for SIGINT and SIGTERM. It calls nothing but unlink and _exit, which are
 * async-signal-safe. System calls that it interrupts are not restarted, so that a verb that holds signals
 * and blocks on a full pipe goes on. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_BASE = 128, DOOMED_MAX = 4 };

/* Any thread may get the signal, and another one asks for it: sig_atomic_t would not do. */
static atomic_int is_held, seen;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "handlers use them");
static const char *_Atomic doomed[DOOMED_MAX];

static void handle(int number)
{
    if (is_held && !seen) {
        seen = number;
        return;
    }
    for (size_t i = 0; i < DOOMED_MAX; i++) {
        const char *path = atomic_load(&doomed[i]);
        if (path)
            unlink(path);
    }
    _exit(EXIT_BASE + number);
}

void rp__interrupt_init(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void rp__interrupt_hold(void)
{
    is_held = 1;
}

void rp__interrupt_hold_for(const char *path)
{
    struct stat there;
    if (!path || strcmp(path, "-") == 0)
        return;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
        rp__interrupt_hold();
}

void rp__interrupt_release(void)
{
    is_held = 0;
}

bool rp__interrupt_seen(void)
{
    return seen != 0;
}

static void replace(const char *from, const char *to)
{
    for (size_t i = 0; i < DOOMED_MAX; i++) {
        const char *expected = from;
        if (atomic_compare_exchange_strong(&doomed[i], &expected, to))
            return;
    }
}

void rp__interrupt_unlink(const char *path)
{
    replace(NULL, path);
}

void rp__interrupt_keep(const char *path)
{
    if (path)
        replace(path, NULL);
}

int rp__interrupt_exit(void)
{
    return EXIT_BASE + (seen ? seen : SIGINT);
}
