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
