/* unavailable.c: rows for processors that this build does not have.
 *
 * They keep the name known, so that asking for one gives a reason instead of "no such processor". */
#include "backend/rows.h"

#include "base/error.h"

static rp_status refuse(const char *name, rp_error *err)
{
    return rp__error_set(err, RP_UNAVAILABLE,
                         "this build has no %s processor yet; use --processor cpu", name);
}

static rp_status probe_gpu(rp_error *err)
{
    return refuse("gpu", err);
}
static rp_status probe_iiu(rp_error *err)
{
    return refuse("iiu", err);
}

static rp_status run_gpu(const rp__query *query, rp__arena *arena, rp__answer *answer,
                         rp_error *err)
{
    (void)query, (void)arena, (void)answer;
    return probe_gpu(err);
}

static rp_status run_iiu(const rp__query *query, rp__arena *arena, rp__answer *answer,
                         rp_error *err)
{
    (void)query, (void)arena, (void)answer;
    return probe_iiu(err);
}

static const char *no_algorithm(size_t i)
{
    (void)i;
    return NULL;
}

const rp__backend rp__unavailable_gpu = {"gpu", no_algorithm, probe_gpu, run_gpu};
const rp__backend rp__unavailable_iiu = {"iiu", no_algorithm, probe_iiu, run_iiu};
