/* engine/replay.h: interior of engine: a policy over recorded costs, in virtual time.
 *
 * Queues and policies are those of the executor; the processors are the costs that were recorded.
 * All is integers of nanoseconds, so the same record gives the same figures on every machine. */
#ifndef RP_ENGINE_REPLAY_H
#define RP_ENGINE_REPLAY_H

#include "plan/policy.h"
#include "riposte/status.h"

enum { RP_REPLAY_GROUP = 1024 }; /* jobs that the card is given at once, at most */

/* What a query cost each processor, and what it was likely to. */
typedef struct rp__replay_cost {
    uint64_t cpu_ns, gpu_ns, batch_ns, feed_ns; /* as in rp__policy_job */
    rp__policy_job likely;                      /* without arrival and deadline */
} rp__replay_cost;

typedef struct rp__replay_options {
    const rp__policy *policy;
    const rp__replay_cost *costs; /* in the order of queries, and again from the first */
    size_t n_costs;
    uint32_t cores;
    bool has_card;
    uint64_t jobs;
    uint64_t gap_ps; /* picoseconds from one arrival to the next, on average; at least 1 */
    bool is_poisson; /* otherwise all gaps are alike */
    uint64_t seed;
    uint64_t deadline_ns; /* of each; 0: none */
    uint32_t max_queued;
    uint64_t elements; /* postings of shortest lists that the card is given at once */
    uint64_t ratio;    /* of the policy's view */
    /* What real queues have and virtual ones do not: one lock. Each arrival, each core that takes a
     * job and each launch holds it so long. A job of a launch holds it a quarter of that three
     * times, as it begins, ends, and has its hits named, since several do at a time. 0: no time. */
    uint64_t held_ns;
    /* Trouble; 0: none. */
    uint32_t wrong; /* estimates are up to so many times too high or too low */
    uint64_t burst_begin_ns, burst_end_ns; /* when jobs come `burst` times as fast */
    uint32_t burst;
    uint64_t stall_begin_ns, stall_end_ns; /* when the first core does nothing, */
    bool stalls_card;                      /* or the card in its place */
    uint64_t lose_card_ns;
} rp__replay_options;

typedef struct rp__replay_report {
    uint64_t answered, refused, late;
    uint64_t on_cores, on_card, launches, batched;
    uint64_t end_ns;           /* of the last one */
    uint64_t core_ns, card_ns; /* they were busy, cores together */
} rp__replay_report;

/* Fills in latencies[0..jobs), from arrival to end: RP_POLICY_NEVER of a job that was refused or
 * late; and when each arrived. Both may be NULL. */
rp_status rp__replay_run(const rp__replay_options *options, uint64_t *latencies, uint64_t *arrivals,
                         rp__replay_report *report);

/* Jobs that miss their deadlines where all costs and troubles are known: in the order of arrival,
 * each goes where it ends first, and what would be late takes no time. RP_USAGE: as of
 * rp__replay_run. */
rp_status rp__replay_list(const rp__replay_options *options, const uint64_t *arrivals,
                          uint64_t *misses);

/* Jobs a second that no policy can pass, whatever the latency: each on the processor that makes the
 * most of both, in fractions of jobs. 0: there are no costs. */
uint64_t rp__replay_bound(const rp__replay_options *options);

#endif
