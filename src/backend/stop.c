/* stop.c: whether a query is to stop, as somebody else says meanwhile. */
#include "backend/backend.h"

#include <stdatomic.h>

#include "base/error.h"

rp_status rp__stop_check(const rp__query *query, rp_error *err)
{
    if (!query->stop || atomic_load_explicit(query->stop, memory_order_relaxed) == 0)
        return RP_OK;
    return rp__error_set(err, RP_INTERRUPTED, "the query was stopped");
}

size_t rp__stop_drop(rp__asked *asked, uint32_t *places, size_t n)
{
    size_t n_left = 0;
    rp_error err;
    for (size_t i = 0; i < n; i++) {
        rp_status status = rp__stop_check(&asked[places[i]].query, &err);
        if (status == RP_OK)
            places[n_left++] = places[i];
        else
            asked[places[i]].status = status;
    }
    return n_left;
}
