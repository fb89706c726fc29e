/* sim_watch.c: the progress bar of riposte sim. */
#include "cli/sim_watch.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/figures.h"

void rp__sim_watch_init(rp__sim_watch *watch, const rp__console *console, uint64_t queries)
{
    *watch = (rp__sim_watch){.begun = rp__clock_now(), .total = queries};
    rp__progress_init(&watch->progress, console);
}

bool rp__sim_watch_tick(void *arg, size_t queries, uint64_t cycles)
{
    rp__sim_watch *w = arg;
    const double seconds = (double)(rp__clock_now() - w->begun) * 1e-9;
    char phase[64], rate[RP_FIGURE_BYTES];
    snprintf(phase, sizeof phase, "simulating, %s cycles a second",
             rp__figures_count(rate, (uint64_t)((double)(w->cycles + cycles) / (seconds + 1e-9))));
    const rp_progress now = {.phase = phase,
                             .bytes = w->done + queries,
                             .bytes_total = w->total,
                             .memory = rp__alloc_in_use()};
    return rp__progress_tick(&w->progress, &now);
}

void rp__sim_watch_next(rp__sim_watch *watch, uint64_t queries, uint64_t cycles)
{
    watch->done += queries;
    watch->cycles += cycles;
}

void rp__sim_watch_end(rp__sim_watch *watch)
{
    rp__progress_end(&watch->progress);
}
