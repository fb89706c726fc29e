/* engine/gpu_child.h: interior of engine: a backend whose device is used by another process.
 *
 * After a fault of a GPU its process cannot use it again; a new one can. So a process that is to
 * live on has the device used by a worker, with which it shares a mailbox, and a keeper that
 * replaces workers. Searchers of an index share them. Fork happens when the first is opened: before
 * that, this process must not have used a real GPU itself. */
#ifndef RP_ENGINE_GPU_CHILD_H
#define RP_ENGINE_GPU_CHILD_H

#include "engine/mailbox.h"
#include "riposte/search.h"

/* The processor gpu, in another process. Its state is an rp__gpu_child; RP_UNAVAILABLE also while
 * there is no device, which may be back for the next query: it is never lost for good. */
extern const rp__backend rp__gpu_child_row;

typedef struct rp__gpu_child rp__gpu_child; /* a searcher's; one thread at a time */

/* The row's attach, with another processor than gpu. Returns when the device is there;
 * RP_UNAVAILABLE: why not. */
rp_status rp__gpu_child_open(const rp__segment *segment, const rp__backend *backend,
                             const rp__place *place, rp__gpu_child **out, rp_error *err);
/* Before queries, and not under the guard: forks. Where somebody has killed the keeper, and the
 * worker went with it, others follow; once a second at most, since it takes time from a query.
 * Otherwise it costs a look. */
void rp__gpu_child_revive(rp__gpu_child *child);
/* All but `answered`, which is the searcher's to count. */
void rp__gpu_child_get_state(const rp__gpu_child *child, rp_gpu_state *out);
/* For tests: the worker's process; 0: there is none now. */
int32_t rp__gpu_child_worker(const rp__gpu_child *child);

/* ---- For gpu_child_steps.c ------------------------------------------------------------------- */

/* Opens a run of steps at the worker; *phase names it. RP_FALLBACK_NONE: the slot has what came of
 * it. */
rp_fallback rp__gpu_child_open_run(const rp__gpu_child *child, const rp__query *query,
                                   size_t max_memory, uint32_t *phase);
/* The next step of the run. RP_FALLBACK_NONE: likewise. */
rp_fallback rp__gpu_child_step(const rp__gpu_child *child, uint32_t phase,
                               const rp__step_mail *step, const _Atomic uint32_t *stop);
rp__slot *rp__gpu_child_slot(const rp__gpu_child *child); /* NULL: it has none */
/* RP_UNAVAILABLE, with the reason that there is now. */
rp_status rp__gpu_child_refuse(const rp__gpu_child *child, rp_error *err);

#endif
