/* executor_policy.c: gives an executor another policy. */
#include "oracle/executor_policy.h"

#include <pthread.h>

void executor_policy_set(rp_executor *executor, const rp__policy *policy)
{
    pthread_mutex_lock(&executor->lock); /* its threads look */
    executor->policy = policy;
    pthread_mutex_unlock(&executor->lock);
}
