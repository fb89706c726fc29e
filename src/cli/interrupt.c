/* interrupt.c: remembers a first SIGINT or SIGTERM for verbs that have something to put away. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t is_seen;

static void remember(int signal_number)
{
    (void)signal_number;
    is_seen = 1;
}

void rp__interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool rp__interrupt_seen(void)
{
    return is_seen != 0;
}
