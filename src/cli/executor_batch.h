/* cli/executor_batch.h: many queries by an executor, as rp_searcher_batch has them. */
#ifndef RP_CLI_EXECUTOR_BATCH_H
#define RP_CLI_EXECUTOR_BATCH_H

#include "riposte/executor.h"

/* Answers all of them, each in its place. Half as many threads as the executor has cores parse and
 * submit them. With a deadline RP_BUSY is an answer too, and so is RP_DEADLINE, whose hits are
 * partial; without one, a query that finds no room is submitted again. Once goes_on is false:
 * RP_INTERRUPTED. */
rp_status rp__executor_batch_run(rp_executor *executor, rp_batch_query *queries, size_t n,
                                 size_t cores, uint64_t deadline_ns, bool (*goes_on)(void *arg),
                                 rp_error *err);

#endif
