/* query_form.c: what the searcher's processor would do for a query, which it is not asked. */
#include "base/error.h"
#include "engine/searcher.h"

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp_form out;
    rp_error err;
} job;

static rp_status run_job(void *arg)
{
    job *j = arg;
    rp_searcher *s = j->searcher;
    rp_mode mode = s->options.mode == RP_MODE_ANDOR ? RP_MODE_AND : s->options.mode;
    rp__query bound;
    rp_status status = rp__searcher_bind(s, j->query, j->query_bytes, mode, &bound, &j->err);
    if (status == RP_OK && !s->backend->form)
        return rp__error_set(&j->err, RP_UNAVAILABLE,
                             "the processor %s does not say what it would do", s->backend->name);
    return status == RP_OK ? s->backend->form(s->state, &bound, &s->arena, &j->out, &j->err)
                           : status;
}

rp_status rp_searcher_form(rp_searcher *searcher, const char *query, size_t query_bytes,
                           rp_form *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_form){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    rp_status status = rp__searcher_guard(searcher, run_job, &j, &j.err, err);
    if (status == RP_OK)
        *out = j.out;
    return status;
}
