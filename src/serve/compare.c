/* compare.c: one small executor for each policy that somebody asked for: a thread of the cores, and one of the card
 * where the policy uses it. They sleep while nobody asks. */
#include "serve/compare.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { QUEUED = 32 };

void rp__compare_open(rp__compare *compare)
{
    *compare = (rp__compare){0};
    pthread_mutex_init(&compare->lock, NULL);
}

void rp__compare_drain(rp__compare *compare)
{
    pthread_mutex_lock(&compare->lock);
    compare->is_drained = true;
    pthread_mutex_unlock(&compare->lock);
    for (size_t i = 0; i < RP_COMPARE_POLICIES; i++)
        if (compare->at[i])
            rp_executor_drain(compare->at[i]);
}

void rp__compare_close(rp__compare *compare)
{
    for (size_t i = 0; i < RP_COMPARE_POLICIES; i++)
        rp_executor_free(compare->at[i]);
    pthread_mutex_destroy(&compare->lock);
}

static rp_status find_policy(const char *policy, size_t *out, rp_error *err)
{
    char known[192];
    size_t n = 0;
    known[0] = 0;
    for (size_t i = 0; i < RP_COMPARE_POLICIES && rp_policy_name(i); i++) {
        *out = i;
        if (strcmp(rp_policy_name(i), policy) == 0)
            return RP_OK;
        if (n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
                                  rp_policy_name(i));
    }
    return rp__error_set(err, RP_USAGE, "there is no policy \"%.32s\"; choose one of %s", policy,
                         known);
}

static rp_status make(const rp_index *index, const rp_executor_options *prototype, size_t policy,
                      rp_executor **out, rp_error *err)
{
    rp_executor_options options = *prototype;
    options.policy = rp_policy_name(policy);
    options.threads = 1;
    options.max_queued = QUEUED;
    options.spin_us = UINT32_MAX;
    return rp_executor_new(index, &options, out, err);
}

rp_status rp__compare_get(rp__compare *compare, const rp_index *index,
                          const rp_executor_options *prototype, const char *policy,
                          rp_executor **out, rp_error *err)
{
    size_t i = 0;
    rp_status status = find_policy(policy, &i, err);
    if (status != RP_OK)
        return status;
    pthread_mutex_lock(&compare->lock);
    if (compare->is_drained)
        status = rp__error_set(err, RP_UNAVAILABLE, "the service ends");
    else if (!compare->at[i])
        status = make(index, prototype, i, &compare->at[i], err);
    *out = compare->at[i];
    pthread_mutex_unlock(&compare->lock);
    return status;
}
