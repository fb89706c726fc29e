/* serve/compare.h: executors of other policies than the service's, each made when a request first
 * names its policy. They answer for people who compare. */
#ifndef RP_SERVE_COMPARE_H
#define RP_SERVE_COMPARE_H

#include <pthread.h>

#include "riposte/executor.h"

enum { RP_COMPARE_POLICIES = 16 };

/* Of one generation of an index. Any thread. */
typedef struct rp__compare {
    pthread_mutex_t lock;
    rp_executor *at[RP_COMPARE_POLICIES]; /* in rp_policy_name's order; NULL: not made yet */
    bool is_drained;
} rp__compare;

void rp__compare_open(rp__compare *compare);
/* Lets their queries end; no others are made. */
void rp__compare_drain(rp__compare *compare);
void rp__compare_close(rp__compare *compare);

/* The executor of a policy, with otherwise the options of `prototype`, the service's own. RP_USAGE:
 * there is no such policy; RP_UNAVAILABLE: it needs a card, and there is none. */
rp_status rp__compare_get(rp__compare *compare, const rp_index *index,
                          const rp_executor_options *prototype, const char *policy,
                          rp_executor **out, rp_error *err);

#endif
