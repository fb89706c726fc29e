/* lab_sim_sweep.c: queries on many simulated machines, each with a configuration of its own. */
#include <stdatomic.h>

#include "base/error.h"
#include "base/thread.h"
#include "lab/lab_sim.h"

typedef struct sweep {
    const rp__lab_sim *sim;
    rp__lab_sim_case *cases;
    size_t n;
    atomic_size_t next;
    rp__lab_sim_progress_fn *on_progress; /* (optional) */
    void *arg;
    pthread_mutex_t lock; /* of what follows */
    size_t queries;
    uint64_t cycles;
    bool is_stopped;
} sweep;

/* One case of a sweep, and what it has told so far. */
typedef struct share {
    sweep *sweep;
    size_t queries;
    uint64_t cycles;
} share;

static bool add_progress(void *arg, size_t queries, uint64_t cycles)
{
    share *one = arg;
    sweep *s = one->sweep;
    pthread_mutex_lock(&s->lock);
    s->queries += queries - one->queries;
    s->cycles += cycles - one->cycles;
    one->queries = queries;
    one->cycles = cycles;
    if (s->on_progress && !s->is_stopped)
        s->is_stopped = !s->on_progress(s->arg, s->queries, s->cycles);
    const bool goes_on = !s->is_stopped;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

static void run_cases(void *arg, uint32_t worker)
{
    sweep *s = arg;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->n;) {
        rp__lab_sim_case *c = &s->cases[i];
        share one = {.sweep = s};
        c->status =
            rp__lab_sim_run(s->sim, &c->config, add_progress, &one, NULL, &c->result, &c->err);
    }
}

rp_status rp__lab_sim_sweep(const rp__lab_sim *sim, rp__lab_sim_case *cases, size_t n,
                            uint32_t threads, rp__lab_sim_progress_fn *on_progress, void *arg,
                            rp_error *err)
{
    sweep s = {.sim = sim,
               .cases = cases,
               .n = n,
               .on_progress = on_progress,
               .arg = arg,
               .lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < n; i++)
        cases[i].status = rp__error_no_memory(&cases[i].err); /* until it ran */
    const rp_status status = rp__thread_run(threads ? threads : 1, run_cases, &s);
    pthread_mutex_destroy(&s.lock);
    return status == RP_OK ? RP_OK : rp__error_no_memory(err);
}
