/* cli/progress.h: shows how far a build is: a bar on a terminal, a line now and then elsewhere.
 *
 * tick and end are for one thread; skip may come from any, so what it shares with them is
 * atomic. */
#ifndef RP_CLI_PROGRESS_H
#define RP_CLI_PROGRESS_H

#include "cli/console.h"
#include "riposte/index.h"

typedef struct rp__progress {
    const rp__console *console;
    uint64_t begin, shown; /* nanoseconds */
    _Atomic uint64_t skips;
    _Atomic bool has_bar; /* on the screen now */
} rp__progress;

void rp__progress_init(rp__progress *progress, const rp__console *console);

/* An rp_progress_fn; arg is an rp__progress. False after an interrupt. */
bool rp__progress_tick(void *arg, const rp_progress *now);
/* An rp_skip_fn; arg is an rp__progress. */
void rp__progress_skip(void *arg, const char *where, const char *what);
/* An rp_warn_fn; arg is an rp__progress. */
void rp__progress_warn(void *arg, const char *what);
/* The same for what is no warning. */
void rp__progress_note(void *arg, const char *what);

/* Takes the bar off the screen. */
void rp__progress_end(rp__progress *progress);

#endif
