/* oracle/executor_policy.h: an executor with a policy of a test's own. */
#ifndef RP_TESTS_ORACLE_EXECUTOR_POLICY_H
#define RP_TESTS_ORACLE_EXECUTOR_POLICY_H

#include "engine/executor.h"

/* Before anything is submitted. */
void executor_policy_set(rp_executor *executor, const rp__policy *policy);

#endif
