/* algorithm_choice.c: which algorithms there are, and whether the one that was named can answer.
 *
 * Those of the cpu are plain names. Those of a GPU may have options, which their processor checks once, against the
 * index: so a mistake is reported before the first query. */
#include "engine/algorithm_choice.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

const char *rp_algorithm_name(size_t i)
{
    return i ? rp__backend_at(0)->algorithm(i - 1) : "auto";
}

const char *rp_gpu_algorithm_name(size_t i)
{
    return rp__backend_find("gpu")->algorithm(i);
}

/* The name without its options. */
static bool is_named(const char *algorithm, const char *name)
{
    const size_t n = strcspn(algorithm, ":");
    return strlen(name) == n && memcmp(algorithm, name, n) == 0;
}

bool rp__algorithm_choice_is_gpu(const char *algorithm)
{
    const char *name;
    for (size_t i = 0; algorithm && (name = rp_gpu_algorithm_name(i)); i++)
        if (is_named(algorithm, name))
            return true;
    return false;
}

/* The library's own string; NULL: no such algorithm of the cpu. */
static const char *find_plain(const char *algorithm)
{
    const char *name;
    for (size_t i = 0; (name = rp_algorithm_name(i)); i++)
        if (strcmp(name, algorithm) == 0)
            return name;
    return NULL;
}

static rp_status unknown(const char *algorithm, rp_error *err)
{
    char names[160];
    int n = 0;
    const char *name;
    for (size_t i = 0; (name = rp_algorithm_name(i)) && n < (int)sizeof names; i++)
        n += snprintf(names + n, sizeof names - (size_t)n, "%s%s", i ? ", " : "", name);
    for (size_t i = 0; (name = rp_gpu_algorithm_name(i)) && n < (int)sizeof names; i++)
        n += snprintf(names + n, sizeof names - (size_t)n, ", %s", name);
    return rp__error_set(err, RP_USAGE, "no algorithm is called '%.40s'; choose from %s", algorithm,
                         names);
}

rp_status rp__algorithm_choice_check(const rp_searcher *s, const rp__backend *backend,
                                     const char *algorithm, rp_mode mode, size_t k, rp_error *err)
{
    const rp__algorithm_use use = {.segment = s->index->segment,
                                   .k = k,
                                   .is_and = mode != RP_MODE_OR,
                                   .is_or = mode != RP_MODE_AND};
    return backend->check_algorithm(algorithm, &use, err);
}

static rp_status make_gpu(rp_searcher *s, const rp__backend *backend, const char **algorithm,
                          rp_error *err)
{
    const size_t bytes = strlen(*algorithm) + 1;
    if (!backend || strcmp(backend->name, "gpu") != 0)
        return rp__error_set(err, RP_USAGE, "the algorithm '%.40s' is the gpu's; choose that",
                             *algorithm);
    if (s->options.gpu_child)
        return rp__error_set(err, RP_USAGE, "the algorithm '%.40s' does not go to a gpu child",
                             *algorithm);
    const size_t most = s->options.k + s->options.from;
    rp_status status =
        rp__algorithm_choice_check(s, backend, *algorithm, s->options.mode, most, err);
    if (status != RP_OK)
        return status;
    s->algorithm = rp__alloc(bytes);
    if (!s->algorithm || rp__query_trace_new(s) != RP_OK)
        return rp__error_no_memory(err);
    memcpy(s->algorithm, *algorithm, bytes);
    *algorithm = s->algorithm;
    return RP_OK;
}

rp_status rp__algorithm_choice_make(rp_searcher *s, const rp__backend *backend,
                                    const char **algorithm, rp_error *err)
{
    const char *name = *algorithm;
    if (!name || strcmp(name, "auto") == 0) {
        *algorithm = NULL;
        return RP_OK;
    }
    if (rp__algorithm_choice_is_gpu(name))
        return make_gpu(s, backend, algorithm, err);
    *algorithm = find_plain(name);
    return *algorithm ? RP_OK : unknown(name, err);
}

rp_status rp__algorithm_choice_place(const char *algorithm, const rp__policy *policy, rp_error *err)
{
    char names[80];
    int n = 0;
    const rp__policy *row;
    if (!rp__algorithm_choice_is_gpu(algorithm) || policy->takes_algorithms)
        return RP_OK;
    for (size_t i = 0; (row = rp__policy_at(i)) && n < (int)sizeof names; i++)
        if (row->takes_algorithms)
            n += snprintf(names + n, sizeof names - (size_t)n, "%s%s", n ? ", " : "", row->name);
    return rp__error_set(err, RP_USAGE,
                         "by the policy %s a core may answer, and the algorithm '%.40s' is the "
                         "gpu's; policies that run it: %s",
                         policy->name, algorithm, names);
}

/* What the gpu's algorithms answer. */
static const char *forms_of(const char *algorithm)
{
    return is_named(algorithm, "para")
               ? "para answers ANDs of words (--mode and)"
               : "operators answers ANDs and ORs of words, with a named intersect ANDs alone";
}

rp_status rp__algorithm_choice_refuse(const char *algorithm, rp_fallback why, rp_error *err)
{
    const bool is_kind = why == RP_FALLBACK_FORM || why == RP_FALLBACK_TERMS ||
                         why == RP_FALLBACK_K || why == RP_FALLBACK_EXACT_TOTAL ||
                         why == RP_FALLBACK_RANKING || why == RP_FALLBACK_RANGE;
    if (!rp__algorithm_choice_is_gpu(algorithm))
        return RP_OK;
    if (why == RP_FALLBACK_ALGORITHM)
        return rp__error_set(err, RP_USAGE,
                             "the algorithm '%.100s' does not answer queries of this form; %s; "
                             "leave other forms to 'auto'",
                             algorithm, forms_of(algorithm));
    if (!is_kind)
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "the algorithm '%.40s' does not answer the query: %s",
                         algorithm, rp_fallback_text(why));
}
