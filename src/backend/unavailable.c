/* unavailable.c: rows for processors that this build does not have.
 *
 * They keep the name known, so that asking for one gives a reason instead of "no such processor". */
#include "backend/rows.h"

#include "base/error.h"

static rp_status probe_iiu(const rp__place *place, rp_error *err)
{
    (void)place;
    return rp__error_set(err, RP_UNAVAILABLE,
                         "this build has no iiu processor yet; use --processor cpu");
}

static rp_status run_iiu(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                         rp_error *err)
{
    (void)state, (void)query, (void)arena, (void)answer;
    return probe_iiu(NULL, err);
}

static const char *no_algorithm(size_t i)
{
    (void)i;
    return NULL;
}

const rp__backend rp__unavailable_iiu = {
    .name = "iiu", .algorithm = no_algorithm, .probe = probe_iiu, .run = run_iiu};
